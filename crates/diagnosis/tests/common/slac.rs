//! Stanford to SLAC, 2000: the records of the incident as importers give them, before and after the interface was cleared.

use super::records::*;
use evidence::v1::{
    Case, CounterKind, InterfaceCounters, InterfaceLoad, LinkCapacities, LinkCapacity, Node, OneWay, Payload,
    PingError, PingRow, Pings, Quantity, RateBps, RttStatistics, Statement, ThroughputRecord, Vantage,
};
use std::collections::BTreeMap;

pub const SERVER: &str = "Lindy.Stanford.EDU";
pub const CLIENT: &str = "flora01.slac.stanford.edu";

pub const TO_STANFORD: &str = "
    1 router 0.626
    2 router 0.907
    3 RTR-DMZ.SLAC.Stanford.EDU 1.090
    4 RTR-SUNET47.SLAC.Stanford.EDU 1.211
    5 Core-gateway.Stanford.EDU 1.404
    6 i2-gateway.Stanford.EDU 1.253
    7 Core4-gateway.Stanford.EDU 1.337
    8 Core1-gateway.Stanford.EDU 2.255
    9 Lindy.Stanford.EDU 2.398";

pub const TO_SLAC: &str = "
    1 leland-gateway.Stanford.EDU 1.26
    2 Core2-gateway.Stanford.EDU 0.517
    3 Core3-gateway.Stanford.EDU 0.895
    4 i2-gateway.Stanford.EDU 0.862
    5 Core-gateway.Stanford.EDU 1.19
    6 sunet47-gateway.Stanford.EDU 1.40
    7 RTR-DMZ.SLAC.Stanford.EDU 2.28";

pub fn counters(
    device: &str,
    interface: &str,
    counting_for_s: u64,
    counts: &[(CounterKind, u64)],
) -> InterfaceCounters {
    InterfaceCounters {
        device: node(device),
        interface: interface.into(),
        counting_for_s: Some(counting_for_s),
        counters: BTreeMap::from_iter(counts.iter().copied()),
        ..InterfaceCounters::default()
    }
}

pub fn atm_5_0() -> InterfaceCounters {
    InterfaceCounters {
        bandwidth_bps: Some(RateBps(156.25e6)),
        load: Some(InterfaceLoad {
            over_s: Some(300),
            input_bps: Some(RateBps(233e3)),
            input_pps: Some(60.0),
            output_bps: Some(RateBps(73e3)),
            output_pps: Some(64.0),
        }),
        ..counters(
            "RTR-DMZ",
            "ATM5/0",
            9 * 86_400,
            &[
                (CounterKind::InputPackets, 37_439_574),
                (CounterKind::InputErrors, 0),
                (CounterKind::InputCrc, 0),
                (CounterKind::InputFraming, 0),
                (CounterKind::InputOverrun, 0),
                (CounterKind::InputNoBuffer, 0),
                (CounterKind::InputIgnored, 2_300_788),
                (CounterKind::InputQueueDrops, 572),
                (CounterKind::OutputPackets, 70_905_621),
            ],
        )
    }
}

pub fn neighbour() -> InterfaceCounters {
    InterfaceCounters {
        description: Some("--> RTR-DMZ".into()),
        bandwidth_bps: Some(RateBps(155.52e6)),
        ..counters(
            "ATM-DMZ",
            "ATM1/0/0",
            71 * 86_400,
            &[
                (CounterKind::InputPackets, 4_013_949_168),
                (CounterKind::InputErrors, 7),
                (CounterKind::InputCrc, 7),
                (CounterKind::InputFraming, 0),
                (CounterKind::InputOverrun, 0),
                (CounterKind::InputNoBuffer, 0),
                (CounterKind::InputIgnored, 0),
                (CounterKind::InputQueueDrops, 0),
            ],
        )
    }
}

pub fn ftp(what: &str, from: &str, to: &str, rate: f64) -> Payload {
    Payload::Throughput(ThroughputRecord {
        protocol: None,
        application: Some(what.into()),
        ..transfer(from, to, rate, None, None)
    })
}

pub fn under_load(from: Node, to: Node) -> Payload {
    Payload::Statement(Statement {
        quantity: Quantity::LossRatio,
        from,
        to,
        subject: None,
        value: 0.15,
        range: Some((0.05, 0.25)),
        text: "compared the ignored with packets input while doing the FTP GETs: error rates of 5 to 25%"
            .into(),
    })
}

/// pingroute: 4 pings of 100 and of 1473 bytes of payload to each hop.
pub fn pingroute(from: &str, destination: &str, rows: &[(&str, f64, f64)]) -> Payload {
    let row = |to: &str, size, loss: f64| PingRow {
        to: node(to),
        size_bytes: Some(size),
        sent: Some(4),
        loss_ratio: Some(loss),
        ..PingRow::default()
    };
    let rows = rows
        .iter()
        .flat_map(|(to, small, large)| [row(to, 128, *small), row(to, 1501, *large)]);
    Payload::Pings(Pings {
        from: node(from),
        destination: Some(node(destination)),
        rows: rows.collect(),
    })
}

pub fn pathchar() -> Payload {
    let links = [29.0, 51.0, 115.0, 52.0, 1238.0, 92.0, 46.0, 48.0];
    let link = |(index, mbps): (usize, &f64)| LinkCapacity {
        ttl: index as u8 + 1,
        capacity_bps: Some(RateBps(mbps * 1e6)),
        ..LinkCapacity::default()
    };
    Payload::LinkCapacities(LinkCapacities {
        from: node("flora01"),
        to: node(SERVER),
        links: links.iter().enumerate().map(link).collect(),
    })
}

pub fn one_way(sent: u64, lost: u64) -> Payload {
    Payload::OneWay(OneWay {
        sent: Some(sent),
        lost: Some(lost),
        ..OneWay::default()
    })
}

pub fn pinger() -> Payload {
    let days = [
        0.10, 0.52, 0.49, 0.52, 1.46, 0.42, 0.10, 0.62, 1.17, 0.31, 1.04, 0.94, 0.10, 0.21, 0.42,
    ];
    let row = |percent: &f64| PingRow {
        to: node("argus.stanford"),
        loss_ratio: Some(percent / 100.0),
        ..PingRow::default()
    };
    pings("oceanus.slac", days.iter().map(row).collect())
}

pub fn probes(case: &mut Case) {
    let far = |place: &str| Vantage::Elsewhere { place: place.into() };
    record(
        case,
        1,
        "traceroute",
        Payload::Trace(trace("flora01", SERVER, 40, None, TO_STANFORD)),
    );
    let back = Payload::Trace(trace("elaine41", "", 38, None, TO_SLAC));
    record_at(case, 1, "traceroute", far("elaine41"), back);
    record(
        case,
        1,
        "ping",
        pings("flora01", vec![ping(SERVER, 1501, Some(true), 5, 0)]),
    );
    record(
        case,
        1,
        "ping",
        pings("flora01", vec![ping(SERVER, 1500, Some(true), 2, 2)]),
    );
    // The router's own pings may be fragmented.
    record(
        case,
        1,
        "ping",
        pings("RTR-DMZ", vec![ping(SERVER, 1700, Some(false), 100, 1)]),
    );
    record(
        case,
        1,
        "ping",
        pings("RTR-DMZ", vec![ping(SERVER, 1500, Some(false), 1000, 998)]),
    );
    let mut back = ping(CLIENT, 1501, Some(true), 1000, 1);
    back.errors = vec![PingError {
        from: Some(node(CLIENT)),
        text: "Frag reassembly time exceeded".into(),
        mtu_bytes: None,
        count: 34,
    }];
    record(
        case,
        1,
        "ping",
        pings("elaine41", vec![back, ping(CLIENT, 1500, Some(true), 10, 10)]),
    );
    let towards_stanford = [
        ("router", 0.0, 0.0),
        ("router", 0.0, 1.0),
        ("RTR-DMZ.SLAC.STANFORD.EDU", 0.0, 1.0),
        ("RTR-SUNET47.SLAC.STANFORD.EDU", 0.0, 1.0),
        ("CORE-GATEWAY.STANFORD.EDU", 0.0, 1.0),
        ("I2-GATEWAY.STANFORD.EDU", 0.0, 0.0),
        ("CORE4-GATEWAY.STANFORD.EDU", 1.0, 1.0),
        ("CORE1-GATEWAY.STANFORD.EDU", 1.0, 1.0),
        ("LINDY.STANFORD.EDU", 0.0, 1.0),
    ];
    record(
        case,
        1,
        "pingroute",
        pingroute("flora01", SERVER, &towards_stanford),
    );
    let mut coarse = ping(SERVER, 128, None, 4, 4);
    coarse.rtt = Some(RttStatistics {
        min_ns: Some(1_000_000),
        ..RttStatistics::default()
    });
    record(case, 1, "ping", pings("flora01", vec![coarse]));
    record(case, 1, "pathchar", pathchar());
    record(case, 1, "sting", one_way(100, 0));
    record(case, 1, "pinger", pinger());
}

pub fn before(case: &mut Case) {
    probes(case);
    record(case, 1, "show interface", Payload::InterfaceCounters(atm_5_0()));
    record(case, 1, "show interface", Payload::InterfaceCounters(neighbour()));
    record(case, 1, "statement", under_load(node(SERVER), node("flora01")));
    record(case, 1, "csv", ftp("ftp get", SERVER, "flora01", 2.4e3 * 8.0));
    record(case, 1, "csv", ftp("ftp put", "flora01", SERVER, 900e3 * 8.0));
}

/// The counter stands still at its old total; the transfer runs.
pub fn after(case: &mut Case) {
    record(case, 2, "show interface", Payload::InterfaceCounters(atm_5_0()));
    record(
        case,
        2,
        "ping",
        pings("flora01", vec![ping(SERVER, 1501, Some(true), 5, 5)]),
    );
    record(
        case,
        2,
        "traceroute",
        Payload::Trace(trace("flora01", SERVER, 40, None, TO_STANFORD)),
    );
    record(case, 2, "csv", ftp("ftp get", SERVER, "flora01", 2.3e6 * 8.0));
}

pub fn incident(expected: Option<f64>) -> Case {
    let mut case = complaint(SERVER, CLIENT, expected);
    before(&mut case);
    after(&mut case);
    case
}
