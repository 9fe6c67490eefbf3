//! What the server's sessions share: the one bulk transfer, who waits for which connection, and who may use the
//! reflector.

use super::access::{AccessControl, Accounts};
use super::arrivals::Account;
use super::config::ServerConfig;
use super::door::Door;
use super::ledger::Ledger;
use super::queue::{Queue, QueueFull, Standing, Who};
use super::turn::Ticket;
use super::waiting::Dialers;
use crate::budget::Budget;
use crate::sys::thread_time::monotonic_ns;
use probe::SessionKey;
use probe::session::Arrivals;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc};

/// A UDP hello of an expected stream: where from, and to which of our addresses.
#[derive(Debug, Clone, Copy)]
pub(super) struct UdpArrival {
    pub(super) from: SocketAddr,
    pub(super) to: SocketAddr,
}

/// A transfer whose connections are still to come.
enum Expected {
    Tcp(mpsc::Sender<(u16, TcpStream)>),
    Udp(mpsc::Sender<UdpArrival>),
}

#[derive(Default)]
struct State {
    queue: Queue,
    expected: BTreeMap<SessionKey, (IpAddr, Expected)>,
    reflecting: BTreeMap<SessionKey, Reflecting>,
}

/// Who may use the reflector with a key.
struct Reflecting {
    peer: IpAddr,
    /// What its questions and their answers draw on.
    budget: Arc<Budget>,
    /// Of those whom a session admitted beside its client.
    account: Option<Account>,
}

/// Third places that all sessions together may have admitted: an account takes up to 128 kB.
const MOST_ADMITTED: usize = 256;

/// Shared by all sessions of one server.
pub(crate) struct Hub {
    pub(crate) config: ServerConfig,
    pub(super) machine: String,
    pub(super) door: Arc<Door>,
    /// What all sessions together may bring and send.
    pub(crate) budget: Arc<Budget>,
    /// Who has a token.
    pub(super) accounts: Arc<Accounts>,
    pub(crate) ledger: Ledger,
    /// What stock iperf3 clients bring and send.
    pub(crate) iperf3: Arc<Budget>,
    /// Where far ends that connect to their client here are handed to it.
    pub(super) dialers: Option<Dialers>,
    /// Told when somebody's turn may have come.
    pub(super) turns: Notify,
    state: Mutex<State>,
}

/// Undoes a registration when dropped.
pub(crate) struct Registration {
    hub: Arc<Hub>,
    undo: fn(&mut State, SessionKey),
    key: SessionKey,
}

impl Drop for Registration {
    fn drop(&mut self) {
        (self.undo)(&mut self.hub.lock(), self.key);
        self.hub.turns.notify_waiters();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.hub.lock().queue.leave(self.number);
        self.hub.turns.notify_waiters();
    }
}

impl Ticket {
    /// Takes the place if it is this one's turn; else how it stands.
    pub(super) fn begin(&self) -> Result<Registration, Standing> {
        self.hub.lock().queue.begin(self.number, Instant::now())?;
        Ok(self.hub.runs())
    }
}

impl Hub {
    pub(super) fn new(config: ServerConfig, dialers: Option<Dialers>) -> Arc<Self> {
        let budget = Arc::new(Budget::new(config.limits.max_rate_bps, monotonic_ns()));
        Arc::new(Self {
            machine: super::token::machine_fingerprint(),
            door: Door::with_strangers(super::descriptors::places_for_strangers()),
            accounts: Accounts::open(&config.access, budget.clone()),
            iperf3: Arc::new(Budget::below(budget.clone(), monotonic_ns())),
            budget,
            ledger: Ledger::new(config.audit.clone()),
            dialers,
            turns: Notify::new(),
            state: Mutex::default(),
            config,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is a single insertion or removal: the maps are whole after a panic elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes who has a token.
    pub(super) fn access(&self) -> AccessControl {
        AccessControl(self.accounts.clone())
    }

    /// Takes the place of the one bulk transfer, for somebody who does not wait for it.
    ///
    /// # Errors
    /// Who has it, and for how many seconds already.
    pub(crate) fn begin_bulk(self: &Arc<Self>, peer: IpAddr) -> Result<Registration, String> {
        let begun = self.lock().queue.begin_at_once(peer, Instant::now());
        match begun {
            Ok(()) => Ok(self.runs()),
            Err(Some((holder, since))) => Err(format!(
                "it is busy with a transfer from {holder}, running for {} s; one at a time, try again soon",
                since.as_secs()
            )),
            Err(None) => Err("it is busy, and others wait for it: one at a time, try again soon".to_owned()),
        }
    }

    /// Waits for that place.
    pub(super) fn queue(
        self: &Arc<Self>,
        who: Who,
        peer: IpAddr,
        lasts: Duration,
    ) -> Result<Ticket, QueueFull> {
        let number = self.lock().queue.join(who, peer, lasts)?;
        Ok(Ticket {
            hub: self.clone(),
            number,
        })
    }

    /// The place of the bulk transfer, which was taken just now.
    fn runs(self: &Arc<Self>) -> Registration {
        Registration {
            hub: self.clone(),
            undo: |state, _| state.queue.end(),
            key: SessionKey::default(),
        }
    }

    /// Whether a bulk transfer runs, and how many wait for it.
    pub(super) fn bulk(&self) -> (bool, usize) {
        let state = self.lock();
        (state.queue.is_running(), state.queue.waiting())
    }

    /// Routes bulk connections with `key` from `peer` to `sender`.
    pub(super) fn expect_tcp(
        self: &Arc<Self>,
        key: SessionKey,
        peer: IpAddr,
        sender: mpsc::Sender<(u16, TcpStream)>,
    ) -> Registration {
        self.expect(key, peer, Expected::Tcp(sender))
    }

    /// Routes UDP hellos with `key` from `peer` to `sender`.
    pub(super) fn expect_udp(
        self: &Arc<Self>,
        key: SessionKey,
        peer: IpAddr,
        sender: mpsc::Sender<UdpArrival>,
    ) -> Registration {
        self.expect(key, peer, Expected::Udp(sender))
    }

    fn expect(self: &Arc<Self>, key: SessionKey, peer: IpAddr, expected: Expected) -> Registration {
        self.lock().expected.insert(key, (peer, expected));
        let undo = |state: &mut State, key| {
            state.expected.remove(&key);
        };
        Registration {
            hub: self.clone(),
            undo,
            key,
        }
    }

    /// Lets `peer` use the reflector with `key`, within `budget`.
    pub(super) fn reflect(
        self: &Arc<Self>,
        key: SessionKey,
        peer: IpAddr,
        budget: Arc<Budget>,
    ) -> Registration {
        let reflecting = Reflecting {
            peer,
            budget,
            account: None,
        };
        self.lock().reflecting.insert(key, reflecting);
        self.stops_reflecting(key)
    }

    /// The same for a peer that a session admits, with an account of what comes; `None` where there is no room for more.
    pub(super) fn admit(
        self: &Arc<Self>,
        key: SessionKey,
        peer: IpAddr,
        budget: Arc<Budget>,
    ) -> Option<Registration> {
        let mut state = self.lock();
        let admitted = state.reflecting.values().filter(|one| one.account.is_some());
        if admitted.count() >= MOST_ADMITTED {
            return None;
        }
        let reflecting = Reflecting {
            peer,
            budget,
            account: Some(Account::new()),
        };
        state.reflecting.insert(key, reflecting);
        drop(state);
        Some(self.stops_reflecting(key))
    }

    fn stops_reflecting(self: &Arc<Self>, key: SessionKey) -> Registration {
        let undo = |state: &mut State, key| {
            state.reflecting.remove(&key);
        };
        Registration {
            hub: self.clone(),
            undo,
            key,
        }
    }

    /// Whether the reflector answers `key` to `peer`.
    pub(super) fn reflects(&self, key: &SessionKey, peer: IpAddr) -> bool {
        self.lock()
            .reflecting
            .get(key)
            .is_some_and(|one| one.peer == peer)
    }

    /// Whether a question with this key and its answer, so many bytes together, may cross the network now.
    pub(super) fn may_answer(&self, key: &SessionKey, bytes: u64, now_ns: u64) -> bool {
        let budget = self.lock().reflecting.get(key).map(|one| one.budget.clone());
        budget.is_some_and(|budget| budget.packet(bytes, now_ns))
    }

    /// A probe with this key and number came, from whom it may.
    pub(super) fn note_probe(&self, key: &SessionKey, number: u32, is_answered: bool) {
        if let Some(account) = self
            .lock()
            .reflecting
            .get_mut(key)
            .and_then(|one| one.account.as_mut())
        {
            account.arrive(number, is_answered);
        }
    }

    /// What came with the key of somebody who was admitted.
    pub(super) fn arrivals(&self, key: &SessionKey) -> Option<Arrivals> {
        let state = self.lock();
        state.reflecting.get(key)?.account.as_ref().map(Account::told)
    }

    /// Whether a transfer waits for connections from `peer`.
    pub(super) fn expects_from(&self, peer: IpAddr) -> bool {
        self.lock()
            .expected
            .values()
            .any(|(expected, _)| *expected == peer)
    }

    /// Hands a bulk connection to the transfer that expects it from this address; drops it otherwise.
    pub(super) fn deliver_tcp(&self, key: SessionKey, peer: IpAddr, index: u16, stream: TcpStream) {
        if let Some((expected_peer, Expected::Tcp(sender))) = self.lock().expected.get(&key)
            && *expected_peer == peer
        {
            let _ = sender.try_send((index, stream));
        }
    }

    /// Hands a UDP hello to the stream that expects it from this address.
    pub(super) fn deliver_udp(&self, key: SessionKey, arrival: UdpArrival) {
        if let Some((expected_peer, Expected::Udp(sender))) = self.lock().expected.get(&key)
            && *expected_peer == arrival.from.ip()
        {
            let _ = sender.try_send(arrival);
        }
    }
}

/// An address as both families' sockets agree on it: no IPv4 in IPv6 clothes.
pub(crate) fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
