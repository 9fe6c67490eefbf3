//! Packet sizes in other tools' records: a jumbo-frame path with an MTU mismatch, as traces, transfers and pings of
//! 2021 show it (NRAO to SARAO, perfSONAR), before and after the repair.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::judge_round;
use common::records::*;
use evidence::v1::{Case, Explains, Location, Payload, PingError, Trace, Vantage, Verdict, VerdictState};

const FROM: &str = "cpt-chpc-10g.perfsonar.ac.za";
const TO: &str = "perfsonar-10.cv.nrao.edu";
const WITNESS: &str = "ESnet";

const SMALL: &str = "
    1 esneteastrt1-eastdcpt1.es.net/198.124.238.37 0.549
    2 newycr5-ip-a-esneteastrt1.es.net/198.124.218.17 1.969
    3 aofacr5-ip-a-newycr5.es.net/134.55.37.77 2.330
    4 et-2-1-5.197.rtsw.newy32aoa.net.internet2.edu/64.57.28.14 2.323
    5 ae-3.4079.rtsw.wash.net.internet2.edu/162.252.70.138 7.571
    6 ae-0.4079.rtsw2.ashb.net.internet2.edu/162.252.70.137 8.095
    7 ae-2.4079.rtsw.ashb.net.internet2.edu/162.252.70.74 28.089
    8 192.122.175.14 8.221
    9 br01-udc-et-1-0-0-20.net.virginia.edu/192.35.48.33 10.310
    10 cr01-udc-et-4-2-0.net.virginia.edu/128.143.236.6 12.609
    11 cr01-gil-et-7-0-0.net.virginia.edu/128.143.236.89 12.407
    12 perfsonar-10.cv.nrao.edu/198.51.208.55 10.058";

/// What tracepath printed up to the link in question, whatever the size.
const HEAD: &str = "
    2 *
    3 aofacr5-ip-b-newycr5.es.net 2.411
    4 et-2-1-5.197.rtsw.newy32aoa.net.internet2.edu 2.468
    5 ae-3.4079.rtsw.wash.net.internet2.edu 8.176
    6 ae-0.4079.rtsw2.ashb.net.internet2.edu 8.889
    7 ae-2.4079.rtsw.ashb.net.internet2.edu 8.242
    8 192.122.175.14 8.522";

fn tracepath(size: u32, tail: &str) -> Payload {
    let head = format!("1 esneteastrt1-eastdcpt1.es.net 0.788\n{HEAD}\n{tail}");
    Payload::Trace(trace(WITNESS, "NRAO", size, Some(true), &head))
}

fn traceroute() -> Payload {
    Payload::Trace(Trace {
        reached: Some(true),
        ..trace(WITNESS, "perfsonar-10.cv.nrao.edu/198.51.208.55", 60, None, SMALL)
    })
}

fn to_1508() -> Payload {
    let tail = "9 br01-udc-et-1-0-0-20.net.virginia.edu 9.998
        10 cr01-udc-et-4-2-0.net.virginia.edu 10.470
        11 cr01-gil-et-7-0-0.net.virginia.edu 10.208
        12 cr01-gil-et-7-0-0.net.virginia.edu 10.253 pmtu=1500
        12 perfsonar-10.cv.nrao.edu 10.154 !H";
    tracepath(1508, tail)
}

fn stalled_transfer() -> Payload {
    let mut slow = transfer(WITNESS, TO, 17.42e6, Some(10.29e6), Some(103));
    slow.intervals = intervals(&[
        (2.54e6, 2, 8.95e3),
        (0.0, 1, 8.95e3),
        (0.0, 0, 8.95e3),
        (0.0, 31, 3.07e3),
        (0.0, 67, 5.12e3),
        (4.45e6, 2, 17.41e3),
        (8.26e6, 0, 33.79e3),
        (23.28e6, 0, 94.21e3),
        (51.75e6, 0, 218.11e3),
        (83.88e6, 0, 392.19e3),
    ]);
    Payload::Throughput(slow)
}

fn before(case: &mut Case) {
    record(case, 1, "traceroute", traceroute());
    record(case, 1, "tracepath", tracepath(9000, "9 *\n10 *\n11 *\n12 *"));
    record(case, 1, "tracepath", tracepath(1509, "9 *"));
    record(case, 1, "tracepath", to_1508());
    record(case, 1, "pscheduler", stalled_transfer());
    for (from, to, sent, received, retransmits) in [
        (WITNESS, "UVA", 9.35e9, Some(9.25e9), Some(22)),
        (FROM, TO, 380.37e3, Some(108.18e3), Some(58)),
        (FROM, "Internet2 Washington", 6.67e9, None, None),
        (
            "Internet2 Washington",
            "HPC University Virginia",
            2.21e9,
            None,
            None,
        ),
    ] {
        let payload = Payload::Throughput(transfer(from, to, sent, received, retransmits));
        record(case, 1, "pscheduler", payload);
    }
}

fn after(case: &mut Case) {
    let mut refused = ping(TO, 9000, Some(true), 4, 0);
    refused.errors = vec![
        PingError {
            from: Some(node("cr01-gil-et-7-0-0.net.virginia.edu/128.143.236.89")),
            text: "Frag needed and DF set (mtu = 1500)".into(),
            mtu_bytes: Some(1500),
            count: 1,
        },
        PingError {
            from: None,
            text: "local error: Message too long, mtu=1500".into(),
            mtu_bytes: Some(1500),
            count: 3,
        },
    ];
    record(case, 2, "ping", pings(WITNESS, vec![refused]));
    record(
        case,
        2,
        "ping",
        pings(WITNESS, vec![ping(TO, 9000, Some(false), 4, 4)]),
    );
    let fast = transfer(FROM, TO, 2.67e9, Some(2.62e9), Some(0));
    record(case, 2, "pscheduler", Payload::Throughput(fast));
}

fn incident(expected: Option<f64>) -> Case {
    let mut case = complaint(FROM, TO, expected);
    before(&mut case);
    after(&mut case);
    case
}

fn place(verdict: &Verdict) -> (u8, u8) {
    match &verdict.findings.first().unwrap().location {
        Location::Link { before, after } => (before.ttl, after.ttl),
        other => panic!("{other}"),
    }
}

/// Kinds of anomaly that the records of this case may be said to show.
const HERRINGS: [&str; 4] = [
    "clean-traceroute",
    "internal-retries",
    "mtu-step-announced",
    "silent-hop",
];

#[test]
fn the_mismatch_is_found_from_a_witness_of_the_tail() {
    for expected in [None, Some(2e9)] {
        let verdict = judge_round(&incident(expected), 1);
        // Without a rate that is expected, what the black hole costs is anybody's guess.
        let slow = verdict.state == VerdictState::Slow;
        assert!(slow || expected.is_none(), "{verdict:#?}");
        // From outside a lost message looks the same and is far less probable here: both are named, and what tells.
        assert_eq!(codes(&verdict), ["MTU-002", "MTU-001"]);
        assert_eq!(place(&verdict), (8, 9));
        let main = &verdict.findings[0];
        assert!(
            main.confidence > 0.75 && (main.explains != Explains::No || expected.is_none()),
            "{main:#?}"
        );
        assert!(main.cannot_tell_from.is_some());
        for figure in [
            "over 1508 bytes",
            "192.122.175.14",
            "br01-udc-et-1-0-0-20.net.virginia.edu",
        ] {
            assert!(main.claim.contains(figure), "{figure}: {}", main.claim);
        }
        let said: Vec<&str> = main.supports.iter().map(|a| a.text.as_str()).collect();
        let said = said.join("\n");
        for figure in [
            "1508 bytes reach",
            "1509 do not",
            "no \"fragmentation needed\" came back",
            "standing still for seconds with segments of",
        ] {
            assert!(said.contains(figure), "{figure}: {said}");
        }
        for herring in ["internal-retries", "mtu-step-announced"] {
            assert!(
                herrings(&verdict).contains(&herring),
                "{herring}: {:?}",
                herrings(&verdict)
            );
        }
        let others: Vec<&str> = herrings(&verdict)
            .into_iter()
            .filter(|h| !HERRINGS.contains(h))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

#[test]
fn after_the_repair_it_is_fast_and_discovery_works() {
    for expected in [None, Some(2e9)] {
        let verdict = judge_round(&incident(expected), 2);
        assert_eq!(verdict.state, VerdictState::Ok, "{verdict:#?}");
        assert_eq!(codes(&verdict), ["OK-001"]);
        assert!(
            herrings(&verdict).iter().all(|h| HERRINGS.contains(h)),
            "{:?}",
            herrings(&verdict)
        );
    }
}

/// One record fewer may cost sharpness; it must not bring another cause.
#[test]
fn no_single_record_carries_another_verdict() {
    let case = incident(None);
    for index in 0..case.observations().len() {
        let verdict = judge_round(&without_one(&case, index), 1);
        let payload = &case.observations()[index].payload;
        let wrong = verdict.findings.iter().find(|f| !f.code.starts_with("MTU"));
        assert!(wrong.is_none(), "without {payload:?}: {wrong:#?}");
        if let Some(main) = verdict.findings.first() {
            let (before, after) = place(&verdict);
            assert!(before <= 8 && after >= 9, "without {payload:?}: {}", main.claim);
        }
    }
}

#[test]
fn the_order_of_the_records_does_not_matter() {
    let case = incident(None);
    let mut other = Case::new(case.complaint.clone());
    case.observations()
        .iter()
        .rev()
        .for_each(|o| other.add(o.clone()));
    assert_eq!(judge_round(&case, 1), judge_round(&other, 1));
}

fn sizes_only(traces: &[Payload]) -> Verdict {
    let mut case = complaint(FROM, TO, None);
    for payload in traces {
        record(&mut case, 1, "tracepath", payload.clone());
    }
    judge_round(&case, 1)
}

#[test]
fn a_router_that_announces_the_smaller_mtu_is_no_black_hole() {
    let honest = tracepath(
        9000,
        "9 br01.example 9.9 pmtu=1500\n9 br01.example 9.9\n10 perfsonar-10.cv.nrao.edu 10",
    );
    let verdict = sizes_only(&[traceroute(), honest]);
    assert!(codes(&verdict).is_empty(), "{:#?}", verdict.findings);
}

/// The far end answers what nearer hops leave unanswered: they ignore large probes and forward them.
#[test]
fn hops_that_ignore_large_probes_are_no_black_hole() {
    let mute = tracepath(9000, "9 *\n10 *\n11 *\n12 perfsonar-10.cv.nrao.edu 10");
    let verdict = sizes_only(&[traceroute(), mute]);
    assert!(codes(&verdict).is_empty(), "{:#?}", verdict.findings);
}

/// Hops that answer nobody say nothing of sizes.
#[test]
fn silence_to_small_packets_too_is_no_black_hole() {
    let small = format!("1 esneteastrt1-eastdcpt1.es.net 0.788\n{HEAD}\n9 *\n10 *");
    let small = Payload::Trace(trace(WITNESS, TO, 60, None, &small));
    let verdict = sizes_only(&[small, tracepath(9000, "9 *\n10 *")]);
    assert!(codes(&verdict).is_empty(), "{:#?}", verdict.findings);
}

/// A trace from another place over another route cannot be laid over this one.
#[test]
fn traces_over_different_routes_are_not_mixed() {
    let elsewhere = "1 a.example 1\n2 b.example 2\n3 c.example 3\n4 *\n5 *";
    let large = Payload::Trace(trace("", TO, 9000, Some(true), elsewhere));
    let verdict = sizes_only(&[traceroute(), large]);
    assert!(codes(&verdict).is_empty(), "{:#?}", verdict.findings);
}

#[test]
fn a_stall_without_traces_names_no_cause() {
    let mut case = complaint(FROM, TO, None);
    record(&mut case, 1, "pscheduler", stalled_transfer());
    let verdict = judge_round(&case, 1);
    assert!(codes(&verdict).is_empty(), "{:#?}", verdict.findings);
}

/// The same records as measured at the sending end itself: no witness is spoken of.
#[test]
fn at_the_sender_itself_it_is_the_path() {
    let mut case = complaint(FROM, TO, None);
    for payload in [
        traceroute(),
        tracepath(9000, "9 *\n10 *\n11 *\n12 *"),
        tracepath(1509, "9 *"),
        to_1508(),
    ] {
        let Payload::Trace(mut trace) = payload else {
            unreachable!()
        };
        trace.from = node(FROM);
        record_at(
            &mut case,
            1,
            "tracepath",
            Vantage::End(evidence::v1::End::From),
            Payload::Trace(trace),
        );
    }
    let verdict = judge_round(&case, 1);
    assert_eq!(codes(&verdict), ["MTU-002", "MTU-001"]);
    assert!(
        !verdict.findings[0].claim.contains("seen from"),
        "{}",
        verdict.findings[0].claim
    );
}

/// Twice as fast as before is no proof of a repair: rates do that with the time of day.
#[test]
fn a_little_faster_than_before_is_not_called_well() {
    for (rate, state) in [(800e3, VerdictState::Inconclusive), (1.6e6, VerdictState::Ok)] {
        let mut case = complaint(FROM, TO, None);
        before(&mut case);
        let transfer = transfer(FROM, TO, rate, Some(rate), None);
        record(&mut case, 2, "pscheduler", Payload::Throughput(transfer));
        assert_eq!(judge_round(&case, 2).state, state, "{rate}");
    }
    // What was expected counts more than what was before.
    let mut case = complaint(FROM, TO, Some(2e9));
    before(&mut case);
    record(
        &mut case,
        2,
        "pscheduler",
        Payload::Throughput(transfer(FROM, TO, 500e3, None, None)),
    );
    assert_eq!(judge_round(&case, 2).state, VerdictState::Inconclusive);
}
