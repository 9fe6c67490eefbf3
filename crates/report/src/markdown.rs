//! The verdict as Markdown, to paste into a ticket.

mod escape;

use crate::clean::clean_document;
use crate::comparison::comparison;
use crate::message::{message_of, wrapped};
use crate::observations;
use crate::subject::{self, Subject};
use crate::table::{Cell, Table, Tone};
use crate::text::{comparison_tables, party, rate_account};
use crate::views;
use crate::words;
use escape::{escape, fenced, id_digits};
use evidence::{Argument, Case, Finding, ObservationId, Verdict, VerdictFile, VerdictState};
use std::fmt::Write as _;

/// The newest verdict, what became of earlier rounds, the observations cited, and a message for the operators.
///
/// Text from others is escaped: it cannot become a heading, a link, an image or HTML, and mentions nobody.
#[must_use]
pub fn markdown(case: &Case, verdicts: &VerdictFile) -> String {
    let subject = Subject::new(case, verdicts);
    let mut out = String::new();
    let complaint = &case.complaint;
    let ends = match complaint.is_of_all() {
        true => format!("{}: all pairs of places", complaint.from.name),
        false => format!("{} → {}", party(&complaint.from), party(&complaint.to)),
    };
    let _ = writeln!(out, "# {}\n", escape(&ends));
    match subject.latest() {
        Some(verdict) => verdict_section(&mut out, &subject, verdict),
        None => out.push_str("**NOT MEASURED**: no measurement is in this case yet.\n\n"),
    }
    for earlier in subject.earlier().iter().rev() {
        earlier_section(&mut out, &subject, earlier);
    }
    journal(&mut out, case);
    measured(&mut out, &subject);
    evidence_table(&mut out, &subject);
    if let Some(verdict) = subject.latest() {
        message(&mut out, &subject, verdict);
    }
    clean_document(&out)
}

fn verdict_section(out: &mut String, subject: &Subject, verdict: &Verdict) {
    let _ = write!(out, "**{}**", words::state(verdict.state));
    if verdict.state != VerdictState::NotMeasured && !subject.case.complaint.is_of_all() {
        let _ = write!(out, ": {}", subject::rates(verdict));
    }
    let _ = writeln!(out, "\n\n{}\n", escape(&verdict.summary));
    rounds(out, subject);
    findings(out, subject, verdict);
    bullets(
        out,
        "Not tested",
        verdict
            .not_tested
            .iter()
            .map(|gap| format!("{}: {}", escape(&gap.what), escape(&gap.why))),
    );
    let _ = writeln!(out, "**Next:** {}\n", escape(subject::next(verdict)));
}

/// A round that others followed: what it found.
fn earlier_section(out: &mut String, subject: &Subject, verdict: &Verdict) {
    let _ = writeln!(
        out,
        "# Round {}: {}\n\n{}\n",
        verdict.round,
        words::state(verdict.state),
        escape(&verdict.summary)
    );
    findings(out, subject, verdict);
    message(out, subject, verdict);
}

fn message(out: &mut String, subject: &Subject, verdict: &Verdict) {
    if let Some(message) = message_of(subject, verdict) {
        let _ = writeln!(
            out,
            "## Message to the operators\n\n{}",
            fenced(&wrapped(&message))
        );
    }
}

fn findings(out: &mut String, subject: &Subject, verdict: &Verdict) {
    for (index, finding) in verdict.findings.iter().enumerate() {
        finding_section(out, subject, verdict, index, finding);
    }
    exclusions(out, subject, verdict);
}

fn rounds(out: &mut String, subject: &Subject) {
    let rounds = &subject.verdicts.rounds;
    if rounds.len() < 2 {
        return;
    }
    out.push_str("## Before and after\n\n| round | began | verdict |\n|---|---|---|\n");
    for (index, verdict) in rounds.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|i| rounds.get(i));
        for entry in before
            .into_iter()
            .flat_map(|b| subject.interventions(b.round, verdict.round))
        {
            let text = format!("{}: {}", entry.who, entry.what);
            let _ = writeln!(out, "| | {} | *{}* |", words::when(entry.at), escape(&text));
        }
        let began = subject.began(verdict.round).map_or(String::new(), words::when);
        let change = before.and_then(|b| subject::change(b, verdict));
        let change = change.map_or(String::new(), |c| format!(" ({c})"));
        let _ = writeln!(
            out,
            "| {} | {began} | {}{change} |",
            verdict.round,
            escape(&subject::outcome(verdict))
        );
    }
    out.push('\n');
    for pair in rounds.windows(2) {
        if let [before, after] = pair {
            let compared = comparison(subject.case, before.round, after.round, subject.verdicts);
            comparison_tables(&compared).iter().for_each(|t| table(out, t));
            bullets(
                out,
                &format!("Measured in round {}, not in round {}", before.round, after.round),
                compared.not_measured_again.iter().map(|what| escape(what)),
            );
        }
    }
}

fn finding_section(out: &mut String, subject: &Subject, verdict: &Verdict, index: usize, finding: &Finding) {
    let role = subject::part(verdict, index).name();
    let (fix, ask) = subject::advice(verdict, index);
    let _ = writeln!(
        out,
        "## {role}: {} ({})\n",
        escape(&finding.code),
        words::percent(finding.confidence)
    );
    let _ = writeln!(out, "{}\n", escape(&finding.claim));
    let _ = writeln!(
        out,
        "- **Where:** {}; {}",
        escape(&finding.location.to_string()),
        words::direction(finding.direction)
    );
    let _ = writeln!(out, "- **Rate:** {}", escape(&rate_account(verdict, finding)));
    arguments(out, subject, "For", &finding.supports);
    arguments(out, subject, "Against", &finding.contradicts);
    for (name, text) in [
        (
            "Cannot be told apart",
            finding.cannot_tell_from.as_deref().unwrap_or_default(),
        ),
        ("Fix", fix),
        ("Ask", ask),
    ] {
        if !text.is_empty() {
            let _ = writeln!(out, "- **{name}:** {}", escape(text));
        }
    }
    out.push('\n');
}

fn arguments(out: &mut String, subject: &Subject, name: &str, arguments: &[Argument]) {
    if arguments.is_empty() {
        let _ = writeln!(out, "- **{name}:** nothing");
    }
    for argument in arguments {
        let _ = writeln!(
            out,
            "- **{name}:** {}{}",
            escape(&argument.text),
            cited(subject, &argument.cites)
        );
    }
}

fn exclusions(out: &mut String, subject: &Subject, verdict: &Verdict) {
    let herrings = verdict.red_herrings.iter().map(|h| {
        format!(
            "{}: {}{}",
            escape(h.seen.trim_end_matches('.')),
            escape(&h.why_not),
            cited(subject, &h.cites)
        )
    });
    let excluded = verdict.excluded.iter().map(|x| {
        format!(
            "{}: {}{}",
            escape(&x.code),
            escape(&x.why),
            cited(subject, &x.cites)
        )
    });
    bullets(out, "Not the cause", herrings.chain(excluded));
}

fn bullets(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let _ = writeln!(out, "## {title}\n");
    lines.for_each(|line| {
        let _ = writeln!(out, "- {line}");
    });
    out.push('\n');
}

fn journal(out: &mut String, case: &Case) {
    let lines = case
        .journal
        .iter()
        .map(|entry| escape(&words::journal_line(entry)));
    bullets(out, "Journal", lines);
}

/// What was measured and recorded, round by round.
fn measured(out: &mut String, subject: &Subject) {
    for round in subject.case.rounds() {
        let verdict = subject.verdicts.rounds.iter().find(|v| v.round == round);
        let tables = views::tables(subject, round, verdict);
        if !tables.is_empty() {
            let _ = writeln!(out, "## Measured in round {round}\n");
        }
        tables.iter().for_each(|t| table(out, t));
    }
}

fn table(out: &mut String, table: &Table) {
    let _ = writeln!(out, "### {} {}\n", escape(&table.title), escape(&table.cited()));
    let marked = table.rows.iter().any(|row| row.mark.is_some());
    let columns = table
        .rows
        .iter()
        .map(|r| r.cells.len())
        .chain([table.head.len()])
        .max()
        .unwrap_or(0);
    let line = |out: &mut String, cells: Vec<String>| {
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    let mut head: Vec<String> = table.head.iter().map(|h| escape(h)).collect();
    head.resize(columns, String::new());
    head.extend(marked.then(String::new));
    line(out, head);
    line(out, vec!["---".to_owned(); columns + usize::from(marked)]);
    for row in &table.rows {
        let strong = |cell: &Cell| match cell.tone {
            Tone::Bad if !cell.text.is_empty() => format!("**{}**", escape(&cell.text)),
            _ => escape(&cell.text),
        };
        let mut cells: Vec<String> = row.cells.iter().map(strong).collect();
        cells.resize(columns, String::new());
        if marked {
            cells.push(
                row.mark
                    .as_deref()
                    .map_or(String::new(), |m| format!("**{}**", escape(m))),
            );
        }
        line(out, cells);
    }
    out.push('\n');
    for note in &table.notes {
        let _ = writeln!(out, "{}\n", escape(note));
    }
}

/// All observations: whoever reads the ticket can ask for the one that a claim rests on.
fn evidence_table(out: &mut String, subject: &Subject) {
    if subject.case.observations().is_empty() {
        return;
    }
    out.push_str("## Evidence\n\n| | id | round | at | what |\n|---|---|---|---|---|\n");
    for (number, o) in subject.numbered() {
        let kind = words::kind(&o.payload);
        let text = format!(
            "{kind} ({}): {}",
            subject.names.place(&o.provenance.vantage),
            observations::summary(&o.payload, &subject.names)
        );
        let (round, at) = (o.provenance.round, words::made(&o.provenance));
        let _ = writeln!(
            out,
            "| o{number} | `{}` | {round} | {at} | {}{} |",
            id_digits(&o.id),
            escape(&text),
            raw_record(&o.provenance)
        );
    }
    out.push('\n');
}

/// Where in the case's `raw/` the record is, in short.
fn raw_record(provenance: &evidence::Provenance) -> String {
    let raw = provenance
        .raw_sha256
        .as_deref()
        .filter(|raw| words::is_sha256(raw));
    let Some(raw) = raw.and_then(|raw| raw.get(..12)) else {
        return String::new();
    };
    let lines = provenance
        .raw_lines
        .map_or(String::new(), |lines| format!(" {}", words::lines(lines)));
    format!(" (`raw/{raw}…`{lines}, {})", escape(&provenance.tool))
}

fn cited(subject: &Subject, cites: &[ObservationId]) -> String {
    subject
        .cited(cites)
        .map_or(String::new(), |c| format!(" {}", escape(&c)))
}
