//! What other tools printed: fields are missing as they do in practice.

use super::account::account;
use super::times::{OPENED_S, ns, signed_ns};
use super::writer::Writer;
use crate::chance::Chance;
use crate::map::{RECEIVER, SENDER};
use crate::physics::{TcpRun, TcpSetup, UdpRun, UdpSetup};
use crate::seen::{Counted, Figure, Hop, Level, Row, Seen, Who};
use evidence::{
    CounterChain, CounterKind, CounterPoint, DelayStatistics, EchoMode, InterfaceCounters, InterfaceLoad,
    KnownRoute, LinkCapacities, LinkCapacity, Node, Payload, ProbeError, ProbeProtocol, ProbeRow, Probes,
    Quantity, RateBps, RouteHistory, Series, SeriesMetric, SocketState, Sockets, Statement, Timestamp, Trace,
    TraceAnswer, TraceFlow, TraceHop, Transfer, TransferInterval, Transport, Way,
};
use std::collections::BTreeMap;

/// A day, nanoseconds.
const DAY_NS: f64 = 86_400e9;

impl Writer<'_> {
    pub(super) fn recorded(&self, seen: &Seen, tool: &'static str, chance: &mut Chance) -> Option<Payload> {
        Some(match seen {
            Seen::Trace {
                from,
                to,
                hops,
                reached,
                path_mtu,
            } => Payload::Trace(Trace {
                from: if chance.happens(0.8) {
                    self.host(*from)
                } else {
                    Node::default()
                },
                to: self.host(*to),
                protocol: chance.happens(0.7).then_some(ProbeProtocol::Udp),
                size_bytes: Some(60),
                dont_fragment: path_mtu.map(|_| true),
                flows: vec![TraceFlow::of(
                    hops.iter().map(|hop| self.trace_hop(hop)).collect(),
                )],
                reached: Some(*reached),
                path_mtu_bytes: *path_mtu,
                ..Trace::default()
            }),
            Seen::Rows { from, to, rows, .. } => Payload::Probes(Probes {
                from: self.host(*from),
                destination: (tool == "mtr").then(|| self.host(*to)),
                rows: rows.iter().map(|row| self.ping_row(row, tool, chance)).collect(),
                ..Probes::default()
            }),
            Seen::Tcp { setup, run, program } => self.tcp_record(setup, run, program, chance).into(),
            Seen::Udp { setup, run } => self.udp_record(setup, run).into(),
            Seen::OneWay {
                from,
                to,
                sent,
                lost,
                reordered,
                delays_s,
            } => Payload::Probes(Probes {
                from: self.host(*from),
                rows: vec![ProbeRow {
                    way: Way::OneWay,
                    to: self.host(*to),
                    sent: Some(*sent),
                    received: sent.checked_sub(*lost),
                    duplicates: Some(0),
                    reordered: Some(*reordered),
                    delay: Some(DelayStatistics {
                        min_ns: Some((delays_s[0] * 1e9) as i64),
                        p50_ns: Some((delays_s[1] * 1e9) as i64),
                        max_ns: Some((delays_s[2] * 1e9) as i64),
                        ..DelayStatistics::default()
                    }),
                    clock_error_ns: chance.happens(0.6).then_some(500_000),
                    ..ProbeRow::default()
                }],
                ..Probes::default()
            }),
            Seen::Counters(counted) => Payload::InterfaceCounters(self.counters(counted)),
            Seen::Chain { setup, run, points } => Payload::CounterChain(self.chain(setup, run, points)),
            Seen::Sockets { setup, run } => Payload::Sockets(self.sockets(setup, run)),
            Seen::Said {
                from,
                to,
                figure,
                value,
                subject,
                text,
            } => Payload::Statement(Statement {
                quantity: quantity(*figure),
                from: self.host(*from),
                to: self.host(*to),
                subject: subject.clone(),
                value: *value,
                range: None,
                text: text.clone(),
            }),
            Seen::Series {
                from,
                to,
                level,
                points,
            } => Payload::Series(Series {
                from: self.host(*from),
                to: self.host(*to),
                metric: match level {
                    Level::Rate => SeriesMetric::Throughput,
                    Level::Loss => SeriesMetric::LossRatio,
                    Level::Rtt => SeriesMetric::Rtt,
                },
                points: points.iter().map(|(day, value)| (day_of(*day), *value)).collect(),
            }),
            Seen::Routes { seen } => Payload::RouteHistory(self.routes(seen)?),
            Seen::Capacities { from, to, rows } => Payload::LinkCapacities(self.capacities(*from, *to, rows)),
            Seen::Sizes { .. } | Seen::Settings(_) | Seen::Refused { .. } => return None,
        })
    }

    fn trace_hop(&self, hop: &Hop) -> TraceHop {
        TraceHop {
            ttl: hop.ttl,
            answers: hop
                .rtts_s
                .iter()
                .map(|rtt| TraceAnswer {
                    node: self.node(hop.who),
                    rtt_ns: Some(ns(*rtt)),
                    ..TraceAnswer::default()
                })
                .collect(),
            unanswered: hop.sent - hop.rtts_s.len() as u16,
        }
    }

    fn ping_row(&self, row: &Row, tool: &str, chance: &mut Chance) -> ProbeRow {
        let is_table = tool == "mtr";
        let counted = !is_table || chance.happens(0.8);
        let silent = is_table && row.answered == 0;
        let error = row.too_big.map(|(who, mtu)| ProbeError {
            from: Some(self.node(who)),
            text: format!("Frag needed and DF set (mtu = {mtu})"),
            mtu_bytes: Some(mtu),
            count: row.sent - row.answered,
        });
        ProbeRow {
            mode: is_table.then_some(EchoMode::Expiring),
            ttl: is_table.then_some(row.ttl),
            to: if silent {
                Node::default()
            } else {
                self.node(row.who)
            },
            size_bytes: Some(row.size_bytes),
            dont_fragment: row.whole.filter(|_| row.size_bytes > 500),
            sent: counted.then_some(row.sent),
            received: counted.then_some(row.answered),
            loss_ratio: Some(1.0 - row.answered as f64 / row.sent.max(1) as f64),
            delay: statistics(&row.rtts_s),
            errors: error.filter(|error| error.count > 0).into_iter().collect(),
            ..ProbeRow::default()
        }
    }

    fn tcp_record(&self, setup: &TcpSetup, run: &TcpRun, program: &str, chance: &mut Chance) -> Transfer {
        let is_test = program == "iperf3";
        let kernel = is_test && chance.happens(0.8);
        let each = chance.happens(0.6);
        let intervals =
            run.slices
                .chunks(10)
                .enumerate()
                .filter(|_| is_test && each)
                .map(|(second, slices)| TransferInterval {
                    start_ns: second as u64 * 1_000_000_000,
                    length_ns: slices.len() as u64 * 100_000_000,
                    rate_bps: Some(RateBps(
                        slices.iter().map(|s| s.bytes).sum::<f64>() * 80.0 / slices.len() as f64,
                    )),
                    retransmits: kernel.then(|| slices.iter().map(|s| s.retransmits).sum()),
                    cwnd_bytes: slices.last().filter(|_| kernel).map(|s| s.cwnd_bytes as u64),
                    ..TransferInterval::default()
                });
        Transfer {
            from: self.host(setup.sender),
            to: self.host(setup.receiver),
            protocol: Some(Transport::Tcp),
            application: Some(program.to_owned()),
            streams: is_test.then_some(setup.streams),
            window_bytes: setup.window.map(|window| window as u64),
            mss_bytes: (kernel && chance.happens(0.3)).then_some(run.mss),
            congestion_control: (kernel && chance.happens(0.4))
                .then(|| self.network.hosts[setup.sender].machine.control.name().to_owned()),
            duration_ns: Some(ns(setup.seconds)),
            sent_bps: is_test.then_some(RateBps(run.mean_bps * 1.001)),
            received_bps: Some(RateBps(run.mean_bps)),
            retransmits: kernel.then_some(run.retransmits),
            rtt_ns: (kernel && chance.happens(0.3))
                .then(|| ns(run.slices.last().map_or(run.min_rtt_s, |s| s.rtt_s))),
            intervals: intervals.collect(),
            ..Transfer::default()
        }
    }

    fn udp_record(&self, setup: &UdpSetup, run: &UdpRun) -> Transfer {
        Transfer {
            from: self.host(setup.sender),
            to: self.host(setup.receiver),
            protocol: Some(Transport::Udp),
            application: Some("iperf3".into()),
            streams: Some(1),
            duration_ns: Some(ns(setup.seconds)),
            target_bps: Some(RateBps(setup.rate_bps)),
            sent_bps: Some(RateBps(run.sent_bps)),
            received_bps: RateBps::of_bytes(run.received * u64::from(setup.size_bytes), ns(setup.seconds)),
            packets_sent: Some(run.sent),
            packets_lost: Some(run.sent.saturating_sub(run.received)),
            reordered: Some(run.reordered),
            jitter_ns: run.slices.last().map(|slice| ns(slice.above_s * 0.1)),
            ..Transfer::default()
        }
    }

    fn counters(&self, counted: &Counted) -> InterfaceCounters {
        let link = &self.network.links[counted.link];
        let counters = BTreeMap::from([
            (CounterKind::InputPackets, counted.packets),
            (CounterKind::InputErrors, counted.crc),
            (CounterKind::InputCrc, counted.crc),
            (CounterKind::InputNoBuffer, counted.no_buffer),
            (CounterKind::OutputDrops, counted.output_drops),
        ]);
        InterfaceCounters {
            device: self.node(match self.network.host_at(link.to) {
                Some(host) => Who::Host(host),
                None => Who::Behind(counted.link),
            }),
            interface: link.interface.clone(),
            description: None,
            up: Some(true),
            mtu_bytes: Some(link.believed_mtu),
            bandwidth_bps: counted.bandwidth_bps.map(RateBps),
            duplex: Some(if counted.half_duplex { "half" } else { "full" }.into()),
            counting_for_s: counted.counting_for_s,
            counters,
            other: BTreeMap::new(),
            load: counted.input_bps.map(|input| InterfaceLoad {
                over_s: Some(300),
                input_bps: Some(RateBps(input)),
                input_pps: None,
                output_bps: None,
                output_pps: None,
            }),
            optics: None,
            ..InterfaceCounters::default()
        }
    }

    fn chain(&self, setup: &UdpSetup, run: &UdpRun, points: &[(usize, u64)]) -> CounterChain {
        let way = self.network.way(setup.sender, setup.receiver);
        let point = |(index, packets): &(usize, u64)| {
            let link = &self.network.links[way[*index]];
            let label = |who: Who| self.name(who).unwrap_or_else(|| self.address(who).to_string());
            let before = match index.checked_sub(1) {
                Some(before) => label(Who::Behind(way[before])),
                None => self.host_name(setup.sender),
            };
            CounterPoint {
                network: format!("network {}", self.network.nodes[link.to].site),
                description: format!("{before} -> {}", label(Who::Behind(way[*index]))),
                packets: Some(*packets),
            }
        };
        CounterChain {
            label: format!("{:.0} Mbit/s", setup.rate_bps / 1e6),
            from: self.host(setup.sender),
            to: self.host(setup.receiver),
            protocol: Some(Transport::Udp),
            streams: Some(1),
            duration_ns: Some(ns(setup.seconds)),
            sent_bps: Some(RateBps(run.sent_bps)),
            received_bps: RateBps::of_bytes(run.received * u64::from(setup.size_bytes), ns(setup.seconds)),
            packets_sent: Some(run.sent),
            reported_lost: Some(run.sent.saturating_sub(run.received)),
            reported_reordered: Some(run.reordered),
            points: points.iter().map(point).collect(),
            remarks: vec![],
        }
    }

    fn sockets(&self, setup: &TcpSetup, run: &TcpRun) -> Sockets {
        Sockets {
            connections: vec![SocketState {
                local: format!("{}:40000", self.address(Who::Host(setup.sender))),
                peer: format!("{}:5201", self.address(Who::Host(setup.receiver))),
                congestion_control: Some(self.network.hosts[setup.sender].machine.control.name().into()),
                account: account(setup, run),
                delivery_rate_bps: Some(RateBps(run.steady_bps)),
                pacing_rate_bps: None,
                app_limited: false,
                ..SocketState::default()
            }],
        }
    }

    fn routes(&self, seen: &[(f64, bool)]) -> Option<RouteHistory> {
        let former = self.world.former.as_ref()?;
        let way = self.network.way(SENDER, RECEIVER);
        let hops: Vec<Node> = (0..way.len())
            .map(|index| {
                let silent = self.network.nodes[self.network.links[way[index]].to]
                    .manners
                    .answers
                    == 0.0;
                match index + 1 == way.len() {
                    _ if silent => Node::default(),
                    true => self.host(RECEIVER),
                    false => self.node(Who::Behind(way[index])),
                }
            })
            .collect();
        let (start, end) = former.between;
        let mut old: Vec<Node> = hops[..start].to_vec();
        old.extend((0..former.hops.len()).map(|index| self.node(Who::Former(index))));
        old.extend_from_slice(&hops[end - 1..]);
        Some(RouteHistory {
            from: self.host(SENDER),
            to: self.host(RECEIVER),
            routes: vec![
                KnownRoute {
                    number: Some(1),
                    hops: old,
                },
                KnownRoute {
                    number: Some(2),
                    hops,
                },
            ],
            seen: seen
                .iter()
                .map(|(day, was)| (day_of(*day), u32::from(!was)))
                .collect(),
        })
    }

    fn capacities(&self, from: usize, to: usize, rows: &[(usize, f64, f64)]) -> LinkCapacities {
        let way = self.network.way(from, to);
        let row = |(index, bps, rtt_s): &(usize, f64, f64)| LinkCapacity {
            ttl: *index as u8 + 1,
            node: if index + 1 == way.len() {
                self.host(to)
            } else {
                self.node(Who::Behind(way[*index]))
            },
            capacity_bps: Some(RateBps(*bps)),
            latency_ns: None,
            rtt_ns: Some(ns(*rtt_s)),
        };
        LinkCapacities {
            from: self.host(from),
            to: self.host(to),
            links: rows.iter().map(row).collect(),
        }
    }
}

fn statistics(rtts_s: &[f64]) -> Option<DelayStatistics> {
    let least = rtts_s.iter().copied().min_by(f64::total_cmp)?;
    let most = rtts_s.iter().copied().max_by(f64::total_cmp)?;
    let mean = rtts_s.iter().sum::<f64>() / rtts_s.len() as f64;
    let deviation = (rtts_s.iter().map(|rtt| (rtt - mean).powi(2)).sum::<f64>() / rtts_s.len() as f64).sqrt();
    Some(DelayStatistics {
        min_ns: Some(signed_ns(least)),
        mean_ns: Some(signed_ns(mean)),
        max_ns: Some(signed_ns(most)),
        deviation_ns: Some(signed_ns(deviation)),
        ..DelayStatistics::default()
    })
}

fn day_of(day: f64) -> Timestamp {
    Timestamp(OPENED_S * 1_000_000_000 - 70 * DAY_NS as i64 + (day * DAY_NS) as i64)
}

fn quantity(figure: Figure) -> Quantity {
    match figure {
        Figure::Rtt => Quantity::Rtt,
        Figure::LinkCapacity => Quantity::LinkCapacity,
        Figure::Utilisation => Quantity::Utilisation,
        Figure::LossRatio => Quantity::LossRatio,
        Figure::ReceiveWindow => Quantity::ReceiveWindow,
        Figure::Rate => Quantity::Rate,
        Figure::WriteBytes => Quantity::WriteBytes,
        Figure::WritePause => Quantity::WritePause,
        Figure::WriteRate => Quantity::WriteRate,
    }
}
