//! The scorer on verdicts made by hand.
#![allow(clippy::unwrap_used, reason = "a test should fail loudly")]

use evidence::{Direction, End, Explains, Finding, HopRef, Location, Verdict, VerdictState};
use grade::map::{RECEIVER, SENDER};
use grade::{Cause, Fit, Grade, Kind, Place, Table, World, grade, world};
use std::net::IpAddr;

fn finding(code: &str, confidence: f64, location: Location) -> Finding {
    Finding {
        code: code.into(),
        claim: "made by hand".into(),
        location,
        direction: Direction::Forward,
        confidence,
        explains: Explains::Yes,
        allows_bps: None,
        after_fix_bps: None,
        supports: vec![],
        contradicts: vec![],
        remedy: String::new(),
        ask_whom: String::new(),
        cannot_tell_from: None,
    }
}

fn verdict(state: VerdictState, findings: Vec<Finding>) -> Verdict {
    Verdict {
        round: 1,
        state,
        summary: String::new(),
        measured_bps: None,
        expected_bps: None,
        findings,
        red_herrings: vec![],
        excluded: vec![],
        not_tested: vec![],
        next: None,
    }
}

fn slow(world: &World, code: &str, confidence: f64, location: Location) -> Grade {
    grade(
        world,
        &verdict(VerdictState::Slow, vec![finding(code, confidence, location)]),
    )
}

/// A world whose faulty link lies between two routers, with one more hop on both sides.
fn inner(kind: Kind) -> (World, usize) {
    (0..500)
        .find_map(|number| {
            let drawn = world(5, number, Some(kind));
            let Place::Links { links } = &drawn.place else {
                return None;
            };
            let way = drawn.network.way(SENDER, RECEIVER);
            let at = way.iter().position(|link| [*link] == links[..])?;
            (at >= 2 && at + 2 < way.len()).then_some((drawn, at))
        })
        .unwrap()
}

/// The hop behind the link with this index, as a trace from the sender shows it.
fn hop(world: &World, index: usize) -> HopRef {
    let link = world.network.way(SENDER, RECEIVER)[index];
    HopRef {
        ttl: index as u8 + 1,
        address: Some(IpAddr::V4(world.network.links[link].address)),
        name: None,
    }
}

fn between(before: HopRef, after: HopRef) -> Location {
    Location::Link { before, after }
}

#[test]
fn a_named_mechanism_at_its_link_is_exact() {
    let (world, at) = inner(Kind::RandomLoss);
    let link = between(hop(&world, at - 1), hop(&world, at));
    let said = slow(&world, "LOSS-001", 0.96, link).said.unwrap();
    assert_eq!((said.cause, said.place), (Cause::Exact, Fit::Exact));
}

#[test]
fn a_stretch_that_holds_the_link_is_wider_and_its_neighbour_is_wrong() {
    let (world, at) = inner(Kind::Policer);
    let place = |location| slow(&world, "CAP", 0.9, location).said.unwrap().place;
    assert_eq!(place(between(hop(&world, at - 2), hop(&world, at))), Fit::Wider);
    assert_eq!(place(Location::Path), Fit::Wider);
    assert_eq!(place(between(hop(&world, at), hop(&world, at + 1))), Fit::Wrong);
    assert_eq!(place(Location::Hop { hop: hop(&world, at) }), Fit::Exact);
    assert_eq!(place(Location::Host { end: End::To }), Fit::Wrong);
}

#[test]
fn a_silent_hop_counts_by_its_number() {
    let (world, at) = inner(Kind::RandomLoss);
    let silent = HopRef {
        ttl: at as u8,
        address: None,
        name: None,
    };
    let said = slow(&world, "LOSS-001", 0.9, between(silent, hop(&world, at)))
        .said
        .unwrap();
    assert_eq!(said.place, Fit::Exact);
}

#[test]
fn family_sibling_and_stranger_are_told_apart() {
    let (world, _) = inner(Kind::Policer);
    let cause = |code| slow(&world, code, 0.9, Location::Path).said.unwrap().cause;
    assert_eq!(cause("CAP-003"), Cause::Exact);
    assert_eq!(cause("CAP"), Cause::Family);
    assert_eq!(cause("CAP-001"), Cause::Sibling);
    assert_eq!(cause("HOST-001"), Cause::Wrong);
    assert_eq!(cause("HOST"), Cause::Wrong);
}

#[test]
fn fast_enough_is_wrong_while_a_fault_limits() {
    let ok = verdict(VerdictState::Ok, vec![finding("OK-001", 0.97, Location::Path)]);
    let (faulty, healthy) = (
        world(1, 1, Some(Kind::Capacity)),
        world(1, 1, Some(Kind::Healthy)),
    );
    assert_eq!(grade(&faulty, &ok).said.unwrap().cause, Cause::Wrong);
    let right = grade(&healthy, &ok);
    assert_eq!(right.said.unwrap().cause, Cause::Exact);
    assert!(!right.healthy_accused);
}

#[test]
fn an_accusation_needs_eighty_percent_and_a_fault_that_limits() {
    let healthy = world(1, 2, Some(Kind::Healthy));
    let accused =
        |finding| grade(&healthy, &verdict(VerdictState::Inconclusive, vec![finding])).healthy_accused;
    assert!(accused(finding("LOSS-001", 0.85, Location::Path)));
    assert!(!accused(finding("LOSS-001", 0.75, Location::Path)));
    let harmless = Finding {
        explains: Explains::No,
        ..finding("LOSS-001", 0.99, Location::Path)
    };
    assert!(!accused(harmless));
}

#[test]
fn an_unknown_kind_may_be_called_unknown_or_its_family_but_no_mechanism() {
    let world = world(1, 1, Some(Kind::Disk));
    let graded = |code| slow(&world, code, 0.9, Location::Path);
    for code in ["UNKNOWN", "APP"] {
        assert!(!graded(code).unknown_accused, "{code}");
        assert!(graded(code).said.unwrap().cause.is_right(), "{code}");
    }
    assert!(graded("APP-002").unknown_accused);
    assert_eq!(graded("APP-002").said.unwrap().cause, Cause::Wrong);
}

#[test]
fn two_that_cannot_be_told_apart_are_one_statement() {
    let (world, _) = inner(Kind::MtuSilent);
    let half = |code: &str| Finding {
        cannot_tell_from: Some("the other".into()),
        ..finding(code, 0.45, Location::Path)
    };
    let both = verdict(VerdictState::Slow, vec![half("MTU-001"), half("MTU-002")]);
    let said = grade(&world, &both).said.unwrap();
    assert!(said.cause.is_right());
    assert!((said.confidence - 0.9).abs() < 1e-9);
}

#[test]
fn the_table_counts_what_was_graded() {
    let (world, at) = inner(Kind::RandomLoss);
    let link = between(hop(&world, at - 1), hop(&world, at));
    let mut table = Table::default();
    table.add(0, &slow(&world, "LOSS-001", 0.97, link), 1_000_000);
    table.add(
        1,
        &slow(&world, "HOST-001", 0.97, Location::Host { end: End::To }),
        1_000_000,
    );
    table.add(
        2,
        &grade(&world, &verdict(VerdictState::Inconclusive, vec![])),
        1_000_000,
    );
    let table = table.closed();
    assert_eq!((table.worlds, table.kinds.len()), (3, 1));
    let row = &table.kinds[0];
    assert_eq!((row.exact, row.wrong, row.silent, row.place_exact), (1, 1, 1, 1));
    assert_eq!((table.reliability[0].said, table.reliability[0].right), (2, 1));
    assert_eq!(table.right_from(0.95), Some(0.5));
    assert_eq!(table.wrong_worlds, [1]);
}

#[test]
fn loss_that_is_on_the_way_back_is_no_accusation_unless_it_is_put_on_the_way_there() {
    let mut healthy = world(5, 3, Some(Kind::Healthy));
    let back = healthy.network.way(RECEIVER, SENDER);
    let verdict = |direction| {
        let lossy = finding("LOSS-001", 0.9, Location::Path);
        verdict(VerdictState::Slow, vec![Finding { direction, ..lossy }])
    };
    let accused = |world: &World, direction| grade(world, &verdict(direction)).healthy_accused;
    assert!(accused(&healthy, Direction::Either), "nothing is lost anywhere");
    healthy.network.links[back[0]].loss = 0.01;
    assert!(!accused(&healthy, Direction::Either) && !accused(&healthy, Direction::Reverse));
    assert!(accused(&healthy, Direction::Forward));
}
