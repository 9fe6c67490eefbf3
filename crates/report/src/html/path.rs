//! The path: its maps, and what is to be said where no map shows a place or a direction.

use super::links::anchor;
use super::route;
use crate::subject::Subject;
use crate::views::chain;
use crate::views::measured::paths;
use crate::views::path::PathView;
use crate::views::routes::{drawn, untraced_words};
use evidence::{End, Location, Verdict};
use maud::{Markup, html};

/// More diagrams than this are a table's work: the routes side by side.
const MOST_DIAGRAMS: usize = 4;
pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    let ways = paths(&subject.of_round(verdict.round), &subject.names);
    let shown = drawn(&ways, &subject.names, verdict, MOST_DIAGRAMS);
    let untraced = |end: &End| {
        let is_it = |way: &PathView| way.between_ends && way.starts_at == Some(*end);
        // Of a mesh there is no way between the two ends.
        !subject.case.complaint.is_of_all() && !ways.is_empty() && !ways.iter().any(is_it)
    };
    html! {
        section {
            h2 id=(anchor(subject, verdict, "path")) { "The path" }
            @if shown.is_empty() { p.soft { "No route was measured in this round." } }
            (segments(subject, verdict))
            @for diagram in &shown { (route::map(subject, verdict, diagram)) }
            // Packets may well take another way than in the other direction.
            @for end in [End::From, End::To].iter().filter(|end| untraced(end)) { p.soft { (untraced_words(*end)) } }
        }
    }
}

/// Findings between two packet counters: which hops those are is not known.
fn segments(subject: &Subject, verdict: &Verdict) -> Markup {
    let located = verdict
        .findings
        .iter()
        .filter(|f| matches!(f.location, Location::Segment { .. }));
    let counters = !chain::groups(subject, verdict.round).is_empty();
    html! {
        @for finding in located {
            p {
                b { (finding.code) } " lies " (finding.location) ". Which hops of a route these are is not recorded. "
                @if counters { a href={ "#" (anchor(subject, verdict, "counters")) } { "The counters" } }
            }
        }
    }
}
