//! Acknowledgements when their sender of data has them: a delay line.
//!
//! At a capture point that is not at the sender, an acknowledgement passes the point a part of the round trip before the data
//! pass that it releases. Held back by that part, events stand in the order in which the sender saw and did them, and the
//! same reasoning serves every capture point. A queue between sender and point makes that part longer at times: by what the
//! sender's time stamps tell, they are held back longer then. What these do not tell makes the flight look smaller than it is.

use crate::flow::Acked;
use std::collections::VecDeque;

/// An acknowledgement on its way from the capture point to the sender.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// When it passed the point.
    pub(super) time: i64,
    pub(super) ack: u64,
    pub(super) acked: u64,
    pub(super) arrived: u64,
    pub(super) edge: Option<u64>,
    pub(super) rtt: Option<i64>,
}

impl Held {
    /// One of which the round trip is longer than to the point by so much.
    #[inline(always)]
    pub(super) fn of(acked: &Acked, lag_ns: i64) -> Self {
        let rtt = acked.rtt_ns.filter(|&rtt| rtt >= 0);
        Self {
            time: acked.time_ns.max(0),
            ack: acked.ack,
            acked: acked.newly_acked_bytes,
            arrived: acked.newly_arrived_bytes,
            edge: acked.window_bytes.map(|window| acked.ack.saturating_add(window)),
            rtt: rtt.map(|rtt| rtt.saturating_add(lag_ns)),
        }
    }
}

/// More on the way than this are taken together: a 500th of the delay is finer than its jitter.
const MOST: usize = 512;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Lag {
    held: VecDeque<Held>,
    bytes: u64,
}

impl Lag {
    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.held.capacity() * size_of::<Held>()
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.bytes = 0;
    }

    /// Holds one back. Inline: it is put together where it stays, as to read back what was just written holds the processor up.
    #[inline(always)]
    pub(super) fn hold(&mut self, one: Held) {
        self.bytes = self.bytes.saturating_add(one.arrived);
        if self.held.len() >= MOST {
            self.halve();
        }
        self.held.push_back(one);
    }

    /// The next that passed the point no later than then.
    pub(super) fn passed(&mut self, then: i64) -> Option<Held> {
        if self.held.front().is_none_or(|one| one.time > then) {
            return None;
        }
        let one = self.held.pop_front()?;
        self.bytes = self.bytes.saturating_sub(one.arrived);
        Some(one)
    }

    /// When the next passed the point.
    pub(super) fn next_ns(&self) -> Option<i64> {
        self.held.front().map(|one| one.time)
    }

    /// The next, due or not.
    pub(super) fn hurry(&mut self) -> Option<Held> {
        self.passed(i64::MAX)
    }

    /// Bytes that the capture point knows to have arrived and the sender does not yet.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes neighbours together: the later one's time and word, the bytes of both.
    #[cold]
    fn halve(&mut self) {
        let mut joined = VecDeque::with_capacity(MOST);
        while let Some(first) = self.held.pop_front() {
            let Some(second) = self.held.pop_front() else {
                joined.push_back(first);
                break;
            };
            joined.push_back(Held {
                acked: first.acked.saturating_add(second.acked),
                arrived: first.arrived.saturating_add(second.arrived),
                ack: first.ack.max(second.ack),
                rtt: match (first.rtt, second.rtt) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                },
                ..second
            });
        }
        self.held = joined;
    }
}
