//! What the path can carry at most, and behind which hop the queue stands when it is full.

use super::Facts;
use super::path::PathFacts;
use evidence::v1::{EchoContext, End, ObservationId, RateBps};
use std::collections::BTreeMap;

/// Where our own load makes a queue.
#[derive(Debug, Clone)]
pub(crate) struct QueuePlace {
    /// The last TTL that keeps its idle delay.
    pub(crate) before: u8,
    /// The first TTL that shows the queue.
    pub(crate) after: u8,
    /// Queueing delay seen at the end of the path, nanoseconds.
    pub(crate) delay_ns: u64,
    pub(crate) cites: Vec<ObservationId>,
}

/// Less queueing delay than this is what a busy host adds by itself.
const LEAST_QUEUE_NS: u64 = 1_000_000;

/// The step at the bottleneck must make up this share of the whole queueing delay: with less, the queue is spread and
/// no single link can be named.
const DOMINANT_STEP: f64 = 0.5;

impl QueuePlace {
    /// Compares delays under our load with idle ones, hop by hop.
    pub(crate) fn find(path: &PathFacts) -> Option<Self> {
        let loaded = path.echo.delays(EchoContext::UnderLoad);
        let idle = path.echo.delays(EchoContext::Idle);
        // BBR keeps its queue short but for its probing phases, which the upper quantile shows.
        Self::from_profile(path, &profile(path, &loaded, &idle, |rtt| rtt.p50_ns))
            .or_else(|| Self::from_profile(path, &profile(path, &loaded, &idle, |rtt| rtt.p90_ns)))
            .map(|place| Self {
                cites: crate::judgement::join_cites(
                    loaded.values().chain(idle.values()).map(|(_, cites)| cites),
                ),
                ..place
            })
    }

    fn from_profile(path: &PathFacts, delays: &[(u8, u64)]) -> Option<Self> {
        let (last, total) = delays.last().copied()?;
        if total < LEAST_QUEUE_NS || path.last_ttl().is_some_and(|end| last < end.saturating_sub(1)) {
            return None;
        }
        let steps = std::iter::once((0, 0))
            .chain(delays.iter().copied())
            .zip(delays.iter().copied());
        let ((before, low), (after, high)) =
            steps.max_by_key(|((_, low), (_, high))| high.saturating_sub(*low))?;
        let dominant = (high - low) as f64 >= DOMINANT_STEP * total as f64;
        dominant.then(|| Self {
            before,
            after,
            delay_ns: total,
            cites: Vec::new(),
        })
    }
}

/// Queueing delay per TTL. A packet to a far hop passes all nearer ones, so a hop cannot have more queue before it than
/// any hop behind it: the minimum over the rest of the path takes out hops that are slow to answer.
fn profile(
    path: &PathFacts,
    loaded: &BTreeMap<u8, (evidence::v1::RttSummary, Vec<ObservationId>)>,
    idle: &BTreeMap<u8, (evidence::v1::RttSummary, Vec<ObservationId>)>,
    quantile: fn(&evidence::v1::RttSummary) -> u64,
) -> Vec<(u8, u64)> {
    let at_rest = |ttl: u8| {
        let echoed = idle.get(&ttl).map(|(rtt, _)| quantile(rtt));
        echoed.or_else(|| path.route_rtt_ns(ttl))
    };
    let mut delays: Vec<(u8, u64)> = loaded
        .iter()
        .filter_map(|(ttl, (rtt, _))| Some((*ttl, quantile(rtt).saturating_sub(at_rest(*ttl)?))))
        .collect();
    let mut least = u64::MAX;
    for (_, delay) in delays.iter_mut().rev() {
        least = least.min(*delay);
        *delay = least;
    }
    delays
}

/// How several connections compare with one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    pub(crate) single: RateBps,
    pub(crate) parallel: RateBps,
    pub(crate) streams: u16,
}

impl Scaling {
    pub(crate) fn factor(&self) -> f64 {
        self.parallel.0 / self.single.0.max(1.0)
    }

    /// The sum does not grow with the number: what limits is shared by all connections.
    pub(crate) fn is_flat(&self) -> bool {
        (0.75..1.25).contains(&self.factor())
    }

    /// Each connection gets about what one gets alone: what limits is in each.
    pub(crate) fn is_proportional(&self) -> bool {
        self.factor() >= 0.6 * f64::from(self.streams)
    }
}

impl Facts {
    /// The plain transfer beside the parallel one.
    pub(crate) fn scaling(&self) -> Option<Scaling> {
        let (single, parallel) = (self.plain_run()?, self.parallel_run()?);
        let usable = !single.stalled && !parallel.stalled && single.rate.0 > 0.0;
        usable.then_some(Scaling {
            single: single.rate,
            parallel: parallel.rate,
            streams: parallel.streams,
        })
    }

    /// The rate at which the slower of the two interfaces ends, less Ethernet and header overhead.
    pub(crate) fn interface_limit(&self) -> Option<(End, RateBps)> {
        let speed = |end| Some((end, self.host(end)?.interface_speed?));
        let slower = [speed(End::From), speed(End::To)]
            .into_iter()
            .flatten()
            .min_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        Some((slower.0, RateBps(slower.1.0 * 0.94)))
    }
}
