//! Captures compared, and how much of what was lost the report tells.

use crate::vantage::{self, Lost, Plan, SECOND, World};
use capture::Way;
use capture::points::{Comparison, ComparisonReport, DirectionReport, Settings};
use std::collections::BTreeMap;

pub(crate) fn compare_with(
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

pub(crate) fn compare(world: &World) -> ComparisonReport {
    compare_with(&world.captures, Settings::default(), &[])
}

pub(crate) fn direction(report: &ComparisonReport, stretch: usize, way: Way) -> &DirectionReport {
    let [up, down] = &report.stretches[stretch].directions;
    if way == Way::Up { up } else { down }
}

/// Losses as the report lists them, a packet each, as the truth does.
pub(crate) fn listed(report: &ComparisonReport) -> Vec<Lost> {
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
pub(crate) fn score(report: &ComparisonReport, world: &World, with_bare: bool) -> (f64, f64) {
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

pub(crate) fn assert_bars(report: &ComparisonReport, world: &World) {
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

pub(crate) fn lossy(seed: u64, taps: usize) -> Plan {
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
