//! What the owner of a far end decides: where it listens, for whom and within which limits.

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
    /// The shared secret.
    pub token: Token,
    /// What the owner allows.
    pub limits: Limits,
    /// Third places with which clients may have it probe, and be probed; none by default.
    pub allow_peers: Vec<AllowedPeers>,
    /// Stock iperf3 clients; none by default.
    pub iperf3: Option<Iperf3Clients>,
    /// Receive buffer of UDP streams, bytes; `None`: as large as the host allows.
    pub udp_receive_buffer_bytes: Option<u32>,
}

impl ServerConfig {
    /// A far end on `listen` with the default limits.
    #[must_use]
    pub fn new(listen: Vec<SocketAddr>, token: Token) -> Self {
        Self {
            listen,
            token,
            limits: Limits::default(),
            allow_peers: Vec::new(),
            iperf3: None,
            udp_receive_buffer_bytes: None,
        }
    }

    /// Whether tests with this third place are allowed.
    pub(super) fn allows_peer(&self, peer: IpAddr) -> bool {
        self.allow_peers.iter().any(|allowed| allowed.allows(peer))
    }
}
