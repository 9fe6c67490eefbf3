//! LOSS-007: a queue that cannot hold what TCP sends at once.

use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-007",
    name: "short_queue",
    title: "a queue too short for the path",
    sections: Sections {
        what_it_is: "The queue before a link holds much less than the path does. Data come in bursts: segments \
            leave a host in trains of up to 64 kB at the speed of its interface, acknowledgements arrive in \
            bunches, several inputs meet. What the queue cannot hold is dropped, although the link is far from \
            full on average.",
        why_it_hurts: "TCP halves its window (CUBIC takes off 30 %) each time the queue overflows, and must then \
            still have enough in flight to fill the path. With room for a bandwidth-delay product it has. Without \
            any queue an ideal Reno connection keeps three quarters of the link; real ones, in bursts, keep a few \
            per cent to a half, and the longer the path, the longer they need to recover.",
        how_we_know: "- TCP loses packets at a rate far below the capacity, and a paced UDP stream of a higher \
            rate passes the same way without loss.\n\
            - The round trip grows under load by little, by what the short queue holds.\n\
            - The idle path loses nothing.\n\
            - The interface before the link counts output drops while its average utilisation is low.\n\
            - A sender that paces (`fq`, BBR) is several times as fast; so is a nearby host, whose windows are \
            small.\n\
            - Against it: a round trip that grows by a bandwidth-delay product, or a paced stream that loses as \
            well.",
        what_looks_like_it: "- **LOSS-004**: the same place, seen at the start of a transfer: slow start overflows \
            the queue before a slower link, and the stall that follows costs the time.\n\
            - **LOSS-001**: loses packets of a paced stream, too.\n\
            - **CAP-003**: a policer drops without regard to bursts of some packets, and caps paced streams.\n\
            - **CAP-001** with a proper queue: the delay grows, and the rate is the link's.\n\
            - **CAP-002**: others fill the queue; delay and loss are there before the transfer begins.",
        remedy: "Give the queue before that link more room: about the bandwidth-delay product of the longest path \
            for a few large transfers, less where very many connections share it. Otherwise pace at the sender: \
            the `fq` queueing discipline, BBR, a maximum pacing rate near the capacity, smaller segmentation \
            offloads. Several connections help, as their bursts do not come together.",
        whom_to_ask: "The operator of the device before the link: queue limit and output drops of that interface, \
            and whether its buffer is shared with other ports.",
        references: &[
            "Villamizar, Song: High performance TCP in ANSNET, CCR 1994: a bandwidth-delay product of buffer",
            "Appenzeller, Keslassy, McKeown: Sizing router buffers, SIGCOMM 2004: less for many connections",
            "RFC 5681 section 3.1 and RFC 9438 section 4.6: what a loss takes off the window",
            "Aggarwal, Savage, Anderson: Understanding the performance of TCP pacing, INFOCOM 2000",
            "Jiang, Dovrolis: Why is the Internet traffic bursty in short time scales?, SIGMETRICS 2005",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::ShortQueue,
        prior: 0.04,
        // The grid has four values: a share has one digit below a tenth, and two above.
        claim: |share| {
            format!(
                "TCP gets about {:.0} % of its normal rate, for want of room in the queue",
                share * 100.0
            )
        },
        remedy: "give the queue before that link room for about the rate times the round-trip time; until then \
                 pace the sender (fq, BBR) or use several connections",
    }),
};
