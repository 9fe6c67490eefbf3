//! `sysctl dev.ix.0`: what drivers of FreeBSD count of their cards, below `mac_stats` (ix, em, igb) or `mac` and `pf` (ixl). The names
//! are those of sys/dev/ixgbe, sys/dev/e1000 and sys/dev/ixl.

use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::formats::interface::counted::{Words, count};
use crate::formats::interface::section::device;
use evidence::{CounterKind, InterfaceCounters, Payload};
use std::collections::BTreeMap;

/// Sorted.
const WORDS: &Words = &[
    ("collision_count", CounterKind::Collisions),
    ("crc_errors", CounterKind::InputCrc),
    ("crc_errs", CounterKind::InputCrc),
    ("good_octets_rcvd", CounterKind::InputBytes),
    ("good_octets_recvd", CounterKind::InputBytes),
    ("good_octets_txd", CounterKind::OutputBytes),
    ("good_pkts_rcvd", CounterKind::InputPackets),
    ("good_pkts_recvd", CounterKind::InputPackets),
    ("good_pkts_txd", CounterKind::OutputPackets),
    ("late_coll", CounterKind::LateCollisions),
    ("missed_packets", CounterKind::InputNoBuffer),
    ("recv_no_buff", CounterKind::InputNoBuffer),
    ("rx_discards", CounterKind::InputDiscards),
    ("rx_missed_packets", CounterKind::InputNoBuffer),
    ("xoff_recvd", CounterKind::InputPauses),
    ("xoff_txd", CounterKind::OutputPauses),
];

/// The interface and the counter that a name is of: `dev.ix.0.mac_stats.crc_errs` is of ix0.
fn counter(name: &str) -> Option<(String, &str)> {
    let mut parts = name.strip_prefix("dev.")?.splitn(3, '.');
    let (driver, unit, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let own = ["mac_stats.", "mac.", "pf."]
        .iter()
        .find_map(|group| rest.strip_prefix(group))?;
    unit.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| (format!("{driver}{unit}"), own))
}

/// Whether a setting is one of a device, of the network or not.
pub(super) fn is_of_device(name: &str) -> bool {
    name.starts_with("dev.")
}

/// Counters by their interfaces, as they come.
#[derive(Default)]
pub(super) struct Devices {
    interfaces: BTreeMap<String, (Given<u64>, (u64, u64))>,
}

impl Devices {
    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, name: &str, value: &str) {
        let Some((interface, own)) = counter(name) else {
            return;
        };
        let Ok(value) = value.parse() else {
            return findings.complain(number, format!("no counter: {name}: {value}"));
        };
        let (given, lines) = self.interfaces.entry(interface).or_default();
        *lines = (if lines.0 == 0 { number } else { lines.0 }, number);
        given.put(findings, number, own, value);
    }

    pub(super) fn record(self, block: &Block, context: &Context, findings: &mut Findings) {
        for (name, (given, lines)) in self.interfaces {
            let mut interface = InterfaceCounters {
                device: device(block, context),
                interface: name,
                ..InterfaceCounters::default()
            };
            for (name, value) in given.into_values() {
                count(&mut interface, WORDS, "", &name, value);
            }
            findings.record_of(lines, "sysctl", context.at, Payload::InterfaceCounters(interface));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::counted::is_sorted;

    #[test]
    fn names() {
        assert!(is_sorted(WORDS));
        assert_eq!(
            counter("dev.ix.0.mac_stats.crc_errs"),
            Some(("ix0".to_owned(), "crc_errs"))
        );
        for other in [
            "dev.cpu.0.temperature",
            "dev.ix.0.queue0.rx_packets",
            "net.inet.tcp.sendspace",
        ] {
            assert_eq!(counter(other), None, "{other}");
        }
    }
}
