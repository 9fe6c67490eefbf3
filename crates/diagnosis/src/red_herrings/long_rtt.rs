//! A long round-trip time that does not limit: a transfer over the same distance is fast.

use crate::facts::Facts;
use crate::faults::ENOUGH;
use crate::records::goes_between;
use evidence::{Explains, Finding, Location, Nanos, RedHerring, Transport};

/// People suspect the distance from about here on.
const LONG_NS: u64 = 50_000_000;

/// Much faster than the slow transfer over the same distance.
const FASTER: f64 = 3.0;

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    let rtt = facts.base_rtt.as_ref().filter(|rtt| rtt.ns() >= LONG_NS)?;
    // Loss and windows do their harm through the round-trip time: there it is part of the cause.
    let part_of_it =
        |f: &Finding| f.explains == Explains::Yes && matches!(f.code.as_str(), "HOST-001" | "LOSS-001");
    if findings.iter().any(part_of_it) {
        return None;
    }
    let (_, slow) = facts.records.complained(&facts.complaint)?;
    let (best, id) = facts
        .records
        .transfers
        .iter()
        .filter(|t| goes_between(&t.what.from, &t.what.to, &facts.complaint))
        .filter(|t| t.what.protocol == Some(Transport::Tcp) && t.what.streams == Some(1))
        .filter_map(|t| Some((t.rate()?, &t.id)))
        .max_by(|(a, x), (b, y)| a.0.total_cmp(&b.0).then_with(|| y.cmp(x)))?;
    let met = facts
        .expected()
        .is_some_and(|expected| best.0 >= ENOUGH * expected.0);
    (met || best.0 > FASTER * slow.0.max(1.0)).then(|| RedHerring {
        code: "long-rtt".into(),
        seen: format!("a round trip takes {}", Nanos(rtt.ns())),
        why_not: format!("one connection reaches {best} over the same distance"),
        location: Location::Path,
        cites: crate::judgement::join_cites([&rtt.cites, &vec![id.clone()]]),
    })
}
