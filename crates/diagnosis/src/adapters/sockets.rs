//! Connections as the sending host lists them: a transfer of which only one moment is known.

use super::intake::Intake;
use evidence::{Node, Observation, RateBps, Sockets, Transfer, TransferSide, Transport};

/// With less time of data to send, a connection is still starting.
const LEAST_BUSY_US: u64 = 1_000_000;

pub(super) fn measure(intake: &mut Intake, sockets: &Sockets, observation: &Observation) {
    for connection in &sockets.connections {
        let account = &connection.account;
        let busy_us = account.busy_us.filter(|busy| *busy >= LEAST_BUSY_US);
        let acknowledged = account.bytes_acked.zip(busy_us);
        let steady = acknowledged.map(|(bytes, busy)| RateBps(bytes as f64 * 8e6 / busy as f64));
        let Some(rate) = connection.delivery_rate_bps.or(steady) else {
            continue;
        };
        // A connection that sent little tells of nothing but its beginning.
        if account.bytes_acked.is_none_or(|bytes| bytes < 1_000_000) {
            continue;
        }
        let transfer = Transfer {
            from: host(&connection.local),
            to: host(&connection.peer),
            protocol: Some(Transport::Tcp),
            congestion_control: connection.congestion_control.clone(),
            sent_bps: Some(rate),
            sender: Some(TransferSide {
                accounts: vec![connection.account.clone()],
                cpu: None,
            }),
            ..Transfer::default()
        };
        super::transfer::measure(intake, &transfer, observation);
    }
}

/// The smallest round-trip times that connections saw, nanoseconds.
pub(super) fn rtts(sockets: &Sockets, mut note: impl FnMut(&Node, &Node, f64)) {
    for connection in &sockets.connections {
        if let Some(us) = connection.account.min_rtt_us {
            note(
                &host(&connection.local),
                &host(&connection.peer),
                f64::from(us) * 1e3,
            );
        }
    }
}

/// The host of `192.0.2.1:443`, `[2001:db8::1]:443` or `name:443`.
fn host(socket: &str) -> Node {
    let host = socket.rsplit_once(':').map_or(socket, |(host, _)| host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    Node::read(bare.split_once('%').map_or(bare, |(address, _)| address))
}
