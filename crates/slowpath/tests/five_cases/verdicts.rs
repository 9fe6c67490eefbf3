//! What each verdict must say. Findings and red herrings that are not in the table must not be there.

use crate::case;
use evidence::{Explains, Verdict, VerdictState};

/// One round of one case.
struct Expected {
    state: VerdictState,
    /// (code, where, does it explain the rate, at least this sure), the main cause first: exactly these.
    findings: &'static [(&'static str, &'static str, Explains, f64)],
    /// Codes of red herrings: exactly these.
    herrings: &'static [&'static str],
    /// Words that must stand in the verdict.
    says: &'static [&'static str],
}

/// Everything that a verdict says, as one text.
pub(crate) fn words(verdict: &Verdict) -> String {
    let mut text = vec![verdict.summary.clone()];
    for finding in &verdict.findings {
        text.extend([
            finding.claim.clone(),
            finding.location.to_string(),
            finding.remedy.clone(),
        ]);
        text.extend([
            finding.ask_whom.clone(),
            finding.cannot_tell_from.clone().unwrap_or_default(),
        ]);
        let arguments = finding.supports.iter().chain(&finding.contradicts);
        text.extend(arguments.map(|argument| argument.text.clone()));
    }
    let herrings = verdict.red_herrings.iter();
    text.extend(herrings.map(|h| format!("{}: {}; {}", h.code, h.seen, h.why_not)));
    text.extend(
        verdict
            .excluded
            .iter()
            .map(|e| format!("not {}: {}", e.code, e.why)),
    );
    text.join("\n")
}

#[track_caller]
fn check(name: &str, rounds: &[Expected]) {
    let verdicts = diagnosis::judge(&case(name)).rounds;
    assert_eq!(verdicts.len(), rounds.len(), "{name}");
    for (verdict, expected) in verdicts.iter().zip(rounds) {
        let text = words(verdict);
        let at = format!("{name}, round {}:\n{text}", verdict.round);
        assert_eq!(verdict.state, expected.state, "{at}");
        let found: Vec<_> = verdict
            .findings
            .iter()
            .map(|f| (f.code.as_str(), f.explains))
            .collect();
        let wanted: Vec<_> = expected
            .findings
            .iter()
            .map(|(code, _, explains, _)| (*code, *explains))
            .collect();
        assert_eq!(found, wanted, "{at}");
        for (finding, (code, place, _, sure)) in verdict.findings.iter().zip(expected.findings) {
            let there = finding.location.to_string();
            assert!(there.contains(place), "{code} at {there}, not {place}\n{at}");
            assert!(
                finding.confidence >= *sure,
                "{code}: {}\n{at}",
                finding.confidence
            );
        }
        let mut herrings: Vec<&str> = verdict.red_herrings.iter().map(|h| h.code.as_str()).collect();
        herrings.sort_unstable();
        herrings.dedup();
        assert_eq!(herrings, expected.herrings, "{at}");
        for phrase in expected.says {
            assert!(text.contains(phrase), "it does not say `{phrase}`\n{at}");
        }
    }
}

const OK: Expected = Expected {
    state: VerdictState::Ok,
    findings: &[("OK-001", "the path", Explains::Yes, 0.8)],
    herrings: &[],
    says: &[],
};

#[test]
fn slac_stanford_an_interface_ignores_packets() {
    let slow = Expected {
        state: VerdictState::Slow,
        findings: &[("LOSS-002", "interface ATM5/0 of RTR-DMZ", Explains::Yes, 0.9)],
        herrings: &[
            "fragmented-pings",
            "ignores-large-pings",
            "lightly-used-link",
            "silent-hop",
        ],
        says: &[
            "packets are dropped on input at interface ATM5/0 of RTR-DMZ.SLAC.STANFORD.EDU",
            "2,300,788 of 37,439,574 (ignored since it was cleared 9 days ago, 6.15 %)",
            "5.00 % to 25.00 % while the transfer runs",
            "TCP from Lindy.Stanford.EDU to flora01: 19.2 kbit/s",
            "ATM1/0/0 of ATM-DMZ counts 7 of 4,013,949,168 (checksum errors",
            "not CAP-001",
            "TCP chooses segments that fit",
            "they forward what they do not answer",
        ],
    };
    let cleared = Expected {
        says: &["18.4 Mbit/s, 958 times as fast as before"],
        ..OK
    };
    check("slac-stanford-2000", &[slow, cleared]);
}

#[test]
fn slac_caltech_a_detour_over_fast_ethernet() {
    let slow = Expected {
        state: VerdictState::Slow,
        findings: &[
            (
                "ROUTE-001",
                "hop 7 (137.164.22.84) and hop 12 (131.215.254.253)",
                Explains::Yes,
                0.9,
            ),
            ("ROUTE-002", "the path", Explains::No, 0.5),
            ("HOST-001", "the receiving host", Explains::No, 0.5),
        ],
        herrings: &["route-change-common", "route-length"],
        says: &[
            "450 Mbit/s to 58 Mbit/s in [2003-08-27 05:25, 06:55] UTC-7 coincides with the route change in [2003-08-27 \
             06:05, 06:20] UTC-7",
            "30 Mbit/s to 430 Mbit/s in [2003-09-18 14:25, 23:25] UTC-7 coincides",
            "430 Mbit/s to 85 Mbit/s in [2003-09-18 23:25, 2003-09-19 00:55] UTC-7 coincides",
            "every fast route crosses 192.41.208.50, no slow one does",
            "as over a link of 100 Mbit/s",
            "the receive window of 132 kB",
            "another record tells of a window of 32 MB: if that is the later one, this limit is gone",
            "with 4096 KiB asked for it is 100 Mbit/s: another limit comes first",
            "the number of hops tells nothing of their capacity",
            "fast routes and slow ones both cross them",
        ],
    };
    check("slac-caltech-2003", &[slow, OK]);
}

#[test]
fn nrao_sarao_an_interface_takes_smaller_packets() {
    let slow = Expected {
        state: VerdictState::Slow,
        findings: &[
            (
                "MTU-002",
                "hop 8 (192.122.175.14) and hop 9 (br01-udc-et-1-0-0-20",
                Explains::Yes,
                0.8,
            ),
            // What outside evidence cannot separate from it stands beside it with the rest of the probability.
            (
                "MTU-001",
                "hop 8 (192.122.175.14) and hop 9 (br01-udc-et-1-0-0-20",
                Explains::Yes,
                0.0,
            ),
        ],
        herrings: &["clean-traceroute", "internal-retries", "mtu-step-announced"],
        says: &[
            "380 kbit/s measured",
            "packets over 1508 bytes vanish",
            "1508 bytes reach br01-udc-et-1-0-0-20.net.virginia.edu, 1509 do not",
            "no \"fragmentation needed\" came back",
            "standing still for seconds with segments of 8950 bytes",
            "path MTU discovery works there",
            "small packets do not show what happens to large ones",
        ],
    };
    let repaired = Expected {
        herrings: &["mtu-step-announced"],
        says: &["2.67 Gbit/s measured"],
        ..OK
    };
    check("nrao-sarao-2021", &[slow, repaired]);
}

#[test]
fn fnal_desy_loss_on_one_segment_and_a_second_fault_behind() {
    let slow = Expected {
        state: VerdictState::Slow,
        findings: &[
            (
                "LOSS-003",
                "GEANT (US) -> GEANT (UK) and GEANT: GEANT (UK) -> GEANT (France)",
                Explains::Yes,
                0.9,
            ),
            ("HOST-002", "the receiving host", Explains::No, 0.9),
        ],
        herrings: &[
            "composition-contradiction",
            "contradictory-counters",
            "lightly-used-link",
            "mpls-tunnel",
            "silent-hop",
        ],
        says: &[
            "on the way to dcache33.desy.de, in each of the 4 tests, 1.1e-5 to at most 4.4e-5",
            "DFN to SWITCH 930 Mbit/s and SWITCH to ESnet 983 Mbit/s, but DFN to ESnet 84 Mbit/s",
            "no contradiction: what limits bytes per round trip costs more over 115 ms than over 11.4 ms",
            "10,247 of 2,787,074",
            "97,812 of 5,076,088",
            "41,304 packets arrived out of order",
            "counted 5,074,727, but behind them 5,076,088",
            "The 1,584 that seem lost before them cannot be",
            "97,812 were lost behind it, not the 96,228 of the record",
            "used to 10 %",
        ],
    };
    let via_austria = Expected {
        state: VerdictState::Inconclusive,
        findings: &[],
        herrings: &["mpls-tunnel"],
        says: &["160 Mbit/s measured, 600 Mbit/s expected"],
    };
    let via_netherlands = Expected {
        herrings: &["mpls-tunnel"],
        ..OK
    };
    check("fnal-desy-2005", &[slow, via_austria, via_netherlands]);
}

#[test]
fn nersc_ornl_a_queue_overflows_and_an_application_pauses() {
    let slow = Expected {
        state: VerdictState::Slow,
        findings: &[
            ("LOSS-004", "the path", Explains::Yes, 0.9),
            ("APP-001", "swift-g0", Explains::No, 0.9),
        ],
        herrings: &["cross-traffic"],
        says: &[
            "the security monitoring link at the NERSC end (100 Mbit/s)",
            "data come in at up to 1 Gbit/s and go on at 100 Mbit/s",
            "socket buffers of 750 kB (the path) plus the queue",
            "a buffer of 500 kB never overflows it, but allows 66.7 Mbit/s at most: 33 % of the peak rate is given up",
            "32 KiB with pauses of 400 µs give 265 Mbit/s",
            "2.3 ms more after each 256 KiB 205 Mbit/s; 184 Mbit/s reached, 11 % off",
            "2.3 ms more after each 1024 KiB 247 Mbit/s; 256 Mbit/s reached, 4 % off",
            "without any other traffic",
        ],
    };
    check("nersc-ornl-2000", &[slow]);
}
