//! The observations of the synthetic cases.

use super::{HOPS, RTT_US, complaint};
use evidence::*;
use std::collections::BTreeMap;
use std::net::IpAddr;

const MS: i64 = 1_000_000;

fn observation(round: u32, at: Timestamp, vantage: End, payload: Payload) -> Observation {
    let vantage = complaint().node(vantage);
    let provenance = Provenance::measured(vantage, at, round, "slowpath 0.1.0");
    Observation::new(provenance, payload)
}

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn at(address: IpAddr) -> Node {
    Node {
        name: None,
        address: Some(address),
    }
}

fn source() -> Node {
    complaint().node(End::From)
}

fn destination() -> Node {
    complaint().node(End::To)
}

/// In this order: hosts, route, packet sizes, idle echo, TCP, echo under load, UDP, what could not be measured.
pub fn slow_round(round: u32, at: Timestamp) -> Vec<Observation> {
    let on = |ms, vantage, payload| observation(round, at.plus_ns(ms * MS), vantage, payload);
    vec![
        on(0, End::From, host("bnlpt1", 1)),
        on(40, End::To, host("perfsonar-10", 0)),
        on(60, End::From, Payload::Trace(route())),
        on(1_200, End::From, Payload::Probes(sizes(Some(1508)))),
        on(3_900, End::From, Payload::Probes(echo(EchoContext::Idle))),
        on(5_200, End::From, tcp(&SLOW).into()),
        on(5_210, End::From, Payload::Probes(echo(EchoContext::UnderLoad))),
        on(15_600, End::From, udp().into()),
        on(
            17_700,
            End::To,
            Payload::NotMeasured(gap(
                NotMeasuredReason::Privilege,
                "Operation not permitted (os error 1)",
            )),
        ),
    ]
}

pub fn fast_round(round: u32, at: Timestamp) -> Vec<Observation> {
    let on = |ms, vantage, payload| observation(round, at.plus_ns(ms * MS), vantage, payload);
    vec![
        on(0, End::From, host("bnlpt1", 1)),
        on(40, End::To, host("perfsonar-10", 0)),
        on(60, End::From, Payload::Trace(route())),
        on(1_200, End::From, Payload::Probes(sizes(None))),
        on(3_900, End::From, Payload::Probes(echo(EchoContext::Idle))),
        on(5_200, End::From, tcp(&FAST).into()),
    ]
}

pub fn single_ended_round(round: u32, at: Timestamp) -> Vec<Observation> {
    let on = |ms, payload| observation(round, at.plus_ns(ms * MS), End::From, payload);
    vec![
        on(0, host("bnlpt1", 1)),
        on(60, Payload::Trace(route())),
        on(1_200, Payload::Probes(sizes(None))),
        on(3_900, Payload::Probes(echo(EchoContext::Idle))),
        on(
            5_200,
            Payload::NotMeasured(gap(
                NotMeasuredReason::NoFarEnd,
                "Connection refused (os error 111)",
            )),
        ),
    ]
}

fn route() -> Trace {
    Trace {
        from: source(),
        to: destination(),
        protocol: Some(ProbeProtocol::Udp),
        flows: vec![flow(33_434, None), flow(33_435, Some((3, "134.55.200.109")))],
        reached: Some(true),
        packets_sent: Some(72),
        elapsed_ns: Some(1_030_000_000),
        ..Trace::default()
    }
}

fn router(text: &str) -> Node {
    let named = HOPS
        .iter()
        .find(|(address, name)| *address == text && !name.is_empty());
    Node {
        name: named.map(|(_, name)| (*name).to_owned()),
        address: Some(address(text)),
    }
}

/// One flow; `other` replaces a hop's router, as load balancing does.
fn flow(port: u16, other: Option<(u8, &str)>) -> TraceFlow {
    let hops = HOPS
        .iter()
        .zip(RTT_US)
        .zip(1_u8..)
        .map(|(((from, _), rtt), ttl)| {
            let from = other.filter(|(at, _)| *at == ttl).map_or(*from, |(_, from)| from);
            let answer = |jitter: u64| TraceAnswer {
                node: router(from),
                rtt_ns: Some((rtt + jitter) * 1_000),
                reply_ttl: Some(255 - ttl),
                kind: Some(if ttl == 12 {
                    ReplyKind::PortUnreachable
                } else {
                    ReplyKind::TimeExceeded
                }),
                mpls: if (5..8).contains(&ttl) {
                    vec![MplsLabel {
                        label: 24_000 + u32::from(ttl),
                        traffic_class: 0,
                        bottom: true,
                        ttl: Some(1),
                    }]
                } else {
                    Vec::new()
                },
                ..TraceAnswer::default()
            };
            let answers = if ttl == 2 {
                Vec::new()
            } else {
                vec![answer(0), answer(11), answer(23)]
            };
            TraceHop {
                ttl,
                unanswered: 3 - answers.len() as u16,
                answers,
            }
        });
    TraceFlow {
        source_port: Some(port),
        destination_port: Some(33_434),
        hops: hops.collect(),
        reached_ttl: Some(12),
    }
}

/// Sizes as the search tries them. `threshold` is what passes hop 8; without one, hop 11 says 1500 from 1501 bytes on.
fn sizes(threshold: Option<u32>) -> Probes {
    let ladder = [576, 1280, 1500, 1508, 1509, 1516, 2048, 4096, 9000];
    let mut rows = Vec::new();
    for dont_fragment in [true, false] {
        for ttl in 1..=12_u8 {
            for size in ladder {
                let searched = ttl >= 8 || [576, 1500, 9000].contains(&size);
                if searched && (dont_fragment || [1500, 1508, 1509, 9000].contains(&size)) {
                    rows.push(row(dont_fragment, ttl, size, threshold));
                }
            }
        }
    }
    Probes {
        from: source(),
        destination: Some(destination()),
        protocol: Some(ProbeProtocol::Udp),
        interface_mtu_bytes: Some(9000),
        destination_ttl: Some(12),
        rows,
        packets_sent: Some(214),
        elapsed_ns: Some(2_640_000_000),
        ..Probes::default()
    }
}

fn row(dont_fragment: bool, ttl: u8, size_bytes: u32, threshold: Option<u32>) -> ProbeRow {
    let swallowed = threshold.is_some_and(|limit| ttl > 8 && size_bytes > limit);
    let told = !swallowed && dont_fragment && ttl > 11 && size_bytes > 1500;
    let sent = if swallowed { 4 } else { 2 };
    let answered = match ttl {
        2 => 0,
        _ if swallowed || told => 0,
        7 if size_bytes == 9000 => 1,
        _ => sent,
    };
    let who = HOPS.get(usize::from(ttl) - 1).filter(|_| answered > 0);
    let who = who.map(|(text, _)| at(address(text)));
    let too_big = ProbeError {
        from: Some(at(address(HOPS[10].0))),
        text: ProbeError::FRAGMENTATION_NEEDED.into(),
        mtu_bytes: Some(1500),
        count: 1,
    };
    ProbeRow {
        mode: Some(EchoMode::Expiring),
        ttl: Some(ttl),
        to: who.clone().unwrap_or_default(),
        answered_by: who.into_iter().collect(),
        size_bytes: Some(size_bytes),
        dont_fragment: Some(dont_fragment),
        sent: Some(sent),
        received: Some(answered),
        errors: told.then_some(too_big).into_iter().collect(),
        ..ProbeRow::default()
    }
}

fn echo(context: EchoContext) -> Probes {
    let queue_us = if context == EchoContext::UnderLoad {
        3_400
    } else {
        0
    };
    let rows = RTT_US.iter().zip(1_u8..).map(|(rtt, ttl)| {
        let base = (*rtt as i64 + if ttl >= 6 { queue_us } else { 0 }) * 1_000;
        let mut samples: Vec<i64> = (0..20).map(|i| base + i * i * 2_000).collect();
        let silent = ttl == 2;
        let who = (!silent).then(|| at(address(HOPS[usize::from(ttl) - 1].0)));
        ProbeRow {
            mode: Some(if ttl == 12 {
                EchoMode::ToDestination
            } else {
                EchoMode::Expiring
            }),
            ttl: Some(ttl),
            answered_by: who.clone().filter(|_| ttl < 12).into_iter().collect(),
            to: who.unwrap_or_default(),
            size_bytes: Some(64),
            sent: Some(20),
            received: Some(if silent { 0 } else { 20 }),
            delay: (!silent).then(|| DelayStatistics::of(&mut samples)).flatten(),
            rate_pps: Some(20.0),
            ..ProbeRow::default()
        }
    });
    Probes {
        from: source(),
        destination: Some(destination()),
        context: Some(context),
        rows: rows.collect(),
        own_socket_drops: Some(0),
        elapsed_ns: Some(1_100_000_000),
        ..Probes::default()
    }
}

/// Rate in Mbit/s, retransmits and congestion window in kB, second by second.
type Seconds = [(f64, u64, u64); 10];

/// As measured in the incident: jumbo segments lost until the sender falls back to 1500 bytes.
const SLOW: Seconds = [
    (2.54, 2, 9),
    (0.0, 1, 9),
    (0.0, 0, 9),
    (0.0, 31, 3),
    (0.0, 67, 5),
    (4.45, 2, 17),
    (8.26, 0, 34),
    (23.28, 0, 94),
    (51.75, 0, 218),
    (83.88, 0, 392),
];

const FAST: Seconds = [
    (1_420.0, 0, 2_900),
    (2_650.0, 0, 4_100),
    (2_690.0, 0, 4_200),
    (2_700.0, 3, 4_150),
    (2_660.0, 0, 4_180),
    (2_680.0, 0, 4_200),
    (2_700.0, 0, 4_230),
    (2_690.0, 0, 4_240),
    (2_680.0, 0, 4_240),
    (2_700.0, 0, 4_250),
];

fn tcp(seconds: &Seconds) -> Transfer {
    let mut intervals = Vec::new();
    for (second, (mbps, retransmits, cwnd_kb)) in (0_u64..).zip(seconds) {
        for tenth in 0..10_u64 {
            let wobble = 1.0 + 0.06 * (f64::from((tenth * 7 % 10) as u32) - 4.5) / 4.5;
            let bytes = (mbps * 1e6 / 80.0 * wobble) as u64;
            intervals.push(TransferInterval {
                start_ns: (second * 10 + tenth) * 100_000_000,
                length_ns: 100_000_000,
                bytes_acked: Some(bytes),
                bytes_received: Some(bytes),
                retransmits: Some(if tenth == 3 { *retransmits } else { 0 }),
                cwnd_bytes: Some(cwnd_kb * 1_000 + tenth * 40 * cwnd_kb / 10),
                rtt_ns: Some((10_050 + tenth * 40 + (*mbps as u64)) * 1_000),
                delivery_rate_bps: (bytes > 0).then_some(RateBps(mbps * 1e6)),
                ..TransferInterval::default()
            });
        }
    }
    let total: u64 = intervals.iter().filter_map(|i| i.bytes_acked).sum();
    let account = TcpAccount {
        retransmitted_segments: Some(103),
        busy_us: Some(9_990_000),
        receive_window_limited_us: Some(0),
        send_mss_bytes: Some(1_448),
        path_mtu_bytes: Some(1_500),
        min_rtt_us: Some(10_020),
        sack: Some(true),
        window_scale: Some((10, 10)),
        ..TcpAccount::default()
    };
    Transfer {
        from: source(),
        to: destination(),
        protocol: Some(Transport::Tcp),
        streams: Some(1),
        congestion_control: Some("cubic".into()),
        bytes_received: Some(total),
        duration_ns: Some(10_000_000_000),
        received_bps: RateBps::of_bytes(total, 10_000_000_000),
        steady_bps: Some(RateBps(seconds[7].0 * 1e6)),
        intervals,
        sender: Some(TransferSide {
            accounts: vec![account],
            cpu: Some(0.08),
        }),
        receiver: Some(TransferSide {
            accounts: vec![TcpAccount::default()],
            cpu: None,
        }),
        stop: Some(StopReason::MaxTime),
        ports: vec![(40_112, 5_201)],
        ..Transfer::default()
    }
}

fn udp() -> Transfer {
    let side = |cpu| TransferSide {
        accounts: Vec::new(),
        cpu: Some(cpu),
    };
    Transfer {
        from: source(),
        to: destination(),
        protocol: Some(Transport::Udp),
        packet_size_bytes: Some(1_400),
        target_bps: Some(RateBps(67.2e6)),
        packets_sent: Some(12_000),
        packets_received: Some(11_997),
        duplicates: Some(0),
        reordered: Some(2),
        sent_bps: Some(RateBps(67.2e6)),
        received_bps: Some(RateBps(67.18e6)),
        host_drops: Some(HostDrops {
            receiver_socket: Some(3),
            ..HostDrops::default()
        }),
        loss_runs: vec![(4_410, 3)],
        one_way_delay: Some(OneWayDelay {
            same_clock: false,
            min_ns: -1_200_000,
            above_min: DelayStatistics {
                min_ns: Some(0),
                p50_ns: Some(11_000),
                p90_ns: Some(31_000),
                p99_ns: Some(84_000),
                max_ns: Some(410_000),
                ..DelayStatistics::default()
            },
            samples: (0..200)
                .map(|i| DelaySample {
                    sequence: i * 60,
                    delay_ns: -1_200_000 + (i as i64 % 30) * 1_000,
                })
                .collect(),
        }),
        duration_ns: Some(2_000_000_000),
        stop: Some(StopReason::MaxTime),
        sender: Some(side(0.11)),
        receiver: Some(side(0.09)),
        ..Transfer::default()
    }
}

fn host(name: &str, errors: u64) -> Payload {
    let sysctls = [
        ("net.ipv4.tcp_rmem", "4096\t131072\t67108864"),
        ("net.ipv4.tcp_wmem", "4096\t16384\t67108864"),
        ("net.ipv4.tcp_mtu_probing", "0"),
    ];
    Payload::HostFacts(HostFacts {
        hostname: Some(name.into()),
        kernel: Some("Linux 5.10.0".into()),
        sysctls: sysctls
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
        congestion_control: Some("cubic".into()),
        available_congestion_controls: vec!["reno".into(), "cubic".into(), "bbr".into()],
        interface: Some(Interface {
            name: "eth4".into(),
            mtu_bytes: Some(9000),
            speed_mbps: Some(10_000),
            counters: BTreeMap::from([("rx_crc_errors".to_owned(), errors)]),
            ..Interface::default()
        }),
        counters: BTreeMap::from([("Tcp.RetransSegs".to_owned(), 4_412)]),
        cpu: Some(CpuFacts {
            online: 16,
            model: None,
            busy_ratio: Some(0.03),
            load_1min: Some(0.4),
            ..CpuFacts::default()
        }),
        ..HostFacts::default()
    })
}

fn gap(reason: NotMeasuredReason, detail: &str) -> NotMeasured {
    NotMeasured {
        ask: Ask::TcpThroughput {
            from: destination(),
            to: source(),
            streams: 1,
            mss_bytes: None,
            socket_buffer_bytes: None,
            congestion_control: None,
            max_time_ms: 10_000,
            max_bytes: None,
            watch_hops: false,
        },
        reason,
        detail: detail.into(),
    }
}

pub fn hostile_host(round: u32, at: Timestamp, text: &str) -> Observation {
    let Payload::HostFacts(mut facts) = host(text, 0) else {
        unreachable!("host() gives host facts")
    };
    facts.kernel = Some(text.into());
    facts.congestion_control = Some(text.into());
    facts.sysctls.insert("net.ipv4.tcp_rmem".into(), text.into());
    facts.sysctls.insert(text.into(), text.into());
    observation(round, at, End::To, Payload::HostFacts(facts))
}

pub fn hostile_route(round: u32, at: Timestamp, text: &str) -> Observation {
    let mut hostile = route();
    let answers = hostile
        .flows
        .iter_mut()
        .flat_map(|flow| &mut flow.hops)
        .flat_map(|hop| &mut hop.answers);
    answers.for_each(|answer| answer.node.name = Some(text.into()));
    observation(round, at, End::From, Payload::Trace(hostile))
}

pub fn hostile_gap(round: u32, at: Timestamp, text: &str) -> Observation {
    observation(
        round,
        at,
        End::From,
        Payload::NotMeasured(gap(NotMeasuredReason::Failed, text)),
    )
}

pub fn long_run(round: u32, at: Timestamp) -> Observation {
    let mut run = tcp(&FAST);
    let hundred = run.intervals.clone();
    run.intervals = (0..60_u64)
        .flat_map(|part| {
            hundred.iter().map(move |i| TransferInterval {
                start_ns: i.start_ns + part * 10_000_000_000,
                ..i.clone()
            })
        })
        .collect();
    run.duration_ns = Some(600_000_000_000);
    observation(round, at, End::From, run.into())
}
