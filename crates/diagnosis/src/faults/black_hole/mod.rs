//! What MTU-001 and MTU-002 share: the case that large packets vanish at all, what that does to TCP, and how the
//! probability is shared between the two. From outside both look the same but for a few signs.

mod advice;
mod effect;
mod existence;
mod recorded;
mod separation;

use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::judgement::{Outcome, Supported, Weighing, logistic, logit};
use effect::Effect;
pub(crate) use effect::fitting_mss;
use existence::{PRIOR, existence, larger_arrived};
use separation::Separation;

/// Which of the two mechanisms a rule is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// The router before the link knows the smaller MTU; its message does not arrive (MTU-001).
    MessageLost,
    /// The router before the link believes in a larger MTU than the next interface takes (MTU-002).
    Mismatch,
}

/// Less than this probability of a mechanism, and it is excluded instead of shared.
const EXCLUDE_BELOW: f64 = 0.1;

/// The other mechanism is mentioned as long as it is more probable than this.
const WORTH_SAYING: f64 = 0.03;

/// The outcomes of the rule for one mechanism.
pub(crate) fn judge(facts: &Facts, mechanism: Mechanism, prior: f64) -> Vec<Outcome> {
    let path = facts.sized_path();
    if !path.sizes.was_probed() {
        return vec![Outcome::Inconclusive {
            missing: recorded::missing(facts),
        }];
    }
    match BlackHole::find(path) {
        Some(hole) => vec![weigh(facts, &hole, mechanism, prior)],
        None => vec![no_black_hole(facts)],
    }
}

/// The black hole that a transfer runs into, for the planner: packets of the size that TCP starts with vanish.
pub(crate) fn explaining_hole(facts: &Facts) -> Option<BlackHole> {
    let hole = BlackHole::find(facts.sized_path())?;
    let bites = facts
        .initial_packet_bytes()
        .is_none_or(|bytes| bytes > hole.passes_bytes);
    (bites && larger_arrived(facts, &hole).is_none()).then_some(hole)
}

fn no_black_hole(facts: &Facts) -> Outcome {
    let sizes = &facts.sized_path().sizes;
    let Some(bytes) = sizes.end_to_end_bytes() else {
        return recorded::announced(facts.sized_path()).unwrap_or_else(|| Outcome::Inconclusive {
            missing: "the destination answered no probe of any size".into(),
        });
    };
    let limit = if sizes.interface_mtu_bytes.is_some_and(|mtu| bytes >= mtu) {
        "the own interface sends no larger ones"
    } else if sizes.honest_routers().is_empty() {
        "no larger ones were tried often enough to tell"
    } else {
        "larger ones draw a valid \"fragmentation needed\": path MTU discovery works"
    };
    Outcome::Contradicts {
        weight: -3.0,
        why: format!("packets up to {bytes} bytes arrive with \"don't fragment\" set; {limit}"),
        cites: sizes.cites.clone(),
    }
}

fn weigh(facts: &Facts, hole: &BlackHole, mechanism: Mechanism, prior: f64) -> Outcome {
    let cites = &facts.sized_path().sizes.cites;
    let mut weighing = existence(facts, hole);
    let exists = logistic(PRIOR + weighing.sum());
    let separation = Separation::of(hole);
    let share = separation.share(mechanism);
    if exists * share < EXCLUDE_BELOW {
        let why = if exists < 0.5 {
            strongest(&weighing)
        } else {
            separation.text()
        };
        return Outcome::Contradicts {
            weight: logit(exists * share),
            why,
            cites: cites.clone(),
        };
    }
    separation.weigh(&mut weighing, mechanism, cites);
    // The two exclude each other: together they cannot be surer than the black hole itself.
    let possible = exists * share;
    weighing.at_most = Some(possible);
    let excess = prior + weighing.sum() - logit(possible);
    if 1.0 - share > WORTH_SAYING && excess > 0.0 {
        weighing.add(-excess, separation.other_possible(mechanism), cites);
    }
    let effect = Effect::of(facts, hole);
    if let Some((text, id)) = &effect.transfers {
        weighing.add(0.0, text.clone(), id);
    }
    let (before, after) = (
        facts.sized_path().hop_ref(hole.before),
        facts.sized_path().hop_ref(hole.after),
    );
    Outcome::Supports(Box::new(Supported {
        claim: advice::claim(hole, facts.sized_path()),
        location: facts.sized_path().link(hole.before, hole.after),
        direction: hole.direction,
        weighing,
        explains: effect.explains,
        allows_bps: effect.allows,
        after_fix_bps: effect.after_fix,
        remedy: advice::remedy(facts, hole, mechanism, &before, &after),
        ask_whom: advice::ask_whom(hole, &before, &after),
        cannot_tell_from: separation.undecided().then(|| advice::cannot_tell(mechanism)),
    }))
}

fn strongest(weighing: &Weighing) -> String {
    let strongest = weighing
        .contradicts
        .iter()
        .min_by(|a, b| a.weight.total_cmp(&b.weight));
    strongest.map_or_else(
        || "too few probes to tell from plain loss".into(),
        |argument| argument.text.clone(),
    )
}
