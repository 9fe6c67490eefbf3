//! The owner's limits, against whoever has the token.

use super::holder::{Holder, Target, flood};
use net::far_end::Limits;
use probe::session::{LocalAsk, Refusal, TcpPlan, ToClient, ToServer, UdpHeader, UdpHello, UdpKind, UdpPlan};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

const MBIT: f64 = 1e6;

fn upload(streams: u16, max_time_ms: u32, max_bytes: Option<u64>) -> ToServer {
    ToServer::Tcp {
        plan: TcpPlan {
            server_sends: false,
            streams,
            mss_bytes: None,
            socket_buffer_bytes: None,
            congestion_control: None,
            max_time_ms,
            max_bytes,
            max_rate_bps: None,
            watch_hops: false,
        },
    }
}

fn limits(max_rate_bps: Option<f64>, max_duration_ms: u32, max_bytes: Option<u64>) -> Limits {
    Limits {
        max_rate_bps,
        max_duration_ms,
        max_bytes,
    }
}

/// Floods over all streams that the far end accepts, and says nothing more: bytes brought in, and for how long.
fn flood_over(target: &Target, streams: u16, most: Duration) -> (u64, Duration) {
    let mut holder = Holder::enter(target);
    holder.say(&upload(streams, u32::MAX, None));
    let ToClient::Accepted { key, .. } = holder.hear() else {
        panic!("not accepted");
    };
    let open: Vec<_> = (0..streams).map(|stream| holder.bulk(key, stream)).collect();
    let floods: Vec<_> = open
        .into_iter()
        .map(|stream| std::thread::spawn(move || flood(stream, most)))
        .collect();
    let ended: Vec<_> = floods.into_iter().map(|flood| flood.join().unwrap()).collect();
    let longest = ended.iter().map(|(_, took)| *took).max().unwrap();
    (ended.iter().map(|(bytes, _)| bytes).sum(), longest)
}

/// A tenth, or a second of the rate, whichever is more.
fn tolerated(rate_bps: f64, took: Duration) -> f64 {
    let bytes = rate_bps / 8.0 * took.as_secs_f64();
    bytes + (bytes / 10.0).max(rate_bps / 8.0)
}

#[test]
fn an_upload_keeps_to_the_rate_and_the_time() {
    for (rate_bps, streams) in [(MBIT, 1), (100.0 * MBIT, 16)] {
        let target = Target::with(limits(Some(rate_bps), 1_000, None));
        let (bytes, took) = flood_over(&target, streams, Duration::from_secs(20));
        assert!(
            bytes as f64 <= tolerated(rate_bps, took),
            "{rate_bps}: {bytes} bytes in {took:?}"
        );
        // The agreed time, the three seconds for what is on its way, and a look at what has arrived.
        assert!(took < Duration::from_secs(6), "{took:?}");
    }
}

#[test]
fn more_streams_than_can_be_held_back_are_refused() {
    for limits in [
        limits(Some(MBIT), 5_000, None),
        limits(None, 5_000, Some(1_000_000)),
    ] {
        let target = Target::with(limits);
        let mut holder = Holder::enter(&target);
        holder.say(&upload(16, 5_000, None));
        let answer = holder.hear();
        let why = Refusal::Limits;
        assert!(
            matches!(&answer, ToClient::Refused { why: refused, .. } if *refused == why),
            "{answer:?}"
        );
    }
}

#[test]
fn an_upload_keeps_to_the_bytes() {
    for (most, streams) in [(1_000_000, 1), (50_000_000, 16)] {
        let target = Target::with(limits(None, 5_000, Some(most)));
        let (bytes, _) = flood_over(&target, streams, Duration::from_secs(20));
        assert!(bytes <= most + most / 10, "{bytes} of {most}");
        assert!(bytes >= most, "{bytes} of {most}: cut off too early");
    }
}

/// "I have sent all", and more of it.
#[test]
fn nobody_goes_on_behind_the_end() {
    let target = Target::with(limits(None, 60_000, None));
    let mut holder = Holder::enter(&target);
    holder.say(&upload(1, 60_000, None));
    let ToClient::Accepted { key, .. } = holder.hear() else {
        panic!("not accepted");
    };
    let stream = holder.bulk(key, 0);
    let flooding = std::thread::spawn(move || flood(stream, Duration::from_secs(20)));
    assert!(matches!(holder.hear(), ToClient::Ready { .. }));
    holder.say(&ToServer::Stop {
        cancelled: false,
        sent: None,
    });
    let (_, took) = flooding.join().unwrap();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

/// Nothing can keep datagrams from coming; nobody listens to those that were not agreed on.
#[test]
fn a_udp_stream_that_is_faster_than_agreed_is_not_listened_to() {
    let target = Target::with(limits(Some(10.0 * MBIT), 60_000, None));
    let mut holder = Holder::enter(&target);
    let plan = UdpPlan {
        server_sends: false,
        size_bytes: 1_000,
        rate_bps: MBIT,
        duration_ms: 30_000,
    };
    holder.say(&ToServer::Udp { plan });
    let ToClient::Accepted { key, .. } = holder.hear() else {
        panic!("not accepted");
    };
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(target.address).unwrap();
    socket.send(&UdpHello { key }.to_bytes()).unwrap();
    assert!(matches!(holder.hear(), ToClient::Ready { .. }));
    let sending = std::thread::spawn(move || {
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
    let ToClient::UdpReceived { half } = holder.hear() else {
        panic!("no report");
    };
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    let bytes = half.packets as f64 * 1_000.0;
    assert!(bytes <= tolerated(MBIT, took) * 1.1, "{bytes} in {took:?}");
    sending.join().unwrap();
}

/// Ten sessions that each ask for as many probes as one may.
#[test]
fn probes_of_all_sessions_together_keep_to_the_rate() {
    for rate_bps in [None, Some(MBIT)] {
        let target = Target::with(limits(rate_bps, 2_000, None));
        let asked = |_| {
            let mut holder = Holder::enter(&target);
            let ask = LocalAsk::HopLoss {
                ttls: vec![1],
                count: 100_000,
                rate_pps: 20_000,
            };
            holder.say(&ToServer::Perform { ask, reflector: None });
            holder
        };
        let begun = Instant::now();
        let mut holders: Vec<Holder> = (0..10).map(asked).collect();
        let sent: Vec<(u64, u64)> = holders.iter_mut().map(probes_sent).collect();
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
fn probes_sent(holder: &mut Holder) -> (u64, u64) {
    loop {
        match holder.hear() {
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
