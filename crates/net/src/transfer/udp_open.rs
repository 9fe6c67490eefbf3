//! Opens the sockets of a UDP stream.

use crate::sys::udp_bulk;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

/// What a receiver asks for: a fifth of a second at 1 Gbit/s. The kernel gives what the host's limit allows.
const RECEIVE_BUFFER_BYTES: u32 = 32 << 20;
/// Enough for what is sent at one wake-up; more would only hide the interface's queue.
const SEND_BUFFER_BYTES: u32 = 4 << 20;

/// UDP payload of an IP packet of `size_bytes`; `None` when the headers do not fit.
pub(crate) fn payload_bytes(size_bytes: u32, is_v6: bool) -> Option<usize> {
    let headers = if is_v6 { 48 } else { 28 };
    let payload = size_bytes.checked_sub(headers)? as usize;
    (payload >= probe::session::UDP_HEADER_BYTES).then_some(payload)
}

/// A socket on `local`, connected to `peer`. With `shares_port` it stands beside the reflector on the same port and
/// takes the packets of this peer from it.
pub(crate) fn open(local: SocketAddr, peer: SocketAddr, shares_port: bool) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(peer), Type::DGRAM, Some(Protocol::UDP))?;
    if shares_port {
        socket.set_reuse_port(true)?;
    }
    socket.bind(&local.into())?;
    socket.connect(&peer.into())?;
    Ok(socket.into())
}

/// Prepares a socket for sending.
pub(crate) fn prepare_sender(socket: &UdpSocket) -> io::Result<()> {
    let is_v6 = socket.local_addr()?.is_ipv6();
    udp_bulk::prepare_sender(socket.as_fd(), is_v6, SEND_BUFFER_BYTES)
}

/// Prepares a socket for receiving, with a buffer of `buffer_bytes` or as large as the host allows.
pub(crate) fn prepare_receiver(socket: &UdpSocket, buffer_bytes: Option<u32>) -> io::Result<()> {
    udp_bulk::prepare_receiver(socket.as_fd(), buffer_bytes.unwrap_or(RECEIVE_BUFFER_BYTES)).map(|_| ())
}
