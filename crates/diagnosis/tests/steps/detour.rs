//! Steps of the rate beside changes of the route: the incident, the same as full series, near misses, evidence missing.

use crate::common::{judge, judge_round};
use crate::incident::{
    HEAD, TAIL, arguments, at, case_of, clock, codes, digest, finding, full, herrings, history, nodes,
    printed_routes, round_trips, said, series, stretch, transfer, whole,
};
use evidence::v1::{
    Direction, End, Explains, Location, Node, Observation, Payload, Provenance, Quantity, Trace, TraceAnswer,
    TraceHop, VerdictState,
};

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
    assert!(detour.confidence >= 0.9, "{detour:#?}");
    let text = arguments(detour);
    assert!(text.contains("in [2003-08-27 12:25, 13:55] UTC"), "{text}");
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
