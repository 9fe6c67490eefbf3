//! A STAMP sender on a connected socket, with the kernel's stamps of what leaves and what comes.

use crate::sys::message;
use crate::sys::tcp_socket::set_u32;
use crate::sys::thread_time::{monotonic_ns, precise_sleeps, wall_ns};
use crate::sys::{udp_bulk, udp_datagram};
use crate::{NetError, Watch};
use probe::stamp::{Key, Mode, Outcome, Sender, SenderPlan, TTL, Turn};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

const BUFFER_BYTES: u32 = 1 << 20;
/// A stop is noticed within this time.
const NOTICE: Duration = Duration::from_millis(50);

/// What to send, and to whom.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The reflector.
    pub peer: SocketAddr,
    /// The local address to send from; `None`: routing chooses.
    pub source: Option<IpAddr>,
    /// Packets.
    pub count: u32,
    /// From one to the next, nanoseconds.
    pub interval_ns: u64,
    /// IP packet size, bytes; `None`: the smallest that holds all TLVs.
    pub size_bytes: Option<u32>,
    /// The session's number.
    pub ssid: u16,
    /// DSCP of the packets.
    pub dscp: u8,
    /// For authenticated mode.
    pub key: Option<Key>,
}

impl Plan {
    /// Whether packets can have the size that was asked for.
    ///
    /// # Errors
    /// In words, which sizes can be.
    pub fn check(&self) -> Result<(), String> {
        self.sender(0).map(drop)
    }

    /// IP and UDP.
    fn header_bytes(&self) -> u32 {
        if self.peer.is_ipv6() { 48 } else { 28 }
    }

    fn sender(&self, now_ns: u64) -> Result<Sender, String> {
        let payload = |size: u32| size.saturating_sub(self.header_bytes()) as usize;
        let plan = SenderPlan {
            count: self.count,
            interval_ns: self.interval_ns,
            payload_bytes: self.size_bytes.map(payload),
            ssid: self.ssid,
            dscp: self.dscp,
            key: self.key.clone(),
            clock: super::clock(),
        };
        Sender::new(plan, now_ns).ok_or_else(|| {
            let base = Mode::of(self.key.as_ref()).base_bytes() as u32 + self.header_bytes();
            format!(
                "packets of {} bytes: a packet without TLVs has {base}, and with them {} or more",
                self.size_bytes.unwrap_or(0),
                base + 4
            )
        })
    }
}

/// What a session gave.
#[derive(Debug)]
pub struct Session {
    /// What was measured.
    pub outcome: Outcome,
    /// Our address and port.
    pub local: SocketAddr,
    /// IP packet size, bytes.
    pub size_bytes: u32,
    /// Packets that this host did not send, for want of room.
    pub refused_here: u64,
    /// Whether it was stopped before its end.
    pub is_cancelled: bool,
}

/// Runs a session with the reflector at `plan.peer`.
///
/// # Errors
/// The socket cannot be had, the size holds no packet, or nothing answered at all.
pub async fn run(plan: Plan, watch: &Watch) -> Result<Session, NetError> {
    let watch = watch.clone();
    let running = tokio::task::spawn_blocking(move || session(&plan, &watch));
    running
        .await
        .map_err(|error| NetError::os("sending", io::Error::other(error)))?
}

fn session(plan: &Plan, watch: &Watch) -> Result<Session, NetError> {
    let sender = plan.sender(monotonic_ns()).map_err(NetError::Unsupported)?;
    let size_bytes = sender.payload_bytes() as u32 + plan.header_bytes();
    let socket = open(plan).map_err(|error| match error.raw_os_error() {
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::EADDRNOTAVAIL) => NetError::Unreachable(
            plan.peer.ip().to_string(),
            "this host has no route to it".to_owned(),
        ),
        _ => NetError::os(format!("opening a socket to {}", plan.peer), error),
    })?;
    let _ = precise_sleeps();
    let mut run = Run {
        socket,
        sender,
        trusts_stamps: true,
        refused_here: 0,
        was_unreachable: false,
    };
    let is_cancelled = run.until_done(watch)?;
    let (_, answered) = run.sender.progress();
    let local = run.socket.local_addr();
    let local = local.map_err(|error| NetError::os("looking at the socket", error))?;
    let outcome = run.sender.finish();
    if answered == 0 {
        return Err(silence(plan, &outcome, run.was_unreachable, is_cancelled));
    }
    Ok(Session {
        outcome,
        local,
        size_bytes,
        refused_here: run.refused_here,
        is_cancelled,
    })
}

/// Nothing answered. That is no loss: nobody knows that there is a reflector.
fn silence(plan: &Plan, outcome: &Outcome, was_unreachable: bool, is_cancelled: bool) -> NetError {
    if is_cancelled {
        return NetError::Cancelled;
    }
    let why = if was_unreachable {
        "nothing listens on that port, or a filter refuses it (ICMP: unreachable): start a STAMP or TWAMP Light reflector there, \
         for example `slowpath stamp --reflect`, or name its port with --port"
    } else if outcome.has_short_answers {
        "what came back is too short: the reflector answers in open mode, so leave out --key-file"
    } else if plan.key.is_some() {
        "no packet was answered: the reflector may have another key or none, answer only some addresses, or not be there"
    } else {
        "no packet was answered: the reflector may want a key (--key-file), answer only some addresses, be behind a firewall, \
         or not be there"
    };
    NetError::Unreachable(plan.peer.to_string(), why.to_owned())
}

fn open(plan: &Plan) -> io::Result<UdpSocket> {
    let is_v6 = plan.peer.is_ipv6();
    let any = match is_v6 {
        true => Ipv6Addr::UNSPECIFIED.into(),
        false => Ipv4Addr::UNSPECIFIED.into(),
    };
    let socket = Socket::new(Domain::for_address(plan.peer), Type::DGRAM, Some(Protocol::UDP))?;
    socket.bind(&SocketAddr::new(plan.source.unwrap_or(any), 0).into())?;
    socket.connect(&plan.peer.into())?;
    let _ = socket.set_recv_buffer_size(BUFFER_BYTES as usize);
    let (level, name) = match is_v6 {
        true => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
        false => (libc::IPPROTO_IP, libc::IP_TOS),
    };
    set_u32(socket.as_fd(), level, name, u32::from(plan.dscp) << 2)?;
    let socket = UdpSocket::from(socket);
    udp_bulk::prepare_sender(socket.as_fd(), is_v6, BUFFER_BYTES)?;
    udp_datagram::prepare_marks(socket.as_fd(), is_v6, TTL)?;
    set_u32(socket.as_fd(), libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
    Ok(socket)
}

struct Run {
    socket: UdpSocket,
    sender: Sender,
    /// The kernel counts the packets that it stamps. Where one was refused, nobody knows whether it counted that one.
    trusts_stamps: bool,
    refused_here: u64,
    was_unreachable: bool,
}

impl Run {
    /// Whether it was stopped before its end.
    fn until_done(&mut self, watch: &Watch) -> Result<bool, NetError> {
        let mut told_ns = 0;
        loop {
            if watch.cancel.is_cancelled() {
                self.sender.stop();
                self.drain()?;
                return Ok(true);
            }
            let now_ns = monotonic_ns();
            match self.sender.poll(now_ns) {
                Turn::Send => self.send()?,
                Turn::Wait(until) => {
                    let wait = Duration::from_nanos(until.saturating_sub(now_ns)).min(NOTICE);
                    message::wait_readable(&[self.socket.as_raw_fd()], wait)
                        .map_err(|error| NetError::os("waiting for answers", error))?;
                }
                Turn::Done => return Ok(false),
            }
            self.drain()?;
            if now_ns >= told_ns {
                told_ns = now_ns + 100_000_000;
                let (sent, answered) = self.sender.progress();
                let share = self.sender.share();
                watch.report(format!("{answered} of {sent} packets answered"), Some(share));
            }
        }
    }

    fn send(&mut self) -> Result<(), NetError> {
        let packet = self.sender.packet(wall_ns());
        let mut sent = udp_bulk::send(self.socket.as_fd(), packet, true);
        if let Err(error) = &sent
            && is_word_of_icmp(error)
        {
            // An earlier packet's fate: this one has not left yet.
            self.was_unreachable |= error.kind() == io::ErrorKind::ConnectionRefused;
            self.trusts_stamps = false;
            sent = udp_bulk::send(self.socket.as_fd(), packet, true);
        }
        match sent {
            Ok(()) => Ok(()),
            Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => {
                let what = "packets of this size: the interface or the path takes smaller ones only (--size)";
                Err(NetError::Unsupported(what.to_owned()))
            }
            Err(error) if is_word_of_icmp(&error) || error.raw_os_error() == Some(libc::ENOBUFS) => {
                self.trusts_stamps = false;
                self.refused_here += 1;
                self.sender.withdraw();
                Ok(())
            }
            Err(error) => Err(NetError::os("sending", error)),
        }
    }

    /// Takes all that is there: stamps of packets that left, and answers.
    fn drain(&mut self) -> Result<(), NetError> {
        loop {
            match udp_bulk::transmit_stamp(self.socket.as_fd()) {
                Ok(Some(stamp)) if self.trusts_stamps => self.sender.left(stamp.index, stamp.at_ns),
                Ok(Some(_)) => {}
                // All else in that queue is ICMP's word on an earlier packet.
                Ok(None) => self.was_unreachable = true,
                Err(_) => break,
            }
        }
        let mut buffer = [0; 1 << 16];
        loop {
            match message::receive(self.socket.as_fd(), &mut buffer, false) {
                Ok(Some(received)) => {
                    let stamp = received.stamp_ns.and_then(|ns| i64::try_from(ns).ok());
                    let packet = buffer.get(..received.length).unwrap_or(&[]);
                    // What does not count is somebody else's, or forged.
                    let _ = self
                        .sender
                        .receive(packet, stamp.unwrap_or_else(wall_ns), received.ttl);
                }
                Ok(None) => return Ok(()),
                Err(error) if is_word_of_icmp(&error) => {
                    self.was_unreachable |= error.kind() == io::ErrorKind::ConnectionRefused;
                }
                Err(error) => return Err(NetError::os("receiving answers", error)),
            }
        }
    }
}

/// What ICMP said of an earlier packet.
fn is_word_of_icmp(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ECONNREFUSED | libc::EHOSTUNREACH | libc::ENETUNREACH | libc::EACCES | libc::EPROTO)
    )
}
