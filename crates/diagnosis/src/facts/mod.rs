//! Quantities derived from the observations of one round, once, each with its uncertainty and the observations that it
//! rests on. Rules and the planner see facts only; what a fact means is theirs to say.
//!
//! Nothing here depends on the order of the observations: sums, extremes and medians only.

pub(crate) mod black_hole;
pub(crate) mod capacity;
pub(crate) mod echo;
pub(crate) mod host;
pub(crate) mod loss;
pub(crate) mod loss_place;
pub(crate) mod path;
pub(crate) mod ratio;
pub(crate) mod records;
pub(crate) mod response;
pub(crate) mod sizes;
pub(crate) mod transfer;

use crate::adapters::is_test_program;
use crate::faults::ENOUGH;
use black_hole::BlackHole;
use evidence::v1::{
    Case, Complaint, Direction, End, NotMeasured, Observation, ObservationId, Payload, Quantity, RateBps,
};
use host::HostLimits;
use loss::UdpRun;
use path::PathFacts;
use records::chain_segments::Chains;
use records::connections::SenderConnection;
use records::routing::Routing;
use records::{RateBefore, Records};
use transfer::TcpRun;

/// Where nobody said what is expected, a program is slow that reaches less than this share of what a test reaches.
const HALF: f64 = 0.5;

/// All facts of one round.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) complaint: Complaint,
    /// Seen from the sender of the data: the way of the data.
    pub(crate) forward: PathFacts,
    /// Seen from its receiver: the way of the acknowledgements.
    pub(crate) reverse: PathFacts,
    /// TCP transfers in both directions.
    pub(crate) tcp: Vec<TcpRun>,
    /// UDP streams in both directions.
    pub(crate) udp: Vec<UdpRun>,
    pub(crate) from: Option<HostLimits>,
    pub(crate) to: Option<HostLimits>,
    /// What was asked for and not obtained.
    pub(crate) not_measured: Vec<(NotMeasured, ObservationId)>,
    /// Smallest round-trip time seen between the ends: by our own measurements, else as recorded.
    pub(crate) base_rtt: Option<BaseRtt>,
    /// What other people's tools recorded.
    pub(crate) records: Records,
    /// What they tell of rate and route over time.
    pub(crate) routing: Routing,
    /// The paths towards the ends on which records tell which packet sizes pass, with the data first.
    recorded_paths: Vec<PathFacts>,
    /// The lowest rate that somebody says the transfer complained about has.
    stated_rate: Option<(ObservationId, RateBps)>,
    /// The rate of the transfer complained about in the last round before that tells one.
    pub(crate) rate_before: Option<RateBefore>,
    /// Packets that networks counted along the path.
    pub(crate) chains: Chains,
    /// Observations in the round, of whatever kind.
    pub(crate) observations: usize,
}

/// The smallest round-trip time seen, by whatever means: queues only add to it.
#[derive(Debug, Clone)]
pub(crate) struct BaseRtt {
    pub(crate) ns: u64,
    pub(crate) cites: Vec<ObservationId>,
}

impl BaseRtt {
    pub(crate) fn seconds(&self) -> f64 {
        self.ns as f64 / 1e9
    }
}

impl Facts {
    /// Derives the facts of `round`; `old` is the same case in the shapes of format 1.
    pub(crate) fn derive(case: &evidence::Case, old: &Case, round: u32) -> Self {
        let observations: Vec<&Observation> = old.round(round).collect();
        let path = |vantage| PathFacts::derive(&case.complaint, vantage, &observations);
        let (forward, reverse) = (path(End::From), path(End::To));
        let tcp: Vec<TcpRun> = observations.iter().filter_map(|o| TcpRun::derive(o)).collect();
        let udp = observations.iter().filter_map(|o| UdpRun::derive(o)).collect();
        let not_measured = observations
            .iter()
            .filter_map(|o| match &o.payload {
                Payload::NotMeasured(refusal) => Some((refusal.clone(), o.id.clone())),
                _ => None,
            })
            .collect();
        let records = Records::derive(case, round);
        let base_rtt = base_rtt(&forward, &reverse, &tcp).or_else(|| {
            let (ns, cites) = records::rtt::between_ends(&records, &case.complaint)?;
            Some(BaseRtt { ns, cites })
        });
        Self {
            complaint: case.complaint.clone(),
            from: HostLimits::derive(&observations, End::From),
            to: HostLimits::derive(&observations, End::To),
            forward,
            reverse,
            tcp,
            udp,
            not_measured,
            base_rtt,
            recorded_paths: records::sizes::recorded_paths(&records, &case.complaint),
            chains: Chains::derive(&records, &case.complaint),
            routing: Routing::derive(&records, &case.complaint),
            stated_rate: records
                .stated(Quantity::Rate, &case.complaint)
                .into_iter()
                .filter(|stated| stated.subject.is_none())
                .map(|stated| (stated.id, RateBps(stated.value)))
                .next(),
            records,
            rate_before: records::rate_before(case, round),
            observations: observations.len(),
        }
    }

    /// The path that tells most of the data's way: forward where it was probed, else what the receiver saw.
    pub(crate) fn data_path(&self) -> &PathFacts {
        if self.forward.was_probed() || !self.reverse.was_probed() {
            &self.forward
        } else {
            &self.reverse
        }
    }

    /// The path on which packet sizes were tried: by our own measurements, else as records show it. Of several records
    /// the one with a black hole, else the one that tells most.
    pub(crate) fn sized_path(&self) -> &PathFacts {
        let own = self.data_path();
        if own.sizes.was_probed() {
            return own;
        }
        let broken = self
            .recorded_paths
            .iter()
            .find(|path| BlackHole::find(path).is_some());
        broken.or(self.recorded_paths.first()).unwrap_or(own)
    }

    pub(crate) fn path(&self, direction: Direction) -> &PathFacts {
        match direction {
            Direction::Reverse => &self.reverse,
            Direction::Forward | Direction::Both => &self.forward,
        }
    }

    pub(crate) fn expected(&self) -> Option<RateBps> {
        self.complaint.expected_bps
    }

    pub(crate) fn host(&self, end: End) -> Option<&HostLimits> {
        match end {
            End::From => self.from.as_ref(),
            End::To => self.to.as_ref(),
        }
    }

    /// The rate of the transfer complained about: of our own plain transfer, else as recorded; of a
    /// series its last level.
    pub(crate) fn measured_rate(&self) -> Option<RateBps> {
        let recorded = || Some(self.records.complained(&self.complaint)?.1);
        let of_series = || self.routing.rates.as_ref()?.current();
        self.slow_program()
            .map(|(_, rate)| rate)
            .or_else(|| self.plain_run().map(|run| run.rate))
            .or_else(recorded)
            .or_else(of_series)
            .or_else(|| self.counted_rate())
            .or_else(|| SenderConnection::of(&self.records, &self.complaint)?.rate)
    }

    /// A transfer of the user's own program, where it is slow and our test beside it is not: what was complained about is
    /// that program's rate, whatever a test reaches.
    pub(crate) fn slow_program(&self) -> Option<(&ObservationId, RateBps)> {
        let recorded = self.records.complained(&self.complaint);
        let test = self
            .plain_run()
            .map(|run| run.rate)
            .or(recorded.map(|(_, rate)| rate))?;
        let own = recorded.filter(|(record, _)| !is_test_program(record.what.application.as_deref()));
        let own = own.map(|(record, rate)| (&record.id, rate));
        let stated = self.stated_rate.as_ref().map(|(id, rate)| (id, *rate));
        let slowest = own
            .into_iter()
            .chain(stated)
            .min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let enough = match self.expected() {
            Some(expected) => f64::min(ENOUGH * expected.0, HALF * test.0),
            None => HALF * test.0,
        };
        slowest.filter(|(_, rate)| rate.0 < enough)
    }

    /// Whether both ends took part in anything.
    pub(crate) fn has_transfers(&self) -> bool {
        !self.tcp.is_empty() || !self.udp.is_empty()
    }

    /// The name of an end as the user knows it.
    pub(crate) fn name(&self, end: End) -> &str {
        match end {
            End::From => &self.complaint.from.name,
            End::To => &self.complaint.to.name,
        }
    }
}

fn base_rtt(forward: &PathFacts, reverse: &PathFacts, tcp: &[TcpRun]) -> Option<BaseRtt> {
    let from_paths = [forward, reverse]
        .into_iter()
        .filter_map(PathFacts::destination_rtt);
    let from_tcp = tcp
        .iter()
        .filter_map(|run| Some((run.min_rtt_ns?, vec![run.id.clone()])));
    from_paths
        .chain(from_tcp)
        .min()
        .map(|(ns, cites)| BaseRtt { ns, cites })
}
