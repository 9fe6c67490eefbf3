//! Which bytes a point saw, beside what its acknowledgements say has arrived.
//!
//! Bytes that were acknowledged and never passed the point's capture did pass the point: the capture dropped them. Without this
//! every record that a busy capture drops would be a packet lost in the network.

use std::collections::VecDeque;

/// Ranges above the highest acknowledgement. One for each hole of a window; more holes than this are closed from below.
const MOST_RANGES: usize = 1024;

/// Unseen ranges that are kept until the packets of them are judged, which takes a few thousand packets.
const MOST_UNSEEN: usize = 4096;

/// The two directions of a link come to a capture by different queues (or ports of a tap), so an acknowledgement may stand before
/// the data that it answers. Not by more than this: a real gap is closed by a retransmission, later.
const SWAPPED_NS: i64 = 1_000_000;

/// Bytes that were acknowledged and not seen.
#[derive(Debug, Clone, Copy)]
struct Unseen {
    start: u64,
    end: u64,
    acked_ns: i64,
}

/// One direction of data at one point.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    acked: Option<u64>,
    /// An acknowledgement was seen at all.
    is_answered: bool,
    /// Above `acked`, apart, ascending.
    ranges: VecDeque<(u64, u64)>,
    unseen: VecDeque<Unseen>,
}

impl Coverage {
    /// The highest acknowledgement; `None` before any.
    pub(super) fn acked(&self) -> Option<u64> {
        self.acked.filter(|_| self.is_answered)
    }

    /// Data passed the point.
    pub(super) fn saw(&mut self, start: u64, end: u64, time_ns: i64) {
        let floor = *self.acked.get_or_insert(start);
        if start < floor {
            self.found_after_all(start, end, time_ns);
        }
        let start = start.max(floor);
        if end > start {
            self.insert(start, end);
        }
    }

    fn found_after_all(&mut self, start: u64, end: u64, time_ns: i64) {
        let late = |unseen: &Unseen| time_ns.saturating_sub(unseen.acked_ns) > SWAPPED_NS;
        if self.unseen.back().is_none_or(late) {
            return;
        }
        self.unseen
            .retain(|unseen| late(unseen) || unseen.start < start || unseen.end > end);
    }

    fn insert(&mut self, mut start: u64, mut end: u64) {
        if let Some(last) = self.ranges.back_mut()
            && start >= last.0
            && start <= last.1
        {
            last.1 = last.1.max(end);
            return;
        }
        let from = self.ranges.partition_point(|range| range.1 < start);
        let to = self.ranges.partition_point(|range| range.0 <= end);
        for &(first, last) in self.ranges.range(from..to.max(from)) {
            start = start.min(first);
            end = end.max(last);
        }
        if to > from {
            self.ranges.drain(from + 1..to);
            if let Some(range) = self.ranges.get_mut(from) {
                *range = (start, end);
            }
        } else {
            self.ranges.insert(from, (start, end));
        }
        if self.ranges.len() > MOST_RANGES
            && let Some((first, _)) = self.ranges.pop_front()
            && let Some(second) = self.ranges.front_mut()
        {
            second.0 = first;
        }
    }

    /// An acknowledgement passed the point, the other way.
    pub(super) fn answered(&mut self, ack: u64, time_ns: i64) {
        self.is_answered = true;
        let Some(floor) = self.acked else {
            self.acked = Some(ack);
            return;
        };
        if ack <= floor {
            return;
        }
        let mut position = floor;
        while position < ack {
            let next = self.ranges.front().copied();
            let (start, end) = next.unwrap_or((ack, ack));
            if start > position {
                self.miss(position, start.min(ack), time_ns);
            }
            if end > ack {
                if let Some(range) = self.ranges.front_mut() {
                    range.0 = range.0.max(ack);
                }
                break;
            }
            self.ranges.pop_front();
            position = position.max(end);
        }
        self.acked = Some(ack);
    }

    fn miss(&mut self, start: u64, end: u64, acked_ns: i64) {
        if self.unseen.len() >= MOST_UNSEEN {
            self.unseen.pop_front();
        }
        self.unseen.push_back(Unseen { start, end, acked_ns });
    }

    /// When these bytes were acknowledged without having been seen.
    pub(super) fn acked_unseen_ns(&self, start: u64, end: u64) -> Option<i64> {
        self.unseen
            .iter()
            .find(|unseen| unseen.start <= start && end <= unseen.end)
            .map(|unseen| unseen.acked_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_acknowledged_and_not_seen_were_dropped_by_the_capture() {
        let mut coverage = Coverage::default();
        coverage.saw(0, 100, 0);
        coverage.saw(200, 300, 0);
        coverage.answered(100, 5);
        assert_eq!(coverage.acked_unseen_ns(100, 200), None);
        coverage.answered(300, 9);
        assert_eq!(coverage.acked_unseen_ns(100, 200), Some(9));
        assert_eq!(coverage.acked_unseen_ns(200, 300), None);
    }

    #[test]
    fn a_gap_that_a_retransmission_fills_is_seen() {
        let mut coverage = Coverage::default();
        coverage.saw(0, 100, 0);
        coverage.saw(200, 300, 0);
        coverage.saw(100, 200, 0);
        coverage.answered(300, 9);
        assert_eq!(coverage.acked_unseen_ns(100, 200), None);
    }

    #[test]
    fn an_acknowledgement_captured_just_before_its_data_proves_nothing() {
        let mut coverage = Coverage::default();
        coverage.saw(0, 100, 0);
        coverage.answered(200, 1_000);
        coverage.saw(100, 200, 3_000);
        assert_eq!(coverage.acked_unseen_ns(100, 200), None);
        coverage.answered(300, 1_000_000);
        coverage.saw(200, 300, 9_000_000);
        assert_eq!(coverage.acked_unseen_ns(200, 300), Some(1_000_000));
    }

    #[test]
    fn holes_without_end_cost_bounded_memory() {
        let mut coverage = Coverage::default();
        for hole in 0..10_000_u64 {
            coverage.saw(hole * 10, hole * 10 + 5, 0);
        }
        assert!(coverage.ranges.len() <= MOST_RANGES);
        coverage.answered(200_000, 1);
        assert!(coverage.unseen.len() <= MOST_UNSEEN);
    }
}
