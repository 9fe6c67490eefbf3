//! LOSS-002: an interface drops sound packets on input.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-002",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::LossUnderLoad,
        prior: 0.04,
        claim: |_| "packets are dropped on input".to_owned(),
        remedy: "clear the interface (reset its hardware) and read its counters again while a transfer runs; if they go on \
                 growing, swap the card or its software, and look for bursts that its buffers cannot hold",
    }],
};
