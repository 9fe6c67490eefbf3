//! Bulk TCP transfers.

use super::support::*;
use evidence::{Ask, Payload, StopReason, Transport};
use net::NetError;
use net::far_end::{Limits, Side};

#[tokio::test(flavor = "multi_thread")]
async fn bytes_flow_both_ways() {
    let serving = serve_elsewhere();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
        let tcp = transfer_of(&far, &tcp(sender, 700)).await;
        assert_eq!((tcp.from.address, tcp.to.address), addresses(sender));
        assert_eq!(
            (tcp.protocol, tcp.stop),
            (Some(Transport::Tcp), Some(StopReason::MaxTime))
        );
        let read = tcp.bytes_received.unwrap();
        assert!(read > 1_000_000, "{read}");
        assert!((2..=9).contains(&tcp.intervals.len()), "{:?}", tcp.intervals);
        let (at_sender, at_receiver) = (tcp.sender.unwrap(), tcp.receiver.unwrap());
        assert_eq!((at_sender.accounts.len(), at_receiver.accounts.len()), (1, 1));
        assert!(!tcp.congestion_control.unwrap().is_empty());
        assert!(tcp.received_bps.unwrap().0 > 1e7 && tcp.steady_bps.unwrap().0 > 0.0);
        assert!(at_sender.cpu.unwrap() > 0.0 && at_receiver.cpu.unwrap() > 0.0);
        let acked: u64 = tcp
            .intervals
            .iter()
            .filter_map(|interval| interval.bytes_acked)
            .sum();
        let account = at_sender.accounts[0].bytes_acked.unwrap();
        assert!(account.abs_diff(acked) < 100, "{account} {acked}");
        // What was acknowledged but still lay in the receiving socket at the end was not read.
        assert!(read.abs_diff(acked) < 64 << 20, "{read} {acked}");
        let (source, destination) = tcp.ports[0];
        assert_eq!(
            serving.address.port(),
            if sender == Side::Here { destination } else { source }
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_limit_is_kept_to_the_byte() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
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
            let tcp = transfer_of(&far, &ask).await;
            assert_eq!(
                (tcp.stop, tcp.bytes_received),
                (Some(StopReason::MaxBytes), Some(30_000_001)),
                "{sender:?} {streams}"
            );
            assert_eq!(tcp.ports.len(), usize::from(streams));
            assert!(tcp.duration_ns.unwrap() < 5_000_000_000);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_streams_share_the_work() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
        let mut ask = tcp(sender, 500);
        if let Ask::TcpThroughput { streams, .. } = &mut ask {
            *streams = 100;
        }
        let tcp = transfer_of(&far, &ask).await;
        let (at_sender, at_receiver) = (tcp.sender.unwrap(), tcp.receiver.unwrap());
        assert_eq!(
            (
                tcp.ports.len(),
                at_sender.accounts.len(),
                at_receiver.accounts.len()
            ),
            (100, 100, 100)
        );
        // On a busy machine not every thread gets its turn in half a second; most do.
        let sent = at_sender
            .accounts
            .iter()
            .filter(|account| account.bytes_acked > Some(22));
        assert!(sent.count() > 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steady_path_is_left_early() {
    let serving = serve_with(|config| config.limits.max_rate_bps = Some(200e6));
    let far = serving.client().await;
    let tcp = transfer_of(&far, &tcp(Side::Here, 20_000)).await;
    assert_eq!(tcp.stop, Some(StopReason::Stable), "{:#?}", tcp.intervals);
    let steady = tcp.steady_bps.unwrap().0;
    assert!((150e6..230e6).contains(&steady), "{steady}");
}

#[tokio::test(flavor = "multi_thread")]
async fn segment_size_buffers_and_congestion_control_are_as_asked() {
    let serving = serve();
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
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
        let tcp = transfer_of(&far, &ask).await;
        assert_eq!(
            (tcp.mss_bytes, tcp.window_bytes, tcp.congestion_control.as_deref()),
            (Some(1_000), Some(65_536), Some("reno"))
        );
        let account = &tcp.sender.unwrap().accounts[0];
        assert!(account.send_mss_bytes.unwrap() <= 1_000, "{account:?}");
        let window = account.peer_window_bytes.unwrap();
        assert!((30_000..=140_000).contains(&window), "{sender:?} {window}");
    }
    let mut ask = tcp(Side::There, 500);
    if let Ask::TcpThroughput {
        congestion_control, ..
    } = &mut ask
    {
        *congestion_control = Some("nosuch".into());
    }
    let refused = perform(&far, &ask, &net::Watch::quiet()).await.unwrap_err();
    assert!(
        matches!(refused, NetError::Unsupported(_)) && refused.to_string().contains("nosuch"),
        "{refused}"
    );
    // The conversation goes on.
    assert!(transfer_of(&far, &tcp(Side::There, 200)).await.bytes_received > Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn ipv6_works_as_ipv4_does() {
    let serving = serve_with(|config| config.listen = vec!["[::1]:0".parse().unwrap()]);
    let far = serving.client().await;
    for sender in [Side::Here, Side::There] {
        assert!(transfer_of(&far, &tcp(sender, 300)).await.bytes_received > Some(0));
        let udp = transfer_of(&far, &udp(sender, 1_280, 10e6, 300)).await;
        assert_eq!(udp.packets_received, udp.packets_sent);
        assert!(udp.packets_sent > Some(100));
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
    for sender in [Side::Here, Side::There] {
        let ask = tcp(sender, 60_000);
        let payloads = perform(&far, &ask, &net::Watch::quiet()).await.unwrap();
        let [Payload::Transfer(tcp), held_back @ ..] = payloads.as_slice() else {
            panic!("{payloads:?}");
        };
        // That the owner's limit set the rate must stand in the evidence.
        if tcp.steady_bps.unwrap().0 > 90e6 {
            let [Payload::NotMeasured(missing)] = held_back else {
                panic!("{held_back:?}");
            };
            assert_eq!(missing.ask, ask);
        }
        assert_eq!(tcp.stop, Some(StopReason::MaxTime));
        assert!(
            (700_000_000..1_500_000_000).contains(&tcp.duration_ns.unwrap()),
            "{:?}",
            tcp.duration_ns
        );
        let mean = tcp.received_bps.unwrap().0;
        assert!((50e6..130e6).contains(&mean), "{mean}");
        for ask in [udp(sender, 1_000, 200e6, 100), udp(sender, 1_000, 1e6, 1_000)] {
            let refused = perform(&far, &ask, &net::Watch::quiet()).await.unwrap_err();
            assert!(matches!(refused, NetError::Refused(_)), "{refused}");
        }
    }
}
