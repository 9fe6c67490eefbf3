//! ROUTE-003: packets overtake each other.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-003",
    name: "reordering",
    title: "packets overtake each other",
    sections: Sections {
        what_it_is: "Packets of one flow take ways of different length: links of a bundle that are filled packet by packet, queues of one router with different lengths, retransmission on a radio link, a route that changes all the time.",
        why_it_hurts: "TCP takes a packet that comes late for a lost one, sends it again and halves its window, although nothing was lost. Modern senders learn how far packets overtake each other, within limits.",
        how_we_know: "- The receiver of a paced UDP stream counts packets that arrive after packets sent later.\n- The receiver of TCP reports with D-SACK (RFC 2883) that retransmissions were needless.\n- Few packets are lost, or none, and the rate is far below what the path carries.\n- Against it: streams arrive in order.",
        what_looks_like_it: "- **LOSS-001**: the same duplicate acknowledgements; the packets never arrive.\n- **Duplication**: the same packet twice, in order; harmless.\n- **A route that changed once**: one burst of late packets.",
        remedy: "Keep flows on one way: hash flows over bundles, one queue for a flow. At the sender: RACK, SACK and D-SACK on (the default of current kernels).",
        whom_to_ask: "The operators of the stretch: bundles of links with load sharing per packet, parallel queues, radio links.",
        references: &[
            "RFC 4737: packet reordering metrics",
            "RFC 8985: RACK-TLP loss detection; RFC 2883: D-SACK",
            "Bennett, Partridge, Shectman: Packet reordering is not pathological network behavior, IEEE/ACM ToN 1999",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::Reordering,
        prior: 0.03,
        claim: |value| {
            format!(
                "about {} of the packets arrive after packets sent later",
                words::loss(value)
            )
        },
        remedy: "ask for flows to be kept on one member of parallel links and in one queue; until then a sender with RACK (RFC 8985) and a current kernel suffers least",
    }),
};
