//! Record twins: for each scenario, what the tools that everybody has print on its hosts, as `slowpath lab record` keeps
//! it. That text alone, added to a case, must lead to the same family of faults and to a place that contains the true
//! one, as far as those tools can see it.
//!
//! `sight.rs` says how far they can see, and why; `known.rs` lists the wrong answers that are known.
//! `cargo test -p slowpath --test record_twins -- --nocapture` prints the table of all, and
//! `… worlds -- --ignored --nocapture` what was weighed in those that are known to be wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod judged;
mod known;
mod map;
mod records;
mod set;
mod sight;

use judged::{Judged, Outcome};
use known::{KNOWN, known};
use records::Whose;
use set::Set;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The users' part of a set, and the operators', are small enough to read.
const LARGEST_SET_BYTES: u64 = 60_000;

fn describe(set: &Set, judged: &[(Whose, Judged)], table: &mut String) {
    let sight = set.sight();
    writeln!(table, "{}\n  truth: {}", set.name(), set.truth_in_words()).unwrap();
    writeln!(
        table,
        "  as far as the tools can see: {} ({})",
        sight.users, sight.why
    )
    .unwrap();
    if sight.operators != sight.users {
        writeln!(table, "  with the routers' counters: {}", sight.operators).unwrap();
    }
    for (whose, judged) in judged {
        writeln!(table, "  {whose}: {}", judged.outcome).unwrap();
        for said in &judged.said {
            writeln!(table, "    {said}").unwrap();
        }
        if let Some(known) = known(set.name(), *whose) {
            writeln!(table, "    KNOWN to be {}: {}", known.outcome, known.why).unwrap();
        }
    }
    for complaint in judged.last().iter().flat_map(|(_, judged)| &judged.not_read) {
        writeln!(table, "  not read: {complaint}").unwrap();
    }
}

/// What is not as it should be, or not as the list of known wrong answers says.
fn surprise(set: &Set, whose: Whose, outcome: Outcome) -> Option<String> {
    let expected = known(set.name(), whose).map_or(Outcome::Right, |known| known.outcome);
    let hint = match outcome {
        Outcome::Right => "right now: take it off the list in known.rs",
        _ => "not as it should be",
    };
    let (name, differs) = (set.name(), outcome != expected);
    differs.then(|| format!("{name}, text of the {whose}: {outcome}, expected {expected}; {hint}"))
}

#[test]
fn the_text_of_the_usual_tools_leads_to_the_truth_as_far_as_it_shows_it() {
    let (mut table, mut tally) = (String::new(), BTreeMap::<(Whose, Outcome), usize>::new());
    let mut surprises = Vec::new();
    for set in Set::all() {
        let judged = set.judge();
        describe(&set, &judged, &mut table);
        for (whose, judged) in &judged {
            *tally.entry((*whose, judged.outcome)).or_default() += 1;
            surprises.extend(surprise(&set, *whose, judged.outcome));
        }
    }
    for ((whose, outcome), count) in tally {
        writeln!(table, "{whose}: {count} {outcome}").unwrap();
    }
    writeln!(table, "{} known wrong answers", KNOWN.len()).unwrap();
    println!("{table}");
    assert!(surprises.is_empty(), "{}\n{table}", surprises.join("\n"));
}

#[test]
fn the_list_of_known_wrong_answers_names_sets_that_exist() {
    let sets = Set::all();
    for known in KNOWN {
        let judged = |set: &Set| set.name() == known.set && set.records.whose().contains(&known.whose);
        assert!(sets.iter().any(judged), "{known:?}");
        assert!(
            known.outcome != Outcome::Right && !known.why.is_empty(),
            "{known:?}"
        );
    }
}

#[test]
fn sets_are_small_and_made_on_a_network_that_was_what_it_should_be() {
    let sets = Set::all();
    assert!(sets.len() >= 8, "{} sets", sets.len());
    for set in sets {
        let (name, records) = (set.name(), &set.records);
        assert!(records.is_valid(), "{name}: record it again");
        for by_operator in [false, true] {
            let bytes = records.bytes(by_operator);
            assert!(bytes < LARGEST_SET_BYTES, "{name}: {bytes} bytes");
        }
        let missing = records.missing();
        assert!(missing.is_empty(), "{name}: recorded without {missing:?}");
    }
}
