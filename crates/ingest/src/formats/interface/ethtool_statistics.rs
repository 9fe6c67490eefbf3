//! Linux `ethtool -S IFACE`, `--phy-statistics`: the counters of a driver. They do not name their interface: only the command line above them
//! does. Queues are summed where the driver has no total of its own.

use super::counted::{count, count_as, kind_of};
use super::ethtool_words::WORDS;
use super::queues::{Counted, OfQueue, Queues, of_queue};
use super::section::device;
use super::vyos::asked_of_vyos;
use crate::Context;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{NAMELESS, is_gap, is_interface, is_only};
use crate::formats::host::given::Given;
use crate::prompt::command_line;
use crate::text::parted;
use evidence::{CounterKind, InterfaceCounters, Payload};
use std::collections::BTreeMap;

pub(crate) static STATISTICS: Format = Format {
    name: "ethtool -S",
    group: Group::Hosts,
    reads: "a driver's counters, those of its queues summed; those that drivers name alike are understood, the others \
            kept by name",
    first: "NPSe",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "NIC statistics:",
            "PHY statistics:",
            "Standard stats for ",
            "ethtool",
            "interfaces ethernet eth",
        ])
    }),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        // What was found by `grep` has no heading.
        if is_only(block, is_command) {
            return is_gap(block, line, is_command) || is_head(line) || counter(line).is_some();
        }
        if is_omission(line) {
            return true;
        }
        // Counters are indented by blanks, what other options print below their heads by a tab.
        let indent = line.chars().next().filter(|first| matches!(first, ' ' | '\t'));
        if indent.is_none()
            && block
                .last()
                .is_some_and(|last| is_head(last) || counter(last).is_some() && !last.starts_with(' '))
        {
            // A page that was copied without its blanks.
            return counter(line).is_some();
        }
        let first = block.first_such(|line| line.starts_with([' ', '\t']));
        let is_alike = |first: &str| first.starts_with('\t') == (indent == Some('\t'));
        indent.is_some() && !line.trim_ascii().is_empty() && first.is_none_or(is_alike)
    },
    takes_in: None,
    read,
};

/// `rx_queue_0_packets: 12`: a name without blanks, and its count.
fn counter(line: &str) -> Option<(&str, u64)> {
    let (name, figure) = line.trim_ascii().rsplit_once(": ")?;
    let is_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b':');
    // bnxt puts the queue in front: `[0]: rx_discards`.
    let bare = name
        .strip_prefix('[')
        .and_then(|rest| parted(rest, "]: "))
        .filter(|(queue, _)| queue.bytes().all(|byte| byte.is_ascii_digit()));
    let bare = bare.map_or(name, |(_, bare)| bare);
    (bare.contains(['_', '-']) && bare.bytes().all(is_name))
        .then_some((name, figure.trim_ascii().parse().ok()?))
}

/// So many names that drivers give to the same things show whose counters such lines are.
const FEWEST_KNOWN: usize = 3;

/// Whether a line is a counter by a name that drivers have for what all of them count.
pub(super) fn is_of_driver(line: &str) -> bool {
    counter(line).is_some_and(|(name, _)| kind_of(WORDS, name).is_some())
}

/// Those of the lines that are counters of a driver, in a row from one with a known name on: of several such rows the longest. Below a
/// command they may be what several interfaces have in common, and a name that comes again is another's.
pub(super) fn counters_within(lines: &[(u64, String)]) -> Option<&[(u64, String)]> {
    let goes_on = |above: &(u64, String), below: &(u64, String)| {
        above.0 + 1 == below.0 && counter(&above.1).is_some() && counter(&below.1).is_some()
    };
    let rows = lines.chunk_by(goes_on).filter(|row| {
        let known = row.iter().filter(|(_, line)| is_of_driver(line)).count();
        known >= FEWEST_KNOWN && are_of_one(row)
    });
    let row = rows.max_by_key(|row| row.len())?;
    let begin = row.first()?.0;
    // What was typed is not among the lines, and those behind it begin anew.
    let above = lines.iter().take_while(|(number, _)| *number < begin).last();
    let is_free = above.map_or(begin == 1, |(_, line)| command_line(line).is_none());
    let known = row.iter().position(|(_, line)| is_of_driver(line))?;
    row.get(known..).filter(|_| is_free)
}

/// Whether no name stands twice.
fn are_of_one(row: &[(u64, String)]) -> bool {
    let mut names: Vec<_> = row
        .iter()
        .filter_map(|(_, line)| Some(counter(line)?.0))
        .collect();
    names.sort_unstable();
    names.windows(2).all(|pair| matches!(pair, [a, b] if a != b))
}

/// Whether a name holds a counter with its figure, and so is none: `rx_bytes: 12    rx_bytes`.
fn holds_figure(name: &str) -> bool {
    parted(name, ": ").is_some_and(|(_, behind)| {
        let mut words = behind.split_ascii_whitespace();
        words.next().is_some_and(|word| word.parse::<u64>().is_ok()) && words.next().is_some()
    })
}

/// Whether only some of the lines were asked for: queues are not all.
fn is_filtered(line: &str) -> bool {
    is_command(line) && line.contains('|')
}

/// Whether a text ends within a counter: further queues may have stood below.
fn is_torn(line: &str) -> bool {
    let figure = line.trim_ascii().rsplit_once(':').map(|(_, figure)| figure);
    let is_whole = |figure: &str| figure.trim_ascii().parse::<u64>().is_ok();
    !is_head(line) && !is_command(line) && !is_omission(line) && !figure.is_some_and(is_whole)
}

fn is_head(line: &str) -> bool {
    line.starts_with("NIC statistics:") || line.starts_with("PHY statistics:") || line.starts_with(STANDARD)
}

/// What `ethtool -S eth0 --groups eth-mac rmon` prints above its counters.
const STANDARD: &str = "Standard stats for ";

/// `$ ethtool -S eth0`: the command line that the statistics follow.
fn is_command(line: &str) -> bool {
    interface_of(line).is_some()
}

fn interface_of(line: &str) -> Option<&str> {
    if let Some(port) = asked_of_vyos(line, "statistics") {
        return Some(port);
    }
    let run = Run::of(line, &["ethtool"])?;
    let mut words = run.words();
    let wanted = matches!(words.next()?, "-S" | "--statistics" | "--phy-statistics");
    // In a text, "ethtool -S output" names none.
    let is_name =
        |word: &str| run.is_prompted && is_interface(word) || word.bytes().any(|byte| byte.is_ascii_digit());
    let word = words.next().filter(|_| wanted)?;
    Some(if is_name(word) { word } else { "" })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: block.first().and_then(interface_of).unwrap_or("").to_owned(),
        ..InterfaceCounters::default()
    };
    let mut counters = Counters {
        headed_below: block.lines().find_map(heading_indent),
        is_part: block.first().is_some_and(is_filtered)
            || block.lines().any(is_omission)
            || !block.lines().any(is_head)
            || block.last_written().is_some_and(is_torn)
            || block
                .lines()
                .any(|line| !line.starts_with([' ', '\t']) && counter(line).is_some()),
        ..Counters::default()
    };
    for (number, line) in block.numbered() {
        if let Some(named) = line.strip_prefix(STANDARD) {
            named
                .trim_end_matches([':', ' '])
                .clone_into(&mut interface.interface);
        } else if !is_head(line) && !is_omission(line) && (number != block.first_line || !is_command(line)) {
            counters.take(findings, number, line);
        }
    }
    let understood = !counters.is_empty();
    counters.into_interface(findings, block.first_line, &mut interface);
    if understood {
        if interface.interface.is_empty() {
            findings.complain(block.first_line, NAMELESS);
        }
        findings.record(
            block,
            "ethtool -S",
            context.at,
            Payload::InterfaceCounters(interface),
        );
    }
}

/// How far a heading of vmxnet3 is indented: `     Tx Queue#: 0`.
fn heading_indent(line: &str) -> Option<usize> {
    let (name, _) = line.rsplit_once(':')?;
    name.ends_with('#')
        .then(|| line.len() - line.trim_ascii_start().len())
}

/// The counters of a block, as they come.
#[derive(Default)]
struct Counters {
    plain: Given<u64>,
    queues: Queues,
    /// vmxnet3: the heading that counters below it, further to the right, belong to.
    heading: Option<Heading>,
    /// Lines are left out, or may be, as nothing shows where the block ends: of queues nobody knows whether they are all.
    is_part: bool,
    /// How far such headings are indented, where there are any.
    headed_below: Option<usize>,
}

struct Heading {
    /// How far it is indented.
    indent: usize,
    /// What it says: `Tx Queue`.
    of: String,
    /// The queue's number; `None`: it was not understood.
    queue: Option<u32>,
    /// How far its counters are indented. Further to the right stands what one of them is made of, in names that counters
    /// have too.
    inner: Option<usize>,
}

/// What the packets that a queue of vmxnet3 dropped when receiving are made of.
const OF_RECEIVED: [&str; 2] = ["(err)", "(fcs)"];

impl Counters {
    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.queues.is_empty()
    }

    fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let Some((name, figure)) = line.trim_ascii().rsplit_once(':') else {
            // Of a text that breaks off here further queues are missing.
            self.is_part |= of_queue(line.trim_ascii()).is_some();
            return findings.unread(number, line);
        };
        let (name, figure) = (name.trim_ascii_end(), figure.trim_ascii());
        if holds_figure(name) {
            // Two outputs side by side: whose interface each is, nobody tells.
            self.queues.lose(None);
            return findings.unread(number, line);
        }
        let value = figure.parse::<u64>().ok();
        let indent = line.len() - line.trim_ascii_start().len();
        self.heading.take_if(|heading| indent <= heading.indent);
        if let Some(of) = name.strip_suffix('#') {
            let queue = value.and_then(|value| u32::try_from(value).ok());
            if queue.is_none() {
                findings.complain(number, format!("which queue? {}", line.trim_ascii()));
                self.queues.lose(Some(of));
            }
            let of = of.to_owned();
            self.heading = Some(Heading {
                indent,
                of,
                queue,
                inner: None,
            });
            return;
        }
        // A line of dashes parts the counters of the port from those of the card.
        if name.starts_with("--") || figure.is_empty() {
            return;
        }
        if self.heading.is_none() && self.headed_below.is_some_and(|heading| indent > heading) {
            self.queues.lose(None);
            return findings.complain(number, "of a queue that is not named");
        }
        if value.is_none() {
            findings.complain(number, format!("no counter: {}", line.trim_ascii()));
            self.is_part = true;
        }
        let inner = self
            .heading
            .as_mut()
            .map(|heading| *heading.inner.get_or_insert(indent));
        if inner.is_some_and(|inner| indent > inner) {
            self.put(findings, number, &format!("({name})"), value);
        } else {
            self.put(findings, number, name, value);
        }
    }

    fn put(&mut self, findings: &mut Findings, number: u64, name: &str, value: Option<u64>) {
        // `pkts rx OOB` below `Tx Queue#: 1`: the heading of its own was lost.
        let other_way = |heading: &Heading| {
            let has = |way: &str| name.split([' ', '_']).any(|word| word == way);
            match heading.of.starts_with("Tx") {
                true => has("rx") || OF_RECEIVED.contains(&name),
                // Only what is sent has names without a direction.
                false => !has("rx") && !OF_RECEIVED.contains(&name),
            }
        };
        if self.heading.as_ref().is_some_and(other_way) {
            self.queues.lose(None);
            return findings.complain(number, format!("{name} in a queue of the other direction"));
        }
        let (printed, of) = match &self.heading {
            Some(heading) => {
                let Some(queue) = heading.queue else { return };
                let (set, name) = (heading.of.clone(), name.to_owned());
                (
                    format!("{set} {queue} {name}"),
                    Some(OfQueue { set, queue, name }),
                )
            }
            None => (name.to_owned(), of_queue(name)),
        };
        match (of, value) {
            (Some(of), value) => {
                if !self.queues.put(of, printed, value) {
                    findings.complain(
                        number,
                        format!("{name} of one queue is given twice, with different values"),
                    );
                }
            }
            (None, Some(value)) => self.plain.put(findings, number, printed, value),
            (None, None) => {}
        }
    }

    /// The driver's own totals first: the sum of queues never stands beside or above them.
    fn into_interface(self, findings: &mut Findings, line: u64, interface: &mut InterfaceCounters) {
        let plain = self.plain.into_values();
        // Hyper-V: what goes by the virtual function is counted apart, so the queues are not all.
        let is_part = plain
            .iter()
            .any(|(name, value)| name.starts_with("vf_") && *value > 0);
        let mut kinds: BTreeMap<CounterKind, Vec<(&String, u64)>> = BTreeMap::new();
        for (name, value) in &plain {
            match kind_of(WORDS, name) {
                Some(kind) => kinds.entry(kind).or_default().push((name, *value)),
                None => {
                    interface.other.insert(name.clone(), *value);
                }
            }
        }
        for (kind, named) in kinds {
            let several = named.len() > 1;
            for (name, value) in named {
                count_as(interface, kind, value);
                // Of several the largest stands for the kind: the others are not lost.
                if several {
                    interface.other.insert(name.clone(), value);
                }
            }
        }
        let own = interface.counters.clone();
        let is_cut = self.is_part;
        for all in self.queues.counted() {
            if !all.is_of_queues || is_cut {
                interface.other.extend(all.single);
                continue;
            }
            keep_single(interface, &all);
            match all.sum {
                None => findings.complain(line, format!("{} is not told of every queue", all.name)),
                Some(_) if plain.contains_key(&all.name) => {}
                Some(sum)
                    if is_part || kind_of(WORDS, &all.name).is_none_or(|kind| own.contains_key(&kind)) =>
                {
                    // The figures of the queues stand by themselves.
                    if all.is_checked {
                        interface.other.insert(all.name, sum);
                    }
                }
                Some(sum) => count(interface, WORDS, "", &all.name, sum),
            }
        }
    }
}

/// With more queues than this only those in trouble are kept by themselves.
const FEW_QUEUES: usize = 4;

/// One queue of many that drops tells of a flow that is too fast for one processor. What works is told by the sum.
fn keep_single(interface: &mut InterfaceCounters, all: &Counted) {
    const TROUBLE: [&str; 10] = [
        "drop", "err", "discard", "no_buf", "timeout", "miss", "full", "bad", "fail", "OOB",
    ];
    let is_trouble = TROUBLE.iter().any(|word| all.name.contains(word));
    let few = all.single.len() <= FEW_QUEUES || !all.is_checked;
    let kept = all
        .single
        .iter()
        .filter(|(_, value)| few || is_trouble && *value > 0);
    interface.other.extend(kept.cloned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_command_names_the_interface() {
        assert_eq!(interface_of("[root@host ~]# ethtool -S ens1f0"), Some("ens1f0"));
        assert_eq!(interface_of("$ ethtool ens1f0"), None);
        assert_eq!(interface_of("$ ethtool -S"), None);
    }

    /// Further queues may have stood below where a text ends within a counter.
    #[test]
    fn queues_of_a_text_that_is_cut_are_not_summed() {
        let whole = "$ ethtool -S eth2\nNIC statistics:\n     [0]: rx_bytes: 501\n     [0]: rx_discards: 4\n     [1]: rx_bytes: 610\n     [1]: rx_discards: 2\n";
        let summed = |text: &str| {
            let (records, _) = crate::import(text.as_bytes(), &Context::default());
            match records.first().map(|record| &record.payload) {
                Some(Payload::InterfaceCounters(told)) => {
                    told.counters.get(&CounterKind::InputBytes).copied()
                }
                _ => panic!("{records:?}"),
            }
        };
        assert_eq!(summed(whole), Some(1_111));
        assert_eq!(summed(whole.trim_end_matches("ards: 2\n")), None);
    }

    /// The ways in which drivers print packets received by a queue.
    const WAYS: [fn(usize, u64) -> String; 8] = [
        |queue, value| format!("     rx_queue_{queue}_packets: {value}\n"),
        |queue, value| format!("     rx-{queue}.packets: {value}\n"),
        |queue, value| format!("     rx-{queue}.rx_packets: {value}\n"),
        |queue, value| format!("     rx{queue}_packets: {value}\n"),
        |queue, value| format!("     queue_{queue}_rx_packets: {value}\n"),
        |queue, value| format!("     [{queue}]: rx_packets: {value}\n"),
        |queue, value| format!("     rx_packets[{queue}]: {value}\n"),
        |queue, value| format!("     Rx Queue#: {queue}\n       rx_packets: {value}\n"),
    ];

    fn read_text(text: &str) -> (InterfaceCounters, usize) {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        let [record] = records.as_slice() else {
            panic!("{records:?}")
        };
        let Payload::InterfaceCounters(read) = &record.payload else {
            panic!("{record:?}")
        };
        (read.clone(), complaints.len())
    }

    #[test]
    fn where_lines_are_left_out_nothing_is_summed() {
        let text = "NIC statistics:\n     rx_queue_0_drops: 3\n     rx_queue_1_drops: 4\n";
        let sum = |text: &str| {
            read_text(text)
                .0
                .counters
                .get(&CounterKind::InputDiscards)
                .copied()
        };
        assert_eq!(sum(text), Some(7));
        assert_eq!(sum(&format!("{text}     ...\n")), None);
        assert_eq!(sum(&format!("{text}[...]\n")), None);
        assert_eq!(sum(&format!("$ ethtool -S eth0 | head -3\n{text}")), None);
        assert_eq!(sum(&text.replace("     ", "")), None);
        assert_eq!(sum(&format!("{text}     rx_queue_2_dr\n")), None);
        assert_eq!(sum(&format!("{text}     rx_queue_2_pack: 1x\n")), None);
    }

    proptest! {
        /// No queue is overwritten by another, and none is added to the driver's own total.
        #[test]
        fn queues_are_summed_unless_the_driver_did(
            values in prop::collection::vec(0_u64..1 << 50, 1..12),
            way in prop::sample::select(WAYS.as_slice()),
            own in prop::option::of(0_u64..1 << 50),
            torn in prop::option::of(0_usize..12),
        ) {
            let mut lines: Vec<String> = (0..).zip(&values).map(|(queue, value)| way(queue, *value)).collect();
            // One line of a queue is lost, but others of it are there.
            let torn = torn.filter(|torn| *torn < lines.len() && lines.len() > 1);
            if let Some(torn) = torn {
                lines[torn] = lines[torn].replace("rx_packets", "rx_drops").replace("packets", "drops");
            }
            let total = own.map(|own| format!("     rx_packets: {own}\n")).unwrap_or_default();
            let text = format!("$ ethtool -S eth2\nNIC statistics:\n{total}{}", lines.concat());
            let (read, complaints) = read_text(&text);
            let expected = match (own, torn) {
                (Some(own), _) => Some(own),
                (None, Some(_)) => None,
                (None, None) => Some(values.iter().sum()),
            };
            prop_assert_eq!(read.counters.get(&CounterKind::InputPackets).copied(), expected);
            prop_assert_eq!(complaints > 0, torn.is_some());
        }
    }
}
