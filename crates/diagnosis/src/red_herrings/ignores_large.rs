//! A hop that does not answer large pings but forwards packets of that size.

use crate::facts::echo::Answers;
use crate::facts::path::PathFacts;
use evidence::v1::{EchoMode, Location, ObservationId, RedHerring};
use std::collections::BTreeMap;

/// Large pings without any answer, at least this many.
const LEAST_PROBES: u64 = 3;

pub(super) fn find(path: &PathFacts) -> Vec<RedHerring> {
    let mut found: BTreeMap<u8, RedHerring> = BTreeMap::new();
    for mode in [EchoMode::Direct, EchoMode::Expiring] {
        let cells: Vec<(u8, u32, &Answers)> = path.echo.idle(mode).collect();
        for (ttl, size, answers) in &cells {
            let ignored = answers.sent >= LEAST_PROBES && answers.answered == 0;
            let small = cells
                .iter()
                .any(|(t, s, a)| t == ttl && s < size && a.answered * 2 > a.sent);
            if !ignored || !small || found.contains_key(ttl) || path.destination_ttl == Some(*ttl) {
                continue;
            }
            if let Some((behind, cites)) = passes(path, *ttl, *size) {
                found.insert(*ttl, herring(path, (*ttl, *size), answers, behind, cites));
            }
        }
    }
    found.into_values().collect()
}

/// A hop behind `ttl` that got a packet of at least this size.
fn passes(path: &PathFacts, ttl: u8, size: u32) -> Option<(u8, Vec<ObservationId>)> {
    let echoed = path
        .echo
        .idle_in_transit()
        .filter(|(t, s, a)| *t > ttl && *s >= size && a.answered > 0)
        .map(|(t, _, a)| (t, a.cites.clone()))
        .next();
    let sized = || {
        let reached = path
            .sizes
            .unfragmented()
            .filter(|(s, target, tries)| *s >= size && target.ttl() > ttl && tries.answered > 0)
            .map(|(_, target, _)| target.ttl())
            .min()?;
        Some((
            path.last_ttl().map_or(reached, |last| reached.min(last)),
            path.sizes.cites.clone(),
        ))
    };
    echoed.or_else(sized)
}

fn herring(
    path: &PathFacts,
    (ttl, size): (u8, u32),
    answers: &Answers,
    behind: u8,
    cites: Vec<ObservationId>,
) -> RedHerring {
    RedHerring {
        code: "ignores-large-pings".into(),
        seen: format!(
            "hop {ttl} answers none of {} pings of {size} bytes, but small ones",
            answers.sent
        ),
        why_not: format!("{} behind it gets packets of that size", path.hop_ref(behind)),
        location: Location::Hop {
            hop: path.hop_ref(ttl),
        },
        cites: crate::judgement::join_cites([&answers.cites, &cites]),
    }
}
