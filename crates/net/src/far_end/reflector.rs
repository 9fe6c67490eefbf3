//! The UDP port of the far end: answers probes of live sessions, and passes on the hellos of UDP streams.
//!
//! It answers an address only with the key that was given to it over its encrypted channel, never with more bytes
//! than came, and within a rate: it cannot be used against a third party.

use super::hub::{Hub, UdpArrival, plain};
use crate::budget::Bucket;
use crate::sys::thread_time::monotonic_ns;
use crate::sys::udp_datagram::{self, Datagram};
use nix::sys::socket::{setsockopt, sockopt::RcvBufForce};
use probe::session::UdpHello;
use probe::{ReflectReply, ReflectRequest};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::sync::Arc;
use tokio::io::Interest;

/// Answers per second, and at once. A path-MTU search sends some hundred probes at once, a loss measurement some
/// thousand a second.
const MAX_RATE_PPS: f64 = 50_000.0;
const MAX_BURST: f64 = 5_000.0;
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// Datagrams handled before other tasks get their turn.
const TURN: usize = 64;

/// Opens the reflector's socket on `address`, shared with the connected sockets of UDP streams of the same user.
pub(super) fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // REUSEPORT, not REUSEADDR: only sockets of the same user may share the port.
    socket.set_reuse_port(true)?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    // Beyond net.core.rmem_max where permitted: a request lost here would be counted as lost on the path.
    let _ = setsockopt(&socket, RcvBufForce, &RECEIVE_BUFFER_BYTES);
    socket.set_nonblocking(true)?;
    udp_datagram::prepare(socket.as_fd(), address.is_ipv6())?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Whom a reflector answers.
pub(super) trait Audience: Send + Sync + 'static {
    /// Whether `peer` may be answered for `key`.
    fn answers(&self, key: &probe::SessionKey, peer: IpAddr) -> bool;
    /// Whether a question with this key and its answer, so many bytes together, may cross the network now.
    fn allows(&self, key: &probe::SessionKey, bytes: usize, now_ns: u64) -> bool;
    /// A question of somebody who may be answered came, and is answered or not.
    fn heard(&self, _question: &ReflectRequest, _is_answered: bool) {}
    /// A UDP hello came.
    fn hello(&self, hello: UdpHello, arrival: UdpArrival);
}

impl Audience for Hub {
    fn answers(&self, key: &probe::SessionKey, peer: IpAddr) -> bool {
        self.reflects(key, peer)
    }

    fn allows(&self, key: &probe::SessionKey, bytes: usize, now_ns: u64) -> bool {
        self.may_answer(key, bytes as u64, now_ns)
    }

    fn heard(&self, question: &ReflectRequest, is_answered: bool) {
        self.note_probe(&question.session, question.sequence, is_answered);
    }

    fn hello(&self, hello: UdpHello, arrival: UdpArrival) {
        self.deliver_udp(hello.key, arrival);
    }
}

/// Answers until dropped.
pub(super) async fn serve<A: Audience>(socket: UdpSocket, audience: Arc<A>) {
    let Ok(port) = socket.local_addr().map(|address| address.port()) else {
        return;
    };
    let Ok(socket) = tokio::net::UdpSocket::from_std(socket) else {
        return;
    };
    let mut allowance = Bucket::new(MAX_RATE_PPS, MAX_BURST, monotonic_ns());
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        if socket.readable().await.is_err() {
            return;
        }
        for _ in 0..TURN {
            let receiving = || udp_datagram::receive(socket.as_fd(), &mut buffer);
            match socket.try_io(Interest::READABLE, receiving) {
                Ok(datagram) => {
                    let payload = buffer.get(..datagram.length).unwrap_or(&[]);
                    handle(
                        &socket,
                        payload,
                        &datagram,
                        port,
                        audience.as_ref(),
                        &mut allowance,
                    );
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Other errors are ICMP's word on an answer of ours that found nobody: not ours to mend.
                Err(_) => {}
            }
        }
        tokio::task::yield_now().await;
    }
}

fn handle(
    socket: &impl AsFd,
    payload: &[u8],
    datagram: &Datagram,
    port: u16,
    audience: &impl Audience,
    allowance: &mut Bucket,
) {
    let from = plain(datagram.from);
    if let Some(hello) = UdpHello::read(payload) {
        if let Some(to) = datagram.to {
            audience.hello(
                hello,
                UdpArrival {
                    from,
                    to: SocketAddr::new(to, port),
                },
            );
        }
        return;
    }
    let Some(request) = ReflectRequest::read(payload) else {
        return;
    };
    let now_ns = monotonic_ns();
    if !audience.answers(&request.session, from.ip()) {
        return;
    }
    let reply = ReflectReply {
        session: request.session,
        sequence: request.sequence,
        received_bytes: u32::try_from(datagram.length).unwrap_or(u32::MAX),
        received_at_ns: u64::try_from(datagram.at_ns).unwrap_or(0),
    };
    let answer = reply.to_bytes();
    let bytes = datagram.length + answer.len();
    let is_answered = allowance.take(1.0, now_ns) && audience.allows(&request.session, bytes, now_ns);
    audience.heard(&request, is_answered);
    if !is_answered {
        return;
    }
    // A full send buffer loses the answer as a network would; the prober counts it as lost and asks again.
    let _ = udp_datagram::answer(socket.as_fd(), &answer, datagram);
}
