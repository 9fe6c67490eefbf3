//! Stanford to SLAC, 2000: packets ignored on input at an ATM interface, until it was reset.

use super::build::{argument, at, case, finding, provenance, trace, transfer, verdict};
use evidence::*;

const CAMPUS: &str = "ftp.stanford.edu";
const LAB: &str = "flora01.slac.stanford.edu";

const OUT: [&str; 9] = [
    "router 1.14",
    "router2 1.06",
    "RTR-DMZ.SLAC.Stanford.EDU 1.13",
    "RTR-SUNET47.SLAC.Stanford.EDU 1.72",
    "Core-gateway.Stanford.EDU 1.61",
    "i2-gateway.Stanford.EDU 1.89",
    "Core3-gateway.Stanford.EDU 1.76",
    "Core1-gateway.Stanford.EDU 1.94",
    "ftp.stanford.edu 2.52",
];
const BACK: [&str; 9] = [
    "leland-gateway.Stanford.EDU 1.26",
    "Core2-gateway.Stanford.EDU 0.517",
    "Core3-gateway.Stanford.EDU 0.895",
    "i2-gateway.Stanford.EDU 0.862",
    "Core-gateway.Stanford.EDU 1.19",
    "RTR-SUNET47.SLAC.Stanford.EDU 1.40",
    "RTR-DMZ.SLAC.Stanford.EDU 2.28",
    "*",
    "flora01.slac.stanford.edu 2.49",
];

pub fn stanford() -> (Case, VerdictFile) {
    let mut case = case(CAMPUS, LAB, Some(8e6));
    case.complaint.since = Some("two weeks before 14 June 2000".into());
    let day = at("2000-05-19 17:00:00");
    let record = |at, round, place: &str, payload| Observation::new(provenance(at, round, place), payload);
    let slow = record(day, 1, LAB, ftp(CAMPUS, LAB, "ftp get", 2.4e3 * 8.0).into());
    let put = record(day, 1, LAB, ftp(LAB, CAMPUS, "ftp put", 900e3 * 8.0).into());
    let suspect = record(day, 1, "RTR-DMZ", Payload::InterfaceCounters(atm5()));
    let neighbour = record(day, 1, "ATM-DMZ", Payload::InterfaceCounters(atm1()));
    let mut undated = provenance(at("2001-01-01 00:00:00"), 1, LAB);
    undated.at_is_import_time = true;
    let route = Observation::new(undated.clone(), Payload::Trace(trace(LAB, CAMPUS, &OUT)));
    undated.vantage = Node::named(CAMPUS);
    let back = Observation::new(undated.clone(), Payload::Trace(trace(CAMPUS, LAB, &BACK)));
    let capacities = Observation::new(undated, Payload::LinkCapacities(capacities()));
    let sizes = record(at("2000-05-17 04:41:04"), 1, LAB, Payload::Probes(pings()));
    let after = record(
        at("2000-05-20 00:30:00"),
        2,
        LAB,
        ftp(CAMPUS, LAB, "ftp get", 2.3e6 * 8.0).into(),
    );
    let verdicts = vec![judged(&[&slow, &put, &suspect, &neighbour, &sizes]), fine(&after)];
    for o in [
        slow, put, suspect, neighbour, route, back, capacities, sizes, after,
    ] {
        case.add(o);
    }
    case.journal.push(JournalEntry {
        at: at("2000-05-20 00:20:00"),
        who: "network group".into(),
        network: Some("SLAC".into()),
        what: "clear interface atm 5/0 on RTR-DMZ".into(),
        before_round: Some(2),
    });
    (case, super::super::verdicts::file(verdicts))
}

fn ftp(from: &str, to: &str, application: &str, rate_bps: f64) -> Transfer {
    Transfer {
        application: Some(application.into()),
        ..transfer(from, to, rate_bps)
    }
}

fn atm5() -> InterfaceCounters {
    InterfaceCounters {
        device: Node::named("RTR-DMZ"),
        interface: "ATM5/0".into(),
        up: Some(true),
        mtu_bytes: Some(4470),
        bandwidth_bps: Some(RateBps(156.25e6)),
        counting_for_s: Some(9 * 86_400),
        counters: [
            (CounterKind::InputPackets, 37_439_574),
            (CounterKind::InputIgnored, 2_300_788),
            (CounterKind::InputQueueDrops, 572),
            (CounterKind::InputCrc, 0),
            (CounterKind::OutputPackets, 70_905_621),
        ]
        .into(),
        load: Some(InterfaceLoad {
            over_s: Some(300),
            input_bps: Some(RateBps(233e3)),
            input_pps: Some(60.0),
            output_bps: Some(RateBps(73e3)),
            output_pps: Some(64.0),
        }),
        ..InterfaceCounters::default()
    }
}

fn atm1() -> InterfaceCounters {
    InterfaceCounters {
        device: Node::named("ATM-DMZ"),
        interface: "ATM1/0/0".into(),
        description: Some("--> RTR-DMZ".into()),
        up: Some(true),
        mtu_bytes: Some(4470),
        bandwidth_bps: Some(RateBps(155.52e6)),
        counting_for_s: Some(71 * 86_400),
        counters: [
            (CounterKind::InputPackets, 4_013_949_168),
            (CounterKind::InputErrors, 7),
            (CounterKind::InputCrc, 7),
            (CounterKind::InputIgnored, 0),
            (CounterKind::OutputPackets, 3_622_564_490),
        ]
        .into(),
        ..InterfaceCounters::default()
    }
}

fn capacities() -> LinkCapacities {
    let links = [
        (29.0, 816),
        (51.0, 1420),
        (115.0, 1640),
        (52.0, 2030),
        (1238.0, 2070),
    ];
    let link = |(ttl, (mbps, us)): (u8, (f64, u64))| LinkCapacity {
        ttl,
        capacity_bps: Some(RateBps(mbps * 1e6)),
        rtt_ns: Some(us * 1_000),
        ..LinkCapacity::default()
    };
    LinkCapacities {
        from: Node::named(LAB),
        to: Node::named(CAMPUS),
        links: (1_u8..).zip(links).map(link).collect(),
    }
}

/// Pings of 100 and 1473 bytes of payload to each hop.
fn pings() -> Probes {
    let lost = [
        (0, 0),
        (0, 4),
        (0, 4),
        (0, 4),
        (0, 4),
        (0, 0),
        (4, 4),
        (4, 4),
        (0, 4),
    ];
    let row = |ttl: u8, name: &str, payload: u32, lost: u64| ProbeRow {
        ttl: Some(ttl),
        to: Node::named(name.split(' ').next().unwrap_or_default()),
        size_bytes: Some(payload + 28),
        sent: Some(4),
        received: Some(4 - lost),
        delay: (lost < 4).then_some(DelayStatistics {
            min_ns: Some(1_000_000),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    };
    let hops = (1_u8..).zip(OUT).zip(lost);
    Probes {
        from: Node::named(LAB),
        destination: Some(Node::named(CAMPUS)),
        rows: hops
            .flat_map(|((ttl, name), (small, large))| {
                [row(ttl, name, 100, small), row(ttl, name, 1473, large)]
            })
            .collect(),
        ..Probes::default()
    }
}

fn judged(seen: &[&Observation]) -> Verdict {
    let interface = Location::Interface {
        device: "RTR-DMZ".into(),
        interface: "ATM5/0".into(),
        hop: None,
    };
    let claim =
        "RTR-DMZ drops packets on input at ATM5/0 for want of buffers: 2,300,788 of 39,740,362 received";
    Verdict {
        measured_bps: Some(RateBps(19_200.0)),
        expected_bps: Some(RateBps(8e6)),
        findings: vec![Finding {
            supports: vec![
                argument(
                    "2,300,788 packets \"ignored\" against 37,439,574 taken in, within nine days",
                    seen.get(2..3).unwrap_or_default(),
                ),
                argument(
                    "19.2 kbit/s towards SLAC, 7.2 Mbit/s from it: only one direction suffers",
                    seen.get(0..2).unwrap_or_default(),
                ),
                argument(
                    "the switch at the other end of the link counts no such errors",
                    seen.get(3..4).unwrap_or_default(),
                ),
            ],
            remedy: "clear the interface; if the counter goes on rising, exchange the interface card".into(),
            ask_whom: "the operators of RTR-DMZ".into(),
            after_fix_bps: Some(RateRange {
                low: RateBps(8e6),
                best: RateBps(20e6),
                high: RateBps(90e6),
            }),
            ..finding("LOSS-002", claim, interface)
        }],
        red_herrings: vec![RedHerring {
            code: "ignores-large-pings".into(),
            seen: "pings of 1501 bytes get no answer from hops 2 to 5".into(),
            why_not: "hop 6 behind them answers: these routers do not answer fragments, they forward them"
                .into(),
            location: Location::Path,
            cites: seen
                .get(4..5)
                .unwrap_or_default()
                .iter()
                .map(|o| o.id.clone())
                .collect(),
        }],
        ..verdict(1, VerdictState::Slow, claim)
    }
}

fn fine(seen: &Observation) -> Verdict {
    Verdict {
        measured_bps: Some(RateBps(18.4e6)),
        expected_bps: Some(RateBps(8e6)),
        findings: vec![Finding {
            supports: vec![argument("18.4 Mbit/s measured", &[seen])],
            ..finding("OK-001", "the transfer is as fast as expected", Location::Path)
        }],
        ..verdict(2, VerdictState::Ok, "The transfer is as fast as expected.")
    }
}
