//! A far end that connects to its client.

use super::support::*;
use evidence::{Ask, Payload, ProbeProtocol, Transfer};
use net::far_end::{Met, Server, ServerConfig, Side, Token, Waiting, between, new_token};
use net::{NetError, Watch};
use std::net::SocketAddr;
use tokio_util::sync::{CancellationToken, DropGuard};

fn here() -> Vec<SocketAddr> {
    vec!["127.0.0.1:0".parse().unwrap()]
}

/// Serves whoever waits at `client` until dropped.
fn dial(client: SocketAddr, token: Token) -> DropGuard {
    let server = Server::bind(ServerConfig::new(Vec::new(), token)).unwrap();
    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), |_| {});
    tokio::spawn(async move { server.dialer().dial(client, watch).await });
    cancel.drop_guard()
}

async fn met() -> (Met, DropGuard) {
    let waiting = Waiting::bind(here(), token()).unwrap();
    let far = dial(waiting.addresses()[0], token());
    (waiting.far_end(&Watch::quiet()).await.unwrap(), far)
}

async fn transfer(met: &Met, ask: &Ask, sender: Side) -> Transfer {
    let (own, far) = (met.own.end(), &met.far);
    let (from, to) = match sender {
        Side::Here => (own, far),
        Side::There => (far, own),
    };
    match between(ask, from, to, &Watch::quiet()).await.unwrap().remove(0) {
        Payload::Transfer(transfer) => *transfer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_go_both_ways_over_connections_that_it_opens() {
    let (met, _far) = met().await;
    assert!(met.far.has_dialed() && met.far.reflector().is_none());
    for sender in [Side::Here, Side::There] {
        let over_tcp = transfer(&met, &tcp(sender, 400), sender).await;
        assert!(over_tcp.bytes_received.unwrap() > 100_000, "{over_tcp:?}");
        assert_eq!(over_tcp.sender.unwrap().accounts.len(), 1);
        let over_udp = transfer(&met, &udp(sender, 500, 4e6, 300), sender).await;
        assert!(over_udp.packets_received.unwrap() > 100, "{over_udp:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_measures_from_its_side_as_any_far_end() {
    let (met, _far) = met().await;
    let (from, to) = nodes(Side::There);
    let facts = perform(&met.far, &Ask::HostFacts { at: from.clone() }, &Watch::quiet()).await;
    assert!(matches!(facts.unwrap()[..], [Payload::HostFacts(_)]));
    let route = Ask::Route {
        from,
        to,
        protocol: ProbeProtocol::Udp,
        flows: 1,
    };
    let route = perform(&met.far, &route, &Watch::quiet()).await;
    assert!(matches!(route.unwrap()[..], [Payload::Trace(_)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_comes_again_to_the_next_client_and_never_with_another_token() {
    let waiting = Waiting::bind(here(), token()).unwrap();
    let address = waiting.addresses()[0];
    let _stranger = dial(address, Token::read(&new_token().unwrap()).unwrap());
    let _far = dial(address, token());
    drop(waiting.far_end(&Watch::quiet()).await.unwrap());
    // The port is free again once the first client's server has ended.
    let again = loop {
        match Waiting::bind(vec![address], token()) {
            Ok(waiting) => break waiting,
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    };
    assert!(again.far_end(&Watch::quiet()).await.unwrap().far.has_dialed());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_can_stop() {
    let waiting = Waiting::bind(here(), token()).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = waiting.far_end(&Watch::new(cancel, |_| {})).await;
    assert!(matches!(stopped, Err(NetError::Cancelled)));
}
