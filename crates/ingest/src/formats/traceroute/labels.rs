//! Label stack entries, as the traceroute of Junos, of Cisco's systems and of Linux print them.

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

/// Cisco: `MPLS: Label 24001 Exp 0`, `MPLS: Labels 24001/17 Exp 0`. It prints no TTL.
pub(super) fn cisco(text: &str) -> impl Iterator<Item = Option<MplsLabel>> {
    let mut words = text.split_ascii_whitespace();
    let labels = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let exp = words
        .skip_while(|word| *word != "Exp")
        .nth(1)
        .and_then(|n| n.parse().ok());
    let count = labels.map_or(0, |labels| labels.split('/').count());
    let labels = labels
        .into_iter()
        .flat_map(|labels| labels.split('/'))
        .enumerate();
    labels
        .map(move |(place, label)| entry(label.parse().ok(), exp, Some(u64::from(place + 1 == count)), None))
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
