//! Lines of an interface of which the head is missing, in what no format knows: somebody copied the counters alone. They are
//! figures of an interface that has no name yet.

use super::choice::best_without_head;
use super::cut::Ways;
use super::ethtool_statistics::{STATISTICS, counters_within, is_of_driver};
use super::line::Line;
use super::prepared::PREPARED;
use super::reader::{self, Reading};
use super::section::record;
use super::waiting::complain;
use crate::Context;
use crate::arrival::is_torn_in_figure;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::formats::host::command::NAMELESS;

/// Nothing begins with such lines: they are found where everything else was tried.
pub(crate) static FORMAT: Format = Format {
    name: "show interfaces",
    group: Group::Interfaces,
    reads: "one interface without its head",
    first: "",
    has_command: false,
    marks: None,
    starts: |_| false,
    continues: |_, _| false,
    takes_in: None,
    read,
};

/// So many lines in a row that no dialect knows may stand between those of an interface.
const MOST_STRANGE: usize = 2;

/// So many lines of the text, blank ones among them, may lie between two.
const FARTHEST: u64 = 10;

/// So many figures that mean the same to all makers are needed: one or two are what a sentence about an interface has as well.
const FEWEST_FIGURES: usize = 4;

/// So many lines that tell by themselves are needed.
const FEWEST_LINES: usize = 4;

/// Words of which a line of counters has one.
const COUNTED: [&str; 8] = [
    "packet", "octet", "byte", "error", "drop", "frame", "cast", " rate ",
];

/// Whether a line may be one of those for which a block is looked through.
pub(crate) fn may_count(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit()) && COUNTED.iter().any(|word| line.contains(word))
}

/// Those of the lines that are an interface's, if any are: of several such runs the longest.
pub(crate) fn block_within(lines: &[(u64, String)]) -> Option<Block> {
    if let Some(counters) = counters_within(lines) {
        return block_of(counters);
    }
    let mut best = 0..0;
    let (mut run, mut strange) = (0..0, 0);
    let mut last = 0;
    for (place, (number, line)) in lines.iter().enumerate() {
        if !is_claimed(&Line::new(*number, line)) {
            strange += 1;
            continue;
        }
        let is_far = *number > std::mem::replace(&mut last, *number) + FARTHEST;
        if strange > MOST_STRANGE || is_far || run.is_empty() {
            run.start = place;
        }
        (run.end, strange) = (place + 1, 0);
        if run.len() > best.len() {
            best = run.clone();
        }
    }
    // What stands beside them may be the rest of one.
    let around = lines.get(best.start.saturating_sub(1)..lines.len().min(best.end + 1))?;
    let block = block_of(lines.get(best)?)?;
    (!are_broken(around) && reading(&lines_of(&block)).is_some()).then_some(block)
}

/// Whether a line ends within a figure, as a screen or a mail breaks it.
fn are_broken(lines: &[(u64, String)]) -> bool {
    let is_rest = |line: &str| line.starts_with(|c: char| c.is_ascii_digit()) && !line.contains(' ');
    let mut pairs = lines.windows(2);
    lines.iter().any(|(_, line)| is_rest(line))
        || pairs.any(|pair| matches!(pair, [(_, line), (_, next)] if is_torn_in_figure(line, next)))
}

/// A block of the lines, with blank ones where others stand between them.
fn block_of(lines: &[(u64, String)]) -> Option<Block> {
    let (first, line) = lines.first()?;
    let mut block = Block::default();
    block.begin(*first, line);
    for (number, line) in lines.get(1..)? {
        while block.last_line() + 1 < *number {
            block.push("");
        }
        block.push(line);
    }
    Some(block)
}

fn lines_of(block: &Block) -> Vec<Line<'_>> {
    block
        .numbered()
        .map(|(number, line)| Line::new(number, line))
        .collect()
}

/// Whether some dialect knows such lines.
fn is_claimed(line: &Line<'_>) -> bool {
    let ways = Ways::default();
    PREPARED.iter().any(|prepared| {
        !prepared.dialect.is_flat && reader::claims(prepared, &line.text, line.glance(), &ways)
    })
}

/// What the lines say, if there is no doubt that they are an interface's.
fn reading(lines: &[Line<'_>]) -> Option<Reading> {
    let written = lines.iter().filter(|line| !line.is_empty()).count();
    let is_sure = |reading: &Reading| {
        let load = reading.interface.load.map_or(0, |_| 1);
        reading.understood * 4 >= written * 3 && reading.interface.counters.len() + load >= FEWEST_FIGURES
    };
    (written >= FEWEST_LINES)
        .then(|| best_without_head("", None, lines))?
        .filter(is_sure)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if block.first().is_some_and(is_of_driver) {
        return (STATISTICS.read)(block, context, findings);
    }
    let Some(mut reading) = reading(&lines_of(block)) else {
        return;
    };
    // Of a tunnel and of a VLAN the figure means nothing, and only the name tells these.
    reading.interface.bandwidth_bps = None;
    let span = (block.first_line, block.last_written_line());
    findings.complain_of(span, NAMELESS);
    complain(findings, span, &reading);
    record(findings, context, FORMAT.name, span, reading.interface);
}

#[cfg(test)]
mod tests {
    use crate::Context;
    use evidence::{CounterKind, Payload};

    const LINES: &str = "  5 minute input rate 3000 bits/sec, 4 packets/sec
  5 minute output rate 5000 bits/sec, 6 packets/sec
     1193 packets input, 81731 bytes, 0 no buffer
     Received 77 broadcasts (70 multicasts)
     19 input errors, 17 CRC, 0 frame, 0 overrun, 2 ignored
     1437 packets output, 98127 bytes, 0 underruns
     0 output errors, 0 collisions, 1 interface resets
";

    fn read(text: &str) -> (Vec<Payload>, usize) {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        (
            records.into_iter().map(|record| record.payload).collect(),
            complaints.len(),
        )
    }

    #[test]
    fn counters_alone_are_of_an_interface_without_a_name() {
        for text in [
            LINES.to_owned(),
            format!("The port that is slow says\n\n{LINES}\nand nothing else. 12 bytes?\n"),
            LINES.lines().map(|line| format!("> {line}\n")).collect(),
        ] {
            let (payloads, complaints) = read(&text);
            let [Payload::InterfaceCounters(counters)] = payloads.as_slice() else {
                panic!("{text}: {payloads:?}");
            };
            assert_eq!(counters.interface, "", "{text}");
            assert_eq!(counters.counters[&CounterKind::InputCrc], 17, "{text}");
            assert_eq!(counters.counters[&CounterKind::OutputBytes], 98127, "{text}");
            assert!(complaints > 0, "{text}");
        }
    }

    #[test]
    fn counters_of_a_driver_alone_are_of_an_interface_without_a_name() {
        let (payloads, complaints) = read(
            "My card says\n\nrx_packets: 5012\nrx_bytes: 730112\nrx_missed_errors: 41\nrx_queue_0_drops: 3\n\nin a day.\n",
        );
        let [Payload::InterfaceCounters(counters)] = payloads.as_slice() else {
            panic!("{payloads:?}");
        };
        assert_eq!(counters.interface, "");
        assert_eq!(counters.counters[&CounterKind::InputNoBuffer], 41);
        assert_eq!(counters.other["rx_queue_0_drops"], 3);
        assert!(complaints > 0);
    }

    #[test]
    fn a_few_figures_of_an_interface_are_no_counters_of_one() {
        let sentences =
            "We saw 1193 packets input, 81731 bytes.\nThen 19 input errors, 17 CRC.\nAnd 12 drops.\n";
        let lines: Vec<&str> = LINES.lines().collect();
        let drivers = "It has rx_bytes: 17\nrx_errors: 12\n\nrx_packets: 4\ntx_queue_wake: 3\ntx_mine: 7\n";
        let of_two = "Both:\nrx_errors: 12\ntx_errors: 4\nrx_errors: 3\ntx_errors: 7\n";
        for text in [
            drivers.to_owned(),
            of_two.to_owned(),
            sentences.to_owned(),
            lines[2..4].join("\n"),
            lines[..2].join("\n"),
        ] {
            assert_eq!(read(&text), (Vec::new(), 1), "{text}");
        }
    }
}
