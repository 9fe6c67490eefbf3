//! What the owner of a far end decides: where it listens, for whom and within which limits.

use super::peers::AllowedPeers;
use super::token::Token;
use probe::session::Limits;
use std::net::{IpAddr, SocketAddr};

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
            udp_receive_buffer_bytes: None,
        }
    }

    /// Whether tests with this third place are allowed.
    pub(super) fn allows_peer(&self, peer: IpAddr) -> bool {
        self.allow_peers.iter().any(|allowed| allowed.allows(peer))
    }
}
