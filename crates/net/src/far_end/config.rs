//! What the owner of a far end decides: where it listens, for whom and within which limits.

use super::access::Access;
use super::ledger::Audit;
use super::metrics::MetricsAt;
use super::peers::AllowedPeers;
use super::token::Token;
use probe::session::Limits;
use std::net::{IpAddr, SocketAddr};

/// The stock iperf3 clients that a far end serves as well. They prove nothing, so their networks are named.
#[derive(Debug, Clone)]
pub struct Iperf3Clients {
    /// TCP and UDP, on each of the addresses listened on.
    pub port: u16,
    /// Whose.
    pub allow: Vec<AllowedPeers>,
}

/// How a far end is to run.
#[derive(Clone)]
pub struct ServerConfig {
    /// Addresses to listen on, TCP and UDP on the same port. Port 0: any free one.
    pub listen: Vec<SocketAddr>,
    /// Who may come in.
    pub access: Access,
    /// What the owner allows to all of them.
    pub limits: Limits,
    /// Third places with which clients may have it probe, and be probed; none by default.
    pub allow_peers: Vec<AllowedPeers>,
    /// Stock iperf3 clients; none by default.
    pub iperf3: Option<Iperf3Clients>,
    /// Where the lines of the audit go.
    pub audit: Option<Audit>,
    /// Where metrics are shown; nowhere by default.
    pub metrics: Option<MetricsAt>,
    /// Receive buffer of UDP streams, bytes; `None`: as large as the host allows.
    pub udp_receive_buffer_bytes: Option<u32>,
}

impl ServerConfig {
    /// A far end on `listen` for the holders of one token, with the default limits.
    #[must_use]
    pub fn new(listen: Vec<SocketAddr>, token: Token) -> Self {
        Self::on(listen, Access::single(token))
    }

    /// A far end on `listen` for all of these, with the default limits.
    #[must_use]
    pub fn on(listen: Vec<SocketAddr>, access: Access) -> Self {
        Self {
            listen,
            access,
            limits: Limits::default(),
            allow_peers: Vec::new(),
            iperf3: None,
            audit: None,
            metrics: None,
            udp_receive_buffer_bytes: None,
        }
    }

    /// Whether tests with this third place are allowed.
    pub(super) fn allows_peer(&self, peer: IpAddr) -> bool {
        self.allow_peers.iter().any(|allowed| allowed.allows(peer))
    }
}
