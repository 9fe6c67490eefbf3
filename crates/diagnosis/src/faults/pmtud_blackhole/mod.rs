//! MTU-001: a router needs a smaller packet and its word for it never reaches the sender.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-001",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::FilteredMtu,
        prior: 0.035,
        claim: |bytes| {
            format!("packets over {bytes:.0} bytes vanish, and the router's word for it does not arrive")
        },
        remedy: "let ICMP type 3 code 4 (ICMPv6 type 2) pass from the router before that link to the sender; until then clamp \
                 the MSS, or set net.ipv4.tcp_mtu_probing=1 at the sender",
    }],
};
