//! Open vSwitch, `ovs-ofctl dump-ports`: what each port of a bridge counted, received and sent in a line each (`ofp-print.c`).

use super::counted::{Words, count};
use super::section::device;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{arguments, is_gap};
use crate::formats::host::given::Given;
use evidence::{CounterKind, InterfaceCounters, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "ovs-ofctl dump-ports",
    group: Group::Hosts,
    reads: "counters of the ports of an Open vSwitch bridge",
    first: "Oo",
    has_command: true,
    marks: Some(|| Marks::of(["OFPST_PORT reply", "ovs-ofctl"])),
    starts: |line| is_title(line) || is_command(line),
    continues: |block, line| {
        let text = line.trim_ascii_start();
        is_gap(block, line, is_command)
            || block.len() < 3 && is_title(line) && block.first().is_some_and(is_command)
            || line.starts_with(' ') && (port(text).is_some() || !text.is_empty() && block.len() > 1)
    },
    takes_in: None,
    read,
};

const TOOL: &str = "ovs-ofctl";

/// Sorted.
const RECEIVED: &Words = &[
    ("bytes", CounterKind::InputBytes),
    ("crc", CounterKind::InputCrc),
    ("drop", CounterKind::InputDiscards),
    ("errs", CounterKind::InputErrors),
    ("frame", CounterKind::InputFraming),
    ("over", CounterKind::InputOverrun),
    ("pkts", CounterKind::InputPackets),
];

/// Sorted.
const SENT: &Words = &[
    ("bytes", CounterKind::OutputBytes),
    ("coll", CounterKind::Collisions),
    ("drop", CounterKind::OutputDrops),
    ("errs", CounterKind::OutputErrors),
    ("pkts", CounterKind::OutputPackets),
];

/// `OFPST_PORT reply (OF1.3) (xid=0x2): 3 ports`
fn is_title(line: &str) -> bool {
    line.starts_with("OFPST_PORT reply (") && line.contains("): ")
}

fn is_command(line: &str) -> bool {
    arguments(line, "ovs-ofctl")
        .is_some_and(|mut words| words.any(|word| word.starts_with("dump-ports") && !word.ends_with("desc")))
}

/// `port "eth1": rx pkts=12, …`: the port and what stands behind it.
fn port(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix("port ")?.split_once(": ")?;
    let name = name.trim_matches([' ', '"']);
    (!name.is_empty() && rest.starts_with("rx ")).then_some((name, rest))
}

/// A port and the lines that tell of it.
struct Port<'t> {
    name: &'t str,
    lines: (u64, u64),
    given: Given<u64>,
    /// What was sent is told twice: the first line of a port is missing, and nobody knows whose is whose.
    is_lost: bool,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut open: Option<Port<'_>> = None;
    let mut has_ports = false;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if is_title(line) || text.is_empty() || number == block.first_line && is_command(line) {
            continue;
        }
        let (own, rest) = match port(text) {
            Some((name, rest)) => {
                let begun = Port {
                    name,
                    lines: (number, number),
                    given: Given::default(),
                    is_lost: false,
                };
                close(open.replace(begun), block, context, findings);
                has_ports = true;
                ("rx", rest.trim_start_matches("rx "))
            }
            None => match text.strip_prefix("tx ") {
                Some(rest) => ("tx", rest),
                None => ("", text),
            },
        };
        match &mut open {
            Some(port) => port.take(findings, number, own, rest),
            None => findings.unread(number, line),
        }
    }
    close(open, block, context, findings);
    if !has_ports {
        findings.nothing_to_say();
    }
}

impl Port<'_> {
    /// Takes `pkts=12, bytes=900`; what is not known is a question mark.
    fn take(&mut self, findings: &mut Findings, number: u64, own: &str, text: &str) {
        self.lines.1 = number;
        if own == "tx" && self.given.get("tx pkts").is_some() && !self.is_lost {
            findings.complain(number, "of another port, of which the first line is missing");
            self.is_lost = true;
        }
        let is_counted = !own.is_empty();
        for pair in text
            .split(',')
            .map(str::trim_ascii)
            .filter(|pair| !pair.is_empty())
        {
            match pair.split_once('=').map(|(name, value)| (name, value.parse())) {
                Some((name, Ok(value))) if is_counted && !self.is_lost => {
                    self.given.put(findings, number, format!("{own} {name}"), value);
                }
                Some(_) if pair.ends_with("=?") || pair.starts_with("duration=") || self.is_lost => {}
                _ => findings.unread(number, pair),
            }
        }
    }
}

fn close(port: Option<Port<'_>>, block: &Block, context: &Context, findings: &mut Findings) {
    let Some(port) = port.filter(|port| !port.given.is_empty()) else {
        return;
    };
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: port.name.to_owned(),
        ..InterfaceCounters::default()
    };
    for (name, value) in port.given.into_values() {
        for (way, words) in [("rx ", RECEIVED), ("tx ", SENT)] {
            if way == "tx " && port.is_lost {
                continue;
            }
            if let Some(name) = name.strip_prefix(way) {
                count(&mut interface, words, way, name, value);
            }
        }
    }
    findings.record_of(
        port.lines,
        TOOL,
        context.at,
        Payload::InterfaceCounters(interface),
    );
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn words_and_ports() {
        assert!(is_sorted(RECEIVED) && is_sorted(SENT));
        assert_eq!(port("port \"eth1\": rx pkts=1"), Some(("eth1", "rx pkts=1")));
        assert_eq!(port("port  1: rx pkts=1"), Some(("1", "rx pkts=1")));
        assert_eq!(port("port 1: down"), None);
    }
}
