//! One socket: how it is opened for answers, what it reads and what its failures mean.

use crate::sys::message;
use probe::Refusal;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

/// Large enough for a burst of answers while another thread has the processor.
const RECEIVE_BUFFER_BYTES: i32 = 8 << 20;
/// Answers read per socket and turn, so that a flood cannot keep us from sending.
pub(super) const READS_PER_TURN: usize = 4096;

/// A socket that stamps what it receives, tells its TTL and has a large buffer.
pub(crate) fn receiver(domain: Domain, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(domain, kind.nonblocking().cloexec(), Some(protocol))?;
    let fd = socket.as_fd();
    message::set_option(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1i32)?;
    match domain {
        Domain::IPV6 => message::set_option(fd, libc::IPPROTO_IPV6, libc::IPV6_RECVHOPLIMIT, 1i32)?,
        _ => message::set_option(fd, libc::IPPROTO_IP, libc::IP_RECVTTL, 1i32)?,
    }
    // The forced size needs a privilege; the plain one is capped by net.core.rmem_max. Smaller only costs answers,
    // and those are counted.
    if message::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES).is_err() {
        message::set_option(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, RECEIVE_BUFFER_BYTES)?;
    }
    Ok(socket)
}

pub(crate) fn domain_of(address: IpAddr) -> Domain {
    if address.is_ipv4() {
        Domain::IPV4
    } else {
        Domain::IPV6
    }
}

pub(super) fn bind(socket: &Socket, source: IpAddr) -> io::Result<()> {
    socket.bind(&SockAddr::from(SocketAddr::new(source, 0)))
}

pub(super) fn local_port(socket: &Socket) -> io::Result<u16> {
    let address = socket.local_addr()?.as_socket();
    Ok(address.map_or(0, |address| address.port()))
}

/// What a failed send means for the probe. A full queue right behind the socket (`ENOBUFS`) is loss on the first link,
/// which is part of the path: the packet counts as sent.
pub(super) fn judge_send(error: &io::Error, mtu_bytes: Option<u32>) -> Result<(), Refusal> {
    match error.raw_os_error() {
        Some(libc::EMSGSIZE) => Err(Refusal::TooBig { mtu_bytes }),
        Some(libc::ENOBUFS) => Ok(()),
        _ => Err(Refusal::NotSent),
    }
}

/// Reads what waits in the socket. Errors that earlier probes drew (connection refused…) are passed over: the raw ICMP
/// socket has them whole.
pub(super) fn read_all(
    socket: &Socket,
    buffer: &mut [u8],
    mut each: impl FnMut(SocketAddr, &[u8], Option<u64>, Option<u8>),
) {
    for _ in 0..READS_PER_TURN {
        match message::receive(socket.as_fd(), buffer, false) {
            Ok(Some(received)) => {
                if let Some(from) = received.from {
                    each(
                        from,
                        buffer.get(..received.length).unwrap_or_default(),
                        received.stamp_ns,
                        received.ttl,
                    );
                }
            }
            Ok(None) => return,
            Err(_) => {}
        }
    }
}
