//! Who may come in: places for connections that have not said who they are, and for sessions of those who have.
//!
//! A connection is a stranger until its first message proves that its peer has the token (or is a replay of one who had
//! it), proved until a message under the fresh keys arrives, and then a session. Strangers make room for one another
//! ([`super::crowd`]). Addresses that were let in lately, and those that a transfer expects connections from, have places
//! of their own, which no stranger takes.

use super::crowd::{Crowd, Prefix, Ticket};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Strangers at a time. A genuine client is one for the time between the last two packets of its opening, a hostile
/// one for the four seconds of the deadline: this is 250 of those a second before anybody has to make room.
pub(super) const MAX_STRANGERS: usize = 1_024;
/// Kept places, all and of one address. A transfer opens up to 128 connections at once.
pub(super) const MAX_KEPT: u32 = 256;
pub(super) const MAX_KEPT_PER_NET: u32 = 128;
/// Connections between their proof and their first word. Only who has the token can fill these.
pub(super) const MAX_PROVED: usize = 128;
/// Sessions, all and of one address.
pub(super) const MAX_SESSIONS: u32 = 256;
pub(super) const MAX_SESSIONS_PER_NET: u32 = 64;
/// Addresses that were let in, and for how long they are remembered: a diagnosis and its repetition.
const MAX_KNOWN: usize = 1_024;
const KNOWN_FOR: Duration = Duration::from_secs(3_600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Stranger,
    Kept,
    Proved,
}

#[derive(Debug)]
struct Waiting<H> {
    net: Prefix,
    standing: Standing,
    handle: H,
}

/// Places, in all and by address.
#[derive(Debug, Default)]
struct Places {
    by_net: BTreeMap<Prefix, u32>,
    total: u32,
}

impl Places {
    fn of(&self, net: Prefix) -> u32 {
        self.by_net.get(&net).copied().unwrap_or(0)
    }

    fn take(&mut self, net: Prefix) {
        *self.by_net.entry(net).or_default() += 1;
        self.total += 1;
    }

    fn give_back(&mut self, net: Prefix) {
        if let Some(count) = self.by_net.get_mut(&net) {
            *count -= 1;
            self.total -= 1;
            if *count == 0 {
                self.by_net.remove(&net);
            }
        }
    }
}

/// Why there is no place for another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Full {
    /// All are taken.
    #[error("it serves {MAX_SESSIONS} clients already, as many as it can")]
    All,
    /// This address has its share.
    #[error("it serves {MAX_SESSIONS_PER_NET} clients of your address already, as many as it may have")]
    OfAddress,
}

/// The places and who is in them. `H` is a handle with which the holder of a place is told to leave it.
#[derive(Debug)]
pub(super) struct Guard<H> {
    issued: u64,
    waiting: BTreeMap<Ticket, Waiting<H>>,
    crowd: Crowd,
    kept: Places,
    proved: BTreeSet<Ticket>,
    sessions: Places,
    known: BTreeMap<Prefix, Instant>,
}

impl<H> Guard<H> {
    /// With places for so many strangers, at most [`MAX_STRANGERS`].
    pub(super) fn with_strangers(max: usize) -> Self {
        Self {
            issued: 0,
            waiting: BTreeMap::new(),
            crowd: Crowd::of_at_most(max.min(MAX_STRANGERS)),
            kept: Places::default(),
            proved: BTreeSet::new(),
            sessions: Places::default(),
            known: BTreeMap::new(),
        }
    }

    /// A connection came from `address`, which may be one that a transfer `is_expected` to be joined from. It always
    /// gets a place; the handle is of the one that has to leave its place for that.
    pub(super) fn admit(
        &mut self,
        address: IpAddr,
        is_expected: bool,
        now: Instant,
        handle: H,
    ) -> (Ticket, Option<H>) {
        let (net, ticket) = (Prefix::net(address), Ticket(self.issued));
        self.issued += 1;
        let may_keep = is_expected || self.knows(net, now);
        let standing = if may_keep && self.kept.total < MAX_KEPT && self.kept.of(net) < MAX_KEPT_PER_NET {
            self.kept.take(net);
            Standing::Kept
        } else {
            Standing::Stranger
        };
        let leaves = match standing {
            Standing::Stranger => self.crowd.insert(net, ticket),
            Standing::Kept | Standing::Proved => None,
        };
        self.waiting.insert(
            ticket,
            Waiting {
                net,
                standing,
                handle,
            },
        );
        (ticket, leaves.and_then(|leaves| self.remove(leaves)))
    }

    fn knows(&self, net: Prefix, now: Instant) -> bool {
        self.known
            .get(&net)
            .is_some_and(|at| now.saturating_duration_since(*at) < KNOWN_FOR)
    }

    /// Its first message was good: no stranger takes its place any more. Gives the handle of one that leaves for it.
    pub(super) fn prove(&mut self, ticket: Ticket) -> Option<H> {
        self.give_up_place(ticket)?;
        let oldest = self.proved.first().copied();
        let leaves = oldest.filter(|_| self.proved.len() >= MAX_PROVED);
        if let Some(waiting) = self.waiting.get_mut(&ticket) {
            waiting.standing = Standing::Proved;
            self.proved.insert(ticket);
        }
        leaves.and_then(|leaves| self.remove(leaves))
    }

    /// One stranger leaves, since there is something else than places that there are no more of.
    pub(super) fn make_room(&mut self) -> Option<H> {
        let (_, ticket) = self.crowd.makes_room()?;
        self.remove(ticket)
    }

    /// The connection is over, or has become a session.
    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<H> {
        self.give_up_place(ticket)?;
        self.waiting.remove(&ticket).map(|waiting| waiting.handle)
    }

    fn give_up_place(&mut self, ticket: Ticket) -> Option<()> {
        let waiting = self.waiting.get(&ticket)?;
        match waiting.standing {
            Standing::Stranger => self.crowd.remove(waiting.net, ticket),
            Standing::Kept => self.kept.give_back(waiting.net),
            Standing::Proved => {
                self.proved.remove(&ticket);
            }
        }
        Some(())
    }

    /// A client at `address` has shown that it has the token, and begins a session if there is a place for it.
    pub(super) fn begin_session(&mut self, address: IpAddr, now: Instant) -> Result<(), Full> {
        let net = Prefix::net(address);
        self.remember(net, now);
        if self.sessions.total >= MAX_SESSIONS {
            return Err(Full::All);
        }
        if self.sessions.of(net) >= MAX_SESSIONS_PER_NET {
            return Err(Full::OfAddress);
        }
        self.sessions.take(net);
        Ok(())
    }

    /// A session that was begun is over.
    pub(super) fn end_session(&mut self, address: IpAddr) {
        self.sessions.give_back(Prefix::net(address));
    }

    fn remember(&mut self, net: Prefix, now: Instant) {
        if self.known.len() >= MAX_KNOWN && !self.known.contains_key(&net) {
            let longest_ago = self.known.iter().min_by_key(|(_, at)| **at).map(|(net, _)| *net);
            longest_ago.and_then(|net| self.known.remove(&net));
        }
        self.known.insert(net, now);
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
