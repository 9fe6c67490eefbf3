//! A path with equal routes: what is wrong with one of them hurts the connections that take it, and no others.
#![allow(clippy::unwrap_used, reason = "a test should fail loudly")]

mod common;

use diagnosis::{Means, plan};
use evidence::{
    Ask, Case, EchoMode, HostFacts, Node, Observation, Payload, ProbeRow, Probes, Provenance, RateBps,
    Timestamp, Trace, TraceAnswer, TraceFlow, TraceHop, Transfer, Transport, Verdict, Way,
};

/// Both routes, from the first router to the destination.
const FIRST: [&str; 5] = ["10.1.0.2", "10.2.0.2", "10.31.0.2", "10.4.0.2", "10.9.0.1"];
const SECOND: [&str; 5] = ["10.1.0.2", "10.2.0.2", "10.32.0.2", "10.4.0.2", "10.9.0.1"];

fn add(case: &mut Case, payload: Payload) {
    let provenance = Provenance::measured(Node::read("10.0.0.1"), Timestamp(0), 1, "test");
    case.add(Observation::new(provenance, payload));
}

fn flow(hops: [&str; 5]) -> TraceFlow {
    let hop = |(address, ttl): (&str, u8)| TraceHop {
        ttl,
        answers: vec![TraceAnswer {
            node: Node::read(address),
            ..TraceAnswer::default()
        }],
        ..TraceHop::default()
    };
    TraceFlow {
        reached_ttl: Some(5),
        hops: hops.into_iter().zip(1..).map(hop).collect(),
        ..TraceFlow::default()
    }
}

/// A case in which each of these was seen by one trace.
fn case(flows: &[[&str; 5]]) -> Case {
    let mut complaint = common::complaint_between("a.example", "b.example");
    complaint.from.address = "10.0.0.1".parse().ok();
    complaint.to.address = "10.9.0.1".parse().ok();
    complaint.expected_bps = Some(RateBps(900e6));
    let mut case = Case::new(complaint);
    let trace = Trace {
        from: Node::read("10.0.0.1"),
        to: Node::read("10.9.0.1"),
        reached: Some(true),
        flows: flows.iter().map(|hops| flow(*hops)).collect(),
        ..Trace::default()
    };
    add(&mut case, Payload::Trace(trace));
    case
}

/// Of 2,000 probes along a route, so many unanswered by each hop.
fn probes(hops: [&str; 5], lost: [u64; 5]) -> Payload {
    let row = |((address, lost), ttl): ((&str, u64), u8)| ProbeRow {
        way: Way::RoundTrip,
        ttl: Some(ttl),
        mode: Some(EchoMode::Expiring),
        to: Node::read(address),
        size_bytes: Some(64),
        sent: Some(2_000),
        received: Some(2_000 - lost),
        ..ProbeRow::default()
    };
    Payload::Probes(Probes {
        from: Node::read("10.0.0.1"),
        destination: Some(Node::read("10.9.0.1")),
        destination_ttl: Some(5),
        rows: hops.into_iter().zip(lost).zip(1..).map(row).collect(),
        ..Probes::default()
    })
}

fn transfer(protocol: Transport, bps: f64) -> Transfer {
    Transfer {
        from: Node::read("10.0.0.1"),
        to: Node::read("10.9.0.1"),
        protocol: Some(protocol),
        streams: Some(1),
        received_bps: Some(RateBps(bps)),
        duration_ns: Some(10_000_000_000),
        ..Transfer::default()
    }
}

/// A TCP transfer that lost a fiftieth of its segments.
fn slow() -> Payload {
    Payload::Transfer(Box::new(Transfer {
        retransmits: Some(80),
        bytes_received: Some(6_250_000),
        ..transfer(Transport::Tcp, 5e6)
    }))
}

fn fast() -> Payload {
    Payload::Transfer(Box::new(transfer(Transport::Tcp, 930e6)))
}

/// A UDP stream of which so many of 20,000 packets were lost.
fn stream(lost: u64) -> Payload {
    Payload::Transfer(Box::new(Transfer {
        target_bps: Some(RateBps(20e6)),
        packets_sent: Some(20_000),
        packets_lost: Some(lost),
        packet_size_bytes: Some(1_200),
        ..transfer(Transport::Udp, 20e6)
    }))
}

fn claims(case: &Case) -> (Verdict, String) {
    let verdict = diagnosis::judge_round(case, 1);
    let claims: Vec<String> = verdict
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.code, finding.claim))
        .collect();
    let text = format!("{}: {}", claims.join("; "), verdict.summary);
    (verdict, text)
}

#[test]
fn loss_on_one_of_two_routes_is_put_on_that_route() {
    let mut case = case(&[FIRST, SECOND]);
    for payload in [
        slow(),
        stream(0),
        stream(390),
        probes(FIRST, [0; 5]),
        probes(SECOND, [0, 0, 0, 41, 39]),
    ] {
        add(&mut case, payload);
    }
    let (verdict, text) = claims(&case);
    assert_eq!(verdict.findings[0].code, "LOSS-001", "{text}");
    assert!(text.contains("10.32.0.2") && text.contains("10.4.0.2"), "{text}");
    assert!(text.contains("on 1 of 2 equal routes"), "{text}");
    assert!(!text.contains("10.31.0.2"), "{text}");
}

/// Transfers and streams of which some get 100 Mbit/s, and others several times that.
fn narrow_for_some() -> [Payload; 4] {
    let narrow = Payload::Transfer(Box::new(transfer(Transport::Tcp, 95e6)));
    let full = Payload::Transfer(Box::new(Transfer {
        target_bps: Some(RateBps(200e6)),
        packets_sent: Some(200_000),
        packets_lost: Some(100_000),
        packet_size_bytes: Some(1_200),
        ..transfer(Transport::Udp, 100e6)
    }));
    let passes = Payload::Transfer(Box::new(Transfer {
        target_bps: Some(RateBps(300e6)),
        packets_sent: Some(300_000),
        packets_lost: Some(0),
        packet_size_bytes: Some(1_200),
        ..transfer(Transport::Udp, 300e6)
    }));
    [narrow, fast(), full, passes]
}

#[test]
fn which_of_two_routes_it_is_need_not_be_known() {
    let mut case = case(&[FIRST, SECOND]);
    narrow_for_some()
        .into_iter()
        .for_each(|payload| add(&mut case, payload));
    let (_, text) = claims(&case);
    assert!(text.starts_with("CAP"), "{text}");
    assert!(text.contains("10.2.0.2") && text.contains("10.4.0.2"), "{text}");
    assert!(text.contains("where 2 equal routes lie side by side"), "{text}");
}

/// What is said where every connection loses, and hops along both routes leave out so many probes.
fn said_where_all_lose(first: [u64; 5], second: [u64; 5]) -> String {
    let mut case = case(&[FIRST, SECOND]);
    let (first, second) = (probes(FIRST, first), probes(SECOND, second));
    for payload in [slow(), stream(380), stream(390), first, second] {
        add(&mut case, payload);
    }
    claims(&case).1
}

#[test]
fn loss_of_every_connection_is_not_put_on_one_route() {
    let text = said_where_all_lose([0, 40, 41, 38, 40], [0, 39, 40, 41, 39]);
    assert!(text.starts_with("LOSS-001"), "{text}");
    assert!(text.contains("10.1.0.2") && text.contains("10.2.0.2"), "{text}");
    assert!(!text.contains("equal routes"), "{text}");
}

#[test]
fn a_router_with_two_addresses_is_no_other_place() {
    // Every probe behind the second hop is lost as often, whichever address the third answers from.
    let text = said_where_all_lose([0, 0, 41, 38, 40], [0, 0, 40, 41, 39]);
    assert!(text.starts_with("LOSS-001"), "{text}");
    assert!(text.contains("10.2.0.2") && text.contains("10.31.0.2"), "{text}");
    assert!(!text.contains("equal routes"), "{text}");
}

#[test]
fn a_limit_that_half_of_the_tests_pass_is_none_of_a_single_route() {
    let mut case = case(&[FIRST]);
    narrow_for_some()
        .into_iter()
        .for_each(|payload| add(&mut case, payload));
    let (_, text) = claims(&case);
    assert!(!text.starts_with("CAP"), "{text}");
}

#[test]
fn the_routes_that_no_connection_took_are_named() {
    let mut case = case(&[FIRST, SECOND]);
    add(&mut case, fast());
    let (verdict, _) = claims(&case);
    let gap = |verdict: &Verdict| {
        verdict
            .not_tested
            .iter()
            .any(|gap| gap.what.contains("equal routes"))
    };
    assert!(gap(&verdict), "{verdict:#?}");
    let mut one = self::case(&[FIRST]);
    add(&mut one, fast());
    assert!(!gap(&claims(&one).0));
}

/// How many more plain transfers are asked for, if each is as fast as expected, after these routes were seen.
fn plain_transfers_asked(flows: &[[&str; 5]]) -> usize {
    let mut case = case(flows);
    for host in ["10.0.0.1", "10.9.0.1"] {
        let provenance = Provenance::measured(Node::read(host), Timestamp(0), 1, "test");
        case.add(Observation::new(
            provenance,
            Payload::HostFacts(HostFacts::default()),
        ));
    }
    let means = Means::default();
    let plain = |case: &Case| {
        let next = plan(case, 1, &means);
        next.is_some_and(|ask| {
            matches!(
                ask,
                Ask::TcpThroughput {
                    streams: 1,
                    mss_bytes: None,
                    ..
                }
            )
        })
    };
    let mut asked = 0;
    while plain(&case) && asked < 10 {
        asked += 1;
        let rate = 900e6 + asked as f64;
        add(
            &mut case,
            Payload::Transfer(Box::new(transfer(Transport::Tcp, rate))),
        );
    }
    asked
}

/// A fast test over one route tells nothing of the other.
#[test]
fn where_routes_are_equal_a_fast_test_is_repeated() {
    assert_eq!(plain_transfers_asked(&[FIRST]), 1);
    assert_eq!(plain_transfers_asked(&[FIRST, SECOND]), 4);
    let third = ["10.31.0.2", "10.32.0.2", "10.33.0.2", "10.34.0.2", "10.35.0.2"];
    let five = third.map(|hop| [FIRST[0], FIRST[1], hop, FIRST[3], FIRST[4]]);
    assert_eq!(plain_transfers_asked(&five), 8, "nobody waits for each of many");
}
