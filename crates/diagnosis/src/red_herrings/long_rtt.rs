//! A long round-trip time that does not limit: a transfer over the same distance is fast.

use crate::facts::Facts;
use crate::faults::ENOUGH;
use evidence::v1::{End, Explains, Finding, Location, Nanos, RedHerring};

/// People suspect the distance from about here on.
const LONG_NS: u64 = 50_000_000;

/// Much faster than the slow transfer over the same distance.
const FASTER: f64 = 3.0;

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    let rtt = facts.base_rtt.as_ref().filter(|rtt| rtt.ns >= LONG_NS)?;
    // Loss and windows do their harm through the round-trip time: there it is part of the cause.
    let part_of_it =
        |f: &Finding| f.explains == Explains::Yes && matches!(f.code.as_str(), "HOST-001" | "LOSS-001");
    if findings.iter().any(part_of_it) {
        return None;
    }
    let plain = facts.plain_run()?;
    let best = facts
        .tcp
        .iter()
        .filter(|run| run.sender == End::From && run.streams == 1 && !run.stalled)
        .max_by(|a, b| a.rate.0.total_cmp(&b.rate.0).then_with(|| b.id.cmp(&a.id)))?;
    let met = facts
        .expected()
        .is_some_and(|expected| best.rate.0 >= ENOUGH * expected.0);
    (met || best.rate.0 > FASTER * plain.rate.0.max(1.0)).then(|| RedHerring {
        code: "long-rtt".into(),
        seen: format!("a round trip takes {}", Nanos(rtt.ns)),
        why_not: format!("one connection reaches {} over the same distance", best.rate),
        location: Location::Path,
        cites: crate::judgement::join_cites([&rtt.cites, &vec![best.id.clone()]]),
    })
}
