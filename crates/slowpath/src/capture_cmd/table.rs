//! Connections as rows: a table for people, CSV for programs.

use super::ranking::{bytes, main_half, main_way};
use super::text::{data_time_ns, label, rtt_ns};
use capture::causes::Label;
use capture::flow::FlowReport;
use capture::measured;
use evidence::RateBps;
use std::fmt::Write as _;

/// The columns of the CSV, in their order. All counts are of the direction that carried most.
pub(crate) const COLUMNS: &str = "first_s,from_address,from_port,to_address,to_port,bytes,duration_s,rate_bps,\
    min_rtt_s,packets,data_packets,retransmitted_packets,retransmitted_bytes,fast,timeouts,tail_probes,spurious,\
    lost_behind,lost_before,reordered,duplicated,zero_windows,largest_flight_bytes,largest_window_bytes,unseen_bytes,\
    ending,limited_by,limited_share\n";

/// The reason with most of the time, and its share.
fn main_limit(flow: &FlowReport) -> Option<(Label, f64)> {
    let causes = main_half(flow).causes.as_ref()?;
    let total: i64 = causes
        .shares
        .iter()
        .map(|share| share.time_ns.max(0))
        .fold(0, i64::saturating_add);
    let most = causes
        .shares
        .iter()
        .max_by_key(|share| (share.time_ns, std::cmp::Reverse(share.label)))?;
    (total > 0).then(|| (most.label, most.time_ns as f64 / total as f64))
}

/// A row of the CSV. Nothing in it needs quotes: addresses, numbers and our own words.
pub(crate) fn csv(flow: &FlowReport) -> String {
    let (way, half) = (main_way(flow), main_half(flow));
    let (from, to) = (flow.key.sender(way), flow.key.receiver(way));
    let ns = data_time_ns(half);
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value}"));
    let seconds = |ns: i64| ns as f64 / 1e9;
    let rate = RateBps::of_bytes(half.unique_bytes, u64::try_from(ns).unwrap_or(0)).map(|rate| rate.0);
    let limit = main_limit(flow);
    let mut row = format!(
        "{:.9},{},{},{},{},{},{:.9},{},{},",
        seconds(flow.first_ns),
        from.address,
        from.port,
        to.address,
        to.port,
        half.unique_bytes,
        seconds(ns),
        optional(rate.map(f64::round)),
        optional(rtt_ns(flow).map(seconds)),
    );
    for count in [
        half.packets,
        half.data_packets,
        half.retransmitted_packets,
        half.retransmitted_bytes,
        half.fast_retransmissions,
        half.timeouts,
        half.tail_probes,
        half.spurious_retransmissions,
        half.lost_behind,
        half.lost_before,
        half.reordered,
        half.duplicated,
        half.zero_windows,
        half.largest_flight_bytes,
    ] {
        let _ = write!(row, "{count},");
    }
    let _ = writeln!(
        row,
        "{},{},{},{},{}",
        optional(half.window_bytes.map(|(most, _)| most as f64)),
        half.unseen_bytes,
        kebab(&flow.ending),
        limit.map_or_else(String::new, |(label, _)| kebab(&label)),
        optional(limit.map(|(_, share)| (share * 1e3).round() / 1e3)),
    );
    row
}

/// A word as the JSON has it.
fn kebab(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_value(value).ok();
    json.and_then(|json| json.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// All that were kept, a line each; so many of so many.
pub(crate) fn lines(flows: &[FlowReport], of: u64) -> String {
    let mut text = format!(
        "{:>5} {:<47} {:>9} {:>9} {:>13} {:>9} {:>7}  limited by\n",
        "#", "from and to", "bytes", "time", "rate", "RTT", "retr."
    );
    for (place, flow) in flows.iter().enumerate() {
        let (way, half) = (main_way(flow), main_half(flow));
        let ns = data_time_ns(half);
        let nanos = |ns: i64| evidence::Nanos(u64::try_from(ns).unwrap_or(0)).to_string();
        let rate = RateBps::of_bytes(half.unique_bytes, u64::try_from(ns).unwrap_or(0));
        let limit = main_limit(flow).map_or_else(
            || "—".to_owned(),
            |(of, share)| format!("{} {:.0} %", label(of), 100.0 * share),
        );
        let _ = writeln!(
            text,
            "{:>5} {:<47} {:>9} {:>9} {:>13} {:>9} {:>7}  {limit}",
            place + 1,
            measured::title(&flow.key, way),
            words::bytes(bytes(flow)),
            nanos(ns),
            rate.map_or_else(|| "—".to_owned(), |rate| rate.to_string()),
            rtt_ns(flow).map_or_else(|| "—".to_owned(), nanos),
            words::count(half.retransmitted_packets),
        );
    }
    let more = of.saturating_sub(flows.len() as u64);
    if more > 0 {
        let _ = writeln!(
            text,
            "and {} (--csv writes all)",
            words::plural(more, "smaller one", "smaller ones")
        );
    }
    text
}
