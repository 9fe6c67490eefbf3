//! What was done when: measurements with their length on one scale per round, and what people did between rounds.

use super::links::link;
use crate::names::hosts;
use crate::observations;
use crate::subject::{Subject, took_ns};
use crate::words;
use evidence::{JournalEntry, Observation, Payload, Timestamp};
use maud::{Markup, html};

/// A day in nanoseconds.
const DAY_NS: u64 = 86_400_000_000_000;

pub(super) fn section(subject: &Subject) -> Markup {
    let rounds = subject.case.rounds();
    let mut journal: Vec<&JournalEntry> = subject.case.journal.iter().collect();
    html! {
        section {
            h2 id="time" { "Timeline" }
            @if rounds.is_empty() && journal.is_empty() { p.soft { "Nothing has happened yet." } }
            @for round in rounds {
                @let began = subject.began(round);
                (entries(take_before(&mut journal, round, began)))
                h3 { "Round " (round) @if let Some(at) = began { ", " (words::when(at)) } }
                (measurements(subject, round))
            }
            (entries(journal))
        }
    }
}

/// Takes the entries that belong before `round`: by what they say, else by their time.
fn take_before<'a>(
    journal: &mut Vec<&'a JournalEntry>,
    round: u32,
    began: Option<Timestamp>,
) -> Vec<&'a JournalEntry> {
    let is_before = |entry: &JournalEntry| match entry.before_round {
        Some(before) => before <= round,
        None => began.is_some_and(|at| entry.at < at),
    };
    let (before, later) = journal.iter().copied().partition(|entry| is_before(entry));
    *journal = later;
    before
}

fn entries(entries: Vec<&JournalEntry>) -> Markup {
    html! {
        @if !entries.is_empty() {
            ul.time {
                @for entry in entries {
                    li.done {
                        (words::when(entry.at)) ", " b { (entry.who) }
                        @if let Some(network) = &entry.network { " (" (network) ")" }
                        ": " (entry.what)
                    }
                }
            }
        }
    }
}

fn measurements(subject: &Subject, round: u32) -> Markup {
    let (undated, dated): (Vec<_>, Vec<_>) = subject
        .of_round(round)
        .into_iter()
        .partition(|(_, o)| o.provenance.at_is_import_time);
    html! {
        (on_one_scale(subject, &dated, subject.began(round).unwrap_or(Timestamp(0))))
        @if !undated.is_empty() {
            p.soft { "Time not recorded:" }
            ul.time { @for (number, o) in undated { li.undated { (link(number)) (what(subject, o)) } } }
        }
    }
}

/// Each measurement with its length, from the beginning of the round.
fn on_one_scale(subject: &Subject, dated: &[(usize, &Observation)], began: Timestamp) -> Markup {
    let end_ns = |o: &Observation| {
        let start = u64::try_from(o.provenance.at.since_ns(began)).unwrap_or(0);
        start.saturating_add(took_ns(&o.payload).unwrap_or(0))
    };
    let length_ns = dated.iter().map(|(_, o)| end_ns(o)).max().unwrap_or(0).max(1);
    let place = |o: &Observation| {
        let share = |ns: u64| 100.0 * ns as f64 / length_ns as f64;
        let end = end_ns(o);
        let took = took_ns(&o.payload).unwrap_or(0);
        format!(
            "left:{:.2}%;width:{:.2}%",
            share(end.saturating_sub(took)).min(99.0),
            share(took).min(100.0)
        )
    };
    // Records of several days need their day, our own measurements of a minute their milliseconds.
    let at = |o: &Observation| match length_ns >= DAY_NS {
        true => words::minute(o.provenance.at),
        false => words::clock(o.provenance.at),
    };
    html! {
        ul.time {
            @for (number, o) in dated {
                li {
                    span.soft { (at(o)) }
                    (link(*number))
                    span.track { i.idle style=(place(o)) {} }
                    (what(subject, o))
                }
            }
        }
    }
}

/// The kind, the place, and in short what it is of.
fn what(subject: &Subject, o: &Observation) -> Markup {
    html! {
        span.what {
            (words::kind(&o.payload)) " " span.soft { "(" (subject.names.place(&o.provenance.vantage)) ")" }
            @if let Some(took) = took_ns(&o.payload) { ", " (words::long(took)) }
            @if let Some(of) = brief(subject, &o.payload) { ": " span.soft { (of) } }
        }
    }
}

/// Traces and probes say in many words what they saw: here between whom is enough.
fn brief(subject: &Subject, payload: &Payload) -> Option<String> {
    match payload {
        Payload::HostFacts(_) => None,
        Payload::Trace(_) | Payload::Probes(_) => {
            hosts(payload).map(|(from, to)| subject.names.pair(from, to))
        }
        _ => Some(observations::summary(payload, &subject.names)),
    }
}
