//! Losses as the receiver's side sees them: as gaps in what arrives. Copies that were lost again never come here, so the
//! retransmissions do not tell how much was lost; but all that passed the bucket does come here, and can be counted.

use super::{Blind, Loss, MOST, Police};
use std::ops::Range;

/// From the first gap on, until the sender can know of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    since: i64,
    /// The first byte of the gap.
    gap: u64,
    /// The byte behind the packet that showed it.
    from: u64,
    /// When the round trip is over that the sender needs to hear of it.
    until: i64,
}

impl Police {
    /// One whose connection had no gap before this byte.
    pub(in crate::causes) fn at_receiver(next: u64) -> Self {
        Self {
            arrived: next,
            ..Self::default()
        }
    }

    /// New data arrive; `next` is the byte that would have come, had none been lost.
    pub(in crate::causes) fn arrived(&mut self, now: i64, bytes: Range<u64>, next: u64, (base_rtt, newest_rtt): (i64, i64)) {
        if self.open.is_some_and(|open| now > open.until) {
            self.open = None;
        }
        let gap = bytes.start.saturating_sub(next);
        if gap > 0 {
            self.lost_bytes = self.lost_bytes.saturating_add(gap);
            if self.open.is_none() {
                self.begin(newest_rtt);
                self.open = Some(Open {
                    since: now,
                    gap: next,
                    from: bytes.end,
                    until: now.saturating_add(base_rtt),
                });
            } else if let Some(blind) = self.newest() {
                blind.lost = blind.lost.saturating_add(gap);
            }
            let run = self.run;
            self.keep(Loss {
                time: now,
                passed: self.arrived,
                sent: next,
                run,
            });
        }
        self.arrived = self
            .arrived
            .saturating_add(bytes.end.saturating_sub(bytes.start));
        if let Some(open) = self.open
            && let Some(blind) = self.newest()
        {
            blind.sent = bytes.end.saturating_sub(open.from);
            blind.ns = now.saturating_sub(open.since);
        }
    }

    /// Data arrive that came before, or that fill a gap.
    pub(in crate::causes) fn arrived_again(&mut self, bytes: Range<u64>, is_overtaken: bool) {
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
