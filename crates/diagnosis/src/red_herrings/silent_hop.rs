//! A hop that never answers anybody, though traffic passes it.

use crate::facts::path::PathFacts;
use evidence::{Location, RedHerring};

pub(super) fn find(path: &PathFacts) -> Vec<RedHerring> {
    let herring = |ttl: u8| {
        let behind = path.answering().find(|other| *other > ttl)?;
        Some(RedHerring {
            code: "silent-hop".into(),
            seen: format!("hop {ttl} never answers"),
            why_not: format!("{} behind it answers, so it forwards", path.hop_ref(behind)),
            location: Location::Hop {
                hop: path.hop_ref(ttl),
            },
            cites: path.route_cites.clone(),
        })
    };
    path.silent().into_iter().filter_map(herring).collect()
}
