//! The transfer complained about as the sending kernel tells of it, read from a list of its connections (`ss -ti`).

use super::Records;
use super::ends::end_of;
use evidence::{Complaint, End, Node, ObservationId, RateBps, SocketState};

/// The connection that carries the data.
#[derive(Debug, Clone)]
pub(crate) struct SenderConnection {
    /// Time with data to send, microseconds.
    pub(crate) busy_us: u64,
    /// Acknowledged over the busy time.
    pub(crate) rate: Option<RateBps>,
    pub(crate) id: ObservationId,
}

/// With less time of data to send, a connection is still starting.
const LEAST_BUSY_US: u64 = 1_000_000;

impl SenderConnection {
    /// The one that was busy longest. `None` where no list of the sender's connections has one.
    pub(crate) fn of(records: &Records, complaint: &Complaint) -> Option<Self> {
        let connections = records.sockets.iter().flat_map(|sockets| {
            let ours = sockets.what.connections.iter().filter(|connection| {
                let local =
                    end_of(&host(&connection.local), complaint).or(complaint.end_of(&sockets.vantage));
                local == Some(End::From) && end_of(&host(&connection.peer), complaint) == Some(End::To)
            });
            ours.filter_map(|connection| Self::read(connection, &sockets.id))
        });
        connections.max_by(|a, b| a.busy_us.cmp(&b.busy_us).then_with(|| b.id.cmp(&a.id)))
    }

    fn read(connection: &SocketState, id: &ObservationId) -> Option<Self> {
        let account = connection.account.clone();
        let busy_us = account.busy_us.filter(|busy| *busy >= LEAST_BUSY_US)?;
        let rate = account
            .bytes_acked
            .map(|bytes| RateBps(bytes as f64 * 8e6 / busy_us as f64));
        Some(Self {
            busy_us,
            rate,
            id: id.clone(),
        })
    }
}

/// The host of `10.0.0.1:5201`, `[::ffff:10.0.0.1]:5201`, `10.0.0.1%eth0:80`, `host.example:ssh`.
fn host(endpoint: &str) -> Node {
    let host = endpoint.rsplit_once(':').map_or(endpoint, |(host, _port)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let host = host.split_once('%').map_or(host, |(host, _interface)| host);
    Node::read(host.strip_prefix("::ffff:").unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_name_hosts() {
        for endpoint in ["10.0.0.1:5201", "[::ffff:10.0.0.1]:5201", "10.0.0.1%eth0:80"] {
            assert_eq!(host(endpoint), Node::read("10.0.0.1"), "{endpoint}");
        }
        assert_eq!(host("[2001:db8::1]:443"), Node::read("2001:db8::1"));
        assert_eq!(host("b.example:ssh"), Node::named("b.example"));
    }
}
