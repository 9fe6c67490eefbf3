//! What a kernel tells of a connection.

use crate::physics::{TcpRun, TcpSetup};
use evidence::TcpAccount;

/// The kernel's account of one connection.
pub(super) fn account(setup: &TcpSetup, run: &TcpRun) -> TcpAccount {
    let streams = u64::from(setup.streams.max(1));
    let us = |seconds: f64| (seconds * 1e6) as u64;
    TcpAccount {
        data_segments_out: Some((run.segments as u64 / streams) + 1),
        retransmitted_segments: Some(run.retransmits / streams),
        timeouts: Some(run.timeouts / streams),
        busy_us: Some(us(setup.seconds)),
        receive_window_limited_us: Some(us(run.window_limited_s)),
        send_buffer_limited_us: Some(us(run.send_limited_s)),
        send_mss_bytes: Some(run.mss),
        peer_window_bytes: Some(run.offered_window as u64),
        min_rtt_us: Some((run.min_rtt_s * 1e6) as u32),
        rtt_us: run.slices.last().map(|slice| (slice.rtt_s * 1e6) as u32),
        cwnd_segments: run
            .slices
            .last()
            .map(|slice| (slice.cwnd_bytes / f64::from(run.mss) / streams as f64) as u32),
        sack: Some(true),
        timestamps: Some(true),
        window_scale: Some((7, 7)),
        ..TcpAccount::default()
    }
}
