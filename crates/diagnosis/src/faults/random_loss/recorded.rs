//! The same from a series of loss that somebody's probes saw: how much and since when, but not where.

use super::model::MODEL_FACTOR;
use crate::facts::Facts;
use crate::facts::records::steps::Step;
use crate::facts::records::steps::beside::Beside;
use crate::facts::response::{CongestionControl, Connection};
use crate::faults::words;
use crate::judgement::{Outcome, Supported, Weighing, join_cites};
use evidence::v1::{Direction, Explains, Location, ObservationId, RateBps, RateRange, SeriesMetric};

/// Probes are not the data: routers answer them when they have time, and queues treat small packets better.
const AT_MOST: f64 = 0.75;

/// What a segment carries at an MTU of 1500 with timestamps (RFC 7323 appendix A).
const USUAL_MSS: u32 = 1_448;

/// `None` without a series of the path's loss, or where it ends with none.
pub(super) fn judge(facts: &Facts) -> Option<Outcome> {
    let loss = facts.routing.loss.as_ref()?;
    let ratio = loss.steps.regimes.last()?.level;
    if ratio <= 0.0 || ratio >= 1.0 {
        return None;
    }
    let seen = format!("probes see a loss of {}", words::loss(ratio));
    let Some((rtt_s, rtt_cites)) = round_trip(facts) else {
        return Some(Outcome::Inconclusive {
            missing: format!("{seen}; what it costs takes the round-trip time, which was not recorded"),
        });
    };
    let cites = join_cites([&loss.cites, &rtt_cites]);
    let allows = allowed(ratio, rtt_s);
    let measured = facts.measured_rate();
    if measured.is_some_and(|rate| allows.low.0 > MODEL_FACTOR * rate.0) {
        return Some(Outcome::Contradicts {
            weight: -2.0,
            why: format!("{seen}, which would allow {} a connection", allows.best),
            cites,
        });
    }
    Some(weigh(facts, loss, ratio, allows, &cites))
}

fn weigh(facts: &Facts, loss: &Beside, ratio: f64, allows: RateRange, cites: &[ObservationId]) -> Outcome {
    let mut weighing = Weighing {
        at_most: Some(AT_MOST),
        ..Weighing::default()
    };
    weigh_since(&mut weighing, facts, loss, ratio);
    let explains = weigh_rate(&mut weighing, facts, allows, cites);
    Outcome::Supports(Box::new(Supported {
        claim: format!("{}, somewhere on the path: probes see it", words::one_in(ratio)),
        location: Location::Path,
        direction: Direction::Both,
        weighing,
        explains,
        allows_bps: Some(allows),
        after_fix_bps: None,
        remedy: "find the link: `slowpath diagnose` with a far end measures loss by direction and hop; or compare the \
            error counters of the interfaces on the path since that time"
            .into(),
        ask_whom: "the operators along the path: error counters and work done at that time".into(),
        cannot_tell_from: Some(
            "loss on the way back, which costs a transfer little, and a full queue (CAP-001): what tells is a paced UDP \
             stream in each direction, and whether the round trip grows with the loss"
                .into(),
        ),
    }))
}

/// Loss that began is an event; loss that always was there explains no complaint of today by itself.
fn weigh_since(weighing: &mut Weighing, facts: &Facts, loss: &Beside, ratio: f64) {
    let zone = facts.complaint.utc_offset_s;
    let Some(step) = loss.steps.steps.last().filter(|step| rises(step)) else {
        let text = format!("{} as long as it was measured", words::loss(ratio));
        weighing.add(0.5, text, &loss.cites);
        if let Some(rates) = facts
            .routing
            .rates
            .as_ref()
            .filter(|rates| rates.crossings().next().is_some())
        {
            let text = "the rate changed, and the loss did not";
            weighing.add(-2.0, text, &join_cites([&loss.cites, &rates.cites]));
        }
        return;
    };
    let text = format!(
        "loss steps from {}",
        words::step(SeriesMetric::LossRatio, step, zone)
    );
    weighing.add(1.5, text, &loss.cites);
    let Some(rates) = &facts.routing.rates else { return };
    let fell = rates.steps.steps.iter().find(|rate| {
        rate.after.level < rate.before.level && loss.near(rate.between).is_some_and(|near| near == step)
    });
    match fell {
        Some(rate) => {
            let text = format!(
                "the rate falls with it: {}",
                words::step(SeriesMetric::Throughput, rate, zone)
            );
            weighing.add(1.5, text, &join_cites([&loss.cites, &rates.cites]));
        }
        None => weighing.add(
            -1.5,
            "the rate does not change when it begins",
            &join_cites([&loss.cites, &rates.cites]),
        ),
    }
}

fn rises(step: &Step) -> bool {
    step.after.level > step.before.level
}

fn weigh_rate(
    weighing: &mut Weighing,
    facts: &Facts,
    allows: RateRange,
    cites: &[ObservationId],
) -> Explains {
    let Some(rate) = facts.measured_rate() else {
        return Explains::Unknown;
    };
    let figures = format!(
        "such loss allows a connection about {} ({} to {}), measured {rate}",
        allows.best, allows.low, allows.high
    );
    if (allows.low.0..=allows.high.0).contains(&rate.0) {
        weighing.add(2.0, figures, cites);
        return Explains::Yes;
    }
    weighing.add(0.0, format!("{figures}: that does not match"), cites);
    Explains::No
}

/// Of the ends as recorded, else the level at which its own series ends.
fn round_trip(facts: &Facts) -> Option<(f64, Vec<ObservationId>)> {
    let recorded = facts
        .base_rtt
        .as_ref()
        .map(|rtt| (rtt.seconds(), rtt.cites.clone()));
    let series = || {
        let rtt = facts.routing.rtt.as_ref()?;
        Some((rtt.steps.regimes.last()?.level, rtt.cites.clone()))
    };
    recorded.or_else(series).filter(|(rtt_s, _)| *rtt_s > 0.0)
}

/// Between Reno's rate and CUBIC's, as nobody told which it was, with what models err by.
fn allowed(ratio: f64, rtt_s: f64) -> RateRange {
    let connection = Connection {
        control: CongestionControl::Other,
        mss_bytes: USUAL_MSS,
        rtt_s,
    };
    let (reno, cubic) = (connection.pftk_bps(ratio), connection.cubic_bps(ratio));
    let best = connection.allowed(ratio).unwrap_or(RateBps(reno)).0;
    words::range(reno / MODEL_FACTOR, best, cubic * MODEL_FACTOR)
}
