//! Neither the order of the observations nor the loss of one leads to another cause.

use crate::{CASES, case};
use evidence::{Case, Explains, Finding, Observation, Verdict, VerdictState};

/// A fixed sequence of numbers (SplitMix64): the same orders in every run.
fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }
}

fn with(of: &Case, observations: impl IntoIterator<Item = Observation>) -> Case {
    let mut case = Case::new(of.complaint.clone());
    case.journal.clone_from(&of.journal);
    observations.into_iter().for_each(|o| case.add(o));
    case
}

#[test]
fn the_order_of_observations_never_changes_a_verdict() {
    for name in CASES {
        let case = case(name);
        let verdict = report::json(&diagnosis::judge(&case));
        for seed in 0..50 {
            let mut below = numbers(seed);
            let mut shuffled = case.observations().to_vec();
            for last in (1..shuffled.len()).rev() {
                shuffled.swap(last, below(last + 1));
            }
            let again = report::json(&diagnosis::judge(&with(&case, shuffled)));
            assert!(verdict == again, "{name}, order {seed}");
        }
    }
}

/// The main cause, where there is one.
fn cause(verdict: &Verdict) -> Option<&Finding> {
    verdict
        .findings
        .first()
        .filter(|f| verdict.state == VerdictState::Slow && f.explains != Explains::No)
}

#[test]
fn no_single_observation_lost_leads_to_another_cause() {
    for name in CASES {
        let whole = case(name);
        let before = diagnosis::judge(&whole);
        for lost in whole.observations() {
            let rest = whole.observations().iter().filter(|o| o.id != lost.id).cloned();
            let after = diagnosis::judge(&with(&whole, rest));
            for verdict in &after.rounds {
                let Some(now) = cause(verdict).filter(|now| now.confidence >= 0.8) else {
                    continue;
                };
                let then = before
                    .rounds
                    .iter()
                    .find(|v| v.round == verdict.round)
                    .and_then(cause);
                // With less evidence the cause may be told as its family.
                let family = |code: &str| code.split_once('-').map_or(code, |(family, _)| family).to_owned();
                let wider = |then: &str| family(then) == now.code;
                let same = then.is_some_and(|then| then.code == now.code || wider(&then.code));
                assert!(
                    same,
                    "{name}, round {}: without {:?} ({}) the cause is {} at {:.2} and not {:?}",
                    verdict.round,
                    lost.payload,
                    lost.id,
                    now.code,
                    now.confidence,
                    then.map(|f| &f.code)
                );
            }
        }
    }
}
