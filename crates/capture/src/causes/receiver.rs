//! How the receiver acknowledges: stretched, or late.

use crate::flow::Acked;
use serde::Serialize;

/// Acknowledgements of one direction's data.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ReceiverSide {
    /// That acknowledged something.
    pub acks: u64,
    /// Bytes that they acknowledged.
    pub acked_bytes: u64,
    /// Of more than two full segments (RFC 2525 section 2.13): receive offload, or acknowledgements that were thinned or lost.
    pub stretch_acks: u64,
    /// A single segment was answered only when the receiver's timer for acknowledgements ran out, and nothing else was on the way.
    pub delayed_ack_stalls: u64,
    /// For so long, nanoseconds, beyond the round trip.
    pub delayed_ack_ns: i64,
    /// Of these, those that the sender had data waiting behind: Nagle's algorithm and delayed acknowledgements wait for each
    /// other (RFC 896, RFC 1122 section 4.2.3.4).
    pub nagle_stalls: u64,
    /// For so long, nanoseconds.
    pub nagle_ns: i64,
}

/// The shortest timer in use (Linux 40 ms, Windows 50, BSD 100, others 200) less the time that data may take.
const LEAST_NS: i64 = 20_000_000;
/// The longest allowed (RFC 1122 section 4.2.3.2).
const MOST_NS: i64 = 550_000_000;

/// So many, the last one full or not.
fn segments_in(bytes: u64, mss: u64) -> u32 {
    // Most are one, and most acknowledgements are of two: nothing else that is done for these takes as long as a division.
    if (1..=mss).contains(&bytes) {
        return 1;
    }
    if (1..=mss).contains(&bytes.wrapping_sub(mss)) {
        return 2;
    }
    u32::try_from(bytes.div_ceil(mss.max(1))).unwrap_or(u32::MAX)
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    side: ReceiverSide,
    min_rtt: Option<i64>,
    /// When a late acknowledgement came, and how late.
    late: Option<(i64, i64)>,
    /// Segments since everything was acknowledged.
    segments: u32,
}

impl Receiver {
    /// New data.
    #[inline(always)]
    pub(super) fn sent(&mut self, now: i64, bytes: u64, mss: u64, reaction_ns: i64) {
        self.segments = self.segments.saturating_add(segments_in(bytes, mss));
        if self.late.is_some() {
            self.answered(now, reaction_ns);
        }
    }

    /// Data follow a late acknowledgement.
    #[cold]
    fn answered(&mut self, now: i64, reaction_ns: i64) {
        if let Some((at, late)) = self.late.take()
            && now.saturating_sub(at) <= reaction_ns
        {
            self.side.nagle_stalls += 1;
            self.side.nagle_ns = self.side.nagle_ns.saturating_add(late);
        }
    }

    /// An acknowledgement; `is_all` when nothing is on the way behind it.
    #[inline(always)]
    pub(super) fn acked(&mut self, acked: &Acked, mss: u64, is_all: bool) {
        let Some(rtt) = acked.rtt_ns.filter(|&rtt| rtt >= 0) else {
            self.count(acked, mss, is_all);
            return;
        };
        let base = self.min_rtt.map_or(rtt, |min| min.min(rtt));
        self.min_rtt = Some(base);
        let late = rtt - base;
        if is_all && self.segments == 1 && (LEAST_NS..=MOST_NS).contains(&late) {
            self.side.delayed_ack_stalls += 1;
            self.side.delayed_ack_ns = self.side.delayed_ack_ns.saturating_add(late);
            self.late = Some((acked.time_ns, late));
        }
        self.count(acked, mss, is_all);
    }

    #[inline(always)]
    fn count(&mut self, acked: &Acked, mss: u64, is_all: bool) {
        if acked.newly_acked_bytes > 0 {
            self.side.acks += 1;
            self.side.acked_bytes = self.side.acked_bytes.saturating_add(acked.newly_acked_bytes);
            self.side.stretch_acks += u64::from(acked.newly_acked_bytes > 2 * mss);
        }
        if is_all {
            self.segments = 0;
        } else if acked.newly_acked_bytes > 0 {
            // What is left of an answered burst: an odd last segment.
            self.segments = self
                .segments
                .saturating_sub(segments_in(acked.newly_acked_bytes, mss));
        }
    }

    /// The least round trip behind the capture point, nanoseconds.
    pub(super) fn min_rtt(&self) -> Option<i64> {
        self.min_rtt
    }

    pub(super) fn finish(&mut self) -> ReceiverSide {
        std::mem::take(&mut self.side)
    }
}
