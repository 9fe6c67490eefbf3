//! What a stretch changes in packets: their size, their addresses and numbers, their headers.

use crate::comparison::{assert_bars, compare, direction, lossy};
use crate::vantage::{Leg, Plan, SECOND, run};
use capture::Way;
use capture::points::{ChangeKind, Relation};

#[test]
fn offload_at_both_ends_is_neither_loss_nor_middlebox() {
    let mut plan = lossy(7, 3);
    (plan.train, plan.joins) = (45, 16);
    plan.legs[0].loss = [0.0; 2];
    let world = run(&plan);
    let report = compare(&world);
    assert_bars(&report, &world);
    let first = direction(&report, 0, Way::Up);
    assert_eq!(
        (first.data.lost, first.data.missed_by_from, first.data.duplicated),
        (0, 0, 0)
    );
    assert_eq!(first.data.sent, direction(&report, 1, Way::Up).data.sent);
    assert!(report.points[0].offloaded_packets[0] > 0 && report.points[1].offloaded_packets[0] == 0);
    let rewritten = |kind: &ChangeKind| !matches!(kind, ChangeKind::Hops { .. });
    assert!(
        !report.changes.iter().any(|change| rewritten(&change.what)),
        "{:?}",
        report.changes
    );
}

#[test]
fn translated_addresses_and_shifted_numbers_are_seen_through() {
    for shift in [[0, 0], [0x1234_5678, 0xfedc_ba98]] {
        for is_cut in [false, true] {
            let mut plan = lossy(23, 3);
            plan.legs[1].translates = true;
            plan.legs[1].isn_shift = shift;
            if is_cut {
                plan.taps[2].from_ns = SECOND;
            }
            let world = run(&plan);
            let report = compare(&world);
            assert_eq!(report.path, [0, 1, 2], "{shift:?} {is_cut}");
            if !is_cut {
                assert_bars(&report, &world);
            }
            let expected = if shift == [0, 0] {
                Relation::Same
            } else {
                Relation::Shifted { by: shift }
            };
            assert_eq!(report.points[2].relation, expected);
            let kinds: Vec<_> = report
                .changes
                .iter()
                .filter(|change| change.from == 1)
                .map(|change| change.what)
                .collect();
            assert!(kinds.contains(&ChangeKind::AddressesTranslated));
            assert_eq!(
                kinds.contains(&ChangeKind::SequenceShifted { by: shift[0] }),
                shift[0] != 0
            );
        }
    }
}

#[test]
fn what_a_stretch_changed_is_told_with_its_place() {
    let mut plan = Plan::new(67, 3);
    plan.legs[1] = Leg {
        fragments: true,
        clears_df: true,
        dscp_to_zero: true,
        mss_to: Some(1360),
        hops: 4,
        ..Leg::default()
    };
    let report = compare(&run(&plan));
    let on = |from: usize, kind: ChangeKind| {
        report
            .changes
            .iter()
            .any(|change| change.from == from && change.what == kind)
    };
    assert!(on(1, ChangeKind::Fragmented) && on(1, ChangeKind::DontFragmentCleared));
    assert!(on(1, ChangeKind::Dscp { from: 10, to: 0 }) && on(1, ChangeKind::Hops { count: 4 }));
    assert!(
        on(
            1,
            ChangeKind::Mss {
                from: Some(1460),
                to: Some(1360)
            }
        ) && on(0, ChangeKind::Hops { count: 3 })
    );
    assert!(!on(0, ChangeKind::Fragmented) && !on(0, ChangeKind::DontFragmentCleared));
    assert_eq!(report.points[0].fragmented_packets, [0, 0]);
    assert!(
        report.points[2].fragmented_packets[0] > 19_000 && report.points[2].dont_fragment_packets[0] == 0
    );
}
