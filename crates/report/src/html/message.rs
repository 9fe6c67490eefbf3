//! The message to the operators, in a block that one click selects whole.

use crate::message::operator_message;
use crate::subject::Subject;
use maud::{Markup, html};

pub(super) fn section(subject: &Subject) -> Markup {
    html! {
        @if let Some(message) = operator_message(subject.case, subject.verdicts) {
            section {
                h2 id="message" { "Message to the operators" }
                p.soft.small { "A click selects all of it, ready to copy. Attach this page or the case." }
                pre.message { (message) }
            }
        }
    }
}
