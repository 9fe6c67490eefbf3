//! A far end on loopback, and asks to put to it.

use evidence::v1::{Ask, End, Payload, RateBps, TcpThroughput, UdpStream};
use net::Watch;
use net::far_end::{FarEnd, Server, ServerConfig, connect};
use std::net::SocketAddr;
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "a token of sixteen letters";

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
    let mut config = ServerConfig::new(vec!["127.0.0.1:0".parse().unwrap()], TOKEN);
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

impl Serving {
    pub(crate) async fn client(&self) -> FarEnd {
        connect(
            self.address.ip(),
            self.address.port(),
            TOKEN,
            None,
            &Watch::quiet(),
        )
        .await
        .unwrap()
    }
}

/// The local end sends.
pub(crate) fn tcp(sender: End, max_time_ms: u32) -> Ask {
    Ask::TcpThroughput {
        sender,
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms,
        max_bytes: None,
        watch_hops: false,
    }
}

pub(crate) fn udp(sender: End, size_bytes: u32, rate_bps: f64, duration_ms: u32) -> Ask {
    Ask::UdpStream {
        sender,
        size_bytes,
        rate_bps: RateBps(rate_bps),
        duration_ms,
    }
}

pub(crate) async fn tcp_of(far: &FarEnd, ask: &Ask) -> TcpThroughput {
    match far
        .perform(ask, End::From, &Watch::quiet())
        .await
        .unwrap()
        .remove(0)
    {
        Payload::TcpThroughput(tcp) => tcp,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn udp_of(far: &FarEnd, ask: &Ask) -> UdpStream {
    match far
        .perform(ask, End::From, &Watch::quiet())
        .await
        .unwrap()
        .remove(0)
    {
        Payload::UdpStream(udp) => udp,
        other => panic!("{other:?}"),
    }
}
