//! HOST-001: the receiver allows too little data under way.

pub(super) mod told;

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-001",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::ReceiveWindow,
        prior: 0.10,
        claim: |bytes| {
            format!(
                "a receive window of about {} is the limit",
                words::about_bytes(bytes)
            )
        },
        remedy: "raise the receiver's limits (on Linux net.ipv4.tcp_rmem and net.core.rmem_max) to twice the rate wanted \
                 times the round-trip time, and let the program leave its buffer size to the kernel",
    }],
};
