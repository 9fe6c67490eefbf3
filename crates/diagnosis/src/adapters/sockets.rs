//! Connections as the sending host lists them: a transfer of which only one moment is known.

use super::Intake;
use evidence::{Node, Observation, Sockets, Transfer, TransferSide, Transport};

pub(super) fn measure(intake: &mut Intake, sockets: &Sockets, observation: &Observation) {
    for connection in &sockets.connections {
        let Some(rate) = connection.delivery_rate_bps else {
            continue;
        };
        // A connection that sent little tells of nothing but its beginning.
        if connection
            .account
            .bytes_acked
            .is_none_or(|bytes| bytes < 1_000_000)
        {
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

/// The host of `192.0.2.1:443`, `[2001:db8::1]:443` or `name:443`.
fn host(socket: &str) -> Node {
    let host = socket.rsplit_once(':').map_or(socket, |(host, _)| host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    Node::read(bare.split_once('%').map_or(bare, |(address, _)| address))
}
