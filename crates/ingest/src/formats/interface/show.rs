//! `show interface(s)` of every maker: the command is much the same, and the first line of an interface tells which dialects
//! it may be in.

use super::asked::{Asked, is_command, is_short_for};
use super::below::{continues, described, takes_in};
use super::choice::{best, best_without_head};
use super::dialects::DIALECTS;
use super::glued::glued;
use super::heads::{is_head, may_be_head_without_verb};
use super::line::Line;
use super::pattern::squeezed;
use super::preface::{ABOVE, is_above, is_log, is_monitor, is_preface, is_ruler};
use super::prepared::Prepared;
use super::reader::Reading;
use super::section::{device, sections, span};
use super::unfolded::unfolded;
use super::waiting::{Read, Waiting, complain, keep};
use super::wrapped::unwrapped;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::command::bare;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::prompt::command_line;
use crate::{Context, when};

pub(crate) static FORMAT: Format = Format {
    name: "show interfaces",
    group: Group::Interfaces,
    reads: "one interface or several, in any of the dialects below",
    first: "A-Za-z0-9=#-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            " is ",
            " current state",
            " Seconds: ",
            " Monitor Time: ",
            " status: ",
        ])
        .and(ABOVE)
        .or_at_prompt()
        .or(may_begin)
    }),
    starts: |line| {
        is_head(line)
            || is_command(line)
            || is_monitor(line)
            || is_above(line)
            || line == ONBOARD
            || glued(line).is_some()
    },
    continues,
    takes_in: Some(takes_in),
    read,
};

/// The dialects that are read: what they are called, and what is read of each.
pub(crate) fn dialects() -> impl Iterator<Item = (&'static str, &'static str)> {
    DIALECTS.iter().map(|dialect| (dialect.name, dialect.reads))
}

/// No command has more: `host # show policy-map interface GigabitEthernet 0/0/1 output class NAME`.
const MOST_WORDS: usize = 12;

/// What a FortiGate prints above its ports, on a line of its own.
const ONBOARD: &str = "== [onboard]";

/// What marks do not tell: a head that begins with a word or is a name alone, and the command.
fn may_begin(line: &str) -> bool {
    line == ONBOARD
        || may_be_head_without_verb(line)
        || ["show", "sh ", "display"]
            .iter()
            .any(|verb| line.trim_ascii_start().starts_with(verb))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let is_alone = block.last_written_line() == block.first_line;
    // A line of more words is an output that became one with its command.
    let is_short = |line: &str| line.contains('|') || line.split_ascii_whitespace().count() <= MOST_WORDS;
    let folded = block.first().filter(|line| !is_short(line)).map(squeezed);
    let folded = folded.as_deref().and_then(unfolded);
    if let Some((command, lines)) = &folded
        && !command.is_empty()
    {
        let lines: Vec<(u64, &str)> = lines.iter().map(|line| (block.first_line, *line)).collect();
        let mut waiting = Waiting::new(block, context, device(block, context), Asked::of(command));
        take_section(lines, &mut waiting, findings);
        for (number, line) in block.numbered().skip(1) {
            findings.unread(number, line);
        }
        return waiting.tell(findings);
    }
    if is_alone && block.first().is_some_and(|line| !is_short(line)) && folded.is_none() {
        return;
    }
    if is_alone && block.first().is_some_and(|line| bare(line).is_some()) {
        return findings.nothing_to_say();
    }
    // What stands above the table of `monitor interface traffic`.
    if block
        .lines()
        .skip(usize::from(block.first().is_some_and(is_command)))
        .all(|line| line.trim_ascii().is_empty() || is_preface(line) || is_ruler(line) || is_centred(line))
    {
        return findings.above_another();
    }
    let device = device(block, context);
    let asked = block.first().map(Asked::of).unwrap_or_default();
    let behind_command = block.first().and_then(glued).map(|(_, head)| head);
    let is_head_at = |place: usize, line: &str| {
        let is_first = place == 0 && behind_command.is_some();
        block.noted(place).unwrap_or_else(|| is_first || is_head(line))
    };
    let first_head = block
        .lines()
        .enumerate()
        .position(|(place, line)| is_head_at(place, line));
    let first_head = first_head.unwrap_or(block.len());
    let mut preface = block.lines().take(first_head);
    let printed = preface.find_map(|line| when::time_source(line, context.utc_offset_s));
    let context = &Context {
        at: printed.or(context.at),
        ..context.clone()
    };
    let filtered = asked.filtered().or(asked.filtered_name());
    if let Some(interface) = filtered.filter(|_| first_head == block.len())
        && read_without_head(block, context, interface, findings)
    {
        return;
    }
    for (number, line) in block.numbered().take(first_head) {
        let is_command = command_line(line).is_some();
        if !is_command && !is_preface(line) && !is_ruler(line) {
            findings.unread(number, line);
        }
    }
    let mut waiting = Waiting::new(block, context, device, asked);
    for mut lines in sections(block, is_head_at) {
        if let (Some(head), Some(first)) = (behind_command, lines.first_mut())
            && first.0 == block.first_line
        {
            first.1 = head;
        }
        let head = lines.first().filter(|(_, head)| !is_short(head));
        let head = head.map(|(number, head)| (*number, squeezed(head)));
        let pieces = head
            .as_ref()
            .and_then(|(number, head)| Some((*number, unfolded(head)?.1)));
        if let Some((number, pieces)) = pieces {
            lines.splice(..1, pieces.into_iter().map(|piece| (number, piece)));
        }
        take_section(lines, &mut waiting, findings);
    }
    waiting.tell(findings);
}

/// Reads an interface from its head to the next one's.
fn take_section(mut lines: Vec<(u64, &str)>, waiting: &mut Waiting<'_>, findings: &mut Findings) {
    lines.retain(|(number, line)| {
        let is_log = is_log(line);
        if is_log {
            findings.complain(*number, "a message of the device's log, which is not used");
        }
        !is_log
    });
    let mut description = None;
    if let Some((_, head)) = lines.first_mut()
        && let Some((name, words)) = described(head).filter(|_| !is_head(head))
    {
        (*head, description) = (name, Some(words.trim_ascii()));
    }
    if let Some((prepared, mut reading, span)) = read_one(&waiting.asked, waiting.first, &lines, findings) {
        if let Some(words) = description.filter(|words| !words.is_empty()) {
            reading.interface.description = Some(words.to_owned());
        }
        let read = Read {
            lines: span,
            is_one_line: lines.len() == 1,
            prepared,
            reading,
        };
        waiting.push(read, findings);
    }
}

/// Whether a line is the title of a table, in the middle of the screen.
fn is_centred(line: &str) -> bool {
    const FAR: &str = "                    ";
    line.starts_with(FAR) && !line.bytes().any(|byte| byte.is_ascii_digit())
}

/// Reads what a filter kept of the one interface that the command asks for; whether there was anything.
fn read_without_head(block: &Block, context: &Context, interface: &str, findings: &mut Findings) -> bool {
    let lines = block.numbered().skip(1).filter(|(_, line)| !is_preface(line));
    let below: Vec<Line<'_>> = lines.map(|(number, line)| Line::new(number, line)).collect();
    let way = block.first().and_then(|line| Asked::of(line).way);
    let Some(mut reading) = best_without_head(interface, way, &below) else {
        return false;
    };
    reading.interface.device = device(block, context);
    let lines = (block.first_line, block.last_written_line());
    complain(findings, lines, &reading);
    keep(findings, context, lines, reading);
    true
}

/// Reads an interface, and which lines it takes. What stands below a mark that lines were left out is its own only where the command
/// asked for this one: else the head of another may be among them.
fn read_one(
    asked: &Asked,
    first: Option<&'static Prepared>,
    lines: &[(u64, &str)],
    findings: &mut Findings,
) -> Option<(&'static Prepared, Reading, (u64, u64))> {
    let mark = lines.iter().position(|(_, line)| is_omission(line));
    let (above, below) = lines.split_at(mark.unwrap_or(lines.len()));
    let read = |lines: &[(u64, &str)]| best(asked, first, &unwrapped(lines));
    let (prepared, reading) = read(above)?;
    if below.is_empty() {
        return Some((prepared, reading, span(lines)));
    }
    let name = reading.interface.interface.as_str();
    if asked
        .interface
        .as_deref()
        .is_some_and(|typed| is_short_for(typed, name))
    {
        return read(lines).map(|(prepared, reading)| (prepared, reading, span(lines)));
    }
    if below.iter().any(|(_, line)| !is_omission(line)) {
        let why = format!(
            "lines were left out below {name}, perhaps the head of another interface: these are not used"
        );
        findings.complain_of(span(below), why);
    }
    Some((prepared, reading, span(above)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts() {
        for yes in [
            "rtr-dmz>show interface",
            "user@router> show interfaces xe-0/0/0 extensive",
            "r#sh int",
        ] {
            assert!(is_command(yes), "{yes}");
        }
        for no in [
            "rtr>show ip interface brief",
            "rtr>s i",
            "$ ping show",
            "r# show interfaces status",
            "r# show interfaces | json",
        ] {
            assert!(!is_command(no), "{no}");
        }
    }

    #[test]
    fn heads() {
        for yes in [
            "ATM5/0 is up, line protocol is up ",
            "Vlan7 is administratively down, line protocol is down",
            "Ethernet1/1 is up",
            "Ethernet1/2 is down (Link not connected)",
            "  TenGigabitEthernet0/1/7 is administratively down",
            "mgmt0 is up",
            "  Logical interface so-6-2-0.0 (Index 67)",
        ] {
            assert!(is_head(yes), "{yes}");
        }
        for no in [
            "The link is up",
            "It is up, line protocol",
            "  Output is up",
            "host1 is up",
            "Table 3 is up to date",
            "",
        ] {
            assert!(!is_head(no), "{no}");
        }
    }

    /// What interfaces a text has, with the counters of each that are not 0.
    fn counted(text: &str) -> Vec<(String, Vec<u64>)> {
        let (records, _) = crate::import(text.as_bytes(), &Context::default());
        let counters = records.into_iter().filter_map(|record| match record.payload {
            evidence::Payload::InterfaceCounters(counters) => Some(counters),
            _ => None,
        });
        counters
            .map(|counters| {
                let all = counters.counters.values().chain(counters.other.values());
                (
                    counters.interface,
                    all.copied().filter(|value| *value > 0).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn a_name_that_the_text_breaks_off_within_is_none() {
        let text = |end: &str| {
            format!("Ethernet1 is up, line protocol is up\n     7 input errors, 5 CRC\n     9 {end}")
        };
        let of = |end: &str| counted(&text(end)).pop().map(|(_, values)| values);
        assert_eq!(of("unknown protocol drops"), Some(vec![7, 5, 9]));
        assert_eq!(of("unknown protoco"), Some(vec![7, 5]));
    }

    #[test]
    fn what_prints_all_has_its_own_lines_first() {
        let text = |name: &str| {
            format!(
                "r1#show interfaces | include is up|input errors\n{name} is up, line protocol is up \n     \
                 9 input errors, 8 CRC, 1 frame, 0 overrun, 0 ignored\n"
            )
        };
        let name = "TenGigabitEthernet0/1/4";
        assert_eq!(counted(&text(name)), [(name.to_owned(), vec![9, 8, 1])]);
        for hidden in [
            "TenGigabitEthernet0/1/4.30",
            "Vlan12",
            "Loopback0",
            "Port-channel3",
        ] {
            assert_eq!(counted(&text(hidden)), [], "{hidden}");
        }
    }

    #[test]
    fn the_command_names_the_port_that_a_driver_calls_otherwise() {
        let text = "fw1 # diagnose hardware deviceinfo nic wan1\nDescription\t:FortiASIC NP6XLITE Adapter\n\
                    phy name\t:port1\n========== Link Status ==========\nSpeed\t\t:1000\n\
                    ============ Counters ===========\nRx Pkts\t\t:12\n";
        assert_eq!(counted(text), [("wan1".to_owned(), vec![12])]);
    }

    #[test]
    fn what_stands_below_lines_that_were_left_out_may_be_anothers() {
        let text = |command: &str, mark: &str| {
            format!(
                "r1#{command}\nTenGigE0/2/0 is up, line protocol is up \n     41 packets input, 900 bytes\n{mark}\n     \
                 17 output errors, 0 collisions\nTenGigE0/2/1 is up, line protocol is up \n     5 output errors\n"
            )
        };
        let other = ("TenGigE0/2/1".to_owned(), vec![5]);
        for mark in ["...", "<output omitted>", "  [snip]", "."] {
            let all = text("show interfaces", mark);
            assert_eq!(
                counted(&all),
                [("TenGigE0/2/0".to_owned(), vec![41, 900]), other.clone()],
                "{mark}"
            );
            let (_, complaints) = crate::import(all.as_bytes(), &Context::default());
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            let one = text("show interfaces te0/2/0", mark);
            assert_eq!(
                counted(&one),
                [("TenGigE0/2/0".to_owned(), vec![41, 900, 17]), other.clone()]
            );
        }
    }

    proptest::proptest! {
        /// A head ends the interface above it, however it is indented and in whatever state it says the interface is.
        #[test]
        fn a_figure_belongs_to_the_head_above_it(
            indentation in 0_usize..8,
            state in 0_usize..4,
            figures in proptest::array::uniform2(1_u64..1_000_000),
        ) {
            let state = [
                "is up, line protocol is up",
                "is administratively down",
                "is administratively down, line protocol is down",
                "is down, line protocol is down (notconnect)",
            ][state];
            let blanks = " ".repeat(indentation);
            let text: String = (0..2)
                .zip(figures)
                .map(|(port, errors)| format!(
                    "{blanks}TenGigabitEthernet0/1/{port} {state}\n{blanks}     {errors} input errors, 0 CRC\n"
                ))
                .collect();
            let expected: Vec<_> = (0..2)
                .zip(figures)
                .map(|(port, errors)| (format!("TenGigabitEthernet0/1/{port}"), vec![errors]))
                .collect();
            proptest::prop_assert_eq!(counted(&text), expected);
        }

        /// A line of figures in the midst of an interface is told about, or ends it.
        #[test]
        fn no_line_of_figures_goes_unread_without_a_word(number in 1_u64..1_000_000, indentation in 0_usize..8) {
            let text = format!(
                "Ethernet1 is up, line protocol is up (connected)\n     292 packets input, 31440 bytes\n{}zorkmids {number} of 17\n",
                " ".repeat(indentation),
            );
            let (_, complaints) = crate::import(text.as_bytes(), &Context::default());
            proptest::prop_assert!(complaints.iter().any(|complaint| complaint.last_line == 3));
            proptest::prop_assert_eq!(counted(&text), vec![("Ethernet1".to_owned(), vec![292, 31_440])]);
        }
    }
}
