//! VRP's `display qos queue statistics interface PORT`: what each queue of a port passed and dropped, in pairs of lines or a figure a line.
//! The port stands in the command alone.
//! <https://support.huawei.com/enterprise/en/doc/EDOC1100127067/display-qos-queue-statistics>

use super::section::{device, record};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::prompt::command_line;
use crate::text::grouped;
use evidence::InterfaceCounters;

pub(crate) static FORMAT: Format = Format {
    name: "queues of VRP",
    group: Group::Interfaces,
    reads: "Huawei `display qos queue statistics interface PORT`: packets and bytes that each queue passed and dropped",
    first: "Q<[",
    has_command: true,
    marks: Some(|| Marks::of(["qos queue statistics", "(Packets/Bytes)", "CIR/PIR", "Queue ID"])),
    starts: |line| {
        port(line).is_some()
            || layout(line).is_some()
            || pair(line).is_some_and(|(name, _)| name == "Queue ID")
    },
    continues,
    takes_in: None,
    read,
};

/// The port that the command asks for: `interface 10ge 1/0/1` is 10ge1/0/1.
fn port(line: &str) -> Option<String> {
    let typed = command_line(line)?.command;
    let (asked, port) = typed.split_once(" interface ")?;
    let is_asked = asked.starts_with("dis") && asked.ends_with("qos queue statistics");
    let port: Vec<&str> = port.split_ascii_whitespace().take(2).collect();
    (is_asked && !port.is_empty()).then(|| port.concat())
}

/// How many cells the two lines of a queue have, and which of them count packets, passed and dropped; bytes stand below these, one
/// place to the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    first: usize,
    second: usize,
    passed: usize,
    dropped: usize,
}

fn layout(line: &str) -> Option<Layout> {
    let is = |heading: &str| line.split_ascii_whitespace().eq(heading.split(' '));
    if is("Queue Passed(Packets/Bytes) Dropped(Packets/Bytes)") {
        return Some(Layout {
            first: 3,
            second: 2,
            passed: 1,
            dropped: 2,
        });
    }
    let is_wide = is("Queue CIR/PIR Passed Pass Rate Dropped Drop Rate Drop Time");
    is_wide.then_some(Layout {
        first: 7,
        second: 5,
        passed: 2,
        dropped: 4,
    })
}

fn is_units(line: &str) -> bool {
    line.trim_ascii_start().starts_with("(% or kbps)")
}

fn is_rule(line: &str) -> bool {
    line.len() > 20 && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// `Passed Packets    : 48,140`
fn pair(line: &str) -> Option<(&str, u64)> {
    let (name, figure) = line.split_once(" : ")?;
    let name = name.trim_ascii();
    let is_known = ["Queue ID", "CIR(", "PIR(", "Used Length", "Passed ", "Dropped "]
        .iter()
        .any(|begin| name.starts_with(begin));
    grouped(figure).filter(|_| is_known).map(|figure| (name, figure))
}

/// The cells of one of the two lines of a queue: figures, and `-` for a time that there is not.
fn cells(line: &str) -> Option<Vec<u64>> {
    let figure = |word: &str| grouped(word).or_else(|| (word == "-").then_some(0));
    let cells: Option<Vec<u64>> = line.split_ascii_whitespace().map(figure).collect();
    cells.filter(|cells| !cells.is_empty())
}

fn continues(_: &Block, line: &str) -> bool {
    line.trim_ascii().is_empty()
        || is_rule(line)
        || layout(line).is_some()
        || is_units(line)
        || pair(line).is_some()
        || is_row(line)
}

/// A time when something was dropped last stands behind the figures.
fn is_row(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_figure = |word: &str| grouped(word).is_some();
    words.next().is_some_and(is_figure)
        && words.next().is_some_and(is_figure)
        && words.all(|word| {
            word.bytes()
                .all(|byte| byte.is_ascii_digit() || b",-:/".contains(&byte))
        })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: block.first().and_then(port).unwrap_or_default(),
        ..InterfaceCounters::default()
    };
    let (mut known, mut queue, mut last) = (None, None, block.first_line);
    // The first line of a queue, until its second comes.
    let mut half: Option<(u64, Vec<u64>)> = None;
    for (number, line) in block.numbered() {
        let mut say = |queue: u64, name: &str, value: u64| {
            let name = format!("queue {queue} {name}");
            interface
                .other
                .insert(name.clone(), value)
                .filter(|before| *before != value)
                .map(|_| name)
        };
        if let Some(layout) = layout(line) {
            known = Some(layout);
        } else if let Some((name, figure)) = pair(line) {
            if name == "Queue ID" {
                queue = Some(figure);
            }
            let name = name.to_ascii_lowercase();
            let is_counter = name.ends_with(" packets") || name.ends_with(" bytes");
            match queue.filter(|_| is_counter) {
                Some(queue) => contradicted(findings, number, say(queue, &name, figure)),
                None if is_counter => {
                    findings.complain(number, "figures of a queue without its number: they are not used")
                }
                None => {}
            }
        } else if is_row(line) {
            last = number;
            match (known, half.take(), cells_of(line)) {
                (Some(layout), None, Some(row)) if row.len() == layout.first => half = Some((number, row)),
                (Some(layout), Some((_, first)), Some(second)) if second.len() == layout.second => {
                    let cell = |row: &[u64], place: usize| row.get(place).copied().unwrap_or_default();
                    let queue = cell(&first, 0);
                    for (name, value) in [
                        ("passed packets", cell(&first, layout.passed)),
                        ("passed bytes", cell(&second, layout.passed - 1)),
                        ("dropped packets", cell(&first, layout.dropped)),
                        ("dropped bytes", cell(&second, layout.dropped - 1)),
                    ] {
                        contradicted(findings, number, say(queue, name, value));
                    }
                }
                _ => findings.complain(
                    number,
                    "the line is not one of the two of a queue: it is not used",
                ),
            }
        } else if is_rule(line) {
            // Another queue begins, of which the number may be lost.
            queue = None;
            if let Some((number, _)) = half.take() {
                findings.complain(number, "the second line of the queue is missing: it is not used");
            }
        }
        if pair(line).is_some() {
            last = number;
        }
    }
    if let Some((number, _)) = half {
        findings.complain(number, "the second line of the queue is missing: it is not used");
    }
    if block.len() == 1 && block.first().is_some_and(|first| port(first).is_some()) {
        return findings.nothing_to_say();
    }
    if interface.interface.is_empty() && !interface.other.is_empty() {
        return findings.complain_of(
            (block.first_line, last),
            "queues of an interface without its name: they are not used",
        );
    }
    if !interface.other.is_empty() {
        record(
            findings,
            context,
            "display qos queue statistics",
            (block.first_line, last),
            interface,
        );
    }
}

/// Without the time when something was dropped last.
fn cells_of(line: &str) -> Option<Vec<u64>> {
    let figures: String = line
        .split_ascii_whitespace()
        .map(|word| {
            if word.contains(':') || word.contains('/') {
                "-"
            } else {
                word
            }
        })
        .collect::<Vec<_>>()
        .join(" ");
    cells(&figures)
}

fn contradicted(findings: &mut Findings, number: u64, name: Option<String>) {
    if let Some(name) = name {
        findings.complain(number, format!("{name} is given twice with different values"));
    }
}
