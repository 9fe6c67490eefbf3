//! MTU-001: a router needs a smaller packet and its word for it never reaches the sender.

use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "MTU-001",
    name: "pmtud_blackhole",
    title: "path MTU discovery black hole",
    sections: Sections {
        what_it_is: "A link on the path carries smaller packets than the sender uses. The router before that link \
            knows, drops the packet and has to answer \"fragmentation needed\" (IPv6: \"packet too big\"). That \
            message is filtered on its way, or never sent, so the sender goes on sending packets that cannot pass.",
        why_it_hurts: "The handshake and small requests work; the first full-size segments vanish, and so do all \
            their retransmissions. TCP stands still until it gives up or falls back to small segments (RFC 4821, \
            which Linux does only with `net.ipv4.tcp_mtu_probing`). Connections hang \"after a while\", and a test \
            tool reports a rate near zero.",
        how_we_know: "- Packets with \"don't fragment\" pass up to a size and vanish above it, behind one hop: every \
            hop further on answers the small ones and none answers the large ones.\n\
            - No valid \"fragmentation needed\" comes back.\n\
            - Packets of the vanishing size that *may* be fragmented do pass: the router knows the smaller MTU.\n\
            - TCP with its default segments stalls; with segments that fit it runs.\n\
            - Against it: a transfer that runs with packets of the vanishing size.",
        what_looks_like_it: "- **MTU-002**: the router believes in a larger MTU than the far interface takes. Then \
            fragmentable packets vanish as well. With IPv6 no such test exists and only the two interfaces' \
            configuration tells.\n\
            - A hop that does not answer large pings but forwards them: hops behind it do answer.\n\
            - Path MTU discovery that works: one router says \"fragmentation needed\" and TCP adapts in one round trip.\n\
            - A destination that drops large probes: then TCP with full-size segments runs.",
        remedy: "Let ICMP type 3 code 4 (ICMPv6 type 2) through every filter between that router and the sender, and \
            take it out of ICMP rate limits or `no ip unreachables`. Until then clamp the MSS at a border \
            (`tcp-mss-clamp`), set `advmss` on the route, or switch on `net.ipv4.tcp_mtu_probing=1` at the sender.",
        whom_to_ask: "The operator of the router before the link (does it send the message?), then each network from \
            there back to the sender (who filters ICMP?).",
        references: &[
            "RFC 1191, RFC 8201: path MTU discovery; RFC 2923 section 2.1: the black hole",
            "RFC 4821, RFC 8899: packetization layer path MTU discovery",
            "RFC 4890 section 4.3.1: ICMPv6 messages that must not be dropped",
            "Luckie, Cho, Owens: Inferring and debugging path MTU discovery failures, IMC 2005",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::FilteredMtu,
        prior: 0.035,
        claim: |bytes| {
            format!("packets over {bytes:.0} bytes vanish, and the router's word for it does not arrive")
        },
        remedy: "let ICMP type 3 code 4 (ICMPv6 type 2) pass from the router before that link to the sender; until then clamp \
                 the MSS, or set net.ipv4.tcp_mtu_probing=1 at the sender",
    }),
};
