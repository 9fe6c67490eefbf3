//! Losses as the receiver's side sees them: as gaps in what arrives. Copies that were lost again never come here, so the
//! retransmissions do not tell how much was lost; but all that passed the bucket does come here, and can be counted.
//!
//! When within a gap the loss was is not seen, and need not be: nothing passed meanwhile, so the bucket only filled. If it was
//! empty at any time within the gap, it was when the packet before the gap had passed.

use super::{Blind, Loss, MOST, Police};
use std::ops::Range;

/// What is known of the path.
#[derive(Debug, Clone, Copy)]
pub(in crate::causes) struct Seen {
    pub(in crate::causes) mss: u64,
    /// The smallest round trip, nanoseconds.
    pub(in crate::causes) base_rtt: i64,
    /// The newest behind the capture point.
    pub(in crate::causes) newest_rtt: i64,
}

/// From the first gap on, until the sender can know of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    since: i64,
    /// The first byte of the gap.
    gap: u64,
    /// The byte behind the first packet that was lost.
    from: u64,
    /// When the round trip is over that the sender needs to hear of it.
    until: i64,
}

impl Police {
    /// One whose connection had no gap before this byte; the one before it came at this time.
    pub(in crate::causes) fn at_receiver(next: u64, last_ns: i64) -> Self {
        Self {
            arrived: next,
            last_arrival: last_ns,
            ..Self::default()
        }
    }

    /// New data arrive; `next` is the byte that would have come, had none been lost.
    pub(in crate::causes) fn arrived(&mut self, now: i64, bytes: Range<u64>, next: u64, path: Seen) {
        if self.open.is_some_and(|open| now > open.until) {
            self.open = None;
        }
        let gap = bytes.start.saturating_sub(next);
        if gap > 0 {
            self.gap(next, gap, path);
        }
        let length = bytes.end.saturating_sub(bytes.start);
        self.arrived = self.arrived.saturating_add(length);
        self.last_arrival = now;
        if let Some(open) = self.open
            && let Some(blind) = self.newest()
        {
            blind.sent = bytes.end.saturating_sub(open.from);
            blind.ns = now.saturating_sub(open.since);
        }
    }

    fn gap(&mut self, next: u64, bytes: u64, path: Seen) {
        self.lost_bytes = self.lost_bytes.saturating_add(bytes);
        let mut lost = bytes;
        if self.open.is_none() {
            let first = bytes.min(path.mss);
            lost -= first;
            self.begin(path.newest_rtt);
            self.open = Some(Open {
                since: self.last_arrival,
                gap: next,
                from: next.saturating_add(first),
                until: self.last_arrival.saturating_add(path.base_rtt),
            });
        }
        if let Some(blind) = self.newest() {
            blind.lost = blind.lost.saturating_add(lost);
        }
        self.keep(Loss {
            time: self.last_arrival,
            passed: self.arrived,
            sent: next,
            run: self.run,
        });
    }

    /// Data arrive that came before, or that fill a gap.
    pub(in crate::causes) fn arrived_again(&mut self, now: i64, bytes: Range<u64>, is_overtaken: bool) {
        self.last_arrival = now;
        let length = bytes.end.saturating_sub(bytes.start);
        self.arrived = self.arrived.saturating_add(length);
        let Some(open) = self.open else { return };
        if is_overtaken {
            if let Some(blind) = self.newest() {
                blind.lost = blind.lost.saturating_sub(length);
            }
        } else if bytes.start >= open.gap {
            // The sender knows.
            self.open = None;
        } else if let Some(blind) = self.newest() {
            blind.resent = blind.resent.saturating_add(length);
        }
    }

    fn begin(&mut self, rtt: i64) {
        self.run += 1;
        if self.blind.len() < MOST {
            self.blind.push(Blind {
                sent: 0,
                lost: 0,
                resent: 0,
                ns: 0,
                rtt,
            });
        }
    }

    /// Of the run that is open, if it is among those that are kept.
    fn newest(&mut self) -> Option<&mut Blind> {
        self.blind.get_mut((self.run as usize).wrapping_sub(1))
    }
}
