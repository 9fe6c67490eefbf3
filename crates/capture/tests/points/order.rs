//! The order of the capture points on the path.

use crate::comparison::{compare, compare_with, lossy, score};
use crate::vantage::{World, run};
use capture::Segment;
use capture::points::{Complaint, OrderSource, Settings};

/// The captures, the last point first.
fn shuffled(world: &World) -> [Vec<Segment>; 3] {
    [2, 0, 1].map(|point| world.captures[point].clone())
}

#[test]
fn the_order_of_points_is_seen_in_times_to_live_or_else_in_delays() {
    let mut plan = lossy(37, 3);
    let world = run(&plan);
    let report = compare_with(&shuffled(&world), Settings::default(), &[]);
    assert_eq!(
        (report.path, report.order),
        (vec![1, 2, 0], OrderSource::TimeToLive)
    );
    plan.legs.iter_mut().for_each(|leg| leg.hops = 0);
    let world = run(&plan);
    let report = compare_with(&shuffled(&world), Settings::default(), &[]);
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
