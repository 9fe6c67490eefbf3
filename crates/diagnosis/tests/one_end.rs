//! Probes of one end alone: what is lost may be lost on the forward or on the reverse path.
#![allow(clippy::unwrap_used, reason = "a test should fail loudly")]

mod common;

use evidence::{
    Case, Direction, Finding, Location, Node, Observation, Payload, ProbeError, ProbeRow, Probes, Provenance,
    RateBps, TcpAccount, Timestamp, Trace, TraceAnswer, TraceFlow, TraceHop, Transfer, TransferSide,
    Transport, Way,
};

const HOPS: [&str; 5] = ["10.1.0.2", "10.2.0.2", "10.3.0.2", "10.4.0.2", "10.9.0.1"];

fn case() -> Case {
    let mut complaint = common::complaint_between("a.example", "b.example");
    complaint.from.address = "10.0.0.1".parse().ok();
    complaint.to.address = "10.9.0.1".parse().ok();
    Case::new(complaint)
}

fn add(case: &mut Case, vantage: &str, payload: Payload) {
    let provenance = Provenance::measured(Node::read(vantage), Timestamp(0), 1, "test");
    case.add(Observation::new(provenance, payload));
}

fn trace(from: &str, to: &str, hops: &[&str], asn: Option<u32>) -> Payload {
    let hop = |(address, ttl): (&&str, u8)| TraceHop {
        ttl,
        answers: vec![TraceAnswer {
            node: Node::read(address),
            asn,
            ..TraceAnswer::default()
        }],
        ..TraceHop::default()
    };
    Payload::Trace(Trace {
        from: Node::read(from),
        to: Node::read(to),
        reached: Some(true),
        flows: vec![TraceFlow {
            reached_ttl: u8::try_from(hops.len()).ok(),
            hops: hops.iter().zip(1..).map(hop).collect(),
            ..TraceFlow::default()
        }],
        ..Trace::default()
    })
}

/// Of 1,000 probes to each hop, so many unanswered.
fn probes(lost: [u64; 5]) -> Payload {
    let row = |((address, lost), ttl): ((&&str, u64), u8)| ProbeRow {
        way: Way::RoundTrip,
        ttl: Some(ttl),
        to: Node::read(address),
        size_bytes: Some(64),
        sent: Some(1_000),
        received: Some(1_000 - lost),
        ..ProbeRow::default()
    };
    Payload::Probes(Probes {
        from: Node::read("10.0.0.1"),
        destination: Some(Node::read("10.9.0.1")),
        destination_ttl: Some(5),
        rows: HOPS.iter().zip(lost).zip(1..).map(row).collect(),
        ..Probes::default()
    })
}

fn lossy(case: &Case) -> Finding {
    let verdict = diagnosis::judge_round(case, 1);
    verdict
        .findings
        .first()
        .unwrap_or_else(|| panic!("{verdict:#?}"))
        .clone()
}

/// From the third hop on a twentieth is lost.
const LOST: [u64; 5] = [0, 0, 52, 49, 50];

#[test]
fn the_link_is_named_and_its_direction_left_open() {
    let mut case = case();
    add(
        &mut case,
        "10.0.0.1",
        trace("10.0.0.1", "10.9.0.1", &HOPS, Some(64_500)),
    );
    add(&mut case, "10.0.0.1", probes(LOST));
    let found = lossy(&case);
    assert!(
        found.code.starts_with("LOSS") && found.confidence >= 0.8,
        "{found:#?}"
    );
    assert_eq!(found.direction, Direction::Either);
    let Location::Link { before, after } = &found.location else {
        panic!("{found:#?}");
    };
    assert_eq!((before.ttl, after.ttl), (2, 3), "{found:#?}");
    assert!(
        found.claim.ends_with("on the forward or on the reverse path"),
        "{}",
        found.claim
    );
    assert_eq!(found.ask_whom, "the operators of AS64500");
}

/// A packet that only the way there lost is counted by the receiver.
#[test]
fn what_the_receiver_counts_tells_the_direction() {
    let mut case = case();
    add(&mut case, "10.0.0.1", trace("10.0.0.1", "10.9.0.1", &HOPS, None));
    add(&mut case, "10.0.0.1", probes(LOST));
    let one_way = ProbeRow {
        way: Way::OneWay,
        to: Node::read("10.9.0.1"),
        size_bytes: Some(64),
        sent: Some(10_000),
        received: Some(9_503),
        ..ProbeRow::default()
    };
    let one_way = Probes {
        from: Node::read("10.0.0.1"),
        rows: vec![one_way],
        ..Probes::default()
    };
    add(&mut case, "10.0.0.1", Payload::Probes(one_way));
    assert_eq!(lossy(&case).direction, Direction::Forward);
}

/// Nothing is missing before the destination, and little there: no path is accused of what a few answers tell.
#[test]
fn a_few_missing_answers_accuse_nobody() {
    let mut case = case();
    add(&mut case, "10.0.0.1", trace("10.0.0.1", "10.9.0.1", &HOPS, None));
    add(&mut case, "10.0.0.1", probes([0, 0, 0, 0, 1]));
    let verdict = diagnosis::judge_round(&case, 1);
    assert!(verdict.findings.is_empty(), "{verdict:#?}");
}

/// Packets of 9,000 bytes reach all but the last hop, beside a transfer that is slower than expected.
fn large_packets_refused(errors: Vec<ProbeError>) -> Vec<String> {
    let mut case = case();
    case.complaint.expected_bps = Some(RateBps(300e6));
    add(&mut case, "10.0.0.1", trace("10.0.0.1", "10.9.0.1", &HOPS, None));
    let row = |(address, ttl): (&&str, u8), size_bytes, received, errors| ProbeRow {
        way: Way::RoundTrip,
        ttl: Some(ttl),
        to: Node::read(address),
        size_bytes: Some(size_bytes),
        sent: Some(50),
        received: Some(received),
        errors,
        ..ProbeRow::default()
    };
    let mut rows: Vec<ProbeRow> = HOPS[..4]
        .iter()
        .zip(1..)
        .map(|hop| row(hop, 9000, 50, vec![]))
        .collect();
    rows.extend([
        row((&HOPS[4], 5), 1400, 50, vec![]),
        row((&HOPS[4], 5), 9000, 0, errors),
    ]);
    let sizes = Probes {
        from: Node::read("10.0.0.1"),
        destination: Some(Node::read("10.9.0.1")),
        destination_ttl: Some(5),
        interface_mtu_bytes: Some(9000),
        rows,
        ..Probes::default()
    };
    add(&mut case, "10.0.0.1", Payload::Probes(sizes));
    let transfer = Transfer {
        from: Node::read("10.0.0.1"),
        to: Node::read("10.9.0.1"),
        received_bps: Some(RateBps(190e6)),
        ..Transfer::default()
    };
    add(&mut case, "10.0.0.1", Payload::Transfer(Box::new(transfer)));
    let verdict = diagnosis::judge_round(&case, 1);
    verdict.findings.into_iter().map(|finding| finding.code).collect()
}

#[test]
fn a_size_that_a_router_refuses_aloud_is_no_black_hole_beside_a_slow_transfer() {
    let word = ProbeError {
        from: Some(Node::read(HOPS[3])),
        text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
        mtu_bytes: Some(1500),
        count: 50,
    };
    assert_eq!(large_packets_refused(vec![word]), Vec::<String>::new());
    // Silence is all that a black hole shows.
    assert!(large_packets_refused(vec![])[0].starts_with("MTU"));
}

/// A transfer at the rate of a window over 80 ms, whose sender waited for that window nearly all the time.
fn waiting_for_the_window(asked: Option<u64>) -> Transfer {
    let window = 212_992;
    Transfer {
        from: Node::read("10.0.0.1"),
        to: Node::read("10.9.0.1"),
        protocol: Some(Transport::Tcp),
        streams: Some(1),
        window_bytes: asked,
        congestion_control: Some("cubic".into()),
        duration_ns: Some(10_000_000_000),
        steady_bps: Some(RateBps(21.3e6)),
        received_bps: Some(RateBps(20e6)),
        bytes_received: Some(25_000_000),
        sender: Some(TransferSide {
            accounts: vec![TcpAccount {
                data_segments_out: Some(17_300),
                retransmitted_segments: Some(0),
                busy_us: Some(9_900_000),
                receive_window_limited_us: Some(9_600_000),
                send_buffer_limited_us: Some(0),
                peer_window_bytes: Some(window),
                min_rtt_us: Some(80_000),
                rtt_us: Some(80_200),
                send_mss_bytes: Some(1448),
                ..TcpAccount::default()
            }],
            cpu: Some(0.02),
        }),
        ..Transfer::default()
    }
}

#[test]
fn a_window_that_the_test_itself_asked_for_accuses_no_host() {
    let codes = |asked| {
        let mut case = case();
        case.complaint.expected_bps = Some(RateBps(1e9));
        add(&mut case, "10.0.0.1", trace("10.0.0.1", "10.9.0.1", &HOPS, None));
        add(&mut case, "10.0.0.1", probes([0; 5]));
        add(
            &mut case,
            "10.0.0.1",
            Payload::from(waiting_for_the_window(asked)),
        );
        let verdict = diagnosis::judge_round(&case, 1);
        let codes = verdict.findings.into_iter().map(|finding| finding.code);
        codes.collect::<Vec<_>>()
    };
    assert_eq!(
        codes(None),
        ["HOST"],
        "its window, or a program that reads slowly"
    );
    assert_eq!(codes(Some(212_992)), [""; 0], "a condition of the test");
}
