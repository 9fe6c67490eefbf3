//! The small parts that records are built of.

use evidence::*;

pub fn case(from: &str, to: &str, expected: Option<f64>) -> Case {
    let party = |name: &str| Party {
        name: name.into(),
        address: None,
    };
    Case::new(Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(from),
        to: party(to),
        local_end: End::To,
        expected_bps: expected.map(RateBps),
        since: None,
        said_by: None,
        opened_at: Timestamp(1_000_000_000_000_000_000),
        utc_offset_s: None,
    })
}

/// Reads `2000-05-16 21:41:04` (UTC) as a time.
pub fn at(text: &str) -> Timestamp {
    let text = text.replace(' ', "T") + "Z";
    let time: jiff::Timestamp = text.parse().expect("a time");
    Timestamp(i64::try_from(time.as_nanosecond()).expect("in range"))
}

pub fn provenance(at: Timestamp, round: u32, vantage: &str) -> Provenance {
    Provenance {
        raw_sha256: Some("4d0f".repeat(16)),
        raw_lines: Some((12, 31)),
        ..Provenance::measured(Node::read(vantage), at, round, "imported")
    }
}

pub fn node(text: &str) -> Node {
    match text.split_once(' ') {
        Some((name, address)) => Node {
            name: Some(name.into()),
            address: address.trim_matches(['(', ')']).parse().ok(),
        },
        None => Node::read(text),
    }
}

/// Hops as `name (address) ms`, `*` for a silent one.
pub fn trace(from: &str, to: &str, hops: &[&str]) -> Trace {
    let hop = |(ttl, text): (u8, &&str)| {
        let words: Vec<&str> = text.split(' ').collect();
        let (rtt, who) = words.split_last().expect("a hop");
        let answer = TraceAnswer {
            node: node(&who.join(" ")),
            rtt_ns: rtt.parse::<f64>().ok().map(|ms| (ms * 1e6) as u64),
            ..TraceAnswer::default()
        };
        TraceHop {
            ttl,
            answers: if *text == "*" { Vec::new() } else { vec![answer] },
            unanswered: if *text == "*" { 3 } else { 0 },
        }
    };
    Trace {
        from: node(from),
        to: node(to),
        flows: vec![TraceFlow::of((1_u8..).zip(hops).map(hop).collect())],
        reached: Some(true),
        ..Trace::default()
    }
}

pub fn transfer(from: &str, to: &str, rate_bps: f64) -> Transfer {
    Transfer {
        from: node(from),
        to: node(to),
        protocol: Some(Transport::Tcp),
        received_bps: Some(RateBps(rate_bps)),
        ..Transfer::default()
    }
}

pub fn intervals(rates_bps: &[f64]) -> Vec<TransferInterval> {
    let slice = |(n, rate): (u64, &f64)| TransferInterval {
        start_ns: n * 1_000_000_000,
        length_ns: 1_000_000_000,
        rate_bps: Some(RateBps(*rate)),
        retransmits: Some(if n % 7 == 3 { 12 } else { 0 }),
        cwnd_bytes: Some(20_000 + 10_000 * n),
        ..TransferInterval::default()
    };
    (0..).zip(rates_bps).map(slice).collect()
}

pub fn verdict(round: u32, state: VerdictState, summary: &str) -> Verdict {
    Verdict {
        round,
        state,
        summary: summary.into(),
        measured_bps: None,
        expected_bps: None,
        findings: Vec::new(),
        red_herrings: Vec::new(),
        excluded: Vec::new(),
        not_tested: Vec::new(),
        next: None,
    }
}

pub fn finding(code: &str, claim: &str, location: Location) -> Finding {
    Finding {
        code: code.into(),
        claim: claim.into(),
        location,
        direction: Direction::Forward,
        confidence: 0.93,
        explains: Explains::Yes,
        allows_bps: None,
        after_fix_bps: None,
        supports: Vec::new(),
        contradicts: Vec::new(),
        remedy: String::new(),
        ask_whom: String::new(),
        cannot_tell_from: None,
    }
}

pub fn argument(text: &str, cites: &[&Observation]) -> Argument {
    Argument {
        text: text.into(),
        weight: 1.5,
        cites: cites.iter().map(|o| o.id.clone()).collect(),
    }
}
