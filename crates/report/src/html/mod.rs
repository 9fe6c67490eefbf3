//! The case as one HTML page that opens without a network: nothing is loaded from anywhere.
//!
//! `maud` escapes all text; [`crate::clean`] takes out what acts unseen; a content security policy forbids the page
//! to load anything and to run anything but its own [`script`], whatever a case from a stranger may contain.

mod chain;
mod chart;
mod evidence_list;
mod findings;
mod links;
mod message;
mod parts;
mod path;
mod rates;
mod rounds;
mod route;
mod rtt;
mod script;
mod series;
mod series_axis;
mod table;
mod timeline;
mod transfers;
mod values;
mod verdict;

use crate::clean::{clean, clean_document};
use crate::subject::Subject;
use crate::text::party;
use crate::words;
use evidence::{Case, Verdict, VerdictFile};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use parts::Part;

const STYLE: &str = include_str!("style.css");

/// The whole case as one page: question, verdict, findings with their evidence, pictures, what was excluded and not
/// tested, a message to send, time, and every observation.
#[must_use]
pub fn html(case: &Case, verdicts: &VerdictFile) -> String {
    let subject = Subject::new(case, verdicts);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta http-equiv="Content-Security-Policy" content=(script::policy());
                title { (title(&subject)) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body(&subject)) (script::element()) }
        }
    };
    clean_document(&page.into_string())
}

fn title(subject: &Subject) -> String {
    let state = subject.latest().map_or("not measured", |v| words::state(v.state));
    let complaint = &subject.case.complaint;
    let ends = match complaint.is_of_all() {
        true => complaint.from.name.clone(),
        false => format!("{} to {}", complaint.from.name, complaint.to.name),
    };
    clean(&format!("{state}: {ends}")).into_owned()
}

fn body(subject: &Subject) -> Markup {
    let latest = subject.latest();
    let parts = latest
        .map(|verdict| parts::parts(subject, verdict))
        .unwrap_or_default();
    html! {
        (question(subject, &parts))
        main {
            @match latest {
                Some(verdict) => {
                    (verdict::card(verdict, subject.earlier().last(), false))
                    (rounds::before_and_after(subject))
                    (findings::section(subject, verdict))
                    (path::section(subject, verdict))
                    (parts::sections(subject, verdict, &parts))
                    (message::section(subject, verdict))
                    @for earlier in subject.earlier().iter().rev() { (earlier_round(subject, earlier)) }
                }
                None => (verdict::nothing()),
            }
            (timeline::section(subject))
            (evidence_list::section(subject))
        }
        footer {
            "Judged by slowpath's rules, version " (subject.verdicts.rules) ". The verdict follows from the observations \
             alone: who has the case can judge it again with " code { "slowpath case report" } ". Numbers such as o4 name \
             observations by their order in this case; their full ids are SHA-256 of their content."
        }
    }
}

fn question(subject: &Subject, parts: &[Part]) -> Markup {
    let complaint = &subject.case.complaint;
    html! {
        header {
            div.brand { "slowpath case" }
            h1 { (subject.question()) }
            p.soft {
                @if complaint.is_of_all() { "All pairs of places" } @else { (party(&complaint.from)) " → " (party(&complaint.to)) }
                br;
                @if let Some(rate) = complaint.expected_bps { (rate) " expected. " }
                @if let Some(since) = &complaint.since { "Slow since " (since) ". " }
                @if let Some(who) = &complaint.said_by { "Says " (who) ". " }
                "Opened " (words::when(complaint.opened_at)) "; kept at the " (words::end(complaint.local_end)) "."
            }
            nav {
                @for (anchor, name) in sections(subject, parts) { a href={ "#" (anchor) } { (name) } }
            }
        }
    }
}

/// What the page holds, for the line of links at its head.
fn sections(subject: &Subject, parts: &[Part]) -> Vec<(&'static str, &'static str)> {
    let mut sections = Vec::new();
    if let Some(verdict) = subject.latest() {
        if subject.verdicts.rounds.len() > 1 {
            sections.push(("rounds", "Before and after"));
        }
        sections.extend(findings::title(verdict).map(|title| ("findings", title)));
        sections.push(("path", "Path"));
        sections.extend(parts.iter().map(|part| (part.anchor, part.title)));
        if crate::message::operator_message(subject.case, subject.verdicts).is_some() {
            sections.push(("message", "Message to the operators"));
        }
    }
    sections.push(("time", "Timeline"));
    sections.push(("evidence", "Evidence"));
    sections
}

fn earlier_round(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        details.round open {
            summary {
                "Round " (verdict.round)
                @if let Some(at) = subject.began(verdict.round) { ", " (words::when(at)) }
            }
            (verdict::card(verdict, None, true))
            (findings::section(subject, verdict))
            (path::section(subject, verdict))
            (parts::sections(subject, verdict, &parts::parts(subject, verdict)))
            (message::section(subject, verdict))
        }
    }
}
