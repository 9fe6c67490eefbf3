//! Findings with the case for and against each, what is not the cause, and what was not tested.

use super::links::{anchor, cites};
use crate::subject::{self, Part, Subject};
use crate::text::rate_account;
use crate::words;
use evidence::{Argument, Finding, Location, Verdict};
use maud::{Markup, html};

/// What the section is called; `None` where it would hold nothing.
pub(super) fn title(verdict: &Verdict) -> Option<&'static str> {
    let is_empty = verdict.red_herrings.is_empty()
        && verdict.excluded.is_empty()
        && verdict.not_tested.is_empty()
        && verdict.next.is_none();
    match verdict.findings.is_empty() {
        false => Some("Findings"),
        true => (!is_empty).then_some("What was looked at"),
    }
}

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        @if let Some(title) = title(verdict) {
            section {
                h2 id=(anchor(subject, verdict, "findings")) { (title) }
                @for (index, finding) in verdict.findings.iter().enumerate() {
                    (card(subject, verdict, index, finding))
                }
                (exclusions(subject, verdict))
                (next(verdict))
            }
        }
    }
}

fn card(subject: &Subject, verdict: &Verdict, index: usize, finding: &Finding) -> Markup {
    let part = subject::part(verdict, index);
    let tone = match part {
        Part::Cause => "slow",
        Part::Why => "ok",
        Part::Maybe | Part::Also => "unsure",
    };
    let (fix, ask) = subject::advice(verdict, index);
    html! {
        article.finding.(tone) {
            header {
                span.code { (part.name()) ": " (finding.code) }
                h3 { (finding.claim) }
                span.sure { (words::percent(finding.confidence)) " " small { "sure" } }
            }
            dl.facts {
                @if finding.location != Location::Path {
                    dt { "Where" }
                    dd { (finding.location) "; " (words::direction(finding.direction)) }
                }
                dt { "Rate" }
                dd { (rate_account(verdict, finding)) }
                dt { "For" }
                dd { (arguments(subject, &finding.supports, "for", "+")) }
                dt { "Against" }
                dd { (arguments(subject, &finding.contradicts, "against", "−")) }
                @for (name, text) in [
                    ("Not sure", finding.cannot_tell_from.as_deref().unwrap_or_default()),
                    ("Fix", fix),
                    ("Ask", ask),
                ] {
                    @if !text.trim().is_empty() { dt { (name) } dd { (text) } }
                }
            }
        }
    }
}

fn arguments(subject: &Subject, arguments: &[Argument], class: &str, sign: &str) -> Markup {
    html! {
        @if arguments.is_empty() { span.soft { "nothing" } }
        ul.(class) {
            @for argument in arguments {
                li data-sign=(sign) { (argument.text) (cites(subject, &argument.cites)) }
            }
        }
    }
}

fn exclusions(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        div.columns {
            @if !verdict.red_herrings.is_empty() || !verdict.excluded.is_empty() {
                div {
                    h3 { "Not the cause" }
                    ul.list {
                        @for herring in &verdict.red_herrings {
                            li {
                                (herring.seen.trim_end_matches('.')) ": "
                                span.soft { (herring.why_not) } (cites(subject, &herring.cites))
                            }
                        }
                        @for excluded in &verdict.excluded {
                            li { span.tag { (excluded.code) } (excluded.why) (cites(subject, &excluded.cites)) }
                        }
                    }
                }
            }
            @if !verdict.not_tested.is_empty() {
                div {
                    h3 { "Not tested" }
                    ul.list {
                        @for gap in &verdict.not_tested { li { (gap.what) ": " span.soft { (gap.why) } } }
                    }
                }
            }
        }
    }
}

fn next(verdict: &Verdict) -> Markup {
    html! {
        @if let Some(next) = &verdict.next { p { b { "Next: " } (next.text) } }
    }
}
