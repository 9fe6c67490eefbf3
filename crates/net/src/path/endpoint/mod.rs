//! The sockets of one run of probes: raw where the system allows, else datagram sockets with the error queue.
//!
//! Raw sockets see whole quotes and choose every header field. Datagram sockets need no privilege; where a router
//! quotes too little they cannot tell which probe it means, and the machine then asks one hop at a time.

mod queued;
mod raw;

use super::clock::Clock;
use crate::NetError;
use crate::sys::message;
use evidence::ProbeProtocol;
use probe::wire::{Flow, Recogniser};
use probe::{Probe, Refusal, Reply, SessionKey};
use queued::QueuedSockets;
use raw::RawSockets;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

/// Which sockets to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sockets {
    /// Raw sockets where permitted, else unprivileged ones.
    #[default]
    Best,
    /// Unprivileged ones only: what a user without rights would get.
    Unprivileged,
}

/// A flow to open: its ports are chosen by the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowSpec {
    pub(super) destination: IpAddr,
    pub(super) protocol: ProbeProtocol,
    /// 0 for ICMP.
    pub(super) destination_port: u16,
    pub(super) session: Option<SessionKey>,
}

/// Sockets that send probes and recognise their answers.
pub(super) struct Endpoint {
    sockets: Kind,
    recogniser: Recogniser,
    clock: Clock,
    /// Longest possible answer.
    buffer: Vec<u8>,
}

enum Kind {
    Raw(RawSockets),
    Queued(QueuedSockets),
}

/// Large enough for a burst of answers while another thread has the processor.
const RECEIVE_BUFFER_BYTES: i32 = 8 << 20;

impl Endpoint {
    /// Opens sockets for `specs`, whose order gives the flow index.
    pub(super) fn open(
        source: IpAddr,
        specs: &[FlowSpec],
        wanted: Sockets,
        clock: Clock,
    ) -> Result<Self, NetError> {
        let raw = match wanted {
            Sockets::Best => RawSockets::open(source, specs),
            Sockets::Unprivileged => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
        };
        let (sockets, flows) = match raw {
            Ok((raw, flows)) => (Kind::Raw(raw), flows),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let (queued, flows) = QueuedSockets::open(source, specs)?;
                (Kind::Queued(queued), flows)
            }
            Err(error) => return Err(NetError::os(format!("opening raw sockets on {source}"), error)),
        };
        Ok(Self {
            sockets,
            recogniser: Recogniser::new(flows),
            clock,
            buffer: vec![0; 0x1_0000],
        })
    }

    pub(super) fn flows(&self) -> &[Flow] {
        self.recogniser.flows()
    }

    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    /// Sends `probe`.
    pub(super) fn send(&mut self, probe: &Probe) -> Result<(), Refusal> {
        let flow = self
            .recogniser
            .flows()
            .get(usize::from(probe.flow))
            .ok_or(Refusal::NotSent)?;
        match &mut self.sockets {
            Kind::Raw(raw) => raw.send(flow, probe),
            Kind::Queued(queued) => queued.send(flow, probe),
        }
    }

    /// Hands every waiting answer to `take`, with the time of its arrival.
    pub(super) fn drain(&mut self, mut take: impl FnMut(u64, Reply)) {
        let Self {
            sockets,
            recogniser,
            clock,
            buffer,
        } = self;
        let mut stamped = |stamp: Option<u64>, reply: Reply| take(clock.of_stamp(stamp), reply);
        match sockets {
            Kind::Raw(raw) => raw.drain(recogniser, buffer, &mut stamped),
            Kind::Queued(queued) => queued.drain(recogniser, buffer, &mut stamped),
        }
    }

    /// Waits for something to drain, at most `timeout`.
    pub(super) fn wait(&self, timeout: Duration) -> io::Result<()> {
        message::wait_readable(&self.descriptors(), timeout)
    }

    /// Answers lost because our buffers were full; `None` when the kernel does not tell.
    pub(super) fn dropped(&self) -> Option<u64> {
        self.receivers()
            .map(|socket| message::dropped_by_socket(socket.as_fd()))
            .sum()
    }

    fn descriptors(&self) -> Vec<RawFd> {
        self.receivers().map(AsRawFd::as_raw_fd).collect()
    }

    fn receivers(&self) -> Box<dyn Iterator<Item = &Socket> + '_> {
        match &self.sockets {
            Kind::Raw(raw) => Box::new(raw.receivers()),
            Kind::Queued(queued) => Box::new(queued.receivers()),
        }
    }
}

/// A socket that stamps what it receives, tells its TTL and has a large buffer.
fn receiver(domain: Domain, kind: Type, protocol: Protocol) -> io::Result<Socket> {
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

fn domain_of(address: IpAddr) -> Domain {
    if address.is_ipv4() {
        Domain::IPV4
    } else {
        Domain::IPV6
    }
}

fn bind(socket: &Socket, source: IpAddr) -> io::Result<()> {
    socket.bind(&SockAddr::from(SocketAddr::new(source, 0)))
}

fn local_port(socket: &Socket) -> io::Result<u16> {
    let address = socket.local_addr()?.as_socket();
    Ok(address.map_or(0, |address| address.port()))
}

/// What a failed send means for the probe. A full queue right behind the socket (`ENOBUFS`) is loss on the first link,
/// which is part of the path: the packet counts as sent.
fn judge_send(error: &io::Error, mtu_bytes: Option<u32>) -> Result<(), Refusal> {
    match error.raw_os_error() {
        Some(libc::EMSGSIZE) => Err(Refusal::TooBig { mtu_bytes }),
        Some(libc::ENOBUFS) => Ok(()),
        _ => Err(Refusal::NotSent),
    }
}
