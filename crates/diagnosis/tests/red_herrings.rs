//! Anomalies that are not the cause: each named, with why, and none that is none.

mod common;

use common::judge_round;
use common::scenarios::{edited, long_path_loss, three_red_herrings, window};
use common::{Manner, World};
use evidence::v1::{Case, EchoMode, Location, Payload, VerdictState};

/// Codes with the TTL they are about.
fn herrings(case: &Case) -> Vec<String> {
    let place = |location: &Location| match location {
        Location::Hop { hop } => hop.ttl.to_string(),
        other => other.to_string(),
    };
    let verdict = judge_round(case, 1);
    for herring in &verdict.red_herrings {
        assert!(
            !herring.seen.is_empty() && !herring.why_not.is_empty() && !herring.cites.is_empty(),
            "{herring:?}"
        );
    }
    verdict
        .red_herrings
        .iter()
        .map(|h| format!("{} {}", h.code, place(&h.location)))
        .collect()
}

#[test]
fn three_red_herrings_on_a_healthy_path() {
    let case = three_red_herrings().diagnose().case;
    assert_eq!(
        herrings(&case),
        ["silent-hop 2", "rate-limited-hop 3", "ignores-large-pings 5"]
    );
    assert_eq!(judge_round(&case, 1).state, VerdictState::Ok);
}

#[test]
fn an_honest_path_has_none() {
    assert!(herrings(&World::healthy().diagnose().case).is_empty());
}

#[test]
fn the_distance_is_no_cause_where_a_fitting_transfer_is_fast() {
    let far = World {
        rtt_ms: 170.0,
        ..World::nrao()
    };
    assert_eq!(
        herrings(&far.diagnose().case),
        ["silent-hop 2", "long-rtt somewhere on the path"]
    );
    assert_eq!(herrings(&World::nrao().diagnose().case), ["silent-hop 2"]);
}

/// Loss and windows do their harm through the round-trip time: there it is part of the cause.
#[test]
fn the_distance_is_part_of_the_cause_of_loss_and_windows() {
    assert!(herrings(&long_path_loss().diagnose().case).is_empty());
    assert!(herrings(&window().diagnose().case).is_empty());
}

/// Where every hop from some point on misses as much, the path loses packets and no hop is to blame for its manners.
#[test]
fn loss_from_a_hop_on_is_no_rate_limit() {
    let case = edited(World::healthy().diagnose().case, |payload| {
        if let Payload::Echo(echo) = payload {
            let behind = echo
                .series
                .iter_mut()
                .filter(|series| series.ttl >= 3 && series.mode != EchoMode::Direct);
            behind.for_each(|series| series.answered = series.sent * 6 / 10);
        }
    });
    assert!(herrings(&case).is_empty(), "{:?}", herrings(&case));
}

/// A hop before a black hole answers large pings; those behind get none: not their manners but the hole.
#[test]
fn behind_a_black_hole_nobody_ignores_large_pings() {
    let world = World {
        mtu: (9000, 9000),
        ..World::nrao()
    };
    let found = herrings(&world.diagnose().case);
    assert!(!found.iter().any(|h| h.starts_with("ignores-large")), "{found:?}");
}

/// The last hop cannot be excused by a hop behind it.
#[test]
fn a_silent_destination_is_no_red_herring() {
    let mut world = World::healthy();
    *world.manners.last_mut().unwrap() = Manner::Mute;
    let found = herrings(&world.diagnose().case);
    assert!(found.is_empty(), "{found:?}");
}
