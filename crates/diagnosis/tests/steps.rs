//! Steps of the rate beside changes of the route: the incident of SLAC and Caltech (2003) as its document prints it, the
//! same as full series, near misses, and cases with evidence missing.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{complaint_between, judge, judge_round};
use evidence::v1::{
    Case, Direction, End, Explains, Finding, KnownRoute, Location, Node, Observation, Payload, Provenance,
    Quantity, RateBps, RouteHistory, Series, SeriesMetric, Statement, ThroughputRecord, Timestamp, Trace,
    TraceAnswer, TraceHop, Transport, Vantage, Verdict, VerdictState,
};

const HOUR_S: i64 = 3_600;
/// 27 August 2003, midnight in California, seconds since 1970.
const DAY_ONE_S: i64 = 1_061_967_600;

/// Seconds of a California clock on a day counted from 27 August 2003.
fn clock(day: i64, hour: i64, minute: i64) -> i64 {
    DAY_ONE_S + (day * 24 + hour) * HOUR_S + minute * 60
}

fn at(seconds: i64) -> Timestamp {
    Timestamp(seconds * 1_000_000_000)
}

const HEAD: &str = "134.79.243.1,134.79.135.15,192.68.191.83,171.64.1.213,";
const TAIL: &str = "131.215.254.253,131.215.5.147,131.215.144.226";

/// The routes of the document: (seconds, archive number, what lies between the common head and tail).
fn printed_routes() -> Vec<(i64, u32, &'static str)> {
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

fn nodes(list: &str) -> Vec<Node> {
    list.split(',')
        .filter(|hop| !hop.is_empty())
        .map(Node::read)
        .collect()
}

fn history(seen: &[(i64, u32, &str)]) -> Payload {
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

fn series(points: &[(i64, f64)]) -> Payload {
    series_of(SeriesMetric::Throughput, 1e6, points)
}

fn series_of(metric: SeriesMetric, unit: f64, points: &[(i64, f64)]) -> Payload {
    Payload::Series(Series {
        from: Node::named("SLAC"),
        to: Node::named("Caltech"),
        metric,
        points: points.iter().map(|(s, value)| (at(*s), value * unit)).collect(),
    })
}

/// The same times with a round trip of 12 ms where the rate is high and 27 ms where it is not.
fn round_trips(rates: &[(i64, f64)]) -> Payload {
    let rtt_ms = |mbps: f64| if mbps > 200.0 { 12.0 } else { 27.0 };
    let points: Vec<(i64, f64)> = rates.iter().map(|(s, mbps)| (*s, rtt_ms(*mbps))).collect();
    series_of(SeriesMetric::Rtt, 1e-3, &points)
}

/// The five rates that the document tells.
fn digest() -> Vec<(i64, f64)> {
    vec![
        (clock(0, 5, 25), 450.0),
        (clock(0, 6, 55), 58.0),
        (clock(22, 14, 25), 30.0),
        (clock(22, 23, 25), 430.0),
        (clock(23, 0, 55), 85.0),
    ]
}

/// A test each 90 minutes from five days before to three days after, 15 % of noise.
fn full() -> Vec<(i64, f64)> {
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

fn transfer(from: &str, to: &str, mbps: f64, window: Option<u64>) -> Payload {
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

fn said(quantity: Quantity, value: f64) -> Payload {
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

fn case_of(rounds: &[(u32, Vec<Payload>)]) -> Case {
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
fn imported(payload: Payload, round: u32) -> Observation {
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

fn whole() -> Vec<Payload> {
    vec![
        series(&digest()),
        history(&printed_routes()),
        transfer("Caltech", "SLAC", 200.0, Some(4 << 20)),
        transfer("SLAC", "Caltech", 100.0, Some(4 << 20)),
        said(Quantity::ReceiveWindow, 132_000.0),
    ]
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|f| f.code.as_str()).collect()
}

fn herrings(verdict: &Verdict) -> Vec<&str> {
    let mut codes: Vec<&str> = verdict.red_herrings.iter().map(|h| h.code.as_str()).collect();
    codes.sort_unstable();
    codes
}

fn finding<'a>(verdict: &'a Verdict, code: &str) -> &'a Finding {
    verdict
        .findings
        .iter()
        .find(|f| f.code == code)
        .unwrap_or_else(|| panic!("no {code}: {verdict:#?}"))
}

fn arguments(finding: &Finding) -> String {
    let all = finding.supports.iter().chain(&finding.contradicts);
    all.map(|a| a.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The addresses that the stretch lies between.
fn stretch(finding: &Finding) -> (u8, String, u8, String) {
    let Location::Link { before, after } = &finding.location else {
        panic!("{finding:#?}")
    };
    let address = |hop: &evidence::v1::HopRef| hop.address.map(|a| a.to_string()).unwrap_or_default();
    (before.ttl, address(before), after.ttl, address(after))
}

#[test]
fn the_incident_as_its_document_tells_it() {
    let verdict = judge_round(&case_of(&[(1, whole())]), 1);
    assert_eq!(verdict.state, VerdictState::Slow);
    assert_eq!(
        codes(&verdict),
        ["ROUTE-001", "ROUTE-002", "HOST-001"],
        "{verdict:#?}"
    );
    assert_eq!(herrings(&verdict), ["route-change-common", "route-length"]);

    let detour = finding(&verdict, "ROUTE-001");
    assert_eq!(
        stretch(detour),
        (7, "137.164.22.84".into(), 12, "131.215.254.253".into())
    );
    assert_eq!(
        (detour.explains, detour.direction),
        (Explains::Yes, Direction::Forward)
    );
    assert!(
        (0.8..=0.95).contains(&detour.confidence),
        "few values are never quite sure: {}",
        detour.confidence
    );
    let text = arguments(detour);
    for part in [
        // Californian 05:25 to 06:55, and 06:05 to 06:20.
        "450 Mbit/s to 58 Mbit/s in [2003-08-27 12:25, 13:55] UTC coincides with the route change in \
         [2003-08-27 13:05, 13:20] UTC",
        "430 Mbit/s in [2003-09-18 21:25, 2003-09-19 06:25] UTC coincides with the route change in \
         [2003-09-18 21:05, 23:05] UTC",
        "3 of 3 steps",
        "every fast route crosses 192.41.208.50, no slow one does",
        "a link of 100 Mbit/s",
        "comes back with another route",
    ] {
        assert!(text.contains(part), "{part}\nin\n{text}");
    }
    assert!(detour.claim.contains("100 Mbit/s"), "{}", detour.claim);

    let window = finding(&verdict, "HOST-001");
    assert_eq!(
        (window.explains, &window.location),
        (Explains::No, &Location::Host { end: End::To })
    );
    assert!(
        arguments(window).contains("another limit comes first"),
        "{}",
        arguments(window)
    );
    let asymmetric = finding(&verdict, "ROUTE-002");
    assert_eq!(
        (asymmetric.explains, asymmetric.direction),
        (Explains::No, Direction::Both)
    );
}

#[test]
fn the_same_as_a_full_series() {
    let mut payloads = whole();
    payloads[0] = series(&full());
    let verdict = judge_round(&case_of(&[(1, payloads)]), 1);
    assert_eq!(
        codes(&verdict),
        ["ROUTE-001", "ROUTE-002", "HOST-001"],
        "{verdict:#?}"
    );
    let detour = finding(&verdict, "ROUTE-001");
    assert_eq!(
        stretch(detour),
        (7, "137.164.22.84".into(), 12, "131.215.254.253".into())
    );
    assert!(detour.confidence >= 0.95, "{detour:#?}");
    let text = arguments(detour);
    assert!(text.contains("in [2003-08-27 12:25, 13:55] UTC"), "{text}");
    assert!(text.contains("at all times of the day"), "{text}");
}

/// Round 1: from the step to the larger window; round 2: with it and the blip; round 3: repaired.
#[test]
fn rounds_are_judged_each_by_its_own_records() {
    let before_blip = |s: i64| s < clock(22, 0, 0);
    let points = full();
    let (first, second): (Vec<_>, Vec<_>) = points.into_iter().partition(|(s, _)| before_blip(*s));
    let (early, late): (Vec<_>, Vec<_>) = printed_routes()
        .into_iter()
        .partition(|(s, _, _)| before_blip(*s));
    let rtt = || said(Quantity::Rtt, 0.012);
    let case = case_of(&[
        (
            1,
            vec![
                series(&first),
                history(&early),
                said(Quantity::ReceiveWindow, 132_000.0),
                rtt(),
            ],
        ),
        (
            2,
            vec![
                series(&second),
                history(&late),
                said(Quantity::ReceiveWindow, 32e6),
                rtt(),
            ],
        ),
        (3, vec![transfer("SLAC", "Caltech", 300.0, None)]),
    ]);
    let verdicts = judge(&case).rounds;
    assert_eq!(
        codes(&verdicts[0]),
        ["ROUTE-001", "HOST-001"],
        "{:#?}",
        verdicts[0]
    );
    let detour = finding(&verdicts[0], "ROUTE-001");
    // Nothing but the route before the step to compare with: the stretch is longer.
    assert_eq!(stretch(detour).1, "171.64.1.213");
    assert_eq!(finding(&verdicts[0], "HOST-001").explains, Explains::No);

    assert_eq!(codes(&verdicts[1]), ["ROUTE-001"], "{:#?}", verdicts[1]);
    assert_eq!(stretch(finding(&verdicts[1], "ROUTE-001")).1, "137.164.22.84");
    let excluded = verdicts[1]
        .excluded
        .iter()
        .find(|e| e.code == "HOST-001")
        .unwrap();
    assert!(excluded.why.contains("enough for 400 Mbit/s"), "{}", excluded.why);

    assert!(
        verdicts[2].findings.is_empty() || verdicts[2].state == VerdictState::Ok,
        "{:#?}",
        verdicts[2]
    );
}

#[test]
fn the_order_of_records_does_not_matter() {
    let mut payloads = whole();
    let expected = judge_round(&case_of(&[(1, payloads.clone())]), 1);
    for _ in 0..payloads.len() {
        payloads.rotate_left(1);
        assert_eq!(judge_round(&case_of(&[(1, payloads.clone())]), 1), expected);
    }
    payloads.reverse();
    assert_eq!(judge_round(&case_of(&[(1, payloads)]), 1), expected);
}

#[test]
fn without_any_one_record_no_other_cause_is_named() {
    for left_out in 0..whole().len() {
        let mut payloads = whole();
        payloads.remove(left_out);
        let verdict = judge_round(&case_of(&[(1, payloads)]), 1);
        for finding in &verdict.findings {
            let other =
                finding.code != "ROUTE-001" && finding.explains != Explains::No && finding.confidence >= 0.8;
            assert!(!other, "without {left_out}: {finding:#?}");
        }
        // Without the series or the history the verdict says so.
        if left_out < 2 {
            assert!(
                verdict
                    .not_tested
                    .iter()
                    .any(|gap| gap.what.contains("ROUTE-001")),
                "{:#?}",
                verdict.not_tested
            );
            assert!(!codes(&verdict).contains(&"ROUTE-001"));
        } else {
            assert_eq!(codes(&verdict)[0], "ROUTE-001", "without {left_out}");
        }
    }
}

/// Or any one line of them.
#[test]
fn no_single_value_or_route_carries_the_verdict() {
    for left_out in 0..5 {
        let (mut points, mut routes) = (digest(), printed_routes());
        points.remove(left_out);
        let mut payloads = whole();
        payloads[0] = series(&points);
        let fewer_points = judge_round(&case_of(&[(1, payloads)]), 1);
        routes.remove(left_out);
        let mut payloads = whole();
        payloads[1] = history(&routes);
        let fewer_routes = judge_round(&case_of(&[(1, payloads)]), 1);
        for verdict in [fewer_points, fewer_routes] {
            assert!(
                verdict
                    .findings
                    .iter()
                    .all(|f| matches!(f.code.as_str(), "ROUTE-001" | "ROUTE-002" | "HOST-001"))
            );
            let main = verdict.findings.iter().find(|f| f.explains != Explains::No);
            assert!(
                main.is_none_or(|f| f.code == "ROUTE-001" || f.confidence < 0.8),
                "{main:#?}"
            );
        }
    }
}

#[test]
fn a_step_without_a_change_of_the_route_is_no_detour() {
    // The route changed a week later.
    let late: Vec<_> = printed_routes()
        .into_iter()
        .take(2)
        .map(|(s, n, r)| (s + 7 * 86_400, n, r))
        .collect();
    let points: Vec<(i64, f64)> = full().into_iter().filter(|(s, _)| *s < clock(20, 0, 0)).collect();
    let verdict = judge_round(&case_of(&[(1, vec![series(&points), history(&late)])]), 1);
    assert!(verdict.findings.is_empty(), "{:#?}", verdict.findings);
    let excluded = verdict.excluded.iter().find(|e| e.code == "ROUTE-001").unwrap();
    assert!(excluded.why.contains("none of 1 steps"), "{}", excluded.why);
    assert!(verdict.red_herrings.is_empty());
}

#[test]
fn the_round_trip_time_is_one_more_witness() {
    let records = vec![series(&full()), history(&printed_routes()), round_trips(&full())];
    let verdict = judge_round(&case_of(&[(1, records)]), 1);
    assert_eq!(codes(&verdict), ["ROUTE-001"]);
    let said = arguments(finding(&verdict, "ROUTE-001"));
    assert!(
        said.contains("the round-trip time steps with the route, 3 of 3: 12 ms to 27 ms in [2003-08-27"),
        "{said}"
    );
    // Without rates it is no verdict, but it is said.
    let records = vec![history(&printed_routes()), round_trips(&full())];
    let verdict = judge_round(&case_of(&[(1, records)]), 1);
    assert!(verdict.findings.is_empty(), "{:#?}", verdict.findings);
    let gap = verdict
        .not_tested
        .iter()
        .find(|gap| gap.what.starts_with("ROUTE-001"))
        .unwrap();
    assert!(
        gap.why
            .contains("the route changed, and the round-trip time with it: 12 ms to 27 ms in [2003-08-27"),
        "{}",
        gap.why
    );
    // One that stands still speaks neither for nor against: a detour need not be longer.
    let still: Vec<(i64, f64)> = full().iter().map(|(s, _)| (*s, 400.0)).collect();
    let records = vec![series(&full()), history(&printed_routes()), round_trips(&still)];
    let verdict = judge_round(&case_of(&[(1, records)]), 1);
    assert!(!arguments(finding(&verdict, "ROUTE-001")).contains("round-trip"));
}

#[test]
fn a_route_that_changes_all_the_time_coincides_with_everything() {
    let (fast, slow) = (printed_routes()[0], printed_routes()[1]);
    let flapping: Vec<(i64, u32, &str)> = (0..4_000)
        .map(|index| {
            let chosen = if index % 2 == 0 { fast } else { slow };
            (clock(-5, 0, 0) + index * 600, chosen.1, chosen.2)
        })
        .collect();
    let verdict = judge_round(&case_of(&[(1, vec![series(&full()), history(&flapping)])]), 1);
    assert!(verdict.findings.is_empty(), "{:#?}", verdict.findings);
}

#[test]
fn a_change_of_the_route_without_a_step_says_nothing() {
    let steady: Vec<(i64, f64)> = full()
        .iter()
        .map(|(s, v)| (*s, if *v > 200.0 { *v } else { v * 6.0 }))
        .collect();
    let same_level: Vec<(i64, f64)> = steady
        .iter()
        .enumerate()
        .map(|(i, (s, _))| (*s, 400.0 + 20.0 * ((i * 7) % 5) as f64))
        .collect();
    let verdict = judge_round(
        &case_of(&[(1, vec![series(&same_level), history(&printed_routes())])]),
        1,
    );
    // The last level is above what was expected, and nothing else is said.
    assert_eq!(codes(&verdict), ["OK-001"], "{verdict:#?}");
    assert!(verdict.red_herrings.is_empty(), "{verdict:#?}");
}

#[test]
fn dated_traces_are_a_route_history_too() {
    let trace = |(seconds, _, middle): (i64, u32, &str)| {
        let hop = |(index, node): (usize, Node)| TraceHop {
            ttl: index as u8 + 1,
            answers: vec![TraceAnswer {
                node,
                ..TraceAnswer::default()
            }],
            ..TraceHop::default()
        };
        let hops = nodes(&format!("{HEAD}{middle}{TAIL}"))
            .into_iter()
            .enumerate()
            .map(hop);
        let trace = Trace {
            from: Node::named("SLAC"),
            to: Node::named("Caltech"),
            hops: hops.collect(),
            reached: Some(true),
            ..Trace::default()
        };
        let provenance = Provenance::measured(End::From, at(seconds), 1, "traceroute");
        Observation::new(provenance, Payload::Trace(trace))
    };
    let mut case = case_of(&[(1, vec![series(&full())])]);
    printed_routes()
        .into_iter()
        .for_each(|line| case.add(trace(line)));
    let verdict = judge_round(&case, 1);
    assert_eq!(codes(&verdict), ["ROUTE-001"], "{verdict:#?}");
    assert_eq!(stretch(&verdict.findings[0]).1, "137.164.22.84");
}

#[test]
fn a_window_found_at_the_receiver_can_be_the_cause() {
    let slow = || transfer("SLAC", "Caltech", 15.0, None);
    let window = |bytes: f64| said(Quantity::ReceiveWindow, bytes);
    let rtt = || said(Quantity::Rtt, 0.06);
    let verdict = judge_round(&case_of(&[(1, vec![slow(), window(132_000.0), rtt()])]), 1);
    assert_eq!(codes(&verdict), ["HOST-001"], "{verdict:#?}");
    let found = &verdict.findings[0];
    assert_eq!(found.explains, Explains::Yes);
    assert!(
        (found.allows_bps.unwrap().best.0 - 17.6e6).abs() < 1e5,
        "{found:#?}"
    );
    // Large enough for what is wanted: excluded.
    let verdict = judge_round(&case_of(&[(1, vec![slow(), window(32e6), rtt()])]), 1);
    assert!(
        verdict.findings.is_empty() && verdict.excluded.iter().any(|e| e.code == "HOST-001"),
        "{verdict:#?}"
    );
    // Much slower than the window allows: it is there, and not the cause.
    let verdict = judge_round(
        &case_of(&[(
            1,
            vec![transfer("SLAC", "Caltech", 0.5, None), window(132_000.0), rtt()],
        )]),
        1,
    );
    assert!(
        verdict.findings.iter().all(|f| f.explains == Explains::No),
        "{verdict:#?}"
    );
    // How far it is was not recorded, and no route shows it.
    let verdict = judge_round(&case_of(&[(1, vec![slow(), window(132_000.0)])]), 1);
    assert!(verdict.findings.is_empty(), "{verdict:#?}");
    assert!(
        verdict
            .not_tested
            .iter()
            .any(|gap| gap.why.contains("round-trip time was not recorded"))
    );
}

/// Names of routers of two networks, as seen from one side.
fn named_trace(from: &str, to: &str, hops: &[&str]) -> Payload {
    let hop = |(index, name): (usize, &&str)| TraceHop {
        ttl: index as u8 + 1,
        answers: vec![TraceAnswer {
            node: Node::read(name),
            ..TraceAnswer::default()
        }],
        ..TraceHop::default()
    };
    Payload::Trace(Trace {
        from: Node::named(from),
        to: Node::named(to),
        hops: hops.iter().enumerate().map(hop).collect(),
        reached: Some(true),
        ..Trace::default()
    })
}

#[test]
fn ways_are_compared_hop_by_hop() {
    let there = [
        "r1.slac.example",
        "ge0.sunn.one.example.net",
        "xe1.losa.one.example.net",
        "p1.two.net",
        "c1.caltech.example",
    ];
    let same_back = [
        "c9.caltech.example",
        "p2.two.net",
        "xe7.losa.one.example.net",
        "ge3.sunn.one.example.net",
        "r8.slac.example",
    ];
    let other_back = [
        "x.seven.org",
        "y.seven.org",
        "a.eight.com",
        "b.eight.com",
        "z.nine.info",
        "q.nine.info",
    ];
    let verdict = |back: &[&str]| {
        let traces = vec![
            named_trace("SLAC", "Caltech", &there),
            named_trace("Caltech", "SLAC", back),
        ];
        judge_round(&case_of(&[(1, traces)]), 1)
    };
    let same = verdict(&same_back);
    assert!(
        same.findings.is_empty() && same.excluded.iter().any(|e| e.code == "ROUTE-002"),
        "{same:#?}"
    );
    let other = verdict(&other_back);
    assert_eq!(codes(&other), ["ROUTE-002"], "{other:#?}");
    assert_eq!(
        other.state,
        VerdictState::Inconclusive,
        "a circumstance is no cause"
    );
    let one_way = judge_round(&case_of(&[(1, vec![named_trace("SLAC", "Caltech", &there)])]), 1);
    assert!(one_way.findings.is_empty() && one_way.excluded.iter().all(|e| e.code != "ROUTE-002"));
}

/// One direction is slow, and no route is known: that is no matter of routes.
#[test]
fn a_slow_direction_alone_is_no_asymmetric_route() {
    let payloads = vec![
        transfer("SLAC", "Caltech", 0.02, None),
        transfer("Caltech", "SLAC", 7.0, None),
    ];
    let verdict = judge_round(&case_of(&[(1, payloads)]), 1);
    assert!(verdict.findings.is_empty(), "{verdict:#?}");
}
