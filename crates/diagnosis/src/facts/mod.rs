//! What follows from the records of one round before any cause is weighed: which counters are believed, steps and routes over time,
//! figures that people state. Adapters make measurements of facts, and red herrings read them; what a fact means is theirs to say.
//!
//! Nothing here depends on the order of the observations: sums, extremes and medians only.

pub(crate) mod directions;

use crate::adapters::stations::ChainTest;
use crate::adapters::{Gathered, Routing, Rtt};
use crate::records::{self, RateBefore, Records};
use evidence::{Case, Complaint, Direction, Node, NotMeasured, Observation, Payload, Quantity, RateBps};
use std::rc::Rc;

/// Where nobody said what is expected, a program is slow that reaches less than this share of what a test reaches.
const HALF: f64 = 0.5;

/// All facts of one round.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) complaint: Complaint,
    /// What was measured and recorded, whoever did.
    pub(crate) records: Records,
    /// What was asked for and not obtained.
    pub(crate) not_measured: Vec<NotMeasured>,
    /// Smallest round-trip time seen between the ends.
    pub(crate) base_rtt: Option<Rtt>,
    /// What records tell of rate and route over time.
    pub(crate) routing: Rc<Routing>,
    /// The lowest rate that somebody says the transfer complained about has.
    stated_rate: Option<RateBps>,
    /// The rate of the transfer complained about in the last round before that tells one.
    pub(crate) rate_before: Option<RateBefore>,
    /// Packets that networks counted along the path.
    pub(crate) chains: Vec<ChainTest>,
}

impl Facts {
    /// Derives the facts of `round`, with what the model's measurements were made of.
    pub(crate) fn derive(case: &Case, round: u32, gathered: Option<&Gathered>) -> Self {
        let refusal = |o: &Observation| match &o.payload {
            Payload::NotMeasured(refusal) => Some(refusal.clone()),
            _ => None,
        };
        let records = Records::derive(case, round);
        let stated = records.stated(Quantity::Rate, &case.complaint);
        Self {
            complaint: case.complaint.clone(),
            not_measured: case.round(round).filter_map(refusal).collect(),
            base_rtt: gathered.and_then(|gathered| gathered.rtt.clone()),
            chains: ChainTest::all(&records.chains, &case.complaint),
            routing: gathered.map_or_else(
                || Rc::new(Routing::derive(&records, &case.complaint)),
                |gathered| gathered.routing.clone(),
            ),
            stated_rate: stated
                .iter()
                .find(|said| said.subject.is_none())
                .map(|said| RateBps(said.value)),
            records,
            rate_before: records::rate_before(case, round),
        }
    }

    pub(crate) fn expected(&self) -> Option<RateBps> {
        self.complaint.expected_bps
    }

    /// The rate of the transfer complained about, of a series its last level, and the records that tell it.
    pub(crate) fn measured_rate(&self) -> Option<RateBps> {
        let complained = self.records.complained(&self.complaint).map(|(_, rate)| rate);
        // What somebody says counts where it is no more than what tests leave of a rate.
        let slow = |said: &RateBps| complained.is_none_or(|rate| said.0 < HALF * rate.0);
        self.stated_rate
            .filter(|said| complained.is_some() && slow(said))
            .or(complained)
            .or_else(|| self.routing.rates.as_ref()?.current())
            .or_else(|| self.counted_rate())
            .or(self.stated_rate)
    }

    /// The rate of the longest TCP transfer with the data that was counted on its way: short ones are still starting.
    fn counted_rate(&self) -> Option<RateBps> {
        let with_data = |test: &&ChainTest| test.is_tcp() && test.direction == Some(Direction::Forward);
        let packets = |test: &ChainTest| test.sent().or_else(|| Some(test.trusted().next()?.1));
        let tests = self.chains.iter().filter(with_data);
        let counted = tests.filter_map(|test| Some((packets(test), &test.id, test.rate_bps()?)));
        let longest = counted.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
        Some(RateBps(longest.2))
    }

    /// Whether data went between the two ends, either way.
    pub(crate) fn has_transfers(&self) -> bool {
        let between = |from: &Node, to: &Node| {
            let ends = [from, to].map(|node| records::end_of(node, &self.complaint));
            matches!(ends, [Some(a), Some(b)] if a != b)
        };
        self.records
            .transfers
            .iter()
            .any(|t| between(records::or(&t.what.from, &t.vantage), &t.what.to))
    }
}
