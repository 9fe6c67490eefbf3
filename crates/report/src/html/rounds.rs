//! Before and after: the rounds of a case side by side, with what people did between them.

use super::table;
use super::verdict::tone;
use crate::comparison::comparison;
use crate::observations;
use crate::subject::{self, Subject};
use crate::text::comparison_tables;
use crate::views::hop::HopView;
use crate::views::measured::paths;
use crate::views::path::PathView;
use crate::views::transfer;
use crate::words;
use evidence::{Nanos, Transport, Verdict};
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
                    thead { tr { td {} @for v in rounds { th scope="col" { "Round " (v.round) } } } }
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
    let runs = transfer::of(subject, verdict.round);
    let runs = runs
        .into_iter()
        .filter(|(_, t)| t.protocol == Some(Transport::Tcp));
    joined(runs.filter_map(|(_, t)| observations::retransmits(t).map(words::count)))
}

/// The far host of each way between the two ends, as a hop.
fn far_hosts(subject: &Subject, verdict: &Verdict) -> Vec<HopView> {
    let ways = paths(&subject.of_round(verdict.round), &subject.names);
    let between = ways.into_iter().filter(|way| way.between_ends);
    let last = |way: PathView| way.hops.into_iter().find(|hop| Some(hop.ttl) == way.reached_ttl);
    between.filter_map(last).collect()
}

/// The largest unfragmented packet that the destination answered.
fn largest(subject: &Subject, verdict: &Verdict) -> String {
    let hosts = far_hosts(subject, verdict);
    let sizes = hosts.iter().filter_map(|host| host.largest_bytes);
    joined(sizes.map(|size| format!("{size} bytes")))
}

fn rtt(subject: &Subject, verdict: &Verdict) -> String {
    let hosts = far_hosts(subject, verdict);
    let rtts = hosts.iter().filter_map(|host| Some(host.idle?.usual_ns));
    joined(rtts.map(|ns| Nanos(ns).to_string()))
}

fn joined(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    if values.is_empty() {
        UNKNOWN.to_owned()
    } else {
        words::few(&values)
    }
}
