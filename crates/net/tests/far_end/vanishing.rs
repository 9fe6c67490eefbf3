//! One of the two goes away in the middle.

use super::support::*;
use evidence::{Payload, StopReason, Transport};
use net::far_end::{Side, connect};
use net::{NetError, Watch};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread")]
async fn a_far_end_that_dies_leaves_a_partial_measurement() {
    for sender in [Side::Here, Side::There] {
        let serving = serve();
        let far = serving.client().await;
        let cancel = serving.cancel.clone();
        let start = Instant::now();
        let ask = tcp(sender, 20_000);
        let (tcp, ()) = tokio::join!(transfer_of(&far, &ask), async {
            tokio::time::sleep(Duration::from_millis(800)).await;
            cancel.cancel();
        });
        assert_eq!(tcp.stop, Some(StopReason::PeerGone), "{sender:?}");
        assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
        assert!(
            tcp.bytes_received > Some(0) && tcp.intervals.len() >= 2,
            "{:?}",
            tcp.intervals
        );
        assert!(tcp.received_bps.is_some());
        let at_receiver = tcp.receiver.unwrap();
        assert_eq!(at_receiver.accounts.is_empty(), sender == Side::Here);
        assert!(!tcp.congestion_control.unwrap().is_empty());
        let after = perform(&far, &ask, &Watch::quiet()).await.unwrap_err();
        assert!(matches!(after, NetError::PeerGone(_)), "{after}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_udp_sender_that_dies_leaves_what_arrived() {
    let serving = serve();
    let far = serving.client().await;
    let cancel = serving.cancel.clone();
    let ask = udp(Side::There, 1_000, 8e6, 20_000);
    let (udp, ()) = tokio::join!(transfer_of(&far, &ask), async {
        tokio::time::sleep(Duration::from_millis(800)).await;
        cancel.cancel();
    });
    assert_eq!(udp.stop, Some(StopReason::PeerGone));
    assert!(
        (100..10_000).contains(&udp.packets_received.unwrap()),
        "{:?}",
        udp.packets_received
    );
    assert_eq!(udp.lost_on_path(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_frees_the_server() {
    let serving = serve();
    for ask in [
        tcp(Side::Here, 20_000),
        tcp(Side::There, 20_000),
        udp(Side::There, 1_000, 1e6, 20_000),
        udp(Side::Here, 1_000, 1e6, 20_000),
    ] {
        let far = serving.client().await;
        let dying = tokio::spawn(async move { perform(&far, &ask, &Watch::quiet()).await });
        tokio::time::sleep(Duration::from_millis(400)).await;
        dying.abort();
        let start = Instant::now();
        let next = serving.client().await;
        while perform(&next, &tcp(Side::Here, 100), &Watch::quiet())
            .await
            .is_err()
        {
            assert!(start.elapsed() < Duration::from_secs(10), "the server is stuck");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_keeps_what_there_is() {
    let serving = serve();
    let far = serving.client().await;
    for ask in [
        tcp(Side::Here, 20_000),
        tcp(Side::There, 20_000),
        udp(Side::Here, 1_000, 8e6, 20_000),
        udp(Side::There, 1_000, 8e6, 20_000),
    ] {
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let watch = Watch::new(cancel, move |progress| {
            if progress.fraction > Some(0.03) {
                stop.cancel();
            }
        });
        let start = Instant::now();
        let payloads = perform(&far, &ask, &watch).await;
        assert!(
            start.elapsed() < Duration::from_secs(8),
            "{ask:?} {:?}",
            start.elapsed()
        );
        match payloads.unwrap().remove(0) {
            Payload::Transfer(run) => {
                assert_eq!(run.stop, Some(StopReason::Cancelled));
                if run.protocol == Some(Transport::Tcp) {
                    assert!(run.bytes_received > Some(0) && !run.receiver.unwrap().accounts.is_empty());
                } else {
                    assert!(
                        run.packets_received > Some(50) && run.lost_on_path() == Some(0),
                        "{run:?}"
                    );
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(transfer_of(&far, &tcp(Side::There, 100)).await.bytes_received > Some(0));
}

/// Passes connections on to `to` until frozen: then it neither reads nor closes, as a path that carries nothing any
/// more.
async fn freezing_relay(to: SocketAddr, frozen: Arc<AtomicBool>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = TcpStream::connect(to).await.unwrap();
            let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
            tokio::spawn(relay(near_read, far_write, frozen.clone()));
            tokio::spawn(relay(far_read, near_write, frozen.clone()));
        }
    });
    address
}

async fn relay(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    frozen: Arc<AtomicBool>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count) = from.read(&mut buffer).await {
        while frozen.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if count == 0 || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_far_end_that_falls_silent_is_not_waited_for_for_ever() {
    for sender in [Side::Here, Side::There] {
        let serving = serve();
        let frozen = Arc::new(AtomicBool::new(false));
        let relay = freezing_relay(serving.address, frozen.clone()).await;
        let far = connect(relay.ip(), relay.port(), &token(), None, &Watch::quiet())
            .await
            .unwrap();
        let start = Instant::now();
        let ask = tcp(sender, 60_000);
        let (tcp, ()) = tokio::join!(transfer_of(&far, &ask), async {
            tokio::time::sleep(Duration::from_millis(700)).await;
            frozen.store(true, Ordering::Relaxed);
        });
        assert_eq!(tcp.stop, Some(StopReason::PeerGone), "{sender:?}");
        // Long before the minute that the transfer would have lasted, also on a busy machine.
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        assert!(tcp.bytes_received > Some(0));
    }
}
