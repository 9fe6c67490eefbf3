//! Bulk TCP transfers.

use super::support::*;
use evidence::v1::{Ask, End, Payload, StopReason};
use net::NetError;
use net::far_end::Limits;

#[tokio::test(flavor = "multi_thread")]
async fn bytes_flow_both_ways() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let tcp = tcp_of(&far, &tcp(sender, 700)).await;
        assert_eq!((tcp.sender, tcp.stop), (sender, StopReason::MaxTime));
        assert!(tcp.bytes_received > 1_000_000, "{}", tcp.bytes_received);
        assert!((2..=9).contains(&tcp.intervals.len()), "{:?}", tcp.intervals);
        assert_eq!((tcp.sender_accounts.len(), tcp.receiver_accounts.len()), (1, 1));
        assert!(!tcp.congestion_control.is_empty());
        assert!(tcp.mean_bps.unwrap().0 > 1e7 && tcp.steady_bps.unwrap().0 > 0.0);
        assert!(tcp.sender_cpu.unwrap() > 0.0 && tcp.receiver_cpu.unwrap() > 0.0);
        let acked: u64 = tcp.intervals.iter().map(|interval| interval.bytes_acked).sum();
        let account = tcp.sender_accounts[0].bytes_acked.unwrap();
        assert!(account.abs_diff(acked) < 100, "{account} {acked}");
        // What was acknowledged but still lay in the receiving socket at the end was not read.
        assert!(
            tcp.bytes_received.abs_diff(acked) < 64 << 20,
            "{} {acked}",
            tcp.bytes_received
        );
        let (source, destination) = tcp.ports[0];
        assert_eq!(
            serving.address.port(),
            if sender == End::From { destination } else { source }
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_limit_is_kept_to_the_byte() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        for streams in [1, 3] {
            let mut ask = tcp(sender, 10_000);
            if let Ask::TcpThroughput {
                max_bytes,
                streams: asked,
                ..
            } = &mut ask
            {
                (*max_bytes, *asked) = (Some(30_000_001), streams);
            }
            let tcp = tcp_of(&far, &ask).await;
            assert_eq!(
                (tcp.stop, tcp.bytes_received),
                (StopReason::MaxBytes, 30_000_001),
                "{sender:?} {streams}"
            );
            assert_eq!(tcp.ports.len(), usize::from(streams));
            assert!(tcp.duration_ns < 5_000_000_000);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_streams_share_the_work() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let mut ask = tcp(sender, 500);
        if let Ask::TcpThroughput { streams, .. } = &mut ask {
            *streams = 100;
        }
        let tcp = tcp_of(&far, &ask).await;
        assert_eq!(
            (
                tcp.ports.len(),
                tcp.sender_accounts.len(),
                tcp.receiver_accounts.len()
            ),
            (100, 100, 100)
        );
        // On a busy machine not every thread gets its turn in half a second; most do.
        let sent = tcp
            .sender_accounts
            .iter()
            .filter(|account| account.bytes_acked > Some(22));
        assert!(sent.count() > 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steady_path_is_left_early() {
    let serving = serve_with(|config| config.limits.max_rate_bps = Some(200e6));
    let far = serving.client().await;
    let tcp = tcp_of(&far, &tcp(End::From, 20_000)).await;
    assert_eq!(tcp.stop, StopReason::Stable, "{:#?}", tcp.intervals);
    let steady = tcp.steady_bps.unwrap().0;
    assert!((150e6..230e6).contains(&steady), "{steady}");
}

#[tokio::test(flavor = "multi_thread")]
async fn segment_size_buffers_and_congestion_control_are_as_asked() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let mut ask = tcp(sender, 500);
        if let Ask::TcpThroughput {
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            ..
        } = &mut ask
        {
            (*mss_bytes, *socket_buffer_bytes, *congestion_control) =
                (Some(1_000), Some(65_536), Some("reno".into()));
        }
        let tcp = tcp_of(&far, &ask).await;
        assert_eq!(
            (tcp.requested_mss_bytes, tcp.congestion_control.as_str()),
            (Some(1_000), "reno")
        );
        let account = &tcp.sender_accounts[0];
        assert!(account.send_mss_bytes.unwrap() <= 1_000, "{account:?}");
        let window = account.peer_window_bytes.unwrap();
        assert!((30_000..=140_000).contains(&window), "{sender:?} {window}");
    }
    let mut ask = tcp(End::To, 500);
    if let Ask::TcpThroughput {
        congestion_control, ..
    } = &mut ask
    {
        *congestion_control = Some("nosuch".into());
    }
    let refused = far
        .perform(&ask, End::From, &net::Watch::quiet())
        .await
        .unwrap_err();
    assert!(
        matches!(refused, NetError::Unsupported(_)) && refused.to_string().contains("nosuch"),
        "{refused}"
    );
    // The conversation goes on.
    assert!(tcp_of(&far, &tcp(End::To, 200)).await.bytes_received > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ipv6_works_as_ipv4_does() {
    let serving = serve_with(|config| config.listen = vec!["[::1]:0".parse().unwrap()]);
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        assert!(tcp_of(&far, &tcp(sender, 300)).await.bytes_received > 0);
        let udp = udp_of(&far, &udp(sender, 1_280, 10e6, 300)).await;
        assert_eq!(udp.packets_received, udp.packets_sent);
        assert!(udp.packets_sent > 100);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owners_limits_hold_whoever_sends() {
    let limits = Limits {
        max_rate_bps: Some(100e6),
        max_duration_ms: 800,
        max_bytes: Some(1 << 30),
    };
    let serving = serve_with(|config| config.limits = limits);
    let far = serving.client().await;
    for sender in [End::From, End::To] {
        let ask = tcp(sender, 60_000);
        let payloads = far.perform(&ask, End::From, &net::Watch::quiet()).await.unwrap();
        let [Payload::TcpThroughput(tcp), held_back @ ..] = payloads.as_slice() else {
            panic!("{payloads:?}");
        };
        // That the owner's limit set the rate must stand in the evidence.
        if tcp.steady_bps.unwrap().0 > 90e6 {
            assert!(matches!(held_back, [Payload::NotMeasured(_)]), "{held_back:?}");
        }
        assert_eq!(tcp.stop, StopReason::MaxTime);
        assert!(
            (700_000_000..1_500_000_000).contains(&tcp.duration_ns),
            "{}",
            tcp.duration_ns
        );
        let mean = tcp.mean_bps.unwrap().0;
        assert!((50e6..130e6).contains(&mean), "{mean}");
        for ask in [udp(sender, 1_000, 200e6, 100), udp(sender, 1_000, 1e6, 1_000)] {
            let refused = far
                .perform(&ask, End::From, &net::Watch::quiet())
                .await
                .unwrap_err();
            assert!(matches!(refused, NetError::Refused(_)), "{refused}");
        }
    }
}
