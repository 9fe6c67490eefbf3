//! What a capture missed, or was too late or too early for, is no loss.

use crate::comparison::{compare, compare_with, direction, listed, lossy, score};
use crate::vantage::{Plan, SECOND, run};
use capture::Way;
use capture::points::Settings;

#[test]
fn a_packet_that_a_capture_dropped_is_no_loss() {
    let mut plan = lossy(11, 3);
    // a packet that one capture misses and the next stretch loses looks lost on the stretch before: no one can tell
    plan.taps[0].drops = 0.004;
    plan.taps[1].drops = 0.004;
    let world = run(&plan);
    let report = compare(&world);
    let (found, wrong) = score(&report, &world, false);
    assert!(found >= 0.99 && wrong <= 0.005, "found {found}, false {wrong}");
    for tap in [0, 1] {
        let (told, truth) = (
            report.points[tap].missed_packets as f64,
            world.dropped[tap] as f64,
        );
        assert!((told / truth - 1.0).abs() < 0.1, "{told} of {truth} at {tap}");
    }
}

#[test]
fn the_receivers_acknowledgement_tells_that_its_capture_dropped_a_packet() {
    let mut plan = lossy(13, 2);
    plan.taps[1].drops = 0.01;
    plan.legs[0].loss[1] = 0.0;
    let world = run(&plan);
    let report = compare(&world);
    let (found, wrong) = score(&report, &world, false);
    assert!(found >= 0.99 && wrong <= 0.005, "found {found}, false {wrong}");
    let up = direction(&report, 0, Way::Up);
    assert!(up.data.missed_by_to > 150);
    // near miss: bare packets leave no trace at the receiver, and none is claimed
    assert_eq!(up.bare.missed_by_to, 0);
}

#[test]
fn one_dropped_record_is_one_missed_packet() {
    let world = run(&Plan::new(17, 2));
    let clean = compare(&world);
    assert_eq!(clean.points[1].missed_packets, 0);
    for place in [1_000, 7_001, 12_345] {
        let mut captures = world.captures.clone();
        let place = (place..)
            .find(|&place| captures[1][place].payload_bytes > 0)
            .unwrap();
        captures[1].remove(place);
        let report = compare_with(&captures, Settings::default(), &[]);
        assert_eq!(
            (report.points[0].missed_packets, report.points[1].missed_packets),
            (0, 1)
        );
        assert!(listed(&report).is_empty());
    }
}

#[test]
fn late_starts_and_early_ends_are_outside() {
    let mut plan = lossy(19, 2);
    plan.legs[0].loss = [0.0; 2];
    plan.packets = 40_000;
    plan.taps[0].from_ns = 3 * SECOND;
    plan.taps[1].to_ns = 5 * SECOND;
    let world = run(&plan);
    let report = compare(&world);
    assert!(listed(&report).is_empty(), "{:?}", listed(&report).len());
    assert!(report.points.iter().all(|point| point.missed_packets == 0));
    let up = direction(&report, 0, Way::Up);
    assert!(up.data.outside + up.bare.outside > 1_000);
    assert!(up.data.arrived > 9_000);
}
