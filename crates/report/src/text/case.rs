//! The case around its verdict: the question before, the observations by round and the journal behind.

use super::paper::{Paper, Role};
use super::{table, verdict};
use crate::observations;
use crate::subject::Subject;
use crate::views;
use crate::words;
use evidence::{Complaint, Party};

/// The observations of all rounds, and what was found in the earlier ones.
pub(super) fn records(paper: &mut Paper, subject: &Subject) {
    for round in subject.case.rounds() {
        paper.blank();
        let began = subject
            .began(round)
            .map_or("time not recorded".to_owned(), words::when);
        entry(paper, 0, (Role::Label, "ROUND"), 7, format!("{round}, {began}"));
        for (number, observation) in subject.of_round(round) {
            let label = format!("o{number}");
            let kind = words::kind(&observation.payload);
            let vantage = subject.names.place(&observation.provenance.vantage);
            let undated = match observation.provenance.at_is_import_time {
                true => ", time not recorded",
                false => "",
            };
            let text = format!(
                "{kind} ({vantage}{undated}): {}",
                observations::summary(&observation.payload, &subject.names)
            );
            entry(paper, 1, (Role::Strong, &label), 7, text);
        }
        let judged = subject.verdicts.rounds.iter().find(|v| v.round == round);
        for table in views::tables(subject, round, judged) {
            paper.blank();
            table::write(paper, &table);
        }
        if let Some(earlier) = subject.earlier().iter().find(|v| v.round == round) {
            paper.blank();
            verdict::write_earlier(paper, subject, earlier);
        }
    }
}

/// What people did.
pub(super) fn journal(paper: &mut Paper, subject: &Subject) {
    if !subject.case.journal.is_empty() {
        paper.blank();
        entry(paper, 0, (Role::Label, "JOURNAL"), 7, String::new());
        for note in &subject.case.journal {
            entry(paper, 0, (Role::Plain, ""), 7, words::journal_line(note));
        }
    }
}

/// How much there is that was not shown.
pub(super) fn hint(paper: &mut Paper, subject: &Subject) {
    let rounds = subject.case.rounds().len();
    let counts = format!(
        "{}, {}: --records shows them",
        words::plural(
            subject.case.observations().len() as u64,
            "observation",
            "observations"
        ),
        words::plural(rounds as u64, "round", "rounds"),
    );
    paper.blank();
    entry(paper, 0, (Role::Label, "RECORDS"), 7, counts);
}

/// Whose transfer it is.
pub(super) fn question(paper: &mut Paper, complaint: &Complaint) {
    let text = match complaint.is_of_all() {
        true => format!("{}: all pairs of places", complaint.from.name),
        false => format!("{} -> {}", party(&complaint.from), party(&complaint.to)),
    };
    entry(paper, 0, (Role::Label, "CASE"), 7, text);
    let mut facts = vec![format!("opened {}", words::when(complaint.opened_at))];
    facts.extend(complaint.expected_bps.map(|rate| format!("{rate} expected")));
    facts.extend(
        complaint
            .since
            .as_ref()
            .map(|since| format!("slow since {since}")),
    );
    facts.extend(complaint.said_by.as_ref().map(|who| format!("says {who}")));
    facts.push(format!("kept at the {}", words::end(complaint.local_end)));
    entry(paper, 0, (Role::Plain, ""), 7, facts.join("; "));
}

/// A party's name, and its address where the name is not the address.
pub(crate) fn party(party: &Party) -> String {
    match party.address {
        Some(address) if address.to_string() != party.name => format!("{} ({address})", party.name),
        _ => party.name.clone(),
    }
}

fn entry(paper: &mut Paper, offset: usize, label: (Role, &str), indent: usize, text: String) {
    paper.line(offset, label, indent, vec![(Role::Plain, text)]);
}
