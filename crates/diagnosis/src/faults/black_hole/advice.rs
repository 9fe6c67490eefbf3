//! What to say and whom to ask about a black hole.

use super::Mechanism;
use super::effect::fitting_mss;
use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::facts::path::PathFacts;
use crate::faults::words;
use evidence::v1::HopRef;

pub(super) fn claim(hole: &BlackHole, path: &PathFacts) -> String {
    let (before, after) = (&path.hop_ref(hole.before), &path.hop_ref(hole.after));
    let threshold = if hole.vanishes_bytes - 1 == hole.passes_bytes {
        format!("packets over {} bytes vanish", hole.passes_bytes)
    } else {
        format!(
            "packets of {} bytes vanish, those of {} pass,",
            hole.vanishes_bytes, hole.passes_bytes
        )
    };
    let seen_from = path
        .witness
        .as_ref()
        .map_or_else(String::new, |place| format!(", seen from {place}"));
    format!(
        "{threshold} between {} and {}{seen_from}",
        words::hop(before),
        words::hop(after)
    )
}

pub(super) fn cannot_tell(mechanism: Mechanism) -> String {
    let other = match mechanism {
        Mechanism::MessageLost => "MTU-002 (the far interface drops larger frames silently)",
        Mechanism::Mismatch => "MTU-001 (the router's \"fragmentation needed\" is filtered or not sent)",
    };
    format!(
        "{other}: what tells is whether fragmentable IPv4 packets of that size pass, the MTUs configured on both \
         interfaces of the link, or its input error counters (giants) while large packets are sent"
    )
}

pub(super) fn remedy(
    facts: &Facts,
    hole: &BlackHole,
    mechanism: Mechanism,
    before: &HopRef,
    after: &HopRef,
) -> String {
    let meanwhile = format!(
        "until then: limit TCP segments on a host, e.g. `ip route … advmss {}`, or set net.ipv4.tcp_mtu_probing=1 at the sender",
        fitting_mss(facts, hole)
    );
    let fix = match mechanism {
        Mechanism::MessageLost => format!(
            "let ICMP type 3 code 4 (IPv6: type 2) from {} through to the sender, and let that router send it",
            words::hop(before)
        ),
        Mechanism::Mismatch => format!(
            "configure the same MTU at both ends of the link: {} sends packets that {} does not take over {} bytes",
            words::hop(before),
            words::hop(after),
            hole.passes_bytes
        ),
    };
    format!("{fix}; {meanwhile}")
}

pub(super) fn ask_whom(hole: &BlackHole, before: &HopRef, after: &HopRef) -> String {
    format!(
        "{}; show them that {} bytes pass and {} do not, with \"don't fragment\" set and no answer",
        words::operators(before, after),
        hole.passes_bytes,
        hole.vanishes_bytes
    )
}
