//! A far end that lies, or says nothing: its client does no more than its user allowed, and leaves when it is told to.

use super::acting::{greeted_with, listened_to};
use super::channel::Channel;
use super::{FarEnd, Side};
use crate::{NetError, Watch};
use evidence::{Ask, Node, Payload, RateBps, StopReason};
use probe::session::{Limits, PROTOCOL_VERSION, TcpPlan, ToClient, ToServer, UdpHeader, UdpKind};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn welcome() -> ToClient {
    ToClient::Welcome {
        version: PROTOCOL_VERSION,
        program: "a liar".to_owned(),
        machine: String::new(),
        reflector: [0; 16],
        limits: Limits::default(),
    }
}

/// A client, and the end of its conversation that the test speaks for.
async fn let_in() -> (FarEnd, Channel) {
    let (client, channel, _) = greeted_with(welcome()).await;
    (client.unwrap(), channel)
}

fn two_seconds_and_a_megabyte() -> Ask {
    Ask::TcpThroughput {
        from: Node::read("here"),
        to: Node::read("there"),
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 2_000,
        max_bytes: Some(1_000_000),
        watch_hops: false,
    }
}

/// How a client takes a plan that the far end made of its own.
async fn after(change: fn(TcpPlan) -> TcpPlan) -> NetError {
    let (client, mut channel) = let_in().await;
    let (ask, watch) = (two_seconds_and_a_megabyte(), Watch::quiet());
    let lying = async {
        let ToServer::Tcp { plan } = channel.receive().await.unwrap() else {
            panic!("no transfer was asked for");
        };
        let accepted = ToClient::Accepted {
            key: [7; 16],
            plan: Some(change(plan)),
        };
        channel.send(&accepted).await.unwrap();
        channel
    };
    let (answer, _channel) = tokio::join!(client.perform(&ask, Side::Here, &watch), lying);
    answer.unwrap_err()
}

#[tokio::test]
async fn a_plan_that_takes_more_than_was_asked_is_refused() {
    let changes: [fn(TcpPlan) -> TcpPlan; 4] = [
        |plan| TcpPlan {
            max_time_ms: u32::MAX,
            ..plan
        },
        |plan| TcpPlan {
            max_bytes: None,
            ..plan
        },
        |plan| TcpPlan {
            streams: 60_000,
            ..plan
        },
        |plan| TcpPlan {
            server_sends: true,
            ..plan
        },
    ];
    for change in changes {
        let error = after(change).await;
        assert!(
            matches!(&error, NetError::Protocol(what) if what.contains("another transfer")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn nobody_who_leaves_waits_for_a_silent_far_end() {
    let stream = Ask::UdpStream {
        from: Node::read("here"),
        to: Node::read("there"),
        size_bytes: 200,
        rate_bps: RateBps(1e6),
        duration_ms: 1_000,
    };
    let settings = Ask::HostFacts {
        at: Node::read("there"),
    };
    for (ask, vantage) in [
        (two_seconds_and_a_megabyte(), Side::Here),
        (stream, Side::Here),
        (settings, Side::There),
    ] {
        let (client, _channel) = let_in().await;
        let watch = Watch::quiet();
        let start = Instant::now();
        let (answer, ()) = tokio::join!(client.perform(&ask, vantage, &watch), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            watch.cancel.cancel();
        });
        assert!(answer.is_err(), "{ask:?}");
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{ask:?}: {:?}",
            start.elapsed()
        );
    }
}

/// What a far end never does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Never {
    Answers,
    IsReady,
    Reads,
    Reports,
    Stops,
}

/// One transfer with a far end that behaves like this: how long it took, and the bytes that the client let in.
async fn endured(ask: Ask, vantage: Side, never: Never) -> (Duration, u64) {
    let (client, mut channel, _, listener) = listened_to(welcome()).await;
    let client = client.unwrap();
    let watch = Watch::quiet();
    let start = Instant::now();
    let acting = async {
        let asked: ToServer = channel.receive().await.unwrap();
        if never == Never::Answers {
            return std::future::pending::<()>().await;
        }
        let plan = match asked {
            ToServer::Tcp { plan } => Some(plan),
            _ => None,
        };
        let is_tcp = plan.is_some();
        channel
            .send(&ToClient::Accepted { key: [7; 16], plan })
            .await
            .unwrap();
        let mut data = match is_tcp {
            true => Some(listener.accept().await.unwrap().0),
            false => None,
        };
        if never == Never::IsReady {
            return std::future::pending().await;
        }
        let ready = ToClient::Ready {
            congestion_control: None,
        };
        channel.send(&ready).await.unwrap();
        let mut block = vec![0; 1 << 16];
        while let Some(stream) = data.as_mut().filter(|_| never != Never::Reads) {
            let went = match never {
                Never::Stops => stream.write(&block).await,
                _ => stream.read(&mut block).await,
            };
            if went.is_err() || went.is_ok_and(|count| count == 0) {
                break;
            }
        }
        std::future::pending().await
    };
    let outcome = tokio::select! {
        outcome = client.perform(&ask, vantage, &watch) => outcome,
        () = acting => panic!("it acts for ever"),
    };
    let received = outcome.iter().flatten().filter_map(|payload| match payload {
        Payload::Transfer(transfer) => transfer.bytes_received,
        _ => None,
    });
    (start.elapsed(), received.sum())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_is_over_five_seconds_after_its_time_whatever_the_far_end_does() {
    let (here, there) = (Node::read("here"), Node::read("there"));
    let tcp = |max_bytes| Ask::TcpThroughput {
        from: here.clone(),
        to: there.clone(),
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 1_000,
        max_bytes,
        watch_hops: false,
    };
    let udp = Ask::UdpStream {
        from: here.clone(),
        to: there.clone(),
        size_bytes: 200,
        rate_bps: RateBps(1e6),
        duration_ms: 1_000,
    };
    let mut all = Vec::new();
    for never in [
        Never::Answers,
        Never::IsReady,
        Never::Reads,
        Never::Reports,
        Never::Stops,
    ] {
        for (ask, sender) in [
            (tcp(None), Side::Here),
            (tcp(None), Side::There),
            (tcp(Some(1_000_000)), Side::There),
            (udp.clone(), Side::Here),
            (udp.clone(), Side::There),
        ] {
            let most = matches!(
                &ask,
                Ask::TcpThroughput {
                    max_bytes: Some(_),
                    ..
                }
            )
            .then_some(1_000_001);
            all.push(async move { (never, sender, most, endured(ask, sender, never).await) });
        }
    }
    for (never, sender, most, (took, bytes)) in futures::future::join_all(all).await {
        assert!(took < Duration::from_secs(6), "{never:?} {sender:?}: {took:?}");
        assert!(
            most.is_none_or(|most| bytes <= most),
            "{never:?} {sender:?}: {bytes} bytes"
        );
    }
}

/// A stream of ten seconds that comes ten times as fast as it was asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_udp_stream_that_is_faster_than_asked_for_is_not_listened_to() {
    let (client, mut channel, _, listener) = listened_to(welcome()).await;
    let (client, key) = (client.unwrap(), [7; 16]);
    let socket = tokio::net::UdpSocket::bind(listener.local_addr().unwrap())
        .await
        .unwrap();
    let ask = Ask::UdpStream {
        from: Node::read("there"),
        to: Node::read("here"),
        size_bytes: 1_000,
        rate_bps: RateBps(1e6),
        duration_ms: 10_000,
    };
    let acting = async {
        let _: ToServer = channel.receive().await.unwrap();
        channel
            .send(&ToClient::Accepted { key, plan: None })
            .await
            .unwrap();
        let (_, client) = socket.recv_from(&mut [0; 64]).await.unwrap();
        let ready = ToClient::Ready {
            congestion_control: None,
        };
        channel.send(&ready).await.unwrap();
        let mut payload = [0; 972];
        let mut ticks = tokio::time::interval(Duration::from_millis(8));
        for sequence in 0.. {
            let (kind, tag) = (UdpKind::Data, UdpHeader::tag_of(&key));
            UdpHeader { kind, tag, sequence }.write(&mut payload).unwrap();
            let _ = socket.send_to(&payload, client).await;
            if sequence % 10 == 9 {
                ticks.tick().await;
            }
        }
    };
    let (watch, start) = (Watch::quiet(), Instant::now());
    let outcome = tokio::select! {
        outcome = client.perform(&ask, Side::There, &watch) => outcome.unwrap(),
        () = acting => panic!("it acts for ever"),
    };
    let [Payload::Transfer(seen)] = &outcome[..] else {
        panic!("{outcome:?}");
    };
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(seen.stop, Some(StopReason::PeerGone));
    let bytes = seen
        .bytes_received
        .or(seen.packets_received.map(|packets| packets * 1_000));
    assert!(
        bytes.is_some_and(|bytes| (100_000..400_000).contains(&bytes)),
        "{seen:?}"
    );
}
