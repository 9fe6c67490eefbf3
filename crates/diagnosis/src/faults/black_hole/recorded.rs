//! What other tools' records add to a black hole: whether the complaint's data cross the link at all, and what the
//! transfers through it looked like.

use super::effect::{BLACK_HOLE_SHARE, Effect};
use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::facts::path::PathFacts;
use crate::facts::records::Recorded;
use crate::facts::records::ends::end_of;
use crate::facts::records::stall::Stall;
use crate::faults::words;
use crate::judgement::{Outcome, Weighing, join_cites};
use evidence::v1::{End, Explains, HopRef, Node, ObservationId, RateBps, SizeProbeMode};
use evidence::{Trace, Transfer};

/// A transfer to the same end stalled as senders do that fall back to smaller segments: the same conclusion by other
/// packets.
const STALL_SEEN: f64 = 2.0;
/// A trace from the other end passes the hop behind the link.
const LINK_SHARED: f64 = 1.0;
/// A witness's path and that of the data may join behind the link.
const WITNESS_ONLY: f64 = -0.5;
/// A trace from the other end arrives without passing either side of the link.
const LINK_AVOIDED: f64 = -3.0;

/// What to measure, with the sign that it is worth it.
pub(super) fn missing(facts: &Facts) -> String {
    let what = "which packet sizes reach which hop was not measured";
    let stall = facts
        .records
        .stalls()
        .map(|(_, stall)| stall)
        .min_by(|a, b| a.id.cmp(&b.id));
    match stall {
        Some(stall) => format!(
            "{what}; a transfer {}, as behind a link that swallows large packets",
            stall.words()
        ),
        None => what.into(),
    }
}

/// Nothing vanishes where a router says how large packets may be, as far as that router: what lies behind it only packets
/// that arrive show.
pub(super) fn announced(path: &PathFacts) -> Option<Outcome> {
    let routers = path.sizes.honest_routers();
    let (router, mtu) = routers.into_iter().next()?;
    let named = mtu.map_or_else(String::new, |mtu| format!(" ({mtu} bytes)"));
    let hop = path.router_ref(&router);
    let arrive = path
        .sizes
        .tries(SizeProbeMode::MayFragment)
        .any(|(_, _, tries)| tries.answered > 0);
    if !arrive {
        return Some(Outcome::Inconclusive {
            missing: format!(
                "as far as {} path MTU discovery works; the destination answered no probe of any size, so that what lies \
                 behind is not known",
                words::hop(&hop)
            ),
        });
    }
    Some(Outcome::Contradicts {
        weight: -3.0,
        why: format!(
            "larger packets draw a valid \"fragmentation needed\"{named} from {}: path MTU discovery works{}",
            words::hop(&hop),
            fragmented(path)
        ),
        cites: path.sizes.cites.clone(),
    })
}

/// What becomes of large packets that routers may cut.
fn fragmented(path: &PathFacts) -> String {
    let large = path
        .sizes
        .tries(SizeProbeMode::MayFragment)
        .max_by_key(|(size, _, _)| *size);
    large.map_or_else(String::new, |(size, _, tries)| {
        format!(
            ", and of those of {size} bytes that may be fragmented {} of {} arrive",
            tries.answered, tries.sent
        )
    })
}

/// Enters what the records say for and against this black hole.
pub(super) fn weigh(weighing: &mut Weighing, facts: &Facts, hole: &BlackHole) {
    let path = facts.sized_path();
    if let Some(place) = &path.witness {
        weigh_witness(weighing, facts, hole, place);
    }
    let towards = path.vantage.other();
    if let Some((transfer, stall)) = stall_towards(facts, towards) {
        let from = &transfer.what.from;
        let text = format!("a transfer from {from} {}", stall.words());
        weighing.add(STALL_SEEN, text, std::slice::from_ref(&stall.id));
        if let Some((to, rate, id)) = fast_elsewhere(facts, transfer) {
            let text = format!("from the same host to {to} run {rate}: it is not the host nor its network");
            weighing.add(0.0, text, &[id]);
        }
    }
}

/// The slowest transfer towards an end that has the shape.
fn stall_towards(facts: &Facts, towards: End) -> Option<(&Recorded<Transfer>, Stall)> {
    facts
        .records
        .stalls()
        .filter(|(transfer, _)| end_of(&transfer.what.to, &facts.complaint) == Some(towards))
        .min_by(|(a, _), (b, _)| a.id.cmp(&b.id))
}

fn weigh_witness(weighing: &mut Weighing, facts: &Facts, hole: &BlackHole, place: &Node) {
    let path = facts.sized_path();
    let sides = [path.hop_ref(hole.before), path.hop_ref(hole.after)];
    let own: Vec<&Recorded<Trace>> = facts
        .records
        .traces
        .iter()
        .filter(|t| end_of(&t.what.from, &facts.complaint) == Some(path.vantage))
        .filter(|t| end_of(&t.what.to, &facts.complaint) == Some(path.vantage.other()))
        .collect();
    let crosses = |trace: &&&Recorded<Trace>| sides.iter().any(|side| passes(&trace.what, side));
    let name = facts.name(path.vantage);
    let text = match (
        own.iter().find(crosses),
        own.iter().find(|t| t.what.reached == Some(true)),
    ) {
        (Some(trace), _) => {
            let text = format!("the route from {name} passes this link as well");
            return weighing.add(LINK_SHARED, text, std::slice::from_ref(&trace.id));
        }
        (None, Some(trace)) => {
            let text = format!("the route from {name} passes neither side of this link");
            return weighing.add(LINK_AVOIDED, text, std::slice::from_ref(&trace.id));
        }
        (None, None) => {
            format!("seen from {place}: that the data from {name} cross this link as well was not shown")
        }
    };
    weighing.add(WITNESS_ONLY, text, &path.sizes.cites);
}

fn passes(trace: &Trace, side: &HopRef) -> bool {
    let side = Node {
        name: side.name.clone(),
        address: side.address,
    };
    let answers = || trace.hops().flat_map(|hop| &hop.answers);
    answers().any(|answer| answer.node.same_as(&side) == Some(true))
}

/// The fastest transfer that began at the same host and went to another one.
fn fast_elsewhere(facts: &Facts, slow: &Recorded<Transfer>) -> Option<(Node, RateBps, ObservationId)> {
    let rate = slow.rate()?;
    facts
        .records
        .transfers
        .iter()
        .filter(|t| t.what.from.same_as(&slow.what.from) == Some(true))
        .filter(|t| t.what.to.same_as(&slow.what.to) == Some(false))
        .filter_map(|t| Some((t.what.to.clone(), t.rate()?, t.id.clone())))
        .filter(|(_, fast, _)| BLACK_HOLE_SHARE * fast.0 > rate.0)
        .max_by(|a, b| a.1.0.total_cmp(&b.1.0).then_with(|| b.2.cmp(&a.2)))
}

/// The effect on the transfer complained about, as far as records show it: what a transfer through the link gives, and
/// that the one complained about is no faster than half of what other pairs of hosts get.
pub(super) fn effect(facts: &Facts) -> Option<Effect> {
    let (complained, rate) = facts.records.complained(&facts.complaint)?;
    let stalled = stall_towards(facts, End::To);
    let best = facts
        .records
        .transfers
        .iter()
        .filter(|t| t.id != complained.id)
        .filter_map(|t| Some((t.rate()?.0, t.id.clone())))
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    let expected = facts.expected().map(|expected| expected.0);
    let normal = expected.or(best.as_ref().map(|(rate, _)| *rate))?;
    let slow = rate.0 <= BLACK_HOLE_SHARE * normal;
    let explains = match (slow, &stalled) {
        (false, _) => Explains::No,
        (true, Some(_)) => Explains::Yes,
        (true, None) => Explains::Unknown,
    };
    let compared = match &best {
        Some((best, _)) => format!(
            "{rate} measured where other pairs of hosts get up to {}",
            RateBps(*best)
        ),
        None => format!("{rate} measured, {} expected", RateBps(normal)),
    };
    // What one transfer through it gave; over a longer round trip less, as the new start takes longer.
    let through = stalled
        .as_ref()
        .and_then(|(t, _)| t.rate())
        .map_or(0.0, |rate| rate.0);
    let cites = join_cites([
        &vec![complained.id.clone()],
        &best.iter().map(|(_, id)| id.clone()).collect(),
        &stalled.iter().map(|(t, _)| t.id.clone()).collect(),
    ]);
    Some(Effect {
        explains,
        allows: Some(words::range(
            0.0,
            through.min(BLACK_HOLE_SHARE * normal),
            BLACK_HOLE_SHARE * normal,
        )),
        after_fix: None,
        transfers: Some((compared, cites)),
    })
}
