//! The message to the operators, in a block that one click selects whole.

use super::links::anchor;
use crate::message::message_of;
use crate::subject::Subject;
use evidence::Verdict;
use maud::{Markup, html};

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        @if let Some(message) = message_of(subject, verdict) {
            section {
                h2 id=(anchor(subject, verdict, "message")) { "Message to the operators" }
                p.soft.small { "A click selects all of it, ready to copy. Attach this page or the case." }
                pre.message tabindex="0" { (message) }
            }
        }
    }
}
