use super::*;
use proptest::prelude::*;

fn slice(start_ms: u64, length_ms: u64, bytes: u64) -> TcpSlice {
    TcpSlice {
        start_ns: start_ms * 1_000_000,
        length_ns: length_ms * 1_000_000,
        bytes,
        retransmits: 0,
        cwnd_bytes: 0,
        rtt_us: 0,
        delivery_rate_bps: None,
    }
}

fn half(slices: Vec<TcpSlice>, stop: StopReason) -> TcpHalf {
    TcpHalf {
        congestion_control: "cubic".to_owned(),
        bytes: slices.iter().map(|slice| slice.bytes).sum(),
        active_ns: slices.last().map_or(0, TcpSlice::end_ns),
        slices,
        accounts: vec![],
        stop,
        cpu: None,
    }
}

fn plan() -> TcpPlan {
    TcpPlan {
        server_sends: false,
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 1,
        max_bytes: None,
        max_rate_bps: None,
        watch_hops: false,
    }
}

fn joined(sent: &TcpHalf, received: Option<&TcpHalf>) -> Transfer {
    joined_by(&plan(), sent, received)
}

fn joined_by(plan: &TcpPlan, sent: &TcpHalf, received: Option<&TcpHalf>) -> Transfer {
    let address = IpAddr::from([127, 0, 0, 1]);
    let parties = TcpParties {
        source: address,
        destination: address,
        ports: vec![],
    };
    join_tcp(parties, plan, sent, received, sent.stop)
}

#[test]
fn slices_of_unequal_length_are_laid_over_each_other() {
    let sent = half(
        vec![slice(0, 100, 10), slice(100, 100, 10), slice(200, 100, 10)],
        StopReason::MaxTime,
    );
    let received = half(
        vec![slice(0, 150, 150), slice(150, 100, 100)],
        StopReason::MaxTime,
    );
    let result = joined(&sent, Some(&received));
    let read: Vec<_> = result
        .intervals
        .iter()
        .map(|interval| interval.bytes_received)
        .collect();
    assert_eq!(read, [Some(100), Some(100), Some(50)]);
    assert_eq!(result.bytes_received, Some(250));
    assert_eq!(result.duration_ns, Some(250_000_000));
}

#[test]
fn a_receiver_that_went_away_leaves_what_was_acknowledged() {
    let sent = half(vec![slice(0, 100, 1_000)], StopReason::PeerGone);
    let result = joined(&sent, None);
    assert_eq!(result.bytes_received, Some(1_000));
    assert_eq!(result.intervals[0].bytes_received, None);
    assert_eq!(
        (result.steady_bps, result.receiver),
        (None, Some(TransferSide::default()))
    );
    assert_eq!(result.received_bps, Some(RateBps(80_000.0)));
}

#[test]
fn a_stall_counts_as_time_and_nothing_received_has_no_rate() {
    let sent = half(
        vec![slice(0, 100, 1_000), slice(100, 3_900, 0)],
        StopReason::Stalled,
    );
    let received = half(vec![slice(0, 100, 1_000)], StopReason::Cancelled);
    assert_eq!(
        joined(&sent, Some(&received)).received_bps,
        Some(RateBps(2_000.0))
    );
    let nothing = joined(
        &half(vec![slice(0, 4_000, 0)], StopReason::Stalled),
        Some(&half(vec![], StopReason::Stalled)),
    );
    assert_eq!((nothing.received_bps, nothing.steady_bps), (None, None));
}

#[test]
fn steady_is_the_mean_of_the_second_half() {
    let sent = half(
        (0..10).map(|i| slice(i * 100, 100, 1)).collect(),
        StopReason::Stable,
    );
    let bytes = [0, 0, 0, 0, 0, 100, 0, 300, 200, 900];
    let received = half(
        bytes
            .iter()
            .enumerate()
            .map(|(i, bytes)| slice(i as u64 * 100, 100, *bytes))
            .collect(),
        StopReason::Stable,
    );
    assert_eq!(
        joined(&sent, Some(&received)).steady_bps,
        Some(RateBps(1_500.0 * 16.0))
    );
}

proptest! {
    #[test]
    fn no_byte_is_lost_in_joining(lengths in prop::collection::vec((1u64..300, 0u64..1_000_000), 1..40)) {
        let mut at = 0;
        let slices: Vec<TcpSlice> = lengths.iter().map(|(length, bytes)| {
            at += length;
            slice(at - length, *length, *bytes)
        }).collect();
        let received = half(slices, StopReason::MaxTime);
        let sent = half((0..=at / 100).map(|i| slice(i * 100, 100, 0)).collect(), StopReason::MaxTime);
        let result = joined(&sent, Some(&received));
        let read: u64 = result.intervals.iter().filter_map(|interval| interval.bytes_received).sum();
        prop_assert!(read.abs_diff(received.bytes) <= result.intervals.len() as u64);
    }
}

#[test]
fn a_window_that_a_byte_limit_held_is_a_condition_and_a_smaller_one_is_the_hosts() {
    let window = |max_bytes, limited_us, window| {
        let mut sent = half(vec![slice(0, 100, 1_000)], StopReason::MaxBytes);
        sent.accounts.push(TcpAccount {
            busy_us: Some(100_000),
            receive_window_limited_us: Some(limited_us),
            peer_window_bytes: Some(window),
            ..TcpAccount::default()
        });
        let plan = TcpPlan { max_bytes, ..plan() };
        let joined = joined_by(&plan, &sent, None);
        assert_eq!(joined.note.is_some(), joined.window_bytes.is_some());
        joined.window_bytes
    };
    assert_eq!(window(Some(2_000_000), 60_000, 212_992), Some(212_992));
    assert_eq!(window(Some(100_000_000), 60_000, 65_536), None, "the host's own");
    assert_eq!(
        window(Some(2_000_000), 5_000, 212_992),
        None,
        "nobody waited for it"
    );
    assert_eq!(window(None, 60_000, 212_992), None);
}
