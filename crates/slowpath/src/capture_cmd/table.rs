//! Connections as a table for people.

use super::ranking::{bytes, main_half, main_way};
use super::text::{data_time_ns, label, rtt_ns};
use capture::causes::Label;
use capture::flow::FlowReport;
use capture::measured;
use evidence::RateBps;
use std::fmt::Write as _;

/// The reason with most of the time, and its share.
pub(super) fn main_limit(flow: &FlowReport) -> Option<(Label, f64)> {
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
            "and {} (--csv and --parquet write all)",
            words::plural(more, "smaller one", "smaller ones")
        );
    }
    text
}
