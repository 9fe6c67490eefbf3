//! `show interface(s)` of every maker: the command is much the same, and the first line of an interface tells which dialects
//! it may be in.

use super::dialects::DIALECTS;
use super::pattern::{Pattern, is_of_a_type, squeezed};
use super::prepared::{PREPARED, Prepared};
use super::reader::{self, Line, MARGIN, Reading};
use super::section::{device, record, sections};
use crate::Context;
use crate::arrival::is_furniture;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::{command_line, is_bare_prompt};
use evidence::{InterfaceCounters, Node};
use memchr::memmem::Finder;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

pub(crate) static FORMAT: Format = Format {
    name: "show interfaces",
    group: Group::Interfaces,
    reads: "one interface or several, in any of the dialects below",
    first: "A-Za-z0-9",
    has_command: true,
    starts: |line| is_head(line) || is_command(line) || is_bare_command(line),
    continues,
    takes_in: Some(takes_in),
    read,
};

/// The dialects that are read: what they are called, and what is read of each.
pub(crate) fn dialects() -> impl Iterator<Item = (&'static str, &'static str)> {
    DIALECTS.iter().map(|dialect| (dialect.name, dialect.reads))
}

/// First lines of interfaces in any dialect, by what shows at a glance that a line is none.
struct Heads {
    /// Those that begin with a literal word, by its first letter.
    worded: BTreeMap<u8, Vec<(&'static str, Pattern)>>,
    /// `{if} is …`
    being: Vec<Pattern>,
    /// `{if} current state …`
    stating: Vec<Pattern>,
    /// `{if} input: …`
    directed: Vec<Pattern>,
    /// The name alone.
    alone: Vec<Pattern>,
}

static HEADS: LazyLock<Heads> = LazyLock::new(|| {
    let mut heads = Heads {
        worded: BTreeMap::new(),
        being: Vec::new(),
        stating: Vec::new(),
        directed: Vec::new(),
        alone: Vec::new(),
    };
    let all = DIALECTS.iter().flat_map(|dialect| dialect.heads.iter().copied());
    for text in BTreeSet::from_iter(all) {
        let pattern = Pattern::new(text);
        match text.strip_prefix('{') {
            Some(field) if field.contains(CURRENT_STATE) => heads.stating.push(pattern),
            Some(field) if field.contains(IS) => heads.being.push(pattern),
            Some(field) if field.contains(' ') => heads.directed.push(pattern),
            Some(_) => heads.alone.push(pattern),
            None => {
                // Blanks may stand behind the first word.
                let word = text.split(['{', ' ', ':']).next().unwrap_or("");
                let first = word.bytes().next().unwrap_or(b' ');
                heads.worded.entry(first).or_default().push((word, pattern));
            }
        }
    }
    heads
});

const IS: &str = " is ";
const CURRENT_STATE: &str = " current state";
static LINKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [IS, CURRENT_STATE].map(Finder::new));

/// Whether an interface begins here, at whatever indentation, in any dialect. Asked of every line: prose is told by its first
/// words, which name no interface.
fn is_head(line: &str) -> bool {
    let line = line.trim();
    let has_digit = |name: &str| name.len() < 64 && name.bytes().any(|byte| byte.is_ascii_digit());
    let named = |link: &Finder<'_>| {
        let end = link.find(line.as_bytes());
        end.and_then(|end| line.get(..end)).is_some_and(has_digit)
    };
    let fits = |patterns: &[Pattern]| {
        let text = squeezed(line);
        patterns.iter().any(|pattern| pattern.captures(&text).is_some())
    };
    let is_directed = || {
        let mut words = line.splitn(3, ' ');
        words.next().is_some_and(has_digit)
            && words
                .next()
                .is_some_and(|word| matches!(word, "input:" | "output:" | "direction" | "Service"))
    };
    let (heads, [is, current_state]) = (&*HEADS, &*LINKS);
    let worded = line.bytes().next().and_then(|first| heads.worded.get(&first));
    worded.is_some_and(|worded| {
        let mut likely = worded.iter().filter(|(word, _)| line.starts_with(word));
        likely.any(|(_, pattern)| pattern.captures(&squeezed(line)).is_some())
    }) || named(is) && fits(&heads.being)
        || named(current_state) && fits(&heads.stating)
        || is_directed() && fits(&heads.directed)
        || has_digit(line) && !line.contains(' ') && fits(&heads.alone)
}

/// Options and tables of `show interfaces` that are other formats.
const OTHERS: &[&str] = &[
    "status",
    "description",
    "descriptions",
    "terse",
    "summary",
    "transceiver",
    "diagnostics",
    "counters",
    "switchport",
    "trunk",
];

/// Whether a line is a prompt with `show interface` or a shorter form of it, which routers take as well.
fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let shortens = |word: Option<&str>, whole: &str, least: usize| {
            word.is_some_and(|word| word.len() >= least && whole.starts_with(word))
        };
        let is_structured = typed.command.split('|').skip(1).any(|filter| {
            let filter = filter.trim();
            ["json", "xml", "display json", "display xml"]
                .iter()
                .any(|format| filter.starts_with(format))
        });
        let verb = words.next();
        (shortens(verb, "show", 2) || shortens(verb, "display", 3))
            && words.next().is_some_and(|word| {
                shortens(Some(word), "interfaces", 3) || matches!(word, "port" | "policy-map")
            })
            && !is_structured
            && !words.any(|word| OTHERS.contains(&word))
    })
}

/// Whether a line is `show interfaces Gi0/1` without a prompt, as people copy it. Nothing but names and options stands behind
/// it, so it is no prose.
fn is_bare_command(line: &str) -> bool {
    const OPTIONS: &[&str] = &[
        "detail",
        "extensive",
        "brief",
        "statistics",
        "media",
        "all",
        "ethernet",
        "physical",
        "no-more",
        "interface",
        "control-plane",
        "type",
        "queueing",
        "input",
        "output",
        "|",
    ];
    let line = line.trim();
    let mut words = line.split_ascii_whitespace();
    let is_show = matches!(words.next(), Some("show" | "sh" | "display"))
        && matches!(
            words.next(),
            Some("interface" | "interfaces" | "int" | "policy-map")
        );
    is_show
        && line.len() < 100
        && words.all(|word| {
            OPTIONS.contains(&word) || is_of_a_type(word) || word.bytes().any(|byte| byte.is_ascii_digit())
        })
}

fn continues(block: &Block, line: &str) -> bool {
    if is_head(line) {
        // It becomes the next line of the block.
        block.memo.set(Some(block.len()));
        return true;
    }
    if line.trim().is_empty() {
        return true;
    }
    if command_line(line).is_some() || is_bare_command(line) || is_bare_prompt(line) {
        return false;
    }
    // Pagers stand between the lines.
    if is_furniture(line) {
        return true;
    }
    if line.starts_with([' ', '\t']) || is_wrapped(block, line) {
        return true;
    }
    // Between the command and its output routers print the time.
    if block.len() < 4 && block.memo.get().is_none() && is_preface(line) {
        return true;
    }
    let Some(head) = last_head(block) else {
        return block.len() < 4 && is_ruler(line);
    };
    let text = squeezed(line);
    of_head(&head).any(|prepared| reader::claims(prepared, &text))
}

/// Whether the line goes on with what a terminal wrapped.
fn is_wrapped(block: &Block, line: &str) -> bool {
    let is_rest = |last: &str| {
        let before = block.len().checked_sub(2).and_then(|place| block.get(place));
        wraps(last, line, false) && before.is_some_and(|before| wraps(before, last, true))
    };
    block
        .last()
        .is_some_and(|last| wraps(last, line, true) || is_rest(last))
}

fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.len() > 20 && line.bytes().all(|byte| matches!(byte, b'-' | b'='))
}

/// Interfaces with more lines are none.
const MOST_LINES: usize = 400;

fn last_head(block: &Block) -> Option<String> {
    let place = block.memo.get().unwrap_or(0);
    let head = block.get(place).filter(|head| is_head(head));
    head.filter(|_| block.len() - place <= MOST_LINES).map(squeezed)
}

/// The dialects in which an interface may begin like this.
fn of_head(head: &str) -> impl Iterator<Item = &'static Prepared> {
    PREPARED.iter().filter(|prepared| prepared.head(head).is_some())
}

/// Where nothing is indented, a line right below an interface's is one of it: a dialect may do so, or who copied the text.
fn takes_in(block: &Block, line: &str) -> bool {
    let Some(last) = block.last().filter(|last| !last.trim().is_empty()) else {
        return false;
    };
    let is_flat = || !last.starts_with([' ', '\t']) && block.memo.get() != block.len().checked_sub(1);
    command_line(line).is_none()
        && last_head(block)
            .is_some_and(|head| is_flat() || of_head(&head).any(|prepared| prepared.dialect.is_flat))
}

/// What routers print of themselves between the command and its output, if they are told to.
fn is_preface(line: &str) -> bool {
    is_clock(line) || line.starts_with("Load for ") || line.starts_with("Time source is ")
}

/// `Mon Nov 23 10:11:12.123 UTC`
fn is_clock(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let weekday = words
        .next()
        .is_some_and(|word| ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&word));
    weekday && words.nth(2).is_some_and(|clock| clock.contains(':'))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let is_alone = block.last_written_line() == block.first_line;
    if is_alone && block.first().is_some_and(is_bare_command) {
        return findings.nothing_to_say();
    }
    let device = device(block, context);
    let first_head = block.lines().position(is_head).unwrap_or(block.len());
    for (number, line) in block.numbered().take(first_head) {
        let is_command = command_line(line).is_some() || is_bare_command(line);
        if !is_command && !is_preface(line) && !is_ruler(line) {
            findings.unread(number, line);
        }
    }
    let mut first: Option<&'static Prepared> = None;
    let mut read = Vec::new();
    for lines in sections(block, is_head) {
        let below = unwrapped(&lines);
        if let Some((prepared, reading)) = best(first, &below) {
            first = first.or((reading.understood > 0).then_some(prepared));
            read.push((lines, prepared, reading));
        }
    }
    // A device speaks one dialect: what is in another one was printed by another device, and so was a head with nothing
    // below it that stands before that.
    let mut is_same = true;
    // `show interfaces | include line protocol`
    let is_head_alone = |(lines, _, reading): &(Vec<_>, _, Reading)| {
        lines.len() == 1 && reading.understood == 0 && reading.interface.up.is_some()
    };
    let is_filtered = block.first().is_some_and(|line| line.contains('|'));
    let are_all_heads = read.iter().all(is_head_alone) && (read.len() > 1 || is_filtered);
    for (_, prepared, reading) in read.iter_mut().rev() {
        if reading.understood > 0 {
            is_same = first.is_none_or(|first| first.is_same_maker(prepared));
        }
        let is_unsure = reading.understood == 0 && !are_all_heads;
        reading.interface.device = match is_same && !is_unsure {
            true => device.clone(),
            false => context.from_or(Node::default()),
        };
    }
    for (lines, _, reading) in read {
        if !are_all_heads {
            complain(findings, &lines, &reading);
        }
        keep(findings, context, &lines, reading);
    }
}

/// The lines of an interface, with what a narrow terminal wrapped behind what it belongs to.
fn unwrapped(lines: &[(u64, &str)]) -> Vec<Line> {
    let mut whole = Vec::with_capacity(lines.len());
    let mut left = lines;
    let pairs = lines.iter().zip(lines.iter().skip(1));
    let are_wrapped = pairs
        .into_iter()
        .any(|((_, line), (_, rest))| wraps(line, rest, true));
    while let Some(((number, line), behind)) = left.split_first() {
        let mut before = *line;
        let rest = behind.iter().take_while(|(_, rest)| {
            let wraps = wraps(before, rest, before == *line);
            before = rest;
            wraps
        });
        let rest: Vec<&str> = rest.map(|(_, rest)| *rest).collect();
        left = behind.get(rest.len()..).unwrap_or_default();
        // The rest of a figure at the margin may have been lost.
        let is_cut = are_wrapped && rest.is_empty() && line.len() == MARGIN;
        let end = line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let line = line.get(..end).filter(|_| is_cut).unwrap_or(line);
        whole.push(Line::wrapped(*number, line, &rest));
    }
    whole
}

/// Whether a terminal wrapped an indented line (or what it wrapped of one before), and the rest stands alone at the margin.
/// Where blanks were lost with it, a figure does.
fn wraps(line: &str, rest: &str, is_first: bool) -> bool {
    let is_indented = |line: &str| line.starts_with([' ', '\t']);
    let is_figure =
        |rest: &str| rest.len() < 24 && rest.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    let lost_blanks = (72..MARGIN).contains(&line.trim_end().len()) && is_figure(rest);
    is_indented(line) == is_first
        && !is_indented(rest)
        && !rest.trim().is_empty()
        && (line.len() == MARGIN && !is_head(rest) || lost_blanks)
}

/// What the dialect makes of an interface that understands most of it: the one of the interfaces before it if it has nothing
/// to complain about, for makers borrow from each other.
fn best(first: Option<&'static Prepared>, lines: &[Line]) -> Option<(&'static Prepared, Reading)> {
    let is_whole = |reading: &Reading| reading.complaints.is_empty() && reading.understood + 1 >= lines.len();
    let mut best: Option<(&'static Prepared, Reading)> = None;
    for prepared in first.into_iter().chain(PREPARED.iter()) {
        let Some(reading) = reader::read(prepared, lines) else {
            continue;
        };
        let is_better = best.as_ref().is_none_or(|(_, best)| {
            (best.understood, reading.complaints.len()) < (reading.understood, best.complaints.len())
        });
        let is_enough = is_whole(&reading);
        if is_better {
            best = Some((prepared, reading));
        }
        if is_enough {
            break;
        }
    }
    best
}

/// Units of switched ports have addresses, and no figures.
fn is_bare(interface: &InterfaceCounters) -> bool {
    let bare = InterfaceCounters {
        device: interface.device.clone(),
        interface: interface.interface.clone(),
        description: interface.description.clone(),
        ..InterfaceCounters::default()
    };
    *interface == bare
}

fn complain(findings: &mut Findings, lines: &[(u64, &str)], reading: &Reading) {
    for (lines, why) in &reading.complaints {
        findings.complain_of(*lines, why);
    }
    if reading.understood == 0
        && !reading.is_nothing
        && let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last())
    {
        findings.complain_of(
            (*first, *last),
            "the head of an interface with nothing of it below",
        );
    }
}

fn keep(findings: &mut Findings, context: &Context, lines: &[(u64, &str)], reading: Reading) {
    if reading.understood == 0 && reading.interface.up.is_none() {
        return;
    }
    if reading.understood > 0 && is_bare(&reading.interface) {
        return findings.nothing_to_say();
    }
    if reading.interface.interface.is_empty() {
        if let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) {
            findings.complain_of((*first, *last), "figures of an interface without its name");
        }
        return;
    }
    record(findings, context, "show interfaces", lines, reading.interface);
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
            "show interfaces",
            "rtr>show ip interface",
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
