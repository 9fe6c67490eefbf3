//! What must hold of every verdict: it depends on what was seen and not on the order, hangs on no single observation
//! for naming another cause, and no input makes it fail.

mod common;

use common::scenarios::{ALL, edited};
use common::without;
use common::{judge, judge_round, plan};
use diagnosis::Means;
use evidence::v1::{
    Case, End, Explains, Finding, Location, Observation, ObservationId, Payload, RateBps, Timestamp, Verdict,
    VerdictState,
};
use proptest::prelude::*;

/// The verdict without the names of observations, which hold their time.
fn bare(mut verdict: Verdict) -> Verdict {
    let forget = |cites: &mut Vec<ObservationId>| cites.clear();
    for finding in &mut verdict.findings {
        finding
            .supports
            .iter_mut()
            .chain(&mut finding.contradicts)
            .for_each(|a| forget(&mut a.cites));
    }
    verdict.red_herrings.iter_mut().for_each(|h| forget(&mut h.cites));
    verdict.excluded.iter_mut().for_each(|e| forget(&mut e.cites));
    verdict
}

/// As if it had been measured in another order. Only readings of counters keep their times, as which came first is what
/// they say, and transfers with the probes beside them, as being at the same time is what "beside" says.
fn reordered(case: &Case, order: &[usize]) -> Case {
    let mut shuffled = Case::new(case.complaint.clone());
    for (place, index) in order.iter().enumerate() {
        let old = &case.observations()[*index];
        let mut provenance = old.provenance.clone();
        let timed = matches!(
            old.payload,
            Payload::InterfaceCounters(_) | Payload::Echo(_) | Payload::TcpThroughput(_)
        );
        if !timed {
            provenance.at = Timestamp(place as i64);
        }
        shuffled.add(Observation::new(provenance, old.payload.clone()));
    }
    shuffled
}

/// The causes that a verdict calls found.
fn found(verdict: &Verdict) -> Vec<&Finding> {
    let sure = |f: &&Finding| f.confidence >= 0.8 && f.explains != Explains::No && f.code != "OK-001";
    verdict.findings.iter().filter(sure).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_observations_does_not_matter(
        scenario in 0..ALL.len(),
        order in Just((0..40usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let case = (ALL[scenario].case)();
        let order: Vec<usize> = order.into_iter().filter(|i| *i < case.observations().len()).collect();
        let shuffled = reordered(&case, &order);
        prop_assert_eq!(bare(judge_round(&shuffled, 1)), bare(judge_round(&case, 1)), "{}", ALL[scenario].name);
        let means = Means::default();
        prop_assert_eq!(plan(&shuffled, 1, &means), plan(&case, 1, &means));
    }

    /// Hostile figures anywhere in transfers and sizes: no panic, and probabilities stay probabilities.
    #[test]
    fn hostile_figures_do_not_fail(
        scenario in 0..ALL.len(),
        rate in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(0.0), any::<f64>()],
        number in any::<u64>(),
        small in any::<u32>(),
        ttl in any::<u8>(),
    ) {
        let case = edited((ALL[scenario].case)(), |payload| spoil(payload, rate, number, small, ttl));
        let verdict = judge_round(&case, 1);
        for finding in &verdict.findings {
            prop_assert!((0.0..=1.0).contains(&finding.confidence), "{finding:?}");
        }
        let _ = plan(&case, 1, &Means::default());
    }
}

fn spoil(payload: &mut Payload, rate: f64, number: u64, small: u32, ttl: u8) {
    match payload {
        Payload::TcpThroughput(test) => {
            test.steady_bps = Some(RateBps(rate));
            test.bytes_received = number;
            for account in &mut test.sender_accounts {
                account.min_rtt_us = Some(small);
                account.send_mss_bytes = Some(small);
                account.busy_us = Some(number);
                account.retransmitted_segments = Some(number);
                account.data_segments_out = Some(u64::from(small));
                account.peer_window_bytes = Some(number);
                account.receive_window_limited_us = Some(number / 2);
            }
        }
        Payload::UdpStream(test) => {
            test.target_bps = RateBps(rate);
            test.packets_sent = number;
            test.packets_received = u64::from(small);
            test.loss_runs = vec![(number, number), (number, 1)];
            test.host_drops.receiver_socket = Some(number);
        }
        Payload::PathMtu(table) => {
            table.destination_ttl = Some(ttl);
            table.interface_mtu_bytes = small;
            table
                .cells
                .iter_mut()
                .for_each(|cell| cell.answered = (number % 70_000) as u16);
        }
        Payload::Echo(echo) => {
            echo.own_socket_drops = Some(number);
            for series in &mut echo.series {
                series.sent = u64::from(small);
                series.answered = number;
                series.ttl = series.ttl.wrapping_add(ttl);
            }
        }
        Payload::Route(route) => {
            for flow in &mut route.flows {
                flow.reached_ttl = Some(ttl);
                flow.hops
                    .iter_mut()
                    .for_each(|hop| hop.ttl = hop.ttl.wrapping_mul(ttl));
            }
        }
        _ => {}
    }
}

/// Every synthetic scenario, and every round of every recorded case.
fn all_cases() -> Vec<(String, Case, u32)> {
    let synthetic = ALL.iter().map(|s| (s.name.to_owned(), (s.case)(), 1));
    let recorded = common::recorded::names().into_iter().flat_map(|name| {
        let case = common::recorded::load(&name);
        case.rounds()
            .into_iter()
            .map(move |round| (name.clone(), case.clone(), round))
            .collect::<Vec<_>>()
    });
    synthetic.chain(recorded).collect()
}

/// Losing one observation may cost certainty. It must never make another cause certain.
#[test]
fn no_single_observation_decides_for_another_cause() {
    for (name, case, round) in all_cases() {
        let whole = judge_round(&case, round);
        for lost in case.round(round) {
            let verdict = judge_round(&without(&case, |o| o.id == lost.id), round);
            for finding in found(&verdict) {
                // With less to go by, a sibling or the family may be what is left to say.
                let family = |code: &str| code.split('-').next().unwrap_or_default().to_owned();
                let known = whole
                    .findings
                    .iter()
                    .any(|f| family(&f.code) == family(&finding.code));
                // The record that shows a fast transfer hides what that transfer does not feel.
                let fast = whole.state == VerdictState::Ok;
                // What two counters count is lost between them; whether errors or a queue lose it takes more tests to tell.
                let counted = matches!(finding.location, Location::Segment { .. });
                assert!(
                    known || fast || counted,
                    "{name} without {:?}: {} at {}",
                    kind(lost),
                    finding.code,
                    finding.confidence
                );
            }
        }
    }
}

fn kind(observation: &Observation) -> String {
    let text = format!("{:?}", observation.payload);
    text.chars().take(60).collect()
}

/// A finding is never surer than the verdict that calls it found, and OK never stands beside a cause.
#[test]
fn states_and_findings_agree() {
    for scenario in ALL {
        let verdict = judge_round(&(scenario.case)(), 1);
        let ok = verdict.findings.iter().any(|f| f.code == "OK-001");
        assert_eq!(ok, verdict.state == VerdictState::Ok, "{}", scenario.name);
        if verdict.state == VerdictState::Inconclusive {
            assert!(found(&verdict).is_empty(), "{}", scenario.name);
        }
    }
}

/// Repair and measure again: both rounds in one case, each judged by its own observations.
#[test]
fn rounds_are_judged_apart() {
    let before = common::World::nrao().diagnose().case;
    let after = common::World {
        hole: None,
        ..common::World::nrao()
    }
    .diagnose()
    .case;
    let mut both = before.clone();
    for observation in after.observations() {
        let mut provenance = observation.provenance.clone();
        provenance.round = 2;
        both.add(Observation::new(provenance, observation.payload.clone()));
    }
    let file = judge(&both);
    let states: Vec<VerdictState> = file.rounds.iter().map(|verdict| verdict.state).collect();
    assert_eq!(states, [VerdictState::Slow, VerdictState::Ok]);
    assert_eq!(file.rounds[0], judge_round(&before, 1));
    let promised = file.rounds[0].findings[0].after_fix_bps.unwrap();
    let measured = file.rounds[1].measured_bps.unwrap();
    assert!(
        (promised.low.0..=promised.high.0).contains(&measured.0),
        "{promised:?} {measured}"
    );
}

/// Facts of one direction must not leak into the other: the receiver's own probes are no evidence about the data's way.
#[test]
fn the_way_back_is_not_the_way_of_the_data() {
    let world = common::World::nrao();
    let mut case = Case::new(world.complaint());
    for ask in world.diagnose().asks {
        let healthy = common::World {
            hole: None,
            ..world.clone()
        };
        healthy
            .answer(&ask)
            .into_iter()
            .for_each(|payload| common::add(&mut case, End::From, payload));
    }
    world
        .answer(&evidence::v1::Ask::PathMtu { from: End::To })
        .into_iter()
        .for_each(|payload| common::add(&mut case, End::To, payload));
    let verdict = judge_round(&case, 1);
    assert_eq!(verdict.state, VerdictState::Ok, "{}", verdict.summary);
}
