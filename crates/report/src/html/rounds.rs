//! Before and after: the rounds of a case side by side, with what people did between them.

use super::{table, tone};
use crate::comparison::comparison;
use crate::observations;
use crate::path_view::reached_sizes;
use crate::subject::{self, Subject};
use crate::text::comparison_tables;
use crate::words;
use evidence::v1::{EchoContext, EchoMode, Nanos, Payload, SizeProbeMode, Verdict};
use maud::{Markup, html};

/// What a round without such a measurement says.
const UNKNOWN: &str = "not measured";

pub(super) fn before_and_after(subject: &Subject) -> Markup {
    let rounds = &subject.verdicts.rounds;
    if rounds.len() < 2 {
        return html! {};
    }
    html! {
        section {
            h2 id="rounds" { "Before and after" }
            div.scroll {
                table.table {
                    thead { tr { th {} @for v in rounds { th scope="col" { "Round " (v.round) } } } }
                    tbody {
                        (line(rounds, "began", |v| subject.began(v.round).map_or_else(String::new, words::when)))
                        tr {
                            th scope="row" { "verdict" }
                            @for v in rounds { td { span.tone.(tone(v.state)) { (words::state(v.state)) } } }
                        }
                        (line(rounds, "cause", cause))
                        (line(rounds, "rate", |v| v.measured_bps.map_or_else(|| UNKNOWN.to_owned(), |r| r.to_string())))
                        (line(rounds, "retransmits, per TCP run", |v| retransmits(subject, v)))
                        (line(rounds, "largest packet", |v| largest(subject, v)))
                        (line(rounds, "RTT, idle", |v| rtt(subject, v)))
                    }
                }
            }
            @for pair in rounds.windows(2) {
                @if let [before, after] = pair { (between(subject, before, after)) }
            }
        }
    }
}

/// A line of which at least one round knows something.
fn line(rounds: &[Verdict], name: &str, value: impl Fn(&Verdict) -> String) -> Markup {
    if rounds.iter().all(|v| value(v) == UNKNOWN) {
        return html! {};
    }
    html! { tr { th scope="row" { (name) } @for v in rounds { td { (value(v)) } } } }
}

fn between(subject: &Subject, before: &Verdict, after: &Verdict) -> Markup {
    let entries: Vec<_> = subject.interventions(before.round, after.round).collect();
    html! {
        @if let Some(change) = subject::change(before, after) {
            p { b { "Round " (after.round) " is " (change) "." } }
        }
        @if !entries.is_empty() {
            p { "Between rounds " (before.round) " and " (after.round) ":" }
            ul.list {
                @for entry in entries {
                    li {
                        (words::when(entry.at)) ", " (entry.who)
                        @if let Some(network) = &entry.network { " (" (network) ")" }
                        ": " b { (entry.what) }
                    }
                }
            }
        }
        (measured(subject, before, after))
    }
}

/// Every figure measured in both rounds, and what was not measured again.
fn measured(subject: &Subject, before: &Verdict, after: &Verdict) -> Markup {
    let compared = comparison(subject.case, before.round, after.round, subject.verdicts);
    html! {
        @for figures in comparison_tables(&compared) { (table::titled(&figures, "")) }
        @if !compared.not_measured_again.is_empty() {
            details {
                summary {
                    (words::plural(compared.not_measured_again.len() as u64, "measurement", "measurements"))
                    " of round " (before.round) " not repeated in round " (after.round) ": whether they changed is not known"
                }
                ul.list { @for what in &compared.not_measured_again { li { (what) } } }
            }
        }
    }
}

fn cause(verdict: &Verdict) -> String {
    match subject::cause(verdict) {
        Some(finding) => format!("{}, {}", finding.code, words::place(&finding.location)),
        None => "none found".to_owned(),
    }
}

fn retransmits(subject: &Subject, verdict: &Verdict) -> String {
    let runs = subject
        .case
        .round(verdict.round)
        .filter_map(|o| match &o.payload {
            Payload::TcpThroughput(tcp) => Some(
                tcp.intervals
                    .iter()
                    .map(|i| u64::from(i.retransmits))
                    .sum::<u64>(),
            ),
            _ => None,
        });
    joined(runs.map(words::count))
}

/// The largest unfragmented packet that the destination answered.
fn largest(subject: &Subject, verdict: &Verdict) -> String {
    let sizes = subject
        .case
        .round(verdict.round)
        .filter_map(|o| match &o.payload {
            Payload::PathMtu(sizes) => Some(sizes),
            _ => None,
        });
    joined(sizes.map(|sizes| {
        let reached = reached_sizes(sizes, SizeProbeMode::DontFragment);
        let at_end = reached
            .iter()
            .find(|(ttl, _)| Some(*ttl) == sizes.destination_ttl);
        let size = at_end.and_then(|(_, reach)| reach.largest);
        let told = sizes.cells.iter().any(|c| !c.fragmentation_needed.is_empty());
        match size {
            Some(size) if told => format!("{size} bytes; larger ones are refused by a router"),
            Some(size) => format!("{size} bytes"),
            None => "no answer".to_owned(),
        }
    }))
}

fn rtt(subject: &Subject, verdict: &Verdict) -> String {
    let echoes = subject
        .case
        .round(verdict.round)
        .filter_map(|o| match &o.payload {
            Payload::Echo(echo) if echo.context == EchoContext::Idle => Some(echo),
            _ => None,
        });
    let ends = echoes.filter_map(|echo| {
        let to_end = echo
            .series
            .iter()
            .filter(|s| s.mode == EchoMode::ToDestination && s.rtt.is_some());
        to_end.min_by_key(|s| s.size_bytes)?.rtt
    });
    joined(ends.map(|rtt| Nanos(rtt.p50_ns).to_string()))
}

fn joined(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    if values.is_empty() {
        UNKNOWN.to_owned()
    } else {
        observations::few(&values)
    }
}
