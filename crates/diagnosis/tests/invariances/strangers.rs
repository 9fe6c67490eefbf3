//! Records that have nothing to do with any of the cases: of hosts and devices that none of them names.

use evidence::{
    CounterKind, DelayStatistics, EchoMode, HostFacts, InterfaceCounters, Node, Observation, Payload,
    ProbeRow, Probes, Provenance, RateBps, Timestamp, Transfer, Transport,
};
use std::collections::BTreeMap;

fn stranger(number: u8) -> Node {
    Node {
        name: Some(format!("stranger{number}.elsewhere.test")),
        address: Some([203, 0, 113, 4 * number + 1].into()),
    }
}

/// What each is, and it as an observation of a round.
pub(crate) fn each(round: u32) -> Vec<(&'static str, Observation)> {
    let observed = |number, tool: &str, payload| {
        let at = Timestamp(1_700_000_000_000_000_000);
        Observation::new(Provenance::measured(stranger(number), at, round, tool), payload)
    };
    vec![
        ("a ping between strangers", observed(1, "ping", ping())),
        (
            "a transfer between strangers",
            observed(1, "iperf3 3.12", transfer()),
        ),
        (
            "an unrelated device's counters",
            observed(3, "ip -s link", counters()),
        ),
        ("an unrelated host's settings", observed(4, "sysctl", host())),
    ]
}

/// One answer in four is missing.
fn ping() -> Payload {
    Payload::Probes(Probes {
        from: stranger(1),
        rows: vec![ProbeRow {
            to: stranger(2),
            mode: Some(EchoMode::ToDestination),
            size_bytes: Some(84),
            sent: Some(20),
            received: Some(15),
            delay: Some(DelayStatistics {
                min_ns: Some(31_000_000),
                mean_ns: Some(35_000_000),
                max_ns: Some(90_000_000),
                ..DelayStatistics::default()
            }),
            ..ProbeRow::default()
        }],
        ..Probes::default()
    })
}

/// A slow one.
fn transfer() -> Payload {
    Payload::from(Transfer {
        from: stranger(1),
        to: stranger(2),
        protocol: Some(Transport::Tcp),
        sent_bps: Some(RateBps(3e6)),
        received_bps: Some(RateBps(3e6)),
        duration_ns: Some(10_000_000_000),
        ..Transfer::default()
    })
}

/// With errors.
fn counters() -> Payload {
    Payload::InterfaceCounters(InterfaceCounters {
        device: stranger(3),
        interface: "eth7".to_owned(),
        counters: BTreeMap::from([
            (CounterKind::InputPackets, 1_000_000),
            (CounterKind::InputErrors, 40_000),
            (CounterKind::InputCrc, 40_000),
        ]),
        ..InterfaceCounters::default()
    })
}

/// With buffers that are small.
fn host() -> Payload {
    let small = ("net.ipv4.tcp_rmem".to_owned(), "4096\t16384\t32768".to_owned());
    Payload::HostFacts(HostFacts {
        hostname: stranger(4).name,
        kernel: None,
        sysctls: BTreeMap::from([small]),
        congestion_control: Some("reno".to_owned()),
        available_congestion_controls: Vec::new(),
        interface: None,
        counters: BTreeMap::new(),
        cpu: None,
        ..HostFacts::default()
    })
}
