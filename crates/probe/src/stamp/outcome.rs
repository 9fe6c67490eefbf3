//! What a session gave, and the evidence that it is.

use super::TTL;
use super::account::{Account, Answered, Counting};
use super::time::{Clock, ErrorEstimate, TimeFormat};
use super::tlv::{ClassOfService, Returned, TlvKind};
use crate::direction::{Direction, Series};
use evidence::{DelayStatistics, Node, ProbeRow, Probes, Way};

/// What was sent after the last packet that was answered: lost, and nobody knows on which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// Packets.
    pub lost: u64,
}

/// What a session gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    account: Account,
    /// The first answer to each packet, as they came.
    pub samples: Vec<Answered>,
    /// The TLVs that the reflector understood.
    pub understood: Vec<TlvKind>,
    /// What it says of the class of service.
    pub class: Option<ClassOfService>,
    /// The port that the reflector saw packets come from.
    pub source_port_there: Option<u16>,
    /// How far the two clocks may be apart, nanoseconds, where both say that they follow UTC.
    pub clock_error_ns: Option<u64>,
    /// From the first packet to the last, nanoseconds.
    pub span_ns: u64,
    /// Something came that was too short for an answer in this mode: a reflector that speaks another one.
    pub has_short_answers: bool,
}

impl Outcome {
    pub(super) fn new(
        account: Account,
        samples: Vec<Answered>,
        (here, there): (Clock, Option<ErrorEstimate>),
        returned: Returned,
        span_ns: u64,
        has_short_answers: bool,
    ) -> Self {
        // Whether seconds in PTP's format count leap seconds, nobody tells.
        let agreed =
            there.filter(|there| here.synchronised && there.synchronised && there.format == TimeFormat::Ntp);
        Self {
            account,
            samples,
            understood: returned.understood,
            class: returned.class,
            source_port_there: returned.source_port,
            clock_error_ns: agreed.map(|there| there.error_ns().saturating_add(here.error_ns)),
            span_ns,
            has_short_answers,
        }
    }

    /// How the reflector numbers its answers.
    #[must_use]
    pub fn counting(&self) -> Counting {
        self.account.counting
    }

    /// Forward and backward, where the reflector counts; up to the last packet that was answered.
    #[must_use]
    pub fn directions(&self) -> Option<(Direction, Direction)> {
        self.account.directions
    }

    /// There and back, all packets.
    #[must_use]
    pub fn round_trip(&self) -> Direction {
        self.account.round_trip
    }

    /// What no direction is known of.
    #[must_use]
    pub fn tail(&self) -> Tail {
        self.account.tail
    }

    /// Delays by the two clocks, in the order in which answers came.
    #[must_use]
    pub fn delays(&self, of: fn(&Answered) -> i64) -> Option<DelayStatistics> {
        DelayStatistics::of(&mut self.samples.iter().map(of).collect::<Vec<i64>>())
    }

    /// Delays above the smallest: what clocks differ by drops out, but for what they drift apart meanwhile.
    #[must_use]
    pub fn variation(&self, of: fn(&Answered) -> i64) -> Option<DelayStatistics> {
        let least = self.samples.iter().map(of).min()?;
        let mut above: Vec<i64> = self
            .samples
            .iter()
            .map(|one| of(one).saturating_sub(least))
            .collect();
        DelayStatistics::of(&mut above)
    }

    /// TTLs used up on the way there and back. Both ends send with [`TTL`]; less than half of it says that one did not.
    #[must_use]
    pub fn hops(&self) -> (Option<u8>, Option<u8>) {
        let used = |ttl: u8| (ttl > TTL / 2).then(|| TTL - ttl);
        let last = self.samples.last();
        (
            last.and_then(|one| used(one.ttl_there)),
            last.and_then(|one| used(one.ttl_here?)),
        )
    }

    /// The evidence: loss in each direction where it is known, else of both together; and round-trip times. No packet counts
    /// twice: where each direction is told, both together are told of the last packets alone, which nothing answered.
    #[must_use]
    pub fn probes(&self, here: &Node, there: &Node, size_bytes: u32) -> Vec<Probes> {
        let series = Series {
            sent: self.account.round_trip.sent,
            size_bytes,
            span_ns: self.span_ns,
        };
        let (hops_there, hops_back) = self.hops();
        let rtt = series.round_trip(there, self.delays(Answered::rtt_ns));
        let Some((forward, backward)) = self.account.directions else {
            return vec![series.table(here, there, vec![self.account.round_trip.counted(rtt)])];
        };
        let one_way = |to: &Node, seen: Direction, delay, hops_used| {
            let row = ProbeRow {
                way: Way::OneWay,
                delay,
                clock_error_ns: self.clock_error_ns,
                hops_used,
                ..series.row(to)
            };
            seen.counted(row)
        };
        let tail = series.unanswered(there, self.account.tail.lost);
        let there_delay = self.delays(Answered::forward_ns);
        let back_delay = self.delays(Answered::backward_ns);
        vec![
            series.table(
                here,
                there,
                vec![one_way(there, forward, there_delay, hops_there)],
            ),
            series.table(there, here, vec![one_way(here, backward, back_delay, hops_back)]),
            series.table(here, there, std::iter::once(rtt).chain(tail).collect()),
        ]
    }
}
