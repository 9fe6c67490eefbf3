use super::*;
use evidence::Node;

const SLICE_NS: u64 = 100_000_000;
const MBIT: f64 = 1e6;

/// Repeatable jitter of slices, about 10 %.
fn jitter(index: usize) -> f64 {
    [1.0, 0.93, 1.08, 0.97, 1.05, 0.9, 1.1][index % 7]
}

/// A TCP transfer in slices of 100 ms: (Mbit/s, segments sent again) of each.
fn tcp(slices: &[(f64, u64)]) -> Transfer {
    let slice = |(index, (mbit, again)): (usize, &(f64, u64))| TransferInterval {
        start_ns: index as u64 * SLICE_NS,
        length_ns: SLICE_NS,
        bytes_received: Some((mbit * jitter(index) * MBIT / 80.0) as u64),
        retransmits: Some(*again),
        ..TransferInterval::default()
    };
    Transfer {
        from: Node::named("a"),
        to: Node::named("b"),
        protocol: Some(Transport::Tcp),
        duration_ns: Some(slices.len() as u64 * SLICE_NS),
        intervals: slices.iter().enumerate().map(slice).collect(),
        stop: Some(StopReason::MaxTime),
        ..Transfer::default()
    }
}

/// A UDP stream in slices of 100 ms: (packets received, packets missed) of each; `tail` more packets never came.
fn udp(slices: &[(u64, i64)], duration_ns: u64, tail: u64) -> Transfer {
    let slice = |(index, (received, lost)): (usize, &(u64, i64))| TransferInterval {
        start_ns: index as u64 * SLICE_NS,
        length_ns: SLICE_NS,
        packets_received: Some(*received),
        packets_lost: Some(*lost),
        ..TransferInterval::default()
    };
    let received: u64 = slices.iter().map(|(received, _)| received).sum();
    let missed: u64 = slices.iter().map(|(_, lost)| lost.unsigned_abs()).sum();
    Transfer {
        protocol: Some(Transport::Udp),
        packet_size_bytes: Some(1000),
        packets_sent: Some(received + missed + tail),
        packets_received: Some(received),
        duration_ns: Some(duration_ns),
        intervals: slices.iter().enumerate().map(slice).collect(),
        ..tcp(&[])
    }
}

fn stretch<T: Copy>(parts: &[(usize, T)]) -> Vec<T> {
    let all = parts
        .iter()
        .flat_map(|(count, value)| std::iter::repeat_n(*value, *count));
    all.collect()
}

fn only(transfer: &Transfer) -> Episode {
    let found = episodes(transfer);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn seconds(episode: &Episode) -> (f64, f64) {
    (episode.from_ns as f64 / 1e9, episode.to_ns as f64 / 1e9)
}

#[test]
fn a_silence_has_its_times() {
    let found = only(&tcp(&stretch(&[
        (31, (50.0, 0)),
        (21, (0.0, 0)),
        (48, (50.0, 0)),
    ])));
    assert_eq!((found.what, seconds(&found)), (What::Silence, (3.1, 5.2)));
    assert!(!found.to_the_end);
    // The retransmissions and the small window behind it belong to it.
    let slow = stretch(&[(31, (50.0, 0)), (21, (0.0, 0)), (15, (10.0, 30)), (33, (50.0, 0))]);
    assert_eq!(seconds(&only(&tcp(&slow))), (3.1, 5.2));
    // One second between two is told as two.
    let twice = stretch(&[
        (20, (50.0, 0)),
        (15, (0.0, 0)),
        (20, (50.0, 0)),
        (15, (0.0, 0)),
        (20, (50.0, 0)),
    ]);
    let times: Vec<(f64, f64)> = episodes(&tcp(&twice)).iter().map(seconds).collect();
    assert_eq!(times, [(2.0, 3.5), (5.5, 7.0)]);
}

#[test]
fn a_silence_up_to_the_end_is_one_and_a_finished_transfer_is_none() {
    let mut transfer = tcp(&stretch(&[(40, (50.0, 0)), (20, (0.0, 1))]));
    let found = only(&transfer);
    assert_eq!(
        (found.what, seconds(&found), found.to_the_end),
        (What::Silence, (4.0, 6.0), true)
    );
    transfer.stop = Some(StopReason::MaxBytes);
    assert_eq!(episodes(&transfer), []);
}

#[test]
fn a_far_end_that_goes_away_is_no_silence_of_the_path() {
    let mut transfer = tcp(&stretch(&[(30, (50.0, 0)), (28, (0.0, 1))]));
    transfer.stop = Some(StopReason::PeerGone);
    let found = only(&transfer);
    assert_eq!((found.what, seconds(&found)), (What::Gone, (3.0, 5.8)));
    assert_eq!(crate::records::stalled(&transfer), Some(false));
    let rate = crate::records::rate_until_gone(&transfer).unwrap().0;
    assert!((45e6..55e6).contains(&rate), "{rate}");
    // Nothing ever came: nothing fell silent.
    let mut never = tcp(&stretch(&[(30, (0.0, 0))]));
    never.stop = Some(StopReason::PeerGone);
    assert_eq!(episodes(&never), []);
}

#[test]
fn loss_that_begins_lowers_a_rate_and_is_told_as_loss() {
    let slices = stretch(&[
        (10, (50.0, 0)),
        (1, (30.0, 19)),
        (24, (50.0, 0)),
        (2, (48.0, 6)),
        (43, (4.0, 2)),
    ]);
    let found = only(&tcp(&slices));
    let What::Loss { within, otherwise } = found.what else {
        panic!("{found:?}")
    };
    assert!(within > 0.01 && otherwise < 0.002, "{found:?}");
    assert_eq!((seconds(&found), found.to_the_end), ((3.5, 8.0), true));
}

#[test]
fn a_rate_that_falls_without_loss_is_told_as_a_rate() {
    let found = only(&tcp(&stretch(&[
        (27, (50.0, 0)),
        (30, (5.0, 0)),
        (23, (50.0, 0)),
    ])));
    let What::Rate { before, within } = found.what else {
        panic!("{found:?}")
    };
    assert!(
        (45e6..55e6).contains(&before.0) && (4e6..12e6).contains(&within.0),
        "{found:?}"
    );
    assert_eq!(seconds(&found), (2.7, 5.7));
}

#[test]
fn slow_start_jitter_a_halved_window_and_steady_loss_are_no_episodes() {
    let slow_start = stretch(&[
        (3, (2.0, 0)),
        (3, (8.0, 0)),
        (4, (30.0, 0)),
        (1, (90.0, 40)),
        (69, (50.0, 0)),
    ]);
    let halved = stretch(&[(40, (50.0, 0)), (1, (40.0, 1)), (20, (26.0, 0)), (19, (45.0, 0))]);
    let lossy: Vec<(f64, u64)> = (0..80)
        .map(|i| (12.0 + (i % 9) as f64, u64::from(i % 3 == 0)))
        .collect();
    let short = stretch(&[(40, (50.0, 0)), (5, (0.0, 1)), (40, (50.0, 0))]);
    for slices in [slow_start, halved, lossy, short] {
        assert_eq!(episodes(&tcp(&slices)), [], "{slices:?}");
    }
}

#[test]
fn a_stream_tells_a_burst_a_silence_and_a_tail() {
    let burst = udp(
        &stretch(&[(40, (1000, 0)), (20, (900, 100)), (40, (1000, 0))]),
        10_000_000_000,
        0,
    );
    let found = only(&burst);
    assert_eq!(seconds(&found), (4.0, 6.0));
    assert!(matches!(found.what, What::Loss { within, otherwise } if within > 0.08 && otherwise < 0.01));
    let silent = udp(
        &stretch(&[(20, (500, 0)), (10, (0, 0)), (1, (500, 5000)), (19, (500, 0))]),
        5_000_000_000,
        0,
    );
    let found = only(&silent);
    assert_eq!((found.what, seconds(&found)), (What::Silence, (2.0, 3.0)));
    let ends = udp(&stretch(&[(8, (500, 0))]), 2_000_000_000, 6000);
    let found = only(&ends);
    assert_eq!(
        (found.what, seconds(&found), found.to_the_end),
        (What::Silence, (0.8, 2.0), true)
    );
}

#[test]
fn pauses_of_a_sender_host_drops_one_packet_and_steady_loss_of_a_stream_are_none() {
    let pause = udp(
        &stretch(&[(20, (500, 0)), (10, (0, 0)), (20, (500, 0))]),
        5_000_000_000,
        0,
    );
    let one = udp(
        &stretch(&[(20, (500, 0)), (1, (499, 1)), (20, (500, 0))]),
        4_100_000_000,
        0,
    );
    let steady: Vec<(u64, i64)> = (0..50)
        .map(|i| if i % 2 == 0 { (490, 10) } else { (486, 14) })
        .collect();
    let steady = udp(&steady, 5_000_000_000, 0);
    let mut dropped = udp(
        &stretch(&[(40, (1000, 0)), (20, (900, 100)), (40, (1000, 0))]),
        10_000_000_000,
        0,
    );
    dropped.host_drops = Some(evidence::HostDrops {
        receiver_socket: Some(2000),
        ..evidence::HostDrops::default()
    });
    for stream in [pause, one, steady, dropped] {
        assert_eq!(episodes(&stream), [], "{:?}", stream.intervals);
    }
}

#[test]
fn without_slices_nothing_is_told() {
    let mut transfer = tcp(&[]);
    assert_eq!(episodes(&transfer), []);
    transfer.stop = Some(StopReason::PeerGone);
    assert_eq!(episodes(&transfer), []);
    let mut unknown = tcp(&stretch(&[(31, (50.0, 0)), (21, (0.0, 0)), (48, (50.0, 0))]));
    unknown.intervals[7].bytes_received = None;
    assert_eq!(episodes(&unknown), []);
}
