//! Which packets of a stream came: loss runs, duplicates and reordering from sequence numbers.
//!
//! A packet is reordered when a later one came first (RFC 4737 type-P-reordered: its number is below the next
//! expected). Whether an old number is late or a duplicate is told by a bitmap of the last million numbers, a fifth
//! of a second at five million packets a second. Numbers older than that count as reordered and stay lost.

const WORDS: u64 = 1 << 14;

/// Loss runs that are recorded one by one; further losses are still counted.
pub const MAX_LOSS_RUNS: usize = 1_000;

/// What one arrival was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The next expected, or later; that many numbers before it were skipped.
    New {
        /// Numbers skipped, which may still come.
        skipped: u64,
    },
    /// An older number for the first time.
    Late,
    /// A number for the second time.
    Duplicate,
    /// Older than can be told, or beyond the end of the stream.
    Strange,
}

/// What arrived in all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SequenceTotals {
    /// Distinct packets.
    pub received: u64,
    /// Packets that came again.
    pub duplicates: u64,
    /// Packets that came after a later one.
    pub reordered: u64,
    /// Numbers that never came.
    pub lost: u64,
    /// (first number, length) of the first [`MAX_LOSS_RUNS`] runs.
    pub loss_runs: Vec<(u64, u64)>,
    /// Numbers that could not be placed.
    pub strange: u64,
}

/// The account of one stream.
#[derive(Debug)]
pub struct SequenceAccount {
    /// Ring of the last [`WORDS`] words of the bitmap.
    seen: Vec<u64>,
    /// First word that has not been closed yet.
    open_word: u64,
    next: u64,
    end: u64,
    run: Option<(u64, u64)>,
    totals: SequenceTotals,
}

impl SequenceAccount {
    /// An account of a stream of at most `end` packets, numbered from 0: larger numbers are strange, so that no
    /// forged packet can make a receiver count through 2⁶⁴ losses.
    #[must_use]
    pub fn new(end: u64) -> Self {
        Self {
            seen: vec![0; WORDS as usize],
            open_word: 0,
            next: 0,
            end,
            run: None,
            totals: SequenceTotals::default(),
        }
    }

    /// The number after the largest that came.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Distinct packets so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.totals.received
    }

    /// Counts one arrival.
    #[inline]
    pub fn arrive(&mut self, sequence: u64) -> Arrival {
        if sequence >= self.end || sequence / 64 < self.open_word {
            return self.strange(sequence);
        }
        if sequence >= self.next {
            let skipped = sequence - self.next;
            self.make_room(sequence / 64);
            self.mark(sequence);
            self.next = sequence + 1;
            self.totals.received += 1;
            return Arrival::New { skipped };
        }
        if self.mark(sequence) {
            self.totals.duplicates += 1;
            return Arrival::Duplicate;
        }
        self.totals.received += 1;
        self.totals.reordered += 1;
        Arrival::Late
    }

    /// Closes the account of a stream of which `sent` numbers were used; all that are missing are lost.
    #[must_use]
    pub fn finish(mut self, sent: u64) -> SequenceTotals {
        let sent = sent.min(self.end).max(self.next);
        self.close_words_below(sent / 64);
        for bit in 0..sent % 64 {
            let word = sent / 64;
            if self.word(word) & (1 << bit) == 0 {
                self.lose(word * 64 + bit, 1);
            }
        }
        self.end_run();
        self.totals
    }

    fn strange(&mut self, sequence: u64) -> Arrival {
        self.totals.strange += 1;
        if sequence < self.next {
            self.totals.reordered += 1;
        }
        Arrival::Strange
    }

    fn word(&self, word: u64) -> u64 {
        self.seen.get((word % WORDS) as usize).copied().unwrap_or(0)
    }

    /// Sets the bit; tells whether it was set before.
    fn mark(&mut self, sequence: u64) -> bool {
        let bit = 1u64 << (sequence % 64);
        match self.seen.get_mut((sequence / 64 % WORDS) as usize) {
            Some(word) => {
                let before = *word & bit != 0;
                *word |= bit;
                before
            }
            None => false,
        }
    }

    fn make_room(&mut self, word: u64) {
        if word >= self.open_word + WORDS {
            self.close_words_below(word + 1 - WORDS);
        }
    }

    fn close_words_below(&mut self, target: u64) {
        // What the ring holds is closed word by word; a jump beyond it can only have left numbers that never came.
        let held = target.min(self.open_word + WORDS);
        for word in self.open_word..held {
            self.close_word(word);
        }
        if target > held {
            self.lose(held * 64, (target - held) * 64);
        }
        self.open_word = self.open_word.max(target);
    }

    fn close_word(&mut self, word: u64) {
        let seen = self.word(word);
        if let Some(slot) = self.seen.get_mut((word % WORDS) as usize) {
            *slot = 0;
        }
        if seen == u64::MAX {
            self.end_run();
            return;
        }
        for bit in 0..64 {
            if seen & (1 << bit) == 0 {
                self.lose(word * 64 + bit, 1);
            }
        }
    }

    fn lose(&mut self, first: u64, count: u64) {
        self.totals.lost += count;
        match &mut self.run {
            Some((start, length)) if *start + *length == first => *length += count,
            _ => {
                self.end_run();
                self.run = Some((first, count));
            }
        }
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take()
            && self.totals.loss_runs.len() < MAX_LOSS_RUNS
        {
            self.totals.loss_runs.push(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn account(arrivals: impl IntoIterator<Item = u64>, sent: u64) -> SequenceTotals {
        let mut account = SequenceAccount::new(sent);
        for sequence in arrivals {
            account.arrive(sequence);
        }
        account.finish(sent)
    }

    #[test]
    fn each_arrival_is_what_rfc_4737_calls_it() {
        let mut account = SequenceAccount::new(100);
        let kinds: Vec<Arrival> = [0, 1, 4, 2, 4, 2, 100]
            .into_iter()
            .map(|s| account.arrive(s))
            .collect();
        assert_eq!(
            kinds,
            [
                Arrival::New { skipped: 0 },
                Arrival::New { skipped: 0 },
                Arrival::New { skipped: 2 },
                Arrival::Late,
                Arrival::Duplicate,
                Arrival::Duplicate,
                Arrival::Strange,
            ]
        );
        let totals = account.finish(8);
        assert_eq!(
            (totals.received, totals.duplicates, totals.reordered, totals.lost),
            (4, 2, 1, 4)
        );
        assert_eq!(totals.loss_runs, [(3, 1), (5, 3)]);
    }

    #[test]
    fn a_jump_over_the_whole_window_is_one_run() {
        let far = 64 * WORDS * 10 + 7;
        let totals = account([0, far], far + 1);
        assert_eq!(totals.loss_runs, [(1, far - 1)]);
        assert_eq!(totals.lost, far - 1);
    }

    #[test]
    fn a_forged_number_costs_nothing() {
        let totals = account([0, u64::MAX, 1], 2);
        assert_eq!((totals.received, totals.lost, totals.strange), (2, 0, 1));
    }

    #[test]
    fn nothing_received_is_all_lost() {
        assert_eq!(account([], 1_000_000_007).loss_runs, [(0, 1_000_000_007)]);
    }

    proptest! {
        #[test]
        fn agrees_with_a_set(arrivals in prop::collection::vec(0u64..400, 0..300)) {
            let totals = account(arrivals.iter().copied(), 400);
            let set: BTreeSet<u64> = arrivals.iter().copied().collect();
            prop_assert_eq!(totals.received, set.len() as u64);
            prop_assert_eq!(totals.duplicates, (arrivals.len() - set.len()) as u64);
            prop_assert_eq!(totals.lost, 400 - set.len() as u64);
            prop_assert_eq!(totals.loss_runs.iter().map(|run| run.1).sum::<u64>(), totals.lost);
            let missing: BTreeSet<u64> = totals.loss_runs.iter().flat_map(|run| run.0..run.0 + run.1).collect();
            prop_assert!(missing.is_disjoint(&set));
        }

        #[test]
        fn sliding_loses_nothing(gaps in prop::collection::vec(1u64..200_000, 1..60)) {
            let mut sequence = 0;
            let arrivals: Vec<u64> = gaps.iter().map(|gap| { sequence += gap; sequence }).collect();
            let totals = account(arrivals.iter().copied(), sequence + 1);
            prop_assert_eq!(totals.received, gaps.len() as u64);
            prop_assert_eq!(totals.lost, sequence + 1 - gaps.len() as u64);
        }
    }
}
