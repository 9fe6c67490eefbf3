//! HOST-002: the receiving host, or the network it stands in, drops packets that the path delivered.

use super::words;
use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-002",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::ReceiveDrops,
        prior: 0.03,
        claim: |ratio| {
            format!(
                "some {} of the packets that arrive are dropped",
                words::loss(ratio)
            )
        },
        remedy: "enlarge the receive ring and the socket buffers, spread interrupts over processors, and slow the sender \
                 down to what the host takes",
    }],
};
