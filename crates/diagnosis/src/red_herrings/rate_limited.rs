//! A hop that answers only some probes because it limits its answers (RFC 1812 section 4.3.2.8), not its traffic.

use crate::facts::path::PathFacts;
use crate::facts::ratio::Ratio;
use evidence::v1::{Location, ObservationId, RedHerring};

/// Missing this much more than the best hop behind it: far over what chance and small loss make.
const EXCESS: f64 = 0.1;
/// With fewer probes a few missing answers mean nothing.
const LEAST_PROBES: u64 = 10;

struct Silence {
    ttl: u8,
    unanswered: Ratio,
    cites: Vec<ObservationId>,
}

pub(super) fn find(path: &PathFacts) -> Vec<RedHerring> {
    let silences = silences(path);
    silences
        .iter()
        .filter_map(|hop| herring(path, hop, &silences))
        .collect()
}

/// Per TTL the smallest packets tried: large ones may be refused for their size.
fn silences(path: &PathFacts) -> Vec<Silence> {
    let ttls: std::collections::BTreeSet<u8> = path.echo.idle_in_transit().map(|(ttl, _, _)| ttl).collect();
    ttls.into_iter()
        .filter_map(|ttl| {
            let small = path.echo.small_in_transit(ttl)?;
            Some(Silence {
                ttl,
                unanswered: small.unanswered(),
                cites: small.cites.clone(),
            })
        })
        .filter(|silence| silence.unanswered.trials >= LEAST_PROBES)
        .collect()
}

fn herring(path: &PathFacts, hop: &Silence, all: &[Silence]) -> Option<RedHerring> {
    let missing = hop.unanswered.estimate()?;
    // A hop that never answered at all is another matter.
    path.answering().find(|ttl| *ttl == hop.ttl)?;
    let behind = all.iter().filter(|other| other.ttl > hop.ttl);
    let best = behind.min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let proved = hop.unanswered.interval().0 > best.unanswered.interval().1;
    (missing - ratio(best) > EXCESS && proved).then(|| RedHerring {
        code: "rate-limited-hop".into(),
        seen: format!(
            "hop {} leaves {} of {} probes unanswered",
            hop.ttl,
            percent(missing),
            hop.unanswered.trials
        ),
        why_not: format!(
            "{} behind it misses {}: the hop limits its answers, not what it forwards",
            path.hop_ref(best.ttl),
            percent(ratio(best))
        ),
        location: Location::Hop {
            hop: path.hop_ref(hop.ttl),
        },
        cites: hop.cites.clone(),
    })
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

fn ratio(silence: &Silence) -> f64 {
    silence.unanswered.estimate().unwrap_or(1.0)
}
