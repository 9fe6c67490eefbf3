//! Which of the two mechanisms it is, given a black hole: the signs and their weights.

use super::Mechanism;
use crate::facts::black_hole::{BlackHole, Fragmentable};
use crate::faults::words;
use crate::judgement::{Weighing, logistic};
use evidence::v1::{HopRef, ObservationId};

/// Signs with less weight than this do not decide between the two.
const DECISIVE: f64 = 2.2;

/// Routers fragment what they know to be too large: if fragments arrive, the router knows.
const FRAGMENTS_PASS: f64 = 3.5;
/// Also the fragments' first hop is silent: nobody fragmented.
const FRAGMENTABLE_VANISH_AT_ROUTER: f64 = -3.5;
/// Only the destination was asked: many hosts' firewalls drop all fragments, which looks the same.
const FRAGMENTABLE_VANISH_AT_END: f64 = -1.8;
/// On the first link there is no router before it that could send a message.
const FIRST_LINK: f64 = -6.0;
/// 1504, 1508, 1518…: what is left of a frame limit, not an MTU that somebody configured for IP.
const UNUSUAL_MTU: f64 = -1.0;
/// Messages from routers further on come back over this very link, so nobody filters them there.
const MESSAGES_PASS: f64 = -0.6;

/// The signs that tell a lost message (positive weights) from a mismatch (negative ones), given a black hole.
pub(super) struct Separation {
    signs: Vec<(f64, String)>,
}

impl Separation {
    pub(super) fn of(hole: &BlackHole) -> Self {
        let mut signs: Vec<(f64, String)> = fragmentable_sign(hole).into_iter().collect();
        // With a silent hop between, there may be a router after all.
        if hole.before == 0 && hole.after == 1 {
            let text = "there is no router before the first link that could have sent a message";
            signs.push((FIRST_LINK, text.into()));
        }
        if !may_be_usual_mtu(hole) {
            let text = format!(
                "{} is no usual IP MTU but what a frame limit leaves",
                hole.passes_bytes
            );
            signs.push((UNUSUAL_MTU, text));
        }
        if let Some(router) = honest_behind(hole) {
            let text = format!(
                "\"fragmentation needed\" from {} crosses this link and arrives",
                words::hop(router)
            );
            signs.push((MESSAGES_PASS, text));
        }
        Self { signs }
    }

    /// Log-odds of a lost message.
    fn odds(&self) -> f64 {
        self.signs.iter().map(|(weight, _)| weight).sum()
    }

    pub(super) fn share(&self, mechanism: Mechanism) -> f64 {
        let message_lost = logistic(self.odds());
        match mechanism {
            Mechanism::MessageLost => message_lost,
            Mechanism::Mismatch => 1.0 - message_lost,
        }
    }

    pub(super) fn undecided(&self) -> bool {
        self.odds().abs() < DECISIVE
    }

    pub(super) fn text(&self) -> String {
        self.signs
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    }

    pub(super) fn weigh(&self, weighing: &mut Weighing, mechanism: Mechanism, cites: &[ObservationId]) {
        let towards = if mechanism == Mechanism::MessageLost {
            1.0
        } else {
            -1.0
        };
        for (weight, text) in &self.signs {
            weighing.add(towards * weight, text.clone(), cites);
        }
    }

    pub(super) fn other_possible(&self, mechanism: Mechanism) -> String {
        let (other, name) = match mechanism {
            Mechanism::MessageLost => ("MTU-002, a mismatch,", Mechanism::Mismatch),
            Mechanism::Mismatch => ("MTU-001, a lost message,", Mechanism::MessageLost),
        };
        format!(
            "{other} looks the same from here and is {:.0} % probable",
            self.share(name) * 100.0
        )
    }
}

fn fragmentable_sign(hole: &BlackHole) -> Option<(f64, String)> {
    let size = hole.vanishes_bytes;
    match hole.fragmentable {
        Fragmentable::Pass { answered, sent } => Some((
            FRAGMENTS_PASS,
            format!(
                "fragmentable packets of {size} bytes pass ({answered} of {sent}): the router before the link knows the \
                 smaller MTU and fragments"
            ),
        )),
        Fragmentable::Vanish {
            sent,
            seen_at_a_router: true,
        } => Some((
            FRAGMENTABLE_VANISH_AT_ROUTER,
            format!(
                "fragmentable packets of {size} bytes vanish as well (all of {sent}): the router before the link sends \
                 them whole"
            ),
        )),
        Fragmentable::Vanish {
            sent,
            seen_at_a_router: false,
        } => Some((
            FRAGMENTABLE_VANISH_AT_END,
            format!(
                "fragmentable packets of {size} bytes do not arrive either (none of {sent}), unless the destination \
                 drops fragments"
            ),
        )),
        Fragmentable::NotTried => None,
    }
}

fn honest_behind(hole: &BlackHole) -> Option<&HopRef> {
    hole.honest_elsewhere
        .iter()
        .map(|(hop, _)| hop)
        .find(|hop| hop.ttl >= hole.after)
}

/// Whether an MTU that people configure may be the limit: with sizes left out between what passes and what vanishes,
/// the limit is known in between only.
fn may_be_usual_mtu(hole: &BlackHole) -> bool {
    (hole.passes_bytes..hole.vanishes_bytes).any(is_usual_mtu)
}

/// MTUs that people configure: IPv6's least, tunnels over Ethernet, PPPoE, Ethernet, FDDI, POS, jumbo frames.
fn is_usual_mtu(bytes: u32) -> bool {
    matches!(bytes, 576 | 1_006 | 1_280 | 1_300..=1_480 | 1_492 | 1_500 | 2_002 | 4_352 | 4_464 | 4_470 | 8_000 | 8_192 | 8_500 | 8_900..=9_000)
        || matches!(
            bytes,
            9_100 | 9_150 | 9_174 | 9_178 | 9_180 | 9_192 | 9_198 | 9_200 | 9_202 | 9_212 | 9_214 | 9_216
        )
}
