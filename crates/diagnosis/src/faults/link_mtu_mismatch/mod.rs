//! MTU-002: the two interfaces of a link disagree about the largest packet.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-002",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::SilentMtu,
        prior: 0.035,
        claim: |bytes| format!("packets over {bytes:.0} bytes vanish"),
        remedy: "configure the same MTU at both ends of that link and let ICMP \"fragmentation needed\" pass; until then \
                 limit TCP segments on a host, or set net.ipv4.tcp_mtu_probing=1 at the sender",
    }],
};
