//! Tables of probes: what were path MTU searches, echoes per hop, pings and one-way streams.

use crate::v1::{
    Echo, EchoSeries, FragmentationNeeded, OneWay, PathMtu, PingRow, Pings, RttStatistics, RttSummary,
    SizeCell,
};
use crate::{DelayStatistics, EchoMode, Node, ProbeError, ProbeRow, Probes, SizeProbeMode, Way};

pub(super) fn of_path_mtu(sizes: PathMtu, from: Node, to: Node) -> Probes {
    let rows = sizes.cells.into_iter().map(|cell| of_cell(cell, &to)).collect();
    Probes {
        from,
        protocol: Some(sizes.protocol),
        interface_mtu_bytes: Some(sizes.interface_mtu_bytes),
        destination_ttl: sizes.destination_ttl,
        packets_sent: Some(sizes.packets_sent),
        elapsed_ns: Some(sizes.elapsed_ns),
        rows,
        destination: Some(to),
        ..Probes::default()
    }
}

fn of_cell(cell: SizeCell, destination: &Node) -> ProbeRow {
    let answered_by: Vec<Node> = cell.answered_by.into_iter().map(Node::from).collect();
    let (mode, to) = match cell.ttl {
        Some(_) => (
            EchoMode::Expiring,
            answered_by.first().cloned().unwrap_or_default(),
        ),
        None => (EchoMode::ToDestination, destination.clone()),
    };
    let refused = cell.refused_locally_mtu_bytes.map(|mtu| ProbeError {
        from: None,
        text: ProbeError::REFUSED_LOCALLY.to_owned(),
        mtu_bytes: Some(mtu),
        count: 1,
    });
    ProbeRow {
        mode: Some(mode),
        ttl: cell.ttl,
        to,
        answered_by,
        size_bytes: Some(cell.size_bytes),
        dont_fragment: Some(cell.mode == SizeProbeMode::DontFragment),
        sent: Some(cell.sent.into()),
        received: Some(cell.answered.into()),
        errors: (cell.fragmentation_needed.into_iter().map(too_big))
            .chain(refused)
            .collect(),
        ..ProbeRow::default()
    }
}

fn too_big(word: FragmentationNeeded) -> ProbeError {
    ProbeError {
        from: Some(word.from.into()),
        text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
        mtu_bytes: word.mtu_bytes,
        count: 1,
    }
}

pub(super) fn of_echo(echo: Echo, from: Node, to: Node) -> Probes {
    Probes {
        from,
        destination: Some(to),
        context: Some(echo.context),
        own_socket_drops: echo.own_socket_drops,
        elapsed_ns: Some(echo.elapsed_ns),
        rows: echo.series.into_iter().map(of_series).collect(),
        ..Probes::default()
    }
}

fn of_series(series: EchoSeries) -> ProbeRow {
    let to = series.address.map(Node::from).unwrap_or_default();
    // The address of an expiring probe is known by its answer alone.
    let answered = series.mode == EchoMode::Expiring && series.address.is_some();
    ProbeRow {
        mode: Some(series.mode),
        ttl: Some(series.ttl),
        answered_by: answered.then(|| to.clone()).into_iter().collect(),
        to,
        size_bytes: Some(series.size_bytes),
        sent: Some(series.sent),
        received: Some(series.answered),
        delay: series.rtt.map(of_summary),
        rate_pps: Some(series.rate_pps),
        ..ProbeRow::default()
    }
}

pub(super) fn of_pings(pings: Pings) -> Probes {
    let row = |row: PingRow| ProbeRow {
        ttl: row.ttl,
        to: row.to,
        size_bytes: row.size_bytes,
        dont_fragment: row.dont_fragment,
        sent: row.sent,
        received: row.received,
        loss_ratio: row.loss_ratio,
        delay: row.rtt.map(of_statistics),
        errors: row
            .errors
            .into_iter()
            .map(|error| ProbeError {
                from: error.from,
                text: error.text,
                mtu_bytes: error.mtu_bytes,
                count: error.count,
            })
            .collect(),
        ..ProbeRow::default()
    };
    Probes {
        from: pings.from,
        destination: pings.destination,
        rows: pings.rows.into_iter().map(row).collect(),
        ..Probes::default()
    }
}

pub(super) fn of_one_way(stream: OneWay) -> Probes {
    let received = || stream.sent?.checked_sub(stream.lost?);
    let delay = DelayStatistics {
        min_ns: stream.min_ns,
        p50_ns: stream.median_ns,
        max_ns: stream.max_ns,
        ..DelayStatistics::default()
    };
    let row = ProbeRow {
        way: Way::OneWay,
        to: stream.to,
        sent: stream.sent,
        received: received(),
        lost: stream.lost.filter(|_| received().is_none()),
        loss_ratio: stream.loss_ratio,
        duplicates: stream.duplicates,
        reordered: stream.reordered,
        delay: Some(delay).filter(|delay| *delay != DelayStatistics::default()),
        clock_error_ns: stream.clock_error_ns,
        hops_used: stream.hops,
        ..ProbeRow::default()
    };
    Probes {
        from: stream.from,
        rows: vec![row],
        ..Probes::default()
    }
}

/// Order statistics. No delay is longer than the 292 years that an `i64` holds.
pub(super) fn of_summary(rtt: RttSummary) -> DelayStatistics {
    DelayStatistics {
        min_ns: ns(rtt.min_ns),
        mean_ns: None,
        p50_ns: ns(rtt.p50_ns),
        p90_ns: ns(rtt.p90_ns),
        p99_ns: ns(rtt.p99_ns),
        max_ns: ns(rtt.max_ns),
        deviation_ns: None,
    }
}

fn of_statistics(rtt: RttStatistics) -> DelayStatistics {
    DelayStatistics {
        min_ns: rtt.min_ns.and_then(ns),
        mean_ns: rtt.mean_ns.and_then(ns),
        max_ns: rtt.max_ns.and_then(ns),
        deviation_ns: rtt.deviation_ns.and_then(ns),
        ..DelayStatistics::default()
    }
}

fn ns(unsigned: u64) -> Option<i64> {
    Some(i64::try_from(unsigned).unwrap_or(i64::MAX))
}
