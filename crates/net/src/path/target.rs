//! The other end of a path, and the address that packets to it leave from.

use crate::NetError;
use probe::SessionKey;
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

/// The local address that packets to the destination leave with: the one asked for, or routing's choice.
pub(crate) fn source_for(target: &PathTarget) -> Result<IpAddr, NetError> {
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
