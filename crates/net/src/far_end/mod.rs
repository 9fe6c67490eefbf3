//! The far end: `slowpath serve`, and the client of its control channel.
//!
//! One port number serves everything, TCP and UDP, so that a firewall needs one hole: control connections, bulk
//! connections, UDP streams and the UDP reflector. The control channel is a Noise NNpsk0 session keyed by the token:
//! who has the token is authenticated, both ways, and nobody else learns or changes anything; a connection without
//! it gets not one byte. Its segments are kept small, so that it outlives a path-MTU black hole in either direction.
//!
//! The server sends to the authenticated peer's address only, and to third places that both owners allow (`third`); it runs one bulk transfer at a time, and enforces its
//! owner's limits whoever sends. A peer that vanishes frees the server within seconds.

mod access;
mod answers;
mod arrivals;
mod between;
mod between_tcp;
mod channel;
mod client;
mod client_tcp;
mod client_udp;
mod config;
mod connect;
mod conversation;
mod crowd;
mod descriptors;
mod dial;
mod door;
mod ends;
mod entrance;
mod guard;
mod guesses;
mod handshake;
pub(crate) mod hub;
mod key;
pub(crate) mod ledger;
mod metrics;
mod offer;
mod partner;
mod peers;
mod plain_text;
mod queue;
mod reflector;
mod refusal;
mod replays;
#[cfg(any(test, feature = "fuzz"))]
pub mod sequences;
mod server;
mod session;
mod session_client;
mod session_tcp;
mod session_udp;
pub(crate) mod strangers;
mod third;
mod third_client;
mod token;
mod token_file;
mod turn;
mod version;
mod waiting;

pub use access::{
    Access, AccessControl, AccessError, Changes, Holder, HolderLimits, Hours, MOST_HOLDERS, NotHours,
};
pub use between::between;
pub use client::FarEnd;
pub use config::{Iperf3Clients, ServerConfig};
pub use connect::connect;
pub use dial::Dialer;
pub use ends::Side;
pub use ledger::{Audit, AuditEntry, AuditEvent, Outcome};
pub use metrics::MetricsAt;
pub use peers::{AllowedPeers, NotPeers};
pub use probe::session::{Arrivals, Limits, LocalAsk, Peer};
pub use server::Server;
pub use third::towards_peers;
pub use token::{Token, new_token};
pub use token_file::{private_text, read_token_file, token_from_file};
pub use waiting::{Met, Own, Waiting};

/// The port of `slowpath serve`, TCP and UDP.
pub const DEFAULT_PORT: u16 = 4820;

#[cfg(test)]
mod acting;
#[cfg(test)]
mod lying_tests;
#[cfg(test)]
mod version_tests;
