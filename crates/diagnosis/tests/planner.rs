//! The planner, driven by synthetic worlds: which asks it makes, that it comes to an end, and in what time.

mod common;

use common::scenarios::{icmp_filtered, link_100m, long_path_loss, three_red_herrings, window};
use common::{World, add, judge_round, kind, plan};
use diagnosis::Means;
use evidence::v1::{
    Ask, Case, End, Intrusiveness, NotMeasured, NotMeasuredReason, Payload, ProbeProtocol, VerdictState,
};

fn asks(world: &World) -> Vec<String> {
    world.diagnose().kinds()
}

const START: [&str; 5] = ["host:from", "host:to", "route:from", "tcp:1", "pmtu:from"];

/// The sequence after the opening, which is the same for all.
fn continues(world: &World, rest: &[&str]) {
    let asked = asks(world);
    let expected: Vec<&str> = START.iter().chain(rest).copied().collect();
    assert_eq!(asked, expected);
}

#[test]
fn a_black_hole_takes_a_transfer_that_fits_and_a_look_at_small_packets() {
    continues(&World::nrao(), &["tcp:1:mss1460", "udp:from", "echo:from"]);
    continues(&icmp_filtered(), &["tcp:1:mss1460", "udp:from", "echo:from"]);
}

/// The bar of the incident: a verdict in 20 s. Costs are upper bounds, and a stalled transfer ends after 3 s of 5.
#[test]
fn a_black_hole_is_diagnosed_within_twenty_seconds() {
    for world in [World::nrao(), icmp_filtered(), World::nrao().over_ipv6()] {
        let run = world.diagnose();
        assert!(run.time_ms <= 20_000, "{} ms: {:?}", run.time_ms, run.kinds());
    }
}

#[test]
fn a_small_window_takes_parallel_connections() {
    continues(&window(), &["tcp:4", "udp:from", "echo:from"]);
}

#[test]
fn loss_is_hunted_then_located_by_halving() {
    let world = long_path_loss();
    continues(
        &world,
        &[
            "tcp:4",
            "udp:from",
            "echo:from",
            "udp:to",
            "hop-loss:[4]",
            "hop-loss:[5]",
        ],
    );
    let run = world.diagnose();
    assert!(run.time_ms <= 120_000, "{} ms", run.time_ms);
}

#[test]
fn a_full_link_takes_a_faster_udp_stream() {
    continues(&link_100m(), &["tcp:4", "udp:from", "udp:from", "echo:from"]);
}

#[test]
fn a_healthy_path_is_left_alone() {
    continues(&three_red_herrings(), &["echo:from"]);
}

#[test]
fn without_a_far_end_only_the_path_is_probed() {
    let alone = World {
        far_end: false,
        ..World::nrao()
    };
    assert_eq!(
        asks(&alone),
        ["host:from", "route:from", "pmtu:from", "echo:from"]
    );
    let receiving = World {
        far_end: false,
        local_end: End::To,
        ..World::healthy()
    };
    assert_eq!(asks(&receiving), ["host:to", "route:to", "pmtu:to", "echo:to"]);
}

/// The data flow from the far end: everything that concerns their way starts there.
#[test]
fn the_way_of_the_data_is_probed_from_its_sender() {
    let receiving = World {
        local_end: End::To,
        ..World::nrao()
    };
    let run = receiving.diagnose();
    assert_eq!(run.kinds()[..3], ["host:to", "host:from", "route:from"]);
    assert!(
        run.asks
            .iter()
            .all(|ask| matches!(ask, Ask::HostFacts { .. }) || ask.vantage() == End::From)
    );
    assert_eq!(judge_round(&run.case, 1).state, VerdictState::Slow);
}

/// Loss streams stay at or under half of what the path has proved to carry, and under what strains hosts.
#[test]
fn loss_streams_are_gentle() {
    for world in [
        long_path_loss(),
        World {
            loss: Some((5, 1e-3)),
            ..World::healthy()
        },
        window(),
    ] {
        let run = world.diagnose();
        let mut streams = 0;
        for ask in &run.asks {
            match ask {
                Ask::UdpStream {
                    rate_bps, size_bytes, ..
                } if *size_bytes <= 300 => {
                    streams += 1;
                    assert!(rate_bps.0 <= world.capacity / 2.0, "{ask:?}");
                    assert!(rate_bps.0 / 8.0 / f64::from(*size_bytes) <= 40_000.0, "{ask:?}");
                }
                Ask::HopLoss { rate_pps, count, .. } => {
                    assert!(*rate_pps <= 40_000);
                    let loss = world.loss.map_or(1.0, |(_, ratio)| ratio);
                    assert!(*count as f64 <= 12.0 / loss, "{ask:?}");
                }
                _ => {}
            }
        }
        assert!(streams > 0);
    }
}

#[test]
fn every_scenario_comes_to_an_end_and_repeats_nothing_without_need() {
    for world in [
        World::healthy(),
        World::nrao(),
        window(),
        long_path_loss(),
        link_100m(),
        three_red_herrings(),
    ] {
        for expected in [None, Some(1e6), Some(100e9)] {
            let run = World {
                expected,
                ..world.clone()
            }
            .diagnose();
            let mut seen = run.asks.iter().map(|ask| format!("{ask:?}")).collect::<Vec<_>>();
            let all = seen.len();
            seen.sort();
            seen.dedup();
            assert!(all <= seen.len() + 1, "{:?}", run.kinds());
        }
    }
}

/// An ask that could not be carried out is not asked again, and what remains possible still is.
#[test]
fn refusals_are_not_repeated() {
    for reason in [
        NotMeasuredReason::Privilege,
        NotMeasuredReason::NoFarEnd,
        NotMeasuredReason::Refused,
        NotMeasuredReason::PeerGone,
        NotMeasuredReason::Failed,
    ] {
        let world = long_path_loss();
        let mut case = Case::new(world.complaint());
        let mut asked: Vec<Ask> = Vec::new();
        while let Some(ask) = plan(&case, 1, &world.means()) {
            assert!(
                asked.len() < 30,
                "{reason:?}: {:?}",
                asked.iter().map(kind).collect::<Vec<_>>()
            );
            assert!(!asked.contains(&ask), "{reason:?}: asked twice: {ask:?}");
            // Everything that takes more than a look is refused.
            let refused = ask.cost().intrusiveness >= Intrusiveness::Moderate;
            let answers = if refused {
                vec![Payload::NotMeasured(NotMeasured {
                    ask: ask.clone(),
                    reason,
                    detail: "no".into(),
                })]
            } else {
                world.answer(&ask)
            };
            answers
                .into_iter()
                .for_each(|payload| add(&mut case, ask.vantage(), payload));
            asked.push(ask);
        }
        assert!(
            asked.iter().any(|ask| matches!(ask, Ask::Echo { .. })),
            "{reason:?}"
        );
        let verdict = judge_round(&case, 1);
        assert_eq!(verdict.state, VerdictState::Inconclusive);
        assert!(
            verdict.not_tested.iter().any(|gap| gap.why.contains("no")),
            "{:?}",
            verdict.not_tested
        );
    }
}

#[test]
fn budgets_are_kept() {
    let world = long_path_loss();
    for budget_time_ms in [0, 100, 5_000, 20_000, 60_000] {
        let run = world.diagnose_with(Means {
            budget_time_ms,
            ..world.means()
        });
        assert!(run.time_ms <= budget_time_ms);
    }
    let bytes = Means {
        budget_bytes: Some(20_000_000),
        ..world.means()
    };
    let run = world.diagnose_with(bytes);
    for ask in &run.asks {
        assert!(
            ask.cost().bytes.is_some_and(|bytes| bytes <= 20_000_000),
            "{ask:?}"
        );
    }
}

/// An executor that answers with nothing at all must not be asked for ever.
#[test]
fn useless_answers_come_to_an_end() {
    let world = World::nrao();
    let mut case = Case::new(world.complaint());
    let mut count = 0;
    while let Some(ask) = plan(&case, 1, &world.means()) {
        count += 1;
        assert!(count <= 200, "asked {count} times");
        let Payload::Route(mut route) = world
            .answer(&Ask::Route {
                from: End::From,
                protocol: ProbeProtocol::Udp,
                flows: 1,
            })
            .remove(0)
        else {
            unreachable!()
        };
        route.flows.clear();
        add(&mut case, ask.vantage(), Payload::Route(route));
    }
}

/// After a repair the next round starts afresh: what was measured before says nothing about now.
#[test]
fn rounds_are_planned_apart() {
    let world = World::nrao();
    let run = world.diagnose();
    let first = plan(&run.case, 2, &world.means()).unwrap();
    assert_eq!(first, Ask::HostFacts { at: End::From });
}
