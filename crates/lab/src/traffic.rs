//! Traffic of others, sent and received by threads of the lab inside its hosts.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use scenario::{Family, NodeId, Scenario, Traffic as Description, TrafficKind};

use crate::error::{LabError, while_doing};
use crate::shared::Shared;

/// How long a blocked thread may take to notice that the lab ends.
const PATIENCE: Duration = Duration::from_millis(200);
const FORGOTTEN: Duration = Duration::from_millis(5);
/// Packets that fall due within it leave together: waking up for each costs more than sending it.
const TICK: Duration = Duration::from_micros(500);
const IPV4_AND_UDP_BYTES: u32 = 28;
const IPV6_AND_UDP_BYTES: u32 = 48;
/// A write of this size fills many segments; a paced connection writes it at the wanted rate.
const TCP_WRITE_BYTES: usize = 16_384;

/// All traffic of a lab. Dropping it ends the traffic.
#[derive(Debug)]
pub(crate) struct Traffic {
    ended: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// When a stream sends, and at which rate.
#[derive(Debug, Clone)]
struct Schedule {
    begins: Instant,
    ends: Option<Instant>,
    /// Of this stream alone, in bit/s of IP packets.
    rate_bps: Option<u64>,
    ended: Arc<AtomicBool>,
}

impl Schedule {
    fn is_over(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    /// Sleeps until the moment has come, or the traffic is over.
    fn sleep_until(&self, moment: Instant) {
        while !self.is_over() {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(PATIENCE));
        }
    }

    /// Calls `send` for pieces of `size_bytes` at the rate, each at its own time: lateness shifts a piece, not the rate,
    /// but what is later than [`FORGOTTEN`] is not made up for: it would be a burst that no scenario asked for. `send`
    /// says whether to go on.
    fn pace(&self, size_bytes: u32, mut send: impl FnMut() -> bool) {
        let piece = self.rate_bps.map_or(Duration::ZERO, |bps| {
            Duration::from_nanos(u64::from(size_bytes) * 8_000_000_000 / bps.max(1))
        });
        self.sleep_until(self.begins);
        let mut due = Instant::now();
        while !self.is_over() {
            if due > Instant::now() + TICK {
                self.sleep_until(due);
            }
            if !send() {
                return;
            }
            let oldest = Instant::now().checked_sub(FORGOTTEN).unwrap_or(due);
            due = (due + piece).max(oldest);
        }
    }
}

impl Traffic {
    /// Opens all receivers, and starts senders that wait for their time.
    pub(crate) fn start(shared: &Shared, scenario: &Scenario) -> Result<Self, LabError> {
        let mut all = Self {
            ended: Arc::new(AtomicBool::new(false)),
            threads: Vec::new(),
        };
        let now = Instant::now();
        for description in &scenario.traffic {
            let schedule = Schedule {
                begins: now + Duration::from_nanos(description.start_ns),
                ends: description.end_ns.map(|ns| now + Duration::from_nanos(ns)),
                rate_bps: description
                    .rate_bps
                    .map(|bps| bps / u64::from(description.streams.max(1))),
                ended: Arc::clone(&all.ended),
            };
            for _ in 0..description.streams {
                all.add(shared, scenario, description, &schedule)?;
            }
        }
        Ok(all)
    }

    fn add(
        &mut self,
        shared: &Shared,
        scenario: &Scenario,
        description: &Description,
        schedule: &Schedule,
    ) -> Result<(), LabError> {
        let Some((from, to)) = ends(scenario, description) else {
            return Ok(());
        };
        let name = |id: NodeId| scenario.node(id).name.as_str();
        let doing = || while_doing(format!("receiving traffic at {}", name(description.to)));
        let sending = || while_doing(format!("sending traffic at {}", name(description.from)));
        let schedule = schedule.clone();
        let ended = Arc::clone(&self.ended);
        match description.kind {
            TrafficKind::Udp => {
                let sink = shared.inside(name(description.to), || udp_socket(to).map_err(doing()))?;
                let target = sink.local_addr().map_err(doing())?;
                let socket = shared.inside(name(description.from), || udp_socket(from).map_err(sending()))?;
                let size_bytes = description.packet_bytes;
                self.spawn(move || drain_udp(&sink, &ended));
                self.spawn(move || send_udp(&socket, target, size_bytes, &schedule));
            }
            TrafficKind::Tcp => {
                let listener = shared.inside(name(description.to), || {
                    TcpListener::bind((to, 0)).map_err(doing())
                })?;
                listener.set_nonblocking(true).map_err(doing())?;
                let target = listener.local_addr().map_err(doing())?;
                let namespace = shared.namespace_of(name(description.from))?;
                self.spawn(move || drain_tcp(&listener, &ended));
                self.spawn(move || {
                    schedule.sleep_until(schedule.begins);
                    if !schedule.is_over() && crate::namespace::enter(&namespace).is_ok() {
                        send_tcp(target, &schedule);
                    }
                });
            }
        }
        Ok(())
    }

    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) {
        self.threads.push(std::thread::spawn(work));
    }
}

/// The addresses between which packets travel: of the first family in which each end reaches the other.
fn ends(scenario: &Scenario, description: &Description) -> Option<(IpAddr, IpAddr)> {
    let (from, to) = (description.from, description.to);
    let reaches = |family: &Family| {
        scenario.paths(from, to, *family).is_ok() && scenario.paths(to, from, *family).is_ok()
    };
    let family = Family::BOTH.into_iter().find(reaches)?;
    let address = |id: NodeId| {
        let mut addresses = scenario.addresses_of(id).into_iter();
        addresses.find(|a| Family::of(*a) == family)
    };
    Some((address(from)?, address(to)?))
}

fn udp_socket(at: IpAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((at, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    Ok(socket)
}

fn drain_udp(socket: &UdpSocket, ended: &AtomicBool) {
    let mut buffer = [0; 65_536];
    while !ended.load(Ordering::Relaxed) {
        // A timeout is the chance to look whether the lab has ended; nothing else can go wrong here for good.
        let _ = socket.recv(&mut buffer);
    }
}

fn send_udp(socket: &UdpSocket, target: SocketAddr, size_bytes: u32, schedule: &Schedule) {
    let headers = if target.is_ipv4() {
        IPV4_AND_UDP_BYTES
    } else {
        IPV6_AND_UDP_BYTES
    };
    let payload = vec![0; size_bytes.saturating_sub(headers) as usize];
    schedule.pace(size_bytes, || {
        // Full queues and unreachable targets are what networks have; the stream goes on.
        let _ = socket.send_to(&payload, target);
        true
    });
}

fn drain_tcp(listener: &TcpListener, ended: &AtomicBool) {
    let mut buffer = [0; 65_536];
    let mut connection: Option<TcpStream> = None;
    while !ended.load(Ordering::Relaxed) {
        match &mut connection {
            None => match listener.accept() {
                Ok((stream, _)) => {
                    let ready = stream.set_nonblocking(false);
                    connection = ready
                        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
                        .ok()
                        .map(|()| stream);
                }
                Err(_) => std::thread::sleep(PATIENCE / 10),
            },
            Some(stream) => match stream.read(&mut buffer) {
                Ok(0) => return,
                Err(error) if !would_block(&error) => return,
                _ => {}
            },
        }
    }
}

fn would_block(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// One connection that writes at its rate, or as fast as TCP takes it.
fn send_tcp(target: SocketAddr, schedule: &Schedule) {
    const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
    let Ok(mut stream) = TcpStream::connect_timeout(&target, CONNECT_PATIENCE) else {
        return;
    };
    if stream.set_write_timeout(Some(PATIENCE)).is_err() {
        return;
    }
    let data = [0; TCP_WRITE_BYTES];
    let mut written = 0;
    schedule.pace(TCP_WRITE_BYTES as u32, || {
        // A write that blocks is repeated: a paced stream that fell behind catches up, as an application would.
        while !schedule.is_over() {
            match stream.write(data.get(written..).unwrap_or(&[])) {
                Ok(0) => return false,
                Ok(bytes) => written += bytes,
                Err(error) if would_block(&error) => continue,
                Err(_) => return false,
            }
            if written >= data.len() {
                written = 0;
                return true;
            }
        }
        false
    });
}
