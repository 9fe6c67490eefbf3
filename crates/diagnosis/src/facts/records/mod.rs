//! What other people's tools recorded in a round, sorted by kind. The derivations beside this file turn records into
//! facts; a record alone says nothing.

pub(crate) mod chain;
pub(crate) mod chain_segments;
pub(crate) mod composition;
pub(crate) mod composition_fit;
pub(crate) mod connections;
pub(crate) mod direction;
pub(crate) mod ends;
pub(crate) mod fragments;
pub(crate) mod idle;
pub(crate) mod interfaces;
pub(crate) mod load;
pub(crate) mod plateau;
pub(crate) mod recorded_tcp;
pub(crate) mod remarks;
pub(crate) mod rhythm;
pub(crate) mod routes;
pub(crate) mod routes_alignment;
pub(crate) mod routes_contrast;
pub(crate) mod routing;
pub(crate) mod rtt;
pub(crate) mod sizes;
pub(crate) mod stall;
pub(crate) mod stated;
pub(crate) mod step_down;
pub(crate) mod steps;
pub(crate) mod ways;

use evidence::v1::{
    Case, Complaint, CounterChain, InterfaceCounters, LinkCapacities, Node, Observation, ObservationId,
    OneWay, Payload, Pings, RateBps, RouteHistory, Series, Sockets, Statement, ThroughputRecord, Timestamp,
    Trace, Transport, Vantage,
};

/// A record with its provenance.
#[derive(Debug, Clone)]
pub(crate) struct Recorded<T> {
    pub(crate) id: ObservationId,
    pub(crate) vantage: Vantage,
    /// When it was made; `None` where nobody knows.
    pub(crate) at: Option<Timestamp>,
    /// The program that made it, as the importer names it.
    pub(crate) tool: String,
    pub(crate) what: T,
}

/// The records of one round, each kind in the order of the case.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) traces: Vec<Recorded<Trace>>,
    pub(crate) pings: Vec<Recorded<Pings>>,
    pub(crate) one_way: Vec<Recorded<OneWay>>,
    pub(crate) capacities: Vec<Recorded<LinkCapacities>>,
    pub(crate) transfers: Vec<Recorded<ThroughputRecord>>,
    pub(crate) series: Vec<Recorded<Series>>,
    pub(crate) histories: Vec<Recorded<RouteHistory>>,
    pub(crate) interfaces: Vec<Recorded<InterfaceCounters>>,
    pub(crate) chains: Vec<Recorded<CounterChain>>,
    pub(crate) sockets: Vec<Recorded<Sockets>>,
    pub(crate) statements: Vec<Recorded<Statement>>,
}

impl Records {
    pub(crate) fn derive(case: &Case, round: u32) -> Self {
        let mut records = Self::default();
        for observation in case.round(round) {
            records.take(observation);
        }
        records
    }

    fn take(&mut self, observation: &Observation) {
        match &observation.payload {
            Payload::Trace(what) => self.traces.push(recorded(observation, what)),
            Payload::Pings(what) => self.pings.push(recorded(observation, what)),
            Payload::OneWay(what) => self.one_way.push(recorded(observation, what)),
            Payload::LinkCapacities(what) => self.capacities.push(recorded(observation, what)),
            Payload::Throughput(what) => self.transfers.push(recorded(observation, what)),
            Payload::Series(what) => self.series.push(recorded(observation, what)),
            Payload::RouteHistory(what) => self.histories.push(recorded(observation, what)),
            Payload::InterfaceCounters(what) => self.interfaces.push(recorded(observation, what)),
            Payload::CounterChain(what) => self.chains.push(recorded(observation, what)),
            Payload::Sockets(what) => self.sockets.push(recorded(observation, what)),
            Payload::Statement(what) => self.statements.push(recorded(observation, what)),
            _ => {}
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            traces,
            pings,
            one_way,
            capacities,
            transfers,
            series,
            histories,
            interfaces,
            chains,
            sockets,
            statements,
        } = self;
        traces.is_empty()
            && pings.is_empty()
            && one_way.is_empty()
            && capacities.is_empty()
            && transfers.is_empty()
            && series.is_empty()
            && histories.is_empty()
            && interfaces.is_empty()
            && chains.is_empty()
            && sockets.is_empty()
            && statements.is_empty()
    }

    /// The transfer that was complained about: the slowest over TCP (or by a program that does not say over what)
    /// from the sender to the receiver. The slowest, as a faster one in the same round is no complaint.
    pub(crate) fn complained(&self, complaint: &Complaint) -> Option<(&Recorded<ThroughputRecord>, RateBps)> {
        self.transfers
            .iter()
            .filter(|transfer| transfer.what.protocol != Some(Transport::Udp))
            .filter(|transfer| goes_between(&transfer.what.from, &transfer.what.to, complaint))
            .filter_map(|transfer| Some((transfer, transfer.what.rate()?)))
            .min_by(|(a, slow), (b, fast)| slow.0.total_cmp(&fast.0).then_with(|| a.id.cmp(&b.id)))
    }
}

/// What the transfer complained about gave in an earlier round, of which nothing else is known here: an intervention
/// lies between.
#[derive(Debug, Clone)]
pub(crate) struct RateBefore {
    pub(crate) round: u32,
    pub(crate) rate: RateBps,
    pub(crate) id: ObservationId,
}

/// The rate in the last round before `round` that has one.
pub(crate) fn rate_before(case: &Case, round: u32) -> Option<RateBefore> {
    let earlier = case.rounds().into_iter().rev().filter(|other| *other < round);
    earlier
        .filter_map(|round| {
            let mut records = Records::default();
            let transfers = case
                .round(round)
                .filter(|o| matches!(o.payload, Payload::Throughput(_)));
            transfers.for_each(|o| records.take(o));
            let (record, rate) = records.complained(&case.complaint)?;
            Some(RateBefore {
                round,
                rate,
                id: record.id.clone(),
            })
        })
        .next()
}

fn recorded<T: Clone>(observation: &Observation, what: &T) -> Recorded<T> {
    let provenance = &observation.provenance;
    Recorded {
        id: observation.id.clone(),
        vantage: provenance.vantage.clone(),
        at: (!provenance.at_is_import_time).then_some(provenance.at),
        tool: provenance.tool.clone(),
        what: what.clone(),
    }
}

/// Whether a record is about data from the sender of the complaint to its receiver.
pub(crate) fn goes_between(from: &Node, to: &Node, complaint: &Complaint) -> bool {
    ends::end_of(from, complaint) == Some(evidence::v1::End::From)
        && ends::end_of(to, complaint) == Some(evidence::v1::End::To)
}
