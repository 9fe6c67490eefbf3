//! LOSS-003: a link with transmission errors, found by counting packets at points of the path.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-003",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::LossRatio,
        prior: 0.06,
        claim: words::one_in,
        remedy: "take that link out of service and route around it, then repair fibre, optics or line card; several \
                 connections or BBR at the sender hide it meanwhile",
    }],
};
