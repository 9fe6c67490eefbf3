//! A far end that lies, or says nothing: its client does no more than its user allowed, and leaves when it is told to.

use super::acting::greeted_with;
use super::channel::Channel;
use super::{FarEnd, Side};
use crate::{NetError, Watch};
use evidence::{Ask, Node, RateBps};
use probe::session::{Limits, PROTOCOL_VERSION, TcpPlan, ToClient, ToServer};
use std::time::{Duration, Instant};

/// A client, and the end of its conversation that the test speaks for.
async fn let_in() -> (FarEnd, Channel) {
    let welcome = ToClient::Welcome {
        version: PROTOCOL_VERSION,
        program: "a liar".to_owned(),
        machine: String::new(),
        reflector: [0; 16],
        limits: Limits::default(),
    };
    let (client, channel, _) = greeted_with(welcome).await;
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
