//! Records of other people's tools, each in a line.

use crate::comparison::median;
use crate::views::interfaces::{kind_words, share_of_packets};
use crate::views::series::value_words;
use crate::words::{self, count, plural};
use evidence::v1::{
    CounterChain, InterfaceCounters, LinkCapacities, Nanos, OneWay, Payload, PingRow, Pings, RouteHistory,
    Series, SocketState, Sockets, Statement, ThroughputRecord, Trace,
};

/// What a record holds, without its kind. Not yet cleaned. Empty for our own measurements.
pub(crate) fn summary(payload: &Payload) -> String {
    match payload {
        Payload::Trace(trace) => trace_summary(trace),
        Payload::Pings(pings) => pings_summary(pings),
        Payload::OneWay(one_way) => one_way_summary(one_way),
        Payload::LinkCapacities(path) => capacities_summary(path),
        Payload::Throughput(transfer) => transfer_summary(transfer),
        Payload::Series(series) => series_summary(series),
        Payload::RouteHistory(history) => history_summary(history),
        Payload::InterfaceCounters(counters) => interface_summary(counters),
        Payload::CounterChain(chain) => chain_summary(chain),
        Payload::Sockets(sockets) => sockets_summary(sockets),
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
    if let [row] = pings.rows.as_slice() {
        return format!("{} to {}: {}", pings.from, row.to, row_summary(row));
    }
    let to = pings
        .destination
        .as_ref()
        .map_or(String::new(), |to| format!(" towards {to}"));
    let rows = plural(pings.rows.len() as u64, "row", "rows");
    let silent = pings
        .rows
        .iter()
        .filter(|row| row_loss(row).is_some_and(|loss| loss >= 1.0))
        .count();
    let some = pings
        .rows
        .iter()
        .filter(|row| row_loss(row).is_some_and(|loss| loss > 0.0 && loss < 1.0))
        .count();
    format!(
        "{rows} from {}{to}: {silent} without an answer, {some} with some loss",
        pings.from
    )
}

/// The share lost of a row.
fn row_loss(row: &PingRow) -> Option<f64> {
    match row.sent.zip(row.received) {
        Some((sent, received)) if sent > 0 => Some(sent.saturating_sub(received) as f64 / sent as f64),
        _ => row.loss_ratio,
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
        (_, _, Some(loss)) => format!("{size}lost {}", words::share(loss)),
        _ => format!("{size}loss not told"),
    }
}

fn one_way_summary(one_way: &OneWay) -> String {
    let loss = match (one_way.lost, one_way.sent, one_way.loss_ratio) {
        (Some(lost), Some(sent), _) => format!("lost {}", words::lost_of(lost, sent)),
        (_, _, Some(ratio)) => format!("lost {}", words::share(ratio)),
        _ => "loss not told".to_owned(),
    };
    let delay = one_way.min_ns.zip(one_way.max_ns).map(|(min, max)| {
        format!(
            ", delays within {}",
            Nanos(u64::try_from(max.saturating_sub(min)).unwrap_or(0))
        )
    });
    let reordered = one_way
        .reordered
        .filter(|n| *n > 0)
        .map(|n| format!(", {} reordered", count(n)));
    format!(
        "{} to {}: {loss}{}{}",
        one_way.from,
        one_way.to,
        reordered.unwrap_or_default(),
        delay.unwrap_or_default()
    )
}

fn transfer_summary(transfer: &ThroughputRecord) -> String {
    let rate = transfer
        .rate()
        .map_or_else(|| "rate not told".to_owned(), |rate| rate.to_string());
    let application = transfer
        .application
        .as_deref()
        .map_or_else(String::new, |a| format!("{a}: "));
    let mut facts = vec![rate];
    facts.extend(
        transfer
            .streams
            .map(|n| plural(u64::from(n), "stream", "streams")),
    );
    facts.extend(
        transfer
            .window_bytes
            .map(|n| format!("window {}", words::bytes(n))),
    );
    facts.extend(transfer.duration_ns.map(|ns| format!("in {}", words::long(ns))));
    facts.extend(
        transfer
            .retransmits
            .map(|n| plural(n, "retransmit", "retransmits")),
    );
    let lost = transfer.packets_lost.zip(transfer.packets_sent);
    facts.extend(lost.map(|(lost, sent)| format!("{} packets lost", words::lost_of(lost, sent))));
    facts.extend(transfer.rtt_ns.map(|rtt| format!("RTT {}", Nanos(rtt))));
    format!(
        "{application}{} to {}: {}",
        transfer.from,
        transfer.to,
        facts.join(", ")
    )
}

fn series_summary(series: &Series) -> String {
    let span = match (series.points.first(), series.points.last()) {
        (Some((first, _)), Some((last, _))) => {
            format!(", {} to {}", words::when(*first), words::when(*last))
        }
        _ => String::new(),
    };
    let mut values: Vec<f64> = series
        .points
        .iter()
        .map(|(_, value)| *value)
        .filter(|v| v.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    let show = |value: f64| value_words(series.metric, value);
    let figures = match (median(&values), values.first(), values.last()) {
        (Some(median), Some(low), Some(high)) => {
            format!("; median {}, {} to {}", show(median), show(*low), show(*high))
        }
        _ => String::new(),
    };
    format!(
        "{} of {} from {} to {}{span}{figures}",
        plural(series.points.len() as u64, "value", "values"),
        words::metric(series.metric),
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
            let share = share_of_packets(interface, *kind);
            let share = share.map_or(String::new(), |share| format!(" ({})", words::share(share)));
            format!("{} {}{share}", kind_words(*kind), count(*value))
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
    let counted: Vec<u64> = chain
        .points
        .iter()
        .filter_map(|p| p.packets)
        .filter(|n| *n > 0)
        .collect();
    let figures = match (counted.first(), counted.last()) {
        (Some(first), Some(last)) if last > first => {
            format!(
                ": {} at the first, {} at the last, which is more",
                count(*first),
                count(*last)
            )
        }
        (Some(first), Some(last)) => {
            format!(": {} missing at the last", words::lost_of(first - last, *first))
        }
        _ => String::new(),
    };
    let reported = chain.reported_lost.map_or(String::new(), |n| {
        format!("; {} lost, says the receiver", count(n))
    });
    format!(
        "{}: {} from {} to {}{figures}{reported}",
        chain.label,
        plural(chain.points.len() as u64, "point", "points"),
        chain.from,
        chain.to
    )
}

fn capacities_summary(path: &LinkCapacities) -> String {
    let known = path
        .links
        .iter()
        .filter_map(|link| Some((link.capacity_bps?, link.ttl)));
    let slowest = known
        .filter(|(rate, _)| rate.0.is_finite())
        .min_by(|a, b| a.0.0.total_cmp(&b.0.0));
    let slowest = slowest.map_or(String::new(), |(rate, ttl)| {
        format!("; the slowest, before hop {ttl}: {rate}")
    });
    let links = plural(path.links.len() as u64, "link", "links");
    format!("{links} from {} to {}{slowest}", path.from, path.to)
}

fn sockets_summary(sockets: &Sockets) -> String {
    let connections = plural(
        sockets.connections.len() as u64,
        "TCP connection",
        "TCP connections",
    );
    let shown: Vec<String> = sockets.connections.iter().map(connection_summary).collect();
    match shown.is_empty() {
        true => connections,
        false => format!("{connections}: {}", crate::observations::few(&shown)),
    }
}

/// The figures that tell why a connection is as fast as it is; what the kernel did not print is left out.
fn connection_summary(connection: &SocketState) -> String {
    let account = &connection.account;
    let busy = account.busy_us.filter(|busy| *busy > 0);
    let share = |limited: Option<u64>| Some((limited.filter(|us| *us > 0)? as f64, busy? as f64));
    let limited = |limited: Option<u64>, by: &str| {
        let (limited, busy) = share(limited)?;
        Some(format!("{} of it {by}", words::share(limited / busy)))
    };
    let parts = [
        connection.congestion_control.clone(),
        account
            .rtt_us
            .map(|us| format!("RTT {}", Nanos(u64::from(us) * 1_000))),
        account
            .cwnd_segments
            .map(|segments| format!("cwnd {}", plural(u64::from(segments), "segment", "segments"))),
        busy.map(|us| format!("busy {}", Nanos(us.saturating_mul(1_000)))),
        limited(
            account.receive_window_limited_us,
            "limited by the receiver's window",
        ),
        limited(account.send_buffer_limited_us, "limited by its own buffer"),
        account
            .retransmitted_segments
            .filter(|segments| *segments > 0)
            .map(|segments| plural(segments, "retransmit", "retransmits")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let ends = format!("{} to {}", connection.local, connection.peer);
    match parts.is_empty() {
        true => ends,
        false => format!("{ends} ({})", parts.join(", ")),
    }
}

fn statement_summary(statement: &Statement) -> String {
    let about = statement
        .subject
        .as_deref()
        .map_or_else(String::new, |s| format!("{s}: "));
    format!("{about}{}", statement.text)
}
