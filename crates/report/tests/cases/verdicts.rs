//! The verdicts of the synthetic cases, written by hand.

use super::HOPS;
use evidence::*;

pub fn file(rounds: Vec<Verdict>) -> VerdictFile {
    VerdictFile {
        schema: VERDICT_SCHEMA_VERSION,
        rules: "1".into(),
        rounds,
    }
}

fn hop(ttl: u8) -> HopRef {
    let (address, name) = HOPS[usize::from(ttl) - 1];
    HopRef {
        ttl,
        address: (ttl != 2).then(|| address.parse().expect("an address")),
        name: (ttl != 2 && !name.is_empty()).then(|| name.to_owned()),
    }
}

fn cite(seen: &[Observation], indices: &[usize]) -> Vec<ObservationId> {
    indices
        .iter()
        .filter_map(|i| seen.get(*i))
        .map(|o| o.id.clone())
        .collect()
}

fn around(best: f64, spread: f64) -> RateRange {
    RateRange {
        low: RateBps(best / spread),
        best: RateBps(best),
        high: RateBps(best * spread),
    }
}

pub fn black_hole(round: u32, seen: &[Observation]) -> Verdict {
    let link = Location::Link {
        before: hop(8),
        after: hop(9),
    };
    let argue = |text: &str, weight, indices: &[usize]| Argument {
        text: text.into(),
        weight,
        cites: cite(seen, indices),
    };
    let finding = Finding {
        code: "MTU-002".into(),
        claim: "packets over 1508 bytes vanish between hop 8 (192.122.175.14) and hop 9 (br01-udc-et-1-0-0-20.net.virginia.edu)".into(),
        location: link,
        direction: Direction::Forward,
        confidence: 0.97,
        explains: Explains::Yes,
        allows_bps: Some(around(19e6, 1.6)),
        after_fix_bps: Some(around(2.6e9, 1.08)),
        supports: vec![
            argue("9000 and 1509 bytes reach hop 8, not hop 9; 1508 bytes reach hop 9 and every hop behind it", 2.4, &[3]),
            argue("no \"fragmentation needed\" came back in 38 tries", 1.1, &[3]),
            argue("the transfer stood still for 4 s, then ran with segments of 1448 bytes on a path whose hosts both have MTU 9000", 0.9, &[0, 1, 5]),
        ],
        contradicts: Vec::new(),
        remedy: "make both ends of that link agree on the MTU; until then let ICMP type 3 code 4 through, or set net.ipv4.tcp_mtu_probing=1 on the sender".into(),
        ask_whom: "the operators of 192.122.175.14 and of br01-udc-et-1-0-0-20.net.virginia.edu (192.35.48.33)".into(),
        cannot_tell_from: Some("a filter on hop 9 that drops packets by size (MTU-001 with a firewall): the interface counters of hop 9 (giants, input errors) would tell".into()),
    };
    Verdict {
        round,
        state: VerdictState::Slow,
        summary: "Packets over 1508 bytes vanish between hop 8 (192.122.175.14) and hop 9 (br01-udc-et-1-0-0-20.net.virginia.edu), so TCP stalls until it falls back to small segments.".into(),
        measured_bps: Some(RateBps(17.42e6)),
        expected_bps: Some(RateBps(2e9)),
        findings: vec![finding],
        red_herrings: herrings(seen, 2, 4),
        excluded: vec![
            Excluded { code: "LOSS-001".into(), why: "0 of 12,000 packets of 1400 bytes lost on the path (3 dropped by the receiver's own socket)".into(), cites: cite(seen, &[7]) },
            Excluded { code: "HOST-001".into(), why: "the receiver's window limited the transfer for 0 of 10 s".into(), cites: cite(seen, &[5]) },
        ],
        not_tested: vec![NotTested { what: "the reverse direction".into(), why: "the far end may not open raw sockets (Operation not permitted)".into() }],
        next: None,
    }
}

fn herrings(seen: &[Observation], route: usize, echo: usize) -> Vec<RedHerring> {
    vec![
        RedHerring {
            code: "silent-hop".into(),
            seen: "hop 2 never answers".into(),
            why_not: "the hops behind it answer every probe".into(),
            location: Location::Hop { hop: hop(2) },
            cites: cite(seen, &[route, echo]),
        },
        RedHerring {
            code: "slow-answering-hop".into(),
            seen: "hop 7 answers after 18 ms".into(),
            why_not: "hop 8 behind it answers after 8 ms: the router is slow to answer, not to forward"
                .into(),
            location: Location::Hop { hop: hop(7) },
            cites: cite(seen, &[route]),
        },
    ]
}

pub fn fast(round: u32, seen: &[Observation]) -> Verdict {
    Verdict {
        round,
        state: VerdictState::Ok,
        summary: "The transfer is as fast as expected; no fault was found.".into(),
        // As the rule for a healthy path gives it: no fault, but what limits.
        measured_bps: Some(RateBps(2.67e9)),
        expected_bps: Some(RateBps(2e9)),
        findings: vec![Finding {
            code: "OK-001".into(),
            claim: "the transfer reaches 2.67 Gbit/s, more than the 2 Gbit/s expected".into(),
            location: Location::Path,
            direction: Direction::Forward,
            confidence: 0.96,
            explains: Explains::Yes,
            allows_bps: Some(around(2.67e9, 1.05)),
            after_fix_bps: None,
            supports: vec![Argument {
                text: "2.67 Gbit/s measured, 2 Gbit/s expected".into(),
                weight: 3.2,
                cites: cite(seen, &[5]),
            }],
            contradicts: Vec::new(),
            remedy: "None on the path. Look at the program, its disks and its socket buffers".into(),
            ask_whom: "the author of the complaint: which program, at what time?".into(),
            cannot_tell_from: None,
        }],
        red_herrings: herrings(seen, 2, 4),
        excluded: vec![Excluded {
            code: "MTU-002".into(),
            why: "9000 bytes reach hop 11, which then says 1500".into(),
            cites: cite(seen, &[3]),
        }],
        not_tested: Vec::new(),
        next: None,
    }
}

pub fn single_ended(round: u32, seen: &[Observation]) -> Verdict {
    Verdict {
        round,
        state: VerdictState::Inconclusive,
        summary: "Nothing on the path explains a slow transfer, but no transfer could be measured.".into(),
        measured_bps: None,
        expected_bps: None,
        findings: vec![Finding {
            code: "LOSS-001".into(),
            claim: "packets may be lost behind hop 11".into(),
            location: Location::Path,
            direction: Direction::Both,
            confidence: 0.22,
            explains: Explains::Unknown,
            allows_bps: None,
            after_fix_bps: None,
            supports: vec![Argument {
                text: "1 of 20 probes to hop 7 unanswered at 9000 bytes".into(),
                weight: 0.3,
                cites: cite(seen, &[2]),
            }],
            contradicts: vec![Argument {
                text: "20 of 20 probes answered by the destination".into(),
                weight: -0.8,
                cites: cite(seen, &[3]),
            }],
            remedy: String::new(),
            ask_whom: String::new(),
            cannot_tell_from: None,
        }],
        red_herrings: herrings(seen, 1, 3),
        excluded: vec![Excluded {
            code: "MTU-002".into(),
            why: "9000 bytes reach hop 11".into(),
            cites: cite(seen, &[2]),
        }],
        not_tested: vec![
            NotTested {
                what: "the rate of a transfer".into(),
                why: "no far end of slowpath answers at perfsonar-10.cv.nrao.edu".into(),
            },
            NotTested {
                what: "the reverse direction".into(),
                why: "it needs a far end".into(),
            },
        ],
        next: Some(NextAsk {
            text: "run `slowpath serve` on perfsonar-10.cv.nrao.edu and give its token with --token-file"
                .into(),
            ask: None,
        }),
    }
}

/// Puts `text` wherever a verdict repeats what a stranger named.
pub fn poison(verdict: &mut Verdict, text: &str) {
    verdict.summary = text.into();
    for finding in &mut verdict.findings {
        finding.code = text.into();
        finding.claim = text.into();
        finding.remedy = text.into();
        finding.ask_whom = text.into();
        finding.cannot_tell_from = Some(text.into());
        if let Location::Link { before, after } = &mut finding.location {
            before.name = Some(text.into());
            after.name = Some(text.into());
        }
        finding.supports.iter_mut().for_each(|a| a.text = text.into());
        finding
            .supports
            .iter_mut()
            .for_each(|a| a.cites.push(ObservationId(text.into())));
    }
    for herring in &mut verdict.red_herrings {
        herring.code = text.into();
        herring.seen = text.into();
        herring.why_not = text.into();
    }
    verdict.excluded.iter_mut().for_each(|x| x.why = text.into());
    verdict.not_tested.push(NotTested {
        what: text.into(),
        why: text.into(),
    });
    verdict.next = Some(NextAsk {
        text: text.into(),
        ask: None,
    });
}
