//! Cases made of other people's records, with the figures of published incidents. The verdicts are written by hand.

#![allow(unused_imports)]

mod build;
mod caltech;
mod desy;
mod oak_ridge;
mod stanford;
pub mod ways;

pub use caltech::{caltech, long_series};
pub use desy::desy;
pub use oak_ridge::oak_ridge;
pub use stanford::stanford;

use evidence::*;

/// A record of every kind, each string of which is `text`.
pub fn hostile(text: &str) -> (Case, VerdictFile) {
    let node = || Node::named(text);
    let counted = |packets| CounterPoint {
        network: text.into(),
        description: text.into(),
        packets,
    };
    let mut case = build::case(text, text, None);
    let at = Timestamp(1_000_000_000_000_000_000);
    let hop = |ttl| TraceHop {
        ttl,
        answers: vec![TraceAnswer {
            node: node(),
            mark: Some(text.into()),
            ..TraceAnswer::default()
        }],
        ..TraceHop::default()
    };
    let payloads = vec![
        Payload::Trace(Trace {
            from: node(),
            to: node(),
            flows: vec![TraceFlow::of(vec![hop(1), hop(2)])],
            ..Trace::default()
        }),
        Payload::Trace(Trace {
            to: node(),
            flows: vec![TraceFlow::of(vec![hop(1), hop(3)])],
            ..Trace::default()
        }),
        Payload::Probes(Probes {
            from: node(),
            destination: Some(node()),
            rows: [100, 1501]
                .into_iter()
                .map(|size| ProbeRow {
                    ttl: Some(1),
                    to: node(),
                    size_bytes: Some(size),
                    errors: vec![ProbeError {
                        from: Some(node()),
                        text: text.into(),
                        mtu_bytes: None,
                        count: 1,
                    }],
                    ..ProbeRow::default()
                })
                .collect(),
            ..Probes::default()
        }),
        Payload::from(Transfer {
            from: node(),
            to: node(),
            application: Some(text.into()),
            congestion_control: Some(text.into()),
            received_bps: Some(RateBps(f64::NAN)),
            intervals: build::intervals(&[0.0, f64::INFINITY, 1e300]),
            ..Transfer::default()
        }),
        Payload::Series(Series {
            from: node(),
            to: node(),
            metric: SeriesMetric::Throughput,
            points: vec![
                (Timestamp(i64::MIN), f64::NAN),
                (Timestamp(0), -1.0),
                (Timestamp(i64::MAX), 1e300),
            ],
        }),
        Payload::RouteHistory(RouteHistory {
            from: node(),
            to: node(),
            routes: vec![
                KnownRoute {
                    number: None,
                    hops: vec![node(), Node::default()],
                },
                KnownRoute {
                    number: Some(u32::MAX),
                    hops: Vec::new(),
                },
            ],
            seen: vec![
                (Timestamp(i64::MAX), 7),
                (Timestamp(0), 0),
                (Timestamp(i64::MIN), 1),
            ],
        }),
        Payload::InterfaceCounters(InterfaceCounters {
            device: node(),
            interface: text.into(),
            description: Some(text.into()),
            duplex: Some(text.into()),
            counting_for_s: Some(u64::MAX),
            counters: [
                (CounterKind::InputErrors, u64::MAX),
                (CounterKind::InputPackets, 0),
            ]
            .into(),
            other: [(text.to_owned(), 1)].into(),
            ..InterfaceCounters::default()
        }),
        Payload::CounterChain(CounterChain {
            label: text.into(),
            from: node(),
            to: node(),
            packets_sent: Some(u64::MAX),
            reported_lost: Some(u64::MAX),
            points: vec![
                counted(Some(u64::MAX)),
                counted(None),
                counted(Some(0)),
                counted(Some(3)),
            ],
            remarks: vec![text.into()],
            ..CounterChain::default()
        }),
        Payload::Statement(Statement {
            quantity: Quantity::Rate,
            from: node(),
            to: node(),
            subject: Some(text.into()),
            value: 1.0,
            range: None,
            text: text.into(),
        }),
    ];
    for payload in payloads {
        let mut provenance = build::provenance(at, 1, text);
        provenance.tool = text.into();
        provenance.raw_sha256 = Some(text.into());
        case.add(Observation::new(provenance, payload));
    }
    let mut verdict = build::verdict(1, VerdictState::Slow, text);
    for location in [
        Location::Segment {
            before: text.into(),
            after: text.into(),
        },
        Location::Interface {
            device: text.into(),
            interface: text.into(),
            hop: None,
        },
    ] {
        verdict.findings.push(build::finding(text, text, location));
    }
    (case, super::verdicts::file(vec![verdict]))
}
