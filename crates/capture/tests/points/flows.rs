//! Which connection of one capture is which of another.

use crate::comparison::compare_with;
use crate::vantage::{Plan, run};
use capture::points::{ComparisonReport, FlowSignature, Likeness, Relation, Settings, pair_flows};

/// What the first point saw of a connection, compared with what the second saw of one of `plan`, of other hosts.
fn beside_another(plan: &Plan) -> ComparisonReport {
    let one = run(&Plan::new(29, 2));
    let mut other = run(plan);
    for segment in &mut other.captures[1] {
        let moved = |(value, echo): (u32, u32)| (value.wrapping_add(1 << 30), echo.wrapping_add(1 << 29));
        segment.options.timestamps = segment.options.timestamps.map(moved);
        segment.ip_id = segment.ip_id.map(|id| id ^ 0x5555);
    }
    compare_with(
        &[one.captures[0].clone(), other.captures[1].clone()],
        Settings::default(),
        &[],
    )
}

#[test]
fn another_connection_is_unrelated() {
    let mut plan = Plan::new(31, 2);
    plan.isn = [5, 6];
    plan.packets = 10_000;
    plan.legs[0].delay_ns = [1, 1];
    let report = beside_another(&plan);
    assert_eq!(report.points[1].relation, Relation::Unrelated);
    assert!(report.stretches.is_empty());
}

#[test]
fn a_proxy_opens_a_connection_of_its_own() {
    let mut plan = Plan::new(31, 2);
    plan.isn = [5, 6];
    let report = beside_another(&plan);
    assert_eq!(report.points[1].relation, Relation::Proxied);
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
