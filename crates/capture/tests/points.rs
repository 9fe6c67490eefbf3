//! Several captures of one transfer against what happened in it.

#[path = "common/vantage.rs"]
mod vantage;

use capture::Way;
use capture::counted;
use capture::points::{
    ChangeKind, Comparison, ComparisonReport, Complaint, DirectionReport, FlowSignature, Likeness,
    OrderSource, Relation, Settings, pair_flows,
};
use std::collections::BTreeMap;
use vantage::{Leg, Lost, Plan, SECOND, Tap, World, run};

fn compare_with(
    captures: &[Vec<capture::Segment>],
    settings: Settings,
    spans: &[Option<(i64, i64)>],
) -> ComparisonReport {
    let names = ["a", "b", "c", "d", "e"];
    let mut comparison = Comparison::new(&names[..captures.len()], settings);
    for (point, span) in spans.iter().enumerate() {
        if let Some((from_ns, _)) = span {
            comparison.began(point, *from_ns);
        }
    }
    let mut next = vec![0; captures.len()];
    while let Some(point) = comparison.wants() {
        match captures[point].get(next[point]) {
            Some(segment) => comparison.feed(point, segment),
            None => comparison.end(point, spans.get(point).copied().flatten().map(|(_, to_ns)| to_ns)),
        }
        next[point] += 1;
    }
    comparison.finish()
}

fn compare(world: &World) -> ComparisonReport {
    compare_with(&world.captures, Settings::default(), &[])
}

fn direction(report: &ComparisonReport, stretch: usize, way: Way) -> &DirectionReport {
    let [up, down] = &report.stretches[stretch].directions;
    if way == Way::Up { up } else { down }
}

/// Losses as the report lists them, a packet each, as the truth does.
fn listed(report: &ComparisonReport) -> Vec<Lost> {
    let mut all = Vec::new();
    for (gap, stretch) in report.stretches.iter().enumerate() {
        for direction in &stretch.directions {
            for loss in &direction.losses {
                for packet in 0..loss.packets {
                    let seq = loss.seq.wrapping_add(packet * vantage::MSS);
                    all.push((gap, direction.way.index(), seq, loss.length_bytes == 0));
                }
            }
        }
    }
    all
}

/// (found of 1, false of 1), data losses only or all. Copies count as often as they were lost.
fn score(report: &ComparisonReport, world: &World, with_bare: bool) -> (f64, f64) {
    let count = |losses: &[Lost]| {
        let mut counts: BTreeMap<Lost, i64> = BTreeMap::new();
        for loss in losses.iter().filter(|loss| with_bare || !loss.3) {
            // acknowledgements have all the same sequence number
            *counts
                .entry(if loss.3 { (loss.0, loss.1, 0, true) } else { *loss })
                .or_default() += 1;
        }
        counts
    };
    let (truth, told) = (count(&world.lost), count(&listed(report)));
    let found: i64 = truth
        .iter()
        .map(|(loss, count)| (*count).min(told.get(loss).copied().unwrap_or(0)))
        .sum();
    let all: i64 = truth.values().sum();
    let said: i64 = told.values().sum();
    (
        found as f64 / all.max(1) as f64,
        (said - found) as f64 / said.max(1) as f64,
    )
}

fn assert_bars(report: &ComparisonReport, world: &World) {
    let (found, wrong) = score(report, world, true);
    let counts: Vec<_> = report
        .stretches
        .iter()
        .flat_map(|stretch| &stretch.directions)
        .map(|of| (of.data, of.bare))
        .collect();
    assert!(
        found >= 0.99 && wrong <= 0.005,
        "found {found}, false {wrong}, {counts:#?}, {:?}",
        report.complaints
    );
}

fn lossy(seed: u64, taps: usize) -> Plan {
    let mut plan = Plan::new(seed, taps);
    for (gap, leg) in plan.legs.iter_mut().enumerate() {
        leg.loss = [0.01 * (gap + 1) as f64, 0.005];
    }
    for (tap, clock) in plan.taps.iter_mut().enumerate() {
        clock.offset_ns = tap as i64 * -3600 * SECOND;
        clock.drift_ppm = tap as f64 * 25.0;
    }
    plan
}

#[test]
fn losses_are_found_on_their_stretch_whatever_the_clocks_show() {
    for seed in 0..3 {
        let world = run(&lossy(seed, 3));
        let report = compare(&world);
        assert_eq!(
            (report.path.as_slice(), report.order),
            ([0, 1, 2].as_slice(), OrderSource::TimeToLive)
        );
        assert!(world.lost.len() > 500);
        assert_bars(&report, &world);
        assert!(
            report.points.iter().all(|point| point.missed_packets == 0),
            "{:?}",
            report.points
        );
    }
}

#[test]
fn without_time_stamps_and_identification_copies_are_told_by_time() {
    let mut plan = lossy(5, 2);
    (plan.stamps, plan.ids) = (false, false);
    let world = run(&plan);
    assert_bars(&compare(&world), &world);
}

#[test]
fn offload_at_both_ends_is_neither_loss_nor_middlebox() {
    let mut plan = lossy(7, 3);
    (plan.train, plan.joins) = (45, 16);
    plan.legs[0].loss = [0.0; 2];
    let world = run(&plan);
    let report = compare(&world);
    assert_bars(&report, &world);
    let first = direction(&report, 0, Way::Up);
    assert_eq!(
        (first.data.lost, first.data.missed_by_from, first.data.duplicated),
        (0, 0, 0)
    );
    assert_eq!(first.data.sent, direction(&report, 1, Way::Up).data.sent);
    assert!(report.points[0].offloaded_packets[0] > 0 && report.points[1].offloaded_packets[0] == 0);
    let rewritten = |kind: &ChangeKind| !matches!(kind, ChangeKind::Hops { .. });
    assert!(
        !report.changes.iter().any(|change| rewritten(&change.what)),
        "{:?}",
        report.changes
    );
}

#[test]
fn packets_are_counted_at_each_place_of_the_path() {
    // The middle one drops packets: they passed it all the same. Of those that were lost behind it nobody knows that.
    let mut plan = lossy(7, 3);
    plan.taps[1].drops = 0.004;
    let world = run(&plan);
    let chains = counted::chains(&compare(&world));
    let chain = &chains[0];
    let counts: Vec<u64> = chain.points.iter().filter_map(|point| point.packets).collect();
    let names: Vec<&str> = chain.points.iter().map(|point| point.network.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    for gap in 0..2 {
        let of_data = |lost: &&Lost| (lost.0, lost.1, lost.3) == (gap, Way::Up.index(), false);
        let true_losses = world.lost.iter().filter(of_data).count() as f64;
        let counted = (counts[gap] - counts[gap + 1]) as f64;
        assert!(
            (counted - true_losses).abs() <= 0.01 * true_losses + 1.0,
            "{counted} for {true_losses}: {chain:?}"
        );
    }
    assert_eq!(chains.len(), 1, "the way back carries no data: {chains:?}");
}

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

#[test]
fn translated_addresses_and_shifted_numbers_are_seen_through() {
    for shift in [[0, 0], [0x1234_5678, 0xfedc_ba98]] {
        for is_cut in [false, true] {
            let mut plan = lossy(23, 3);
            plan.legs[1].translates = true;
            plan.legs[1].isn_shift = shift;
            if is_cut {
                plan.taps[2].from_ns = SECOND;
            }
            let world = run(&plan);
            let report = compare(&world);
            assert_eq!(report.path, [0, 1, 2], "{shift:?} {is_cut}");
            if !is_cut {
                assert_bars(&report, &world);
            }
            let expected = if shift == [0, 0] {
                Relation::Same
            } else {
                Relation::Shifted { by: shift }
            };
            assert_eq!(report.points[2].relation, expected);
            let kinds: Vec<_> = report
                .changes
                .iter()
                .filter(|change| change.from == 1)
                .map(|change| change.what)
                .collect();
            assert!(kinds.contains(&ChangeKind::AddressesTranslated));
            assert_eq!(
                kinds.contains(&ChangeKind::SequenceShifted { by: shift[0] }),
                shift[0] != 0
            );
        }
    }
}

#[test]
fn another_connection_is_unrelated() {
    let one = run(&Plan::new(29, 2));
    let mut plan = Plan::new(31, 2);
    plan.isn = [5, 6];
    plan.packets = 10_000;
    plan.legs[0].delay_ns = [1, 1];
    let mut other = run(&plan);
    for segment in &mut other.captures[1] {
        let moved = |(value, echo): (u32, u32)| (value.wrapping_add(1 << 30), echo.wrapping_add(1 << 29));
        segment.options.timestamps = segment.options.timestamps.map(moved);
        segment.ip_id = segment.ip_id.map(|id| id ^ 0x5555);
    }
    let report = compare_with(
        &[one.captures[0].clone(), other.captures[1].clone()],
        Settings::default(),
        &[],
    );
    assert_eq!(report.points[1].relation, Relation::Unrelated);
    assert!(report.stretches.is_empty());
}

#[test]
fn a_proxy_opens_a_connection_of_its_own() {
    let one = run(&Plan::new(29, 2));
    let mut plan = Plan::new(31, 2);
    plan.isn = [5, 6];
    let mut other = run(&plan);
    for segment in &mut other.captures[1] {
        let moved = |(value, echo): (u32, u32)| (value.wrapping_add(1 << 30), echo.wrapping_add(1 << 29));
        segment.options.timestamps = segment.options.timestamps.map(moved);
        segment.ip_id = segment.ip_id.map(|id| id ^ 0x5555);
    }
    let report = compare_with(
        &[one.captures[0].clone(), other.captures[1].clone()],
        Settings::default(),
        &[],
    );
    assert_eq!(report.points[1].relation, Relation::Proxied);
}

#[test]
fn the_order_of_points_is_seen_in_times_to_live_or_else_in_delays() {
    let mut plan = lossy(37, 3);
    let world = run(&plan);
    let shuffled = [
        world.captures[2].clone(),
        world.captures[0].clone(),
        world.captures[1].clone(),
    ];
    let report = compare_with(&shuffled, Settings::default(), &[]);
    assert_eq!(
        (report.path, report.order),
        (vec![1, 2, 0], OrderSource::TimeToLive)
    );
    plan.legs.iter_mut().for_each(|leg| leg.hops = 0);
    let world = run(&plan);
    let shuffled = [
        world.captures[2].clone(),
        world.captures[0].clone(),
        world.captures[1].clone(),
    ];
    let report = compare_with(&shuffled, Settings::default(), &[]);
    assert_eq!(
        (report.path.clone(), report.order),
        (vec![1, 2, 0], OrderSource::Delay)
    );
    assert_eq!(
        score(&report, &world, true),
        score(&compare(&world), &world, true)
    );
}

#[test]
fn an_order_that_is_told_is_turned_and_a_wrong_one_is_complained_of() {
    let world = run(&lossy(37, 3));
    let settings = Settings {
        is_order_told: true,
        ..Settings::default()
    };
    let turned: Vec<_> = world.captures.iter().rev().cloned().collect();
    let report = compare_with(&turned, settings, &[]);
    assert_eq!((report.path, report.order), (vec![2, 1, 0], OrderSource::Told));
    assert!(report.complaints.is_empty());
    let wrong = [
        world.captures[1].clone(),
        world.captures[0].clone(),
        world.captures[2].clone(),
    ];
    assert!(
        compare_with(&wrong, settings, &[])
            .complaints
            .contains(&Complaint::OrderContradicted)
    );
}

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

#[test]
fn reordering_and_duplication_are_neither_loss_nor_each_other() {
    let mut plan = lossy(61, 3);
    plan.legs[1].reorder = 0.01;
    plan.legs[0].duplicate = 0.005;
    let world = run(&plan);
    let report = compare(&world);
    let (found, wrong) = score(&report, &world, false);
    assert!(found >= 0.98 && wrong <= 0.005, "found {found}, false {wrong}");
    for gap in 0..2 {
        let up = direction(&report, gap, Way::Up);
        let (told, truth) = (up.reordering.reordered as f64, world.reordered[gap][0] as f64);
        assert!(
            (told - truth).abs() <= 2.0 + truth * 0.02,
            "{told} of {truth} on {gap}"
        );
        let (told, truth) = (up.data.duplicated as f64, world.duplicated[gap][0] as f64);
        assert!(
            (told - truth).abs() <= 2.0 + truth * 0.05,
            "duplicated {told} of {truth} on {gap}"
        );
    }
}

#[test]
fn what_a_stretch_changed_is_told_with_its_place() {
    let mut plan = Plan::new(67, 3);
    plan.legs[1] = Leg {
        fragments: true,
        clears_df: true,
        dscp_to_zero: true,
        mss_to: Some(1360),
        hops: 4,
        ..Leg::default()
    };
    let report = compare(&run(&plan));
    let on = |from: usize, kind: ChangeKind| {
        report
            .changes
            .iter()
            .any(|change| change.from == from && change.what == kind)
    };
    assert!(on(1, ChangeKind::Fragmented) && on(1, ChangeKind::DontFragmentCleared));
    assert!(on(1, ChangeKind::Dscp { from: 10, to: 0 }) && on(1, ChangeKind::Hops { count: 4 }));
    assert!(
        on(
            1,
            ChangeKind::Mss {
                from: Some(1460),
                to: Some(1360)
            }
        ) && on(0, ChangeKind::Hops { count: 3 })
    );
    assert!(!on(0, ChangeKind::Fragmented) && !on(0, ChangeKind::DontFragmentCleared));
    assert_eq!(report.points[0].fragmented_packets, [0, 0]);
    assert!(
        report.points[2].fragmented_packets[0] > 19_000 && report.points[2].dont_fragment_packets[0] == 0
    );
}

#[test]
fn losses_of_full_size_packets_alone_show_in_the_sizes() {
    let mut plan = Plan::new(71, 2);
    plan.packets = 50;
    plan.legs[0].mtu_bytes = 1400;
    let mut captures = run_for(&plan, 60);
    let spans: Vec<_> = captures
        .iter_mut()
        .map(|_| Some((-SECOND, 100 * SECOND)))
        .collect();
    let report = compare_with(&captures, Settings::default(), &spans);
    let up = direction(&report, 0, Way::Up);
    assert!(up.data.lost >= 50, "{up:?}");
    assert!(up.smallest_lost_bytes.unwrap() > 1400 && up.largest_passed_bytes <= 1400);
    // evidence missing: nobody says that the far capture was still running
    let report = compare_with(&captures, Settings::default(), &[]);
    let up = direction(&report, 0, Way::Up);
    assert_eq!(up.data.lost, 0);
    assert!(up.data.outside >= 50);
}

/// A black hole resends for ever: the first packets only.
fn run_for(plan: &Plan, packets: usize) -> Vec<Vec<capture::Segment>> {
    let mut open = plan.clone();
    open.legs[0].mtu_bytes = u32::MAX;
    let mut captures = run(&open).captures;
    captures[0].retain(|segment| {
        segment.way == Way::Up || segment.payload_bytes > 0 || segment.ack == plan.isn[0].wrapping_add(1)
    });
    captures[1].retain(|segment| {
        segment.payload_bytes == 0 && (segment.way == Way::Up || segment.ack == plan.isn[0].wrapping_add(1))
    });
    captures[0].truncate(packets);
    captures
}

#[test]
fn flows_of_translated_captures_find_each_other() {
    let mut plans: Vec<Plan> = (0..20)
        .map(|seed| Plan {
            packets: 200,
            isn: [seed as u32 * 999, 7],
            ..Plan::new(seed, 2)
        })
        .collect();
    for plan in &mut plans {
        plan.legs[0].translates = true;
        if plan.seed % 2 == 1 {
            plan.legs[0].isn_shift = [99, 1 << 31];
        }
    }
    let mut sides = [Vec::new(), Vec::new()];
    for (place, plan) in plans.iter().enumerate() {
        for (side, capture) in sides.iter_mut().zip(run(plan).captures) {
            let mut signature = FlowSignature::default();
            for mut segment in capture {
                let moved = |(value, echo): (u32, u32)| {
                    (value.wrapping_add(place as u32 * 7_777_777), echo.wrapping_mul(3))
                };
                segment.options.timestamps = segment.options.timestamps.map(moved);
                signature.add(&segment);
            }
            side.push(signature);
        }
    }
    sides[1].reverse();
    let pairs = pair_flows(&sides[0], &sides[1]);
    assert_eq!(pairs.len(), 20);
    assert!(pairs.iter().all(|&(one, other, _)| one + other == 19));
    assert!(pairs.iter().any(|pair| pair.2 == Likeness::Packets));
    assert!(pair_flows(&sides[0][..5], &sides[1][..5]).is_empty());
}

mod hostile {
    use super::*;
    use capture::{Endpoint, Flags, FlowKey, Options, Segment};
    use proptest::prelude::*;

    /// Few values of each number, so that much overlaps and little fits.
    fn segment() -> impl Strategy<Value = (usize, Segment)> {
        let number = prop_oneof![
            0..4_u32,
            Just(1448),
            Just(2896),
            Just(u32::MAX),
            Just(1 << 31),
            any::<u32>()
        ];
        let payload = prop_oneof![
            Just(0),
            Just(1),
            Just(1448),
            Just(65_160),
            Just(u32::MAX),
            0..4000_u32
        ];
        let time = prop_oneof![0..1_000_000_i64, any::<i64>()];
        let stamps = proptest::option::of((0..3_u32, any::<u32>()));
        (
            0..3_usize,
            number.clone(),
            number,
            payload,
            time,
            any::<u16>(),
            stamps,
            any::<(u16, u8, bool, bool)>(),
        )
            .prop_map(
                |(
                    point,
                    seq,
                    ack,
                    payload_bytes,
                    time_ns,
                    flags,
                    timestamps,
                    (ip_id, ttl, up, dont_fragment),
                )| {
                    let end = |last: u8| Endpoint {
                        address: [10, 0, 0, last].into(),
                        port: 1,
                    };
                    let segment = Segment {
                        time_ns,
                        key: FlowKey {
                            low: end(1),
                            high: end(2),
                        },
                        hash: 0,
                        way: if up { Way::Up } else { Way::Down },
                        seq,
                        ack,
                        payload_bytes,
                        window: ip_id,
                        flags: Flags(flags),
                        ip_bytes: payload_bytes.wrapping_add(u32::from(ttl)),
                        ip_id: dont_fragment.then_some(ip_id % 3),
                        ttl,
                        traffic_class: ttl,
                        dont_fragment,
                        fragments: ip_id % 3,
                        options: Options {
                            timestamps,
                            mss_bytes: up.then_some(ip_id),
                            ..Options::default()
                        },
                    };
                    (point, segment)
                },
            )
    }

    proptest! {
        #[test]
        fn any_segments_in_any_order_of_feeding_do_no_harm(segments in proptest::collection::vec(segment(), 0..600)) {
            let settings = Settings { window_packets: 64, most_losses: 5, is_order_told: segments.len() % 2 == 0 };
            let mut comparison = Comparison::new(&["a", "b", "c"], settings);
            for (point, segment) in &segments {
                comparison.feed(*point, segment);
            }
            let report = comparison.finish();
            for direction in report.stretches.iter().flat_map(|stretch| &stretch.directions) {
                prop_assert!(direction.losses.len() <= 5);
                for counts in [direction.data, direction.bare] {
                    prop_assert_eq!(counts.sent, counts.arrived + counts.lost + counts.missed_by_to);
                }
            }
        }
    }

    #[test]
    fn a_capture_beside_itself_shows_nothing() {
        for seed in 80..84 {
            let mut plan = lossy(seed, 2);
            (plan.packets, plan.train, plan.stamps, plan.ids) =
                (5_000, 1 + seed as u32 % 3, seed % 2 == 0, seed < 82);
            plan.legs[0] = Leg {
                reorder: 0.02,
                duplicate: 0.01,
                ..plan.legs[0].clone()
            };
            let world = run(&plan);
            for capture in world.captures {
                let report = compare_with(&[capture.clone(), capture], Settings::default(), &[]);
                for direction in &report.stretches[0].directions {
                    for counts in [direction.data, direction.bare] {
                        assert_eq!(
                            (counts.sent, counts.outside, counts.missed_by_from),
                            (counts.arrived, 0, 0),
                            "{seed}"
                        );
                    }
                    assert_eq!(direction.reordering.reordered, 0);
                }
            }
        }
    }

    #[test]
    fn a_window_too_small_is_complained_of_and_holds() {
        let world = run(&lossy(73, 2));
        let settings = Settings {
            window_packets: 30,
            ..Settings::default()
        };
        let report = compare_with(&world.captures, settings, &[]);
        assert!(
            report
                .complaints
                .iter()
                .any(|complaint| matches!(complaint, Complaint::WindowTooSmall { .. }))
        );
    }
}
