//! What a kernel says of one of its TCP connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one kernel says of one connection at its end (`struct tcp_info`). Each field is `None` where the running
/// kernel does not report it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TcpAccount {
    /// Data segments sent, retransmissions included.
    pub data_segments_out: Option<u64>,
    /// Segments sent again.
    pub retransmitted_segments: Option<u64>,
    /// Bytes sent again.
    pub retransmitted_bytes: Option<u64>,
    /// Bytes acknowledged.
    pub bytes_acked: Option<u64>,
    /// Bytes received in order.
    pub bytes_received: Option<u64>,
    /// Segments received out of order.
    pub out_of_order_segments: Option<u64>,
    /// Duplicate segments that the peer reported by D-SACK: spurious retransmissions.
    pub dsack_duplicates: Option<u64>,
    /// Retransmission timeouts since the connection began.
    pub timeouts: Option<u64>,
    /// Time with unacknowledged or unsent data, microseconds. Includes the two below.
    pub busy_us: Option<u64>,
    /// Time limited by the receiver's advertised window, microseconds.
    pub receive_window_limited_us: Option<u64>,
    /// Time limited by the own send buffer, microseconds. Linux counts this unreliably on shaped links.
    pub send_buffer_limited_us: Option<u64>,
    /// Maximum segment size in use for sending, bytes.
    pub send_mss_bytes: Option<u32>,
    /// Path MTU that the connection believes in, bytes.
    pub path_mtu_bytes: Option<u32>,
    /// Largest receive window the peer advertised, bytes.
    pub peer_window_bytes: Option<u64>,
    /// Own receive buffer space as tuned by the kernel, bytes.
    pub receive_space_bytes: Option<u32>,
    /// Smallest round-trip time seen, microseconds.
    pub min_rtt_us: Option<u32>,
    /// Smoothed round-trip time at the end, microseconds.
    pub rtt_us: Option<u32>,
    /// Congestion window at the end, segments.
    pub cwnd_segments: Option<u32>,
    /// Slow start threshold at the end, segments; `None` as long as it is infinite.
    pub ssthresh_segments: Option<u32>,
    /// Packets reordered by up to so many places (`tcpi_reordering`).
    pub reordering_segments: Option<u32>,
    /// Whether the connection uses selective acknowledgements (RFC 2018).
    pub sack: Option<bool>,
    /// Whether the connection uses timestamps (RFC 7323).
    pub timestamps: Option<bool>,
    /// Window scale sent and received (RFC 7323); `None` when not negotiated.
    pub window_scale: Option<(u8, u8)>,
    /// Whether the connection uses ECN (RFC 3168).
    pub ecn: Option<bool>,
    /// ECN-marked segments that the peer reported.
    pub ecn_marked_segments: Option<u64>,
}
