//! What the owner of a far end decides: where it listens, for whom and within which limits.

use super::token::Token;
use probe::session::Limits;
use std::net::SocketAddr;

/// How a far end is to run.
#[derive(Clone)]
pub struct ServerConfig {
    /// Addresses to listen on, TCP and UDP on the same port. Port 0: any free one.
    pub listen: Vec<SocketAddr>,
    /// The shared secret.
    pub token: Token,
    /// What the owner allows.
    pub limits: Limits,
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
            udp_receive_buffer_bytes: None,
        }
    }
}
