//! The numbers of requests that lines name: where each has its line, they tell how many were sent, also of a run that was cut before
//! its statistics.

use std::collections::BTreeSet;

/// The counter has 16 bits.
const MOST: usize = 1 << 16;

/// Numbers that were named.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The lowest and the highest.
    ends: Option<(u64, u64)>,
    /// Those that have an answer, or an error.
    answered: BTreeSet<u64>,
    /// One has two lines, or there are more than can be kept apart.
    is_doubtful: bool,
    /// Those of which a line says that nothing came back yet.
    overdue: BTreeSet<u64>,
}

impl Numbers {
    /// A request was answered, perhaps late.
    pub(super) fn answered(&mut self, number: u64) {
        self.overdue.remove(&number);
        self.is_doubtful |= self.answered.len() >= MOST || !self.answered.insert(number);
        self.note(number);
    }

    /// Nothing came back yet.
    pub(super) fn overdue(&mut self, number: u64) {
        if self.overdue.len() < MOST {
            self.overdue.insert(number);
        }
        self.note(number);
    }

    fn note(&mut self, number: u64) {
        let (lowest, highest) = self.ends.unwrap_or((number, number));
        self.ends = Some((lowest.min(number), highest.max(number)));
    }

    /// Requests that nothing came back for.
    pub(super) fn unanswered(&self) -> u64 {
        self.overdue.len() as u64
    }

    /// How many requests there were up to the last that has a line, if each has one. A gap is a lost packet or a line that was not
    /// copied: nobody knows. Of a run without its beginning the rest is counted where it tells of what was lost.
    pub(super) fn sent(&self) -> Option<u64> {
        let tells = |lowest: u64| lowest <= 1 || !self.overdue.is_empty();
        let (lowest, highest) = self.ends.filter(|(lowest, _)| tells(*lowest))?;
        let count = self.answered.len() as u64 + self.unanswered();
        (!self.is_doubtful && count == highest - lowest + 1).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_where_each_has_its_line() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.sent(), None);
        [1, 3].into_iter().for_each(|number| numbers.answered(number));
        assert_eq!(numbers.sent(), None, "2 is lost, or was not copied");
        numbers.overdue(2);
        numbers.overdue(4);
        assert_eq!((numbers.sent(), numbers.unanswered()), (Some(4), 2));
        numbers.answered(2);
        assert_eq!((numbers.sent(), numbers.unanswered()), (Some(4), 1));
        numbers.answered(3);
        assert_eq!(numbers.sent(), None, "a line stands twice");
    }

    #[test]
    fn a_line_that_stands_twice_makes_up_for_none() {
        let mut numbers = Numbers::default();
        [1, 2, 2, 4]
            .into_iter()
            .for_each(|number| numbers.answered(number));
        assert_eq!(numbers.sent(), None);
    }

    #[test]
    fn the_rest_of_a_run_tells_nothing_of_its_beginning() {
        let mut numbers = Numbers::default();
        [7, 8].into_iter().for_each(|number| numbers.answered(number));
        assert_eq!(numbers.sent(), None);
    }
}
