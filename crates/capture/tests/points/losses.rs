//! Losses, found on the stretch where they happened; reordering and duplication are none.

use crate::comparison::{assert_bars, compare, compare_with, direction, lossy, score};
use crate::vantage::{Lost, Plan, SECOND, run};
use capture::points::{OrderSource, Settings};
use capture::{Way, counted};

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
