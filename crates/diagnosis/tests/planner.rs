//! The planner, driven by synthetic worlds: which asks it makes, that it comes to an end, and in what time.

mod common;

use common::scenarios::{icmp_filtered, link_100m, long_path_loss, three_red_herrings, window};
use common::{World, add, judge_round, kind, plan};
use diagnosis::{Candidate, Means, Plan, Standing};
use evidence::v1::{
    Ask, Case, End, Intrusiveness, NotMeasured, NotMeasuredReason, Payload, ProbeProtocol, VerdictState,
};

fn asks(world: &World) -> Vec<String> {
    world.diagnose().kinds()
}

/// What makes the map and shows the complaint: the same for all.
const START: [&str; 4] = ["host:from", "host:to", "route:from", "tcp:1"];

/// The asks after the opening.
fn after_the_opening(world: &World) -> Vec<String> {
    let asked = asks(world);
    assert_eq!(asked[..START.len()], START);
    asked[START.len()..].to_vec()
}

fn place(asked: &[String], of: &str) -> Option<usize> {
    asked.iter().position(|ask| ask == of)
}

#[test]
fn a_black_hole_takes_a_transfer_that_fits_and_a_look_at_small_packets() {
    for world in [World::nrao(), icmp_filtered()] {
        let asked = after_the_opening(&world);
        let (sizes, fitting) = (place(&asked, "pmtu:from"), place(&asked, "tcp:1:mss1460"));
        assert!(sizes.is_some() && fitting > sizes, "{asked:?}");
        assert!(asked.contains(&"udp:from".to_owned()), "{asked:?}");
    }
}

/// The bar of the incident: a verdict in 20 s. Costs are upper bounds, and a stalled transfer ends after 3 s of 5.
#[test]
fn a_black_hole_is_diagnosed_within_twenty_seconds() {
    for world in [World::nrao(), icmp_filtered(), World::nrao().over_ipv6()] {
        let run = world.diagnose();
        assert!(run.time_ms <= 20_000, "{} ms: {:?}", run.time_ms, run.kinds());
    }
}

/// Several connections or a faster stream: both go round what limits one connection.
#[test]
fn a_small_window_takes_something_that_it_does_not_limit() {
    let asked = after_the_opening(&window());
    assert!(
        asked.iter().any(|ask| ask == "tcp:4" || ask == "udp:from"),
        "{asked:?}"
    );
}

#[test]
fn loss_is_hunted_then_located_by_halving() {
    let run = long_path_loss().diagnose();
    let asked = run.kinds();
    let hops: Vec<u8> = run
        .asks
        .iter()
        .filter_map(|ask| match ask {
            Ask::HopLoss { ttls, .. } => ttls.first().copied(),
            _ => None,
        })
        .collect();
    let first = |of: &str| place(&asked, of).unwrap_or(usize::MAX);
    assert!(!hops.is_empty() && hops.len() <= 4, "{asked:?}");
    // The middle of seven links, and in the end the two hops around the fifth.
    assert!((3..=5).contains(&hops[0]), "{asked:?}");
    assert!(hops.contains(&4) && hops.contains(&5), "{asked:?}");
    let reading = first("udp:from").max(first("echo:from"));
    assert!(reading < first(&format!("hop-loss:[{}]", hops[0])), "{asked:?}");
    assert!(run.time_ms <= 120_000, "{} ms", run.time_ms);
}

#[test]
fn a_full_link_takes_a_faster_udp_stream() {
    let run = link_100m().diagnose();
    let faster = |ask: &Ask| matches!(ask, Ask::UdpStream { rate_bps, .. } if rate_bps.0 > 100e6);
    assert!(run.asks.iter().any(faster), "{:?}", run.kinds());
}

#[test]
fn a_healthy_path_is_left_alone() {
    assert_eq!(after_the_opening(&three_red_herrings()), ["echo:from"]);
    assert_eq!(after_the_opening(&World::healthy()), ["echo:from"]);
}

#[test]
fn without_a_far_end_only_the_path_is_probed() {
    let alone = World {
        far_end: false,
        ..World::nrao()
    };
    let sorted = |world: &World| {
        let mut asked = asks(world);
        asked[2..].sort();
        asked
    };
    assert_eq!(
        sorted(&alone),
        ["host:from", "route:from", "echo:from", "pmtu:from"]
    );
    let receiving = World {
        far_end: false,
        local_end: End::To,
        ..World::healthy()
    };
    assert_eq!(sorted(&receiving), ["host:to", "route:to", "echo:to", "pmtu:to"]);
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

fn explained(case: &Case, world: &World) -> Plan {
    diagnosis::explain_plan(&evidence::migrate::case(case.clone()), 1, &world.means())
}

/// Every plan on the way of these diagnoses.
fn all_plans(mut each: impl FnMut(&str, &Plan, Option<&Plan>)) {
    let worlds = [
        (
            "healthy",
            World {
                expected: None,
                ..World::healthy()
            },
        ),
        ("black hole", World::nrao()),
        ("window", window()),
        ("loss", long_path_loss()),
        ("link", link_100m()),
    ];
    for (name, world) in worlds {
        let mut case = Case::new(world.complaint());
        let mut before: Option<Plan> = None;
        for _ in 0..30 {
            let now = explained(&case, &world);
            each(name, &now, before.as_ref());
            let Some(ask) = plan(&case, 1, &world.means()) else {
                break;
            };
            for payload in world.answer(&ask) {
                add(&mut case, ask.vantage(), payload);
            }
            before = Some(now);
        }
    }
}

#[test]
fn the_plan_is_the_head_of_its_explanation_and_what_is_asked_stands_first() {
    let world = long_path_loss();
    let run = world.diagnose();
    let plan = explained(&run.case, &world);
    assert_eq!(plan.next(), None);
    assert!(plan.stopped.is_some());
    all_plans(|name, plan, _| {
        assert_eq!(plan.next().is_some(), plan.stopped.is_none(), "{name}");
        let open: Vec<bool> = plan.candidates.iter().map(|c| c.standing.is_open()).collect();
        assert!(open.is_sorted_by(|a, b| a >= b), "{name}: {open:?}");
        let worth: Vec<f64> = plan
            .candidates
            .iter()
            .filter(|c| c.standing == Standing::Worth)
            .filter_map(Candidate::bits_per_s)
            .collect();
        assert!(worth.is_sorted_by(|a, b| a >= b), "{name}: {worth:?}");
    });
}

#[test]
fn gains_are_never_negative_and_no_more_than_what_is_in_doubt() {
    all_plans(|name, plan, _| {
        for candidate in &plan.candidates {
            let gain = candidate.gain_bits.unwrap_or(0.0);
            assert!((0.0..=6.0).contains(&gain), "{name}: {candidate:?}");
            assert!(candidate.bits_per_s().unwrap_or(0.0) >= 0.0);
        }
    });
}

/// What was asked gains less when it is asked again.
#[test]
fn a_repeat_gains_less() {
    all_plans(|name, now, before| {
        let Some(asked) = before.and_then(|plan| plan.candidates.first()) else {
            return;
        };
        if asked.standing != Standing::Worth {
            return;
        }
        let same = |other: &evidence::Ask| match (other, &asked.ask) {
            (evidence::Ask::HopLoss { ttls, .. }, evidence::Ask::HopLoss { ttls: asked, .. }) => {
                ttls == asked
            }
            (other, asked) => other == asked,
        };
        let again = now.candidates.iter().filter(|candidate| same(&candidate.ask));
        for again in again {
            assert!(
                again.gain_bits < asked.gain_bits,
                "{name}: {asked:?} then {again:?}"
            );
        }
    });
}

#[test]
fn what_cannot_be_asked_says_why() {
    let world = World {
        raw_sockets: false,
        ..long_path_loss()
    };
    let run = world.diagnose();
    let plan = explained(&run.case, &world);
    let hop = |c: &&Candidate| matches!(c.ask, evidence::Ask::HopLoss { .. });
    let hops: Vec<Standing> = plan.candidates.iter().filter(hop).map(|c| c.standing).collect();
    assert!(
        !hops.is_empty() && hops.iter().all(|standing| *standing == Standing::NeedsPrivilege),
        "{hops:?}"
    );
    let transfer = |c: &&Candidate| matches!(c.ask, evidence::Ask::TcpThroughput { streams: 1, .. });
    assert!(
        plan.candidates
            .iter()
            .filter(transfer)
            .any(|c| c.standing == Standing::Done)
    );
    let poor = Means {
        budget_time_ms: 1_000,
        ..world.means()
    };
    let plan = diagnosis::explain_plan(&evidence::migrate::case(run.case), 1, &poor);
    assert!(plan.candidates.iter().any(|c| c.standing == Standing::OverBudget));
}
