//! Whether TCP is held back by what the receiver drops.
//!
//! The drops grow with the rate: what a faster stream lost says nothing of a slower transfer. A transfer that ran as fast
//! as a stream that lost, or faster, met at least that loss; one that runs faster than the loss would let it meets less.

use super::words;
use crate::facts::Facts;
use crate::facts::records::chain_segments::Segment;
use crate::facts::records::recorded_tcp::RecordedTcp;
use crate::judgement::Weighing;
use evidence::{Explains, RateBps, RateRange};
use stats::Ratio;

pub(super) fn weigh(weighing: &mut Weighing, facts: &Facts, segment: &Segment) -> Explains {
    let (Some(rtt), Some((slowest, least))) = (&facts.base_rtt, least_loss(facts, segment)) else {
        return Explains::Unknown;
    };
    let fastest = facts
        .recorded_tcp()
        .into_iter()
        .filter_map(|tcp| Some((tcp.allowed(rtt.seconds(), least)?, tcp)))
        .max_by(|a, b| {
            a.1.rate_bps
                .total_cmp(&b.1.rate_bps)
                .then_with(|| b.1.id.cmp(&a.1.id))
        });
    let Some((allowed, tcp)) = fastest else {
        return Explains::Unknown;
    };
    let (explains, says) = compare(&tcp, allowed, slowest);
    let text = format!(
        "{} reached {} over {}; with {} lost it would be about {}: {says}",
        tcp.name,
        RateBps(tcp.rate_bps),
        tcp.connections(),
        words::loss(least.estimate().unwrap_or(0.0)),
        allowed.best
    );
    let weight = if explains == Explains::Unknown { 0.0 } else { 0.5 };
    weighing.add(weight, text, std::slice::from_ref(&tcp.id));
    explains
}

fn compare(tcp: &RecordedTcp, allowed: RateRange, slowest_bps: f64) -> (Explains, &'static str) {
    if tcp.rate_bps > allowed.high.0 {
        (Explains::No, "at its rate hardly any are dropped")
    } else if tcp.rate_bps < slowest_bps {
        (
            Explains::Unknown,
            "whether any are dropped at its lower rate was not seen",
        )
    } else if tcp.rate_bps < allowed.low.0 {
        (Explains::No, "something else is slower")
    } else {
        (Explains::Yes, "a stream that was no faster lost as many")
    }
}

/// The stream that lost the least share, with its rate.
fn least_loss(facts: &Facts, segment: &Segment) -> Option<(f64, Ratio)> {
    let share = |lost: &Ratio| lost.estimate().unwrap_or(1.0);
    segment
        .counted
        .iter()
        .filter(|loss| loss.lost.events > 0)
        .filter_map(|loss| Some((facts.chains.tests.get(loss.test)?.rate_bps()?, loss.lost)))
        .min_by(|a, b| share(&a.1).total_cmp(&share(&b.1)).then(a.0.total_cmp(&b.0)))
}
