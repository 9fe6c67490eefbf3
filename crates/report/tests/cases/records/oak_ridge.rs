//! One transfer in slices: slow start, a loss, slow growth again.

use super::build::{at, case, finding, intervals, provenance, transfer, verdict};
use evidence::*;

pub fn oak_ridge() -> (Case, VerdictFile) {
    let mut case = case("nersc.example", "ornl.example", Some(90e6));
    case.complaint.local_end = End::From;
    let mut rates = vec![60e6, 90e6, 20e6, 0.0, 1e6];
    rates.extend((0..55).map(|n| 2e6 + 1.1e6 * f64::from(n)));
    let run = Transfer {
        retransmits: Some(112),
        duration_ns: Some(60_000_000_000),
        window_bytes: Some(2_000_000),
        intervals: intervals(&rates),
        ..transfer("nersc.example", "ornl.example", 31e6)
    };
    let when = at("2001-03-01 12:00:00");
    let run = Observation::new(provenance(when, 1, "nersc.example"), run.into());
    let one_way = Probes {
        from: Node::named("nersc.example"),
        rows: vec![ProbeRow {
            way: Way::OneWay,
            to: Node::named("ornl.example"),
            sent: Some(12_000),
            lost: Some(3),
            delay: Some(DelayStatistics {
                min_ns: Some(31_000_000),
                p50_ns: Some(31_200_000),
                max_ns: Some(74_000_000),
                ..DelayStatistics::default()
            }),
            ..ProbeRow::default()
        }],
        ..Probes::default()
    };
    let sockets = Sockets {
        connections: vec![SocketState {
            local: "192.0.2.1:5001".into(),
            peer: "192.0.2.9:41022".into(),
            congestion_control: Some("cubic".into()),
            ..SocketState::default()
        }],
    };
    for payload in [Payload::Probes(one_way), Payload::Sockets(sockets)] {
        case.add(Observation::new(
            provenance(when.plus_ns(90_000_000_000), 1, "nersc.example"),
            payload,
        ));
    }
    case.add(run);
    let judged = Verdict {
        measured_bps: Some(RateBps(31e6)),
        expected_bps: Some(RateBps(90e6)),
        findings: vec![finding(
            "LOSS-001",
            "slow start overflows the queue before the slowest link",
            Location::Path,
        )],
        ..verdict(
            1,
            VerdictState::Slow,
            "Slow start overflows the queue before the slowest link.",
        )
    };
    (case, super::super::verdicts::file(vec![judged]))
}
