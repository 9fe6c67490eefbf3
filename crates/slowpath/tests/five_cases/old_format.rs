//! A case that an earlier version of this program wrote in format 1 is read without loss: the lines of
//! `format_1/` keep their ids, hold the same evidence as the case of today, and lead to the same verdict.

use crate::verdicts::words;
use crate::{case, read_case};
use evidence::{Case, Observation, ObservationId, intact_id};
use std::collections::BTreeSet;
use std::path::Path;

fn directory() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/five_cases/format_1")
}

#[track_caller]
fn of_format_1() -> (Case, BTreeSet<ObservationId>) {
    let text = std::fs::read_to_string(directory().join("observations.jsonl")).unwrap();
    let ids = text.lines().map(|line| intact_id(line).unwrap()).collect();
    (read_case(&directory()), ids)
}

/// What an observation says, without its name. Which lines of a file it stands on, notes of the tool above it included, a
/// later reader may know better.
fn said(observation: &Observation) -> String {
    let mut provenance = observation.provenance.clone();
    (provenance.was, provenance.raw_lines) = (None, None);
    serde_json::to_string(&(provenance, &observation.payload)).unwrap()
}

#[test]
fn its_lines_keep_their_ids() {
    let (old, ids) = of_format_1();
    assert_eq!(old.complaint.schema, 1);
    let read: BTreeSet<_> = old.observations().iter().map(|o| o.id.clone()).collect();
    assert_eq!(read, ids);
    for observation in old.observations() {
        assert_eq!(observation.provenance.was.as_ref(), Some(&observation.id));
        // Written anew it has a name that fits, and tells the old one.
        let line = observation.to_line();
        let id = intact_id(&line).unwrap();
        assert_ne!(id, observation.id);
        assert!(
            line.contains(&format!("\"was\":\"{}\"", observation.id.0)),
            "{line}"
        );
    }
}

#[test]
fn it_holds_the_evidence_of_the_case_of_today() {
    let (old, _) = of_format_1();
    let new = case("slac-stanford-2000");
    let all = |case: &Case| -> BTreeSet<String> { case.observations().iter().map(said).collect() };
    assert_eq!(all(&old), all(&new));
    assert_eq!(old.journal, new.journal);
}

#[test]
fn it_leads_to_the_same_verdict() {
    let (old, ids) = of_format_1();
    let verdicts = |case: &Case| diagnosis::judge(case).rounds;
    let (before, now) = (verdicts(&old), verdicts(&case("slac-stanford-2000")));
    assert_eq!(
        before.iter().map(words).collect::<Vec<_>>(),
        now.iter().map(words).collect::<Vec<_>>()
    );
    let cited = before.iter().flat_map(|verdict| &verdict.findings);
    let cited: Vec<_> = cited
        .flat_map(|f| &f.supports)
        .flat_map(|argument| &argument.cites)
        .collect();
    assert!(!cited.is_empty() && cited.iter().all(|id| ids.contains(id)));
}
