//! The sending side of a bulk TCP transfer.

use super::Stop;
use super::stop::{Reporter, Running};
use super::tcp_slices::{Gauge, SLICE_NS, TICK_NS, Totals, cpu_share};
use crate::budget::Budget;
use crate::sys::tcp_socket;
use crate::sys::thread_time::{monotonic_ns, sleep_until, thread_cpu_ns};
use evidence::StopReason;
use probe::session::{Sample, StopRule, TcpHalf, TcpSlice};
use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes per system call: measured twice as fast as 128 KB, and no slower than any larger size.
pub(super) const CALL_BYTES: usize = 1 << 20;
/// How long a blocking call may hold a thread that is to end.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_millis(50);
/// How long a thread waits for its share of the owner's budget before it asks again.
pub(super) const BUDGET_WAIT_NS: u64 = 2_000_000;

/// What a sender is to do.
#[derive(Debug, Clone)]
pub(crate) struct SendOrder {
    /// Time limit.
    pub(crate) max_time_ms: u32,
    /// Byte limit over all streams.
    pub(crate) max_bytes: Option<u64>,
    /// Rate limit over all streams.
    pub(crate) max_rate_bps: Option<f64>,
    /// What the owner allows of all that goes on.
    pub(crate) budget: Option<Arc<Budget>>,
    /// Whether the streams are left as they are at the end: a far end that counts a reset as a failure is told first.
    pub(crate) stays_open: bool,
}

/// What the threads of one transfer share.
pub(crate) struct Shared<'a> {
    pub(crate) stop: &'a Stop,
    budget: Option<&'a Budget>,
    /// Bytes that may still be handed to the kernel; `u64::MAX` without a limit.
    left: AtomicU64,
    /// Threads that have bytes left to send.
    active: AtomicUsize,
    cpu_ns: AtomicU64,
}

/// Starts sending on connected streams.
pub(crate) fn start(streams: Vec<TcpStream>, order: SendOrder) -> io::Result<Running<TcpSlice, TcpHalf>> {
    let buffer = Arc::new(incompressible());
    Running::start("slowpath-send", move |reporter| {
        let writers = streams.iter().map(|stream| {
            let buffer = buffer.clone();
            move |shared: &Shared<'_>| pump(stream, &buffer, shared)
        });
        send(&streams, &order, writers.collect(), reporter)
    })
}

/// [`start`] where bytes are given to the streams by `writers`, one each, which end when [`Shared::stop`] is requested, and
/// request [`StopReason::MaxBytes`] when all is done.
pub(crate) fn start_with<W: FnOnce(&Shared<'_>) + Send + 'static>(
    streams: Vec<TcpStream>,
    order: SendOrder,
    writers: Vec<W>,
) -> io::Result<Running<TcpSlice, TcpHalf>> {
    Running::start("slowpath-send", move |reporter| {
        send(&streams, &order, writers, reporter)
    })
}

fn send<W: FnOnce(&Shared<'_>) + Send>(
    streams: &[TcpStream],
    order: &SendOrder,
    writers: Vec<W>,
    reporter: &Reporter<TcpSlice>,
) -> TcpHalf {
    limit_rate(streams, order.max_rate_bps);
    let congestion_control = streams.first().map(control_of).unwrap_or_default();
    let shared = Shared {
        stop: &reporter.stop,
        budget: order.budget.as_deref(),
        left: AtomicU64::new(order.max_bytes.unwrap_or(u64::MAX)),
        active: AtomicUsize::new(streams.len()),
        cpu_ns: AtomicU64::new(0),
    };
    let rule = StopRule::new(
        order.max_time_ms,
        order.max_bytes,
        streams.len() as u16,
        &congestion_control,
    );
    let start_ns = monotonic_ns();
    let mut half = std::thread::scope(|scope| {
        let gauge = Gauge::new(streams);
        for writer in writers {
            let shared = &shared;
            scope.spawn(move || {
                writer(shared);
                shared.active.fetch_sub(1, Ordering::Release);
                shared.cpu_ns.fetch_add(thread_cpu_ns(), Ordering::Relaxed);
            });
        }
        let half = watch(gauge, &shared, rule, order, reporter, start_ns);
        if !order.stays_open {
            close(streams, half.stop);
        }
        half
    });
    half.congestion_control = congestion_control;
    half.cpu = cpu_share(shared.cpu_ns.load(Ordering::Relaxed), half.active_ns);
    half
}

fn control_of(stream: &TcpStream) -> String {
    tcp_socket::congestion_control(stream.as_fd()).unwrap_or_default()
}

fn limit_rate(streams: &[TcpStream], max_rate_bps: Option<f64>) {
    let Some(rate) = max_rate_bps else { return };
    let each = (rate / 8.0 / streams.len().max(1) as f64) as u64;
    for stream in streams {
        // A kernel without pacing sends faster; the far end's receiver then holds it back.
        let _ = tcp_socket::set_max_pacing_rate(stream.as_fd(), each.max(1));
    }
}

/// Hands bytes to the kernel until there are none left or the transfer ends.
fn pump(mut stream: &TcpStream, buffer: &[u8], shared: &Shared<'_>) {
    if stream.set_write_timeout(Some(CALL_TIMEOUT)).is_err() {
        shared.stop.request(StopReason::PeerGone);
        return;
    }
    while !shared.stop.is_requested() {
        let claimed = claim(&shared.left, CALL_BYTES as u64);
        if claimed == 0 {
            return;
        }
        let granted = shared
            .budget
            .map_or(claimed, |budget| budget.grant(claimed, monotonic_ns()));
        let written = match buffer.get(..granted as usize).map(|bytes| stream.write(bytes)) {
            _ if granted == 0 => {
                sleep_until(monotonic_ns() + BUDGET_WAIT_NS);
                0
            }
            Some(Ok(written)) => written as u64,
            Some(Err(error)) if is_timeout(&error) => 0,
            Some(Err(_)) | None => {
                shared.stop.request(StopReason::PeerGone);
                return;
            }
        };
        if let Some(budget) = shared.budget {
            budget.give_back(granted - written);
        }
        if written < claimed && shared.left.load(Ordering::Relaxed) != u64::MAX {
            shared.left.fetch_add(claimed - written, Ordering::Relaxed);
        }
    }
}

/// Takes up to `wanted` of what is left; an unlimited store stays unlimited.
fn claim(left: &AtomicU64, wanted: u64) -> u64 {
    if left.load(Ordering::Relaxed) == u64::MAX {
        return wanted;
    }
    let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        Some(left - left.min(wanted))
    });
    taken.unwrap_or(0).min(wanted)
}

pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

/// Bytes that no link compresses (xorshift64).
pub(crate) fn incompressible() -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = (0..CALL_BYTES / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_ne_bytes()
    });
    words.collect()
}

/// Reads the kernel's state every slice, decides when to stop, and gives the sender's half.
fn watch(
    mut gauge: Gauge<'_>,
    shared: &Shared<'_>,
    mut rule: StopRule,
    order: &SendOrder,
    reporter: &Reporter<TcpSlice>,
    start_ns: u64,
) -> TcpHalf {
    let mut slices = Vec::new();
    let mut before = (0, Totals::default());
    let mut next_slice_ns = SLICE_NS;
    loop {
        sleep_until(start_ns + next_tick(monotonic_ns() - start_ns, next_slice_ns, order));
        let at_ns = monotonic_ns() - start_ns;
        let all_written = shared.active.load(Ordering::Acquire) == 0;
        let stopped = shared.stop.is_requested();
        if at_ns < next_slice_ns && !all_written && !stopped {
            continue;
        }
        let now = gauge.read();
        if let Some(reason) = rule.push(sample(at_ns, now)) {
            shared.stop.request(reason);
        }
        let reason = shared.stop.reason();
        if at_ns >= next_slice_ns || reason.is_some() {
            let slice = slice_between(before, (at_ns, now));
            slices.push(slice);
            reporter.report(slice);
            before = (at_ns, now);
            next_slice_ns = at_ns - at_ns % SLICE_NS + SLICE_NS;
        }
        if let Some(stop) = reason {
            return TcpHalf {
                congestion_control: String::new(),
                slices,
                accounts: gauge.accounts(),
                bytes: now.bytes_acked,
                active_ns: at_ns,
                stop,
                cpu: None,
            };
        }
    }
}

fn next_tick(at_ns: u64, next_slice_ns: u64, order: &SendOrder) -> u64 {
    let end_ns = u64::from(order.max_time_ms) * 1_000_000;
    let limit = if end_ns > at_ns { end_ns } else { u64::MAX };
    (at_ns + TICK_NS).min(next_slice_ns.max(at_ns + 1)).min(limit)
}

fn sample(at_ns: u64, totals: Totals) -> Sample {
    Sample {
        at_ns,
        bytes_acked: totals.bytes_acked,
        retransmits: totals.retransmits,
        cwnd_bytes: totals.cwnd_bytes,
        rtt_us: totals.rtt_us,
        mss_bytes: totals.mss_bytes,
        receive_window_limited_us: totals.receive_window_limited_us,
    }
}

fn slice_between(before: (u64, Totals), after: (u64, Totals)) -> TcpSlice {
    TcpSlice {
        start_ns: before.0,
        length_ns: after.0 - before.0,
        bytes: after.1.bytes_acked.saturating_sub(before.1.bytes_acked),
        retransmits: u32::try_from(after.1.retransmits.saturating_sub(before.1.retransmits))
            .unwrap_or(u32::MAX),
        cwnd_bytes: after.1.cwnd_bytes,
        rtt_us: after.1.rtt_us,
        delivery_rate_bps: after.1.delivery_rate_bps,
    }
}

/// Ends all streams. When all bytes were acknowledged they end in order; else what is queued is thrown away and the
/// connection reset, so that the path is free at once.
fn close(streams: &[TcpStream], stop: StopReason) {
    for stream in streams {
        if stop == StopReason::MaxBytes {
            let _ = stream.shutdown(Shutdown::Write);
        } else {
            let _ = tcp_socket::reset_on_close(stream.as_fd());
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_add_up_to_the_limit() {
        let left = AtomicU64::new(2_500_000);
        let taken: Vec<u64> = (0..4).map(|_| claim(&left, 1 << 20)).collect();
        assert_eq!(taken, [1 << 20, 1 << 20, 2_500_000 - (2 << 20), 0]);
        let unlimited = AtomicU64::new(u64::MAX);
        assert_eq!(claim(&unlimited, 7), 7);
        assert_eq!(unlimited.load(Ordering::Relaxed), u64::MAX);
    }
}
