//! ROUTE-003: packets overtake each other.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-003",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::Reordering,
        prior: 0.03,
        claim: |value| {
            format!(
                "about {} of the packets arrive after packets sent later",
                words::loss(value)
            )
        },
        remedy: "ask for flows to be kept on one member of parallel links and in one queue; until then a sender with RACK (RFC 8985) and a current kernel suffers least",
    }],
};
