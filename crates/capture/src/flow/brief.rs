//! Connections of which nobody wants a whole report.

use super::half::Half;
use super::report::FlowReport;
use crate::causes::{LabelBytes, Labelling, Setting};

/// What sums over connections need of one. A capture of short connections has far more of them than anybody looks at, and a
/// report costs more than the packets that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Brief {
    /// One; none in what came late of one that was told before.
    pub connections: u64,
    /// Packets of both directions.
    pub packets: u64,
    /// Those with data.
    pub data_packets: u64,
    /// See [`super::HalfReport::unique_bytes`].
    pub unique_bytes: u64,
    /// See [`super::HalfReport::retransmitted_packets`].
    pub retransmitted_packets: u64,
    /// See [`super::HalfReport::unseen_bytes`].
    pub unseen_bytes: u64,
    /// See [`FlowReport::clock_went_back`].
    pub clock_went_back: u64,
    /// Bytes that were acknowledged, by what the sender waited for.
    pub label_bytes: LabelBytes,
}

impl Brief {
    /// The same of a connection that was reported whole.
    #[must_use]
    pub fn of(flow: &FlowReport) -> Self {
        let mut brief = Self {
            connections: 1,
            clock_went_back: flow.clock_went_back,
            ..Self::default()
        };
        for half in &flow.halves {
            brief.add(&Self {
                connections: 0,
                packets: half.packets,
                data_packets: half.data_packets,
                unique_bytes: half.unique_bytes,
                retransmitted_packets: half.retransmitted_packets,
                unseen_bytes: half.unseen_bytes,
                clock_went_back: 0,
                label_bytes: half
                    .causes
                    .as_ref()
                    .map_or_else(LabelBytes::default, |causes| causes.label_bytes()),
            });
        }
        brief
    }

    /// Adds another.
    pub fn add(&mut self, more: &Self) {
        let add = |sum: &mut u64, value: u64| *sum = sum.saturating_add(value);
        add(&mut self.connections, more.connections);
        add(&mut self.packets, more.packets);
        add(&mut self.data_packets, more.data_packets);
        add(&mut self.unique_bytes, more.unique_bytes);
        add(&mut self.retransmitted_packets, more.retransmitted_packets);
        add(&mut self.unseen_bytes, more.unseen_bytes);
        add(&mut self.clock_went_back, more.clock_went_back);
        for (sum, value) in self.label_bytes.iter_mut().zip(&more.label_bytes) {
            add(sum, *value);
        }
    }
}

/// What decides whether a connection is looked at, long before it is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Distinct payload bytes of both directions.
    pub unique_bytes: u64,
    /// First packet, nanoseconds since 1970.
    pub first_ns: i64,
}

/// Takes connections when they have ended, or had to go.
pub trait Sink {
    /// Whether such a connection is wanted whole. Once it is not, it is not later either.
    fn wants(&self, extent: &Extent) -> bool;

    /// Such a connection has ended, and is wanted; it will be handed out when copies of its last packets can no longer come.
    fn expect(&mut self, _: &Extent) {}

    /// A connection that is wanted.
    fn whole(&mut self, flow: FlowReport);

    /// One that is not. What of it comes late is told apart.
    fn brief(&mut self, flow: &Brief);
}

/// Wants all of them.
pub(super) struct Whole<'a>(pub(super) &'a mut dyn FnMut(FlowReport));

impl Sink for Whole<'_> {
    fn wants(&self, _: &Extent) -> bool {
        true
    }

    fn whole(&mut self, flow: FlowReport) {
        (self.0)(flow);
    }

    fn brief(&mut self, _: &Brief) {}
}

impl Half {
    /// Distinct payload bytes that passed.
    pub(super) fn unique_bytes(&self) -> u64 {
        let twice_or_never = self.rare.as_ref().map_or(0, |rare| {
            let tally = &rare.tally;
            tally.retransmitted_bytes + tally.probe_bytes + tally.misplaced_bytes
        });
        self.payload_bytes.saturating_sub(twice_or_never)
    }

    /// Adds what is of it.
    pub(super) fn sum_up(
        &mut self,
        brief: &mut Brief,
        last_ns: i64,
        setting: impl Fn() -> Setting,
        labelling: &mut Labelling,
    ) {
        let known = self.known(setting);
        let (retransmitted_packets, unseen_bytes) = self.rare.as_ref().map_or((0, 0), |rare| {
            (rare.tally.retransmitted_packets, rare.tally.unseen_bytes)
        });
        brief.add(&Brief {
            connections: 0,
            packets: self.packets,
            data_packets: self.data_packets,
            unique_bytes: self.unique_bytes(),
            retransmitted_packets,
            unseen_bytes,
            clock_went_back: 0,
            label_bytes: self.followed.label_bytes(last_ns, &known, labelling),
        });
    }
}
