//! The verdict's card: the answer in a word, the rates, one sentence, and the rates as a picture.

use super::rates;
use crate::subject;
use crate::words;
use evidence::{Verdict, VerdictState};
use maud::{Markup, html};

/// The card. `before`: the round before, to compare rates with; `minor`: of an earlier round.
pub(super) fn card(verdict: &Verdict, before: Option<&Verdict>, minor: bool) -> Markup {
    html! {
        section.verdict.(tone(verdict.state)).minor[minor] {
            div {
                div.state { (words::state(verdict.state)) }
                @if verdict.state != VerdictState::NotMeasured {
                    p.rates { (subject::rates(verdict)) }
                }
                p { (verdict.summary) }
            }
            (rates::ladder(verdict, before))
        }
    }
}

/// The CSS class that gives a state its colour.
pub(super) fn tone(state: VerdictState) -> &'static str {
    match state {
        VerdictState::Ok => "ok",
        VerdictState::Slow => "slow",
        VerdictState::Inconclusive | VerdictState::NotMeasured => "unsure",
    }
}

/// The card of a case without a single judged round.
pub(super) fn nothing() -> Markup {
    html! {
        section.verdict.unsure {
            div {
                div.state { (words::state(VerdictState::NotMeasured)) }
                p { "No measurement is in this case yet." }
            }
        }
    }
}
