//! MTU-002: the two interfaces of a link disagree about the largest packet.

use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-002",
    name: "link_mtu_mismatch",
    title: "MTU mismatch on a link",
    sections: Sections {
        what_it_is: "The router that sends into a link is configured for larger packets than the interface at the \
            other end accepts. Larger frames are dropped by that interface as \"giants\", below IP: no router decides \
            to drop them, so none can say so.",
        why_it_hurts: "As with every black hole, connections open and small packets pass, but full-size segments \
            vanish without a word. TCP stands still until it falls back to small segments, if it does. Hosts with an \
            MTU of 1500 see nothing, so the usual tests between ordinary hosts look healthy while transfers between \
            hosts with jumbo frames crawl.",
        how_we_know: "- Packets with \"don't fragment\" pass up to a size and vanish above it, behind one hop.\n\
            - No \"fragmentation needed\" comes back.\n\
            - Packets of the vanishing size that *may* be fragmented vanish as well: the router before the link does \
            not know that it should fragment.\n\
            - The threshold is often no usual IP MTU (1504, 1508, 1514…) but what a frame limit leaves for IP.\n\
            - On the first link the sender itself is the one that believes in too large an MTU.\n\
            - TCP with its default segments stalls; with segments that fit it runs.",
        what_looks_like_it: "- **MTU-001**: the router knows, and its message is lost. Then fragmentable packets pass.\n\
            - A destination or firewall that drops all fragments makes MTU-001 look like this fault when only the \
            destination was asked; hops right behind the link, which answer first fragments, tell.\n\
            - A hop that ignores large probes but forwards them.\n\
            - A tunnel whose endpoint drops what does not fit: the same fault with a virtual link.",
        remedy: "Configure the same MTU on both interfaces of the link, and on every switch between them. Mind that \
            vendors count differently: 9192 on one router may be 9178 on another, and an interface MTU of 1518 leaves \
            1500 to 1508 bytes for IP. Until then clamp the MSS or lower the MTU at the sender.",
        whom_to_ask: "The operators of both routers at the link. One of them sees input errors (giants, oversize \
            frames) on that interface while large packets are sent.",
        references: &[
            "RFC 1191 section 7: all nodes on a link must agree on its MTU; RFC 4821 section 1.1: what happens if not",
            "NRAO/UVA to SARAO performance problem, perfSONAR 2021: 9192 against 1518 bytes between MARIA and UVA",
            "RFC 8899 section 4: probing for the size that passes",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::SilentMtu,
        prior: 0.035,
        claim: |bytes| format!("packets over {bytes:.0} bytes vanish"),
        remedy: "configure the same MTU at both ends of that link and let ICMP \"fragmentation needed\" pass; until then \
                 limit TCP segments on a host, or set net.ipv4.tcp_mtu_probing=1 at the sender",
    }),
};
