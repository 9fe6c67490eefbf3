//! Probes of the path from this host: route, path MTU, echo per hop.
//!
//! Each function opens its own sockets, runs a machine of `probe` on them and gives its observation. No packet leaves
//! for an address other than the destination, or, for direct echo, a router that answered on the path.

mod clock;
mod drive;
mod echo;
mod endpoint;
mod known;
mod mtu;
mod names;
mod trace;

pub use echo::{echo, echo_with, hop_loss, hop_loss_with};
pub use endpoint::Sockets;
pub use mtu::{path_mtu, path_mtu_with};
pub use trace::{route, route_with};

use crate::NetError;
use probe::SessionKey;
use rand::TryRngCore;
use rand::rngs::OsRng;
use socket2::{Domain, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};

/// The other end of a path, and how to probe it.
#[derive(Debug, Clone, Copy)]
pub struct PathTarget {
    /// Where the path leads.
    pub destination: IpAddr,
    /// The local address to probe from; `None` lets routing choose.
    pub source: Option<IpAddr>,
    /// The far end's UDP reflector, where there is one.
    pub reflector: Option<Reflector>,
}

/// A UDP reflector at the destination (see `probe`'s `ReflectRequest`).
#[derive(Debug, Clone, Copy)]
pub struct Reflector {
    /// UDP port.
    pub port: u16,
    /// The session that it answers.
    pub session: SessionKey,
}

/// What to send in an echo measurement.
#[derive(Debug, Clone)]
pub struct EchoPlan {
    /// IP packet sizes in bytes.
    pub sizes_bytes: Vec<u32>,
    /// Probes per hop and size.
    pub count: u32,
    /// Pause between probes to the same hop, milliseconds.
    pub interval_ms: u32,
}

/// The local address that packets to the destination leave with: the one asked for, or routing's choice.
fn source_for(target: &PathTarget) -> Result<IpAddr, NetError> {
    if let Some(source) = target.source {
        return if source.is_ipv4() == target.destination.is_ipv4() {
            Ok(source)
        } else {
            let families = format!("{source} and {} are of different families", target.destination);
            Err(NetError::Unsupported(families))
        };
    }
    routed_source(target.destination).map_err(|error| match error.raw_os_error() {
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::EADDRNOTAVAIL) => NetError::Unreachable(
            target.destination.to_string(),
            "this host has no route to it".to_owned(),
        ),
        _ => NetError::os(format!("finding the way to {}", target.destination), error),
    })
}

/// Connecting a datagram socket sends nothing, but makes the kernel choose route and source.
fn routed_source(destination: IpAddr) -> io::Result<IpAddr> {
    let domain = if destination.is_ipv4() {
        Domain::IPV4
    } else {
        Domain::IPV6
    };
    let socket = Socket::new(domain, Type::DGRAM.cloexec(), None)?;
    socket.connect(&SockAddr::from(SocketAddr::new(destination, 9)))?;
    let local = socket.local_addr()?.as_socket();
    local
        .map(|address| address.ip())
        .ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))
}

/// A number that nobody off the path can guess: it stands in the probes, and answers must return it.
fn secret_number() -> u32 {
    // Without entropy the process id still tells two runs apart; only the guard against forgers is weaker.
    OsRng
        .try_next_u32()
        .unwrap_or_else(|_| std::process::id().wrapping_mul(0x9e37_79b9))
}
