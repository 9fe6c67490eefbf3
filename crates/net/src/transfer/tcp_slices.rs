//! The kernel's view of all streams of a transfer, read every 100 ms.

use crate::sys::tcp_info::TcpInfo;
use evidence::TcpAccount;
use std::net::TcpStream;
use std::os::fd::AsFd;

/// Length of a slice, nanoseconds.
pub(super) const SLICE_NS: u64 = 100_000_000;
/// How often a coordinating thread looks whether it is to end, nanoseconds.
pub(super) const TICK_NS: u64 = 10_000_000;

/// The state of all streams together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    /// Bytes acknowledged since the gauge was made.
    pub(super) bytes_acked: u64,
    /// Segments sent again since the gauge was made.
    pub(super) retransmits: u64,
    /// Sum of the congestion windows.
    pub(super) cwnd_bytes: u64,
    /// Mean of the smoothed round-trip times.
    pub(super) rtt_us: u32,
    /// Sum of the delivery rates.
    pub(super) delivery_rate_bps: Option<f64>,
    /// Smallest segment size.
    pub(super) mss_bytes: u32,
    /// Mean time limited by the receiver's window.
    pub(super) receive_window_limited_us: u64,
}

/// Reads `TCP_INFO` of a set of streams.
pub(super) struct Gauge<'a> {
    streams: &'a [TcpStream],
    last: Vec<Option<TcpInfo>>,
    base: Vec<(u64, u32)>,
    largest_peer_windows: Vec<u64>,
}

impl<'a> Gauge<'a> {
    /// Counts from now on.
    pub(super) fn new(streams: &'a [TcpStream]) -> Self {
        let last: Vec<Option<TcpInfo>> = streams
            .iter()
            .map(|stream| TcpInfo::read(stream.as_fd()).ok())
            .collect();
        let base = last
            .iter()
            .map(|info| {
                info.as_ref()
                    .map_or((0, 0), |info| (info.bytes_acked(), info.total_retransmits()))
            })
            .collect();
        Self {
            streams,
            base,
            largest_peer_windows: vec![0; last.len()],
            last,
        }
    }

    /// Reads all streams now. A stream that can no longer be read keeps its last state.
    pub(super) fn read(&mut self) -> Totals {
        for ((stream, last), largest) in self
            .streams
            .iter()
            .zip(&mut self.last)
            .zip(&mut self.largest_peer_windows)
        {
            if let Ok(info) = TcpInfo::read(stream.as_fd()) {
                *largest = (*largest).max(info.peer_window_bytes().unwrap_or(0));
                *last = Some(info);
            }
        }
        self.totals()
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals {
            mss_bytes: u32::MAX,
            ..Totals::default()
        };
        let (mut rtt_sum, mut limited_sum, mut count) = (0u64, 0u64, 0u64);
        for (info, (bytes, retransmits)) in self.last.iter().zip(&self.base) {
            let Some(info) = info else { continue };
            totals.bytes_acked += info.bytes_acked().saturating_sub(*bytes);
            totals.retransmits += u64::from(info.total_retransmits().saturating_sub(*retransmits));
            totals.cwnd_bytes += info.cwnd_bytes();
            totals.mss_bytes = totals.mss_bytes.min(info.send_mss_bytes());
            if let Some(rate) = info.delivery_rate_bps() {
                totals.delivery_rate_bps = Some(totals.delivery_rate_bps.unwrap_or(0.0) + rate);
            }
            rtt_sum += u64::from(info.rtt_us());
            limited_sum += info.receive_window_limited_us();
            count += 1;
        }
        totals.rtt_us = (rtt_sum / count.max(1)) as u32;
        totals.receive_window_limited_us = limited_sum / count.max(1);
        totals
    }

    /// The closing accounts, as last read.
    pub(super) fn accounts(&self) -> Vec<TcpAccount> {
        let accounts = self
            .last
            .iter()
            .zip(&self.largest_peer_windows)
            .map(|(info, largest)| {
                let account = info.as_ref().map(TcpInfo::account).unwrap_or_default();
                // The window shrinks while the receiver is busy: the largest seen is what it can do.
                let peer_window_bytes = account.peer_window_bytes.map(|last| last.max(*largest));
                TcpAccount {
                    peer_window_bytes,
                    ..account
                }
            });
        accounts.collect()
    }
}

/// Share of one core: processor time over time passed. `None` when no time passed.
pub(super) fn cpu_share(cpu_ns: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| cpu_ns as f64 / elapsed_ns as f64)
}
