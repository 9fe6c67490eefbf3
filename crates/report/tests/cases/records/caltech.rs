//! SLAC to Caltech, 2003: a step in the throughput at a change of the route.

use super::build::{argument, at, case, finding, node, provenance, verdict};
use evidence::*;

const FROM: &str = "node1.slac.stanford.edu";
const TO: &str = "node1.cacr.caltech.edu";
const HOUR: i64 = 3_600_000_000_000;

const ROUTES: [(u32, &str); 5] = [
    (
        3,
        "134.79.243.1 134.79.135.15 192.68.191.83 171.64.1.213 198.32.249.73 198.32.249.154 198.32.248.126 198.32.248.13 198.32.248.9 192.41.208.50 131.215.254.253 131.215.5.147 131.215.144.226",
    ),
    (
        31,
        "134.79.243.1 134.79.135.15 192.68.191.83 171.64.1.213 198.32.249.2 198.32.249.6 137.164.22.84 137.164.22.30 137.164.22.28 137.164.24.244 130.152.181.17 130.152.180.13 192.12.19.252 131.215.254.253 131.215.5.147 131.215.144.226",
    ),
    (
        72,
        "134.79.243.1 134.79.135.15 192.68.191.83 171.64.1.213 198.32.249.2 198.32.249.6 137.164.22.84 137.164.22.30 137.164.22.88 137.164.24.246 192.12.19.252 131.215.254.253 131.215.5.147 131.215.144.226",
    ),
    (
        68,
        "134.79.243.1 134.79.135.15 192.68.191.83 171.64.1.213 198.32.249.2 198.32.249.6 137.164.22.84 137.164.22.53 137.164.22.28 137.164.22.57 198.32.248.2 198.32.248.6 192.41.208.50 131.215.254.253 131.215.5.147 131.215.144.226",
    ),
    (
        81,
        "134.79.243.1 134.79.135.15 192.68.191.83 171.64.1.213 198.32.249.2 198.32.249.6 137.164.22.84 137.164.22.53 137.164.22.28 137.164.24.244 137.164.27.246 131.215.254.253 131.215.5.147 131.215.144.226",
    ),
];

/// Since when which route was in force, as an index into [`ROUTES`].
const IN_FORCE: [(&str, u32); 5] = [
    ("2003-08-24 00:05:05", 0),
    ("2003-08-27 13:20:07", 1),
    ("2003-09-10 14:05:05", 2),
    ("2003-09-18 21:20:06", 3),
    ("2003-09-19 06:50:07", 4),
];

pub fn caltech() -> (Case, VerdictFile) {
    let mut case = case(FROM, TO, Some(300e6));
    case.complaint.local_end = End::From;
    let record = |payload| Observation::new(provenance(at("2003-08-24 00:05:05"), 1, FROM), payload);
    let series = record(Payload::Series(series()));
    let history = record(Payload::RouteHistory(history()));
    case.journal.push(JournalEntry {
        at: at("2003-09-26 12:00:00"),
        who: "host administrator".into(),
        network: Some("caltech.edu".into()),
        what: "largest TCP window raised from 132 kB to 32 MB".into(),
        before_round: None,
    });
    case.journal.push(JournalEntry {
        at: at("2003-10-04 01:09:00"),
        who: "NOC".into(),
        network: Some("CENIC".into()),
        what: "next hop rewritten by Los Nettos: traffic leaves the 100 Mbit/s Ethernet".into(),
        before_round: None,
    });
    let claim = "since 27 August 2003 the route makes a detour over a link of 100 Mbit/s between 137.164.22.84 and 131.215.254.253";
    let hop = |ttl, address: &str| HopRef {
        ttl,
        address: address.parse().ok(),
        name: None,
    };
    let place = Location::Link {
        before: hop(7, "137.164.22.84"),
        after: hop(14, "131.215.254.253"),
    };
    let judged = Verdict {
        measured_bps: Some(RateBps(95e6)),
        expected_bps: Some(RateBps(300e6)),
        findings: vec![Finding {
            supports: vec![argument(
                "450 Mbit/s until 05:25, 58 Mbit/s from 06:55; the route changed between 06:05 and 06:20",
                &[&series, &history],
            )],
            ..finding("ROUTE-001", claim, place)
        }],
        ..verdict(1, VerdictState::Slow, claim)
    };
    case.add(series);
    case.add(history);
    case.add(Observation::new(
        provenance(at("2003-09-20 00:00:00"), 1, ""),
        Payload::Statement(Statement {
            quantity: Quantity::ReceiveWindow,
            from: Node::named(FROM),
            to: Node::named(TO),
            subject: None,
            value: 132e3,
            range: None,
            text: "the max TCP window size was 132kBytes".into(),
        }),
    ));
    (case, super::super::verdicts::file(vec![judged]))
}

fn series() -> Series {
    let start = at("2003-08-24 00:25:00");
    let point = |n: i64| {
        let when = start.plus_ns(n * 3 * HOUR / 2);
        let level = match IN_FORCE.iter().rev().find(|(since, _)| at(since) <= when) {
            Some((_, 0 | 3)) => 440e6,
            Some((_, 4)) => 90e6,
            _ => 58e6,
        };
        // A swing that no generator of chance is needed for.
        let swing = 1.0 - 0.18 * ((n * 7919 % 100) as f64 / 100.0);
        (when, level * swing)
    };
    let gap = at("2003-09-05 00:00:00")..at("2003-09-07 12:00:00");
    let points = (0..640).map(point).filter(|(when, _)| !gap.contains(when));
    Series {
        from: Node::named(FROM),
        to: Node::named(TO),
        metric: SeriesMetric::Throughput,
        points: points.collect(),
    }
}

fn history() -> RouteHistory {
    let hops = |text: &str| text.split(' ').map(node).collect();
    let start = at("2003-08-24 00:05:05");
    let seen = (0..4_000).map(|n| {
        let when = start.plus_ns(n * HOUR / 4);
        let index = IN_FORCE.iter().rev().find(|(since, _)| at(since) <= when);
        (when, index.map_or(0, |(_, index)| *index))
    });
    RouteHistory {
        from: Node::named(FROM),
        to: Node::named(TO),
        routes: ROUTES
            .iter()
            .map(|(number, text)| KnownRoute {
                number: Some(*number),
                hops: hops(text),
            })
            .collect(),
        seen: seen.collect(),
    }
}

/// A series of `points` measurements and a route history of as many routes as it has traces.
pub fn long_series(points: i64, routes: u32) -> Case {
    let mut case = case(FROM, TO, None);
    let start = at("2003-08-24 00:05:05");
    let seen = (0..routes).map(|n| (start.plus_ns(i64::from(n) * HOUR), n));
    let route = |n: u32| KnownRoute {
        number: Some(n),
        hops: vec![
            node("134.79.243.1"),
            Node::read(&std::net::Ipv4Addr::from(n).to_string()),
            node(TO),
        ],
    };
    let value = |n: i64| (start.plus_ns(n * HOUR / 10), 1e8 + (n * 7919 % 1000) as f64 * 1e5);
    let payloads = [
        Payload::RouteHistory(RouteHistory {
            from: Node::named(FROM),
            to: Node::named(TO),
            routes: (0..routes).map(route).collect(),
            seen: seen.collect(),
        }),
        Payload::Series(Series {
            from: Node::named(FROM),
            to: Node::named(TO),
            metric: SeriesMetric::Throughput,
            points: (0..points).map(value).collect(),
        }),
    ];
    for payload in payloads {
        case.add(Observation::new(provenance(start, 1, FROM), payload));
    }
    case
}
