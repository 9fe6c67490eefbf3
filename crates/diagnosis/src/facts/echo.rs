//! Loss and delay per hop: all echo measurements of one vantage, pooled by (context, mode, TTL, size).

use super::ratio::Ratio;
use evidence::v1::{EchoContext, EchoMode, EchoSeries, Observation, ObservationId, Payload, RttSummary};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Everything echo measurements said.
#[derive(Debug, Default)]
pub(crate) struct EchoFacts {
    cells: BTreeMap<Key, Answers>,
    addresses: BTreeSet<(u8, IpAddr)>,
    seen: bool,
    surveyed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    context: EchoContext,
    mode: EchoMode,
    ttl: u8,
    size_bytes: u32,
}

/// What one hop answered in one mode to one size.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    /// Of the series with most answers.
    pub(crate) rtt: Option<RttSummary>,
    rtt_answers: u64,
    /// Whether answers were dropped in our own sockets, or may have been: then silence is ours, not the path's.
    pub(crate) own_drops: Option<u64>,
    pub(crate) cites: Vec<ObservationId>,
}

impl Answers {
    /// Unanswered of sent.
    pub(crate) fn unanswered(&self) -> Ratio {
        Ratio::new(self.sent - self.answered, self.sent)
    }

    fn learn(&mut self, series: &EchoSeries, own_drops: Option<u64>, id: &ObservationId) {
        self.sent = self.sent.saturating_add(series.sent);
        self.answered = self.answered.saturating_add(series.answered.min(series.sent));
        let better = series.answered > self.rtt_answers;
        let earlier = series.answered == self.rtt_answers && series.rtt.map(order) < self.rtt.map(order);
        if series.rtt.is_some() && (better || self.rtt.is_none() || earlier) {
            self.rtt = series.rtt;
            self.rtt_answers = series.answered;
        }
        self.own_drops = match (self.own_drops, own_drops) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        if !self.cites.contains(id) {
            self.cites.push(id.clone());
        }
    }
}

fn order(rtt: RttSummary) -> (u64, u64, u64) {
    (rtt.min_ns, rtt.p50_ns, rtt.max_ns)
}

impl EchoFacts {
    pub(crate) fn derive(observations: &[&Observation]) -> Self {
        let mut facts = Self::default();
        for observation in observations {
            let Payload::Echo(echo) = &observation.payload else {
                continue;
            };
            facts.seen = true;
            // A single series is a loss test of one hop, not a look at all of them.
            facts.surveyed |= echo.context == EchoContext::Idle && echo.series.len() != 1;
            for series in echo.series.iter().filter(|series| series.sent > 0) {
                let key = Key {
                    context: echo.context,
                    mode: series.mode,
                    ttl: series.ttl,
                    size_bytes: series.size_bytes,
                };
                facts
                    .cells
                    .entry(key)
                    .or_default()
                    .learn(series, echo.own_socket_drops, &observation.id);
                if let (Some(address), true) = (series.address, series.answered > 0) {
                    facts.addresses.insert((series.ttl, address));
                }
            }
        }
        facts
    }

    pub(crate) fn was_probed(&self) -> bool {
        self.seen
    }

    /// Whether the hops were looked at one and all with nothing else of ours on the path.
    pub(crate) fn surveyed(&self) -> bool {
        self.surveyed
    }

    pub(crate) fn hop_addresses(&self) -> impl Iterator<Item = (u8, IpAddr)> {
        self.addresses.iter().copied()
    }

    /// Idle answers at `ttl` to packets that are on their way to the destination: the smallest size tried, which is the
    /// one that says whether the hop answers at all.
    pub(crate) fn small_in_transit(&self, ttl: u8) -> Option<&Answers> {
        self.in_transit(EchoContext::Idle)
            .filter(|(t, _, _)| *t == ttl)
            .min_by_key(|(_, size, _)| *size)
            .map(|c| c.2)
    }

    /// The sizes at `ttl` in transit while idle.
    pub(crate) fn idle_in_transit(&self) -> impl Iterator<Item = (u8, u32, &Answers)> {
        self.in_transit(EchoContext::Idle)
    }

    fn in_transit(&self, context: EchoContext) -> impl Iterator<Item = (u8, u32, &Answers)> {
        self.cells
            .iter()
            .filter(move |(key, _)| key.context == context && key.mode != EchoMode::Direct)
            .map(|(key, answers)| (key.ttl, key.size_bytes, answers))
    }

    /// Round-trip times to each TTL in transit, of the smallest size; while idle, or under our own load.
    pub(crate) fn delays(&self, context: EchoContext) -> BTreeMap<u8, (RttSummary, Vec<ObservationId>)> {
        let mut delays: BTreeMap<u8, (u32, RttSummary, Vec<ObservationId>)> = BTreeMap::new();
        for (ttl, size, answers) in self.in_transit(context) {
            let Some(rtt) = answers.rtt.filter(|_| answers.answered >= 3) else {
                continue;
            };
            if delays.get(&ttl).is_none_or(|(known, _, _)| size < *known) {
                delays.insert(ttl, (size, rtt, answers.cites.clone()));
            }
        }
        delays
            .into_iter()
            .map(|(ttl, (_, rtt, cites))| (ttl, (rtt, cites)))
            .collect()
    }

    /// Smallest round-trip time to `ttl`, in whatever context.
    pub(crate) fn least_rtt(&self, ttl: u8) -> Option<(u64, Vec<ObservationId>)> {
        self.cells
            .iter()
            .filter(|(key, _)| key.ttl == ttl && key.mode != EchoMode::Direct)
            .filter_map(|(_, answers)| Some((answers.rtt?.min_ns, answers.cites.clone())))
            .min()
    }
}
