//! FNAL to DESY, 2005: packet counters of five networks, and three paths of which one is the union of the others.

use super::build::{argument, at, case, finding, provenance, trace, transfer, verdict};
use evidence::*;

const FROM: &str = "fntst-1.fnal.gov";
const TO: &str = "dcache33.desy.de";
const POINTS: [(&str, &str); 10] = [
    ("ESnet", "FNAL (US) -> ESnet (US)"),
    ("ESnet", "ESnet (US) -> GEANT (US)"),
    ("GEANT", "ESnet (US) -> GEANT (US)"),
    ("GEANT", "GEANT (US) -> GEANT (UK)"),
    ("GEANT", "GEANT (UK) -> GEANT (France)"),
    ("GEANT", "GEANT (France) -> GEANT (Switzerland)"),
    ("GEANT", "GEANT (Switzerland) -> GEANT (Germany)"),
    ("GEANT", "GEANT (Germany) -> DFN (Germany)"),
    ("DFN", "GEANT (Germany) -> DFN (Germany)"),
    ("DFN", "DFN (Germany) -> DESY (Germany)"),
];
const BACK: [(&str, &str); 4] = [
    ("DFN", "DESY (Germany) -> DFN (Germany)"),
    ("GEANT", "DFN (Germany) -> GEANT (Germany)"),
    ("GEANT", "GEANT (US) -> ESnet (US)"),
    ("ESnet", "ESnet (US) -> FNAL (US)"),
];
const STUTTGART: &str = "ws-stu2.g-win.dfn.de";
const GENEVA: &str = "cemp1.switch.ch";
const CHICAGO: &str = "chi-pt1.es.net";

const TO_GENEVA: [&str; 6] = [
    "cr-stuttgart1-ge5-1 (188.1.76.69) 0.109",
    "cr-frankfurt1-po3-0 (188.1.18.69) 3.531",
    "*",
    "*",
    "swiCE2-10GE-1-1.switch.ch (62.40.124.22) 11.533",
    "cemp1-eth1.switch.ch (130.59.35.130) 11.397",
];
const GENEVA_ON: [&str; 8] = [
    "swiCE2-G5-2 (130.59.35.129) 0.254",
    "switch.rt1.gen.ch.geant2.net (62.40.124.21) 0.250",
    "ch.fr1.fr.geant.net (62.40.96.30) 8.601",
    "fr.uk1.uk.geant.net (62.40.96.90) 15.623",
    "uk.ny1.ny.geant.net (62.40.96.169) 85.466",
    "esnet-gw.ny1.ny.geant.net (62.40.105.26) 84.319",
    "chicr1-oc192-aoacr1.es.net (134.55.209.57) 104.320",
    "perf-if1-ge-chi.es.net (198.124.238.26) 104.203",
];
const WHOLE: [&str; 10] = [
    "cr-stuttgart1-ge5-1 (188.1.76.69) 0.085",
    "cr-frankfurt1-po3-0 (188.1.18.69) 3.356",
    "*",
    "*",
    "ch.fr1.fr.geant.net (62.40.96.30) 19.753",
    "fr.uk1.uk.geant.net (62.40.96.90) 26.781",
    "uk.ny1.ny.geant.net (62.40.96.169) 95.448",
    "esnet-gw.ny1.ny.geant.net (62.40.105.26) 95.814",
    "chicr1-oc192-aoacr1.es.net (134.55.209.57) 115.450",
    "perf-if1-ge-chi.es.net (198.124.238.26) 115.389",
];

/// Label, time, packets sent, lost and reordered as the hosts say, and the counts before and behind the UK-France link.
type Test = (
    &'static str,
    &'static str,
    u64,
    Option<u64>,
    Option<u64>,
    u64,
    u64,
);
const TESTS: [Test; 4] = [
    (
        "Test 1",
        "2005-12-08 16:44:00",
        183_783,
        None,
        None,
        183_783,
        183_781,
    ),
    (
        "Test 2",
        "2005-12-08 16:50:00",
        2_498_589,
        None,
        None,
        2_498_589,
        2_498_543,
    ),
    (
        "Test 3",
        "2005-12-08 17:10:00",
        2_787_179,
        Some(10_352),
        Some(63),
        2_787_179,
        2_787_074,
    ),
    (
        "Test 4",
        "2005-12-08 17:16:00",
        5_076_311,
        Some(98_035),
        Some(41_304),
        5_074_727,
        5_076_088,
    ),
];

pub fn desy() -> (Case, VerdictFile) {
    let mut case = case(FROM, TO, Some(600e6));
    case.complaint.local_end = End::From;
    let record = |when, place, payload| Observation::new(provenance(at(when), 1, place), payload);
    let chains: Vec<Observation> = TESTS
        .iter()
        .map(|test| record(test.1, "ESnet, GEANT, DFN", Payload::CounterChain(chain(test))))
        .collect();
    let back = record(TESTS[0].1, "ESnet, GEANT, DFN", Payload::CounterChain(back()));
    for (from, to, hops, rate, rtt_ms) in [
        (STUTTGART, GENEVA, TO_GENEVA.as_slice(), 930e6, 11.4),
        (GENEVA, CHICAGO, GENEVA_ON.as_slice(), 983e6, 104.2),
        (STUTTGART, CHICAGO, WHOLE.as_slice(), 84e6, 115.4),
    ] {
        let transfer = Transfer {
            rtt_ns: Some((rtt_ms * 1e6) as u64),
            ..transfer(from, to, rate)
        };
        case.add(record(
            "2005-12-02 10:00:00",
            from,
            Payload::Trace(trace(from, to, hops)),
        ));
        case.add(record("2005-12-02 10:05:00", from, transfer.into()));
    }
    case.add(record(
        "2005-12-02 10:05:00",
        GENEVA,
        transfer(GENEVA, STUTTGART, 933e6).into(),
    ));
    let segment = Location::Segment {
        before: "GEANT: GEANT (US) -> GEANT (UK)".into(),
        after: "GEANT: GEANT (UK) -> GEANT (France)".into(),
    };
    let claim = "packets are lost between GEANT (UK) and GEANT (France), 1 to 4 in 100,000, in each of the four tests";
    let cited: Vec<&Observation> = chains.iter().collect();
    let judged = Verdict {
        measured_bps: Some(RateBps(30e6)),
        expected_bps: Some(RateBps(600e6)),
        findings: vec![Finding {
            supports: vec![
                argument(
                    "2 of 183,783, 46 of 2,498,589, 105 of 2,787,179 and 223 of 5,076,311 packets lost on this segment",
                    &cited,
                ),
                argument("no packet was lost in the other direction", &[&back]),
            ],
            remedy: "check the SDH counters of that link for framing errors".into(),
            ask_whom: "the operators of GEANT".into(),
            after_fix_bps: Some(RateRange {
                low: RateBps(400e6),
                best: RateBps(600e6),
                high: RateBps(900e6),
            }),
            ..finding("LOSS-003", claim, segment)
        }],
        ..verdict(1, VerdictState::Slow, claim)
    };
    chains.into_iter().chain([back]).for_each(|o| case.add(o));
    (case, super::super::verdicts::file(vec![judged]))
}

fn point((network, description): &(&str, &str), packets: Option<u64>) -> CounterPoint {
    CounterPoint {
        network: (*network).into(),
        description: (*description).into(),
        packets,
    }
}

fn chain(&(label, _, sent, lost, reordered, before, behind): &Test) -> CounterChain {
    let points = POINTS.iter().zip(0..);
    CounterChain {
        label: label.into(),
        from: Node::named(FROM),
        to: Node::named(TO),
        packets_sent: Some(sent),
        reported_lost: lost,
        reported_reordered: reordered,
        duration_ns: Some(120_000_000_000),
        points: points
            .map(|(p, n)| point(p, Some(if n < 4 { before } else { behind })))
            .collect(),
        ..CounterChain::default()
    }
}

fn back() -> CounterChain {
    let counts = [Some(103_682), None, Some(103_682), Some(0)];
    CounterChain {
        label: "Test 1".into(),
        from: Node::named(TO),
        to: Node::named(FROM),
        // It ran: TCP does not without its packets.
        protocol: Some(evidence::Transport::Tcp),
        points: BACK.iter().zip(counts).map(|(p, n)| point(p, n)).collect(),
        remarks: vec![
            "Due to misconfiguration, packets at the ESnet -> FNAL border were not counted.".into(),
        ],
        ..CounterChain::default()
    }
}
