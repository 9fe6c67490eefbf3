//! `ss -ti` of the sender, as the importer gives it.

use super::records::{complaint, record_at};
use evidence::v1::{Case, End, Payload, SocketState, Sockets, TcpAccount, Vantage};

/// Ten seconds to `peer` over 60 ms: how much of it the window limited, how large it was, what was acknowledged.
pub fn case(peer: &str, limited_ms: u64, window_bytes: u64, acked_bytes: u64) -> Case {
    let account = TcpAccount {
        busy_us: Some(10_000_000),
        receive_window_limited_us: Some(limited_ms * 1_000),
        peer_window_bytes: Some(window_bytes),
        bytes_acked: Some(acked_bytes),
        rtt_us: Some(60_000),
        min_rtt_us: Some(60_000),
        retransmitted_segments: Some(3),
        data_segments_out: Some(9_000),
        ..TcpAccount::default()
    };
    let connection = SocketState {
        local: "10.0.0.1:41412".into(),
        peer: peer.into(),
        account,
        ..SocketState::default()
    };
    let mut case = complaint("10.0.0.1", "10.0.9.1", Some(400e6));
    let sockets = Payload::Sockets(Sockets {
        connections: vec![connection],
    });
    record_at(&mut case, 1, "ss", Vantage::End(End::From), sockets);
    case
}
