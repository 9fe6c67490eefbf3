//! Label stack entries, as Junos' and Linux' traceroute print them.

use crate::mpls::entry;
use evidence::MplsLabel;

/// Junos: `476 CoS=0 TTL=127 S=0`, behind `MPLS Label=`.
pub(super) fn junos(text: &str) -> Option<MplsLabel> {
    let value = |name: &str| {
        let word = text
            .split_ascii_whitespace()
            .find_map(|word| word.strip_prefix(name));
        word.and_then(|n| n.parse::<u64>().ok())
    };
    let label = text.split(' ').next().and_then(|n| n.parse().ok());
    entry(label, value("CoS=").or(value("Exp=")), value("S="), value("TTL="))
}

/// Linux' `-e`: `<MPLS:L=24001,E=0,S=1,T=1/L=3,E=0,S=1,T=1>`, and what follows.
pub(super) fn linux(text: &str) -> (impl Iterator<Item = Option<MplsLabel>>, &str) {
    let (inner, rest) = text.split_once('>').unwrap_or((text, ""));
    let entries = inner.trim_start_matches("<MPLS:").split('/').map(|printed| {
        let value = |name: &str| {
            let part = printed.split(',').find_map(|part| part.strip_prefix(name));
            part.and_then(|n| n.parse::<u64>().ok())
        };
        entry(value("L="), value("E="), value("S="), value("T="))
    });
    (entries, rest)
}
