//! Lines of a text that stand within a block and are no lines of it. A block counts its lines one by one, and formats with it; here
//! is told on which lines of the text they stand.

/// How many lines of the text were passed over, and behind which lines of the block, in their order.
#[derive(Debug, Default)]
pub(crate) struct Skipped(Vec<Gap>);

#[derive(Debug)]
struct Gap {
    /// The line of the block, from 0.
    place: usize,
    count: u64,
    /// What was passed over is that line's rest, and is not by itself.
    is_part: bool,
    /// How many were passed over up to here.
    total: u64,
}

impl Skipped {
    /// Behind this line of the block, which is none before those told so far, so many of the text are passed over.
    pub(crate) fn push(&mut self, place: usize, count: u64, is_part: bool) {
        let total = self.0.last().map_or(0, |gap| gap.total) + count;
        // However many they are, they are told together.
        if let Some(last) = self
            .0
            .last_mut()
            .filter(|last| last.place == place && last.is_part == is_part)
        {
            last.count += count;
            last.total = total;
            return;
        }
        self.0.push(Gap {
            place,
            count,
            is_part,
            total,
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many are the rest of this line.
    pub(crate) fn count_at(&self, place: usize) -> u64 {
        let behind = self.0.get(self.gaps_before(place)..).unwrap_or_default();
        let here = behind.iter().take_while(|gap| gap.place == place);
        here.filter(|gap| gap.is_part).map(|gap| gap.count).sum()
    }

    fn gaps_before(&self, place: usize) -> usize {
        self.0.partition_point(|gap| gap.place < place)
    }

    /// The lines of the text that these lines of a block stand on, which begins on line `begin`.
    pub(crate) fn lines_of_text(&self, begin: u64, (first, last): (u64, u64)) -> (u64, u64) {
        let place = |line: u64| usize::try_from(line.saturating_sub(begin)).unwrap_or(usize::MAX);
        let before = |line: u64| {
            let last = self.gaps_before(place(line)).checked_sub(1);
            last.and_then(|last| self.0.get(last)).map_or(0, |gap| gap.total)
        };
        (
            first + before(first),
            last + before(last) + self.count_at(place(last)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_the_numbers_of_the_text() {
        let mut skipped = Skipped::default();
        skipped.push(1, 1, true);
        skipped.push(2, 3, false);
        let lines = |first, last| skipped.lines_of_text(10, (first, last));
        assert_eq!(lines(10, 10), (10, 10));
        assert_eq!(lines(11, 11), (11, 12));
        assert_eq!(lines(12, 12), (13, 13));
        assert_eq!(lines(10, 13), (10, 17));
        assert_eq!((skipped.count_at(1), skipped.count_at(2)), (1, 0));
    }
}
