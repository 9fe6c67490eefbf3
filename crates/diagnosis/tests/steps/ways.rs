//! The way there beside the way back.

use crate::common::judge_round;
use crate::incident::{case_of, codes, transfer};
use evidence::v1::{Node, Payload, Trace, TraceAnswer, TraceHop, VerdictState};

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
