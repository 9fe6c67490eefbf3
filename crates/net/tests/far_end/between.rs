//! Transfers between two far ends, of which neither is the client.

use super::support::*;
use evidence::{Ask, NotMeasuredReason, Payload, StopReason, Transfer};
use net::far_end::{FarEnd, Side, between};
use net::{NetError, Watch};
use std::net::IpAddr;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const A: &str = "127.0.0.2";
const B: &str = "127.0.0.3";

fn at(address: &str, peers: &str) -> Serving {
    serve_with(|config| {
        config.listen = vec![format!("{address}:0").parse().unwrap()];
        config.allow_peers = peers.split_whitespace().map(|one| one.parse().unwrap()).collect();
    })
}

fn ip(address: &str) -> Option<IpAddr> {
    address.parse().ok()
}

async fn transfer(sender: &FarEnd, receiver: &FarEnd, ask: &Ask) -> Transfer {
    match between(ask, sender, receiver, &Watch::quiet())
        .await
        .unwrap()
        .remove(0)
    {
        Payload::Transfer(transfer) => *transfer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_flows_from_one_far_end_to_the_other() {
    let (a, b) = (at(A, B), at(B, A));
    let (a, b) = (a.client().await, b.client().await);
    for (sender, receiver, from, to) in [(&a, &b, A, B), (&b, &a, B, A)] {
        let mut ask = tcp(Side::Here, 700);
        if let Ask::TcpThroughput { streams, .. } = &mut ask {
            *streams = 2;
        }
        let tcp = transfer(sender, receiver, &ask).await;
        assert_eq!((tcp.from.address, tcp.to.address), (ip(from), ip(to)));
        assert_eq!(tcp.stop, Some(StopReason::MaxTime));
        assert!(tcp.bytes_received.unwrap() > 1_000_000);
        let (at_sender, at_receiver) = (tcp.sender.unwrap(), tcp.receiver.unwrap());
        assert_eq!((at_sender.accounts.len(), at_receiver.accounts.len()), (2, 2));
        assert!(at_sender.accounts[0].bytes_acked.unwrap() > 100_000);
        assert!(!tcp.congestion_control.unwrap().is_empty());
    }
    // The sessions are whole: each far end answers its next question.
    for far in [&a, &b] {
        let tcp = transfer_of(far, &tcp(Side::There, 300)).await;
        assert!(tcp.bytes_received.unwrap() > 100_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hops_are_watched_from_the_far_end_that_sends() {
    let (a, b) = (at(A, B), at(B, A));
    let (a, b) = (a.client().await, b.client().await);
    let mut ask = tcp(Side::Here, 900);
    if let Ask::TcpThroughput { watch_hops, .. } = &mut ask {
        *watch_hops = true;
    }
    let payloads = between(&ask, &a, &b, &Watch::quiet()).await.unwrap();
    let [Payload::Transfer(_), Payload::Probes(hops)] = &payloads[..] else {
        panic!("{payloads:?}");
    };
    assert_eq!(hops.from.address, ip(A));
    assert_eq!(hops.destination.as_ref().and_then(|node| node.address), ip(B));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_limit_holds_between_far_ends() {
    let (a, b) = (at(A, "any"), at(B, "any"));
    let (a, b) = (a.client().await, b.client().await);
    let mut ask = tcp(Side::Here, 10_000);
    if let Ask::TcpThroughput { max_bytes, .. } = &mut ask {
        *max_bytes = Some(5_000_001);
    }
    let tcp = transfer(&a, &b, &ask).await;
    assert_eq!(
        (tcp.stop, tcp.bytes_received),
        (Some(StopReason::MaxBytes), Some(5_000_001))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_udp_stream_is_counted_at_both_far_ends() {
    let (a, b) = (at(A, B), at(B, A));
    let (a, b) = (a.client().await, b.client().await);
    for (sender, receiver, from, to) in [(&a, &b, A, B), (&b, &a, B, A)] {
        let udp = transfer(sender, receiver, &udp(Side::Here, 500, 4e6, 500)).await;
        assert_eq!((udp.from.address, udp.to.address), (ip(from), ip(to)));
        assert_eq!((udp.packets_sent, udp.packets_received), (Some(500), Some(500)));
        assert!(udp.one_way_delay.is_some(), "one clock");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn either_owner_can_refuse_and_the_sessions_go_on() {
    for (of_a, of_b) in [("", A), (B, "")] {
        let (a, b) = (at(A, of_a), at(B, of_b));
        let (a, b) = (a.client().await, b.client().await);
        let error = between(&tcp(Side::Here, 300), &a, &b, &Watch::quiet())
            .await
            .unwrap_err();
        assert_eq!(error.reason(), NotMeasuredReason::Refused, "{error}");
        assert!(error.to_string().contains("--allow-peers"), "{error}");
        for far in [&a, &b] {
            assert!(
                transfer_of(far, &tcp(Side::Here, 300))
                    .await
                    .bytes_received
                    .unwrap()
                    > 100_000
            );
        }
    }
}

/// It waits for its turn at the one that waits for the other; that other has to be free by then, as two pairs could wait
/// for each other for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_waits_for_its_turn_at_one_far_end_and_not_at_both() {
    let (a, b) = (at(A, "any"), at(B, "any"));
    let (near, far, third) = (a.client().await, b.client().await, b.client().await);
    let (long, watch) = (tcp(Side::Here, 2_000), Watch::quiet());
    let short = tcp(Side::Here, 300);
    let after = async |sender: &FarEnd, receiver: &FarEnd| {
        tokio::time::sleep(Duration::from_millis(500)).await;
        between(&short, sender, receiver, &watch).await
    };
    let (_, waited) = tokio::join!(perform(&third, &long, &watch), after(&near, &far));
    assert!(matches!(&waited.unwrap()[0], Payload::Transfer(_)));
    let (_, refused) = tokio::join!(perform(&third, &long, &watch), after(&far, &near));
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("busy"), "{error}");
    let tcp = transfer(&far, &near, &short).await;
    assert!(tcp.bytes_received.unwrap() > 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_transfer_ends_at_once_with_what_was_seen() {
    let (a, b) = (at(A, "any"), at(B, "any"));
    let (a, b) = (a.client().await, b.client().await);
    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), |_| {});
    let began = std::time::Instant::now();
    let ask = tcp(Side::Here, 30_000);
    let (outcome, ()) = tokio::join!(between(&ask, &a, &b, &watch), async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        cancel.cancel();
    });
    assert!(began.elapsed() < Duration::from_secs(5));
    match outcome {
        Ok(payloads) => match &payloads[0] {
            Payload::Transfer(tcp) => assert_eq!(tcp.stop, Some(StopReason::Cancelled)),
            other => panic!("{other:?}"),
        },
        Err(error) => assert!(matches!(error, NetError::Cancelled), "{error}"),
    }
}
