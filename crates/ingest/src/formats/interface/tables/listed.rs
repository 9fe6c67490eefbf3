//! What Cisco's small switches print below the tables of a port: its errors, a line each.

use super::counters;
use super::gathered::{About, Gathered, Said};
use crate::block::Block;
use crate::findings::Findings;
use crate::text::grouped;
use evidence::CounterKind as K;

/// What is counted, sorted. Frames that are too long may be sound.
const WORDS: &[(&str, Option<K>)] = &[
    ("Alignment Errors", Some(K::InputFraming)),
    ("Carrier Sense Errors", None),
    ("Deferred Transmissions", None),
    ("Excessive Collisions", None),
    ("FCS Errors", Some(K::InputCrc)),
    ("Internal MAC Rx Errors", None),
    ("Internal MAC Tx Errors", None),
    ("Late Collisions", Some(K::LateCollisions)),
    ("Multiple Collision Frames", None),
    ("Oversize Packets", None),
    ("Received Pause Frames", Some(K::InputPauses)),
    ("SQE Test Errors", None),
    ("Single Collision Frames", None),
    ("Symbol Errors", None),
    ("Transmitted Pause Frames", Some(K::OutputPauses)),
];

/// What such a line counts.
pub(super) fn counter(line: &str) -> Option<(About, Said)> {
    let (name, count) = line.trim_ascii().split_once(": ")?;
    let place = WORDS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    let count = grouped(count.trim_ascii())?;
    let about = match WORDS.get(place)?.1 {
        Some(kind) => About::Kind(kind),
        None => About::Counter(name.to_owned()),
    };
    Some((about, Said::Count(count)))
}

/// Whether a line is one of them, below a table or another one.
pub(super) fn continues(block: &Block, line: &str) -> bool {
    counter(line).is_some()
        && block
            .last_such(|line| !line.trim_ascii().is_empty())
            .is_some_and(|last| counters::is_row(last) || counter(last).is_some())
}

/// Notes what a line says of the port above it. It names none itself, so that there may be no other.
pub(super) fn take(gathered: &mut Gathered, findings: &mut Findings, number: u64, about: About, said: Said) {
    match gathered.only().map(str::to_owned) {
        Some(port) => gathered.say(findings, number, &port, about, said),
        None => findings.complain(
            number,
            "errors of a port that is not named: which one's is not known",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_errors() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        let of = |line| counter(line);
        let crc = Some((About::Kind(K::InputCrc), Said::Count(8)));
        assert_eq!(of("FCS Errors: 8"), crc);
        assert_eq!((of("FCS Errors: some"), of("Other Errors: 8")), (None, None));
    }
}
