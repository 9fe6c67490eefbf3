//! Delay that grows while the path is loaded: the queue stands before what limits, in the direction of the load.
//!
//! A healthy transfer fills the queue before the slowest link of its way as well. So every world has a place where the
//! queue stands by nature, unless something else keeps the transfer from filling the path: an unknown that all probes
//! beside one transfer share.

use super::rate::{LimitedBy, limit};
use super::waits::growth_odds;
use crate::density::log_sum_exp;
use crate::{ElementId, Fault, Kind, Measurement, Queue, Rate, Seen};
use libm::log;
use std::collections::BTreeSet;

/// A queue shorter than this is none, seconds: the scheduler's milliseconds, on however short a path.
pub const LEAST_QUEUE_S: f64 = 0.003;

/// Shares of the load's own queue that its probes find, and how often they find so much where they met it. Where they did
/// not, it is the other way round.
const SHARES: [f64; 4] = [0.8, 0.5, 0.2, 0.05];
const MET: [f64; 5] = [0.72, 0.13, 0.08, 0.05, 0.02];

/// Probes of several nodes beside one and the same transfer.
#[derive(Debug)]
pub struct Loaded<'a> {
    probes: Vec<(&'a Measurement, &'a Queue)>,
    /// The load as a measurement of its own.
    way: (Measurement, Rate),
    /// Log probability of their delays where nothing is wrong.
    natural: f64,
}

impl<'a> Loaded<'a> {
    /// Divides probes by the transfer that loaded the path meanwhile.
    #[must_use]
    pub fn by_load(members: &[&'a Measurement]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for member in members {
            let Seen::Queue(queue) = &member.seen else {
                continue;
            };
            let same = |(_, other): &(&Measurement, &Queue)| {
                other.load == queue.load && other.load_out == queue.load_out
            };
            match all
                .iter_mut()
                .find(|loaded| loaded.probes.first().is_some_and(same))
            {
                Some(loaded) => loaded.probes.push((member, queue)),
                None => all.push(Self {
                    probes: vec![(member, queue)],
                    way: (queue.load_way(member), queue.load.clone()),
                    natural: 0.0,
                }),
            }
        }
        for loaded in &mut all {
            loaded.natural = Self::natural(std::slice::from_ref(loaded));
        }
        all
    }

    /// The faults that the load may have met, for each route that was open to it, as [`Measurement::by_route`].
    #[must_use]
    pub fn by_route(&self, faults: &[Fault]) -> Option<Vec<Vec<Fault>>> {
        self.way.0.by_route(faults)
    }

    /// What limits the load. `normal_bps` is what the path would carry without any fault.
    #[must_use]
    pub fn limited_by(&self, faults: &[Fault], normal_bps: f64) -> LimitedBy {
        limit(faults, &self.way.0, &self.way.1, normal_bps).by
    }

    /// Log probability of how the delays grew beside a load that is limited so.
    #[must_use]
    pub fn ln_likelihood(&self, faults: &[Fault], by: LimitedBy) -> f64 {
        if Self::is_natural(by) {
            return self.natural;
        }
        match by {
            // A program that wakes now and then reads or writes a whole window at once, and bursts queue.
            LimitedBy::Fault(
                Kind::ReaderRate | Kind::WriterRate | Kind::ProcessorRate | Kind::AdapterRate,
            ) => log_sum_exp(&[
                log(0.7) + self.all(LimitedBy::OwnWindow, None),
                log(0.3) + self.natural,
            ]),
            LimitedBy::Fault(kind) => {
                let place = faults.iter().find(|fault| fault.kind == kind);
                // Bursts fill a queue now and then, whatever limits on average.
                log_sum_exp(&[
                    log(0.9) + self.all(by, place.map(|fault| fault.element)),
                    log(0.1) + self.natural,
                ])
            }
            _ => self.all(by, None),
        }
    }

    /// Log probability of their delays where the queue stands before this link, or nowhere: the test was too short to fill it.
    fn at(&self, place: Option<ElementId>) -> f64 {
        log_sum_exp(&[
            log(0.7) + self.all(LimitedBy::Fault(Kind::Capacity), place),
            log(0.3) + self.all(LimitedBy::OwnWindow, None),
        ])
    }

    /// Log probability of all delays where nothing is wrong: all loads of one way queue before the same link, nobody knows which.
    #[must_use]
    pub fn natural(loads: &[Self]) -> f64 {
        let ways = loads.iter().flat_map(|load| load.probes.first());
        let places: BTreeSet<ElementId> = ways
            .flat_map(|(_, queue)| queue.load_out.iter().copied())
            .collect();
        let each = -log(places.len().max(1) as f64);
        let at = |place: &ElementId| each + loads.iter().map(|load| load.at(Some(*place))).sum::<f64>();
        log_sum_exp(&places.iter().map(at).collect::<Vec<f64>>())
    }

    /// Whether nothing keeps a load that is limited so from filling the path: between its interruptions a path is what it is
    /// without them, and what is unknown may leave it so.
    #[must_use]
    pub fn is_natural(by: LimitedBy) -> bool {
        matches!(
            by,
            LimitedBy::Nothing
                | LimitedBy::Fault(
                    Kind::Interruption | Kind::RareInterruption | Kind::Unknown | Kind::UnknownLoss
                )
        )
    }

    fn all(&self, by: LimitedBy, place: Option<ElementId>) -> f64 {
        let met = |probe: &Measurement| place.is_some_and(|place| probe.out.contains(&place));
        self.probes
            .iter()
            .map(|(probe, queue)| one(by, queue, met(probe)))
            .sum()
    }
}

/// Log probability of the delay of one node's answers, whose probes met the queue or did not get so far.
fn one(by: LimitedBy, seen: &Queue, met: bool) -> f64 {
    // How long the queue of the load is, its own round trip tells: probes meet all of it, or nothing.
    let waits = &seen.load.waits;
    let own = waits
        .rtt_growth
        .zip(seen.load.min_rtt_s)
        .map(|(growth, rtt_s)| growth * rtt_s);
    let queueing = matches!(
        by,
        LimitedBy::Fault(Kind::Capacity | Kind::Share | Kind::Rivals | Kind::ShortQueue | Kind::FlowLimit)
    );
    if let (Some(queue_s), true) = (own, queueing)
        && queue_s > LEAST_QUEUE_S
    {
        let share = seen.above_min_s / queue_s;
        let place = SHARES.iter().take_while(|least| share < **least).count();
        let odds = if met {
            MET[place]
        } else {
            MET[MET.len() - 1 - place]
        };
        return log(odds);
    }
    let by = match by {
        LimitedBy::Fault(kind) if !met && !kind.is_of_host() => LimitedBy::Fault(Kind::LossRatio),
        by => by,
    };
    let growth = if seen.above_min_s < LEAST_QUEUE_S {
        0.0
    } else {
        seen.above_min_s / seen.min_s.max(LEAST_QUEUE_S)
    };
    log(growth_odds(by, seen.load.control, growth))
}
