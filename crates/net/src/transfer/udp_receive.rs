//! The receiving side of a UDP stream: which packets came, when, and which were lost in this host.

use super::host_drops::HostCounters;
use super::stop::{Reporter, Running};
use super::tcp_slices::{SLICE_NS, cpu_share};
use super::udp_send::UdpSlice;
use crate::budget::Budget;
use crate::sys::thread_time::{monotonic_ns, thread_cpu_ns};
use crate::sys::udp_bulk::{self, Train, TrainReceiver};
use evidence::{HostDrops, StopReason};
use probe::SessionKey;
use probe::iperf3::{Datagram, Jitter};
use probe::session::{
    Arrival, ReceivedSlice, SequenceAccount, Stamp, UdpHeader, UdpKind, UdpPlan, UdpReceived,
};
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a call waits for packets: a stop must be noticed.
const WAIT: Duration = Duration::from_millis(20);
/// After the sender's end: silence for so long means that nothing more is on the way.
const QUIET_NS: u64 = 300_000_000;
/// After the sender's end, at most.
const LINGER_NS: u64 = 2_000_000_000;
const MAX_STAMPS: usize = 50_000;
/// A stream without its end (the sender vanished, and nobody said so) is given up after this silence.
const ABANDONED_NS: u64 = 20_000_000_000;
/// A sender may be faster than agreed by this factor, and early by this much of the rate; a longer queue on the path lets nothing
/// arrive before it was sent.
const TOLERATED_RATE: f64 = 1.1;
const TOLERATED_EARLY_S: f64 = 1.0;
/// IP and UDP headers of a packet, bytes.
const HEADER_BYTES: u64 = 28;

/// What a receiver is to expect.
#[derive(Debug, Clone)]
pub(crate) struct ReceiveOrder {
    /// The transfer's key.
    pub(crate) key: SessionKey,
    /// The stream as it was agreed on.
    pub(crate) plan: UdpPlan,
    /// What the owner allows of all that goes on.
    pub(crate) budget: Option<Arc<Budget>>,
    /// Set when the sender is done: numbers it used. [`UNKNOWN`] until then.
    pub(crate) sent: Arc<AtomicU64>,
    /// Where an iperf3 server sends: the heads of its packets.
    pub(crate) iperf3: Option<Heads>,
}

/// The heads of packets of an iperf3 server.
#[derive(Debug, Clone)]
pub(crate) struct Heads {
    pub(crate) datagram: Datagram,
    /// Where to leave the delay variation, nanoseconds; [`UNKNOWN`] where there is none.
    pub(crate) jitter_ns: Arc<AtomicU64>,
}

/// The sender has not said yet how many numbers it used.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// Starts receiving on a socket prepared by [`udp_bulk::prepare_receiver`].
pub(crate) fn start(socket: UdpSocket, order: ReceiveOrder) -> io::Result<Running<UdpSlice, UdpReceived>> {
    socket.set_read_timeout(Some(WAIT))?;
    Running::start("slowpath-udp-rx", move |reporter| {
        Receiver::new(&order).run(&socket, &order, reporter)
    })
}

struct Receiver {
    tag: [u8; 8],
    iperf3: Option<Datagram>,
    jitter: Jitter,
    account: SequenceAccount,
    socket_drops: SocketDrops,
    stamps: Vec<Stamp>,
    slices: Vec<ReceivedSlice>,
    first_ns: Option<u64>,
    last_ns: u64,
    lost: i64,
    arrived_bytes: u64,
}

fn within_budget(order: &ReceiveOrder, bytes: u64, now_ns: u64) -> bool {
    let budget = order.budget.as_ref();
    budget.is_none_or(|budget| budget.has_passed(bytes, now_ns))
}

impl Receiver {
    fn new(order: &ReceiveOrder) -> Self {
        Self {
            tag: UdpHeader::tag_of(&order.key),
            iperf3: order.iperf3.as_ref().map(|heads| heads.datagram),
            jitter: Jitter::default(),
            account: SequenceAccount::new(match &order.iperf3 {
                Some(heads) => heads.datagram.most_packets,
                None => order.plan.packets(),
            }),
            socket_drops: SocketDrops {
                largest_train: 1,
                ..SocketDrops::default()
            },
            stamps: Vec::new(),
            slices: Vec::new(),
            first_ns: None,
            last_ns: 0,
            lost: 0,
            arrived_bytes: 0,
        }
    }

    fn run(mut self, socket: &UdpSocket, order: &ReceiveOrder, reporter: &Reporter<UdpSlice>) -> UdpReceived {
        let local = socket.local_addr().map(|address| address.ip());
        let before = local.as_ref().ok().map(|local| HostCounters::read(*local));
        let cpu_ns = thread_cpu_ns();
        self.receive_all(socket, order, reporter);
        if let Some(heads) = &order.iperf3 {
            heads
                .jitter_ns
                .store(self.jitter.ns().unwrap_or(UNKNOWN), Ordering::Release);
        }
        let sent = match order.sent.load(Ordering::Acquire) {
            UNKNOWN => self.account.next(),
            sent => sent,
        };
        let tail = sent.saturating_sub(self.account.next());
        self.socket_drops
            .close(udp_bulk::socket_drops(socket.as_fd()), tail);
        let after = local.ok().map(HostCounters::read);
        // What arrived damaged the socket counts as dropped as well; it was lost on the path.
        let damaged = before
            .zip(after)
            .and_then(|(before, after)| after.damaged_since(&before));
        let dropped = self.socket_drops.packets.saturating_sub(damaged.unwrap_or(0));
        let active_ns = self.first_ns.map_or(0, |first| self.last_ns - first);
        let totals = self.account.finish(sent);
        UdpReceived {
            packets: totals.received,
            duplicates: totals.duplicates,
            reordered: totals.reordered,
            loss_runs: totals.loss_runs,
            slices: self.slices,
            drops: HostDrops {
                receiver_socket: Some(dropped),
                receiver_interface: before
                    .zip(after)
                    .and_then(|(before, after)| after.received_since(&before)),
                ..HostDrops::default()
            },
            stamps: self.stamps,
            active_ns,
            cpu: cpu_share(thread_cpu_ns() - cpu_ns, active_ns),
        }
    }

    fn receive_all(&mut self, socket: &UdpSocket, order: &ReceiveOrder, reporter: &Reporter<UdpSlice>) {
        let mut trains = TrainReceiver::new();
        let begin_ns = monotonic_ns();
        let mut ending_ns = None;
        let mut told_ns = begin_ns;
        loop {
            // A timeout, or ICMP's word on something else: both are looked at below.
            let mut arrived = 0;
            let _ = trains.receive(socket.as_fd(), |train| {
                let packets = train.bytes.len().div_ceil(train.segment_bytes.max(1)) as u64;
                arrived += train.bytes.len() as u64 + packets * HEADER_BYTES;
                self.take(&train, monotonic_ns());
            });
            let now = monotonic_ns();
            self.arrived_bytes += arrived;
            if self.exceeds(order, now - begin_ns) || !within_budget(order, arrived, now) {
                // Nothing can keep it from sending: not to listen any more is all that is left.
                reporter.stop.request(StopReason::MaxBytes);
                return;
            }
            if now - told_ns >= SLICE_NS {
                told_ns = now;
                reporter.report(self.slice(now));
            }
            let heard_ns = self.last_ns.max(begin_ns);
            if reporter.stop.is_requested() {
                let ending = *ending_ns.get_or_insert(now);
                let complete = self.account.received() >= order.sent.load(Ordering::Acquire);
                let quiet = now - heard_ns.max(ending) >= QUIET_NS;
                if complete || quiet || now - ending >= LINGER_NS {
                    return;
                }
            } else if now - heard_ns >= ABANDONED_NS {
                return;
            }
        }
    }

    /// Whether more arrived, and for longer, than the stream that was agreed on can bring.
    fn exceeds(&self, order: &ReceiveOrder, elapsed_ns: u64) -> bool {
        let seconds = elapsed_ns as f64 / 1e9 * TOLERATED_RATE + TOLERATED_EARLY_S;
        self.arrived_bytes as f64 > order.plan.rate_bps / 8.0 * seconds + f64::from(order.plan.size_bytes)
            || elapsed_ns > order.plan.longest_ns() + LINGER_NS
    }

    fn slice(&self, now: u64) -> UdpSlice {
        let at_ns = self.first_ns.map_or(0, |first| now - first);
        UdpSlice {
            packets: self.account.received(),
            at_ns,
            missing: self.lost,
        }
    }

    /// Counts the packets of one train, which arrived together.
    fn take(&mut self, train: &Train<'_>, now: u64) {
        let mut first_of_train = true;
        let mut gap = 0;
        let mut count = 0;
        for packet in train.bytes.chunks(train.segment_bytes) {
            let Some(header) = self.head(packet, train.at_ns) else {
                continue;
            };
            count += 1;
            if header.kind == UdpKind::WarmUp {
                continue;
            }
            let arrival = self.account.arrive(header.sequence);
            if let (Arrival::New { skipped }, true) = (arrival, first_of_train) {
                gap = skipped;
            }
            // One stamp per train: the kernel put the later packets to the first.
            if header.kind == UdpKind::Stamped && first_of_train && self.stamps.len() < MAX_STAMPS {
                self.stamps
                    .extend(train.at_ns.map(|at_ns| Stamp(header.sequence, at_ns)));
            }
            first_of_train = false;
            self.count(arrival, now);
        }
        self.socket_drops.count(train.drops, gap, count);
    }

    /// The head of a packet of this stream. Those of iperf3 tell when they left, by a clock of their own.
    fn head(&mut self, packet: &[u8], arrived_ns: Option<i64>) -> Option<UdpHeader> {
        let Some(datagram) = self.iperf3 else {
            return UdpHeader::read(packet).filter(|header| header.tag == self.tag);
        };
        let (sequence, left_ns) = datagram.read(packet)?;
        if let Some(arrived_ns) = arrived_ns {
            self.jitter.arrive(left_ns, arrived_ns.cast_unsigned());
        }
        Some(UdpHeader {
            kind: UdpKind::Data,
            tag: self.tag,
            sequence,
        })
    }

    fn count(&mut self, arrival: Arrival, now: u64) {
        let first = *self.first_ns.get_or_insert(now);
        self.last_ns = now;
        let lost = match arrival {
            Arrival::New { skipped } => i64::try_from(skipped).unwrap_or(i64::MAX),
            Arrival::Late => -1,
            Arrival::Duplicate | Arrival::Strange => return,
        };
        self.lost = self.lost.saturating_add(lost);
        let slice = self.slice_at(now - first);
        slice.packets += 1;
        slice.lost = slice.lost.saturating_add(lost);
        slice.length_ns = slice.length_ns.max(now - first - slice.start_ns);
    }

    /// The slice for a time since the first packet; opens those up to it, silent ones included.
    fn slice_at(&mut self, at_ns: u64) -> &mut ReceivedSlice {
        let index = usize::try_from(at_ns / SLICE_NS).unwrap_or(usize::MAX);
        while self.slices.len() <= index {
            if let Some(last) = self.slices.last_mut() {
                last.length_ns = SLICE_NS;
            }
            let start_ns = self.slices.len() as u64 * SLICE_NS;
            self.slices.push(ReceivedSlice {
                start_ns,
                length_ns: 0,
                packets: 0,
                lost: 0,
            });
        }
        // The loop has just made sure that there is one.
        let last = self.slices.len() - 1;
        &mut self.slices[last]
    }
}

/// Packets lost for want of room in the receiving socket.
///
/// The kernel counts what it drops, but a train of packets that it has put together counts as one. The counter that
/// came with a train was taken when that train was queued, so what was dropped just before it is the gap in the
/// numbers just before it: the gap says how many packets, the counter that it was the socket.
#[derive(Debug, Default)]
struct SocketDrops {
    counter: u32,
    largest_train: u64,
    packets: u64,
}

impl SocketDrops {
    fn count(&mut self, counter: Option<u32>, gap: u64, train: u64) {
        self.largest_train = self.largest_train.max(train);
        let Some(counter) = counter else { return };
        let dropped = u64::from(counter.wrapping_sub(self.counter));
        self.counter = counter;
        self.add(dropped, gap);
    }

    /// Drops after the last packet that was read.
    fn close(&mut self, counter: Option<u32>, tail: u64) {
        if let Some(counter) = counter {
            self.add(u64::from(counter.wrapping_sub(self.counter)), tail);
        }
    }

    fn add(&mut self, dropped: u64, gap: u64) {
        if dropped > 0 {
            self.packets += gap.clamp(dropped, dropped.saturating_mul(self.largest_train));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_trains_are_counted_in_packets() {
        let mut drops = SocketDrops {
            largest_train: 1,
            ..SocketDrops::default()
        };
        drops.count(Some(0), 0, 46);
        drops.count(Some(2), 92, 46);
        assert_eq!(drops.packets, 92);
        // One train dropped here; the rest of the gap was lost elsewhere.
        drops.count(Some(3), 1_000, 46);
        assert_eq!(drops.packets, 92 + 46);
        // A gap without a drop is not the socket's.
        drops.count(Some(3), 10, 46);
        drops.close(Some(5), 60);
        assert_eq!(drops.packets, 92 + 46 + 60);
    }

    #[test]
    fn single_packets_are_counted_as_the_kernel_does() {
        let mut drops = SocketDrops {
            largest_train: 1,
            ..SocketDrops::default()
        };
        drops.count(Some(3), 7, 1);
        assert_eq!(drops.packets, 3);
    }
}
