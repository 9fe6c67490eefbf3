//! Settings of an interface that no pattern knows: nobody need be told that they are not read.

use super::cut::figure;
use crate::text::parted;

/// Words of what is measured or of what a path depends on, by what they begin with: a line with one of them is worth a
/// complaint where it is not understood.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "abort", "align", "bad", "bandwidth", "bits", "bps", "broadcast", "buffer", "byte", "carrier",
    "collision", "crc", "dbm", "defer", "discard", "drop", "duplex", "error", "fail", "fault", "fcs",
    "fragment", "frame", "giant", "ignored", "input", "invalid", "jabber", "kbit", "load", "loss", "lost",
    "mbit", "missed", "mtu", "multicast", "octet", "output", "overflow", "overrun", "oversize", "packet",
    "pause", "pkt", "power", "pps", "queue", "rate", "received", "reset", "runt", "rx", "sent", "speed",
    "symbol", "temperature", "throttle", "transition", "transmi", "tx", "underrun", "undersize", "unicast",
    "utili",
];

/// `Name: value`, `Name is value`, `Name = value` without a word of what is measured, and with no figure or name of an
/// interface in front, as a damaged head has.
pub(super) fn is_setting(line: &str) -> bool {
    let named = |link: &str| {
        parted(line, link).is_some_and(|(name, value)| !value.is_empty() && name.len() < 48 && is_plain(name))
    };
    (named(": ") || named(" is ") || named(" = ")) && !is_measure(line)
}

/// Whether a word says of what is measured; in what is longer it stands behind a hyphen or a slash too.
fn is_measure(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let Some(first) = word.bytes().next() else {
            return false;
        };
        // The first letter rules nearly all of them out.
        let first = first.to_ascii_lowercase();
        let alike = MEASURES
            .iter()
            .filter(|measure| measure.as_bytes().first() == Some(&first));
        alike.into_iter().any(|measure| {
            word.get(..measure.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(measure))
        })
    })
}

/// Words, and no figure among them, nor a digit in the first.
fn is_plain(name: &str) -> bool {
    let mut words = name.split(' ');
    let first = words.next().unwrap_or_default();
    !first.is_empty()
        && !first.bytes().any(|byte| byte.is_ascii_digit())
        && words.all(|word| figure(word).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_no_setting() {
        for yes in [
            "Last link flapping: 14 weeks 4 days",
            "Port priority: 7",
            "VLAN ID is 17",
            "UnTagged VLANs: 1",
            "Model = 4G-7",
        ] {
            assert!(is_setting(yes), "{yes}");
        }
        for no in [
            "zorkmids 4711 of 17",
            "5 input errors",
            "Input peak: 5",
            "The maximum frame length is 9216",
            "CRC: 1x3",
            "Ethernet1/x is 5",
            "Output queue: 0/40/0",
        ] {
            assert!(!is_setting(no), "{no}");
        }
    }
}
