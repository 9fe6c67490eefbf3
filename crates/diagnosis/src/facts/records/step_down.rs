//! A place where data come in over a fast link and go on over a slow one, and what slow start does to its queue.

use super::stated::Stated;
use crate::facts::Facts;
use evidence::{ObservationId, Quantity, RateBps};
use libm::log;

/// Segment size of a path of which nothing else is known: Ethernet's 1500 bytes less IP and TCP headers.
const SEGMENT_BYTES: f64 = 1460.0;

/// Segments in flight when a connection begins: 1 before RFC 2581, 10 since RFC 6928.
const FIRST_WINDOW_SEGMENTS: (f64, f64) = (1.0, 10.0);

/// Growth of the window in a round trip of slow start: 1.5 with delayed acknowledgements (RFC 1122 section 4.2.3.2),
/// 2 with one acknowledgement a segment (RFC 5681).
const GROWTH: (f64, f64) = (1.5, 2.0);

/// The speed step-down of the path and its figures.
#[derive(Debug)]
pub(crate) struct StepDown {
    /// The slowest link.
    pub(crate) bottleneck: Stated,
    /// The fastest rate at which data come in before it.
    pub(crate) input_bps: f64,
    pub(crate) rtt_s: f64,
    /// Rate and round-trip time rest on these.
    pub(crate) cites: Vec<ObservationId>,
}

impl StepDown {
    /// `None` unless a slower link behind a faster one and the round-trip time are known.
    pub(crate) fn of(facts: &Facts) -> Option<Self> {
        let (records, complaint) = (&facts.records, &facts.complaint);
        let bottleneck = records
            .stated(Quantity::LinkCapacity, complaint)
            .into_iter()
            .find(|link| link.value > 0.0)?;
        let input = records.stated(Quantity::InputCapacity, complaint).pop()?;
        let rtt = facts.base_rtt.as_ref()?;
        let rtt_s = rtt.seconds();
        let mut cites = rtt.cites.clone();
        cites.extend([bottleneck.id.clone(), input.id.clone()]);
        // Less than twice the speed, and the queue fills no faster than the window of a steady transfer makes it.
        (input.value >= 2.0 * bottleneck.value && rtt_s > 0.0).then_some(Self {
            bottleneck,
            input_bps: input.value,
            rtt_s,
            cites,
        })
    }

    pub(crate) fn capacity(&self) -> RateBps {
        RateBps(self.bottleneck.value)
    }

    /// What the path holds without a queue, bytes: the bandwidth-delay product.
    pub(crate) fn product_bytes(&self) -> f64 {
        self.bottleneck.value / 8.0 * self.rtt_s
    }

    /// Time from the start of a transfer until slow start has more in flight than the path holds, seconds, earliest and
    /// latest. The queue's own size adds at most one doubling to it, and the news of the loss takes a round trip.
    pub(crate) fn overflow_after_s(&self) -> (f64, f64) {
        let segments = (self.product_bytes() / SEGMENT_BYTES).max(1.0);
        let rounds = |first: f64, growth: f64| log((segments / first).max(1.0)) / log(growth);
        let earliest = rounds(FIRST_WINDOW_SEGMENTS.1, GROWTH.1);
        let latest = rounds(FIRST_WINDOW_SEGMENTS.0, GROWTH.0) + log(2.0) / log(GROWTH.0) + 1.0;
        (earliest * self.rtt_s, latest * self.rtt_s)
    }

    /// The mean rate, bit/s, of a transfer that loses most of a window, stands still for `stall_s`, and then grows again
    /// for `recovery_s` before it happens anew. Many losses in one window end in several timeouts, after which the
    /// window grows from one segment by one segment in `b` round trips (Padhye et al. 1998, section II; b = 2 with
    /// delayed acknowledgements, 1 without): its mean over that time is half of what it reaches.
    pub(crate) fn cycle_bps(&self, stall_s: f64, recovery_s: f64, b: f64) -> f64 {
        let reached = (recovery_s / self.rtt_s / b * SEGMENT_BYTES).min(self.product_bytes());
        let carried = reached / 2.0 * (recovery_s / self.rtt_s);
        carried * 8.0 / (stall_s + recovery_s).max(f64::MIN_POSITIVE)
    }

    /// The highest rate that a socket buffer of this size allows, bit/s.
    pub(crate) fn peak_with_buffer_bps(&self, buffer_bytes: f64) -> f64 {
        (buffer_bytes * 8.0 / self.rtt_s).min(self.bottleneck.value)
    }
}
