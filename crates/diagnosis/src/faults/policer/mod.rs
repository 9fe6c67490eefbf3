//! CAP-003: a token bucket drops what exceeds its rate.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-003",
    name: "policer",
    title: "a policer drops what exceeds its rate",
    sections: Sections {
        what_it_is: "A device meters the traffic of a customer, a port, a class or a single flow with a token \
            bucket, and drops the packets that find it empty. Unlike a shaper it has no queue: what is too fast is \
            not delayed, it is gone. Contracts, protection of control planes and forgotten test settings are the \
            usual reasons.",
        why_it_hurts: "A full bucket lets a transfer begin at the speed of the link. When it is empty, a large \
            part of a window is lost at once, TCP repairs it with timeouts, slows down far below the rate, and the \
            bucket fills again. On average TCP gets between a third and nearly all of the rate, less the longer \
            the path and the smaller the burst. Loss is some six times that of transfers that nobody polices \
            (Flach et al. 2016).",
        how_we_know: "- UDP below the rate arrives whole. Above it the loss is what exceeds the rate, 1 - r/o for \
            o offered and r allowed, so that the same rate arrives from every faster stream.\n\
            - The round trip does not grow, neither before the loss nor with it.\n\
            - A transfer is fast for its first seconds, until the bucket is empty, then loses much and stays low.\n\
            - Several connections together get no more than one well-behaved stream gets.\n\
            - Interfaces at the place count no errors; the policer has counters of its own (exceeded, violated).\n\
            - Against it: a stream faster than the rate that arrives whole, or a queue that grows.",
        what_looks_like_it: "- **CAP-001**: a slow link or a shaper carries the same rate, but delays first and \
            drops later; the growing round trip tells. A shaper with a very short queue cannot be told from a \
            policer.\n\
            - **LOSS-007**: a short queue drops bursts of any rate; paced streams pass up to the link's capacity.\n\
            - **LOSS-006**: the share that is lost grows with the load, but what arrives grows as well.\n\
            - **Limits on answers to probes**: a router polices what is meant for itself; packets through it are \
            not concerned, and hops behind it answer all.",
        remedy: "Find out whether the limit is meant and paid for. If it is, have it shape instead of police, or \
            give the bucket a burst of at least its rate times the round-trip time; at the sender pace below the \
            rate (`fq` with SO_MAX_PACING_RATE, `tc` with a token bucket) or use BBR, which finds the rate of a \
            policer and stays below it.",
        whom_to_ask: "The operator of the stretch, on both sides of the handover: rate, burst and counters of \
            policers on that interface, for the class that the traffic is in, and the contract.",
        references: &[
            "Flach et al.: An Internet-wide analysis of traffic policing, SIGCOMM 2016: prevalence, loss, rates, \
             detection",
            "RFC 2697 and RFC 2698: three colour markers with one and two rates; RFC 2475 section 2.3.3: meters, \
             shapers and droppers",
            "RFC 8337: model-based metrics; a path must stand the bursts that TCP sends at its target rate",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::Policer,
        prior: 0.03,
        claim: |bps| format!("a policer drops what exceeds about {}", words::about(bps)),
        remedy: "find out whether that limit is meant; have it shape instead of drop, or allow bursts of its rate \
                 times the round-trip time; until then pace the sender below it",
    }),
};
