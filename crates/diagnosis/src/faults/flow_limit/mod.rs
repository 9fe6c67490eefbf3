//! CAP-004: each connection is limited on its own.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-004",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::FlowLimit,
        prior: 0.02,
        claim: |value| format!("each connection gets no more than about {}", words::about(value)),
        remedy: "ask the operators for limits per flow or per subscriber on that stretch; until then several connections get several times as much",
    }],
};
