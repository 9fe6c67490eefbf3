//! CAP-004: each connection is limited on its own.

use super::words;
use crate::declaration::{Fault, Parameter, Sections};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-004",
    name: "flow_limit",
    title: "each connection is limited on its own",
    sections: Sections {
        what_it_is: "A shaper, a policer or a fair queue gives every connection a rate of its own: a limit per flow in a firewall, a traffic manager of a provider, a queue per flow behind a tunnel, one member of a bundle of links that carries the whole flow.",
        why_it_hurts: "One connection never gets more than its limit, whatever the path carries and however large its windows are. Tests with several connections look well, so that the limit is easily missed.",
        how_we_know: "- Several connections together are several times as fast as one.\n- The rate of one is the same over a short and over a long distance through that stretch: a window would give more over the shorter.\n- The sender waits neither for a window nor for its buffer, and loss does not predict the rate.\n- Against it: several connections share one rate (CAP-001, CAP-003), or the sender waits for the window (HOST-001, HOST-003).",
        what_looks_like_it: "- **HOST-001, HOST-003**: also a limit for each connection, but bytes per round trip: the rate falls with the distance, and the kernel says what it waits for.\n- **LOSS-001**: also a rate for each connection; packets are lost at rest as well, and the rate follows a response function.\n- **CAP-001, CAP-003**: all connections together have one limit.",
        remedy: "Ask for the limit: its rate, its burst and to whom it applies. Where it is meant to be, use several connections. Where it is one member of a bundle, spread flows by ports as well as by addresses.",
        whom_to_ask: "The operators of firewalls, traffic managers and tunnels on the stretch: limits per flow, per address and per subscriber.",
        references: &[
            "RFC 2475 section 2.3.3: meters, shapers and droppers of differentiated services",
            "RFC 8290: flow queueing (FQ-CoDel), a queue for each flow",
            "RFC 2992: flows are spread over equal links by a hash, so that one flow uses one of them",
        ],
    },
    rule: None,
    parameter: Some(Parameter {
        kind: Kind::FlowLimit,
        prior: 0.02,
        claim: |value| format!("each connection gets no more than about {}", words::about(value)),
        remedy: "ask the operators for limits per flow or per subscriber on that stretch; until then several connections get several times as much",
    }),
};
