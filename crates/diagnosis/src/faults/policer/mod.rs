//! CAP-003: a token bucket drops what exceeds its rate.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-003",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::Policer,
        prior: 0.03,
        claim: |bps| format!("a policer drops what exceeds about {}", words::about(bps)),
        remedy: "find out whether that limit is meant; have it shape instead of drop, or allow bursts of its rate \
                 times the round-trip time; until then pace the sender below it",
    }],
};
