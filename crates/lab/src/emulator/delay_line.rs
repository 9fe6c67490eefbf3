//! Packets on their way: in order, except those that are to be overtaken.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Holds items until they are due. In-order items keep their order even if the delay shrinks meanwhile, as on a
/// wire; held-back items wait in a heap and come out when their own time has come.
#[derive(Debug)]
pub(crate) struct DelayLine<T> {
    in_order: VecDeque<(u64, T)>,
    held_back: BinaryHeap<Reverse<HeldBack<T>>>,
    last_due_ns: u64,
    entered: u64,
}

#[derive(Debug)]
struct HeldBack<T> {
    due_ns: u64,
    /// Breaks ties: of two that are due together, the earlier one goes first.
    sequence: u64,
    item: T,
}

impl<T> PartialEq for HeldBack<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<T> Eq for HeldBack<T> {}
impl<T> PartialOrd for HeldBack<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for HeldBack<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due_ns, self.sequence).cmp(&(other.due_ns, other.sequence))
    }
}

impl<T> DelayLine<T> {
    pub(crate) fn new() -> Self {
        Self {
            in_order: VecDeque::new(),
            held_back: BinaryHeap::new(),
            last_due_ns: 0,
            entered: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.in_order.is_empty() && self.held_back.is_empty()
    }

    pub(crate) fn push_in_order(&mut self, due_ns: u64, item: T) {
        self.last_due_ns = self.last_due_ns.max(due_ns);
        self.in_order.push_back((self.last_due_ns, item));
    }

    pub(crate) fn push_held_back(&mut self, due_ns: u64, item: T) {
        self.entered += 1;
        self.held_back.push(Reverse(HeldBack {
            due_ns,
            sequence: self.entered,
            item,
        }));
    }

    /// When the next item is due.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        let in_order = self.in_order.front().map(|(due_ns, _)| *due_ns);
        let held_back = self.held_back.peek().map(|Reverse(h)| h.due_ns);
        [in_order, held_back].into_iter().flatten().min()
    }

    /// The next item that is due by now, with the time at which it was due.
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<(u64, T)> {
        let due_ns = self.next_due_ns().filter(|due_ns| *due_ns <= now_ns)?;
        if self.in_order.front().is_some_and(|(d, _)| *d == due_ns) {
            return self.in_order.pop_front();
        }
        self.held_back.pop().map(|Reverse(h)| (h.due_ns, h.item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(line: &mut DelayLine<char>, now_ns: u64) -> String {
        std::iter::from_fn(|| line.pop_due(now_ns))
            .map(|(_, c)| c)
            .collect()
    }

    #[test]
    fn a_held_back_packet_is_overtaken() {
        let mut line = DelayLine::new();
        line.push_in_order(10, 'a');
        line.push_held_back(25, 'b');
        line.push_in_order(20, 'c');
        line.push_in_order(30, 'd');
        assert_eq!(line.next_due_ns(), Some(10));
        assert_eq!(drain(&mut line, 20), "ac");
        assert_eq!(drain(&mut line, 29), "b");
        assert_eq!(drain(&mut line, 30), "d");
        assert!(line.is_empty() && line.next_due_ns().is_none());
    }

    #[test]
    fn a_shrinking_delay_does_not_reorder() {
        let mut line = DelayLine::new();
        line.push_in_order(100, 'a');
        line.push_in_order(50, 'b');
        assert_eq!(drain(&mut line, 99), "");
        assert_eq!(drain(&mut line, 100), "ab");
    }
}
