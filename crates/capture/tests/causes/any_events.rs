//! Any events at all, in any order: the intervals stay in order and add up.

use capture::causes::{Setting, Tracker};
use capture::flow::{Acked, HalfEvent, RetransmissionCause, Sent, SentKind};
use proptest::prelude::*;

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..100_000, any::<u64>(), Just(u64::MAX)]
}

fn any_time() -> impl Strategy<Value = i64> {
    prop_oneof![0_i64..1_000_000_000, any::<i64>(), Just(i64::MAX), Just(i64::MIN)]
}

fn any_event() -> impl Strategy<Value = HalfEvent> {
    let kinds = prop_oneof![
        Just(SentKind::New),
        Just(SentKind::NewBehindGap),
        Just(SentKind::Retransmitted(RetransmissionCause::Timeout)),
        Just(SentKind::RetransmittedUpstream(RetransmissionCause::Fast)),
        Just(SentKind::WindowProbe),
    ];
    let sent = (
        any_time(),
        any_number(),
        any_number(),
        kinds,
        any::<bool>(),
        any_number(),
        any_number(),
    )
        .prop_map(|(time_ns, start, end, kind, is_pushed, flight_bytes, edge)| {
            HalfEvent::Sent(Sent {
                time_ns,
                start,
                end,
                kind,
                is_pushed,
                waited_ms: start as u8,
                flight_bytes,
                window_edge: is_pushed.then_some(edge),
                lost_ns: is_pushed.then_some(time_ns.saturating_sub(1)),
            })
        });
    let acked = (
        any_time(),
        any_number(),
        any_number(),
        any_number(),
        any_time(),
        any::<bool>(),
    )
        .prop_map(|(time_ns, ack, newly_acked_bytes, window, rtt, is_known)| {
            HalfEvent::Acked(Acked {
                time_ns,
                ack,
                newly_acked_bytes,
                newly_sacked_bytes: window,
                newly_arrived_bytes: window.saturating_add(newly_acked_bytes),
                is_duplicate: false,
                is_dsack: false,
                is_eifel: false,
                window_bytes: is_known.then_some(window),
                rtt_ns: is_known.then_some(rtt),
                unseen_bytes: 0,
            })
        });
    prop_oneof![sent, acked]
}

proptest! {
    #[test]
    fn anything_gives_intervals_in_order_that_add_up(
        events in proptest::collection::vec(any_event(), 0..300),
        before in proptest::option::of(any_time()),
        end in any_time(),
    ) {
        let mut tracker = Tracker::new();
        tracker.set(Setting { before_ns: before, behind_ns: None, mss_bytes: None });
        for event in &events {
            tracker.take(event);
        }
        let causes = tracker.finish(end);
        prop_assert!(causes.intervals.len() <= 1000);
        for pair in causes.intervals.windows(2) {
            prop_assert_eq!(pair[0].to_ns, pair[1].from_ns);
            prop_assert_ne!(pair[0].label, pair[1].label);
        }
        let spans: i64 = causes.intervals.iter().map(|interval| interval.to_ns - interval.from_ns).sum();
        let shares: i64 = causes.shares.iter().map(|share| share.time_ns).sum();
        prop_assert_eq!(spans, shares);
    }
}
