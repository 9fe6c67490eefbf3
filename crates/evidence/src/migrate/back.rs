//! Format 2 in the shapes of format 1: the proof that the migration loses nothing, and for readers that still think in
//! two kinds of each.
//!
//! A measurement takes its own shape where the fields are filled that only our probes fill, else that of a record.

use crate::v1::{
    self, Ask as AskV1, Echo, EchoSeries, FragmentationNeeded, HopReply, NotMeasured, OneWay, PathMtu,
    Payload, PingError, PingRow, Pings, Route, RouteFlow, RouteHop, RttStatistics, RttSummary, SizeCell,
    TcpInterval, TcpThroughput, ThroughputInterval, ThroughputRecord, UdpInterval, UdpStream, Vantage,
};
use crate::{
    Case, Complaint, DelayStatistics, End, MplsLabel, Node, ProbeError, ProbeRow, Probes, RateBps,
    SizeProbeMode, Trace, TraceFlow, TraceHop, Transfer, TransferInterval, Transport, Way, v2,
};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A case in the shapes of format 1.
#[must_use]
pub fn case(new: &Case) -> v1::Case {
    let mut old = v1::Case::new(new.complaint.clone());
    for observation in new.observations() {
        for observation in self::observation(observation, &new.complaint) {
            old.add(observation);
        }
    }
    old.journal.clone_from(&new.journal);
    old
}

/// An observation in the shapes of format 1. One that has none there (an ask between nodes that are not the ends) gives
/// nothing. It keeps the id that it has now, so that what cites it cites what the case holds.
#[must_use]
pub fn observation(new: &v2::Observation, complaint: &Complaint) -> Vec<v1::Observation> {
    let provenance = &new.provenance;
    let provenance = v1::Provenance {
        vantage: vantage(&provenance.vantage, complaint),
        at: provenance.at,
        at_is_import_time: provenance.at_is_import_time,
        round: provenance.round,
        tool: provenance.tool.clone(),
        raw_sha256: provenance.raw_sha256.clone(),
        raw_lines: provenance.raw_lines,
    };
    payloads(&new.payload, complaint)
        .into_iter()
        .map(|payload| v1::Observation {
            id: new.id.clone(),
            provenance: provenance.clone(),
            payload,
        })
        .collect()
}

/// The place of observation: an end of the complaint, or somewhere else in words.
#[must_use]
pub fn vantage(node: &Node, complaint: &Complaint) -> Vantage {
    match complaint.end_of(node) {
        Some(end) => Vantage::End(end),
        None => Vantage::Elsewhere {
            place: match node.is_unknown() {
                true => String::new(),
                false => node.to_string(),
            },
        },
    }
}

/// A payload in the shapes of format 1: one, but for a table with both one-way rows and others.
#[must_use]
pub fn payloads(new: &v2::Payload, complaint: &Complaint) -> Vec<Payload> {
    use v2::Payload as New;
    let one = match new {
        New::Trace(trace) => match to_route(trace) {
            Some(route) => Some(Payload::Route(route)),
            None => return to_traces(trace),
        },
        New::Probes(table) => return to_tables(table),
        New::Transfer(transfer) => Some(to_transfer(transfer, complaint)),
        New::HostFacts(facts) => Some(Payload::HostFacts(facts.clone())),
        New::Sockets(sockets) => Some(Payload::Sockets(sockets.clone())),
        New::LinkCapacities(links) => Some(Payload::LinkCapacities(links.clone())),
        New::Series(series) => Some(Payload::Series(series.clone())),
        New::RouteHistory(history) => Some(Payload::RouteHistory(history.clone())),
        New::InterfaceCounters(counters) => Some(Payload::InterfaceCounters(counters.clone())),
        New::CounterChain(chain) => Some(Payload::CounterChain(chain.clone())),
        New::Statement(statement) => Some(Payload::Statement(statement.clone())),
        New::NotMeasured(missing) => ask(&missing.ask, complaint).map(|ask| {
            Payload::NotMeasured(NotMeasured {
                ask,
                reason: missing.reason,
                detail: missing.detail.clone(),
            })
        }),
    };
    one.into_iter().collect()
}

/// An ask as one of an end of the complaint; `None` when another node is asked.
#[must_use]
pub fn ask(new: &v2::Ask, complaint: &Complaint) -> Option<AskV1> {
    let end = complaint.end_of(new.vantage())?;
    Some(match new.clone() {
        v2::Ask::HostFacts { .. } => AskV1::HostFacts { at: end },
        v2::Ask::Route { protocol, flows, .. } => AskV1::Route {
            from: end,
            protocol,
            flows,
        },
        v2::Ask::PathMtu { .. } => AskV1::PathMtu { from: end },
        v2::Ask::Echo {
            sizes_bytes,
            count,
            interval_ms,
            ..
        } => AskV1::Echo {
            from: end,
            sizes_bytes,
            count,
            interval_ms,
        },
        v2::Ask::HopLoss {
            ttls,
            count,
            rate_pps,
            ..
        } => AskV1::HopLoss {
            from: end,
            ttls,
            count,
            rate_pps,
        },
        v2::Ask::TcpThroughput {
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
            ..
        } => AskV1::TcpThroughput {
            sender: end,
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
        },
        v2::Ask::UdpStream {
            size_bytes,
            rate_bps,
            duration_ms,
            ..
        } => AskV1::UdpStream {
            sender: end,
            size_bytes,
            rate_bps,
            duration_ms,
        },
    })
}

/// Our own route: the addresses of both ends, every answer with its sender, time and kind, and the probes counted.
fn to_route(trace: &Trace) -> Option<Route> {
    let mut names = BTreeMap::new();
    let flows = trace.flows.iter().map(|flow| to_flow(flow, &mut names));
    let flows: Option<Vec<RouteFlow>> = flows.collect();
    Some(Route {
        source: trace.from.address?,
        destination: trace.to.address?,
        protocol: trace.protocol?,
        flows: flows?,
        names,
        packets_sent: trace.packets_sent?,
        elapsed_ns: trace.elapsed_ns?,
    })
}

fn to_flow(flow: &TraceFlow, names: &mut BTreeMap<IpAddr, String>) -> Option<RouteFlow> {
    let mut reply = |answer: &v2::TraceAnswer| {
        let from = answer.node.address?;
        names.extend(answer.node.name.clone().map(|name| (from, name)));
        Some(HopReply {
            from,
            rtt_ns: answer.rtt_ns?,
            reply_ttl: answer.reply_ttl,
            kind: answer.kind?,
            mpls: answer.mpls.clone(),
        })
    };
    let mut hop = |hop: &TraceHop| {
        Some(RouteHop {
            ttl: hop.ttl,
            sent: hop.sent(),
            replies: hop.answers.iter().map(&mut reply).collect::<Option<_>>()?,
        })
    };
    Some(RouteFlow {
        source_port: flow.source_port?,
        destination_port: flow.destination_port?,
        hops: flow.hops.iter().map(&mut hop).collect::<Option<_>>()?,
        reached_ttl: flow.reached_ttl,
    })
}

fn to_traces(trace: &Trace) -> Vec<Payload> {
    let answer = |answer: &v2::TraceAnswer| v1::TraceAnswer {
        node: answer.node.clone(),
        rtt_ns: answer.rtt_ns,
        reply_ttl: answer.reply_ttl,
        asn: answer.asn,
        return_hops: answer.return_hops,
        mtu_bytes: answer.mtu_bytes,
        mark: answer.mark.clone(),
    };
    let labels_alone = |answer: &&v2::TraceAnswer| {
        let bare = v2::TraceAnswer {
            mpls: Vec::new(),
            ..(*answer).clone()
        };
        !answer.mpls.is_empty() && bare == v2::TraceAnswer::default()
    };
    let hop = |hop: &TraceHop| v1::TraceHop {
        ttl: hop.ttl,
        answers: hop
            .answers
            .iter()
            .filter(|answer| !labels_alone(answer))
            .map(answer)
            .collect(),
        unanswered: hop.unanswered,
        mpls: labels(hop),
    };
    let of_flow = |flow: &TraceFlow| {
        Payload::Trace(v1::Trace {
            from: trace.from.clone(),
            to: trace.to.clone(),
            protocol: trace.protocol,
            size_bytes: trace.size_bytes,
            dont_fragment: trace.dont_fragment,
            hops: flow.hops.iter().map(hop).collect(),
            reached: trace.reached,
            path_mtu_bytes: trace.path_mtu_bytes,
        })
    };
    trace.flows.iter().map(of_flow).collect()
}

/// The entries of a hop's answers, those that several have once.
fn labels(hop: &TraceHop) -> Vec<MplsLabel> {
    let mut all: Vec<MplsLabel> = Vec::new();
    for answer in &hop.answers {
        let others = std::mem::take(&mut all);
        let new = answer
            .mpls
            .iter()
            .filter(|label| !others.contains(label))
            .copied();
        all = others.iter().copied().chain(new).collect();
    }
    all
}

/// Sizes per hop, echoes per hop, or what other tools print: pings, and each one-way row for itself.
fn to_tables(table: &Probes) -> Vec<Payload> {
    if let Some(sizes) = to_path_mtu(table) {
        return vec![Payload::PathMtu(sizes)];
    }
    if let Some(echo) = to_echo(table) {
        return vec![Payload::Echo(echo)];
    }
    let (one_way, there_and_back): (Vec<&ProbeRow>, Vec<&ProbeRow>) =
        table.rows.iter().partition(|row| row.way == Way::OneWay);
    let pings = Pings {
        from: table.from.clone(),
        destination: table.destination.clone(),
        rows: there_and_back.into_iter().map(to_ping).collect(),
    };
    let only_one_way = pings.rows.is_empty() && !one_way.is_empty();
    let pings = (!only_one_way).then_some(Payload::Pings(pings));
    let one_way = one_way.into_iter().map(|row| to_one_way(row, &table.from));
    pings.into_iter().chain(one_way.map(Payload::OneWay)).collect()
}

fn to_path_mtu(table: &Probes) -> Option<PathMtu> {
    Some(PathMtu {
        source: table.from.address?,
        destination: table.destination.as_ref()?.address?,
        protocol: table.protocol?,
        interface_mtu_bytes: table.interface_mtu_bytes?,
        destination_ttl: table.destination_ttl,
        cells: table.rows.iter().map(to_cell).collect::<Option<_>>()?,
        packets_sent: table.packets_sent?,
        elapsed_ns: table.elapsed_ns?,
    })
}

fn to_cell(row: &ProbeRow) -> Option<SizeCell> {
    let needed = |error: &ProbeError| {
        Some(FragmentationNeeded {
            from: error.from.as_ref()?.address?,
            mtu_bytes: error.mtu_bytes,
        })
    };
    Some(SizeCell {
        mode: match row.dont_fragment? {
            true => SizeProbeMode::DontFragment,
            false => SizeProbeMode::MayFragment,
        },
        ttl: row.ttl,
        size_bytes: row.size_bytes?,
        sent: u16::try_from(row.sent?).unwrap_or(u16::MAX),
        answered: u16::try_from(row.received?).unwrap_or(u16::MAX),
        answered_by: row.answered_by.iter().filter_map(|node| node.address).collect(),
        fragmentation_needed: row.errors.iter().filter_map(needed).collect(),
        refused_locally_mtu_bytes: row
            .errors
            .iter()
            .find(|error| error.from.is_none())
            .and_then(|error| error.mtu_bytes),
    })
}

fn to_echo(table: &Probes) -> Option<Echo> {
    Some(Echo {
        source: table.from.address?,
        destination: table.destination.as_ref()?.address?,
        context: table.context?,
        series: table.rows.iter().map(to_series).collect::<Option<_>>()?,
        own_socket_drops: table.own_socket_drops,
        elapsed_ns: table.elapsed_ns?,
    })
}

fn to_series(row: &ProbeRow) -> Option<EchoSeries> {
    Some(EchoSeries {
        mode: row.mode?,
        ttl: row.ttl?,
        address: row.to.address,
        size_bytes: row.size_bytes?,
        sent: row.sent?,
        answered: row.received?,
        rtt: match &row.delay {
            Some(delay) => Some(to_summary(delay)?),
            None => None,
        },
        rate_pps: row.rate_pps?,
    })
}

fn to_ping(row: &ProbeRow) -> PingRow {
    let error = |error: &ProbeError| PingError {
        from: error.from.clone(),
        text: error.text.clone(),
        mtu_bytes: error.mtu_bytes,
        count: error.count,
    };
    PingRow {
        ttl: row.ttl,
        to: row.to.clone(),
        size_bytes: row.size_bytes,
        dont_fragment: row.dont_fragment,
        sent: row.sent,
        received: row.received,
        loss_ratio: row.loss_ratio,
        rtt: row.delay.map(|delay| RttStatistics {
            min_ns: delay.min_ns.and_then(positive),
            mean_ns: delay.mean_ns.and_then(positive),
            max_ns: delay.max_ns.and_then(positive),
            deviation_ns: delay.deviation_ns.and_then(positive),
        }),
        errors: row.errors.iter().map(error).collect(),
    }
}

fn to_one_way(row: &ProbeRow, from: &Node) -> OneWay {
    OneWay {
        from: from.clone(),
        to: row.to.clone(),
        sent: row.sent,
        lost: row.count_lost(),
        loss_ratio: row.loss_ratio,
        duplicates: row.duplicates,
        reordered: row.reordered,
        min_ns: row.delay.and_then(|delay| delay.min_ns),
        median_ns: row.delay.and_then(|delay| delay.p50_ns),
        max_ns: row.delay.and_then(|delay| delay.max_ns),
        clock_error_ns: row.clock_error_ns,
        hops: row.hops_used,
    }
}

fn to_summary(delay: &DelayStatistics) -> Option<RttSummary> {
    Some(RttSummary {
        min_ns: positive(delay.min_ns?)?,
        p50_ns: positive(delay.p50_ns?)?,
        p90_ns: positive(delay.p90_ns?)?,
        p99_ns: positive(delay.p99_ns?)?,
        max_ns: positive(delay.max_ns?)?,
    })
}

fn positive(ns: i64) -> Option<u64> {
    u64::try_from(ns).ok()
}

fn to_transfer(transfer: &Transfer, complaint: &Complaint) -> Payload {
    let own = || {
        let sender = complaint.end_of(&transfer.from)?;
        match transfer.protocol? {
            Transport::Tcp => to_tcp(transfer, sender).map(Payload::TcpThroughput),
            Transport::Udp => to_udp(transfer, sender).map(Payload::UdpStream),
        }
    };
    own().unwrap_or_else(|| Payload::Throughput(to_record(transfer)))
}

fn to_tcp(transfer: &Transfer, sender: End) -> Option<TcpThroughput> {
    let slice = |slice: &TransferInterval| {
        Some(TcpInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            bytes_acked: slice.bytes_acked?,
            bytes_received: slice.bytes_received,
            retransmits: u32::try_from(slice.retransmits?).ok()?,
            cwnd_bytes: slice.cwnd_bytes?,
            rtt_us: u32::try_from(slice.rtt_ns? / 1_000).ok()?,
            delivery_rate_bps: slice.delivery_rate_bps,
        })
    };
    let (at_sender, at_receiver) = (transfer.sender.as_ref()?, transfer.receiver.as_ref()?);
    Some(TcpThroughput {
        sender,
        source: transfer.from.address?,
        destination: transfer.to.address?,
        streams: transfer.streams?,
        requested_mss_bytes: transfer.mss_bytes,
        requested_socket_buffer_bytes: transfer
            .window_bytes
            .map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
        congestion_control: transfer.congestion_control.clone()?,
        bytes_received: transfer.bytes_received?,
        duration_ns: transfer.duration_ns?,
        mean_bps: transfer.received_bps,
        steady_bps: transfer.steady_bps,
        intervals: transfer.intervals.iter().map(slice).collect::<Option<_>>()?,
        sender_accounts: at_sender.accounts.clone(),
        receiver_accounts: at_receiver.accounts.clone(),
        stop: transfer.stop?,
        sender_cpu: at_sender.cpu,
        receiver_cpu: at_receiver.cpu,
        ports: transfer.ports.clone(),
    })
}

fn to_udp(transfer: &Transfer, sender: End) -> Option<UdpStream> {
    let slice = |slice: &TransferInterval| {
        Some(UdpInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            packets: slice.packets_received?,
            lost: slice.packets_lost?,
        })
    };
    let delay = |delay: &v2::OneWayDelay| {
        Some(v1::OneWayDelay {
            same_clock: delay.same_clock,
            min_ns: delay.min_ns,
            above_min: to_summary(&delay.above_min)?,
            samples: delay.samples.clone(),
        })
    };
    Some(UdpStream {
        sender,
        source: transfer.from.address?,
        destination: transfer.to.address?,
        size_bytes: transfer.packet_size_bytes?,
        target_bps: transfer.target_bps?,
        packets_sent: transfer.packets_sent?,
        packets_received: transfer.packets_received?,
        duplicates: transfer.duplicates?,
        reordered: transfer.reordered?,
        sent_bps: transfer.sent_bps,
        received_bps: transfer.received_bps,
        host_drops: transfer.host_drops.clone()?,
        loss_runs: transfer.loss_runs.clone(),
        intervals: transfer.intervals.iter().map(slice).collect::<Option<_>>()?,
        one_way_delay: transfer.one_way_delay.as_ref().and_then(delay),
        duration_ns: transfer.duration_ns?,
        stop: transfer.stop?,
        sender_cpu: transfer.sender.as_ref()?.cpu,
        receiver_cpu: transfer.receiver.as_ref()?.cpu,
    })
}

fn to_record(transfer: &Transfer) -> ThroughputRecord {
    let slice = |slice: &TransferInterval| {
        Some(ThroughputInterval {
            start_ns: slice.start_ns,
            length_ns: slice.length_ns,
            rate_bps: slice.rate()?,
            retransmits: slice.retransmits,
            cwnd_bytes: slice.cwnd_bytes,
            packets_lost: slice.packets_lost.and_then(positive),
        })
    };
    let summed = |bytes: u64| RateBps::of_bytes(bytes, transfer.duration_ns?);
    ThroughputRecord {
        from: transfer.from.clone(),
        to: transfer.to.clone(),
        protocol: transfer.protocol,
        application: transfer.application.clone(),
        streams: transfer.streams,
        window_bytes: transfer.window_bytes,
        mss_bytes: transfer.mss_bytes,
        congestion_control: transfer.congestion_control.clone(),
        duration_ns: transfer.duration_ns,
        target_bps: transfer.target_bps,
        sent_bps: transfer.sent_bps,
        received_bps: transfer.received_bps.or_else(|| summed(transfer.bytes_received?)),
        retransmits: transfer.retransmits,
        packets_sent: transfer.packets_sent,
        packets_lost: transfer.count_lost(),
        packets_reordered: transfer.reordered,
        jitter_ns: transfer.jitter_ns,
        rtt_ns: transfer.rtt_ns,
        note: transfer.note.clone(),
        intervals: transfer.intervals.iter().filter_map(slice).collect(),
    }
}
