//! Whose turn it is: one bulk transfer runs at a time, and others wait for it in an order that nobody can buy with more
//! connections.
//!
//! *Start-time fair queueing* (Goyal, Vin and Cheng, SIGCOMM 1996) of whole transfers, twice: holders of tokens take turns, and so do the
//! addresses of each holder. Each place has a tag when it is taken: the round that is served, or the one behind the last of
//! the same flow. So a holder's first stands before the second of any, whenever it comes; who comes back at once
//! stands behind who has waited; and nobody's place moves back by more than a test of each other holder.

use super::crowd::Prefix;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who waits at all, and of one holder at one address. Beyond it "busy" is the better answer.
pub(super) const MOST_WAITING: usize = 32;
pub(super) const MOST_WAITING_OF_ONE: usize = 8;
/// What a transfer takes beside its own time: connections, and its report.
const BESIDE: Duration = Duration::from_secs(1);

/// Whose transfer it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Who {
    holder: Arc<str>,
    net: Prefix,
}

impl Who {
    pub(super) fn new(holder: &str, address: IpAddr) -> Self {
        Self {
            holder: holder.into(),
            net: Prefix::net(address),
        }
    }
}

/// Flows that a round remembers. More come of one holder with many addresses alone, who then has them served as they come.
const MOST_FLOWS: usize = 1_024;

/// The turns of flows.
#[derive(Debug)]
struct Rounds<K> {
    served: u64,
    /// The tag of the next one, where that is not simply the round that is served.
    next: BTreeMap<K, u64>,
}

impl<K: Ord> Default for Rounds<K> {
    fn default() -> Self {
        Self {
            served: 0,
            next: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Rounds<K> {
    /// The tag of one more of this flow.
    fn tag(&mut self, flow: K) -> u64 {
        if self.next.len() >= MOST_FLOWS {
            self.next.clear();
        }
        let next = self.next.entry(flow).or_insert(self.served);
        let tag = self.served.max(*next);
        *next = tag + 1;
        tag
    }

    /// One with this tag is served.
    fn serve(&mut self, tag: u64) {
        self.served = self.served.max(tag);
        let served = self.served;
        self.next.retain(|_, next| *next > served);
    }

    /// The last one of this flow leaves unserved.
    fn give_back(&mut self, flow: &K, tag: u64) {
        if let Some(next) = self.next.get_mut(flow).filter(|next| **next == tag + 1) {
            *next = tag;
        }
    }
}

/// The transfer that runs.
#[derive(Debug, Clone)]
struct Running {
    peer: IpAddr,
    since: Instant,
    lasts: Duration,
}

#[derive(Debug, Clone)]
struct Waiting {
    number: u64,
    who: Who,
    /// Among holders, and among the addresses of its own.
    tags: (u64, u64),
    peer: IpAddr,
    lasts: Duration,
}

/// How it stands with one that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Those that will run before it, without the one that runs.
    pub(super) before: usize,
    /// How long that will take at most.
    pub(super) about: Duration,
}

/// Too many wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum QueueFull {
    /// All places are taken.
    #[error("it is busy, and {MOST_WAITING} tests wait for it already: try again in some minutes")]
    All,
    /// This client's places are taken.
    #[error(
        "it is busy, and {MOST_WAITING_OF_ONE} tests of yours wait for it already: try again when some are done"
    )]
    OfOne,
}

/// The transfer that runs, and those that wait for it.
#[derive(Debug, Default)]
pub(super) struct Queue {
    running: Option<Running>,
    waiting: Vec<Waiting>,
    issued: u64,
    holders: Rounds<Arc<str>>,
    addresses: BTreeMap<Arc<str>, Rounds<Prefix>>,
}

impl Queue {
    /// Begins a transfer of somebody who does not wait.
    ///
    /// # Errors
    /// Who has the place, and for how long already; `None`: those who wait go first.
    pub(super) fn begin_at_once(
        &mut self,
        peer: IpAddr,
        now: Instant,
    ) -> Result<(), Option<(IpAddr, Duration)>> {
        if let Some(running) = &self.running {
            return Err(Some((running.peer, now.saturating_duration_since(running.since))));
        }
        if !self.waiting.is_empty() {
            return Err(None);
        }
        self.running = Some(Running {
            peer,
            since: now,
            lasts: Duration::ZERO,
        });
        Ok(())
    }

    /// Takes a place in the queue for a transfer that lasts so long at most; its number.
    pub(super) fn join(&mut self, who: Who, peer: IpAddr, lasts: Duration) -> Result<u64, QueueFull> {
        if self.waiting.len() >= MOST_WAITING {
            return Err(QueueFull::All);
        }
        if self.waiting.iter().filter(|one| one.who == who).count() >= MOST_WAITING_OF_ONE {
            return Err(QueueFull::OfOne);
        }
        self.issued += 1;
        let of_holder = self.addresses.entry(who.holder.clone()).or_default();
        self.waiting.push(Waiting {
            number: self.issued,
            tags: (self.holders.tag(who.holder.clone()), of_holder.tag(who.net)),
            who,
            peer,
            lasts,
        });
        Ok(self.issued)
    }

    /// Leaves the queue.
    pub(super) fn leave(&mut self, number: u64) {
        let Some(at) = self.waiting.iter().position(|one| one.number == number) else {
            return;
        };
        let Waiting { who, tags, .. } = self.waiting.remove(at);
        self.holders.give_back(&who.holder, tags.0);
        if let Some(of_holder) = self.addresses.get_mut(&who.holder) {
            of_holder.give_back(&who.net, tags.1);
        }
        self.forget();
    }

    /// The transfer that ran is over.
    pub(super) fn end(&mut self) {
        self.running = None;
        self.forget();
    }

    /// Where nobody waits there are no turns.
    fn forget(&mut self) {
        if self.running.is_none() && self.waiting.is_empty() {
            self.holders = Rounds::default();
            self.addresses.clear();
        }
    }

    /// Begins the transfer with this number if it is its turn; else how it stands with it.
    pub(super) fn begin(&mut self, number: u64, now: Instant) -> Result<(), Standing> {
        let order = self.order();
        let before = order
            .iter()
            .map(|(_, one)| one)
            .take_while(|one| one.number != number);
        let running = self.running.as_ref().map_or(Duration::ZERO, |running| {
            (running.lasts + BESIDE).saturating_sub(now.saturating_duration_since(running.since))
        });
        let standing = Standing {
            before: before.clone().count(),
            about: before.fold(running, |sum, one| sum + one.lasts + BESIDE),
        };
        if self.running.is_some() || standing.before > 0 {
            return Err(standing);
        }
        let Some((tag, first)) = order.first().map(|(tag, one)| (*tag, (*one).clone())) else {
            return Err(standing);
        };
        self.waiting.retain(|one| one.number != number);
        // The turn of its holder that it takes may have come with another of the same.
        let other = self
            .waiting
            .iter_mut()
            .find(|one| one.who.holder == first.who.holder && one.tags.0 == tag);
        if let Some(other) = other {
            other.tags.0 = first.tags.0;
        }
        self.holders.serve(tag);
        if let Some(of_holder) = self.addresses.get_mut(&first.who.holder) {
            of_holder.serve(first.tags.1);
        }
        self.running = Some(Running {
            peer: first.peer,
            since: now,
            lasts: first.lasts,
        });
        Ok(())
    }

    /// Those that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a transfer runs.
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Those that wait with the turns of their holders that they take, whoever is next first.
    fn order(&self) -> Vec<(u64, &Waiting)> {
        let mut turns: Vec<(&str, u64)> = self
            .waiting
            .iter()
            .map(|one| (&*one.who.holder, one.tags.0))
            .collect();
        turns.sort_unstable();
        let mut waiting: Vec<&Waiting> = self.waiting.iter().collect();
        waiting.sort_by_key(|one| (&*one.who.holder, one.tags.1, one.number));
        // Both have as many of each holder.
        let turns = turns.into_iter().map(|(_, tag)| tag);
        let mut order: Vec<(u64, &Waiting)> = turns.zip(waiting).collect();
        order.sort_by_key(|(tag, one)| (*tag, one.number));
        order
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
