//! Probes on raw sockets: one connection after the other, until all are sent.

use super::{Plan, Ports};
use crate::path::{domain_of, receiver, secret_number, strip_ip_header};
use crate::sys::message;
use crate::sys::thread_time::{monotonic_ns, precise_sleeps, wall_ns};
use crate::{NetError, Watch};
use evidence::NotMeasuredReason;
use probe::tcp::{self, Connection, End, Outcome, Turn};
use socket2::{Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// A stop is noticed within this time.
const NOTICE: Duration = Duration::from_millis(50);
/// Segments read in one turn, so that a flood cannot keep us from sending.
const READS_PER_TURN: usize = 256;
/// A server that ends connections before so many probes are counted ends the next as early.
const FEW: u32 = 20;

pub(super) fn run(
    plan: &Plan,
    mut ports: Ports,
    mss_bytes: u16,
    watch: &Watch,
) -> Result<Outcome, (NotMeasuredReason, String)> {
    if plan.probes == 0 {
        return Err((
            NotMeasuredReason::Unsupported,
            "no probes were asked for".to_owned(),
        ));
    }
    let failed = |error: NetError| (error.reason(), error.to_string());
    let _ = precise_sleeps();
    let mut connections: Vec<Connection> = Vec::new();
    let mut left = plan.probes;
    while left > 0 && !watch.cancel.is_cancelled() {
        // Its socket holds the port until the connection is reset.
        let Some((_port, local)) = ports.take() else { break };
        let connection = Connection::new(
            tcp::Plan {
                local,
                peer: plan.peer,
                initial_sequence: secret_number(),
                mss_bytes,
                count: left.min(plan.probes_each()),
                interval_ns: plan.interval_ns,
            },
            monotonic_ns(),
        );
        let socket = open(local, plan.peer).map_err(failed)?;
        let mut run = Run {
            socket,
            connection,
            before: plan.probes - left,
            probes: plan.probes,
        };
        run.until_done(watch)
            .map_err(|error| failed(NetError::os("sending probes", error)))?;
        let (sent, _) = run.connection.progress();
        left = left.saturating_sub(sent);
        let ended = run.connection.end();
        connections.push(run.connection);
        if !matches!(ended, Some(End::Done | End::Closed | End::Reset { .. })) || sent < FEW.min(plan.probes)
        {
            break;
        }
    }
    let outcome = Outcome::of(plan.peer.ip(), &connections);
    match outcome.round_trip.sent {
        0 => Err(nothing(&outcome)),
        _ => Ok(outcome),
    }
}

/// Why no probe counts.
fn nothing(outcome: &Outcome) -> (NotMeasuredReason, String) {
    let why = match outcome.end {
        Some(End::Silent) => {
            "the server answers connections of the kernel alone: something on the way tells them apart"
        }
        Some(End::Refused) => "the server took the first connections, and now refuses",
        Some(End::Reset {
            other_ttl: Some(true),
        }) => {
            "the connection was reset by something on the way: the reset came with another TTL than the server's answers"
        }
        Some(End::Reset { .. }) => "the connection was reset before anything was counted",
        Some(End::Closed) => "the server closed the connection before anything was counted",
        Some(End::Talks) => "the server sends without being asked: its acknowledgements tell nothing",
        Some(End::Stopped) | None => return (NotMeasuredReason::Cancelled, NetError::Cancelled.to_string()),
        Some(End::Done) => "no probe was acknowledged",
    };
    (NotMeasuredReason::Unsupported, why.to_owned())
}

/// A raw socket that gets what comes from the server's address, and builds IP headers itself.
fn open(local: SocketAddr, peer: SocketAddr) -> Result<Socket, NetError> {
    let opened = receiver(domain_of(local.ip()), Type::RAW, Protocol::TCP);
    let socket = opened.map_err(|source| match source.kind() {
        io::ErrorKind::PermissionDenied => NetError::Privilege {
            doing: "loss in each direction",
            hint: "run as root, or give the program CAP_NET_RAW",
            source,
        },
        _ => NetError::os("opening a raw socket", source),
    })?;
    let connected = socket
        .bind(&SocketAddr::new(local.ip(), 0).into())
        .and_then(|()| socket.connect(&SocketAddr::new(peer.ip(), 0).into()));
    connected.map_err(|error| NetError::os(format!("opening a raw socket to {peer}"), error))?;
    Ok(socket)
}

struct Run {
    socket: Socket,
    connection: Connection,
    /// Probes of earlier connections, and of all.
    before: u32,
    probes: u32,
}

impl Run {
    fn until_done(&mut self, watch: &Watch) -> io::Result<()> {
        let (mut buffer, mut segment, mut told_ns) = (vec![0; 1 << 16], Vec::with_capacity(64), 0);
        loop {
            if watch.cancel.is_cancelled() {
                self.connection.stop();
            }
            let now_ns = monotonic_ns();
            match self.connection.poll(now_ns) {
                Turn::Send => {
                    self.connection.segment(wall_ns(), &mut segment);
                    // A full queue right behind the socket is loss on the first link.
                    match self.socket.send(&segment) {
                        Err(error) if error.raw_os_error() != Some(libc::ENOBUFS) => return Err(error),
                        _ => {}
                    }
                }
                Turn::Wait(until) => {
                    let wait = Duration::from_nanos(until.saturating_sub(now_ns)).min(NOTICE);
                    message::wait_readable(&[self.socket.as_raw_fd()], wait)?;
                }
                Turn::Done => return Ok(()),
            }
            self.drain(&mut buffer);
            if now_ns >= told_ns {
                told_ns = now_ns + 100_000_000;
                let (sent, answered) = self.connection.progress();
                let sent = self.before + sent;
                let share = sent as f32 / self.probes.max(1) as f32;
                watch.report(
                    format!("{answered} answers, {sent} of {} probes sent", self.probes),
                    Some(share),
                );
            }
        }
    }

    fn drain(&mut self, buffer: &mut [u8]) {
        for _ in 0..READS_PER_TURN {
            // An ICMP error for one segment is no word on the others.
            let received = match message::receive(self.socket.as_fd(), buffer, false) {
                Ok(Some(received)) => received,
                Ok(None) => return,
                Err(_) => continue,
            };
            let is_v6 = received.from.is_some_and(|from| from.is_ipv6());
            let bytes = buffer.get(..received.length).unwrap_or_default();
            let Some((segment, ttl)) = strip_ip_header(is_v6, bytes, received.ttl) else {
                continue;
            };
            let stamp = received.stamp_ns.and_then(|ns| i64::try_from(ns).ok());
            let at = (stamp.unwrap_or_else(wall_ns), monotonic_ns());
            self.connection.receive(segment, at, ttl);
        }
    }
}
