//! The door of a server: its guard, its memory of greetings and its log of strangers, shared by all connections.

use super::crowd::Ticket;
use super::guard::{Full, Guard};
use super::replays::Replays;
use super::strangers::{PERIOD, Strangers, TurnedAway};
use crate::Watch;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Shared by all connections of one server.
pub(super) struct Door {
    guard: Mutex<Guard<CancellationToken>>,
    replays: Mutex<Replays>,
    strangers: Mutex<Strangers>,
}

/// A place at the door; dropped when the connection is over or has become a session.
pub(super) struct Place {
    door: Arc<Door>,
    ticket: Ticket,
    /// Cancelled when it has to make room for another.
    pub(super) evicted: CancellationToken,
}

/// A place among the sessions; dropped when the session is over.
pub(super) struct Seat {
    door: Arc<Door>,
    address: IpAddr,
}

/// What is behind these locks is whole after a panic elsewhere: each change is made by one call of a pure function.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Door {
    /// With places for so many strangers.
    pub(super) fn with_strangers(max: usize) -> Arc<Self> {
        Arc::new(Self {
            guard: Mutex::new(Guard::with_strangers(max)),
            replays: Mutex::default(),
            strangers: Mutex::default(),
        })
    }

    /// A place for a connection from `address`, which a transfer may expect.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, is_expected: bool) -> Place {
        let evicted = CancellationToken::new();
        let admitted = lock(&self.guard).admit(address, is_expected, Instant::now(), evicted.clone());
        let (ticket, leaves) = admitted;
        tell(leaves);
        Place {
            door: self.clone(),
            ticket,
            evicted,
        }
    }

    /// There are no more descriptors: a stranger leaves.
    pub(super) fn make_room(&self) {
        tell(lock(&self.guard).make_room());
    }

    /// Whether no greeting with this key was seen before.
    pub(super) fn is_first(&self, ephemeral: &[u8; 32]) -> bool {
        lock(&self.replays).is_first(ephemeral)
    }

    /// A connection was not let in.
    pub(super) fn turned_away(&self, peer: IpAddr, how: TurnedAway, watch: &Watch) {
        let line = lock(&self.strangers).note(peer, how, Instant::now());
        line.into_iter().for_each(|line| watch.report(line, None));
    }

    /// Tells of those that were turned away, every few seconds, until dropped.
    pub(super) async fn keep_the_log(self: Arc<Self>, watch: Watch) {
        loop {
            tokio::time::sleep(PERIOD).await;
            let line = lock(&self.strangers).due(Instant::now());
            line.into_iter().for_each(|line| watch.report(line, None));
        }
    }
}

/// Tells the holder of a place that it has to leave.
fn tell(leaves: Option<CancellationToken>) {
    if let Some(evicted) = leaves {
        evicted.cancel();
    }
}

impl Place {
    /// The first message was good.
    pub(super) fn prove(&self) {
        tell(lock(&self.door.guard).prove(self.ticket));
    }

    /// The peer has the token: gives its session a place if there is one.
    pub(super) fn take_seat(self, address: IpAddr) -> Result<Seat, Full> {
        lock(&self.door.guard).begin_session(address, Instant::now())?;
        Ok(Seat {
            door: self.door.clone(),
            address,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.door.guard).remove(self.ticket);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.door.guard).end_session(self.address);
    }
}
