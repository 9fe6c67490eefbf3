//! What the receiver says it holds above the acknowledgement (RFC 2018), and which retransmissions it tells were needless.

use std::collections::VecDeque;

/// Stretches held: a receiver tells at most four at a time, and a sender's own scoreboard seldom has more than this.
const MAX_STRETCHES: usize = 256;

/// Retransmissions remembered for a DSACK. It comes a round trip after them: within that, a sender in recovery retransmits
/// no more than half a window of lost segments.
const MAX_RESENT: usize = 256;

/// SACKed stretches, in order and disjoint.
#[derive(Debug, Default)]
pub(super) struct Sacked {
    list: Vec<(u64, u64)>,
    /// Bytes in them.
    bytes: u64,
}

impl Sacked {
    /// Bytes SACKed above the acknowledgement.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The byte behind the highest one SACKed.
    pub(super) fn highest(&self) -> Option<u64> {
        self.list.last().map(|stretch| stretch.1)
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.list.capacity() * size_of::<(u64, u64)>()
    }

    /// Adds a stretch; returns how many of its bytes are new.
    pub(super) fn insert(&mut self, start: u64, end: u64) -> u64 {
        let from = self.list.partition_point(|stretch| stretch.1 < start);
        let to = self.list.partition_point(|stretch| stretch.0 <= end);
        let touched = self.list.get(from..to).unwrap_or_default();
        if touched.is_empty() && self.list.len() >= MAX_STRETCHES {
            return 0;
        }
        let before: u64 = touched.iter().map(|stretch| stretch.1 - stretch.0).sum();
        let start = touched.first().map_or(start, |stretch| stretch.0.min(start));
        let end = touched.last().map_or(end, |stretch| stretch.1.max(end));
        self.list.splice(from..to, [(start, end)]);
        let new = (end - start).saturating_sub(before);
        self.bytes += new;
        new
    }

    /// Forgets what lies below an acknowledgement.
    pub(super) fn acknowledge(&mut self, ack: u64) {
        let done = self.list.partition_point(|stretch| stretch.1 <= ack);
        self.list.drain(..done);
        if let Some(first) = self.list.first_mut() {
            first.0 = first.0.max(ack);
        }
        self.bytes = self.list.iter().map(|stretch| stretch.1 - stretch.0).sum();
    }
}

/// A retransmission.
#[derive(Debug, Clone, Copy)]
struct Resent {
    start: u64,
    end: u64,
    /// Packets of the segment size.
    packets: u32,
    is_spurious: bool,
}

/// The last retransmissions, until it is known whether they were needed.
#[derive(Debug, Default)]
pub(super) struct ResentLog {
    list: VecDeque<Resent>,
}

impl ResentLog {
    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Resent>()
    }

    /// A retransmission passed.
    pub(super) fn push(&mut self, start: u64, end: u64, packets: u32) {
        if self.list.len() >= MAX_RESENT {
            self.list.pop_front();
        }
        self.list.push_back(Resent {
            start,
            end,
            packets,
            is_spurious: false,
        });
    }

    /// One copy of this stretch was needless, as the receiver tells: one retransmission of each part of it is marked.
    /// Returns (retransmissions, packets) that were not known to be needless.
    pub(super) fn mark_spurious(&mut self, start: u64, end: u64) -> (u64, u64) {
        let (mut count, mut packets) = (0, 0);
        let mut covered = start;
        for resent in &mut self.list {
            // The last copy of a part arrived twice once, not as often as it was sent.
            if !resent.is_spurious && resent.start >= covered && resent.start < end {
                resent.is_spurious = true;
                covered = resent.end;
                count += 1;
                packets += u64::from(resent.packets);
            }
        }
        (count, packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sacked_bytes_count_once() {
        let mut sacked = Sacked::default();
        assert_eq!(sacked.insert(100, 200), 100);
        assert_eq!(sacked.insert(150, 250), 50);
        assert_eq!(sacked.insert(300, 400), 100);
        assert_eq!(sacked.insert(250, 300), 50);
        assert_eq!((sacked.bytes(), sacked.highest()), (300, Some(400)));
        sacked.acknowledge(350);
        assert_eq!(sacked.bytes(), 50);
        sacked.acknowledge(400);
        assert_eq!((sacked.bytes(), sacked.highest()), (0, None));
    }

    #[test]
    fn a_report_of_a_copy_marks_one_retransmission() {
        let mut log = ResentLog::default();
        log.push(0, 10, 1);
        log.push(0, 10, 1);
        log.push(20, 30, 1);
        assert_eq!(log.mark_spurious(0, 10), (1, 1));
        assert_eq!(log.mark_spurious(0, 10), (1, 1));
        assert_eq!(log.mark_spurious(0, 10), (0, 0));
        // Nothing was retransmitted there: the network made the copy.
        assert_eq!(log.mark_spurious(10, 20), (0, 0));
    }
}
