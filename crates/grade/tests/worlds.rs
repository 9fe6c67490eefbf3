//! Graded worlds, from the draw to the table.
#![allow(clippy::unwrap_used, reason = "a test should fail loudly")]

use grade::{Kind, Table, case, grade, judge, limits_as_it_should, world};

#[test]
fn the_same_number_gives_the_same_world_and_verdict() {
    for number in 0..25 {
        let (one, two) = (world(3, number, None), world(3, number, None));
        assert_eq!(case(&one), case(&two));
        assert_eq!(judge(&case(&one)), judge(&case(&two)));
    }
    assert_ne!(case(&world(3, 0, None)), case(&world(4, 0, None)));
}

#[test]
fn every_kind_is_drawn_and_its_fault_is_felt() {
    for kind in Kind::all() {
        for number in 0..8 {
            let drawn = world(11, number, Some(kind));
            assert!(
                limits_as_it_should(&drawn),
                "{} {number}: {:?}",
                kind.name(),
                drawn.fault
            );
            let case = case(&drawn);
            assert!(!case.observations().is_empty(), "{} {number}", kind.name());
        }
    }
}

/// Loose, so that chance does not fail it: the bars are in `docs/accuracy.md`.
#[test]
fn six_hundred_worlds_hold_the_safety_bars() {
    let mut table = Table::default();
    for number in 0..600 {
        let drawn = world(2_026, number, None);
        let verdict = judge(&case(&drawn)).unwrap();
        table.add(number, &grade(&drawn, &verdict), 0);
    }
    let table = table.closed();
    assert!(table.healthy > 60 && table.unknown > 60, "{table}");
    assert!(table.healthy_accused * 25 <= table.healthy, "{table}");
    assert!(table.unknown_accused * 20 <= table.unknown, "{table}");
    assert!(
        table.right_from(0.95).is_some_and(|right| right >= 0.9),
        "{table}"
    );
}
