//! Cases made of figures that people state: a queue that overflows in slow start, and an application's rhythm.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::judge_round;
use common::{add, complaint_between};
use evidence::v1::{
    Case, End, Explains, Node, Payload, Quantity, RateBps, Statement, ThroughputRecord, Transport, Vantage,
    Verdict, VerdictState,
};

const MB: f64 = 8e6;

fn said(
    pair: (&str, &str),
    subject: Option<&str>,
    quantity: Quantity,
    value: f64,
    range: Option<(f64, f64)>,
) -> Payload {
    let node = |name: &str| {
        if name.is_empty() {
            Node::default()
        } else {
            Node::named(name)
        }
    };
    Payload::Statement(Statement {
        quantity,
        from: node(pair.0),
        to: node(pair.1),
        subject: subject.map(str::to_owned),
        value,
        range,
        text: "as told".into(),
    })
}

fn transfer(pair: (&str, &str), application: Option<&str>, bps: f64) -> Payload {
    Payload::Throughput(ThroughputRecord {
        from: Node::named(pair.0),
        to: Node::named(pair.1),
        protocol: Some(Transport::Tcp),
        application: application.map(str::to_owned),
        received_bps: Some(RateBps(bps)),
        ..ThroughputRecord::default()
    })
}

const WAN: (&str, &str) = ("nersc", "ornl");
const LAN: (&str, &str) = ("swift-g0", "quail-g0");

fn wide_area() -> Vec<Payload> {
    let wan = |quantity, value, range| said(WAN, None, quantity, value, range);
    vec![
        said(
            WAN,
            Some("security monitoring link"),
            Quantity::LinkCapacity,
            1e8,
            None,
        ),
        said(WAN, Some("link to ESnet"), Quantity::LinkCapacity, 1.55e8, None),
        wan(Quantity::InputCapacity, 1e9, None),
        wan(Quantity::Rtt, 0.06, None),
        wan(Quantity::TimeToFirstLoss, 1.1, Some((1.0, 1.2))),
        wan(Quantity::StallAfterLoss, 1.5, Some((1.0, 2.0))),
        wan(Quantity::TimeToRecover, 10.0, None),
        wan(Quantity::PeakRate, 9.0 * MB, None),
        wan(Quantity::SocketBuffer, 5e5, None),
        transfer(WAN, Some("ttcp"), 1.0 * MB),
    ]
}

fn local(pause_s: f64) -> Vec<Payload> {
    let lan = |subject, quantity, value| said(LAN, subject, quantity, value, None);
    vec![
        lan(None, Quantity::WriteBytes, 32_768.0),
        lan(None, Quantity::WritePause, pause_s),
        lan(None, Quantity::WriteRate, 55.5 * MB),
        lan(None, Quantity::BlockPause, 2.3e-3),
        lan(Some("pftp"), Quantity::BlockBytes, 262_144.0),
        lan(Some("hsi"), Quantity::BlockBytes, 1_048_576.0),
        transfer(LAN, Some("pftp"), 23.0 * MB),
        transfer(LAN, Some("hsi"), 32.0 * MB),
    ]
}

fn verdict(payloads: impl IntoIterator<Item = Payload>) -> Verdict {
    let mut case = Case::new(complaint_between(WAN.0, WAN.1));
    let nowhere = Vantage::Elsewhere { place: String::new() };
    payloads
        .into_iter()
        .for_each(|payload| add(&mut case, nowhere.clone(), payload));
    judge_round(&case, 1)
}

fn codes(verdict: &Verdict) -> Vec<(&str, Explains)> {
    verdict
        .findings
        .iter()
        .map(|f| (f.code.as_str(), f.explains))
        .collect()
}

fn without(payloads: Vec<Payload>, quantity: Quantity) -> Vec<Payload> {
    let other = |p: &Payload| !matches!(p, Payload::Statement(s) if s.quantity == quantity);
    payloads.into_iter().filter(other).collect()
}

#[test]
fn the_queue_overflows_and_the_application_has_a_rhythm_of_its_own() {
    let verdict = verdict(wide_area().into_iter().chain(local(4e-4)));
    assert_eq!(verdict.state, VerdictState::Slow);
    assert_eq!(
        codes(&verdict),
        [("LOSS-004", Explains::Yes), ("APP-001", Explains::No)]
    );
    let [overflow, rhythm] = verdict.findings.as_slice() else {
        panic!()
    };
    assert!(overflow.confidence > 0.9, "{}", overflow.confidence);
    assert!(
        overflow.claim.contains("security monitoring link (100 Mbit/s)"),
        "{}",
        overflow.claim
    );
    assert!(
        overflow.remedy.contains("allows 66.7 Mbit/s at most: 33 %"),
        "{}",
        overflow.remedy
    );
    let allows = overflow.allows_bps.unwrap();
    assert!(allows.low.0 <= 8e6 && 8e6 <= allows.high.0, "{allows:?}");
    let herrings: Vec<&str> = verdict.red_herrings.iter().map(|h| h.code.as_str()).collect();
    assert_eq!(herrings, ["cross-traffic"]);
    assert!(
        rhythm.claim.contains("pftp 184 Mbit/s of 205 Mbit/s predicted"),
        "{}",
        rhythm.claim
    );
    assert!(
        rhythm.claim.contains("hsi 256 Mbit/s of 247 Mbit/s predicted"),
        "{}",
        rhythm.claim
    );
}

#[test]
fn a_rhythm_explains_the_transfer_that_has_it() {
    let mut case = Case::new(complaint_between(LAN.0, LAN.1));
    local(4e-4)
        .into_iter()
        .for_each(|payload| add(&mut case, End::From, payload));
    let verdict = judge_round(&case, 1);
    let [(code, explains)] = codes(&verdict)[..] else {
        panic!("{:?}", codes(&verdict))
    };
    assert_eq!((code, explains), ("APP-001", Explains::Yes));
    assert_eq!(verdict.state, VerdictState::Slow);
}

#[test]
fn pauses_too_short_to_matter_are_not_the_limit() {
    let verdict = verdict(local(1e-6));
    assert!(
        !codes(&verdict).iter().any(|(code, _)| *code == "APP-001"),
        "{:?}",
        codes(&verdict)
    );
    assert!(verdict.excluded.iter().any(|e| e.code == "APP-001"));
}

#[test]
fn without_the_pause_nothing_is_said_of_a_rhythm() {
    let verdict = verdict(without(local(4e-4), Quantity::WritePause));
    assert_eq!(codes(&verdict), []);
}

#[test]
fn no_faster_link_before_it_and_no_queue_overflows() {
    let same_speed = wide_area().into_iter().map(|payload| match payload {
        Payload::Statement(s) if s.quantity == Quantity::InputCapacity => {
            Payload::Statement(Statement { value: 1e8, ..s })
        }
        other => other,
    });
    assert_eq!(codes(&verdict(same_speed)), []);
}

#[test]
fn a_first_loss_long_after_slow_start_speaks_against_an_overflow() {
    let late = wide_area().into_iter().map(|payload| match payload {
        Payload::Statement(s) if s.quantity == Quantity::TimeToFirstLoss => Payload::Statement(Statement {
            value: 60.0,
            range: None,
            ..s
        }),
        other => other,
    });
    let verdict = verdict(without(late.collect(), Quantity::StallAfterLoss));
    assert_eq!(codes(&verdict), []);
}

#[test]
fn without_a_round_trip_time_nothing_can_be_predicted() {
    assert_eq!(codes(&verdict(without(wide_area(), Quantity::Rtt))), []);
}
