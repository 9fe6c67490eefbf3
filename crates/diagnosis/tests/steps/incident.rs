//! The incident of SLAC and Caltech (2003) as its document prints it: the records, and what to ask of verdicts on them.

use crate::common::complaint_between;
use evidence::v1::{
    Case, End, Finding, KnownRoute, Location, Node, Observation, Payload, Provenance, Quantity, RateBps,
    RouteHistory, Series, SeriesMetric, Statement, ThroughputRecord, Timestamp, Transport, Vantage, Verdict,
};

pub(crate) const HOUR_S: i64 = 3_600;
/// 27 August 2003, midnight in California, seconds since 1970.
pub(crate) const DAY_ONE_S: i64 = 1_061_967_600;

/// Seconds of a California clock on a day counted from 27 August 2003.
pub(crate) fn clock(day: i64, hour: i64, minute: i64) -> i64 {
    DAY_ONE_S + (day * 24 + hour) * HOUR_S + minute * 60
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp(seconds * 1_000_000_000)
}

pub(crate) const HEAD: &str = "134.79.243.1,134.79.135.15,192.68.191.83,171.64.1.213,";
pub(crate) const TAIL: &str = "131.215.254.253,131.215.5.147,131.215.144.226";

/// The routes of the document: (seconds, archive number, what lies between the common head and tail).
pub(crate) fn printed_routes() -> Vec<(i64, u32, &'static str)> {
    vec![
        (
            1_061_989_505,
            3,
            "198.32.249.73,198.32.249.154,198.32.248.126,198.32.248.13,198.32.248.9,192.41.208.50,",
        ),
        (
            1_061_990_407,
            31,
            "198.32.249.2,198.32.249.6,137.164.22.84,137.164.22.30,137.164.22.28,137.164.24.244,130.152.181.17,\
             130.152.180.13,192.12.19.252,",
        ),
        (
            1_063_919_105,
            72,
            "198.32.249.2,198.32.249.6,137.164.22.84,137.164.22.30,137.164.22.88,137.164.24.246,192.12.19.252,",
        ),
        (
            1_063_926_306,
            68,
            "198.32.249.2,198.32.249.6,137.164.22.84,137.164.22.53,137.164.22.28,137.164.22.57,198.32.248.2,\
             198.32.248.6,192.41.208.50,",
        ),
        (
            1_063_954_207,
            81,
            "198.32.249.2,198.32.249.6,137.164.22.84,137.164.22.53,137.164.22.28,137.164.24.244,137.164.27.246,",
        ),
    ]
}

pub(crate) fn nodes(list: &str) -> Vec<Node> {
    list.split(',')
        .filter(|hop| !hop.is_empty())
        .map(Node::read)
        .collect()
}

pub(crate) fn history(seen: &[(i64, u32, &str)]) -> Payload {
    let route = |(_, number, middle): &(i64, u32, &str)| KnownRoute {
        number: Some(*number),
        hops: nodes(&format!("{HEAD}{middle}{TAIL}")),
    };
    Payload::RouteHistory(RouteHistory {
        from: Node::named("SLAC"),
        to: Node::named("Caltech"),
        routes: seen.iter().map(route).collect(),
        seen: seen
            .iter()
            .enumerate()
            .map(|(index, (s, _, _))| (at(*s), index as u32))
            .collect(),
    })
}

pub(crate) fn series(points: &[(i64, f64)]) -> Payload {
    series_of(SeriesMetric::Throughput, 1e6, points)
}

pub(crate) fn series_of(metric: SeriesMetric, unit: f64, points: &[(i64, f64)]) -> Payload {
    Payload::Series(Series {
        from: Node::named("SLAC"),
        to: Node::named("Caltech"),
        metric,
        points: points.iter().map(|(s, value)| (at(*s), value * unit)).collect(),
    })
}

/// The same times with a round trip of 12 ms where the rate is high and 27 ms where it is not.
pub(crate) fn round_trips(rates: &[(i64, f64)]) -> Payload {
    let rtt_ms = |mbps: f64| if mbps > 200.0 { 12.0 } else { 27.0 };
    let points: Vec<(i64, f64)> = rates.iter().map(|(s, mbps)| (*s, rtt_ms(*mbps))).collect();
    series_of(SeriesMetric::Rtt, 1e-3, &points)
}

/// The five rates that the document tells.
pub(crate) fn digest() -> Vec<(i64, f64)> {
    vec![
        (clock(0, 5, 25), 450.0),
        (clock(0, 6, 55), 58.0),
        (clock(22, 14, 25), 30.0),
        (clock(22, 23, 25), 430.0),
        (clock(23, 0, 55), 85.0),
    ]
}

/// A test each 90 minutes from five days before to three days after, 15 % of noise.
pub(crate) fn full() -> Vec<(i64, f64)> {
    let level = |s: i64| match s {
        s if s < clock(0, 6, 0) => 420.0,
        s if s < clock(22, 14, 30) => 62.0,
        s if s < clock(22, 23, 30) => 430.0,
        _ => 85.0,
    };
    let noise = |index: i64| {
        let turn = (index as f64 * 12.9898).sin() * 43_758.545;
        1.0 + 0.2 * (turn.fract() - 0.5 * turn.signum())
    };
    let first = clock(-5, 5, 25);
    let times = (0..496).map(|index| (index, first + index * 5_400));
    times.map(|(index, s)| (s, level(s) * noise(index))).collect()
}

pub(crate) fn transfer(from: &str, to: &str, mbps: f64, window: Option<u64>) -> Payload {
    Payload::Throughput(ThroughputRecord {
        from: Node::named(from),
        to: Node::named(to),
        protocol: Some(Transport::Tcp),
        application: Some("iperf".into()),
        streams: window.map(|_| 1),
        window_bytes: window,
        received_bps: Some(RateBps(mbps * 1e6)),
        ..ThroughputRecord::default()
    })
}

pub(crate) fn said(quantity: Quantity, value: f64) -> Payload {
    Payload::Statement(Statement {
        quantity,
        from: Node::named("SLAC"),
        to: Node::named("Caltech"),
        subject: None,
        value,
        range: None,
        text: "as told".into(),
    })
}

pub(crate) fn case_of(rounds: &[(u32, Vec<Payload>)]) -> Case {
    let mut complaint = complaint_between("SLAC", "Caltech");
    complaint.expected_bps = Some(RateBps(400e6));
    let mut case = Case::new(complaint);
    for (round, payloads) in rounds {
        for payload in payloads {
            case.add(imported(payload.clone(), *round));
        }
    }
    case
}

/// As an importer adds it: records without a time of their own keep that of the import.
pub(crate) fn imported(payload: Payload, round: u32) -> Observation {
    let own = match &payload {
        Payload::Series(series) => series.points.first().map(|(at, _)| *at),
        Payload::RouteHistory(history) => history.seen.first().map(|(at, _)| *at),
        _ => None,
    };
    let provenance = Provenance {
        vantage: Vantage::End(End::From),
        at: own.unwrap_or(at(clock(37, 9, 0))),
        at_is_import_time: own.is_none(),
        ..Provenance::measured(End::From, at(0), round, "import")
    };
    Observation::new(provenance, payload)
}

pub(crate) fn whole() -> Vec<Payload> {
    vec![
        series(&digest()),
        history(&printed_routes()),
        transfer("Caltech", "SLAC", 200.0, Some(4 << 20)),
        transfer("SLAC", "Caltech", 100.0, Some(4 << 20)),
        said(Quantity::ReceiveWindow, 132_000.0),
    ]
}

pub(crate) fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|f| f.code.as_str()).collect()
}

pub(crate) fn herrings(verdict: &Verdict) -> Vec<&str> {
    let mut codes: Vec<&str> = verdict.red_herrings.iter().map(|h| h.code.as_str()).collect();
    codes.sort_unstable();
    codes
}

pub(crate) fn finding<'a>(verdict: &'a Verdict, code: &str) -> &'a Finding {
    verdict
        .findings
        .iter()
        .find(|f| f.code == code)
        .unwrap_or_else(|| panic!("no {code}: {verdict:#?}"))
}

pub(crate) fn arguments(finding: &Finding) -> String {
    let all = finding.supports.iter().chain(&finding.contradicts);
    all.map(|a| a.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The addresses that the stretch lies between.
pub(crate) fn stretch(finding: &Finding) -> (u8, String, u8, String) {
    let Location::Link { before, after } = &finding.location else {
        panic!("{finding:#?}")
    };
    let address = |hop: &evidence::v1::HopRef| hop.address.map(|a| a.to_string()).unwrap_or_default();
    (before.ttl, address(before), after.ttl, address(after))
}
