//! Opens the connections of a bulk TCP transfer with the options that the plan asks for.

use super::Tuning;
use crate::NetError;
use crate::sys::tcp_socket;
use probe::SessionKey;
use probe::session::{DataHello, TcpPlan};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;

/// Opens one connection to the far end and says which transfer it belongs to. The caller sets a time limit.
pub(crate) async fn open(
    peer: SocketAddr,
    (source, tuning): (IpAddr, &Tuning),
    plan: &TcpPlan,
    key: SessionKey,
    stream: u16,
) -> Result<TcpStream, NetError> {
    let hello = DataHello { key, stream }.to_bytes();
    open_with(peer, (source, tuning), plan, stream, &hello).await
}

/// [`open`] with `hello` as the first bytes.
pub(crate) async fn open_with(
    peer: SocketAddr,
    (source, tuning): (IpAddr, &Tuning),
    plan: &TcpPlan,
    stream: u16,
    hello: &[u8],
) -> Result<TcpStream, NetError> {
    let doing = || format!("opening bulk connection {stream} to {peer}");
    let socket = prepared(peer, tuning.source(source, stream), plan)?;
    tuning.mark(socket.as_fd(), peer.is_ipv6())?;
    let mut connected = socket
        .connect(peer)
        .await
        .map_err(|error| NetError::os(doing(), error))?;
    connected
        .write_all(hello)
        .await
        .map_err(|error| NetError::os(doing(), error))?;
    blocking(connected).map_err(|error| NetError::os(doing(), error))
}

/// Takes a connection from the runtime for a thread of its own.
pub(crate) fn blocking(stream: tokio::net::TcpStream) -> io::Result<TcpStream> {
    let stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// A socket with the plan's options, bound to `source`.
pub(crate) fn prepared(peer: SocketAddr, source: SocketAddr, plan: &TcpPlan) -> Result<TcpSocket, NetError> {
    let context = |doing: &str| {
        let doing = format!("{doing} for a bulk connection");
        move |error: io::Error| NetError::os(doing, error)
    };
    let socket = Socket::new(Domain::for_address(peer), Type::STREAM, Some(Protocol::TCP))
        .map_err(context("opening a socket"))?;
    if source.port() != 0 {
        // A test that has just ended keeps its port for a minute (TIME-WAIT, RFC 9293, section 3.6.1).
        socket
            .set_reuse_address(true)
            .map_err(context("preparing the socket"))?;
    }
    socket
        .bind(&source.into())
        .map_err(context("binding the local address"))?;
    if let Some(mss) = plan.mss_bytes {
        // Before connecting: the option is part of the handshake, and limits both directions.
        tcp_socket::set_u32(socket.as_fd(), libc::IPPROTO_TCP, libc::TCP_MAXSEG, mss)
            .map_err(context("setting the segment size"))?;
    }
    apply_buffers(socket.as_fd(), plan, false).map_err(context("setting the socket buffers"))?;
    if !plan.server_sends {
        apply_control(socket.as_fd(), plan)?;
    }
    socket
        .set_nonblocking(true)
        .map_err(context("preparing the socket"))?;
    Ok(TcpSocket::from_std_stream(socket.into()))
}

/// Applies the plan to a connection that the far end has accepted.
pub(crate) fn apply_accepted(stream: &TcpStream, plan: &TcpPlan) -> Result<(), NetError> {
    apply_buffers(stream.as_fd(), plan, true)
        .map_err(|error| NetError::os("setting the socket buffers", error))?;
    if plan.server_sends {
        apply_control(stream.as_fd(), plan)?;
    }
    Ok(())
}

fn apply_buffers(socket: std::os::fd::BorrowedFd<'_>, plan: &TcpPlan, accepted: bool) -> io::Result<()> {
    let Some(bytes) = plan.socket_buffer_bytes else {
        return Ok(());
    };
    tcp_socket::set_u32(socket, libc::SOL_SOCKET, libc::SO_SNDBUF, bytes)?;
    tcp_socket::set_u32(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes)?;
    if accepted {
        // An accepted connection has fixed its largest window to the buffer that it began with, and a buffer set by
        // hand is not tuned any more: without this it could only shrink. The kernel doubles the buffer for its own
        // overhead, so this asks for a window of the size named.
        tcp_socket::set_u32(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, bytes)?;
    }
    Ok(())
}

fn apply_control(socket: std::os::fd::BorrowedFd<'_>, plan: &TcpPlan) -> Result<(), NetError> {
    let Some(name) = &plan.congestion_control else {
        return Ok(());
    };
    tcp_socket::set_congestion_control(socket, name).map_err(|error| match error.raw_os_error() {
        Some(libc::ENOENT) => {
            NetError::Unsupported(format!("this kernel has no congestion control `{name}`"))
        }
        Some(libc::EPERM) => NetError::Privilege {
            doing: "choosing the congestion control",
            hint: "add it to net.ipv4.tcp_allowed_congestion_control, or run with CAP_NET_ADMIN",
            source: error,
        },
        _ => NetError::os(format!("choosing congestion control `{name}`"), error),
    })
}
