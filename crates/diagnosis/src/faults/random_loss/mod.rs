//! LOSS-001: a link loses packets at random, at whatever load.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-001",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::LossRatio,
        prior: 0.10,
        claim: words::one_in,
        remedy: "check error counters, optical power, fibre and duplex at both ends of that stretch and repair what \
                 loses packets; until then BBR or several connections at the sender hide it",
    }],
};
