//! What answers tell: which packets the reflector got, which answers came, and on which way the others were lost.
//!
//! The sender leaves out its second number, as if that packet had been lost at once. A stateful reflector does not count it, so
//! that its numbers fall behind the sender's; a stateless one copies what it gets. Without that, a stateful reflector whose
//! answers are lost looks as a stateless one does.

use super::outcome::Tail;
use crate::direction::Direction;
use crate::session::{Arrival, SequenceAccount};
use std::collections::{BTreeMap, BTreeSet};

/// A packet that was answered. Times are nanoseconds since 1970 by the clock of the end that made them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// The how-manieth packet it is, from 0.
    pub index: u32,
    /// The sender's number of it.
    pub sequence: u32,
    /// The reflector's number of the answer.
    pub reflector_sequence: u32,
    /// When it was sent.
    pub sent_ns: i64,
    /// When the reflector got it.
    pub arrived_ns: i64,
    /// When the reflector answered.
    pub answered_ns: i64,
    /// When the answer came.
    pub returned_ns: i64,
    /// The TTL with which it arrived at the reflector; 0: not told.
    pub ttl_there: u8,
    /// The TTL with which the answer came.
    pub ttl_here: Option<u8>,
}

impl Answered {
    /// From the sender to the reflector, by two clocks.
    #[must_use]
    pub fn forward_ns(&self) -> i64 {
        self.arrived_ns.saturating_sub(self.sent_ns)
    }

    /// From the reflector to the sender, by two clocks.
    #[must_use]
    pub fn backward_ns(&self) -> i64 {
        self.returned_ns.saturating_sub(self.answered_ns)
    }

    /// There and back, without the time that the reflector took: what the clocks differ by drops out.
    #[must_use]
    pub fn rtt_ns(&self) -> i64 {
        self.forward_ns().saturating_add(self.backward_ns())
    }
}

/// How the reflector numbers its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// By its own count: the direction of losses is known.
    Stateful,
    /// With the sender's numbers.
    Stateless,
    /// Too few answers to tell, or numbers that no count gives.
    Unknown,
}

/// The sender's number of its packet `index`: the second number is left out.
pub(super) fn sequence_of(index: u32) -> u32 {
    match index {
        0 => 0,
        later => later + 1,
    }
}

/// The inverse; `None` for the number that is left out.
pub(super) fn index_of(sequence: u32) -> Option<u32> {
    match sequence {
        0 => Some(0),
        1 => None,
        later => Some(later - 1),
    }
}

/// What came of all packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) counting: Counting,
    /// Each direction, where the reflector counts.
    pub(super) directions: Option<(Direction, Direction)>,
    /// Both ways together.
    pub(super) round_trip: Direction,
    /// What was sent after the last packet that was answered.
    pub(super) tail: Tail,
}

/// The account of `sent` packets of which `answers` came, in this order, each as often as it came.
pub(super) fn account(sent: u32, answers: &[Answered]) -> Account {
    let round_trip = round_trip(sent, answers);
    let after_last = answers.iter().map(|a| a.index).max().map_or(0, |last| last + 1);
    let counting = counting(answers);
    let directions = match counting {
        Counting::Stateful => directions(answers),
        Counting::Stateless | Counting::Unknown => None,
    };
    Account {
        counting: match (counting, directions) {
            (Counting::Stateful, None) => Counting::Unknown,
            (told, _) => told,
        },
        directions,
        round_trip,
        tail: Tail {
            lost: sent.saturating_sub(after_last).into(),
        },
    }
}

fn round_trip(sent: u32, answers: &[Answered]) -> Direction {
    let mut seen = SequenceAccount::new(sent.into());
    answers.iter().for_each(|answer| {
        seen.arrive(answer.index.into());
    });
    let totals = seen.finish(sent.into());
    Direction {
        sent: sent.into(),
        received: totals.received,
        duplicates: totals.duplicates,
        reordered: totals.reordered,
    }
}

/// Behind the number that is left out, a copy is the sender's number and a count is another.
fn counting(answers: &[Answered]) -> Counting {
    let mut late = answers.iter().filter(|answer| answer.sequence > 1);
    let is_copy = |answer: &Answered| answer.reflector_sequence == answer.sequence;
    match late.next() {
        None => Counting::Unknown,
        Some(first) if is_copy(first) && late.all(is_copy) => Counting::Stateless,
        Some(_) => Counting::Stateful,
    }
}

/// Each direction, up to the last packet that was answered; `None` where the reflector's numbers are no count of these packets.
fn directions(answers: &[Answered]) -> Option<(Direction, Direction)> {
    // By the reflector's number: the order in which the packets arrived there.
    let by_count: BTreeMap<u32, u32> = answers.iter().map(|a| (a.reflector_sequence, a.index)).collect();
    let indices: BTreeSet<u32> = by_count.values().copied().collect();
    let (first, last) = (*indices.first()?, *indices.last()?);
    let (least, most) = (*by_count.first_key_value()?.0, *by_count.last_key_value()?.0);
    // A count that was ahead from the beginning did not begin with these packets: then only what lies between answers counts.
    let (base, start) = match least <= first {
        true => (0, 0),
        false => (least, first),
    };
    let sent = u64::from(last - start) + 1;
    let counted = u64::from(most - base) + 1;
    // The same packet under two numbers came twice to the reflector.
    let doubled = (by_count.len() - indices.len()) as u64;
    if counted > 2 * sent + doubled {
        return None;
    }
    let forward = Direction {
        sent,
        received: counted.saturating_sub(doubled).min(sent),
        duplicates: doubled,
        reordered: reordered(by_count.values().copied()),
    };
    let mut back = SequenceAccount::new(counted);
    for answer in answers {
        back.arrive(u64::from(answer.reflector_sequence - base));
    }
    let totals = back.finish(counted);
    let backward = Direction {
        sent: counted,
        received: totals.received,
        duplicates: totals.duplicates,
        reordered: totals.reordered,
    };
    Some((forward, backward))
}

/// Packets that came after a later one (RFC 4737), of numbers that are below 2³².
fn reordered(indices: impl Iterator<Item = u32>) -> u64 {
    let mut seen = SequenceAccount::new(1 << 32);
    let late =
        indices.filter(|index| matches!(seen.arrive((*index).into()), Arrival::Late | Arrival::Strange));
    late.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What comes back of `sent` packets: `arrives` says how often a packet gets there, `returns` which answers get back.
    fn run(
        sent: u32,
        stateful: bool,
        arrives: impl Fn(u32) -> u32,
        returns: impl Fn(u32) -> bool,
    ) -> Vec<Answered> {
        let mut counted = 0;
        let mut answers = Vec::new();
        for index in 0..sent {
            for _ in 0..arrives(index) {
                let sequence = sequence_of(index);
                if returns(counted) {
                    answers.push(answer(index, if stateful { counted } else { sequence }));
                }
                counted += 1;
            }
        }
        answers
    }

    fn answer(index: u32, reflector_sequence: u32) -> Answered {
        Answered {
            index,
            sequence: sequence_of(index),
            reflector_sequence,
            sent_ns: 0,
            arrived_ns: 0,
            answered_ns: 0,
            returned_ns: 0,
            ttl_there: 0,
            ttl_here: None,
        }
    }

    fn lost(account: &Account) -> Option<(u64, u64)> {
        account
            .directions
            .map(|(there, back)| (there.lost(), back.lost()))
    }

    #[test]
    fn loss_in_one_direction_is_told_as_of_that_direction() {
        let every_tenth = |n: u32| n % 10 != 5;
        let once = |index| u32::from(every_tenth(index));
        let there = account(100, &run(100, true, once, |_| true));
        assert_eq!(
            (there.counting, lost(&there)),
            (Counting::Stateful, Some((10, 0)))
        );
        let back = account(100, &run(100, true, |_| 1, every_tenth));
        assert_eq!((back.counting, lost(&back)), (Counting::Stateful, Some((0, 10))));
        let none = account(100, &run(100, true, |_| 1, |_| true));
        assert_eq!((none.counting, lost(&none)), (Counting::Stateful, Some((0, 0))));
    }

    #[test]
    fn a_stateless_reflector_tells_no_direction() {
        for (there, back) in [(7, 11), (1_000, 11), (7, 1_000), (1_000, 1_000)] {
            let answers = run(
                100,
                false,
                |index| u32::from(index % there != 3),
                |n| n % back != 3,
            );
            let seen = account(100, &answers);
            assert_eq!((seen.counting, seen.directions), (Counting::Stateless, None));
            assert_eq!(seen.round_trip.received, answers.len() as u64);
        }
    }

    #[test]
    fn what_follows_the_last_answer_has_no_direction() {
        let seen = account(100, &run(100, true, |index| u32::from(index < 90), |_| true));
        assert_eq!((lost(&seen), seen.tail.lost), (Some((0, 0)), 10));
        assert_eq!(seen.round_trip.lost(), 10);
        let nothing = account(5, &[]);
        assert_eq!((nothing.counting, nothing.tail.lost), (Counting::Unknown, 5));
    }

    #[test]
    fn losses_before_the_first_answer_are_told() {
        let seen = account(100, &run(100, true, |index| u32::from(index >= 20), |n| n >= 5));
        assert_eq!(lost(&seen), Some((20, 5)));
    }

    #[test]
    fn duplicates_are_told_by_direction() {
        let twice_there = account(50, &run(50, true, |index| 1 + u32::from(index == 7), |_| true));
        let (there, back) = twice_there.directions.unwrap();
        assert_eq!(
            (there.duplicates, there.lost(), back.duplicates, back.lost()),
            (1, 0, 0, 0)
        );
        let mut answers = run(50, true, |_| 1, |_| true);
        answers.push(answers[20]);
        let (there, back) = account(50, &answers).directions.unwrap();
        assert_eq!((there.duplicates, back.duplicates, back.lost()), (0, 1, 0));
    }

    #[test]
    fn reordering_is_told_by_direction() {
        let mut answers = run(50, true, |_| 1, |_| true);
        answers.swap(10, 11);
        let (there, back) = account(50, &answers).directions.unwrap();
        assert_eq!((there.reordered, back.reordered), (0, 1));
        let mut answers = run(50, true, |_| 1, |_| true);
        (answers[10].index, answers[11].index) = (11, 10);
        (answers[10].sequence, answers[11].sequence) = (12, 11);
        let (there, back) = account(50, &answers).directions.unwrap();
        assert_eq!((there.reordered, back.reordered), (1, 0));
    }

    #[test]
    fn a_count_that_goes_on_from_before_is_read_from_its_first_answer() {
        let mut answers = run(60, true, |index| u32::from(index % 10 != 5), |n| n % 9 != 4);
        answers
            .iter_mut()
            .for_each(|answer| answer.reflector_sequence += 5_000);
        let seen = account(60, &answers);
        assert_eq!((seen.counting, lost(&seen)), (Counting::Stateful, Some((6, 6))));
    }

    #[test]
    fn numbers_that_are_no_count_tell_nothing() {
        let wild = [answer(0, 0), answer(1, 4_000_000_000), answer(2, 17)];
        let seen = account(3, &wild);
        assert_eq!((seen.counting, seen.directions), (Counting::Unknown, None));
        assert_eq!(seen.round_trip.received, 3);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_twice(there in prop::collection::vec(0u32..3, 2..200), back in prop::collection::vec(any::<bool>(), 600)) {
            let sent = there.len() as u32;
            let answers = run(sent, true, |index| there[index as usize], |n| back[n as usize]);
            let seen = account(sent, &answers);
            if let Some((forward, backward)) = seen.directions {
                prop_assert!(forward.received <= forward.sent && backward.received <= backward.sent);
                prop_assert!(forward.sent + seen.tail.lost <= u64::from(sent));
                prop_assert_eq!(backward.received, answers.len() as u64);
            }
        }

        #[test]
        fn any_numbers_do_not_panic(pairs in prop::collection::vec((0u32..50, any::<u32>()), 0..60)) {
            let answers: Vec<Answered> = pairs.into_iter().map(|(index, number)| answer(index, number)).collect();
            let _ = account(50, &answers);
        }
    }
}
