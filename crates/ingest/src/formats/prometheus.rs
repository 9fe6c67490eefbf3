//! What node_exporter answers to Prometheus: the text exposition format, of which the counters of interfaces are read.

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::units::whole;
use evidence::{CounterKind, InterfaceCounters, Payload};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) static FORMAT: Format = Format {
    name: "Prometheus text",
    group: Group::Histories,
    reads: "the answer of node_exporter: packets, bytes, errors and drops of each interface; other metrics are passed over",
    first: "#n",
    has_command: false,
    starts: |line| {
        line.starts_with("node_network_") && sample(line).is_some()
            || line.starts_with("# HELP node_")
            || line.starts_with("# TYPE node_")
    },
    continues: |_, line| line.starts_with("# HELP ") || line.starts_with("# TYPE ") || sample(line).is_some(),
    takes_in: None,
    read,
};

/// `collector/netclass_linux.go`, `collector/netdev_common.go`.
const COUNTERS: [(&str, CounterKind); 10] = [
    ("receive_bytes_total", CounterKind::InputBytes),
    ("receive_packets_total", CounterKind::InputPackets),
    ("receive_errs_total", CounterKind::InputErrors),
    ("receive_drop_total", CounterKind::InputDiscards),
    ("receive_fifo_total", CounterKind::InputOverrun),
    ("transmit_bytes_total", CounterKind::OutputBytes),
    ("transmit_packets_total", CounterKind::OutputPackets),
    ("transmit_errs_total", CounterKind::OutputErrors),
    ("transmit_drop_total", CounterKind::OutputDrops),
    ("transmit_colls_total", CounterKind::Collisions),
];

/// A metric, its labels, and its value.
fn sample(line: &str) -> Option<(&str, &str, f64)> {
    let end = line.find(['{', ' '])?;
    let (name, rest) = line.split_at_checked(end)?;
    let is_name = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':'));
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inner) => inner.rsplit_once('}')?,
        None => ("", rest),
    };
    let mut words = rest.split_ascii_whitespace();
    let value = words.next()?.parse().ok()?;
    let time = words.next();
    let fits = is_name && name.contains('_') && time.is_none_or(|time| time.parse::<i64>().is_ok());
    (fits && words.next().is_none()).then_some((name, labels, value))
}

fn device(labels: &str) -> Option<&str> {
    labels
        .split(',')
        .find_map(|label| label.trim().strip_prefix("device=\"")?.strip_suffix('"'))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut interfaces: BTreeMap<&str, InterfaceCounters> = BTreeMap::new();
    let mut doubtful: BTreeSet<(&str, CounterKind)> = BTreeSet::new();
    for (number, line) in block.numbered() {
        let Some((name, labels, value)) = sample(line) else {
            continue;
        };
        let Some(kind) = name
            .strip_prefix("node_network_")
            .and_then(|rest| COUNTERS.iter().find(|(known, _)| *known == rest))
        else {
            continue;
        };
        let Some((device, count)) = device(labels).zip(whole(value)) else {
            findings.unread(number, line);
            continue;
        };
        let counters = &mut interfaces.entry(device).or_default().counters;
        if counters
            .insert(kind.1, count)
            .is_some_and(|before| before != count)
        {
            findings.complain(
                number,
                format!("said twice, and not the same: {name} of {device}"),
            );
            doubtful.insert((device, kind.1));
        }
    }
    for (device, kind) in doubtful {
        if let Some(interface) = interfaces.get_mut(device) {
            interface.counters.remove(&kind);
        }
    }
    for (device, mut interface) in interfaces {
        device.clone_into(&mut interface.interface);
        findings.record(
            block,
            "node_exporter",
            context.at,
            Payload::InterfaceCounters(interface),
        );
    }
    findings.nothing_to_say();
}
