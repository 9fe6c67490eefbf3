//! CAP-001: a link on the path carries no more.

use super::words;
use crate::declaration::{Fault, Parameter, Rule, Sections};
use crate::facts::Facts;
use crate::facts::records::load::Headroom;
use crate::judgement::{Outcome, join_cites};
use model::Kind;

const PRIOR: f64 = -1.5;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-001",
    name: "link_capacity",
    title: "link capacity reached",
    sections: Sections {
        what_it_is: "The slowest link of the path is full. That is no defect of the link, but the path carries less than \
            was expected: a 100 Mbit/s segment in a path of gigabit links, a route that moved to a smaller link, a \
            port that negotiated a lower speed, a shaper.",
        why_it_hurts: "No sender, however tuned, gets more through than the slowest link carries; what comes faster \
            waits in the queue before it and is then dropped. Everybody who shares the link also shares the delay.",
        how_we_know: "- The rate is steady, and several connections together get no more than one.\n\
            - A UDP stream that is faster arrives at the same rate.\n\
            - Under load the round-trip time grows behind one hop and not before it: that is where the queue stands.\n\
            - The rate is that of a usual link less headers: 94 to 97 of 100 Mbit/s, 940 of 1000.\n\
            - Against it: the receiver's window or a processor limits, or a UDP stream gets more through.",
        what_looks_like_it: "- **A busy processor** at either end: also flat over several connections; the CPU shares \
            tell, and no queue grows on the path.\n\
            - **A policer**: drops above a rate without a queue.\n\
            - **Cross traffic**: the capacity is larger than what is left of it; the rate changes with time of day.\n\
            - **LOSS-001**: loses packets at any load; further connections add up.",
        remedy: "Check that the link is meant to be that slow: negotiated speed and duplex, shapers, and above all the \
            route: compare it with the one before the change. Otherwise the path needs a faster link, or the \
            expectation needs a correction.",
        whom_to_ask: "The operator of the router before the link, who sees its output queue and utilisation.",
        references: &[
            "RFC 5136: defining network capacity; RFC 8337: model-based metrics for bulk transport capacity",
            "RFC 2544 section 26.1; Ethernet carries 94.9 Mbit/s of TCP payload at 100 Mbit/s and MTU 1500",
            "Throughput from SLAC to Caltech, SLAC 2003: a route through a 100 Mbit/s Ethernet",
        ],
    },
    rule: Some(Rule { prior: PRIOR, judge }),
    parameter: Some(Parameter {
        kind: Kind::Capacity,
        prior: 0.09,
        claim: |bps| format!("no more than about {} pass", words::about(bps)),
        remedy: "nothing is broken if the link is as fast as it was bought: take a faster link or another route; if it should \
                 be faster, check its negotiated speed and its shaping",
    }),
};

/// With less than this share of what is free, a transfer is not what fills the path.
const SMALL_SHARE: f64 = 0.1;

/// Excluded where interfaces' own averages and stated capacities show room for many such transfers.
fn judge(facts: &Facts) -> Vec<Outcome> {
    let recorded = facts
        .records
        .complained(&facts.complaint)
        .zip(Headroom::of(facts));
    let Some(((record, rate), room)) =
        recorded.filter(|((_, rate), room)| rate.0 < SMALL_SHARE * room.free.0)
    else {
        return Vec::new();
    };
    vec![Outcome::Contradicts {
        weight: -4.0,
        why: format!("{rate} measured, and {}", room.figures.join("; ")),
        cites: join_cites([&vec![record.id.clone()], &room.cites]),
    }]
}
