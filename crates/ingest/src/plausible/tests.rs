//! What leaves the gate is plausible, and what is plausible passes as it is.

use super::*;
use evidence::{
    CounterKind, DelayStatistics, InterfaceCounters, InterfaceLoad, Node, ProbeRow, Probes, Series,
    Timestamp, Transfer, TransferInterval, Transport,
};
use proptest::prelude::*;

fn passed(payload: Payload) -> (Option<Payload>, Vec<String>) {
    let (mut payload, mut gate) = (payload, Gate::default());
    let stays = gate.pass(&mut payload);
    (stays.then_some(payload), gate.reasons)
}

/// Counts as tools print them, and as they print them when something wrapped.
fn count() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![
        Just(None),
        (0_u64..200).prop_map(Some),
        any::<u64>().prop_map(Some),
        Just(Some(u64::MAX)),
    ]
}

fn rate() -> impl Strategy<Value = Option<RateBps>> {
    let bps = prop_oneof![
        Just(0.0),
        1e3..1e11,
        -1e9..0.0,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e30)
    ];
    prop::option::of(bps.prop_map(RateBps))
}

fn small() -> impl Strategy<Value = Option<u64>> {
    prop::option::of(prop_oneof![Just(0), 1_u64..20_000_000_000, any::<u64>()])
}

prop_compose! {
    fn slice()(start_ns in 0_u64..10, length_ns in 0_u64..3, rate_bps in rate(), retransmits in count(),
        packets_received in count(), packets_lost in prop::option::of(any::<i64>()), rtt_ns in small()) -> TransferInterval {
        TransferInterval {
            start_ns: start_ns * 1_000_000_000,
            length_ns: length_ns * 1_000_000_000,
            rate_bps, retransmits, packets_received, packets_lost, rtt_ns,
            ..TransferInterval::default()
        }
    }
}

prop_compose! {
    fn transfer()(sent_bps in rate(), received_bps in rate(), duration_ns in small(), udp: bool,
        counts in prop::collection::vec(count(), 6), rtt_ns in small(),
        intervals in prop::collection::vec(slice(), 0..5)) -> Transfer {
        Transfer {
            protocol: Some(if udp { Transport::Udp } else { Transport::Tcp }),
            sent_bps, received_bps, duration_ns, rtt_ns, intervals,
            packets_sent: counts[0],
            packets_received: counts[1],
            packets_lost: counts[2],
            duplicates: counts[3],
            retransmits: counts[4],
            bytes_received: counts[5],
            ..Transfer::default()
        }
    }
}

prop_compose! {
    fn row()(counts in prop::collection::vec(count(), 4), loss_ratio in prop::option::of(-1.0_f64..20.0),
        ns in prop::collection::vec(prop::option::of(any::<i64>()), 6)) -> ProbeRow {
        ProbeRow {
            sent: counts[0],
            received: counts[1],
            lost: counts[2],
            duplicates: counts[3],
            loss_ratio,
            delay: Some(DelayStatistics {
                min_ns: ns[0], mean_ns: ns[1], p50_ns: ns[2], p90_ns: ns[3], p99_ns: ns[4], max_ns: ns[5],
                deviation_ns: None,
            }),
            ..ProbeRow::default()
        }
    }
}

prop_compose! {
    fn interface()(packets in any::<u64>(), errors in any::<u64>(), input_bps in rate(), bandwidth_bps in rate(),
        mtu_bytes in prop::option::of(0_u32..3)) -> InterfaceCounters {
        InterfaceCounters {
            mtu_bytes, bandwidth_bps,
            counters: [(CounterKind::InputPackets, packets), (CounterKind::InputErrors, errors)].into(),
            load: Some(InterfaceLoad {
                over_s: None, input_bps, input_pps: None, output_bps: None, output_pps: None,
            }),
            ..InterfaceCounters::default()
        }
    }
}

fn series() -> impl Strategy<Value = Series> {
    let metrics = prop::sample::select(vec![
        SeriesMetric::LossRatio,
        SeriesMetric::Throughput,
        SeriesMetric::Rtt,
    ]);
    let values = prop::collection::vec(prop_oneof![-2.0..3.0, Just(f64::NAN), 1e3..1e20], 0..6);
    (metrics, values).prop_map(|(metric, values)| Series {
        from: Node::default(),
        to: Node::default(),
        metric,
        points: values.into_iter().map(|value| (Timestamp(0), value)).collect(),
    })
}

fn payload() -> impl Strategy<Value = Payload> {
    prop_oneof![
        transfer().prop_map(Payload::from),
        prop::collection::vec(row(), 1..3).prop_map(|rows| Payload::Probes(Probes {
            rows,
            ..Probes::default()
        })),
        interface().prop_map(Payload::InterfaceCounters),
        series().prop_map(Payload::Series),
    ]
}

fn transfer_is_sound(t: &Transfer) -> bool {
    let sound = |rate: Option<RateBps>| rate.is_none_or(|rate| is_rate(rate.0));
    let countable = |count: Option<u64>| count.is_none_or(|count| count < MOST);
    sound(t.sent_bps)
        && sound(t.received_bps)
        && t.packets_lost
            .zip(t.packets_sent)
            .is_none_or(|(lost, sent)| lost <= sent)
        && countable(t.retransmits)
        && countable(t.packets_received)
        && countable(t.bytes_received)
        && t.intervals
            .iter()
            .all(|slice| sound(slice.rate_bps) && countable(slice.retransmits))
}

fn row_is_sound(row: &ProbeRow) -> bool {
    let delay = row.delay.unwrap_or_default();
    let order = |a: Option<i64>, b: Option<i64>| a.zip(b).is_none_or(|(a, b)| a <= b);
    row.loss_ratio.is_none_or(is_ratio)
        && row.lost.zip(row.sent).is_none_or(|(lost, sent)| lost <= sent)
        && order(delay.min_ns, delay.max_ns)
        && order(delay.min_ns, delay.mean_ns)
        && order(delay.mean_ns, delay.max_ns)
        && order(delay.p50_ns, delay.p99_ns)
        && delay.min_ns.is_none_or(|ns| ns >= 0)
}

fn is_sound(payload: &Payload) -> bool {
    match payload {
        Payload::Transfer(transfer) => transfer_is_sound(transfer),
        Payload::Probes(probes) => probes.rows.iter().all(row_is_sound),
        Payload::InterfaceCounters(seen) => {
            let load = seen.load.and_then(|load| load.input_bps);
            seen.counters.values().all(|count| *count < MOST)
                && seen.mtu_bytes != Some(0)
                && load.is_none_or(|load| is_rate(load.0))
                && load
                    .zip(seen.bandwidth_bps.filter(|speed| speed.0 > 0.0))
                    .is_none_or(|(load, speed)| load.0 <= speed.0 * 1.2)
        }
        Payload::Series(series) => series
            .points
            .iter()
            .all(|(_, value)| is_value(series.metric, *value)),
        _ => true,
    }
}

/// A test over TCP or UDP as it should be: its whole is what its intervals add up to.
fn sound_transfer() -> impl Strategy<Value = Transfer> {
    let slices = prop::collection::vec((1e5..1e10, 0_u64..500, 0_i64..50), 1..20);
    (slices, any::<bool>()).prop_map(|(slices, udp)| {
        let intervals: Vec<TransferInterval> = (0_u64..)
            .zip(&slices)
            .map(|(place, (bps, retransmits, lost))| TransferInterval {
                start_ns: place * 1_000_000_000,
                length_ns: 1_000_000_000,
                rate_bps: Some(RateBps(*bps)),
                retransmits: (!udp).then_some(*retransmits),
                packets_lost: udp.then_some(*lost),
                ..TransferInterval::default()
            })
            .collect();
        let mean = slices.iter().map(|(bps, ..)| bps).sum::<f64>() / slices.len() as f64;
        let lost: u64 = slices.iter().map(|(.., lost)| lost.unsigned_abs()).sum();
        let arrived = (mean * slices.len() as f64 / 8.0 / 1_400.0) as u64;
        Transfer {
            protocol: Some(if udp { Transport::Udp } else { Transport::Tcp }),
            duration_ns: Some(slices.len() as u64 * 1_000_000_000),
            sent_bps: Some(RateBps(mean)),
            received_bps: udp.then_some(RateBps(mean * 0.995)),
            retransmits: (!udp).then(|| slices.iter().map(|(_, again, _)| again).sum()),
            packets_sent: udp.then_some(arrived + lost),
            packets_lost: udp.then_some(lost),
            intervals,
            ..Transfer::default()
        }
    })
}

proptest! {
    #[test]
    fn what_leaves_the_gate_is_plausible(payload in payload()) {
        let (out, reasons) = passed(payload.clone());
        if let Some(out) = out {
            prop_assert!(is_sound(&out), "{out:?}");
            if reasons.is_empty() {
                prop_assert_eq!(&out, &payload);
            } else {
                let (again, more) = passed(out.clone());
                prop_assert!(more.is_empty(), "{more:?} after {reasons:?} of {payload:?}");
                prop_assert_eq!(again, Some(out));
            }
        } else {
            prop_assert!(!reasons.is_empty(), "a record went without a word");
        }
    }

    #[test]
    fn what_is_plausible_passes_as_it_is(transfer in sound_transfer()) {
        let payload = Payload::from(transfer);
        let (out, reasons) = passed(payload.clone());
        prop_assert_eq!(reasons, Vec::<String>::new());
        prop_assert_eq!(out, Some(payload));
    }
}

#[test]
fn a_summary_that_wrapped_does_not_hide_what_was_lost() {
    let slice = |start_s: u64| TransferInterval {
        start_ns: start_s * 1_000_000_000,
        length_ns: 1_000_000_000,
        rate_bps: Some(RateBps(900e6)),
        packets_lost: Some(5_567),
        ..TransferInterval::default()
    };
    let transfer = Transfer {
        protocol: Some(Transport::Udp),
        duration_ns: Some(10_000_000_000),
        received_bps: Some(RateBps(900e6)),
        packets_sent: Some(2_147_483_647),
        packets_lost: Some(0),
        intervals: (0..10).map(slice).collect(),
        ..Transfer::default()
    };
    let (out, reasons) = passed(transfer.into());
    let Some(Payload::Transfer(out)) = out else {
        panic!("{out:?}")
    };
    assert_eq!((out.packets_lost, out.packets_sent), (None, None));
    assert_eq!(out.received_bps, Some(RateBps(900e6)), "the rate is not in doubt");
    assert!(
        reasons.iter().any(|reason| reason.contains("2147483647")),
        "{reasons:?}"
    );
}

#[test]
fn a_heading_alone_is_complained_about() {
    let bare = InterfaceCounters {
        interface: "eth0".to_owned(),
        ..InterfaceCounters::default()
    };
    let (out, reasons) = passed(Payload::InterfaceCounters(bare));
    assert_eq!(out, None);
    assert_eq!(reasons, ["nothing of interface eth0 was understood"]);
}

#[test]
fn nothing_of_value_is_no_record() {
    let transfer = Transfer {
        packets_sent: Some(5),
        packets_lost: Some(88),
        duration_ns: Some(0),
        ..Transfer::default()
    };
    let (out, reasons) = passed(transfer.into());
    assert_eq!(out, None);
    assert!(
        reasons
            .iter()
            .any(|reason| reason.starts_with("88 packets lost of 5 sent")),
        "{reasons:?}"
    );
}

#[test]
fn a_counter_at_its_end_counts_nothing() {
    let full = |packets_sent| {
        Payload::Transfer(Box::new(Transfer {
            packets_sent: Some(packets_sent),
            packets_lost: Some(0),
            sent_bps: Some(RateBps(1e9)),
            ..Transfer::default()
        }))
    };
    let (Some(Payload::Transfer(left)), reasons) = passed(full(2_147_483_647)) else {
        panic!()
    };
    assert_eq!(
        (left.packets_sent, left.packets_lost, reasons.len()),
        (None, None, 1)
    );
    assert_eq!(left.sent_bps, Some(RateBps(1e9)));
    let (Some(Payload::Transfer(kept)), reasons) = passed(full(2_147_483_646)) else {
        panic!()
    };
    assert_eq!((kept.packets_sent, reasons.len()), (Some(2_147_483_646), 0));
}

#[test]
fn a_speed_that_means_faster_than_can_be_said_is_none() {
    let of = |bps| InterfaceCounters {
        interface: "Ethernet1".to_owned(),
        up: Some(true),
        bandwidth_bps: Some(RateBps(bps)),
        ..InterfaceCounters::default()
    };
    for (bps, is_kept) in [(4_294_967_295.0, false), (4_294_967_000.0, false), (4e9, true)] {
        let Some(Payload::InterfaceCounters(out)) = passed(Payload::InterfaceCounters(of(bps))).0 else {
            panic!("the rest stays");
        };
        assert_eq!(out.bandwidth_bps.is_some(), is_kept, "{bps}");
    }
}
