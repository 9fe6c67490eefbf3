//! MTU-003: fragments of packets are dropped on the way.

use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-003",
    name: "fragments_dropped",
    title: "fragments are dropped",
    sections: Sections {
        what_it_is: "Packets over the MTU that are cut into fragments, by the sender or by a router, do not arrive \
            whole: a firewall or translator drops the pieces that carry no port numbers, a device drops the second of \
            two packets that come back to back, a path has two branches of which one loses.",
        why_it_hurts: "A packet is lost when any piece of it is. Applications that send large datagrams over UDP (NFS, \
            media, DNS with large answers, tunnels) get nothing through, while small packets pass and TCP, which \
            chooses segments that fit, is not touched.",
        how_we_know: "- Pings over 1500 bytes without the \"don't fragment\" flag fail to the end host; those that fit \
            into one packet pass.\n\
            - The far host says \"fragment reassembly time exceeded\": some pieces came, others did not.\n\
            - From another place the same host answers large pings: it is not the host that ignores them.\n\
            - The transfer that is slow is made of large datagrams. A TCP transfer is not slowed by this.",
        what_looks_like_it: "- **A host or router that does not answer large pings**: routers often forward what they \
            do not answer, so that hops on the way prove nothing.\n\
            - **Pings with \"don't fragment\"**, which some systems set on the pieces that they cut themselves: a \
            router with a smaller MTU may not cut them again (MTU-001).\n\
            - **LOSS-002**: an interface short of buffers drops the second piece of each ping, and many packets of a \
            transfer.",
        remedy: "Let fragments through the firewall or have it reassemble them; better, send datagrams that fit (RFC \
            8085 section 3.2), or use TCP.",
        whom_to_ask: "The operators of firewalls and translators on the path: how they treat fragments without ports.",
        references: &[
            "RFC 8900: IP fragmentation considered fragile",
            "RFC 792: time exceeded, code 1, fragment reassembly time exceeded",
            "RFC 8085 section 3.2: message size guidelines for UDP",
            "Stanford to SLAC file transfer problems, SLAC 2000: fragmented pings that were not the cause",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::Fragments,
        prior: 0.02,
        claim: |_| "fragments do not pass".to_owned(),
        remedy: "let fragments pass (stateful filters must reassemble them or know their flows), or let the program send \
                 datagrams that fit into a packet",
    }),
};
