//! HOST-003: the sending host cannot keep as much in flight as the path holds.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-003",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::SendBuffer,
        prior: 0.04,
        claim: |bytes| {
            format!(
                "a send buffer of about {} is the limit",
                words::about_bytes(bytes)
            )
        },
        remedy: "raise the sender's limits (on Linux net.ipv4.tcp_wmem, and net.core.wmem_max where the program \
                 sets its own) to twice the rate wanted times the round-trip time, and let the program leave its \
                 buffer size to the kernel",
    }],
};
