//! A far end on loopback, and asks to put to it.

use evidence::{Ask, Node, Payload, RateBps, Transfer};
use net::far_end::{FarEnd, Server, ServerConfig, Side, Token, connect};
use net::{NetError, Watch};
use std::net::{IpAddr, SocketAddr};
use tokio_util::sync::CancellationToken;

/// The token of [`serve`].
pub(crate) fn token() -> Token {
    Token::read("slowpath_0d9e7f3b52c8461ab90e6d17f42c83a5b1d6e094d088cc29").unwrap()
}

/// A far end that serves until dropped.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) cancel: CancellationToken,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

pub(crate) fn serve_with(change: impl FnOnce(&mut ServerConfig)) -> Serving {
    let mut config = ServerConfig::new(vec!["127.0.0.1:0".parse().unwrap()], token());
    change(&mut config);
    let server = Server::bind(config).unwrap();
    let address = server.addresses()[0];
    let cancel = CancellationToken::new();
    tokio::spawn(server.run(Watch::new(cancel.clone(), |_| {})));
    Serving { address, cancel }
}

pub(crate) fn serve() -> Serving {
    serve_with(|_| {})
}

/// At another address than the client's, so that results can tell the two ends.
pub(crate) fn serve_elsewhere() -> Serving {
    serve_with(|config| config.listen = vec!["127.0.0.2:0".parse().unwrap()])
}

/// (sender's address, receiver's address) of a transfer with [`serve_elsewhere`].
pub(crate) fn addresses(sender: Side) -> (Option<IpAddr>, Option<IpAddr>) {
    let (here, there) = ([127, 0, 0, 1].into(), [127, 0, 0, 2].into());
    match sender {
        Side::Here => (Some(here), Some(there)),
        Side::There => (Some(there), Some(here)),
    }
}

impl Serving {
    pub(crate) async fn client(&self) -> FarEnd {
        connect(
            self.address.ip(),
            self.address.port(),
            &token(),
            None,
            &Watch::quiet(),
        )
        .await
        .unwrap()
    }
}

const HERE: &str = "here";
const THERE: &str = "there";

/// The nodes of an ask, its vantage first.
pub(crate) fn nodes(vantage: Side) -> (Node, Node) {
    let (here, there) = (Node::named(HERE), Node::named(THERE));
    match vantage {
        Side::Here => (here, there),
        Side::There => (there, here),
    }
}

fn side_of(ask: &Ask) -> Side {
    match ask.vantage().name.as_deref() {
        Some(HERE) => Side::Here,
        _ => Side::There,
    }
}

/// Puts an ask between [`nodes`].
pub(crate) async fn perform(far: &FarEnd, ask: &Ask, watch: &Watch) -> Result<Vec<Payload>, NetError> {
    far.perform(ask, side_of(ask), watch).await
}

pub(crate) fn tcp(sender: Side, max_time_ms: u32) -> Ask {
    let (from, to) = nodes(sender);
    Ask::TcpThroughput {
        from,
        to,
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms,
        max_bytes: None,
        watch_hops: false,
    }
}

pub(crate) fn udp(sender: Side, size_bytes: u32, rate_bps: f64, duration_ms: u32) -> Ask {
    let (from, to) = nodes(sender);
    Ask::UdpStream {
        from,
        to,
        size_bytes,
        rate_bps: RateBps(rate_bps),
        duration_ms,
    }
}

/// What a transfer gave.
pub(crate) async fn transfer_of(far: &FarEnd, ask: &Ask) -> Transfer {
    match perform(far, ask, &Watch::quiet()).await.unwrap().remove(0) {
        Payload::Transfer(transfer) => *transfer,
        other => panic!("{other:?}"),
    }
}
