//! LOSS-005: at times nothing passes.

use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-005",
    name: "interruption",
    title: "the path is interrupted now and then",
    sections: Sections {
        what_it_is: "For fractions of a second or for seconds nothing passes a link: a link that goes down and up, a \
            route that is withdrawn and announced again, a failover, a radio link that fades, a spanning tree that is \
            computed anew. Between the interruptions the path is as good as ever.",
        why_it_hurts: "TCP waits for its retransmission timer, which doubles with each try (RFC 6298), so that it \
            notices the end of an interruption late, and begins again with a small window. A tenth of the time \
            without a path costs far more than a tenth of the rate.",
        how_we_know: "- The transfer has gaps, and between them it runs at its full rate.\n\
            - Probes are lost in a row, all sizes and all rates alike, in the same moments.\n\
            - Hops before the place answer meanwhile, hops behind it do not.\n\
            - Against it: losses that are spread evenly (LOSS-001), a sender without work (APP-002) or a closed \
            window (HOST-004) in the gaps.",
        what_looks_like_it: "- **LOSS-001**: losses all the time, each small.\n\
            - **HOST-004, HOST-005, APP-001**: a program or a processor that pauses makes gaps as well; probes go \
            on.\n\
            - **MTU-001, MTU-002**: the transfer stands still from the first large packet on, and never recovers.",
        remedy: "Look for the moments in the logs of the routers on that stretch: interface down and up, routing \
            adjacencies, spanning tree, radio. Measure for longer to see how often it happens.",
        whom_to_ask: "The operators of both ends of the stretch, with the times of the gaps.",
        references: &[
            "RFC 6298: computing TCP's retransmission timer; section 5.5: back the timer off",
            "RFC 5681 section 4.1: restarting idle connections",
            "RFC 3357: loss patterns: periods and distances of loss",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::Interruption,
        prior: 0.03,
        claim: |share| format!("nothing passes for about {:.0} % of the time", share * 100.0),
        remedy: "look for the moments of the gaps in the logs of the routers on that stretch: interfaces, adjacencies, \
                 spanning tree, radio",
    }),
};
