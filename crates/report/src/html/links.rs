//! Links within the page: the ids of its sections, and citations, which lead to the observations.

use crate::subject::{Citation, Subject};
use evidence::{ObservationId, Verdict};
use maud::{Markup, html};

/// More links than this are cut.
const MOST_LINKS: usize = 8;

/// The id of a section: those of earlier rounds carry the round's number, so that no id is there twice.
pub(super) fn anchor(subject: &Subject, verdict: &Verdict, name: &str) -> String {
    match subject.latest() {
        Some(latest) if latest.round == verdict.round => name.to_owned(),
        _ => format!("{name}-{}", verdict.round),
    }
}

/// Citations as links to the observations.
pub(super) fn cites(subject: &Subject, cites: &[ObservationId]) -> Markup {
    let citations = subject.citations(cites);
    html! {
        @if !citations.is_empty() {
            " " span.cite {
                @for citation in &citations {
                    @match citation {
                        Citation::Number(n) => a href={ "#o" (n) } { "o" (n) },
                        Citation::Unknown(id) => span title="cited, but not in this case" { (id) "?" },
                    }
                }
            }
        }
    }
}

/// A link to one observation.
pub(super) fn link(number: usize) -> Markup {
    html! { span.cite { a href={ "#o" (number) } { "o" (number) } } }
}

/// Links to observations.
pub(super) fn links(numbers: &[usize]) -> Markup {
    html! {
        @if !numbers.is_empty() {
            span.cite { @for number in numbers.iter().take(MOST_LINKS) { a href={ "#o" (number) } { "o" (number) } } }
        }
        @if numbers.len() > MOST_LINKS { span.soft.small { " and " (numbers.len() - MOST_LINKS) " more" } }
    }
}
