//! LOSS-006: a link or device loses packets, and only while it carries much.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-006",
    name: "load_loss",
    title: "loss that grows with the load",
    sections: Sections {
        what_it_is: "A link or a device passes single packets without loss and loses a share of them as soon as it \
            carries much: the two ends of an Ethernet link disagree about duplex, a firewall or router forwards in \
            software or on processors that are each slower than the link, several ports share one small buffer, a \
            line card is connected to its switch by less than the sum of its ports.",
        why_it_hurts: "TCP brings the load with it: it loses packets as soon as it is fast, slows down as for any \
            other loss, gets faster again, and loses again. At 30 ms and 2 % of loss under load a connection keeps \
            some 2.6 Mbit/s of whatever the link could carry. Pings, monitoring and people who type see a clean \
            link.",
        how_we_know: "- Pings on the idle path lose nothing; the same pings beside a transfer lose packets.\n\
            - A paced UDP stream at a low rate arrives whole, at a higher rate a share is missing. The share grows \
            with the rate long before the link is full, and the stream arrives faster than TCP does.\n\
            - TCP sends the same share of its segments again, and the response function of its congestion control \
            predicts its rate (Mathis, PFTK, CUBIC of RFC 9438).\n\
            - The round trip grows little under load: no long queue stands before the place.\n\
            - With a duplex mismatch one end of the link counts late collisions, the other checksum errors and \
            fragments of frames (runts), and both count them only while data flow both ways.\n\
            - Against it: loss on the idle path as well, or a stream near the link's capacity that arrives whole.",
        what_looks_like_it: "- **LOSS-001**: loses the same share at any rate. A stream of a tenth of the rate \
            tells, when it is long enough for that share to show in it.\n\
            - **CAP-001**: a full link also loses only under load, but carries its capacity, and the delay grows \
            first.\n\
            - **CAP-003**: a policer is clean below its rate and drops all that is above it, so that what arrives \
            is always the same rate.\n\
            - **LOSS-007**: a queue that is too short drops what comes in bursts; a paced stream of the same rate \
            passes.\n\
            - **HOST-002**: the receiving host drops under load; its own counters tell.",
        remedy: "Compare speed and duplex at both ends of the link and let both negotiate: an end with fixed \
            settings makes the other fall back to half duplex. Take the device out of the way of large transfers, \
            or spread them over more of its processors or ports. Give its ports more of a shared buffer. Pacing at \
            the sender and BBR ease it.",
        whom_to_ask: "The operators of both ends of the stretch: negotiated duplex, late collisions and checksum \
            errors, drops for want of a buffer, and the load of each forwarding processor while the transfer \
            runs.",
        references: &[
            "Shalunov, Carlson: Detecting duplex mismatch on Ethernet, PAM 2005",
            "IEEE 802.3 clause 28: auto-negotiation; an end that finds no partner that negotiates takes half duplex",
            "RFC 2544 section 26.3: frame loss rate as a function of the offered load",
            "Dart, Rotman, Tierney, Hester, Zurawski: The Science DMZ, SC 2013: firewalls and shared buffers on \
             long paths",
            "Padhye, Firoiu, Towsley, Kurose: Modeling TCP throughput, SIGCOMM 1998",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::LossUnderLoad,
        prior: 0.04,
        claim: |ratio| format!("under load about {} of the packets are lost", words::loss(ratio)),
        remedy: "compare negotiated speed and duplex at both ends of that stretch and look for drops for want of a \
                 buffer or of processor time while the transfer runs; until then pace the sender or use BBR",
    }),
};
