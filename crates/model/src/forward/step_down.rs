//! A place where data come in over a fast link and go on over a slow one, and what slow start does to its queue.

use super::response::window_bps;
use libm::log;

/// Segment size of a path of which nothing else is known: Ethernet's 1500 bytes less IP and TCP headers.
const SEGMENT_BYTES: f64 = 1460.0;
/// Segments in flight when a connection begins: 1 before RFC 2581, 10 since RFC 6928.
const FIRST_WINDOW_SEGMENTS: (f64, f64) = (1.0, 10.0);
/// Growth of the window in a round trip of slow start: 1.5 with delayed acknowledgements (RFC 1122 section 4.2.3.2),
/// 2 with one acknowledgement a segment (RFC 5681).
const GROWTH: (f64, f64) = (1.5, 2.0);
/// With less than twice the speed the queue fills no faster than the window of a steady transfer makes it.
const STEP: f64 = 2.0;

/// Where the speed of a path steps down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepDown {
    /// Capacity of the slower link, bit/s.
    pub link_bps: f64,
    /// Rate at which data come in before it, bit/s.
    pub input_bps: f64,
    /// Round-trip time of the path, seconds.
    pub rtt_s: f64,
}

impl StepDown {
    /// Whether slow start overflows the queue there.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.input_bps >= STEP * self.link_bps && self.rtt_s > 0.0 && self.link_bps > 0.0
    }

    /// What the path holds without a queue, bytes: the bandwidth-delay product.
    #[must_use]
    pub fn product_bytes(&self) -> f64 {
        self.link_bps / 8.0 * self.rtt_s
    }

    /// Time from the start of a transfer until slow start has more in flight than the path holds, seconds, earliest and
    /// latest. The queue's own size adds at most one doubling to it, and the news of the loss takes a round trip.
    #[must_use]
    pub fn overflow_after_s(&self) -> (f64, f64) {
        let segments = (self.product_bytes() / SEGMENT_BYTES).max(1.0);
        let rounds = |first: f64, growth: f64| log((segments / first).max(1.0)) / log(growth);
        let earliest = rounds(FIRST_WINDOW_SEGMENTS.1, GROWTH.1);
        let latest = rounds(FIRST_WINDOW_SEGMENTS.0, GROWTH.0) + log(2.0) / log(GROWTH.0) + 1.0;
        (earliest.max(1.0) * self.rtt_s, latest * self.rtt_s)
    }

    /// The mean rate, bit/s, lowest and highest, of a transfer that loses most of a window, stands still for `stall_s`
    /// (shortest and longest), and then grows again for `recovery_s` before it happens anew. Many losses in one window end in
    /// several timeouts, after which the window grows from one segment by one segment in two round trips with delayed
    /// acknowledgements, in one without (Padhye et al. 1998, section II): its mean over that time is half of what it reaches.
    #[must_use]
    pub fn cycle_bps(&self, stall_s: (f64, f64), recovery_s: f64) -> (f64, f64) {
        let of = |stall_s: f64, rounds: f64| {
            let reached = (recovery_s / self.rtt_s / rounds * SEGMENT_BYTES).min(self.product_bytes());
            let carried = reached / 2.0 * (recovery_s / self.rtt_s);
            carried * 8.0 / (stall_s + recovery_s).max(f64::MIN_POSITIVE)
        };
        (of(stall_s.1, 2.0), of(stall_s.0, 1.0))
    }

    /// The highest rate that a socket buffer of this size allows, bit/s.
    #[must_use]
    pub fn peak_with_buffer_bps(&self, buffer_bytes: f64) -> f64 {
        window_bps(buffer_bytes, self.rtt_s).min(self.link_bps)
    }
}
