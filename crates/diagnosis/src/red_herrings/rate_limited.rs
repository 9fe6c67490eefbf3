//! A hop that answers only some probes because it limits its answers (RFC 1812 section 4.3.2.8), not its traffic.

use super::silent_hop::spoken;
use crate::facts::records::seen::{Hop, Seen};
use evidence::{Location, RedHerring};

/// Missing this much more than the best hop behind it: far over what chance and small loss make.
const EXCESS: f64 = 0.1;
/// With fewer probes a few missing answers mean nothing.
const LEAST_PROBES: u64 = 10;

pub(super) fn find(seen: &Seen) -> Vec<RedHerring> {
    let asked = |(_, hop): &(&u8, &Hop)| hop.unanswered.trials >= LEAST_PROBES;
    let hops: Vec<(&u8, &Hop)> = seen.hops.iter().filter(asked).collect();
    let behind = |ttl: u8| hops.iter().copied().filter(move |(other, _)| **other > ttl);
    let herring = |(ttl, hop): &(&u8, &Hop)| {
        let best = behind(**ttl).min_by(|(_, a), (_, b)| missing(a).total_cmp(&missing(b)))?;
        let proved = hop.unanswered.interval().0 > best.1.unanswered.interval().1;
        // A hop that never answered at all is another matter.
        (!hop.is_silent() && missing(hop) - missing(best.1) > EXCESS && proved).then(|| RedHerring {
            code: "rate-limited-hop".into(),
            seen: format!(
                "hop {ttl} leaves {} of {} probes unanswered",
                percent(missing(hop)),
                hop.unanswered.trials
            ),
            why_not: format!(
                "{} behind it misses {}: the hop limits its answers, not what it forwards",
                spoken(&best.1.at(*best.0)),
                percent(missing(best.1))
            ),
            location: Location::Hop { hop: hop.at(**ttl) },
            cites: hop.cites.iter().cloned().collect(),
        })
    };
    hops.iter().filter_map(herring).collect()
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

fn missing(hop: &Hop) -> f64 {
    hop.unanswered.estimate().unwrap_or(1.0)
}
