//! What acknowledgements say of each probe of a connection.

use std::collections::BTreeSet;
use std::ops::Range;

/// What is known of the probes of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoreboard {
    /// When each was sent, nanoseconds.
    sent_ns: Vec<i64>,
    /// Whether the server named it.
    has_arrived: Vec<bool>,
    /// First blocks of acknowledgements, as each new arrival changes them: one that is told twice is a copy.
    answers: BTreeSet<(u32, u32)>,
    highest: Option<u32>,
    /// Answers to probes, where the server names none.
    pub(super) unnamed_answers: u64,
    pub(super) duplicates_there: u64,
    pub(super) duplicates_back: u64,
    pub(super) reordered_there: u64,
    pub(super) reordered_back: u64,
    /// Keep-alives sent between probes, and answered.
    pub(super) keep_alives: u64,
    pub(super) keep_alives_answered: u64,
    /// From a probe to its own acknowledgement, nanoseconds, with the probe's number.
    pub(super) rtts: Vec<(u32, i64)>,
}

impl Scoreboard {
    pub(super) fn sent(&mut self, at_ns: i64) {
        self.sent_ns.push(at_ns);
        self.has_arrived.push(false);
    }

    pub(super) fn count(&self) -> u32 {
        self.sent_ns.len() as u32
    }

    pub(super) fn span_ns(&self) -> i64 {
        let ends = self.sent_ns.first().zip(self.sent_ns.last());
        ends.map_or(0, |(first, last)| last.saturating_sub(*first))
    }

    /// Behind the last probe that is known to have arrived.
    pub(super) fn known(&self) -> u32 {
        self.highest.map_or(0, |highest| highest + 1)
    }

    /// Probes among the first `count` that arrived.
    pub(super) fn arrived(&self, count: u32) -> u64 {
        let first = self.has_arrived.iter().take(count as usize);
        first.filter(|has_arrived| **has_arrived).count() as u64
    }

    /// Acknowledgements that came, each the first of a probe.
    pub(super) fn answered(&self) -> u64 {
        self.answers.len() as u64
    }

    /// An acknowledgement names these probes as arrived, what came last before the others; it came at `at_ns`. One that answers
    /// no probe (`is_answer`) tells what arrived, and nothing of its own way.
    pub(super) fn acknowledged(&mut self, blocks: &[Range<u32>], at_ns: i64, is_answer: bool) {
        let mut blocks = blocks.iter();
        if let Some(first) = blocks.next() {
            let new = self.mark(first);
            // The answer to the last of what is new in it; alone and behind a later one, it came out of order.
            let before = self.highest;
            self.highest = before.max(Some(first.end - 1));
            if is_answer {
                self.answer(first, &new, before, at_ns);
            }
        }
        for block in blocks {
            self.mark(block);
            self.highest = self.highest.max(Some(block.end - 1));
        }
    }

    fn answer(&mut self, first: &Range<u32>, new: &[u32], before: Option<u32>, at_ns: i64) {
        // No more of them than probes: a server that makes them up must not fill our memory.
        if self.answers.len() >= self.sent_ns.len() || !self.answers.insert((first.start, first.end)) {
            self.duplicates_back += 1;
            return;
        }
        match new {
            [] => self.reordered_back += 1,
            [only] if before.is_some_and(|before| *only < before) => self.reordered_there += 1,
            _ => {}
        }
        if let Some(last) = new.last().copied()
            && let Some(sent_ns) = self.sent_ns.get(last as usize)
        {
            self.rtts.push((last, at_ns.saturating_sub(*sent_ns)));
        }
    }

    /// Those of the range that were not known to have arrived.
    fn mark(&mut self, range: &Range<u32>) -> Vec<u32> {
        let places = self.has_arrived.get_mut(range.start as usize..range.end as usize);
        let marked = range.clone().zip(places.into_iter().flatten());
        marked
            .filter_map(|(index, place)| (!std::mem::replace(place, true)).then_some(index))
            .collect()
    }
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "blocks are ranges, and one is a list as well"
)]
mod tests {
    use super::*;

    fn of(count: u32) -> Scoreboard {
        let mut board = Scoreboard::default();
        (0..count).for_each(|index| board.sent(i64::from(index) * 10));
        board
    }

    #[test]
    fn each_arrival_has_an_answer_of_its_own() {
        let mut board = of(6);
        // Probe 3 is lost, and the answer to probe 1.
        for (at_ns, blocks) in [
            (5, vec![0..1]),
            (25, vec![0..3]),
            (45, vec![4..5, 0..3]),
            (55, vec![4..6, 0..3]),
        ] {
            board.acknowledged(&blocks, at_ns, true);
        }
        assert_eq!((board.arrived(6), board.answered(), board.known()), (5, 4, 6));
        assert_eq!(board.rtts, [(0, 5), (2, 5), (4, 5), (5, 5)]);
        assert_eq!((board.reordered_there, board.reordered_back), (0, 0));
    }

    #[test]
    fn order_and_copies_are_told_by_direction() {
        let mut board = of(6);
        board.acknowledged(&[0..1], 0, true);
        // Probe 2 comes before 1.
        board.acknowledged(&[2..3, 0..1], 0, true);
        board.acknowledged(&[0..3], 0, true);
        assert_eq!((board.reordered_there, board.reordered_back), (1, 0));
        board.acknowledged(&[0..3], 0, true);
        assert_eq!(board.duplicates_back, 1);
        // The answer to the last comes before an answer that another connection state tells.
        board.acknowledged(&[0..4], 0, true);
        board.acknowledged(&[1..3], 0, true);
        assert_eq!(board.reordered_back, 1);
    }

    #[test]
    fn what_answers_no_probe_tells_only_what_arrived() {
        let mut board = of(3);
        board.acknowledged(&[0..3], 9, false);
        assert_eq!((board.arrived(3), board.answered()), (3, 0));
        // Made up: more answers than probes.
        for start in 0..3 {
            for end in start + 1..=3 {
                board.acknowledged(&[start..end], 9, true);
            }
        }
        assert_eq!(board.answered(), 3);
    }
}
