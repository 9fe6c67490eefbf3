//! The sending side of a UDP stream.
//!
//! Below about 1 Gbit/s packets leave one by one at their time: a burst would overflow a small queue on the path and
//! be called loss. Above, what is due at one wake-up goes out in one call, and where it is many in buffers that the
//! kernel cuts into packets.

use super::host_drops::HostCounters;
use super::stop::{Reporter, Running};
use super::tcp_slices::cpu_share;
use crate::NetError;
use crate::budget::Budget;
use crate::sys::thread_time::{monotonic_ns, precise_sleeps, sleep_until, thread_cpu_ns, wall_ns};
use crate::sys::udp_bulk;
use evidence::StopReason;
use probe::SessionKey;
use probe::iperf3::Datagram;
use probe::session::{Pace, Pacer, Stamp, UdpHeader, UdpKind, UdpPlan, UdpSent};
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::sync::Arc;

const WARM_UP_PACKETS: u64 = 10;
const WARM_UP_SPACING_NS: u64 = 2_000_000;
/// From the warm-up to the stream: late packets of the one must not stand among those of the other.
const WARM_UP_PAUSE_NS: u64 = 30_000_000;
/// Stamps per second, and in all: enough for the order statistics, little enough to report.
const MAX_STAMP_RATE_PPS: f64 = 2_000.0;
const MAX_STAMPS: f64 = 40_000.0;
/// Packets due at one wake-up from which the kernel cuts them from one buffer.
const SEGMENTED_FROM: u32 = 8;
const MAX_SEGMENTS: usize = 64;
/// Payload of one buffer: an IP packet before it is cut.
const MAX_BUFFER_BYTES: usize = 65_000;
/// How long a stream that is ahead of the owner's budget waits before it asks again.
const BUDGET_WAIT_NS: u64 = 1_000_000;
/// Longest sleep: a stop must be noticed.
const MAX_SLEEP_NS: u64 = 20_000_000;
/// How long to wait for the last transmit stamps.
const STAMPS_GRACE_NS: u64 = 100_000_000;
/// Errors in a row after which nothing can be sent any more.
const MAX_ERRORS: u32 = 1_000;
/// A transmit stamp this much before the call that sent the packet belongs to another one.
const STAMP_SLACK_NS: i64 = 1_000_000;

/// Why nothing could be sent, in words where we know it.
pub(crate) fn failed(error: io::Error, plan: &UdpPlan) -> NetError {
    match error.raw_os_error() {
        Some(libc::EMSGSIZE | libc::EINVAL) => NetError::Unsupported(format!(
            "UDP packets of {} bytes do not fit the MTU of the local interface",
            plan.size_bytes
        )),
        _ => NetError::os("sending UDP packets", error),
    }
}

/// What a sender is to do.
#[derive(Debug, Clone)]
pub(crate) struct SendOrder {
    /// The transfer's key.
    pub(crate) key: SessionKey,
    /// UDP payload of each packet, bytes.
    pub(crate) payload_bytes: usize,
    /// Time between two packets.
    pub(crate) spacing_ns: f64,
    /// Packets in all.
    pub(crate) packets: u64,
    /// Time after which to stop even when not all are sent.
    pub(crate) max_time_ns: u64,
    /// Each packet with its headers, bytes.
    pub(crate) packet_bytes: u64,
    /// What the owner allows of all that goes on.
    pub(crate) budget: Option<Arc<Budget>>,
    /// The heads of the packets where an iperf3 server counts them. It takes any packet for one of the stream, so that
    /// nothing warms the path up, and tells no times of arrival, so that none is stamped.
    pub(crate) iperf3: Option<Datagram>,
}

impl SendOrder {
    /// The order that carries out `plan` with packets of `payload_bytes`, within the owner's `budget`.
    pub(crate) fn of(
        plan: &UdpPlan,
        key: SessionKey,
        payload_bytes: usize,
        budget: Option<Arc<Budget>>,
    ) -> Self {
        Self {
            key,
            payload_bytes,
            spacing_ns: plan.spacing_ns(),
            packets: plan.packets(),
            max_time_ns: plan.longest_ns(),
            packet_bytes: u64::from(plan.size_bytes),
            budget,
            iperf3: None,
        }
    }
}

/// The stream's state, told ten times a second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UdpSlice {
    /// Packets sent or received so far.
    pub(crate) packets: u64,
    /// Nanoseconds from the first packet.
    pub(crate) at_ns: u64,
    /// Packets missing so far, as far as this end knows.
    pub(crate) missing: i64,
}

/// Starts sending on a connected socket.
pub(crate) fn start(
    socket: UdpSocket,
    order: SendOrder,
) -> io::Result<Running<UdpSlice, io::Result<UdpSent>>> {
    Running::start("slowpath-udp-tx", move |reporter| {
        Sender::new(&socket, &order, reporter)?.run()
    })
}

struct Sender<'a> {
    socket: &'a UdpSocket,
    order: &'a SendOrder,
    reporter: &'a Reporter<UdpSlice>,
    tag: [u8; 8],
    buffer: Vec<u8>,
    segments: usize,
    can_segment: bool,
    stamp_every: u64,
    stamps: StampBook,
    sequence: u64,
    accepted: u64,
    /// Of the accepted ones, those that the owner's budget has counted.
    paid: u64,
    refused: u64,
    errors: u32,
}

impl<'a> Sender<'a> {
    fn new(
        socket: &'a UdpSocket,
        order: &'a SendOrder,
        reporter: &'a Reporter<UdpSlice>,
    ) -> io::Result<Self> {
        let payload = order.payload_bytes;
        let segments = (MAX_BUFFER_BYTES / payload.max(1)).clamp(1, MAX_SEGMENTS);
        let seconds = (order.packets as f64 * order.spacing_ns / 1e9).max(1.0);
        let stamp_rate = MAX_STAMP_RATE_PPS.min(MAX_STAMPS / seconds);
        Ok(Self {
            socket,
            order,
            reporter,
            tag: UdpHeader::tag_of(&order.key),
            buffer: vec![0; payload * segments],
            segments,
            can_segment: segments > 1,
            stamp_every: match order.iperf3 {
                Some(_) => u64::MAX,
                None => (1e9 / order.spacing_ns / stamp_rate).ceil().max(1.0) as u64,
            },
            stamps: StampBook::default(),
            sequence: 0,
            accepted: 0,
            paid: 0,
            refused: 0,
            errors: 0,
        })
    }

    fn run(mut self) -> io::Result<UdpSent> {
        let _ = precise_sleeps();
        let local = self.socket.local_addr()?.ip();
        let before = HostCounters::read(local);
        if self.order.iperf3.is_none() {
            self.warm_up()?;
        }
        let (start_ns, cpu_ns) = (monotonic_ns(), thread_cpu_ns());
        let last_ns = self.stream(start_ns)?;
        let stop = self.reporter.stop.reason().unwrap_or(StopReason::MaxTime);
        let active_ns = last_ns.saturating_sub(start_ns);
        let cpu = cpu_share(thread_cpu_ns() - cpu_ns, active_ns);
        let deadline = monotonic_ns() + STAMPS_GRACE_NS;
        while self.stamps.collect(self.socket) && monotonic_ns() < deadline {
            sleep_until(monotonic_ns() + 1_000_000);
        }
        Ok(UdpSent {
            sequences: self.sequence,
            packets: self.accepted,
            refused: self.refused,
            interface_drops: HostCounters::read(local).sent_since(&before),
            stamps: self.stamps.taken,
            active_ns,
            stop,
            cpu,
        })
    }

    fn warm_up(&mut self) -> io::Result<()> {
        for sequence in 0..WARM_UP_PACKETS {
            self.fill(0, UdpKind::WarmUp, sequence);
            self.send_one(Wish::WarmUpStamp)?;
            sleep_until(monotonic_ns() + WARM_UP_SPACING_NS);
        }
        sleep_until(monotonic_ns() + WARM_UP_PAUSE_NS);
        self.stamps.collect(self.socket);
        (self.accepted, self.paid, self.refused, self.errors) = (0, 0, 0, 0);
        Ok(())
    }

    /// Sends all packets by the schedule; gives when the last one left.
    fn stream(&mut self, start_ns: u64) -> io::Result<u64> {
        let mut pacer = Pacer::new(self.order.spacing_ns, start_ns);
        let segmented = self.can_segment && pacer.quantum() >= SEGMENTED_FROM;
        let (mut last_ns, mut told_ns) = (start_ns, start_ns);
        while self.sequence < self.order.packets && !self.reporter.stop.is_requested() {
            let now = monotonic_ns();
            if now - start_ns > self.order.max_time_ns {
                break;
            }
            if now - told_ns >= super::tcp_slices::SLICE_NS {
                told_ns = now;
                let missing = self.refused as i64;
                self.reporter.report(UdpSlice {
                    packets: self.accepted,
                    at_ns: now - start_ns,
                    missing,
                });
            }
            match pacer.poll(now) {
                Pace::Wait(until) => {
                    self.stamps.collect(self.socket);
                    sleep_until(until.min(now + MAX_SLEEP_NS));
                }
                Pace::Send(count) => {
                    let left = self.order.packets - self.sequence;
                    self.send_due(
                        u64::from(count).min(left).min(4_096),
                        segmented && self.can_segment,
                    )?;
                    last_ns = now;
                }
            }
        }
        Ok(last_ns)
    }

    fn send_due(&mut self, count: u64, segmented: bool) -> io::Result<()> {
        let end = self.sequence + count;
        while self.sequence < end && !self.reporter.stop.is_requested() {
            self.await_budget();
            let to_stamp = self.stamp_every - self.sequence % self.stamp_every;
            let is_stamped = to_stamp == self.stamp_every;
            let plain = if is_stamped {
                0
            } else {
                to_stamp.min(end - self.sequence)
            };
            if is_stamped || plain == 1 {
                let kind = if is_stamped {
                    UdpKind::Stamped
                } else {
                    UdpKind::Data
                };
                self.fill(0, kind, self.sequence);
                let sequence = self.sequence;
                let wish = if is_stamped {
                    Wish::Stamp(sequence)
                } else {
                    Wish::NoStamp
                };
                if self.send_one(wish)? {
                    self.sequence += 1;
                }
            } else {
                self.send_batch(plain.min(self.segments as u64) as usize, segmented)?;
            }
            if segmented {
                self.stamps.collect(self.socket);
            }
        }
        Ok(())
    }

    /// Pays for what the last calls sent; waits while that was more than the owner allows.
    fn await_budget(&mut self) {
        let Some(budget) = &self.order.budget else { return };
        let unpaid = (self.accepted - self.paid) * self.order.packet_bytes;
        self.paid = self.accepted;
        budget.has_passed(unpaid, monotonic_ns());
        while !budget.packet(0, monotonic_ns()) && !self.reporter.stop.is_requested() {
            sleep_until(monotonic_ns() + BUDGET_WAIT_NS);
        }
    }

    fn fill(&mut self, place: usize, kind: UdpKind, sequence: u64) {
        let from = place * self.order.payload_bytes;
        let Some(payload) = self.buffer.get_mut(from..from + self.order.payload_bytes) else {
            return;
        };
        let _ = match self.order.iperf3 {
            Some(datagram) => datagram.write(payload, sequence, monotonic_ns()),
            None => UdpHeader {
                kind,
                tag: self.tag,
                sequence,
            }
            .write(payload),
        };
    }

    /// Sends the first packet of the buffer. Gives whether its number is used up.
    fn send_one(&mut self, wish: Wish) -> io::Result<bool> {
        let Some(payload) = self.buffer.get(..self.order.payload_bytes) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let before = wall_ns();
        let sent = udp_bulk::send(self.socket.as_fd(), payload, wish != Wish::NoStamp);
        self.stamps.asked(wish, before, &sent);
        match sent {
            Ok(()) => {
                self.accepted += 1;
                self.errors = 0;
                Ok(true)
            }
            Err(error) => self.failed(error, 1).map(|()| false),
        }
    }

    fn send_batch(&mut self, count: usize, segmented: bool) -> io::Result<()> {
        for place in 0..count {
            self.fill(place, UdpKind::Data, self.sequence + place as u64);
        }
        let payload = self.order.payload_bytes;
        let bytes = self.buffer.get(..count * payload).unwrap_or(&[]);
        let sent = if segmented {
            udp_bulk::send_segmented(self.socket.as_fd(), bytes, payload as u16).map(|()| count)
        } else {
            let mut packets: [&[u8]; udp_bulk::MAX_BATCH] = [&[]; udp_bulk::MAX_BATCH];
            for (slot, packet) in packets.iter_mut().zip(bytes.chunks_exact(payload)) {
                *slot = packet;
            }
            udp_bulk::send_many(self.socket.as_fd(), packets.get(..count).unwrap_or(&[]))
        };
        match sent {
            Ok(sent) => {
                self.sequence += sent as u64;
                self.accepted += sent as u64;
                self.errors = 0;
                Ok(())
            }
            Err(error) if segmented && is_unsupported(&error) => {
                self.can_segment = false;
                self.failed(io::ErrorKind::Interrupted.into(), 0)
            }
            Err(error) => self.failed(error, count as u64),
        }
    }

    /// A full local queue refuses packets: that is counted, and the pace has moved on. Errors that ICMP reported for
    /// earlier packets are taken from the socket by the failing call: the next one may work.
    fn failed(&mut self, error: io::Error, packets: u64) -> io::Result<()> {
        match error.raw_os_error() {
            Some(libc::EMSGSIZE | libc::EINVAL | libc::EPERM | libc::EACCES) => return Err(error),
            Some(libc::ENOBUFS) => self.refused += packets,
            _ => {}
        }
        self.errors += 1;
        if self.errors >= MAX_ERRORS && error.raw_os_error() != Some(libc::ENOBUFS) {
            self.reporter.stop.request(StopReason::PeerGone);
        }
        if error.raw_os_error() == Some(libc::ENOBUFS) {
            // The queue needs time to drain; asking again at once would only count refusals.
            sleep_until(monotonic_ns() + (self.order.spacing_ns as u64).clamp(50_000, 1_000_000));
        }
        Ok(())
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EINVAL | libc::EIO | libc::EOPNOTSUPP)
    )
}

/// Whether a packet's transmit stamp is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    NoStamp,
    /// Asked for, to get the machinery going, and thrown away.
    WarmUpStamp,
    /// Of the packet with this number.
    Stamp(u64),
}

/// Which stamped packet the kernel's next stamps are for.
#[derive(Default)]
struct StampBook {
    /// For each stamp asked for, in order: the packet's number (`None`: nobody's) and when it was handed over.
    asked: Vec<(Option<u64>, i64)>,
    seen: usize,
    taken: Vec<Stamp>,
}

impl StampBook {
    fn asked(&mut self, wish: Wish, at_ns: i64, sent: &io::Result<()>) {
        let sequence = match wish {
            Wish::NoStamp => return,
            Wish::WarmUpStamp => None,
            Wish::Stamp(sequence) => Some(sequence),
        };
        // The kernel numbers stamps when it builds the packet: a packet dropped by the local queue has used a number,
        // one that was never built has not.
        let is_built = match sent {
            Ok(()) => true,
            Err(error) => error.raw_os_error() == Some(libc::ENOBUFS),
        };
        if is_built {
            self.asked.push((sequence.filter(|_| sent.is_ok()), at_ns));
        }
    }

    /// Takes what has come. Gives whether more is to come.
    fn collect(&mut self, socket: &UdpSocket) -> bool {
        while self.seen < self.asked.len() {
            match udp_bulk::transmit_stamp(socket.as_fd()) {
                Ok(Some(stamp)) => {
                    self.seen = self.seen.max(stamp.index as usize + 1);
                    self.take(stamp);
                }
                Ok(None) => {}
                Err(_) => break,
            }
        }
        self.seen < self.asked.len()
    }

    fn take(&mut self, stamp: udp_bulk::TransmitStamp) {
        if let Some((Some(sequence), before)) = self.asked.get(stamp.index as usize)
            && stamp.at_ns >= before - STAMP_SLACK_NS
        {
            self.taken.push(Stamp(*sequence, stamp.at_ns));
        }
    }
}
