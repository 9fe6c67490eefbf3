//! What the owner of a far end decides: where it listens, for whom and within which limits.

use probe::session::Limits;
use std::net::SocketAddr;

/// How a far end is to run.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Addresses to listen on, TCP and UDP on the same port. Port 0: any free one.
    pub listen: Vec<SocketAddr>,
    /// The shared secret, at least 16 letters.
    pub token: String,
    /// What the owner allows.
    pub limits: Limits,
    /// Receive buffer of UDP streams, bytes; `None`: as large as the host allows.
    pub udp_receive_buffer_bytes: Option<u32>,
}

impl ServerConfig {
    /// A far end on `listen` with the default limits.
    #[must_use]
    pub fn new(listen: Vec<SocketAddr>, token: impl Into<String>) -> Self {
        Self {
            listen,
            token: token.into(),
            limits: Limits::default(),
            udp_receive_buffer_bytes: None,
        }
    }
}
