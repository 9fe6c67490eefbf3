//! Any segments at all, a capture beside itself, and a window that is too small.

use crate::comparison::{compare_with, lossy};
use crate::vantage::{Leg, run};
use capture::points::{Comparison, Complaint, Settings};
use capture::{Endpoint, Flags, FlowKey, Options, Segment, Way};
use proptest::prelude::*;

/// Few values of each number, so that much overlaps and little fits.
fn segment() -> impl Strategy<Value = (usize, Segment)> {
    let number = prop_oneof![
        0..4_u32,
        Just(1448),
        Just(2896),
        Just(u32::MAX),
        Just(1 << 31),
        any::<u32>()
    ];
    let payload = prop_oneof![
        Just(0),
        Just(1),
        Just(1448),
        Just(65_160),
        Just(u32::MAX),
        0..4000_u32
    ];
    let time = prop_oneof![0..1_000_000_i64, any::<i64>()];
    let stamps = proptest::option::of((0..3_u32, any::<u32>()));
    (
        0..3_usize,
        number.clone(),
        number,
        payload,
        time,
        any::<u16>(),
        stamps,
        any::<(u16, u8, bool, bool)>(),
    )
        .prop_map(
            |(
                point,
                seq,
                ack,
                payload_bytes,
                time_ns,
                flags,
                timestamps,
                (ip_id, ttl, up, dont_fragment),
            )| {
                let end = |last: u8| Endpoint {
                    address: [10, 0, 0, last].into(),
                    port: 1,
                };
                let segment = Segment {
                    time_ns,
                    key: FlowKey {
                        low: end(1),
                        high: end(2),
                    },
                    hash: 0,
                    way: if up { Way::Up } else { Way::Down },
                    seq,
                    ack,
                    payload_bytes,
                    window: ip_id,
                    flags: Flags(flags),
                    ip_bytes: payload_bytes.wrapping_add(u32::from(ttl)),
                    ip_id: dont_fragment.then_some(ip_id % 3),
                    ttl,
                    traffic_class: ttl,
                    dont_fragment,
                    fragments: ip_id % 3,
                    options: Options {
                        timestamps,
                        mss_bytes: up.then_some(ip_id),
                        ..Options::default()
                    },
                    ..Segment::BLANK
                };
                (point, segment)
            },
        )
}

proptest! {
    #[test]
    fn any_segments_in_any_order_of_feeding_do_no_harm(segments in proptest::collection::vec(segment(), 0..600)) {
        let settings = Settings { window_packets: 64, most_losses: 5, is_order_told: segments.len() % 2 == 0 };
        let mut comparison = Comparison::new(&["a", "b", "c"], settings);
        for (point, segment) in &segments {
            comparison.feed(*point, segment);
        }
        let report = comparison.finish();
        for direction in report.stretches.iter().flat_map(|stretch| &stretch.directions) {
            prop_assert!(direction.losses.len() <= 5);
            for counts in [direction.data, direction.bare] {
                prop_assert_eq!(counts.sent, counts.arrived + counts.lost + counts.missed_by_to);
            }
        }
    }
}

#[test]
fn a_capture_beside_itself_shows_nothing() {
    for seed in 80..84 {
        let mut plan = lossy(seed, 2);
        (plan.packets, plan.train, plan.stamps, plan.ids) =
            (5_000, 1 + seed as u32 % 3, seed % 2 == 0, seed < 82);
        plan.legs[0] = Leg {
            reorder: 0.02,
            duplicate: 0.01,
            ..plan.legs[0].clone()
        };
        let world = run(&plan);
        for capture in world.captures {
            let report = compare_with(&[capture.clone(), capture], Settings::default(), &[]);
            for direction in &report.stretches[0].directions {
                for counts in [direction.data, direction.bare] {
                    assert_eq!(
                        (counts.sent, counts.outside, counts.missed_by_from),
                        (counts.arrived, 0, 0),
                        "{seed}"
                    );
                }
                assert_eq!(direction.reordering.reordered, 0);
            }
        }
    }
}

#[test]
fn a_window_too_small_is_complained_of_and_holds() {
    let world = run(&lossy(73, 2));
    let settings = Settings {
        window_packets: 30,
        ..Settings::default()
    };
    let report = compare_with(&world.captures, settings, &[]);
    assert!(
        report
            .complaints
            .iter()
            .any(|complaint| matches!(complaint, Complaint::WindowTooSmall { .. }))
    );
}
