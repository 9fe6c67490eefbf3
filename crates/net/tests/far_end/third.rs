//! Far ends that probe each other: only where both owners allow it, and only who agrees.

use super::support::*;
use evidence::{NotMeasuredReason, Payload, Probes};
use net::far_end::{LocalAsk, Peer};
use net::{NetError, Watch};
use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

const A: &str = "127.0.0.2";
const B: &str = "127.0.0.3";
const WITHIN: Duration = Duration::from_secs(10);

fn at(address: &str, peers: &str) -> Serving {
    serve_with(|config| {
        config.listen = vec![format!("{address}:0").parse().unwrap()];
        config.allow_peers = peers.split_whitespace().map(|one| one.parse().unwrap()).collect();
    })
}

fn ip(address: &str) -> IpAddr {
    address.parse().unwrap()
}

fn probes() -> LocalAsk {
    LocalAsk::HopLoss {
        ttls: vec![64],
        count: 40,
        rate_pps: 200,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_far_end_probes_another_that_admitted_it() {
    let (a, b) = (at(A, "127.0.0.0/8"), at(B, A));
    let (near, far) = (a.client().await, b.client().await);
    let watch = Watch::quiet();
    let [Some(peer)] = far.admit(&[ip(A)], &watch).await.unwrap()[..] else {
        panic!("not admitted");
    };
    assert_eq!((peer.address, peer.port), (b.address.ip(), b.address.port()));
    let outcomes = near.towards(&probes(), &[peer], WITHIN, &watch).await.unwrap();
    let [Ok(Payload::Probes(Probes { from, rows, .. }))] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert_eq!(from.address, Some(ip(A)));
    assert_eq!((rows[0].sent, rows[0].received), (Some(40), Some(40)));
    let [Some(arrived)] = far.arrivals(&watch).await.unwrap()[..] else {
        panic!("no account");
    };
    assert_eq!(
        (arrived.received, arrived.answered),
        (40, 40),
        "questions whether it agrees are no probes"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_who_allow_nothing_are_left_alone() {
    let (a, b) = (at(A, "192.0.2.0/24"), at(B, ""));
    let (near, far) = (a.client().await, b.client().await);
    let watch = Watch::quiet();
    assert_eq!(far.admit(&[ip(A)], &watch).await.unwrap(), [None]);
    // The client's own address is no third place.
    assert!(far.admit(&[far.local_address()], &watch).await.unwrap()[0].is_some());
    let peer = Peer {
        address: ip(B),
        port: b.address.port(),
        session: [7; 16],
    };
    let outcomes = near.towards(&probes(), &[peer], WITHIN, &watch).await.unwrap();
    let [Err(error)] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert_eq!(error.reason(), NotMeasuredReason::Refused);
    assert!(error.to_string().contains("--allow-peers"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_did_not_agree_gets_a_few_small_questions_and_no_probe() {
    let a = at(A, "any");
    let near = a.client().await;
    let victim = UdpSocket::bind("127.0.0.4:0").unwrap();
    victim.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let peer = Peer {
        address: ip("127.0.0.4"),
        port: victim.local_addr().unwrap().port(),
        session: [7; 16],
    };
    let outcomes = near
        .towards(&probes(), &[peer], WITHIN, &Watch::quiet())
        .await
        .unwrap();
    assert!(
        matches!(&outcomes[..], [Err(NetError::Unreachable(..))]),
        "{outcomes:?}"
    );
    let (mut count, mut bytes) = (0, 0);
    while let Ok(length) = victim.recv(&mut [0; 2_048]) {
        (count, bytes) = (count + 1, bytes + length);
    }
    assert!(
        count > 0 && count <= 20 && bytes <= 720,
        "{count} datagrams, {bytes} bytes"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admission_ends_with_the_next_one_and_with_its_session() {
    let (a, b) = (at(A, "any"), at(B, "any"));
    let (near, far) = (a.client().await, b.client().await);
    let watch = Watch::quiet();
    let first = far.admit(&[ip(A)], &watch).await.unwrap()[0].unwrap();
    let second = far.admit(&[ip(A)], &watch).await.unwrap()[0].unwrap();
    let outcomes = near
        .towards(&probes(), &[first, second], WITHIN, &watch)
        .await
        .unwrap();
    assert!(matches!(&outcomes[..], [Err(_), Ok(_)]), "{outcomes:?}");
    drop(far);
    // The far end notices the end of the connection by itself.
    for _ in 0..20 {
        let outcomes = near.towards(&probes(), &[second], WITHIN, &watch).await.unwrap();
        if outcomes[0].is_err() {
            return;
        }
    }
    panic!("a session that is gone still admits");
}
