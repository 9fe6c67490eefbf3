//! What a half keeps only when something unusual happens to it: most connections lose nothing.

use super::event::RetransmissionCause;
use super::islands::Islands;
use super::sacked::{ResentLog, Sacked};

/// Stretches that were acknowledged without being seen: remembered, because where several processors write a capture an
/// acknowledgement can stand before the data that it answers.
const MAX_UNSEEN: usize = 16;

/// Counters, each as in [`super::HalfReport`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub retransmitted_packets: u64,
    pub retransmitted_bytes: u64,
    pub fast: u64,
    pub timeouts: u64,
    pub tail_probes: u64,
    pub unexplained: u64,
    pub spurious: u64,
    /// Packets of the segment size that were retransmitted after they had passed here, and of them the needless ones.
    pub resent: u64,
    pub resent_spurious: u64,
    pub lost_before: u64,
    pub reordered: u64,
    pub reordering_extent: u64,
    pub duplicated: u64,
    pub unseen_bytes: u64,
    pub offloaded_packets: u64,
    /// Packets of the segment size in them, beyond one each.
    pub offloaded_beyond_one: u64,
    pub duplicate_acks: u64,
    pub zero_windows: u64,
    pub window_probes: u64,
    pub keep_alives: u64,
    pub ce_marks: u64,
    pub fragmented_packets: u64,
    pub too_big: u64,
    pub too_big_mtu_bytes: u32,
    /// Segments whose place is farther from the others than any window reaches.
    pub misplaced: u64,
    /// Payload in them.
    pub misplaced_bytes: u64,
    /// Bytes beyond a closed window that the receiver has not taken.
    pub probe_bytes: u64,
}

/// A stretch of repair: what lies below `until` was sent before it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recovery {
    pub cause: RetransmissionCause,
    pub until: u64,
}

/// The unusual part of a half.
#[derive(Debug, Default)]
pub(super) struct Rare {
    pub tally: Tally,
    pub islands: Islands,
    pub sacked: Sacked,
    pub resent: ResentLog,
    pub recovery: Option<Recovery>,
    /// When the newest of the segments was sent that have arrived as far as it is known (RACK.xmit_ts, RFC 8985).
    pub delivered_sent_ns: i64,
    /// So many bytes below [`super::half::ORIGIN`] passed, where the capture began in the middle.
    pub before_origin: u64,
    /// A byte at this place probed a closed window.
    pub probed_at: Option<u64>,
    /// Where a misplaced segment would be continued.
    pub misplaced_next: Option<u32>,
    unseen: Vec<(u64, u64)>,
}

impl Rare {
    /// Bytes that it takes, itself included.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>()
            + self.islands.heap_bytes()
            + self.sacked.heap_bytes()
            + self.resent.heap_bytes()
            + self.unseen.capacity() * size_of::<(u64, u64)>()
    }

    /// Whether nothing is open: what comes later is told as if nothing unusual had happened, the tally aside.
    pub(super) fn is_settled(&self) -> bool {
        self.islands.bytes() == 0
            && self.sacked.bytes() == 0
            && self.unseen.is_empty()
            && self.before_origin == 0
            && self.probed_at.is_none()
            && self.misplaced_next.is_none()
    }

    /// A stretch was acknowledged that never passed.
    pub(super) fn miss(&mut self, start: u64, end: u64) {
        self.tally.unseen_bytes = self.tally.unseen_bytes.saturating_add(end - start);
        if self.unseen.len() >= MAX_UNSEEN {
            self.unseen.remove(0);
        }
        self.unseen.push((start, end));
    }

    /// A stretch passes after it was acknowledged: returns how many of its bytes had not passed.
    pub(super) fn found_late(&mut self, start: u64, end: u64) -> u64 {
        let mut found = 0;
        let mut rest = Vec::new();
        for (from, to) in self.unseen.drain(..) {
            let (low, high) = (from.max(start), to.min(end));
            if low >= high {
                rest.push((from, to));
                continue;
            }
            found += high - low;
            rest.extend(
                [(from, low), (high, to)]
                    .into_iter()
                    .filter(|part| part.0 < part.1),
            );
        }
        rest.truncate(MAX_UNSEEN);
        self.unseen = rest;
        self.tally.unseen_bytes = self.tally.unseen_bytes.saturating_sub(found);
        found
    }

    /// A retransmission, for this reason.
    pub(super) fn count_cause(&mut self, cause: RetransmissionCause) {
        let counter = match cause {
            RetransmissionCause::Fast => &mut self.tally.fast,
            RetransmissionCause::Timeout => &mut self.tally.timeouts,
            RetransmissionCause::TailProbe => &mut self.tally.tail_probes,
            RetransmissionCause::Unknown => &mut self.tally.unexplained,
        };
        *counter += 1;
    }
}
