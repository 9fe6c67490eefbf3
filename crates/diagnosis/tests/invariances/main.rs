//! What a verdict must not depend on, tried on every case that the repository holds: the five incidents, the record twins of
//! the lab's scenarios, the cases recorded in the lab, the synthetic scenarios of the other tests, and a sample of the
//! graded worlds.
//!
//! | what is done to the case | what must stay | what may change |
//! |---|---|---|
//! | observations in another order, import times exchanged | codes, places, confidences to a point | nothing |
//! | names and addresses replaced, neighbourhoods and domains kept | codes, places under their new names, confidences to a point | words |
//! | all times shifted by the same | codes, places, confidences to a point | times in words |
//! | each record handed in five times, out of other files or at other import times | codes, places, confidences to a point | who is cited |
//! | records of strangers added: a ping, a transfer, a device's counters, a host's settings | main cause and its place; its confidence to five points | remarks beside it |
//! | one record dropped | no family of causes gets 80 % that was not named before, but for the true one where that is known | confidences, places |
//! | one record contradicted by another of the same tool: ten times or a tenth of the rate, other loss, ten times the figure | the same | the same |
//!
//! `known.rs` lists where this does not hold yet; whatever else does not hold makes a test fail.
//! `cargo test -p diagnosis --test invariances -- --nocapture` prints what is known, and what of it holds by now.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

mod change;
mod contradict;
mod copies;
mod known;
#[path = "../../../slowpath/tests/record_twins/records.rs"]
#[allow(dead_code, reason = "shared with the test of the twins")]
mod records;
mod rename;
mod said;
mod strangers;
mod subjects;

use evidence::{Case, Observation, ObservationId};
use known::hold;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rename::Renaming;
use said::Said;
use subjects::{Subject, subjects};

/// Rounding and another order of sums are not to be felt.
const A_POINT: f64 = 0.01;
/// What strangers' records may do to the confidence of the main cause.
const FIVE_POINTS: f64 = 0.05;
/// Of the records of a case so many are dropped, one at a time, and so many contradicted.
const MOST_DROPPED: usize = 2;
const MOST_CONTRADICTED: usize = 2;

/// Tries all subjects. `broken` says what does not hold of one.
fn try_all(invariance: &str, broken: impl Fn(&Subject, &Said) -> Option<String>) {
    let subjects = subjects();
    let mut failures = Vec::new();
    for subject in subjects {
        let before = Said::of(subject.verdict());
        if let Some(what) = broken(subject, &before) {
            failures.push((subject.name.clone(), what));
        }
    }
    hold(invariance, subjects, &failures);
}

#[test]
fn the_order_of_observations() {
    try_all("order", |subject, before| {
        let mut random = StdRng::seed_from_u64(1);
        let shuffled = change::shuffled(&subject.case, &mut random);
        let verdict = diagnosis::judge_round(&shuffled, subject.round);
        if verdict != *subject.verdict() {
            return Some("another verdict by the order of adding".to_owned());
        }
        let exchanged = change::import_times_exchanged(&subject.case, &mut random);
        before.differs(&subject.said_of(&exchanged), A_POINT)
    });
}

#[test]
fn names_and_addresses() {
    try_all("names", |subject, before| {
        let renaming = Renaming::of(&subject.case);
        let after = subject.said_of(&renaming.case(&subject.case));
        before.renamed(&renaming).differs(&after, A_POINT)
    });
}

#[test]
fn the_time_of_day_and_the_year() {
    /// A thousand days, and seven hours.
    const SHIFT_NS: i64 = (1000 * 24 + 7) * 3_600_000_000_000;
    try_all("times", |subject, before| {
        let shifted = change::shifted(&subject.case, SHIFT_NS);
        before.differs(&subject.said_of(&shifted), A_POINT)
    });
}

#[test]
fn records_handed_in_five_times() {
    try_all("copies", |subject, before| {
        let copied = copies::out_of_other_files(&subject.case);
        before.differs(&subject.said_of(&copied), A_POINT)
    });
}

#[test]
fn records_added_again_later() {
    try_all("later copies", |subject, before| {
        let copied = copies::at_other_import_times(&subject.case);
        before.differs(&subject.said_of(&copied), A_POINT)
    });
}

#[test]
fn records_of_strangers() {
    try_all("strangers", |subject, before| {
        let differs = |records: Vec<Observation>| {
            let mut case = subject.case.clone();
            records.into_iter().for_each(|record| case.add(record));
            before.main_differs(&subject.said_of(&case), FIVE_POINTS)
        };
        let each = strangers::each(subject.round);
        let differs_by_all = differs(each.iter().map(|(_, record)| record.clone()).collect())?;
        // Only to say which of them it is.
        let alone = |record: &Observation| differs(vec![record.clone()]).is_some();
        let culprits: Vec<&str> = each
            .iter()
            .filter(|(_, r)| alone(r))
            .map(|(what, _)| *what)
            .collect();
        Some(format!("by {}: {differs_by_all}", culprits.join(", by ")))
    });
}

#[test]
fn one_record_less() {
    try_all("dropped", |subject, before| {
        accused_with_less(subject, before, MOST_DROPPED)
    });
}

#[test]
fn one_record_contradicted() {
    try_all("contradicted", |subject, before| {
        accused_by_contradiction(subject, before, MOST_CONTRADICTED)
    });
}

/// The first record without which something else is accused.
fn accused_with_less(subject: &Subject, before: &Said, most: usize) -> Option<String> {
    sample(subject).into_iter().take(most).find_map(|id| {
        let less = without(&subject.case, id);
        let accusation = before.new_accusation(&subject.said_of(&less), subject.truth)?;
        Some(format!("without {}: {accusation}", subject.describe(id)))
    })
}

/// The first contradiction by which something else is accused.
fn accused_by_contradiction(subject: &Subject, before: &Said, most: usize) -> Option<String> {
    let records = sample(subject).into_iter();
    let contradictions = records.flat_map(|id| contradict::all(subject.observation(id)));
    contradictions.take(most).find_map(|(what, record)| {
        let mut case = subject.case.clone();
        case.add(record);
        let accusation = before.new_accusation(&subject.said_of(&case), subject.truth)?;
        Some(format!("{what}: {accusation}"))
    })
}

/// The records of the round, in an order by chance that is always the same.
fn sample(subject: &Subject) -> Vec<&ObservationId> {
    let mut ids: Vec<&ObservationId> = subject.case.round(subject.round).map(|o| &o.id).collect();
    ids.shuffle(&mut StdRng::seed_from_u64(2));
    ids
}

fn without(case: &Case, id: &ObservationId) -> Case {
    change::rebuilt(case, |observation| {
        (observation.id != *id).then(|| observation.clone())
    })
}
