//! MTU-003: fragments of packets are dropped on the way.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-003",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::Fragments,
        prior: 0.02,
        claim: |_| "fragments do not pass".to_owned(),
        remedy: "let fragments pass (stateful filters must reassemble them or know their flows), or let the program send \
                 datagrams that fit into a packet",
    }],
};
