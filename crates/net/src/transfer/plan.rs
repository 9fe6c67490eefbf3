//! From what is asked to what the two ends agree on.

use evidence::Ask;
use probe::session::{TcpPlan, UdpPlan};

/// The plan of a TCP transfer; `None` where something else is asked.
pub(crate) fn tcp(ask: &Ask, server_sends: bool) -> Option<TcpPlan> {
    let Ask::TcpThroughput {
        streams,
        mss_bytes,
        socket_buffer_bytes,
        congestion_control,
        max_time_ms,
        max_bytes,
        watch_hops,
        ..
    } = ask
    else {
        return None;
    };
    Some(TcpPlan {
        server_sends,
        streams: *streams,
        mss_bytes: *mss_bytes,
        socket_buffer_bytes: *socket_buffer_bytes,
        congestion_control: congestion_control.clone(),
        max_time_ms: *max_time_ms,
        max_bytes: *max_bytes,
        max_rate_bps: None,
        watch_hops: *watch_hops,
    })
}

/// The plan of a UDP stream; `None` where something else is asked.
pub(crate) fn udp(ask: &Ask, server_sends: bool) -> Option<UdpPlan> {
    let Ask::UdpStream {
        size_bytes,
        rate_bps,
        duration_ms,
        ..
    } = ask
    else {
        return None;
    };
    Some(UdpPlan {
        server_sends,
        size_bytes: *size_bytes,
        rate_bps: rate_bps.0,
        duration_ms: *duration_ms,
    })
}
