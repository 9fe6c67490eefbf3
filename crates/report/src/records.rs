//! Records of other people's tools, each in a line.

use crate::words::{self, count, plural};
use evidence::{
    CounterChain, InterfaceCounters, OneWay, Payload, PingRow, Pings, RouteHistory, Series, Statement,
    ThroughputRecord, Trace,
};

/// What a record holds, without its kind. Not yet cleaned. Empty for our own measurements.
pub(crate) fn summary(payload: &Payload) -> String {
    match payload {
        Payload::Trace(trace) => trace_summary(trace),
        Payload::Pings(pings) => pings_summary(pings),
        Payload::OneWay(one_way) => one_way_summary(one_way),
        Payload::LinkCapacities(path) => format!(
            "{} from {} to {}",
            plural(path.links.len() as u64, "link", "links"),
            path.from,
            path.to
        ),
        Payload::Throughput(transfer) => transfer_summary(transfer),
        Payload::Series(series) => series_summary(series),
        Payload::RouteHistory(history) => history_summary(history),
        Payload::InterfaceCounters(counters) => interface_summary(counters),
        Payload::CounterChain(chain) => chain_summary(chain),
        Payload::Sockets(sockets) => plural(
            sockets.connections.len() as u64,
            "TCP connection",
            "TCP connections",
        ),
        Payload::Statement(statement) => statement_summary(statement),
        _ => String::new(),
    }
}

fn trace_summary(trace: &Trace) -> String {
    let hops = trace.hops.last().map_or(0, |hop| u64::from(hop.ttl));
    let size = trace
        .size_bytes
        .map_or_else(String::new, |size| format!(", {size} bytes"));
    let end = match trace.reached {
        Some(false) => ", which never answered",
        _ => "",
    };
    format!(
        "{} from {} to {}{end}{size}",
        plural(hops, "hop", "hops"),
        trace.from,
        trace.to
    )
}

fn pings_summary(pings: &Pings) -> String {
    match pings.rows.as_slice() {
        [row] => format!("{} to {}: {}", pings.from, row.to, row_summary(row)),
        rows => format!("{} from {}", plural(rows.len() as u64, "row", "rows"), pings.from),
    }
}

fn row_summary(row: &PingRow) -> String {
    let size = row
        .size_bytes
        .map_or_else(String::new, |size| format!("{size} bytes, "));
    match (row.sent, row.received, row.loss_ratio) {
        (Some(sent), Some(received), _) => {
            format!(
                "{size}lost {}",
                words::lost_of(sent.saturating_sub(received), sent)
            )
        }
        (_, _, Some(loss)) => format!("{size}lost {:.2} %", loss * 100.0),
        _ => format!("{size}loss not told"),
    }
}

fn one_way_summary(one_way: &OneWay) -> String {
    let loss = match (one_way.lost, one_way.sent, one_way.loss_ratio) {
        (Some(lost), Some(sent), _) => format!("lost {}", words::lost_of(lost, sent)),
        (_, _, Some(ratio)) => format!("lost {:.4} %", ratio * 100.0),
        _ => "loss not told".to_owned(),
    };
    format!("{} to {}: {loss}", one_way.from, one_way.to)
}

fn transfer_summary(transfer: &ThroughputRecord) -> String {
    let rate = transfer
        .rate()
        .map_or_else(|| "rate not told".to_owned(), |rate| rate.to_string());
    let application = transfer
        .application
        .as_deref()
        .map_or_else(String::new, |a| format!("{a}: "));
    format!("{application}{} to {}: {rate}", transfer.from, transfer.to)
}

fn series_summary(series: &Series) -> String {
    let span = match (series.points.first(), series.points.last()) {
        (Some((first, _)), Some((last, _))) => {
            format!(", {} to {}", words::when(*first), words::when(*last))
        }
        _ => String::new(),
    };
    format!(
        "{} from {} to {}{span}",
        plural(series.points.len() as u64, "value", "values"),
        series.from,
        series.to
    )
}

fn history_summary(history: &RouteHistory) -> String {
    format!(
        "{} over {} from {} to {}",
        plural(history.routes.len() as u64, "route", "routes"),
        plural(history.seen.len() as u64, "trace", "traces"),
        history.from,
        history.to
    )
}

fn interface_summary(interface: &InterfaceCounters) -> String {
    let counters: Vec<String> = interface
        .counters
        .iter()
        .filter(|(_, value)| **value > 0)
        .map(|(kind, value)| {
            let name = serde_json::to_value(kind).ok();
            let name = name
                .as_ref()
                .and_then(|n| n.as_str())
                .unwrap_or_default()
                .replace('-', " ");
            format!("{name} {}", count(*value))
        })
        .collect();
    format!(
        "{} of {}: {}",
        interface.interface,
        interface.device,
        counters.join(", ")
    )
}

fn chain_summary(chain: &CounterChain) -> String {
    format!(
        "{}: {} from {} to {}",
        chain.label,
        plural(chain.points.len() as u64, "point", "points"),
        chain.from,
        chain.to
    )
}

fn statement_summary(statement: &Statement) -> String {
    let about = statement
        .subject
        .as_deref()
        .map_or_else(String::new, |s| format!("{s}: "));
    format!("{about}{}", statement.text)
}
