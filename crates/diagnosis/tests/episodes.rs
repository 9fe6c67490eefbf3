//! What came and went during a transfer stands in the verdict with its times, wherever the verdict leads.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::records::complaint;
use diagnosis::judge_round;
use evidence::{
    Case, Node, Observation, Provenance, StopReason, Timestamp, Transfer, TransferInterval, Transport,
    Verdict, VerdictState, migrate,
};

/// 2026-11-22 14:03:04 UTC.
const START: Timestamp = Timestamp(1_795_356_184_000_000_000);

/// A case with one TCP transfer in slices of 100 ms of so many Mbit/s.
fn case(expected_bps: f64, mbit: &[f64], stop: StopReason, at_is_import_time: bool) -> Case {
    let slice = |(index, mbit): (usize, &f64)| TransferInterval {
        start_ns: index as u64 * 100_000_000,
        length_ns: 100_000_000,
        bytes_received: Some((mbit * 1e6 / 80.0) as u64),
        retransmits: Some(0),
        ..TransferInterval::default()
    };
    let mean = mbit.iter().sum::<f64>() * 1e6 / mbit.len() as f64;
    let transfer = Transfer {
        from: Node::named("a.example"),
        to: Node::named("b.example"),
        protocol: Some(Transport::Tcp),
        duration_ns: Some(mbit.len() as u64 * 100_000_000),
        received_bps: Some(evidence::RateBps(mean)),
        intervals: mbit.iter().enumerate().map(slice).collect(),
        stop: Some(stop),
        ..Transfer::default()
    };
    let mut case = migrate::case(complaint("a.example", "b.example", Some(expected_bps)));
    let provenance = Provenance {
        at_is_import_time,
        ..Provenance::measured(Node::named("a.example"), START, 1, "test")
    };
    case.add(Observation::new(provenance, transfer.into()));
    case
}

fn stretch(parts: &[(usize, f64)]) -> Vec<f64> {
    let all = parts
        .iter()
        .flat_map(|(count, rate)| std::iter::repeat_n(*rate, *count));
    all.collect()
}

/// All that a person reads of what came and went.
fn told(verdict: &Verdict) -> String {
    let arguments = verdict.findings.iter().flat_map(|finding| &finding.supports);
    let arguments = arguments.map(|argument| argument.text.as_str());
    let herrings = verdict.red_herrings.iter().map(|herring| herring.seen.as_str());
    let all: Vec<&str> = [verdict.summary.as_str()]
        .into_iter()
        .chain(arguments)
        .chain(herrings)
        .collect();
    all.join("\n")
}

#[test]
fn a_silence_is_told_with_its_times_slow_or_fast() {
    let flap = stretch(&[(31, 50.0), (21, 0.0), (48, 50.0)]);
    let words = "in the TCP transfer, nothing arrived from 3.1 s to 5.2 s of 10.0 s, in [2026-11-22 14:03:07, 14:03:09] UTC";
    for (expected, fast) in [(30e6, true), (90e6, false)] {
        let verdict = judge_round(&case(expected, &flap, StopReason::MaxTime, false), 1);
        assert_eq!(verdict.state == VerdictState::Ok, fast, "{verdict:#?}");
        assert!(told(&verdict).contains(words), "{verdict:#?}");
    }
    let undated = judge_round(&case(90e6, &flap, StopReason::MaxTime, true), 1);
    let text = told(&undated);
    assert!(
        text.contains("from 3.1 s to 5.2 s of 10.0 s") && !text.contains("2026"),
        "{text}"
    );
}

#[test]
fn of_many_the_number_and_the_time() {
    let again = stretch(&[(20, 50.0), (11, 0.0)].repeat(5));
    let verdict = judge_round(&case(90e6, &again, StopReason::MaxTime, false), 1);
    let text = told(&verdict);
    assert_eq!(text.matches("nothing arrived").count(), 3, "{text}");
    assert!(text.contains("and 2 more times, 2.2 s in all"), "{text}");
}

#[test]
fn a_steady_transfer_tells_none() {
    for expected in [30e6, 90e6] {
        let steady = case(
            expected,
            &stretch(&[(2, 10.0), (78, 50.0)]),
            StopReason::MaxTime,
            false,
        );
        let text = told(&judge_round(&steady, 1));
        assert!(!text.contains("arrived") && !text.contains("fell"), "{text}");
    }
}

#[test]
fn a_far_end_that_goes_away_is_neither_loss_nor_health() {
    let dies = stretch(&[(73, 50.0), (30, 0.0)]);
    for expected in [30e6, 90e6] {
        let verdict = judge_round(&case(expected, &dies, StopReason::PeerGone, false), 1);
        let words = "the far end fell silent 7.3 s into the TCP transfer, at 2026-11-22 14:03:11 UTC, and never came back";
        assert!(verdict.summary.contains(words), "{verdict:#?}");
        assert_ne!(verdict.state, VerdictState::Ok, "{verdict:#?}");
        let loss = verdict
            .findings
            .iter()
            .any(|finding| finding.code.starts_with("LOSS"));
        assert!(!loss, "{verdict:#?}");
    }
}
