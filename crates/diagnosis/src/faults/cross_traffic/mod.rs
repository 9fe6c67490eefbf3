//! CAP-002: a link is fast enough, but others use most of it.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-002",
    name: "cross_traffic",
    title: "other traffic leaves too little of a link",
    sections: Sections {
        what_it_is: "A link of the path is as fast as it was built, and the traffic of others fills it: an \
            interconnection between two providers in the evening, a campus uplink during a backup, a port that a \
            large experiment shares. What is left is less than the transfer needs.",
        why_it_hurts: "All connections through a full queue share its losses and its delay. One connection gets \
            about its part of what the link carries, by number of connections and not by need, and less the longer \
            its round trip is: against connections of 10 ms, one of 100 ms gets a fraction. Interactive traffic \
            suffers as well.",
        how_we_know: "- The rate is lower than the link's capacity and changes with the hour and the day of the \
            week.\n\
            - Delay and loss are raised before the transfer begins, and at the same hours; the transfer adds to \
            the queue.\n\
            - What arrives of a UDP stream above the share grows with what is offered: with C the capacity and c \
            the others' traffic, o offered deliver C·o/(o+c). Two rates tell C and c apart; a slow link delivers \
            the same at both.\n\
            - Counters of the link show more bytes than the transfer sent.\n\
            - Other paths that cross the link are slow at the same time, paths around it are not.\n\
            - Against it: a rate that is the same at night, or an idle queue before the transfer begins.",
        what_looks_like_it: "- **CAP-001**: the link itself is that slow. The rate is that of a usual link and \
            steady, and nobody else's bytes are on it. From one transfer at one hour the two cannot be told \
            apart.\n\
            - **CAP-003**: a policer cuts at a rate whatever others do, and without a queue.\n\
            - **HOST-005**: a host that is busy with other work is slow at the same hours; no queue grows on the \
            path.\n\
            - **ROUTE-001**: traffic that was moved to this link by a change of route: the step in time tells.",
        remedy: "Move the transfer to other hours or another route, ask for more capacity at that link, or have \
            the others' bulk traffic marked as less than best effort. More connections only take a larger part \
            from the others.",
        whom_to_ask: "The operator of the router before the link: utilisation by five minutes over a week, output \
            drops, and whose traffic it is. Where two providers meet, both.",
        references: &[
            "RFC 5136: capacity, utilisation and available capacity of links and paths",
            "Jain, Dovrolis: End-to-end available bandwidth, SIGCOMM 2002; relation with TCP throughput",
            "Melander, Björkman, Gunningberg: A new end-to-end probing and analysis method for estimating \
             bandwidth bottlenecks, GLOBECOM 2000: what arrives as a function of what is offered",
            "Dhamdhere et al.: Inferring persistent interdomain congestion, SIGCOMM 2018: raised delay at certain \
             hours",
            "RFC 8622: a lower-effort per-hop behaviour",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::Share,
        prior: 0.06,
        claim: |bps| format!("other traffic leaves about {} of the link", words::about(bps)),
        remedy: "ask for the utilisation of that link over a week, move the transfer to quiet hours or another \
                 route, or have the link made faster",
    }),
};
