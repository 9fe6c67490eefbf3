//! A STAMP reflector on its sockets: whom it answers, how often, and what it says of that.

use super::guard::Guard;
use super::prefix::Prefix;
use crate::budget::Budget;
use crate::sys::thread_time::{monotonic_ns, wall_ns};
use crate::sys::udp_datagram::{self, Datagram};
use crate::{NetError, Watch};
use nix::sys::socket::{setsockopt, sockopt::RcvBufForce};
use probe::stamp::{Arrival, Clock, Key, Reflector, ReflectorConfig, Silence, TTL};
use socket2::{Domain, Protocol, Socket, Type};
use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::Interest;
use tokio::task::JoinSet;

/// Answers per second to all peers together.
const ALL_PPS: f64 = 50_000.0;
/// Sessions that are counted at the same time.
const MOST_SESSIONS: usize = 16_384;
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// Datagrams handled before other tasks get their turn.
const TURN: usize = 64;
/// How often it is told what goes on, and the clock looked at.
const PERIOD: Duration = Duration::from_secs(10);
const CLOCK_NS: u64 = 1_000_000_000;

/// What an owner allows.
#[derive(Debug, Clone)]
pub struct ReflectLimits {
    /// Who is answered; `None`: anybody.
    pub allow: Option<Vec<Prefix>>,
    /// Answers per second to each address (each network of 64 bits in IPv6).
    pub per_peer_pps: u32,
    /// Packets and answers together, bit/s; `None`: as the packets allow.
    pub max_rate_bps: Option<f64>,
}

/// What a reflector is to do.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// Where to listen.
    pub listen: Vec<SocketAddr>,
    /// For authenticated mode: nothing else is answered then.
    pub key: Option<Key>,
    /// Whether it counts for itself.
    pub stateful: bool,
    /// What the owner allows.
    pub limits: ReflectLimits,
}

/// A reflector with its sockets open.
pub struct ReflectorServer {
    config: ServeConfig,
    sockets: Vec<UdpSocket>,
}

impl ReflectorServer {
    /// Opens the sockets, after which rights can be given up ([`crate::rights::restrict_reflector`]).
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub fn bind(config: ServeConfig) -> Result<Self, NetError> {
        let opened = config.listen.iter().map(|address| {
            open(*address).map_err(|source| match source.kind() {
                io::ErrorKind::PermissionDenied => NetError::Privilege {
                    doing: "listening on a port below 1024",
                    hint: "start it as root (it becomes the user nobody), or choose another port at both ends with --listen \
                           and --port",
                    source,
                },
                _ => NetError::os(format!("listening on {address}"), source),
            })
        });
        let sockets = opened.collect::<Result<_, _>>()?;
        Ok(Self { config, sockets })
    }

    /// The addresses listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets
            .iter()
            .filter_map(|socket| socket.local_addr().ok())
            .collect()
    }

    /// What is listened on.
    #[must_use]
    pub fn sockets(&self) -> Vec<BorrowedFd<'_>> {
        self.sockets.iter().map(AsFd::as_fd).collect()
    }

    /// Answers until cancelled. What goes on is reported to `watch`, a line every ten seconds at most.
    ///
    /// # Errors
    /// The runtime cannot take the sockets.
    pub async fn run(self, watch: Watch) -> Result<(), NetError> {
        let now_ns = monotonic_ns();
        let limits = self.config.limits;
        let door = Arc::new(Mutex::new(Door {
            reflector: Reflector::new(ReflectorConfig {
                key: self.config.key,
                stateful: self.config.stateful,
                // Who was named may choose a class on our network; anybody may not.
                grants_class: limits.allow.is_some(),
                max_sessions: MOST_SESSIONS,
            }),
            guard: Guard::new(limits.per_peer_pps.into(), ALL_PPS, now_ns),
            budget: Budget::new(limits.max_rate_bps, now_ns),
            allow: limits.allow,
            clock: (super::clock(), now_ns),
            told: Told::default(),
        }));
        let mut tasks = JoinSet::new();
        for socket in self.sockets {
            let socket =
                tokio::net::UdpSocket::from_std(socket).map_err(|error| NetError::os("listening", error))?;
            tasks.spawn(reflect_all(socket, door.clone()));
        }
        loop {
            tokio::select! {
                () = watch.cancel.cancelled() => break,
                () = tokio::time::sleep(PERIOD) => {}
            }
            let line = lock(&door).told.line();
            line.into_iter().for_each(|line| watch.report(line, None));
        }
        let line = lock(&door).told.line();
        line.into_iter().for_each(|line| watch.report(line, None));
        Ok(())
    }
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        // Each family has a socket of its own.
        socket.set_only_v6(true)?;
    }
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    // Beyond net.core.rmem_max where permitted: a packet lost here would be counted as lost on the path.
    let _ = setsockopt(&socket, RcvBufForce, &RECEIVE_BUFFER_BYTES);
    socket.set_nonblocking(true)?;
    udp_datagram::prepare(socket.as_fd(), address.is_ipv6())?;
    udp_datagram::prepare_marks(socket.as_fd(), address.is_ipv6(), TTL)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// What is behind the lock is whole after a panic elsewhere: each change is made by one call of a pure function.
fn lock(door: &Mutex<Door>) -> std::sync::MutexGuard<'_, Door> {
    door.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn reflect_all(socket: tokio::net::UdpSocket, door: Arc<Mutex<Door>>) {
    let Ok(local) = socket.local_addr() else { return };
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        if socket.readable().await.is_err() {
            return;
        }
        for _ in 0..TURN {
            let receiving = || udp_datagram::receive(socket.as_fd(), &mut buffer);
            match socket.try_io(Interest::READABLE, receiving) {
                Ok(datagram) => {
                    let packet = buffer.get(..datagram.length).unwrap_or(&[]);
                    lock(&door).handle(&socket, packet, &datagram, local);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Other errors are ICMP's word on an answer of ours that found nobody: not ours to mend.
                Err(_) => {}
            }
        }
        tokio::task::yield_now().await;
    }
}

struct Door {
    reflector: Reflector,
    guard: Guard,
    budget: Budget,
    allow: Option<Vec<Prefix>>,
    /// And when it was looked at.
    clock: (Clock, u64),
    told: Told,
}

impl Door {
    fn handle(&mut self, socket: &impl AsFd, packet: &[u8], datagram: &Datagram, local: SocketAddr) {
        let outcome = self.answer(socket, packet, datagram, local);
        self.told.count(outcome);
    }

    fn answer(
        &mut self,
        socket: &impl AsFd,
        packet: &[u8],
        datagram: &Datagram,
        local: SocketAddr,
    ) -> Result<(), Refusal> {
        let peer = datagram.from.ip();
        let is_allowed = |allow: &Vec<Prefix>| allow.iter().any(|prefix| prefix.contains(peer));
        if !self.allow.as_ref().is_none_or(is_allowed) {
            return Err(Refusal::Stranger);
        }
        let arrival = Arrival {
            from: datagram.from,
            to: SocketAddr::new(datagram.to.unwrap_or(local.ip()), local.port()),
            at_ns: datagram.at_ns,
            ttl: datagram.ttl,
            tos: datagram.tos,
        };
        // Who has no key does not draw on what those have who do.
        self.reflector.admit(packet, &arrival).map_err(Refusal::Packet)?;
        let now_ns = monotonic_ns();
        let both = 2 * packet.len() as u64;
        if !self.guard.allows(peer, now_ns) || !self.budget.packet(both, now_ns) {
            return Err(Refusal::Rate);
        }
        if now_ns.saturating_sub(self.clock.1) >= CLOCK_NS {
            self.clock = (super::clock(), now_ns);
        }
        let reply = self
            .reflector
            .answer(packet, &arrival, (self.clock.0, wall_ns()), now_ns)
            .map_err(Refusal::Packet)?;
        // A full send buffer loses the answer as a network would.
        let _ = udp_datagram::answer_marked(socket.as_fd(), &reply.packet, datagram, Some(reply.dscp << 2));
        Ok(())
    }
}

/// Why a packet is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Stranger,
    Rate,
    Packet(Silence),
}

impl Refusal {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Stranger, "from addresses that are not allowed"),
        (Self::Rate, "above the limits"),
        (Self::Packet(Silence::Short), "too short"),
        (Self::Packet(Silence::NotAuthentic), "not authentic"),
        (Self::Packet(Silence::Port), "from ports of services"),
        (Self::Packet(Silence::Loop), "that were answers themselves"),
        (Self::Packet(Silence::NoRoom), "of more sessions than are counted"),
    ];
}

/// What happened since it was told last.
#[derive(Debug, Default)]
struct Told {
    answered: u64,
    refused: [u64; Refusal::ALL.len()],
}

impl Told {
    fn count(&mut self, outcome: Result<(), Refusal>) {
        match outcome {
            Ok(()) => self.answered += 1,
            Err(refusal) => {
                let place = Refusal::ALL.iter().position(|(known, _)| *known == refusal);
                if let Some(count) = place.and_then(|place| self.refused.get_mut(place)) {
                    *count += 1;
                }
            }
        }
    }

    fn line(&mut self) -> Option<String> {
        let told = std::mem::take(self);
        if told.answered == 0 && told.refused.iter().all(|count| *count == 0) {
            return None;
        }
        let mut line = format!("{} answered", told.answered);
        for (count, (_, why)) in told.refused.iter().zip(Refusal::ALL) {
            if *count > 0 {
                let _ = write!(line, ", {count} refused {why}");
            }
        }
        Some(line)
    }
}
