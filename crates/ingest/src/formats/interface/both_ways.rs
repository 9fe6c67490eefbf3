//! Counters of what was sent and of what was received side by side, each with its name: AIX' `entstat`, and `show controllers
//! ethernet-controller` of IOS. Names without a meaning of their own stand on both sides, so the place on the line tells the way.

use super::cut::figure;
use super::section::device;
use super::value;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{arguments, is_gap, is_only};
use crate::formats::host::given::Given;
use crate::formats::interface::counted::{Words, count};
use crate::prompt::command_line;
use crate::text::parted;
use evidence::{CounterKind as K, InterfaceCounters, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "entstat, show controllers ethernet-controller",
    group: Group::Interfaces,
    reads: "counters of AIX' `entstat`, and of the ports of Catalysts, sent and received side by side",
    first: "ETe-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "ETHERNET STATISTICS (",
            "  Receive",
            "entstat",
            "ethernet-controller",
        ])
    }),
    starts: |line| named(line).is_some() || is_command(line),
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "counters of both ways";

fn is_command(line: &str) -> bool {
    arguments(line, "entstat").is_some()
        || command_line(line).is_some_and(|typed| {
            typed.command.starts_with("sh") && typed.command.contains(" ethernet-controller")
        })
}

/// The interface that a heading names: `ETHERNET STATISTICS (en0) :`, `Transmit     GigabitEthernet1/0/1     Receive`.
fn named(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("ETHERNET STATISTICS (") {
        return Some(rest.split_once(')')?.0);
    }
    let rest = line.trim_ascii().strip_prefix("Transmit ")?;
    let name = rest.strip_suffix("  Receive")?.trim_ascii();
    let is_name = name.bytes().any(|byte| byte.is_ascii_digit()) && !name.contains(' ');
    is_name.then_some(name)
}

/// What stands around the counters of `entstat`, in one column.
fn is_setting(line: &str) -> bool {
    const TITLES: [&str; 5] = [
        "General Statistics:",
        "Transmit Statistics:",
        "Adapter Specific",
        "LAST UPDATE ",
        "Driver Flags:",
    ];
    let text = line.trim_ascii_start();
    let is_rule = text.bytes().all(|byte| matches!(byte, b'-' | b' '));
    is_rule
        || TITLES.iter().any(|title| text.contains(title))
        || text.contains(": ")
        || text.ends_with("tatistics:")
        // "        Simplex 64BitSupport ChecksumOffload"
        || line.starts_with('\t') && text.split(' ').all(is_flag)
}

/// `64BitSupport`
fn is_flag(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn continues(block: &Block, line: &str) -> bool {
    if is_only(block, is_command) {
        return is_gap(block, line, is_command) || named(line).is_some() || is_rule(line);
    }
    if line.trim_ascii().is_empty() || named(line).is_some() || is_rule(line) {
        return true;
    }
    if command_line(line).is_some() {
        return false;
    }
    columns(line).is_some() || is_aix(block) && is_setting(line) || line.starts_with("LAST UPDATE ")
}

fn is_rule(line: &str) -> bool {
    line.len() > 20 && line.bytes().all(|byte| byte == b'-')
}

fn is_aix(block: &Block) -> bool {
    block.begins_with(4, |line| line.starts_with("ETHERNET STATISTICS ("))
}

/// A counter of one side.
#[derive(Debug, PartialEq)]
struct Counter<'t> {
    is_received: bool,
    name: &'t str,
    value: u64,
}

/// What begins in this column or behind it is of what was received.
const MIDDLE: usize = 30;

/// The counters of a line, by where they stand; `None` where it holds anything else.
fn columns(line: &str) -> Option<Vec<Counter<'_>>> {
    let mut found = Vec::new();
    let mut at = 0;
    // Two blanks part them.
    for part in line.split("  ") {
        let text = part.trim_ascii();
        if !text.is_empty() {
            let (name, value) = counter(text)?;
            let indent = part.len() - part.trim_ascii_start().len();
            found.push(Counter {
                is_received: at + indent >= MIDDLE,
                name,
                value,
            });
        }
        at += part.len() + 2;
    }
    let is_row = match found.as_slice() {
        [_] => true,
        [sent, received] => !sent.is_received && received.is_received,
        _ => false,
    };
    is_row.then_some(found)
}

/// `Packets: 12`, `12 Total bytes`
fn counter(text: &str) -> Option<(&str, u64)> {
    if let Some((name, number)) = parted(text, ": ") {
        return Some((name, figure(number.trim_ascii())?));
    }
    let (number, name) = text.split_once(' ')?;
    let is_name = name.bytes().any(|byte| byte.is_ascii_alphabetic()) && !name.contains(':');
    Some((name.trim_ascii(), figure(number).filter(|_| is_name)?))
}

/// What is received, sorted.
const RECEIVED: &Words = &[
    ("Alignment Errors", K::InputFraming),
    ("Alignment errors", K::InputFraming),
    ("Bytes", K::InputBytes),
    ("CRC Errors", K::InputCrc),
    ("DMA Overrun", K::InputOverrun),
    ("FCS errors", K::InputCrc),
    ("FcsErr frames", K::InputCrc),
    ("Invalid frames, too large", K::InputGiants),
    ("Invalid frames, too small", K::InputRunts),
    ("InvalidOverSize frames", K::InputGiants),
    ("MacOverrun frames", K::InputOverrun),
    ("No Resource Errors", K::InputNoBuffer),
    ("Overrun frames", K::InputOverrun),
    ("Packet Too Long Errors", K::InputGiants),
    ("Packet Too Short Errors", K::InputRunts),
    ("Packets", K::InputPackets),
    ("Packets Dropped", K::InputDiscards),
    ("Pause frames", K::InputPauses),
    ("Receive Errors", K::InputErrors),
    ("SymbolErr frames", K::InputFraming),
    ("Total bytes", K::InputBytes),
];

/// What is sent, sorted.
const SENT: &Words = &[
    ("Bytes", K::OutputBytes),
    ("DMA Underrun", K::OutputUnderruns),
    ("Late Collision Errors", K::LateCollisions),
    ("Late collision frames", K::LateCollisions),
    ("Late collisions", K::LateCollisions),
    ("MacUnderrun frames", K::OutputUnderruns),
    ("Packets", K::OutputPackets),
    ("Packets Dropped", K::OutputDrops),
    ("Pause frames", K::OutputPauses),
    ("Total bytes", K::OutputBytes),
    ("Transmit Errors", K::OutputErrors),
];

/// One interface, as its lines come.
#[derive(Default)]
struct Part {
    name: String,
    lines: (u64, u64),
    sent: Given<u64>,
    received: Given<u64>,
    said: Given<String>,
    /// The title above the two columns came.
    is_titled: bool,
    /// Lines of one column follow, and count neither way.
    is_general: bool,
    /// Lines of another interface stand among these.
    is_mixed: bool,
    /// Where a counter alone stands tells nothing.
    is_flush: bool,
}

/// Whether the blanks before the lines are lost: then a counter alone in a line may have stood on either side.
fn is_flush(block: &Block) -> bool {
    let is_set_in = |line: &str| line.starts_with([' ', '\t']) && columns(line).is_some();
    !block.lines().any(is_set_in)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut part: Option<Part> = None;
    let is_flush = is_flush(block);
    for (number, line) in block.numbered() {
        if let Some(name) = named(line) {
            close(part.take(), block, context, findings);
            part = Some(Part {
                name: name.to_owned(),
                lines: (number, number),
                is_titled: line.trim_ascii_start().starts_with("Transmit"),
                is_flush,
                ..Part::default()
            });
        } else if let Some(part) = part.as_mut() {
            part.take(findings, number, line);
        } else if !is_command(line) && !is_rule(line) {
            findings.unread(number, line);
        }
    }
    close(part, block, context, findings);
}

impl Part {
    fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let text = line.trim_ascii();
        if text.is_empty() || is_rule(line) || self.is_mixed || line.starts_with("LAST UPDATE ") {
            return;
        }
        self.lines.1 = number;
        if text.starts_with("Transmit Statistics:") {
            self.is_mixed = std::mem::replace(&mut self.is_titled, true);
            if self.is_mixed {
                findings.complain(number, "of another interface, of which the heading is missing");
            }
        } else if text.starts_with("General Statistics:") {
            self.is_general = true;
        } else if let Some(counters) = columns(line).filter(|_| self.is_titled) {
            if let ([counter], true, false) = (counters.as_slice(), self.is_flush, self.is_general)
                && !counter.name.contains("Transmit")
            {
                return findings.complain(
                    number,
                    "the blanks before it are lost: it may be of what was sent or received",
                );
            }
            for counter in counters {
                let side = match () {
                    () if self.is_general => continue,
                    () if counter.is_received => &mut self.received,
                    () => &mut self.sent,
                };
                side.put(findings, number, counter.name, counter.value);
            }
        } else if let Some((key, value)) = parted(text, ": ") {
            let known = ["Elapsed Time", "Media Speed Running", "Link Status"];
            if known.iter().any(|known| key.ends_with(known)) {
                self.said
                    .put(findings, number, key, value.trim_ascii().to_owned());
            } else if !self.is_general && !matches!(key, "Device Type" | "Hardware Address") {
                findings.unread(number, line);
            }
        } else if !is_setting(line) {
            findings.unread(number, line);
        }
    }

    fn into_interface(mut self) -> InterfaceCounters {
        let mut interface = InterfaceCounters {
            interface: self.name,
            ..InterfaceCounters::default()
        };
        for (name, value) in self.received.into_values() {
            count(&mut interface, RECEIVED, "received ", &name, value);
        }
        for (name, value) in self.sent.into_values() {
            count(&mut interface, SENT, "sent ", &name, value);
        }
        interface.counting_for_s = self
            .said
            .take("Elapsed Time")
            // One that was cut in front of its seconds is another.
            .filter(|text| text.ends_with(" seconds"))
            .and_then(|text| value::age_s(&text));
        interface.up = self
            .said
            .take("Link Status")
            .or(self.said.take("Physical Port Link Status"))
            .and_then(|state| value::is_up(&state));
        // `1000 Mbps Full Duplex`
        if let Some(media) = self.said.take("Media Speed Running") {
            let (speed, duplex) = parted(&media, " Mbps ").unwrap_or(("", ""));
            let mbps = speed.parse::<u32>().ok().filter(|mbps| *mbps > 0);
            interface.bandwidth_bps = mbps.map(|mbps| RateBps(f64::from(mbps) * 1e6));
            interface.duplex = value::duplex(duplex).map(str::to_owned);
        }
        interface
    }
}

fn close(part: Option<Part>, block: &Block, context: &Context, findings: &mut Findings) {
    let Some(part) = part.filter(|part| !(part.sent.is_empty() && part.received.is_empty())) else {
        return;
    };
    let lines = part.lines;
    let mut interface = part.into_interface();
    interface.device = device(block, context);
    findings.record_of(lines, TOOL, context.at, Payload::InterfaceCounters(interface));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::counted::is_sorted;

    #[test]
    fn the_place_tells_the_way() {
        let one = |is_received, name, value| Counter {
            is_received,
            name,
            value,
        };
        let both = "Packets: 12                                   Packets: 34";
        assert_eq!(
            columns(both),
            Some(vec![one(false, "Packets", 12), one(true, "Packets", 34)])
        );
        let right = format!("{}Bad Packets: 7", " ".repeat(46));
        assert_eq!(columns(&right), Some(vec![one(true, "Bad Packets", 7)]));
        let ios = "            3 Pause frames                          4 Pause frames         ";
        assert_eq!(
            columns(ios),
            Some(vec![one(false, "Pause frames", 3), one(true, "Pause frames", 4)])
        );
        assert_eq!(columns("Packets: 12 Packets: 34"), None, "which is which?");
        assert!(is_sorted(RECEIVED) && is_sorted(SENT));
    }

    #[test]
    fn headings_name_the_interface() {
        assert_eq!(named("ETHERNET STATISTICS (en0) :"), Some("en0"));
        assert_eq!(
            named("Transmit                  GigabitEthernet1/0/1          Receive    "),
            Some("GigabitEthernet1/0/1")
        );
        assert_eq!(named("Transmit  and then  Receive"), None);
    }
}
