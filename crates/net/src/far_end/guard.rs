//! Keeps strangers from wearing the server out: few unauthenticated connections at a time, and a pause for an
//! address that keeps guessing.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MAX_PENDING: u32 = 64;
const MAX_PENDING_PER_ADDRESS: u32 = 16;
/// Failed handshakes after which an address is not listened to for [`PAUSE`].
const MAX_FAILURES: u32 = 10;
const PAUSE: Duration = Duration::from_secs(60);
/// Addresses remembered; beyond this the oldest failures are forgotten first.
const MAX_REMEMBERED: usize = 4_096;

#[derive(Debug, Default)]
struct State {
    pending: BTreeMap<IpAddr, u32>,
    failures: BTreeMap<IpAddr, (u32, Instant)>,
}

/// Who may try to authenticate.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    state: Arc<Mutex<State>>,
}

/// The right to try once; dropped when the attempt is over.
#[derive(Debug)]
pub(super) struct Attempt {
    guard: Guard,
    address: IpAddr,
}

impl Guard {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The counters are valid after any panic elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `address` may try to authenticate now. One that `is_expected`, since it has authenticated and is about
    /// to open its bulk connections, may open as many at once as it likes.
    pub(super) fn admit(&self, address: IpAddr, is_expected: bool, now: Instant) -> Option<Attempt> {
        let mut state = self.lock();
        state
            .failures
            .retain(|_, (_, last)| now.duration_since(*last) < PAUSE);
        let failed = state
            .failures
            .get(&address)
            .is_some_and(|(count, _)| *count >= MAX_FAILURES);
        let total: u32 = state.pending.values().sum();
        let own = state.pending.entry(address).or_default();
        let is_crowded = total >= MAX_PENDING || *own >= MAX_PENDING_PER_ADDRESS;
        if !is_expected && (failed || is_crowded) {
            if *own == 0 {
                state.pending.remove(&address);
            }
            return None;
        }
        *own += 1;
        Some(Attempt {
            guard: self.clone(),
            address,
        })
    }
}

impl Attempt {
    /// The attempt failed.
    pub(super) fn failed(&self, now: Instant) {
        let mut state = self.guard.lock();
        if state.failures.len() >= MAX_REMEMBERED {
            let oldest = state
                .failures
                .iter()
                .min_by_key(|(_, (_, last))| *last)
                .map(|(address, _)| *address);
            oldest.and_then(|address| state.failures.remove(&address));
        }
        let (count, last) = state.failures.entry(self.address).or_insert((0, now));
        *count += 1;
        *last = now;
    }

    /// The attempt succeeded: earlier slips of the same address are forgotten.
    pub(super) fn succeeded(&self) {
        self.guard.lock().failures.remove(&self.address);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let mut state = self.guard.lock();
        if let Some(count) = state.pending.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                state.pending.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_all_places() {
        let (guard, now) = (Guard::default(), Instant::now());
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let mut held: Vec<_> = (0..MAX_PENDING_PER_ADDRESS)
            .map(|_| guard.admit(address(1), false, now).unwrap())
            .collect();
        assert!(guard.admit(address(1), false, now).is_none());
        assert!(guard.admit(address(1), true, now).is_some());
        assert!(guard.admit(address(2), false, now).is_some());
        held.pop();
        assert!(guard.admit(address(1), false, now).is_some());
        let all: Vec<_> = (2..=255)
            .filter_map(|last| guard.admit(address(last), false, now))
            .collect();
        assert_eq!(all.len() + held.len(), MAX_PENDING as usize);
    }

    #[test]
    fn a_guesser_is_paused_and_later_heard_again() {
        let (guard, now) = (Guard::default(), Instant::now());
        let address = IpAddr::from([10, 0, 0, 1]);
        for _ in 0..MAX_FAILURES {
            guard.admit(address, false, now).unwrap().failed(now);
        }
        assert!(guard.admit(address, false, now).is_none());
        assert!(guard.admit(IpAddr::from([10, 0, 0, 2]), false, now).is_some());
        assert!(guard.admit(address, false, now + PAUSE).is_some());
        assert!(guard.lock().pending.is_empty());
    }
}
