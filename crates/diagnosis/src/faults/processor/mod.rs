//! HOST-005: a host has no more processor time for the transfer.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-005",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::ProcessorRate,
        prior: 0.04,
        claim: |bps| format!("the processor manages no more than about {}", words::about(bps)),
        remedy: "look which core is busy and with what while the transfer runs; switch offloads on, use larger \
                 packets, spread interrupts and connections over cores, and move encryption or filters to cores of \
                 their own",
    }],
};
