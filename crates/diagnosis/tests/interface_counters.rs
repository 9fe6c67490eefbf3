//! Counters of interfaces: an interface card that ignores packets under load, as the records of 2000 show it (Stanford to
//! SLAC), before and after it was cleared; and what looks like it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::judge_round;
use common::records::*;
use common::slac::*;
use evidence::v1::{
    Case, CounterKind, Direction, End, Explains, Location, Observation, Payload, PingError, Provenance,
    ThroughputRecord, Timestamp, Transport, Verdict, VerdictState,
};

fn main_of<'a>(verdict: &'a Verdict, code: &str) -> &'a evidence::v1::Finding {
    verdict
        .findings
        .iter()
        .find(|f| f.code == code)
        .unwrap_or_else(|| panic!("{verdict:#?}"))
}

#[test]
fn the_interface_that_ignores_packets_is_the_cause() {
    for expected in [None, Some(7.2e6)] {
        let verdict = judge_round(&incident(expected), 1);
        assert_eq!(verdict.state, VerdictState::Slow, "{verdict:#?}");
        assert_eq!(codes(&verdict), ["LOSS-002"]);
        let main = &verdict.findings[0];
        assert!(
            main.confidence > 0.9 && main.explains == Explains::Yes,
            "{main:#?}"
        );
        assert_eq!(main.direction, Direction::Forward);
        let Location::Interface {
            device,
            interface,
            hop,
        } = &main.location
        else {
            panic!("{}", main.location)
        };
        assert_eq!(
            (device.as_str(), interface.as_str()),
            ("RTR-DMZ.SLAC.STANFORD.EDU", "ATM5/0")
        );
        assert_eq!(hop.as_ref().map(|hop| hop.ttl), Some(3));
        let said: Vec<&str> = main.supports.iter().map(|a| a.text.as_str()).collect();
        let said = format!("{}\n{}", main.claim, said.join("\n"));
        for figure in [
            "2,300,788 of 37,439,574 (ignored since it was cleared 9 days ago, 6.15 %)",
            "15.00 % of packets lost under load, Lindy.Stanford.EDU to flora01.slac.stanford.edu, as stated",
            "ATM1/0/0 of ATM-DMZ counts 7 of 4,013,949,168 (checksum errors",
            "19.2 kbit/s",
        ] {
            assert!(said.contains(figure), "{figure} is not in\n{said}");
        }
    }
}

#[test]
fn capacity_is_excluded_with_figures_and_fragments_mislead_nobody() {
    let verdict = judge_round(&incident(None), 1);
    let excluded = |code: &str| {
        let found = verdict.excluded.iter().find(|e| e.code == code);
        found
            .map(|e| e.why.clone())
            .unwrap_or_else(|| panic!("{:#?}", verdict.excluded))
    };
    let capacity = excluded("CAP-001");
    for figure in [
        "19.2 kbit/s measured",
        "233 kbit/s of 156 Mbit/s",
        "29 Mbit/s",
        "the other way 7.2 Mbit/s",
    ] {
        assert!(capacity.contains(figure), "{figure}: {capacity}");
    }
    // Lost fragments and refused sizes blame nobody: TCP chooses segments that fit.
    assert!(
        verdict.findings.iter().all(|f| !f.code.starts_with("MTU")),
        "{verdict:#?}"
    );
    let must = ["fragmented-pings", "ignores-large-pings"];
    let may = [
        "fragmented-pings",
        "ignores-large-pings",
        "silent-hop",
        "asymmetric-route",
    ];
    let found = herrings(&verdict);
    assert!(
        must.iter().all(|h| found.contains(h)) && found.iter().all(|h| may.contains(h)),
        "{found:?}"
    );
    let large = verdict
        .red_herrings
        .iter()
        .find(|h| h.code == "ignores-large-pings")
        .unwrap();
    assert!(
        large.seen.contains("hops 2, 3, 4, 5") && large.why_not.contains("hop 6"),
        "{large:?}"
    );
}

#[test]
fn after_the_interface_was_cleared_an_old_total_is_no_cause() {
    for expected in [None, Some(7.2e6)] {
        let verdict = judge_round(&incident(expected), 2);
        assert_eq!(
            (verdict.state, codes(&verdict)),
            (VerdictState::Ok, vec!["OK-001"]),
            "{verdict:#?}"
        );
        assert!(herrings(&verdict).is_empty(), "{:?}", verdict.red_herrings);
    }
    // Alone, with nothing to compare the rate with, it is undecided and still blames nobody.
    let mut alone = complaint(SERVER, CLIENT, None);
    after(&mut alone);
    let verdict = judge_round(&alone, 2);
    assert_eq!(
        (verdict.state, codes(&verdict).len()),
        (VerdictState::Inconclusive, 0),
        "{verdict:#?}"
    );
}

/// No single record carries another cause; most can go without the verdict.
#[test]
fn no_single_record_carries_another_verdict() {
    let case = incident(None);
    for index in 0..case.observations().len() {
        let verdict = judge_round(&without_one(&case, index), 1);
        let payload = &case.observations()[index].payload;
        let others: Vec<&str> = codes(&verdict).into_iter().filter(|c| *c != "LOSS-002").collect();
        assert!(others.is_empty(), "{others:?} without {payload:?}: {verdict:#?}");
        // A total of nine days does not tell by itself what happens while the transfer runs, nor where the device stands.
        let needed = matches!(
            payload,
            Payload::InterfaceCounters(_)
                | Payload::Throughput(_)
                | Payload::Statement(_)
                | Payload::Trace(_)
        );
        assert!(
            needed || verdict.state == VerdictState::Slow,
            "without {payload:?}: {:?}",
            verdict.state
        );
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

/// A snapshot at a known time, seconds after the start.
fn snapshot(case: &mut Case, at_s: i64, received: u64, ignored: u64) {
    snapshot_of(case, "ATM5/0", at_s, received, ignored);
}

fn snapshot_of(case: &mut Case, interface: &str, at_s: i64, received: u64, ignored: u64) {
    let mut counters = counters(
        "RTR-DMZ",
        interface,
        30 * 86_400,
        &[
            (CounterKind::InputPackets, received),
            (CounterKind::InputIgnored, ignored),
        ],
    );
    counters.counting_for_s = None;
    let provenance = Provenance::measured(End::To, Timestamp(at_s * 1_000_000_000), 1, "show interface");
    case.add(Observation::new(provenance, Payload::InterfaceCounters(counters)));
}

fn slow_get(case: &mut Case) {
    record(
        case,
        1,
        "traceroute",
        Payload::Trace(trace("flora01", SERVER, 40, None, TO_STANFORD)),
    );
    record(case, 1, "csv", ftp("ftp get", SERVER, "flora01", 2.4e3 * 8.0));
    record(case, 1, "csv", ftp("ftp put", "flora01", SERVER, 900e3 * 8.0));
}

/// Two snapshots tell what happens now, over a wrap at 2^32 as well.
#[test]
fn a_window_between_snapshots_counts_and_not_the_lifetime() {
    let mut case = complaint(SERVER, CLIENT, None);
    slow_get(&mut case);
    snapshot(&mut case, 100, (1 << 32) - 4_000, 7);
    snapshot(&mut case, 160, 6_000, 1_207);
    let verdict = judge_round(&case, 1);
    assert_eq!(
        (verdict.state, codes(&verdict)),
        (VerdictState::Slow, vec!["LOSS-002"]),
        "{verdict:#?}"
    );
    let main = &verdict.findings[0];
    assert!(
        main.claim.contains("1,200 of 10,000 (ignored in 60 s, 12.00 %)"),
        "{}",
        main.claim
    );
}

/// Figures of two interfaces whose names nobody told are no two snapshots of one.
#[test]
fn what_has_no_name_is_not_compared() {
    let verdict = |name: &str| {
        let mut case = complaint(SERVER, CLIENT, None);
        slow_get(&mut case);
        snapshot_of(&mut case, name, 100, 1_000, 7);
        snapshot_of(&mut case, name, 160, 11_000, 1_207);
        judge_round(&case, 1)
    };
    let says = |verdict: &Verdict| format!("{verdict:?}").contains("1,200 of 10,000");
    assert!(says(&verdict("ATM5/0")) && !says(&verdict("")));
}

/// A large old total that does not grow is history.
#[test]
fn a_total_that_stands_still_is_no_drop() {
    let mut case = complaint(SERVER, CLIENT, None);
    slow_get(&mut case);
    snapshot(&mut case, 100, 37_000_000, 2_300_788);
    snapshot(&mut case, 160, 37_010_000, 2_300_788);
    assert!(codes(&judge_round(&case, 1)).is_empty());
}

/// Both ways are slow: drops on one input do not do that; and the interface is on no route.
#[test]
fn an_interface_elsewhere_with_both_ways_slow_is_not_blamed() {
    let mut case = complaint(SERVER, CLIENT, None);
    record(
        &mut case,
        1,
        "traceroute",
        Payload::Trace(trace("flora01", SERVER, 40, None, TO_STANFORD)),
    );
    let mut other = atm_5_0();
    other.device = node("RTR-ELSEWHERE");
    record(&mut case, 1, "show interface", Payload::InterfaceCounters(other));
    record(&mut case, 1, "csv", ftp("ftp get", SERVER, "flora01", 30e3));
    record(&mut case, 1, "csv", ftp("ftp put", "flora01", SERVER, 40e3));
    let verdict = judge_round(&case, 1);
    assert!(codes(&verdict).is_empty(), "{verdict:#?}");
}

/// A total alone, without a transfer to compare: told, and not called the cause.
#[test]
fn without_a_transfer_a_total_is_not_the_cause() {
    let mut case = complaint(SERVER, CLIENT, None);
    record(
        &mut case,
        1,
        "traceroute",
        Payload::Trace(trace("flora01", SERVER, 40, None, TO_STANFORD)),
    );
    record(
        &mut case,
        1,
        "show interface",
        Payload::InterfaceCounters(atm_5_0()),
    );
    let verdict = judge_round(&case, 1);
    assert_eq!(verdict.state, VerdictState::Inconclusive, "{verdict:#?}");
    assert!(verdict.findings.iter().all(|f| f.explains == Explains::Unknown));
}

/// A few drops in billions are every router's.
#[test]
fn a_clean_interface_is_not_blamed() {
    let mut case = complaint(SERVER, CLIENT, None);
    slow_get(&mut case);
    let mut clean = neighbour();
    clean.device = node("RTR-DMZ");
    clean.counters.insert(CounterKind::InputIgnored, 4_000);
    record(&mut case, 1, "show interface", Payload::InterfaceCounters(clean));
    assert!(codes(&judge_round(&case, 1)).is_empty());
}

/// Large datagrams over UDP, and fragments that do not arrive.
fn fragments(data: Option<Payload>, reassembly: bool, may_fragment: Option<bool>) -> Verdict {
    let mut case = complaint(SERVER, CLIENT, None);
    let mut large = ping(CLIENT, 1700, may_fragment, 50, 0);
    if reassembly {
        large.errors = vec![PingError {
            from: Some(node(CLIENT)),
            text: "Fragment reassembly time exceeded".into(),
            mtu_bytes: None,
            count: 30,
        }];
    }
    record(
        &mut case,
        1,
        "ping",
        pings("Lindy", vec![large, ping(CLIENT, 1500, may_fragment, 50, 50)]),
    );
    data.into_iter()
        .for_each(|payload| record(&mut case, 1, "iperf", payload));
    judge_round(&case, 1)
}

#[test]
fn lost_fragments_are_a_fault_of_datagrams() {
    let udp = Payload::Throughput(ThroughputRecord {
        protocol: Some(Transport::Udp),
        ..transfer(SERVER, "flora01", 0.0, Some(0.0), None)
    });
    let verdict = fragments(Some(udp), true, Some(false));
    assert_eq!(
        (verdict.state, codes(&verdict)),
        (VerdictState::Slow, vec!["MTU-003"]),
        "{verdict:#?}"
    );
    assert!(
        main_of(&verdict, "MTU-003")
            .claim
            .contains("fragments do not pass")
    );
}

#[test]
fn lost_fragments_are_no_fault_of_tcp_nor_of_unfragmentable_pings() {
    let verdict = fragments(Some(ftp("ftp get", SERVER, "flora01", 1e5)), true, Some(false));
    assert!(codes(&verdict).is_empty(), "{verdict:#?}");
    assert_eq!(herrings(&verdict), ["fragmented-pings"]);
    // The flag is set, or nobody knows.
    for may_fragment in [Some(true), None] {
        let verdict = fragments(None, false, may_fragment);
        assert!(codes(&verdict).is_empty(), "{verdict:#?}");
    }
}

/// Nobody recorded what the slow transfer is made of: not called the cause.
#[test]
fn lost_fragments_of_an_unknown_transfer_are_not_called_the_cause() {
    let verdict = fragments(None, true, Some(false));
    assert_eq!(
        (verdict.state, codes(&verdict)),
        (VerdictState::Inconclusive, vec![]),
        "{verdict:#?}"
    );
}

/// Silence alone may be the host's manners.
#[test]
fn fragments_lost_without_another_sign_are_not_called_the_cause() {
    let verdict = fragments(None, false, Some(false));
    assert_ne!(verdict.state, VerdictState::Slow, "{verdict:#?}");
}
