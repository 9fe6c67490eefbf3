//! Cases of imported records, as an importer would give them: times unknown where a document printed none, addresses
//! where it lost them.

use evidence::v1::{
    CASE_SCHEMA_VERSION, Case, Complaint, End, Node, Observation, Party, Payload, PingRow, Pings, Provenance,
    RateBps, ThroughputInterval, ThroughputRecord, Timestamp, Trace, TraceAnswer, TraceHop, Transport,
    Vantage, Verdict,
};

/// A case with nothing in it, between two hosts that are known by name.
pub fn complaint(from: &str, to: &str, expected: Option<f64>) -> Case {
    let party = |name: &str| Party {
        name: name.into(),
        address: None,
    };
    Case::new(Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(from),
        to: party(to),
        local_end: End::From,
        expected_bps: expected.map(RateBps),
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    })
}

/// Adds a record of a round, made at an unknown time elsewhere.
pub fn record(case: &mut Case, round: u32, tool: &str, payload: Payload) {
    record_at(
        case,
        round,
        tool,
        Vantage::Elsewhere { place: String::new() },
        payload,
    );
}

/// Adds a record of a round, made at an unknown time at `vantage`.
pub fn record_at(case: &mut Case, round: u32, tool: &str, vantage: Vantage, payload: Payload) {
    let provenance = Provenance {
        vantage,
        at_is_import_time: true,
        ..Provenance::measured(End::From, Timestamp(1_000), round, tool)
    };
    case.add(Observation::new(provenance, payload));
}

/// `name/address`, or one of them.
pub fn node(text: &str) -> Node {
    match text.split_once('/') {
        Some((name, address)) => Node {
            name: Some(name.into()),
            address: Some(address.parse().unwrap()),
        },
        None => Node::read(text),
    }
}

/// One hop a line: `ttl who rtt_ms`; `ttl *` for no reply; `pmtu=N` and `!H` behind.
pub fn hops(text: &str) -> Vec<TraceHop> {
    let mut hops: Vec<TraceHop> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let ttl: u8 = words.next().unwrap().parse().unwrap();
        if hops.last().is_none_or(|hop| hop.ttl != ttl) {
            hops.push(TraceHop {
                ttl,
                ..TraceHop::default()
            });
        }
        let hop = hops.last_mut().unwrap();
        let who = words.next().unwrap();
        if who == "*" {
            hop.unanswered += 1;
            continue;
        }
        let mut answer = TraceAnswer {
            node: node(who),
            ..TraceAnswer::default()
        };
        for word in words {
            match word.strip_prefix("pmtu=") {
                Some(mtu) => answer.mtu_bytes = Some(mtu.parse().unwrap()),
                None if word.starts_with('!') => answer.mark = Some(word.into()),
                None => answer.rtt_ns = Some((word.parse::<f64>().unwrap() * 1e6) as u64),
            }
        }
        hop.answers.push(answer);
    }
    hops
}

pub fn trace(from: &str, to: &str, size: u32, dont_fragment: Option<bool>, text: &str) -> Trace {
    Trace {
        from: node(from),
        to: node(to),
        size_bytes: Some(size),
        dont_fragment,
        hops: hops(text),
        ..Trace::default()
    }
}

/// A transfer of one connection; rates in bit/s.
pub fn transfer(
    from: &str,
    to: &str,
    sent: f64,
    received: Option<f64>,
    retransmits: Option<u64>,
) -> ThroughputRecord {
    ThroughputRecord {
        from: node(from),
        to: node(to),
        protocol: Some(Transport::Tcp),
        sent_bps: Some(RateBps(sent)),
        received_bps: received.map(RateBps),
        retransmits,
        ..ThroughputRecord::default()
    }
}

/// Slices of a second: (bit/s, segments sent again, window in bytes).
pub fn intervals(rows: &[(f64, u64, f64)]) -> Vec<ThroughputInterval> {
    let one = |(index, (rate, retransmits, cwnd)): (usize, &(f64, u64, f64))| ThroughputInterval {
        start_ns: index as u64 * 1_000_000_000,
        length_ns: 1_000_000_000,
        rate_bps: RateBps(*rate),
        retransmits: Some(*retransmits),
        cwnd_bytes: Some(*cwnd as u64),
        packets_lost: None,
    };
    rows.iter().enumerate().map(one).collect()
}

/// Pings of one host and size.
pub fn ping(to: &str, size: u32, dont_fragment: Option<bool>, sent: u64, received: u64) -> PingRow {
    PingRow {
        to: node(to),
        size_bytes: Some(size),
        dont_fragment,
        sent: Some(sent),
        received: Some(received),
        ..PingRow::default()
    }
}

pub fn pings(from: &str, rows: Vec<PingRow>) -> Payload {
    Payload::Pings(Pings {
        from: node(from),
        destination: None,
        rows,
    })
}

/// Codes of the findings, in their order.
pub fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict
        .findings
        .iter()
        .map(|finding| finding.code.as_str())
        .collect()
}

/// Codes of the red herrings, sorted, each once.
pub fn herrings(verdict: &Verdict) -> Vec<&str> {
    let mut codes: Vec<&str> = verdict
        .red_herrings
        .iter()
        .map(|herring| herring.code.as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The case without the observation at `index`.
pub fn without_one(case: &Case, index: usize) -> Case {
    let mut rest = Case::new(case.complaint.clone());
    let all = case.observations().iter().enumerate();
    all.filter(|(i, _)| *i != index)
        .for_each(|(_, o)| rest.add(o.clone()));
    rest
}
