//! The clocks of the captures: offset, drift and steps, and the delays that they leave.

use crate::comparison::{compare, direction, listed, lossy};
use crate::vantage::{Leg, Plan, SECOND, Tap, World, run};
use capture::Way;

#[test]
fn offset_is_within_its_bound_and_drift_within_5_ppm_on_30_seconds() {
    for (seed, drift_ppm) in [(41, 40.0), (43, -85.0), (47, 0.0)] {
        let mut plan = Plan::new(seed, 2);
        (plan.packets, plan.gap_ns) = (30_000, 1_000_000);
        plan.legs[0] = Leg {
            delay_ns: [10_000_000, 16_000_000],
            jitter_ns: 2_000_000,
            loss: [0.01; 2],
            ..Leg::default()
        };
        plan.taps[1] = Tap {
            offset_ns: -7 * SECOND,
            drift_ppm,
            ..Tap::default()
        };
        let report = compare(&run(&plan));
        let clock = &report.clocks[0];
        assert!(clock.steps.is_empty(), "{clock:?}");
        let piece = clock.pieces[0];
        let truth = plan.taps[1].local_ns(piece.at_ns) - piece.at_ns;
        let error = piece.offset_ns.unwrap() - truth;
        assert!(error.abs() <= piece.bound_ns.unwrap(), "{error} {piece:?}");
        assert!((error + 3_000_000).abs() < 100_000, "{error}");
        assert!((piece.drift_ppm.unwrap() - drift_ppm).abs() < 5.0, "{piece:?}");
        let up = direction(&report, 0, Way::Up).delay.as_ref().unwrap();
        assert!((up.min_ns.unwrap() - 13_000_000).abs() < 100_000);
        assert!(
            (500_000..1_500_000).contains(&up.above_min_median_ns),
            "{}",
            up.above_min_median_ns
        );
        assert!(up.above_min_max_ns < 3_500_000);
    }
}

#[test]
fn packets_that_cannot_be_told_apart_set_no_clock() {
    let mut world = run(&Plan {
        packets: 2_000,
        ..Plan::new(51, 2)
    });
    let clean = compare(&world).clocks[0].pieces[0];
    // a burst of equal resets without identification, of which the first are lost
    for (capture, (count, later_ns)) in world.captures.iter_mut().zip([(9, 0), (4, 5_000_000)]) {
        let mut reset = *capture.iter().rfind(|segment| segment.way == Way::Up).unwrap();
        (reset.payload_bytes, reset.flags, reset.ip_id) = (0, capture::Flags(4), Some(0));
        reset.options = capture::Options::default();
        for nth in 0..count {
            reset.time_ns += if nth == 0 { 20_000_000 + later_ns } else { 6_000 };
            capture.push(reset);
        }
    }
    let report = compare(&world);
    let piece = report.clocks[0].pieces[0];
    assert!(
        (piece.offset_ns.unwrap() - clean.offset_ns.unwrap()).abs() < 100_000,
        "{piece:?}"
    );
    let up = direction(&report, 0, Way::Up);
    assert_eq!((up.bare.arrived, up.reordering.reordered), (4, 0));
}

#[test]
fn a_shift_of_a_clock_changes_nothing_else() {
    let world = run(&lossy(53, 3));
    let mut shifted = World {
        captures: world.captures.clone(),
        ..World::default()
    };
    shifted.captures[1]
        .iter_mut()
        .for_each(|segment| segment.time_ns += 12_345_678_901);
    let (one, other) = (compare(&world), compare(&shifted));
    assert_eq!(listed(&one), listed(&other));
    for (before, behind) in one.stretches.iter().zip(&other.stretches) {
        for (before, behind) in before.directions.iter().zip(&behind.directions) {
            assert_eq!(
                (before.data, before.bare, before.reordering),
                (behind.data, behind.bare, behind.reordering)
            );
        }
    }
    let moved = other.clocks[0].pieces[0].offset_ns.unwrap() - one.clocks[0].pieces[0].offset_ns.unwrap();
    assert!((moved - 12_345_678_901).abs() <= 2, "{moved}");
}

#[test]
fn a_clock_that_was_set_is_told() {
    let mut plan = Plan::new(59, 2);
    (plan.packets, plan.gap_ns) = (30_000, 1_000_000);
    plan.taps[1] = Tap {
        step: Some((14 * SECOND, 250_000_000)),
        drift_ppm: 10.0,
        ..Tap::default()
    };
    let report = compare(&run(&plan));
    let clock = &report.clocks[0];
    assert_eq!((clock.steps.len(), clock.pieces.len()), (1, 2), "{clock:?}");
    assert!((clock.steps[0].by_ns - 250_000_000).abs() < 1_000_000);
    assert!(listed(&report).is_empty());
    assert!(
        direction(&report, 0, Way::Up)
            .delay
            .as_ref()
            .unwrap()
            .above_min_max_ns
            < 1_000_000
    );
}
