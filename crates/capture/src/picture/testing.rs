//! Conversations for tests.

use super::{Limits, Picture, Recorder, Summary};
use crate::Endpoint;
use crate::causes::{Causes, Interval, Label, Share};
use crate::flow::{Acked, HalfEvent, HalfReport, RetransmissionCause, Sent, SentKind};

pub(super) const BEGIN_NS: i64 = 1_700_000_000_000_000_000;

pub(super) fn sent(ms: i64, start: u64, length: u64, kind: SentKind) -> HalfEvent {
    HalfEvent::Sent(Sent {
        time_ns: BEGIN_NS + ms * 1_000_000,
        start,
        end: start + length,
        kind,
        is_pushed: false,
        waited_ms: 0,
        flight_bytes: 2 * length,
        window_edge: None,
        lost_ns: None,
    })
}

pub(super) fn acked(ms: i64, ack: u64) -> Acked {
    Acked {
        time_ns: BEGIN_NS + ms * 1_000_000,
        ack,
        newly_acked_bytes: 1448,
        newly_sacked_bytes: 0,
        newly_arrived_bytes: 1448,
        is_duplicate: false,
        is_dsack: false,
        is_eifel: false,
        window_bytes: Some(65_536),
        rtt_ns: Some(20_000_000),
        unseen_bytes: 0,
    }
}

pub(super) fn summary() -> Summary {
    let end = |last: u8, port| Endpoint {
        address: [192, 0, 2, last].into(),
        port,
    };
    Summary {
        capture: "small.pcap".to_owned(),
        sender: end(1, 40_000),
        receiver: end(2, 443),
        half: HalfReport {
            unique_bytes: 5 * 1448,
            data_packets: 6,
            lost_behind: 1,
            data_ns: Some((BEGIN_NS, BEGIN_NS + 60_000_000)),
            causes: Some(causes()),
            ..HalfReport::default()
        },
    }
}

#[allow(
    clippy::needless_update,
    reason = "more is measured of causes as the crate grows"
)]
fn causes() -> Causes {
    let interval = |from_ms: i64, to_ms: i64, label| Interval {
        from_ns: BEGIN_NS + from_ms * 1_000_000,
        to_ns: BEGIN_NS + to_ms * 1_000_000,
        label,
        bytes: 1448,
    };
    let share = |label, ms: i64| Share {
        label,
        time_ns: ms * 1_000_000,
        bytes: 1448,
    };
    Causes {
        intervals: vec![
            interval(0, 25, Label::SlowStart),
            interval(25, 60, Label::LossRecovery),
        ],
        shares: vec![share(Label::LossRecovery, 35), share(Label::SlowStart, 25)],
        ..Causes::default()
    }
}

/// Five segments, the second of which is lost and sent again.
pub(super) fn small() -> Picture {
    let mut recorder = Recorder::new(Limits::default());
    for n in 0..5 {
        recorder.take(&sent(n, n as u64 * 1448, 1448, SentKind::New), &[]);
    }
    recorder.take(&HalfEvent::Acked(acked(20, 1448)), &[]);
    for (ms, end) in [(22, 3), (23, 4), (24, 5)] {
        let duplicate = Acked {
            is_duplicate: true,
            newly_acked_bytes: 0,
            rtt_ns: None,
            ..acked(ms, 1448)
        };
        recorder.take(&HalfEvent::Acked(duplicate), &[(2 * 1448, end * 1448)]);
    }
    let cause = RetransmissionCause::Fast;
    recorder.take(&sent(25, 1448, 1448, SentKind::Retransmitted(cause)), &[]);
    recorder.take(
        &HalfEvent::Acked(Acked {
            newly_acked_bytes: 4 * 1448,
            ..acked(45, 5 * 1448)
        }),
        &[],
    );
    recorder.finish(summary())
}

/// So many segments, a millisecond apart, each with its acknowledgement.
pub(super) fn conversation(packets: u64, start: impl Fn(u64) -> u64) -> Picture {
    let mut recorder = Recorder::new(Limits::default());
    for n in 0..packets {
        recorder.take(&sent(n as i64, start(n), 1448, SentKind::New), &[]);
        recorder.take(&HalfEvent::Acked(acked(n as i64, start(n) + 1448)), &[]);
    }
    recorder.finish(summary())
}
