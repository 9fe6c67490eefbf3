//! CAP-002: a link is fast enough, but others use most of it.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

const REMEDY: &str = "ask for the utilisation of that link over a week, move the transfer to quiet hours or another route, or \
                      have the link made faster";

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-002",
    page: include_str!("page.md"),
    parameters: &[
        Parameter {
            kind: Kind::Rivals,
            prior: 0.03,
            claim: |number| format!("about {number:.0} connections of others share the link"),
            remedy: REMEDY,
        },
        Parameter {
            kind: Kind::Share,
            prior: 0.045,
            claim: |bps| format!("other traffic leaves about {} of the link", words::about(bps)),
            remedy: REMEDY,
        },
    ],
};
