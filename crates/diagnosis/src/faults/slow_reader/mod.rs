//! HOST-004: the program at the receiver takes the data slower than they could come.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-004",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::ReaderRate,
        prior: 0.04,
        claim: |bps| format!("the program reads no more than about {}", words::about(bps)),
        remedy: "measure the receiving program and its disk without the network, and make them faster: larger and \
                 overlapping writes, another disk, less work per byte on its core",
    }],
};
