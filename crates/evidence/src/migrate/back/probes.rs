//! Tables of probes: sizes per hop, echoes per hop, pings, one-way streams.

use crate::v1::{
    Echo, EchoSeries, FragmentationNeeded, OneWay, PathMtu, Payload, PingError, PingRow, Pings,
    RttStatistics, RttSummary, SizeCell,
};
use crate::{DelayStatistics, Node, ProbeError, ProbeRow, Probes, SizeProbeMode, Way};

/// Sizes per hop, echoes per hop, or what other tools print: pings, and each one-way row for itself.
pub(super) fn to_tables(table: &Probes) -> Vec<Payload> {
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

pub(super) fn to_summary(delay: &DelayStatistics) -> Option<RttSummary> {
    Some(RttSummary {
        min_ns: positive(delay.min_ns?)?,
        p50_ns: positive(delay.p50_ns?)?,
        p90_ns: positive(delay.p90_ns?)?,
        p99_ns: positive(delay.p99_ns?)?,
        max_ns: positive(delay.max_ns?)?,
    })
}

pub(super) fn positive(ns: i64) -> Option<u64> {
    u64::try_from(ns).ok()
}
