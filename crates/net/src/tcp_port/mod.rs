//! Any TCP port as a far end: handshakes of the kernel, and loss in each direction on raw sockets (`probe::tcp`).
//!
//! The kernel knows nothing of the connections that are made on raw sockets, and would reset each at the server's first segment. A
//! listening socket on the same port with a filter that lets nothing through takes these segments instead ([`Ports`]): no rule of a
//! firewall, no privilege, and nothing that outlives the process.

mod handshake;
mod ports;
mod sting;

pub use ports::Ports;
pub use probe::tcp::{Direction, End, Handshakes, Offer, Outcome, Reverse};

use crate::path::{PathTarget, source_for};
use crate::{NetError, Watch};
use evidence::{Node, NotMeasuredReason, Probes, TcpAccount};
use std::net::{IpAddr, SocketAddr};

/// Connections on raw sockets with one server, at most.
const MOST_CONNECTIONS: u32 = 10;
/// A server waits for the first bytes of a request for 20 s and longer; then it closes.
const LONGEST_CONNECTION_NS: u64 = 10_000_000_000;
/// Beside those that the probes need, for a server that closes early.
const SPARE_CONNECTIONS: u32 = 2;

/// What to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The server.
    pub peer: SocketAddr,
    /// The local address to send from; `None`: routing chooses.
    pub source: Option<IpAddr>,
    /// Handshakes by the kernel, at least 1.
    pub handshakes: u32,
    /// Probes; 0: handshakes alone.
    pub probes: u32,
    /// From one probe to the next, nanoseconds.
    pub interval_ns: u64,
}

impl Plan {
    /// Probes of one connection.
    fn probes_each(&self) -> u32 {
        let fit = LONGEST_CONNECTION_NS / self.interval_ns.max(1);
        u32::try_from(fit)
            .unwrap_or(u32::MAX)
            .clamp(1, probe::tcp::MOST_PROBES)
    }

    /// The most probes that a server is asked for at this pace.
    #[must_use]
    pub fn most_probes(&self) -> u32 {
        self.probes_each() * (MOST_CONNECTIONS - SPARE_CONNECTIONS)
    }

    fn connections(&self) -> u32 {
        match self.probes {
            0 => 0,
            probes => (probes.div_ceil(self.probes_each()) + SPARE_CONNECTIONS).min(MOST_CONNECTIONS),
        }
    }

    fn source(&self) -> Result<IpAddr, NetError> {
        source_for(&PathTarget {
            destination: self.peer.ip(),
            source: self.source,
            reflector: None,
        })
    }
}

/// What the server told.
#[derive(Debug)]
pub struct Session {
    /// Our address.
    pub local: IpAddr,
    /// Handshakes by the kernel.
    pub handshakes: Handshakes,
    /// What the kernel says of the first connection.
    pub account: TcpAccount,
    /// Loss in each direction, or why it is not known.
    pub loss: Result<Outcome, (NotMeasuredReason, String)>,
    /// Whether it was stopped before its end.
    pub is_cancelled: bool,
}

/// Measures with the server at `plan.peer`, on `ports` that were opened for this plan while that was allowed.
///
/// # Errors
/// No handshake with it came about.
pub async fn run(plan: Plan, ports: Ports, watch: &Watch) -> Result<Session, NetError> {
    let watch = watch.clone();
    let running = tokio::task::spawn_blocking(move || session(&plan, ports, &watch));
    running
        .await
        .map_err(|error| NetError::os("measuring with a TCP port", std::io::Error::other(error)))?
}

fn session(plan: &Plan, ports: Ports, watch: &Watch) -> Result<Session, NetError> {
    let local = plan.source()?;
    let (handshakes, account) = handshake::all(plan, local, watch)?;
    let mss_bytes = account
        .path_mtu_bytes
        .unwrap_or(1_280)
        .saturating_sub(header_bytes(local));
    let loss = sting::run(plan, ports, u16::try_from(mss_bytes).unwrap_or(u16::MAX), watch);
    Ok(Session {
        local,
        handshakes,
        account,
        loss,
        is_cancelled: watch.cancel.is_cancelled(),
    })
}

/// Headers of IP and TCP, without options.
fn header_bytes(of: IpAddr) -> u32 {
    if of.is_ipv6() { 60 } else { 40 }
}

impl Session {
    /// The evidence: handshakes, and loss in each direction where it is known.
    #[must_use]
    pub fn probes(&self, here: &Node, there: &Node) -> Vec<Probes> {
        let streams = self.loss.iter().flat_map(|outcome| outcome.probes(here, there));
        std::iter::once(self.handshakes.probes(here, there))
            .chain(streams)
            .collect()
    }
}
