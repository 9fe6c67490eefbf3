//! The receiving side of a bulk TCP transfer. What arrives is counted and not looked at.

use super::Stop;
use super::stop::{Reporter, Running};
use super::tcp_send::{BUDGET_WAIT_NS, CALL_BYTES, CALL_TIMEOUT, is_timeout};
use super::tcp_slices::{Gauge, SLICE_NS, TICK_NS, cpu_share};
use super::tcp_window::Window;
use crate::budget::Budget;
use crate::sys::tcp_socket;
use crate::sys::thread_time::{monotonic_ns, sleep_until, thread_cpu_ns};
use evidence::StopReason;
use probe::session::{TcpHalf, TcpSlice};
use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// After the end: a sender that ignores it must not keep the last look going.
const LAST_LOOK_NS: u64 = 1_000_000_000;

/// What a receiver enforces, whoever sends.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReceiveOrder {
    /// Bytes over all streams.
    pub(crate) max_bytes: Option<u64>,
    /// Rate over all streams, bit/s: how far the kernel may run ahead of what is read.
    pub(crate) max_rate_bps: Option<f64>,
    /// What the owner allows of all that goes on: the streams are read no faster, and TCP's own flow control does the rest.
    pub(crate) budget: Option<Arc<Budget>>,
    /// Time from the start.
    pub(crate) max_time_ms: Option<u32>,
    /// Whether the streams are left as they are at the end: a far end that counts a reset as a failure is told first.
    pub(crate) stays_open: bool,
    /// When the data began to come, by the monotonic clock, where that was before the start; else 0.
    pub(crate) began_ns: u64,
}

/// What the readers of all streams share.
pub(crate) struct Shared<'a> {
    pub(crate) stop: &'a Stop,
    order: &'a ReceiveOrder,
    streams: usize,
    bytes: AtomicU64,
    /// Time of the first read, 0 before it.
    first_ns: AtomicU64,
    last_ns: AtomicU64,
    active: AtomicUsize,
    cpu_ns: AtomicU64,
}

/// Starts receiving on connected streams.
pub(crate) fn start(streams: Vec<TcpStream>, order: ReceiveOrder) -> io::Result<Running<TcpSlice, TcpHalf>> {
    Running::start("slowpath-recv", move |reporter| {
        let readers = streams
            .iter()
            .map(|stream| |shared: &Shared<'_>| drain(stream, shared));
        receive(&streams, &order, readers.collect(), reporter)
    })
}

/// [`start`] where bytes are taken from the streams by `readers`, one each, which count what is data ([`Shared::count`]) and
/// end when [`Shared::stop`] is requested.
pub(crate) fn start_with<R: FnOnce(&Shared<'_>) + Send + 'static>(
    streams: Vec<TcpStream>,
    order: ReceiveOrder,
    readers: Vec<R>,
) -> io::Result<Running<TcpSlice, TcpHalf>> {
    Running::start("slowpath-recv", move |reporter| {
        receive(&streams, &order, readers, reporter)
    })
}

fn receive<R: FnOnce(&Shared<'_>) + Send>(
    streams: &[TcpStream],
    order: &ReceiveOrder,
    readers: Vec<R>,
    reporter: &Reporter<TcpSlice>,
) -> TcpHalf {
    let shared = Shared {
        stop: &reporter.stop,
        order,
        streams: streams.len(),
        bytes: AtomicU64::new(0),
        first_ns: AtomicU64::new(order.began_ns),
        last_ns: AtomicU64::new(0),
        active: AtomicUsize::new(streams.len()),
        cpu_ns: AtomicU64::new(0),
    };
    let control = streams
        .first()
        .and_then(|stream| tcp_socket::congestion_control(stream.as_fd()).ok());
    let mut gauge = Gauge::new(streams);
    let slices = std::thread::scope(|scope| {
        for reader in readers {
            let shared = &shared;
            scope.spawn(move || {
                reader(shared);
                shared.active.fetch_sub(1, Ordering::Release);
                shared.cpu_ns.fetch_add(thread_cpu_ns(), Ordering::Relaxed);
            });
        }
        watch(&mut gauge, &shared, reporter)
    });
    gauge.read();
    for stream in streams.iter().filter(|_| !order.stays_open) {
        let _ = tcp_socket::reset_on_close(stream.as_fd());
        let _ = stream.shutdown(Shutdown::Both);
    }
    let first_ns = shared.first_ns.load(Ordering::Relaxed);
    let active_ns = shared.last_ns.load(Ordering::Relaxed).saturating_sub(first_ns);
    TcpHalf {
        congestion_control: control.unwrap_or_default(),
        slices,
        accounts: gauge.accounts(),
        bytes: shared.bytes.load(Ordering::Relaxed),
        active_ns,
        // Every stream ended by itself: the sender was done.
        stop: reporter.stop.reason().unwrap_or(StopReason::MaxBytes),
        cpu: cpu_share(shared.cpu_ns.load(Ordering::Relaxed), active_ns),
    }
}

/// Reads until the sender is done, or the transfer ends and nothing more waits in the socket.
fn drain(stream: &TcpStream, shared: &Shared<'_>) {
    let _ = stream.set_read_timeout(Some(CALL_TIMEOUT));
    let mut window = Window::of(stream, shared.streams);
    let mut last_look_until_ns = None;
    loop {
        if shared.stop.is_requested() && last_look_until_ns.is_none() {
            // One look at what has arrived already, without waiting for more.
            last_look_until_ns = Some(monotonic_ns() + LAST_LOOK_NS);
            let _ = stream.set_nonblocking(true);
        }
        if let Some(rate) = shared.order.max_rate_bps {
            window.hold_to_rate(rate);
        }
        if let Some(most) = shared.order.max_bytes {
            let is_owners = shared.order.budget.is_some();
            window.hold_to_bytes(most, shared.bytes.load(Ordering::Relaxed), is_owners);
        }
        let portion = shared
            .order
            .max_bytes
            .map_or(CALL_BYTES, |most| window.portion(most));
        let room = shared.room(CALL_BYTES.min(portion));
        let granted = shared.granted(room);
        if granted == 0 {
            sleep_until(monotonic_ns() + BUDGET_WAIT_NS);
        } else {
            let read = tcp_socket::discard(stream.as_fd(), granted);
            shared.unused(granted - read.as_ref().map_or(0, |count| *count));
            match read {
                Ok(0) => return,
                Ok(count) => shared.count(count as u64),
                Err(error) if is_timeout(&error) && last_look_until_ns.is_none() => {}
                Err(_) => return,
            }
        }
        if last_look_until_ns.is_some_and(|until| shared.is_over() || monotonic_ns() > until) {
            return;
        }
    }
}

impl Shared<'_> {
    /// So many bytes of data were read.
    pub(crate) fn count(&self, bytes: u64) {
        let now = monotonic_ns();
        let _ = self
            .first_ns
            .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        self.last_ns.fetch_max(now, Ordering::Relaxed);
        let total = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.order.max_bytes.is_some_and(|limit| total > limit) {
            self.stop.request(StopReason::MaxBytes);
        }
    }

    /// How much may be read at once: a byte over the limit tells that the sender does not keep to it.
    fn room(&self, most: usize) -> usize {
        let read = self.bytes.load(Ordering::Relaxed);
        let room = self
            .order
            .max_bytes
            .map(|limit| limit.saturating_add(1).saturating_sub(read));
        room.map_or(most, |room| usize::try_from(room).unwrap_or(most).min(most))
    }

    /// How much of `room` the owner's budget allows now.
    fn granted(&self, room: usize) -> usize {
        let granted = |budget: &Arc<Budget>| budget.grant(room as u64, monotonic_ns()) as usize;
        self.order.budget.as_ref().map_or(room, granted)
    }

    fn unused(&self, bytes: usize) {
        if let Some(budget) = &self.order.budget {
            budget.give_back(bytes as u64);
        }
    }

    /// Whether what still arrives is of no use: the sender has exceeded its bytes, or was stopped before its end.
    fn is_over(&self) -> bool {
        self.order
            .max_bytes
            .is_some_and(|limit| self.bytes.load(Ordering::Relaxed) > limit)
            || self.stop.reason() != Some(StopReason::MaxBytes)
    }
}

/// Cuts what is read into slices by this end's clock, from the first byte on.
fn watch(gauge: &mut Gauge<'_>, shared: &Shared<'_>, reporter: &Reporter<TcpSlice>) -> Vec<TcpSlice> {
    let start_ns = monotonic_ns();
    let mut slices = Vec::new();
    let mut before = (0, 0);
    let mut next_slice_ns = SLICE_NS;
    loop {
        sleep_until(monotonic_ns() + TICK_NS);
        let now_ns = monotonic_ns();
        let ended = shared.active.load(Ordering::Acquire) == 0;
        let limit_ns = shared.order.max_time_ms.map(|limit| u64::from(limit) * 1_000_000);
        if limit_ns.is_some_and(|limit| now_ns - start_ns > limit) {
            shared.stop.request(StopReason::MaxTime);
        }
        let first_ns = shared.first_ns.load(Ordering::Relaxed);
        if first_ns != 0 {
            // The last slice ends with the last byte: waiting for an end that is late is no part of the transfer.
            let end_ns = if ended {
                shared.last_ns.load(Ordering::Relaxed)
            } else {
                now_ns
            };
            let at_ns = end_ns.saturating_sub(first_ns);
            if (ended || at_ns >= next_slice_ns) && at_ns > before.0 {
                let bytes = shared.bytes.load(Ordering::Relaxed);
                let slice = slice_of(gauge, before, (at_ns, bytes));
                slices.push(slice);
                reporter.report(slice);
                before = (at_ns, bytes);
                next_slice_ns = at_ns - at_ns % SLICE_NS + SLICE_NS;
            } else if ended {
                add_rest(
                    &mut slices,
                    shared.bytes.load(Ordering::Relaxed) - before.1,
                    at_ns,
                );
            }
        }
        if ended {
            return slices;
        }
    }
}

/// Bytes that came within the last slice's time but were counted after it was closed.
fn add_rest(slices: &mut Vec<TcpSlice>, bytes: u64, at_ns: u64) {
    match slices.last_mut() {
        Some(last) => last.bytes += bytes,
        None if bytes > 0 => slices.push(TcpSlice {
            start_ns: 0,
            length_ns: at_ns,
            bytes,
            retransmits: 0,
            cwnd_bytes: 0,
            rtt_us: 0,
            delivery_rate_bps: None,
        }),
        None => {}
    }
}

fn slice_of(gauge: &mut Gauge<'_>, before: (u64, u64), after: (u64, u64)) -> TcpSlice {
    let totals = gauge.read();
    TcpSlice {
        start_ns: before.0,
        length_ns: after.0 - before.0,
        bytes: after.1 - before.1,
        retransmits: 0,
        cwnd_bytes: 0,
        rtt_us: totals.rtt_us,
        delivery_rate_bps: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    /// What is received of a sender that never stops.
    async fn received(order: ReceiveOrder) -> TcpHalf {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (receiver, _) = listener.accept().unwrap();
        std::thread::spawn(move || while sender.write_all(&[0; 65_536]).is_ok() {});
        let mut receiving = start(vec![receiver], order).unwrap();
        (&mut receiving.done).await.unwrap()
    }

    #[tokio::test]
    async fn a_sender_that_does_not_end_is_cut_off_at_the_limit() {
        let half = received(ReceiveOrder {
            max_bytes: Some(1_000_000),
            ..ReceiveOrder::default()
        });
        // One byte too much tells.
        assert_eq!(half.await.bytes, 1_000_001);
        let half = received(ReceiveOrder {
            max_time_ms: Some(200),
            ..ReceiveOrder::default()
        });
        let half = half.await;
        assert_eq!(half.stop, StopReason::MaxTime);
        assert!(half.active_ns < 2_000_000_000, "{}", half.active_ns);
    }
}
