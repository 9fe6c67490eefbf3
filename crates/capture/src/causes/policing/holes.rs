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

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const PATH: Seen = Seen {
        mss: MSS,
        base_rtt: 100,
        newest_rtt: 1,
    };

    /// Packets by their numbers, and when they come.
    fn police(arrivals: &[(i64, u64)]) -> Police {
        let mut police = Police::at_receiver(10 * MSS, 0);
        let mut next = 10 * MSS;
        for (now, number) in arrivals {
            let bytes = number * MSS..(number + 1) * MSS;
            if bytes.start < next {
                police.arrived_again(*now, bytes, false);
            } else {
                police.arrived(*now, bytes.clone(), next, PATH);
                next = bytes.end;
            }
        }
        police
    }

    fn runs(police: &Police) -> Vec<(u64, u64, u64, i64)> {
        let runs = police.blind.iter();
        runs.map(|run| (run.sent / MSS, run.lost / MSS, run.resent / MSS, run.ns))
            .collect()
    }

    /// The tail of a burst was lost, which only the next burst shows: the bucket has filled since the packet before.
    #[test]
    fn the_bucket_was_empty_at_the_packet_before_the_gap() {
        let police = police(&[(1, 10), (2, 11), (60, 14), (61, 15), (62, 17)]);
        assert_eq!(runs(&police), [(5, 2, 0, 60)]);
        let losses = police.losses.iter().map(|loss| (loss.time, loss.passed / MSS));
        assert_eq!(losses.collect::<Vec<_>>(), [(2, 12), (61, 14)]);
    }

    #[test]
    fn a_run_ends_when_its_sender_can_know() {
        // By a retransmission of it; by its round trip; not by a retransmission of an older gap.
        let known = police(&[(1, 10), (2, 12), (3, 13), (50, 11), (51, 14), (52, 16)]);
        assert_eq!(runs(&known), [(2, 0, 0, 2), (1, 0, 0, 1)]);
        let late = police(&[(1, 10), (2, 12), (3, 13), (150, 14), (151, 16)]);
        assert_eq!(runs(&late), [(2, 0, 0, 2), (1, 0, 0, 1)]);
        let older = police(&[(1, 10), (2, 12), (150, 13), (151, 15), (152, 11), (153, 16)]);
        assert_eq!(runs(&older), [(1, 0, 0, 1), (2, 0, 1, 3)]);
    }

    #[test]
    fn what_was_overtaken_was_not_lost() {
        let mut police = Police::at_receiver(0, 0);
        police.arrived(1, MSS..2 * MSS, 0, PATH);
        police.arrived(2, 4 * MSS..5 * MSS, 2 * MSS, PATH);
        police.arrived_again(3, 2 * MSS..3 * MSS, true);
        assert_eq!(runs(&police), [(4, 1, 0, 2)]);
        assert_eq!(police.arrived, 3 * MSS);
    }
}
