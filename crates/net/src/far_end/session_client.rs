//! The client as the sessions of the server see it.

use super::access::Account;
use super::hub::Hub;
use crate::Watch;
use crate::budget::Budget;
use crate::path::{PathTarget, Reflector};
use probe::session::{Limits, ReflectorOffer};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The client of a session, and what the session may use.
pub(super) struct Client {
    pub(super) hub: Arc<Hub>,
    /// Whose token it has.
    pub(super) account: Arc<Account>,
    /// What this session may bring and send: it draws on the account's.
    pub(super) budget: Arc<Budget>,
    /// Whether its program knows how to wait for its turn.
    pub(super) can_wait: bool,
    /// The only address that this session sends anything to.
    pub(super) peer: IpAddr,
    /// Our own address and port, as the client reached us.
    pub(super) local: SocketAddr,
    /// Where we reached it, if we opened the connection.
    pub(super) dialed: Option<SocketAddr>,
    pub(super) watch: Watch,
}

impl Client {
    /// What a single test may take.
    pub(super) fn limits(&self) -> Limits {
        self.account.limits(&self.hub.config.limits)
    }

    /// Who has come, for the log.
    pub(super) fn introduced(&self, program: &str) -> String {
        match self.account.name.as_str() {
            "" => format!("{}: {program}", self.peer),
            holder => format!("{}: {program}, with the token of {holder}", self.peer),
        }
    }

    /// Whether the owner allows tests of this client at this hour.
    pub(super) fn may_now(&self) -> Result<(), String> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let unix_s = since.map_or(0, |since| since.as_secs());
        self.account.may_now(unix_s).map_err(|error| error.to_string())
    }

    /// Whether tests with this third place are allowed.
    pub(super) fn allows_peer(&self, peer: IpAddr) -> bool {
        let own = self.account.allows_peer(peer);
        peer == self.peer || own.unwrap_or_else(|| self.hub.config.allows_peer(peer))
    }
}

/// The client's address as the target of probes from here.
pub(super) fn towards(client: &Client, reflector: Option<ReflectorOffer>) -> PathTarget {
    PathTarget {
        destination: client.peer,
        source: Some(client.local.ip()),
        reflector: reflector.map(|offer| Reflector {
            port: offer.port,
            session: offer.session,
        }),
    }
}
