//! The records of a round, each kind in a list.

use super::ends::{end_of, goes_between, or};
use super::silence::{rate_until_gone, stalled};
use evidence::{
    Case, Complaint, CounterChain, End, InterfaceCounters, LinkCapacities, Node, Observation, ObservationId,
    Payload, Probes, RateBps, RouteHistory, Series, Sockets, Statement, StopReason, Timestamp, Trace,
    Transfer, Transport,
};

/// A record with its provenance.
#[derive(Debug, Clone)]
pub(crate) struct Recorded<T> {
    pub(crate) id: ObservationId,
    /// Where it was made.
    pub(crate) vantage: Node,
    /// When it was made; `None` where nobody knows.
    pub(crate) at: Option<Timestamp>,
    pub(crate) what: T,
}

/// The records of one round, each kind in the order of the case. Traces, probes, series and histories that do not name
/// their start begin where they were made.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) traces: Vec<Recorded<Trace>>,
    pub(crate) probes: Vec<Recorded<Probes>>,
    pub(crate) capacities: Vec<Recorded<LinkCapacities>>,
    pub(crate) transfers: Vec<Recorded<Transfer>>,
    pub(crate) series: Vec<Recorded<Series>>,
    pub(crate) histories: Vec<Recorded<RouteHistory>>,
    pub(crate) interfaces: Vec<Recorded<InterfaceCounters>>,
    pub(crate) chains: Vec<Recorded<CounterChain>>,
    pub(crate) sockets: Vec<Recorded<Sockets>>,
    pub(crate) statements: Vec<Recorded<Statement>>,
    /// How many there are of all kinds.
    count: usize,
}

impl Records {
    pub(crate) fn derive(case: &Case, round: u32) -> Self {
        Self::of(case.round(round))
    }

    pub(crate) fn of<'a>(observations: impl IntoIterator<Item = &'a Observation>) -> Self {
        let mut records = Self::default();
        observations.into_iter().for_each(|o| records.take(o));
        records
    }

    fn take(&mut self, observation: &Observation) {
        fn put<T>(all: &mut Vec<Recorded<T>>, observation: &Observation, what: T) {
            let provenance = &observation.provenance;
            all.push(Recorded {
                id: observation.id.clone(),
                vantage: provenance.vantage.clone(),
                at: (!provenance.at_is_import_time).then_some(provenance.at),
                what,
            });
        }
        let o = observation;
        let start = |from: &mut Node| *from = or(from, &o.provenance.vantage).clone();
        match o.payload.clone() {
            Payload::Trace(mut what) => {
                start(&mut what.from);
                put(&mut self.traces, o, what);
            }
            Payload::Probes(mut what) => {
                start(&mut what.from);
                put(&mut self.probes, o, what);
            }
            Payload::Series(mut what) => {
                start(&mut what.from);
                put(&mut self.series, o, what);
            }
            Payload::RouteHistory(mut what) => {
                start(&mut what.from);
                put(&mut self.histories, o, what);
            }
            Payload::LinkCapacities(what) => put(&mut self.capacities, o, what),
            Payload::Transfer(what) => put(&mut self.transfers, o, *what),
            Payload::InterfaceCounters(what) => put(&mut self.interfaces, o, what),
            Payload::CounterChain(what) => put(&mut self.chains, o, what),
            Payload::Sockets(what) => put(&mut self.sockets, o, what),
            Payload::Statement(what) => put(&mut self.statements, o, what),
            Payload::HostFacts(_) | Payload::NotMeasured(_) => return,
        }
        self.count += 1;
    }

    /// Whether the hops towards the other end were seen from this one.
    pub(crate) fn is_traced_from(&self, end: End, complaint: &Complaint) -> bool {
        let starts = |t: &Recorded<Trace>| end_of(&t.what.from, complaint) == Some(end);
        self.traces.iter().any(starts)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The transfer that was complained about: the slowest over TCP (or by a program that does not say over what)
    /// from the sender to the receiver. The slowest, as a faster one in the same round is no complaint. One that was cut
    /// short, or was asked for small segments, is a test of something else wherever there is another.
    pub(crate) fn complained(&self, complaint: &Complaint) -> Option<(&Recorded<Transfer>, RateBps)> {
        let cut_short = |what: &Transfer| {
            what.mss_bytes.is_some()
                || matches!(what.stop, Some(StopReason::PeerGone | StopReason::Cancelled))
        };
        self.transfers
            .iter()
            .filter(|transfer| transfer.what.protocol != Some(Transport::Udp))
            .filter(|transfer| goes_between(&transfer.what.from, &transfer.what.to, complaint))
            .filter_map(|transfer| Some((transfer, transfer.rate()?)))
            .min_by(|(a, slow), (b, fast)| {
                let plain = cut_short(&a.what).cmp(&cut_short(&b.what));
                plain
                    .then(slow.0.total_cmp(&fast.0))
                    .then_with(|| a.id.cmp(&b.id))
            })
    }
}

impl Recorded<Transfer> {
    /// What it carried: after slow start where that is known and it did not stand still, until the far end went away where
    /// it did, else as it is headlined. Nothing that arrived is a rate as well.
    pub(crate) fn rate(&self) -> Option<RateBps> {
        let steady = self.what.steady_bps.filter(|_| stalled(&self.what) != Some(true));
        let nothing = || (self.what.bytes_received == Some(0)).then_some(RateBps(0.0));
        rate_until_gone(&self.what)
            .or(steady)
            .or_else(|| self.what.rate())
            .or_else(nothing)
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
    let mut earlier = case.rounds().into_iter().rev().filter(|other| *other < round);
    earlier.find_map(|round| {
        let records = Records::derive(case, round);
        let (record, rate) = records.complained(&case.complaint)?;
        let id = record.id.clone();
        Some(RateBefore { round, rate, id })
    })
}

/// What must agree for two transfers to be compared.
pub(crate) type Settings<'a> = (Option<u64>, Option<u16>, Option<u32>, Option<&'a str>);

pub(crate) fn settings(transfer: &Transfer) -> Settings<'_> {
    let control = transfer.congestion_control.as_deref();
    (
        transfer.window_bytes,
        transfer.streams,
        transfer.mss_bytes,
        control,
    )
}
