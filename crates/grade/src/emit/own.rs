//! What slowpath measured itself.

use super::{Writer, end, ns};
use crate::physics::{TcpRun, TcpSetup, UdpRun, UdpSetup};
use crate::seen::{Cell, Hop, Probed, Row, Seen, Settings, Who};
use evidence::{
    Ask, CpuFacts, DelaySample, Echo, EchoContext, EchoMode, EchoSeries, FragmentationNeeded, HopReply,
    HostDrops, HostFacts, Interface, NotMeasured, NotMeasuredReason, OneWayDelay, PathMtu, Payload,
    ProbeProtocol, RateBps, ReplyKind, Route, RouteFlow, RouteHop, RttSummary, SizeCell, SizeProbeMode,
    StopReason, TcpAccount, TcpInterval, TcpThroughput, UdpInterval, UdpStream,
};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Length of a slice, nanoseconds.
const SLICE_NS: u64 = 100_000_000;

impl Writer<'_> {
    pub(super) fn own(&self, seen: &Seen, vantage: usize) -> Option<Payload> {
        Some(match seen {
            Seen::Trace {
                from,
                to,
                hops,
                reached,
                ..
            } => Payload::Route(self.route(*from, *to, hops, *reached)),
            Seen::Sizes {
                from,
                to,
                interface_mtu,
                destination_ttl,
                cells,
            } => Payload::PathMtu(PathMtu {
                source: self.ip(Who::Host(*from)),
                destination: self.ip(Who::Host(*to)),
                protocol: ProbeProtocol::Udp,
                interface_mtu_bytes: *interface_mtu,
                destination_ttl: *destination_ttl,
                cells: self.cells(cells),
                packets_sent: cells.iter().map(|cell| u32::from(cell.sent)).sum(),
                elapsed_ns: 2_000_000_000,
            }),
            Seen::Rows {
                from,
                to,
                loaded,
                rows,
            } => Payload::Echo(Echo {
                source: self.ip(Who::Host(*from)),
                destination: self.ip(Who::Host(*to)),
                context: if *loaded {
                    EchoContext::UnderLoad
                } else {
                    EchoContext::Idle
                },
                series: rows.iter().map(|row| self.series(row)).collect(),
                own_socket_drops: Some(0),
                elapsed_ns: 5_000_000_000,
            }),
            Seen::Tcp { setup, run, .. } => Payload::TcpThroughput(self.tcp(setup, run)?),
            Seen::Udp { setup, run } => Payload::UdpStream(self.udp(setup, run)?),
            Seen::Settings(settings) => Payload::HostFacts(self.facts(settings)),
            Seen::Refused { .. } => Payload::NotMeasured(NotMeasured {
                ask: Ask::HostFacts {
                    at: end(vantage)?.other(),
                },
                reason: NotMeasuredReason::NoFarEnd,
                detail: "no far end answers".into(),
            }),
            _ => return None,
        })
    }

    fn route(&self, from: usize, to: usize, hops: &[Hop], reached: bool) -> Route {
        let hop = |hop: &Hop| RouteHop {
            ttl: hop.ttl,
            sent: hop.sent,
            replies: hop
                .rtts_s
                .iter()
                .map(|rtt| HopReply {
                    from: self.ip(hop.who),
                    rtt_ns: ns(*rtt),
                    reply_ttl: None,
                    kind: if matches!(hop.who, Who::Host(_)) {
                        ReplyKind::PortUnreachable
                    } else {
                        ReplyKind::TimeExceeded
                    },
                    mpls: vec![],
                })
                .collect(),
        };
        let answered = hops.iter().filter(|hop| !hop.rtts_s.is_empty());
        let names: BTreeMap<IpAddr, String> = answered
            .filter_map(|hop| Some((self.ip(hop.who), self.name(hop.who)?)))
            .collect();
        Route {
            source: self.ip(Who::Host(from)),
            destination: self.ip(Who::Host(to)),
            protocol: ProbeProtocol::Udp,
            flows: vec![RouteFlow {
                source_port: 33_000,
                destination_port: 33_434,
                hops: hops.iter().map(hop).collect(),
                reached_ttl: hops.last().filter(|_| reached).map(|hop| hop.ttl),
            }],
            names,
            packets_sent: hops.iter().map(|hop| u32::from(hop.sent)).sum(),
            elapsed_ns: 1_000_000_000,
        }
    }

    fn cells(&self, cells: &[Cell]) -> Vec<SizeCell> {
        let mut written: Vec<SizeCell> = cells
            .iter()
            .map(|cell| SizeCell {
                mode: if cell.may_fragment {
                    SizeProbeMode::MayFragment
                } else {
                    SizeProbeMode::DontFragment
                },
                ttl: cell.ttl,
                size_bytes: cell.size_bytes,
                sent: cell.sent,
                answered: cell.answered,
                answered_by: if cell.answered > 0 {
                    vec![self.ip(cell.who)]
                } else {
                    vec![]
                },
                fragmentation_needed: cell
                    .too_big
                    .iter()
                    .map(|(who, mtu)| FragmentationNeeded {
                        from: self.ip(*who),
                        mtu_bytes: Some(*mtu),
                    })
                    .collect(),
                refused_locally_mtu_bytes: None,
            })
            .collect();
        written.sort_by_key(|cell| (cell.mode, cell.ttl, cell.size_bytes));
        written
    }

    fn series(&self, row: &Row) -> EchoSeries {
        let mut samples: Vec<u64> = row.rtts_s.iter().map(|rtt| ns(*rtt)).collect();
        let known = row.answered > 0 || row.probed != Probed::Expiring;
        EchoSeries {
            mode: match row.probed {
                Probed::Expiring => EchoMode::Expiring,
                Probed::Direct => EchoMode::Direct,
                Probed::Destination => EchoMode::ToDestination,
            },
            ttl: row.ttl,
            address: known.then(|| self.ip(row.who)),
            size_bytes: row.size_bytes,
            sent: row.sent,
            answered: row.answered,
            rtt: RttSummary::of(&mut samples),
            rate_pps: row.rate_pps,
        }
    }

    fn tcp(&self, setup: &TcpSetup, run: &TcpRun) -> Option<TcpThroughput> {
        let sender = end(setup.sender)?;
        let slices = run.slices.iter().enumerate();
        let intervals = slices.map(|(index, slice)| TcpInterval {
            start_ns: index as u64 * SLICE_NS,
            length_ns: SLICE_NS,
            bytes_acked: slice.bytes as u64,
            bytes_received: Some(slice.bytes as u64),
            retransmits: slice.retransmits as u32,
            cwnd_bytes: slice.cwnd_bytes as u64,
            rtt_us: (slice.rtt_s * 1e6) as u32,
            delivery_rate_bps: None,
        });
        let bytes: f64 = run.slices.iter().map(|slice| slice.bytes).sum();
        let moved = |bps: f64| (bps > 0.0).then_some(RateBps(bps));
        Some(TcpThroughput {
            sender,
            source: self.ip(Who::Host(setup.sender)),
            destination: self.ip(Who::Host(setup.receiver)),
            streams: setup.streams,
            requested_mss_bytes: setup.mss,
            requested_socket_buffer_bytes: setup.window.map(|window| window as u32),
            congestion_control: self.network.hosts[setup.sender].machine.control.name().into(),
            bytes_received: bytes as u64,
            duration_ns: ns(setup.seconds),
            mean_bps: moved(run.mean_bps),
            steady_bps: moved(run.steady_bps),
            intervals: intervals.collect(),
            sender_accounts: vec![account(setup, run); usize::from(setup.streams)],
            receiver_accounts: vec![],
            stop: if run.stalled {
                StopReason::Stalled
            } else {
                StopReason::MaxTime
            },
            sender_cpu: Some(run.sender_cpu),
            receiver_cpu: Some(run.receiver_cpu),
            ports: vec![],
        })
    }

    fn udp(&self, setup: &UdpSetup, run: &UdpRun) -> Option<UdpStream> {
        let sender = end(setup.sender)?;
        let slices = run.slices.iter().enumerate();
        let intervals = slices.map(|(index, slice)| UdpInterval {
            start_ns: index as u64 * SLICE_NS,
            length_ns: SLICE_NS,
            packets: slice.packets,
            lost: slice.lost as i64,
        });
        Some(UdpStream {
            sender,
            source: self.ip(Who::Host(setup.sender)),
            destination: self.ip(Who::Host(setup.receiver)),
            size_bytes: setup.size_bytes,
            target_bps: RateBps(setup.rate_bps),
            packets_sent: run.sent,
            packets_received: run.received,
            duplicates: 0,
            reordered: run.reordered,
            sent_bps: Some(RateBps(run.sent_bps)),
            received_bps: RateBps::of_bytes(run.received * u64::from(setup.size_bytes), ns(setup.seconds)),
            host_drops: HostDrops {
                sender_refused: Some(0),
                sender_interface: Some(0),
                receiver_socket: Some(run.host_drops),
                receiver_interface: Some(0),
            },
            loss_runs: loss_runs(run),
            intervals: intervals.collect(),
            one_way_delay: delay(run),
            duration_ns: ns(setup.seconds),
            stop: StopReason::MaxTime,
            sender_cpu: Some((run.sent_bps / self.network.hosts[setup.sender].machine.cpu_bps).min(0.99)),
            receiver_cpu: Some((run.sent_bps / self.network.hosts[setup.receiver].machine.cpu_bps).min(0.99)),
        })
    }

    fn facts(&self, settings: &Settings) -> HostFacts {
        let sysctls = BTreeMap::from([
            (
                "net.ipv4.tcp_rmem".to_owned(),
                format!("4096\t131072\t{}", settings.receive_buffer_max),
            ),
            (
                "net.ipv4.tcp_wmem".to_owned(),
                format!("4096\t16384\t{}", settings.send_buffer_max),
            ),
            ("net.ipv4.tcp_window_scaling".to_owned(), "1".to_owned()),
        ]);
        let counters = BTreeMap::from([
            ("rx_packets".to_owned(), settings.packets),
            ("rx_missed_errors".to_owned(), settings.missed),
        ]);
        HostFacts {
            hostname: Some(self.host_name(settings.host)),
            kernel: Some("Linux 6.1".into()),
            sysctls,
            congestion_control: Some(settings.control.into()),
            available_congestion_controls: vec!["cubic".into(), "reno".into()],
            interface: Some(Interface {
                name: "eth0".into(),
                mtu_bytes: Some(settings.mtu),
                speed_mbps: settings.speed_mbps,
                duplex: settings.speed_mbps.map(|_| "full".into()),
                counters,
                ..Interface::default()
            }),
            counters: BTreeMap::new(),
            cpu: Some(CpuFacts {
                online: settings.cores,
                model: None,
                busy_ratio: Some(settings.busy),
                load_1min: Some(settings.busy * f64::from(settings.cores)),
            }),
        }
    }
}

/// The kernel's account of one connection.
pub(super) fn account(setup: &TcpSetup, run: &TcpRun) -> TcpAccount {
    let streams = u64::from(setup.streams.max(1));
    let us = |seconds: f64| (seconds * 1e6) as u64;
    TcpAccount {
        data_segments_out: Some((run.segments as u64 / streams) + 1),
        retransmitted_segments: Some(run.retransmits / streams),
        timeouts: Some(run.timeouts / streams),
        busy_us: Some(us(setup.seconds)),
        receive_window_limited_us: Some(us(run.window_limited_s)),
        send_buffer_limited_us: Some(us(run.send_limited_s)),
        send_mss_bytes: Some(run.mss),
        peer_window_bytes: Some(run.offered_window as u64),
        min_rtt_us: Some((run.min_rtt_s * 1e6) as u32),
        rtt_us: run.slices.last().map(|slice| (slice.rtt_s * 1e6) as u32),
        cwnd_segments: run
            .slices
            .last()
            .map(|slice| (slice.cwnd_bytes / f64::from(run.mss) / streams as f64) as u32),
        sack: Some(true),
        timestamps: Some(true),
        window_scale: Some((7, 7)),
        ..TcpAccount::default()
    }
}

/// Losses spread over the stream, single or in runs as long as the physics says.
fn loss_runs(run: &UdpRun) -> Vec<(u64, u64)> {
    let lost = run.sent.saturating_sub(run.received);
    let length = (run.run_length as u64).max(1);
    let runs = lost.div_ceil(length).min(1_000);
    let apart = run.sent / (runs + 1).max(1);
    (0..runs)
        .map(|index| ((index + 1) * apart, length.min(lost - index * length)))
        .collect()
}

fn delay(run: &UdpRun) -> Option<OneWayDelay> {
    let least = run
        .slices
        .iter()
        .map(|slice| slice.above_s)
        .min_by(f64::total_cmp)?;
    let mut above: Vec<u64> = run.slices.iter().map(|slice| ns(slice.above_s - least)).collect();
    let min_ns = ((run.min_delay_s + least) * 1e9) as i64;
    let each = run.sent / (run.slices.len() as u64).max(1);
    let samples = run.slices.iter().enumerate().map(|(index, slice)| DelaySample {
        sequence: index as u64 * each,
        delay_ns: ((run.min_delay_s + slice.above_s) * 1e9) as i64,
    });
    Some(OneWayDelay {
        same_clock: false,
        min_ns,
        samples: samples.collect(),
        above_min: RttSummary::of(&mut above)?,
    })
}
