//! The owner's limits, against whoever has the token.

use super::support::{Serving, connect_from, key, serve_within, source, undisturbed};
use super::wire::Holder;
use net::far_end::Limits;
use probe::SessionKey;
use probe::session::{
    DataHello, LocalAsk, Refusal, TcpPlan, ToClient, ToServer, UdpHeader, UdpHello, UdpKind, UdpPlan,
};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;

const MBIT: f64 = 1e6;

fn transfer(server_sends: bool, streams: u16, max_time_ms: u32) -> ToServer {
    ToServer::Tcp {
        plan: TcpPlan {
            server_sends,
            streams,
            mss_bytes: None,
            socket_buffer_bytes: None,
            congestion_control: None,
            max_time_ms,
            max_bytes: None,
            max_rate_bps: None,
            watch_hops: false,
        },
    }
}

fn upload(streams: u16, max_time_ms: u32) -> ToServer {
    transfer(false, streams, max_time_ms)
}

fn probing() -> ToServer {
    ToServer::Perform {
        ask: LocalAsk::HopLoss {
            ttls: vec![1],
            count: 100_000,
            rate_pps: 20_000,
        },
        reflector: None,
    }
}

fn limits(max_rate_bps: Option<f64>, max_duration_ms: u32, max_bytes: Option<u64>) -> Limits {
    Limits {
        max_rate_bps,
        max_duration_ms,
        max_bytes,
    }
}

/// A client that is welcome.
async fn welcome(serving: &Serving) -> Holder {
    let mut holder = Holder::open(source(3, 1), serving.address, &key()).await.unwrap();
    holder.hello().await.unwrap();
    holder
}

/// The key of the transfer or stream that `asked` asks for.
async fn accepted(holder: &mut Holder, asked: &ToServer) -> SessionKey {
    holder.say(asked).await.unwrap();
    match holder.hear().await.unwrap() {
        ToClient::Accepted { key, .. } => key,
        other => panic!("{other:?}"),
    }
}

/// One of the bulk connections of the transfer with `key`.
async fn bulk(serving: &Serving, key: SessionKey, stream: u16) -> TcpStream {
    let mut connection = connect_from(source(3, 1), serving.address).await.unwrap();
    connection
        .write_all(&DataHello { key, stream }.to_bytes())
        .await
        .unwrap();
    let connection = connection.into_std().unwrap();
    connection.set_nonblocking(false).unwrap();
    connection
}

/// Floods over all streams that the far end accepts, and says nothing more: bytes brought in, and for how long.
async fn flood_over(serving: &Serving, streams: u16, most: Duration) -> (u64, Duration) {
    let mut holder = welcome(serving).await;
    let key = accepted(&mut holder, &upload(streams, u32::MAX)).await;
    let mut floods = Vec::new();
    for stream in 0..streams {
        floods.push(bulk(serving, key, stream).await);
    }
    let floods = floods
        .into_iter()
        .map(|stream| tokio::task::spawn_blocking(move || flood(stream, most)));
    let (mut bytes, mut longest) = (0, Duration::ZERO);
    for flood in floods.collect::<Vec<_>>() {
        let (its, took) = flood.await.unwrap();
        bytes += its;
        longest = longest.max(took);
    }
    (bytes, longest)
}

/// A tenth, or a second of the rate, whichever is more.
fn tolerated(rate_bps: f64, took: Duration) -> f64 {
    let bytes = rate_bps / 8.0 * took.as_secs_f64();
    bytes + (bytes / 10.0).max(rate_bps / 8.0)
}

async fn uploads_keep_to(rate_bps: f64, streams: u16, max_duration_ms: u32) {
    let serving = serve_within(limits(Some(rate_bps), max_duration_ms, None));
    let longest = Duration::from_millis(u64::from(max_duration_ms)) + Duration::from_secs(5);
    let (bytes, took) = flood_over(&serving, streams, longest * 3).await;
    assert!(
        bytes as f64 <= tolerated(rate_bps, took),
        "{rate_bps}: {bytes} bytes in {took:?}"
    );
    // The agreed time, three seconds for what is on its way, and a look at what has arrived.
    assert!(took < longest, "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_keeps_to_the_rate_and_the_time() {
    let _undisturbed = undisturbed().await;
    uploads_keep_to(MBIT, 1, 1_000).await;
    uploads_keep_to(100.0 * MBIT, 16, 1_000).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a minute: `make attack`"]
async fn uploads_keep_to_any_rate() {
    let _undisturbed = undisturbed().await;
    for (rate_bps, streams) in [(0.1, 1), (1.0, 1), (10.0, 9), (100.0, 95), (1_000.0, 128)] {
        uploads_keep_to(rate_bps * MBIT, streams, 5_000).await;
    }
}

/// A download that is read as fast as it comes, and probes of four other sessions.
#[tokio::test(flavor = "multi_thread")]
async fn a_download_and_probes_beside_it_keep_to_the_rate_together() {
    let _undisturbed = undisturbed().await;
    let rate_bps = 8.0 * MBIT;
    let serving = serve_within(limits(Some(rate_bps), 2_000, None));
    let mut probing_ones = Vec::new();
    for _ in 0..4 {
        probing_ones.push(welcome(&serving).await);
    }
    let mut holder = welcome(&serving).await;
    let key = accepted(&mut holder, &transfer(true, 1, 2_000)).await;
    let mut stream = bulk(&serving, key, 0).await;
    let begun = Instant::now();
    for other in &mut probing_ones {
        other.say(&probing()).await.unwrap();
    }
    let reading = tokio::task::spawn_blocking(move || {
        let (mut block, mut bytes) = (vec![0; 1 << 16], 0);
        while let Ok(count @ 1..) = stream.read(&mut block) {
            bytes += count as u64;
        }
        bytes
    });
    let sent = futures::future::join_all(probing_ones.iter_mut().map(probes_sent)).await;
    let downloaded = reading.await.unwrap();
    let (took, probes) = (begun.elapsed(), sent.iter().map(|sent| sent.1).sum::<u64>());
    let bytes = downloaded + probes;
    assert!(
        bytes as f64 <= tolerated(rate_bps, took),
        "{downloaded} + {probes} bytes in {took:?}"
    );
    assert!(
        downloaded > 1_000_000 && probes > 10_000,
        "{downloaded} and {probes} bytes"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn more_streams_than_can_be_held_back_are_refused() {
    let _undisturbed = undisturbed().await;
    for limits in [
        limits(Some(MBIT), 5_000, None),
        limits(None, 5_000, Some(1_000_000)),
    ] {
        let serving = serve_within(limits);
        let mut holder = welcome(&serving).await;
        holder.say(&upload(16, 5_000)).await.unwrap();
        let answer = holder.hear().await.unwrap();
        let why = Refusal::Limits;
        assert!(
            matches!(&answer, ToClient::Refused { why: refused, .. } if *refused == why),
            "{answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_keeps_to_the_bytes() {
    let _undisturbed = undisturbed().await;
    for (most, streams) in [(1_000_000, 1), (50_000_000, 16)] {
        let serving = serve_within(limits(None, 5_000, Some(most)));
        let (bytes, _) = flood_over(&serving, streams, Duration::from_secs(20)).await;
        assert!(bytes <= most + most / 10, "{bytes} of {most}");
        assert!(bytes >= most, "{bytes} of {most}: cut off too early");
    }
}

/// "I have sent all", and more of it.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_goes_on_behind_the_end() {
    let _undisturbed = undisturbed().await;
    let serving = serve_within(limits(None, 60_000, None));
    let mut holder = welcome(&serving).await;
    let key = accepted(&mut holder, &upload(1, 60_000)).await;
    let stream = bulk(&serving, key, 0).await;
    let flooding = tokio::task::spawn_blocking(move || flood(stream, Duration::from_secs(20)));
    assert!(matches!(holder.hear().await.unwrap(), ToClient::Ready { .. }));
    let stop = ToServer::Stop {
        cancelled: false,
        sent: None,
    };
    holder.say(&stop).await.unwrap();
    let (_, took) = flooding.await.unwrap();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

/// Nothing can keep datagrams from coming; nobody listens to those that were not agreed on.
#[tokio::test(flavor = "multi_thread")]
async fn a_udp_stream_that_is_faster_than_agreed_is_not_listened_to() {
    let _undisturbed = undisturbed().await;
    let serving = serve_within(limits(Some(10.0 * MBIT), 60_000, None));
    let mut holder = welcome(&serving).await;
    let plan = UdpPlan {
        server_sends: false,
        size_bytes: 1_000,
        rate_bps: MBIT,
        duration_ms: 30_000,
    };
    let key = accepted(&mut holder, &ToServer::Udp { plan }).await;
    let socket = UdpSocket::bind((source(3, 1), 0)).unwrap();
    socket.connect(serving.address).unwrap();
    socket.send(&UdpHello { key }.to_bytes()).unwrap();
    assert!(matches!(holder.hear().await.unwrap(), ToClient::Ready { .. }));
    let sending = tokio::task::spawn_blocking(move || {
        let mut payload = [0; 972];
        let begun = Instant::now();
        // Ten times the agreed rate, in blocks of a hundredth of a second.
        for block in 0..300u64 {
            for packet in 0..13 {
                let (kind, tag, sequence) = (UdpKind::Data, UdpHeader::tag_of(&key), block * 13 + packet);
                UdpHeader { kind, tag, sequence }.write(&mut payload).unwrap();
                let _ = socket.send(&payload);
            }
            std::thread::sleep(Duration::from_millis(10 * (block + 1)).saturating_sub(begun.elapsed()));
        }
    });
    let begun = Instant::now();
    let ToClient::UdpReceived { half } = holder.hear().await.unwrap() else {
        panic!("no report");
    };
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    let bytes = half.packets as f64 * 1_000.0;
    assert!(bytes <= tolerated(MBIT, took) * 1.1, "{bytes} in {took:?}");
    sending.await.unwrap();
}

/// Writes until the far end ends the connection, or `most` is over: bytes that it acknowledged, and when it ended.
fn flood(mut stream: TcpStream, most: Duration) -> (u64, Duration) {
    let begun = Instant::now();
    let block = vec![7; 1 << 16];
    stream.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
    let is_waiting = |kind| matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut);
    while begun.elapsed() < most {
        if stream.write(&block).is_err_and(|error| !is_waiting(error.kind())) {
            break;
        }
    }
    (acknowledged(&stream), begun.elapsed())
}

/// `tcpi_bytes_acked` of `TCP_INFO` (`linux/tcp.h`), which counts the SYN as well.
fn acknowledged(stream: &impl AsRawFd) -> u64 {
    let mut info = [0u8; 256];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `info`, which is that long.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    assert!(result == 0 && length >= 128, "TCP_INFO of {length} bytes");
    u64::from_ne_bytes(info[120..128].try_into().unwrap())
}

/// What says nothing, at length, as fast as it goes.
#[tokio::test(flavor = "multi_thread")]
async fn the_control_channel_keeps_to_the_rate_as_well() {
    let _undisturbed = undisturbed().await;
    let serving = serve_within(limits(Some(MBIT), 60_000, None));
    let mut holder = welcome(&serving).await;
    let stop = ToServer::Stop {
        cancelled: false,
        sent: None,
    };
    let stop = probe::session::encode(&stop).unwrap();
    let begun = Instant::now();
    let _ = tokio::time::timeout(Duration::from_secs(3), async {
        loop {
            holder.send(&[b' '; 10_000], false).await.unwrap();
            holder.send(&stop, true).await.unwrap();
        }
    })
    .await;
    let bytes = acknowledged(&holder.stream);
    assert!(bytes as f64 <= tolerated(MBIT, begun.elapsed()), "{bytes}");
    assert!(bytes > 100_000, "{bytes}: it was not heard out");
}

/// Ten sessions that each ask for as many probes as one may.
#[tokio::test(flavor = "multi_thread")]
async fn probes_of_all_sessions_together_keep_to_the_rate() {
    let _undisturbed = undisturbed().await;
    for rate_bps in [None, Some(MBIT)] {
        let serving = serve_within(limits(rate_bps, 2_000, None));
        let begun = Instant::now();
        let mut holders = Vec::new();
        for _ in 0..10 {
            let mut holder = welcome(&serving).await;
            holder.say(&probing()).await.unwrap();
            holders.push(holder);
        }
        let sent = futures::future::join_all(holders.iter_mut().map(probes_sent)).await;
        let (took, probes) = (begun.elapsed(), sent.iter().map(|sent| sent.0).sum::<u64>());
        let bytes: u64 = sent.iter().map(|sent| sent.1).sum();
        assert!(
            probes as f64 <= tolerated(20_000.0 * 8.0, took),
            "{probes} probes in {took:?}"
        );
        assert!(
            rate_bps.is_none_or(|rate| bytes as f64 <= tolerated(rate, took)),
            "{bytes} bytes in {took:?}"
        );
        assert!(probes > 500, "{probes}: nothing was tried");
    }
}

/// Probes and their bytes.
async fn probes_sent(holder: &mut Holder) -> (u64, u64) {
    loop {
        match holder.hear().await.unwrap() {
            ToClient::Progress { .. } => {}
            ToClient::Performed { payloads } => {
                let rows = payloads.iter().filter_map(|payload| match payload {
                    evidence::Payload::Probes(probes) => Some(&probes.rows),
                    _ => None,
                });
                let sent = |row: &evidence::ProbeRow| {
                    (
                        row.sent.unwrap(),
                        row.sent.unwrap() * u64::from(row.size_bytes.unwrap()),
                    )
                };
                return rows
                    .flatten()
                    .map(sent)
                    .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            }
            other => panic!("{other:?}"),
        }
    }
}
