//! What slowpath measured itself.

use super::account::account;
use super::times::{ns, signed_ns};
use super::writer::{Writer, other_end};
use crate::physics::{TcpRun, TcpSetup, UdpRun, UdpSetup};
use crate::seen::{Cell, Hop, Probed, Row, Seen, Settings, Who};
use evidence::{
    Ask, CpuFacts, DelaySample, DelayStatistics, EchoContext, EchoMode, HostDrops, HostFacts, Interface,
    Node, NotMeasured, NotMeasuredReason, OneWayDelay, Payload, ProbeError, ProbeProtocol, ProbeRow, Probes,
    RateBps, ReplyKind, StopReason, Trace, TraceAnswer, TraceFlow, TraceHop, Transfer, TransferInterval,
    TransferSide, Transport,
};
use std::collections::BTreeMap;

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
            } => Payload::Trace(self.route(*from, *to, hops, *reached)),
            Seen::Sizes {
                from,
                to,
                interface_mtu,
                destination_ttl,
                cells,
            } => Payload::Probes(Probes {
                from: self.party(*from),
                destination: Some(self.party(*to)),
                protocol: Some(ProbeProtocol::Udp),
                interface_mtu_bytes: Some(*interface_mtu),
                destination_ttl: *destination_ttl,
                packets_sent: Some(cells.iter().map(|cell| u32::from(cell.sent)).sum()),
                elapsed_ns: Some(2_000_000_000),
                rows: self.cells(cells),
                ..Probes::default()
            }),
            Seen::Rows {
                from,
                to,
                loaded,
                rows,
            } => Payload::Probes(Probes {
                from: self.party(*from),
                destination: Some(self.party(*to)),
                context: Some(if *loaded {
                    EchoContext::UnderLoad
                } else {
                    EchoContext::Idle
                }),
                own_socket_drops: Some(0),
                elapsed_ns: Some(5_000_000_000),
                rows: rows.iter().map(|row| self.series(row)).collect(),
                ..Probes::default()
            }),
            Seen::Tcp { setup, run, .. } => self.tcp(setup, run).into(),
            Seen::Udp { setup, run } => self.udp(setup, run).into(),
            Seen::Settings(settings) => Payload::HostFacts(self.facts(settings)),
            Seen::Refused { .. } => Payload::NotMeasured(NotMeasured {
                ask: Ask::HostFacts {
                    at: self.party(other_end(vantage)?),
                },
                reason: NotMeasuredReason::NoFarEnd,
                detail: "no far end answers".into(),
            }),
            _ => return None,
        })
    }

    fn route(&self, from: usize, to: usize, hops: &[Hop], reached: bool) -> Trace {
        let answer = |hop: &Hop, rtt_s: f64| TraceAnswer {
            node: Node {
                name: self.name(hop.who),
                ..self.bare(hop.who)
            },
            rtt_ns: Some(ns(rtt_s)),
            kind: Some(if matches!(hop.who, Who::Host(_)) {
                ReplyKind::PortUnreachable
            } else {
                ReplyKind::TimeExceeded
            }),
            ..TraceAnswer::default()
        };
        let hop = |hop: &Hop| TraceHop {
            ttl: hop.ttl,
            answers: hop.rtts_s.iter().map(|rtt| answer(hop, *rtt)).collect(),
            unanswered: hop.sent - hop.rtts_s.len() as u16,
        };
        Trace {
            from: self.party(from),
            to: self.party(to),
            protocol: Some(ProbeProtocol::Udp),
            flows: vec![TraceFlow {
                source_port: Some(33_000),
                destination_port: Some(33_434),
                hops: hops.iter().map(hop).collect(),
                reached_ttl: hops.last().filter(|_| reached).map(|hop| hop.ttl),
            }],
            reached: Some(reached && !hops.is_empty()),
            packets_sent: Some(hops.iter().map(|hop| u32::from(hop.sent)).sum()),
            elapsed_ns: Some(1_000_000_000),
            ..Trace::default()
        }
    }

    fn cells(&self, cells: &[Cell]) -> Vec<ProbeRow> {
        let mut sorted: Vec<&Cell> = cells.iter().collect();
        sorted.sort_by_key(|cell| (cell.may_fragment, cell.ttl, cell.size_bytes));
        sorted.into_iter().map(|cell| self.cell(cell)).collect()
    }

    fn cell(&self, cell: &Cell) -> ProbeRow {
        let answered = cell.answered > 0;
        let answered_by = answered.then(|| self.bare(cell.who));
        let (mode, to) = match (cell.ttl, cell.who) {
            (None, Who::Host(host)) => (EchoMode::ToDestination, self.party(host)),
            (None, who) => (EchoMode::ToDestination, self.bare(who)),
            (Some(_), _) => (EchoMode::Expiring, answered_by.clone().unwrap_or_default()),
        };
        let too_big = |(who, mtu): (Who, u32)| ProbeError {
            from: Some(self.bare(who)),
            text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
            mtu_bytes: Some(mtu),
            count: 1,
        };
        ProbeRow {
            mode: Some(mode),
            ttl: cell.ttl,
            to,
            answered_by: answered_by.into_iter().collect(),
            size_bytes: Some(cell.size_bytes),
            dont_fragment: Some(!cell.may_fragment),
            sent: Some(cell.sent.into()),
            received: Some(cell.answered.into()),
            errors: cell.too_big.map(too_big).into_iter().collect(),
            ..ProbeRow::default()
        }
    }

    fn series(&self, row: &Row) -> ProbeRow {
        let mut samples: Vec<i64> = row.rtts_s.iter().map(|rtt| signed_ns(*rtt)).collect();
        let known = row.answered > 0 || row.probed != Probed::Expiring;
        let to = known.then(|| self.bare(row.who));
        let expired = to.clone().filter(|_| row.probed == Probed::Expiring);
        ProbeRow {
            mode: Some(match row.probed {
                Probed::Expiring => EchoMode::Expiring,
                Probed::Direct => EchoMode::Direct,
                Probed::Destination => EchoMode::ToDestination,
            }),
            ttl: Some(row.ttl),
            to: to.unwrap_or_default(),
            answered_by: expired.into_iter().collect(),
            size_bytes: Some(row.size_bytes),
            sent: Some(row.sent),
            received: Some(row.answered),
            delay: DelayStatistics::of(&mut samples),
            rate_pps: Some(row.rate_pps),
            ..ProbeRow::default()
        }
    }

    fn tcp(&self, setup: &TcpSetup, run: &TcpRun) -> Transfer {
        let slices = run.slices.iter().enumerate();
        let intervals = slices.map(|(index, slice)| TransferInterval {
            start_ns: index as u64 * SLICE_NS,
            length_ns: SLICE_NS,
            bytes_acked: Some(slice.bytes as u64),
            bytes_received: Some(slice.bytes as u64),
            retransmits: Some(slice.retransmits),
            cwnd_bytes: Some(slice.cwnd_bytes as u64),
            // The kernel tells it in microseconds.
            rtt_ns: Some((slice.rtt_s * 1e6) as u64 * 1_000),
            ..TransferInterval::default()
        });
        let bytes: f64 = run.slices.iter().map(|slice| slice.bytes).sum();
        let moved = |bps: f64| (bps > 0.0).then_some(RateBps(bps));
        Transfer {
            from: self.party(setup.sender),
            to: self.party(setup.receiver),
            protocol: Some(Transport::Tcp),
            streams: Some(setup.streams),
            window_bytes: setup.window.map(|window| window as u64),
            mss_bytes: setup.mss,
            congestion_control: Some(self.network.hosts[setup.sender].machine.control.name().into()),
            duration_ns: Some(ns(setup.seconds)),
            received_bps: moved(run.mean_bps),
            steady_bps: moved(run.steady_bps),
            bytes_received: Some(bytes as u64),
            intervals: intervals.collect(),
            sender: Some(TransferSide {
                accounts: vec![account(setup, run); usize::from(setup.streams)],
                cpu: Some(run.sender_cpu),
            }),
            receiver: Some(TransferSide {
                accounts: vec![],
                cpu: Some(run.receiver_cpu),
            }),
            stop: Some(if run.stalled {
                StopReason::Stalled
            } else {
                StopReason::MaxTime
            }),
            ..Transfer::default()
        }
    }

    fn udp(&self, setup: &UdpSetup, run: &UdpRun) -> Transfer {
        let slices = run.slices.iter().enumerate();
        let intervals = slices.map(|(index, slice)| TransferInterval {
            start_ns: index as u64 * SLICE_NS,
            length_ns: SLICE_NS,
            packets_received: Some(slice.packets),
            packets_lost: Some(slice.lost as i64),
            ..TransferInterval::default()
        });
        let side = |host: usize| TransferSide {
            accounts: vec![],
            cpu: Some((run.sent_bps / self.network.hosts[host].machine.cpu_bps).min(0.99)),
        };
        Transfer {
            from: self.party(setup.sender),
            to: self.party(setup.receiver),
            protocol: Some(Transport::Udp),
            packet_size_bytes: Some(setup.size_bytes),
            duration_ns: Some(ns(setup.seconds)),
            target_bps: Some(RateBps(setup.rate_bps)),
            sent_bps: Some(RateBps(run.sent_bps)),
            received_bps: RateBps::of_bytes(run.received * u64::from(setup.size_bytes), ns(setup.seconds)),
            packets_sent: Some(run.sent),
            packets_received: Some(run.received),
            duplicates: Some(0),
            reordered: Some(run.reordered),
            intervals: intervals.collect(),
            sender: Some(side(setup.sender)),
            receiver: Some(side(setup.receiver)),
            host_drops: Some(HostDrops {
                sender_refused: Some(0),
                sender_interface: Some(0),
                receiver_socket: Some(run.host_drops),
                receiver_interface: Some(0),
            }),
            loss_runs: loss_runs(run),
            one_way_delay: delay(run),
            stop: Some(StopReason::MaxTime),
            ..Transfer::default()
        }
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
                ..CpuFacts::default()
            }),
            ..HostFacts::default()
        }
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
    let mut above: Vec<i64> = run
        .slices
        .iter()
        .map(|slice| signed_ns(slice.above_s - least))
        .collect();
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
        above_min: DelayStatistics::of(&mut above)?,
    })
}
