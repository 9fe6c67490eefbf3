//! What the loss of a stretch allows the TCP transfers that were recorded.

use crate::facts::records::chain_segments::Segment;
use crate::facts::records::recorded_tcp::RecordedTcp;
use crate::facts::{BaseRtt, Facts};
use crate::judgement::Weighing;
use evidence::{Explains, Nanos, ObservationId, RateBps, RateRange};
use stats::Ratio;

/// A recorded transfer beside what the loss allows it.
struct Compared {
    tcp: RecordedTcp,
    allowed: RateRange,
    matches: bool,
}

pub(super) struct Model {
    rtt: Option<BaseRtt>,
    /// Transfers that lasted long enough to meet the loss, longest first.
    compared: Vec<Compared>,
    too_short: Vec<RecordedTcp>,
}

impl Model {
    pub(super) fn of(facts: &Facts, segment: &Segment) -> Self {
        Self::with(facts, segment.pooled(), |tcp| own_loss(segment, tcp))
    }

    /// With the loss of all tests together, and that which a transfer itself met, where it is known.
    pub(super) fn with(facts: &Facts, pooled: Ratio, own: impl Fn(&RecordedTcp) -> Option<Ratio>) -> Self {
        let mut model = Self {
            rtt: facts.base_rtt.clone(),
            compared: Vec::new(),
            too_short: Vec::new(),
        };
        for tcp in facts.recorded_tcp() {
            let loss = own(&tcp).unwrap_or(pooled);
            let allowed = model
                .rtt
                .as_ref()
                .and_then(|rtt| tcp.allowed(rtt.seconds(), loss));
            let Some(allowed) = allowed else { continue };
            if !loss.estimate().is_some_and(|ratio| tcp.met_loss(ratio)) {
                model.too_short.push(tcp);
                continue;
            }
            let matches = (allowed.low.0..=allowed.high.0).contains(&tcp.rate_bps);
            model.compared.push(Compared {
                tcp,
                allowed,
                matches,
            });
        }
        model
    }

    /// Enters the comparison, and says whether the loss accounts for the rate.
    pub(super) fn weigh(&self, weighing: &mut Weighing) -> Explains {
        let matching = self.compared.iter().filter(|compared| compared.matches).count();
        let Some(rtt) = &self.rtt else {
            return Explains::Unknown;
        };
        for compared in &self.compared {
            let text = format!(
                "{}: over {} and a round trip of {}, such loss allows about {} ({} to {}); measured {}{}",
                compared.tcp.name,
                compared.tcp.connections(),
                Nanos(rtt.ns),
                compared.allowed.best,
                compared.allowed.low,
                compared.allowed.high,
                RateBps(compared.tcp.rate_bps),
                if compared.matches {
                    ""
                } else {
                    ": that does not match"
                },
            );
            let weight = if compared.matches {
                2.0 / matching.max(1) as f64
            } else {
                0.0
            };
            weighing.add(weight, text, &cites(rtt, &compared.tcp));
        }
        for tcp in &self.too_short {
            let text = format!(
                "{}: {} over {} ended before each of them met the loss: no figure to compare",
                tcp.name,
                RateBps(tcp.rate_bps),
                tcp.connections()
            );
            weighing.add(0.0, text, std::slice::from_ref(&tcp.id));
        }
        match (matching, self.compared.len()) {
            (_, 0) => Explains::Unknown,
            (matching, all) if 2 * matching >= all => Explains::Yes,
            _ => Explains::No,
        }
    }

    /// Of the transfer that matches, else of any.
    pub(super) fn allowed(&self) -> Option<RateRange> {
        let matching = self.compared.iter().find(|compared| compared.matches);
        matching
            .or(self.compared.first())
            .map(|compared| compared.allowed)
    }
}

/// The loss that the transfer itself met, where it was counted.
fn own_loss(segment: &Segment, tcp: &RecordedTcp) -> Option<Ratio> {
    segment
        .counted
        .iter()
        .find(|loss| Some(loss.test) == tcp.test)
        .map(|loss| loss.lost)
        .filter(|lost| lost.events > 0)
}

fn cites(rtt: &BaseRtt, tcp: &RecordedTcp) -> Vec<ObservationId> {
    crate::judgement::join_cites([&rtt.cites, &vec![tcp.id.clone()]])
}
