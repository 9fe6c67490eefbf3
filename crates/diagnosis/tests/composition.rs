//! A path is slow and its parts are fast: what that tells, and what not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::chains::{self, import, trace, transfer};
use common::judge_round;
use evidence::v1::{Case, Payload, RedHerring, ThroughputRecord, VerdictState};

type Hop = (&'static str, &'static str, f64);

const A: &str = "a.north.example";
const B: &str = "b.middle.example";
const C: &str = "c.south.example";

/// Three hosts in a row: rates from A to B, B to C, A to C, and the round-trip times of the two parts.
fn row(mbps: [f64; 3], (near_ms, far_ms): (f64, f64)) -> Case {
    let transfers = [
        transfer(A, B, mbps[0]),
        transfer(B, C, mbps[1]),
        transfer(A, C, mbps[2]),
    ];
    row_of(transfers, (near_ms, far_ms))
}

fn row_of(transfers: [ThroughputRecord; 3], (near_ms, far_ms): (f64, f64)) -> Case {
    let north = ("r1.north.example", "240.0.1.1", 0.2);
    let head = ("r2.north.example", "240.0.1.2", near_ms - 0.1);
    let tail = |base: f64| ("r3.south.example", "240.0.3.1", base + far_ms - 0.1);
    let end = |name, address, ms| -> Hop { (name, address, ms) };
    let routes: [(&str, &str, Vec<Hop>); 3] = [
        (A, B, vec![north, head, end(B, "240.0.2.9", near_ms)]),
        (B, C, vec![tail(0.0), end(C, "240.0.3.9", far_ms)]),
        (
            A,
            C,
            vec![north, head, tail(near_ms), end(C, "240.0.3.9", near_ms + far_ms)],
        ),
    ];
    let mut case = Case::new(chains::complaint());
    for (transfer, (from, to, hops)) in transfers.into_iter().zip(routes) {
        import(&mut case, 1, "", Payload::Throughput(transfer));
        import(&mut case, 1, "", Payload::Trace(trace(from, to, &hops)));
    }
    case
}

fn composition(case: &Case) -> Option<RedHerring> {
    let mut all = judge_round(case, 1).red_herrings;
    all.retain(|herring| herring.code == "composition-contradiction");
    assert!(all.len() <= 1);
    all.pop()
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "“{part}” is not in: {text}");
    }
}

/// DFN to SWITCH 930, SWITCH to ESnet 983, DFN to ESnet 84 Mbit/s.
#[test]
fn the_three_rates_of_the_document_follow_from_one_value() {
    let herring = composition(&chains::fnal_desy()).unwrap();
    says(
        &herring.seen,
        &[
            "ws-stu2.g-win.dfn.de to cemp1.switch.ch 930 Mbit/s",
            "cemp1.switch.ch to chi-pt1.es.net 983 Mbit/s",
            "ws-stu2.g-win.dfn.de to chi-pt1.es.net 83.9 Mbit/s",
            "7 of the 7 hops",
        ],
    );
    says(
        &herring.why_not,
        &[
            "no contradiction",
            "over 115 ms than over 11.4 ms",
            // Both scale with the round-trip time: the matrix cannot tell them apart, and says so.
            "Each of these fits alone: a loss of 2.1e-6 as far as cr-frankfurt1-po3-0",
            "a window of 1.2 MB in all at the sending host ws-stu2.g-win.dfn.de, which allows 849 Mbit/s over 11.4 ms",
            // What is on the fast long path cannot lose.
            "Out: loss from ch.fr1.fr.geant.net on",
            "983 Mbit/s over 104 ms leaves room for 1.9e-8 at most, and 2.1e-6 would be needed",
            "What would tell",
        ],
    );
}

#[test]
fn without_counters_it_says_what_to_measure() {
    let mut case = Case::new(chains::complaint());
    for payload in chains::matrix_traces().into_iter().map(Payload::Trace) {
        import(&mut case, 1, "", payload);
    }
    for payload in chains::matrix_transfers().into_iter().map(Payload::Throughput) {
        import(&mut case, 1, "", payload);
    }
    let verdict = judge_round(&case, 1);
    assert_eq!(verdict.state, VerdictState::Inconclusive);
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    let next = verdict.next.unwrap();
    says(
        &next.text,
        &[
            "window doubled",
            "a paced UDP stream from ws-stu2.g-win.dfn.de to cemp1.switch.ch",
        ],
    );
    assert_eq!(next.ask, None);
}

/// Loss behind the middle, where the long part is before it.
#[test]
fn loss_on_the_second_part_is_found_and_on_the_first_excluded() {
    let herring = composition(&row([940.0, 900.0, 95.0], (100.0, 10.0))).unwrap();
    says(
        &herring.why_not,
        &[
            "fits alone: a loss of 1.8e-6 from r3.south.example on",
            "Out: loss as far as r2.north.example",
            "at the receiving host c.south.example, which allows 1.04 Gbit/s over 10 ms. Out",
        ],
    );
}

#[test]
fn rates_that_nothing_predicts_are_said_to_be_so() {
    let herring = composition(&row([940.0, 940.0, 20.0], (10.0, 12.0))).unwrap();
    says(
        &herring.why_not,
        &["neither one loss ratio nor one window", "noted"],
    );
}

/// Connections that records tell change the loss that it takes, with their square.
#[test]
fn the_number_of_connections_counts() {
    let of = |streams| {
        let record = |from, to, mbps| ThroughputRecord {
            streams: Some(streams),
            ..transfer(from, to, mbps)
        };
        let transfers = [record(A, B, 930.0), record(B, C, 980.0), record(A, C, 84.0)];
        composition(&row_of(transfers, (11.4, 104.0))).unwrap().why_not
    };
    says(&of(1), &["a loss of 2.1e-6", "(one connection;"]);
    says(&of(10), &["a loss of 2.1e-4", "(10 connections;"]);
}

#[test]
fn near_misses_are_left_alone() {
    // As fast all the way as on the parts.
    assert_eq!(composition(&row([940.0, 940.0, 900.0], (10.0, 100.0))), None);
    // A part that is slow itself.
    assert_eq!(composition(&row([100.0, 940.0, 84.0], (10.0, 100.0))), None);
    // Without routes nobody knows that the links are the same.
    let full = row([940.0, 940.0, 84.0], (10.0, 100.0));
    assert!(composition(&full).is_some());
    let traces = |o: &evidence::v1::Observation| matches!(o.payload, Payload::Trace(_));
    assert_eq!(composition(&common::without(&full, traces)), None);
    // Over other links.
    let mut elsewhere = common::without(
        &full,
        |o| matches!(&o.payload, Payload::Trace(trace) if trace.hops.len() == 4),
    );
    let other = [
        ("x1.example", "240.0.9.1", 1.0),
        ("x2.example", "240.0.9.2", 50.0),
        (C, "240.0.3.9", 110.0),
    ];
    import(&mut elsewhere, 1, "", Payload::Trace(trace(A, C, &other)));
    assert_eq!(composition(&elsewhere), None);
}

/// Traces headed by sites, transfers by hosts: the tables of the document as they stand.
#[test]
fn sites_stand_for_their_hosts() {
    let mut case = Case::new(chains::complaint());
    for mut route in chains::matrix_traces() {
        let site = |node: &evidence::v1::Node| {
            let name = node.name.as_deref().unwrap();
            evidence::v1::Node::named(if name.contains("dfn") {
                "DFN"
            } else if name.contains("switch") {
                "SWITCH"
            } else {
                "ESnet"
            })
        };
        (route.from, route.to) = (site(&route.from), site(&route.to));
        import(&mut case, 1, "", Payload::Trace(route));
    }
    for payload in chains::matrix_transfers().into_iter().map(Payload::Throughput) {
        import(&mut case, 1, "", payload);
    }
    let herring = composition(&case).unwrap();
    // The other host of the site has a record of its ten connections: all are taken to have as many, and it says so.
    says(
        &herring.why_not,
        &[
            "10 connections, which only another pair's record tells",
            "a loss of 2.1e-4",
        ],
    );
}
