//! Connections as rows for programs: what columns there are, and what stands in them.

use super::ranking::{main_half, main_way};
use super::table::main_limit;
use super::text::{data_time_ns, rtt_ns};
use capture::causes::Label;
use capture::flow::{Ending, FlowReport};
use capture::{Endpoint, FlowKey};
use evidence::RateBps;
use std::borrow::Cow;

/// What is told of a connection; all counts are of the direction that carried most. Small, as there is one for each.
#[derive(Debug)]
pub(crate) struct Row {
    first_ns: i64,
    key: FlowKey,
    from: Endpoint,
    to: Endpoint,
    bytes: u64,
    duration_ns: i64,
    min_rtt_ns: Option<i64>,
    packets: u64,
    data_packets: u64,
    retransmitted_packets: u64,
    retransmitted_bytes: u64,
    fast: u64,
    timeouts: u64,
    tail_probes: u64,
    spurious: u64,
    lost_behind: u64,
    lost_before: u64,
    reordered: u64,
    duplicated: u64,
    zero_windows: u64,
    largest_flight_bytes: u64,
    largest_window_bytes: Option<u64>,
    unseen_bytes: u64,
    ending: Ending,
    limit: Option<(Label, f64)>,
}

/// How the value of a column is had, by its kind. What is not known is absent.
pub(crate) enum Get {
    /// A moment, nanoseconds since 1970.
    Moment(fn(&Row) -> i64),
    Count(fn(&Row) -> Option<u64>),
    Number(fn(&Row) -> Option<f64>),
    /// An address or one of our own words: nothing that needs quotes.
    Word(fn(&Row) -> Option<Cow<'static, str>>),
}

/// The columns, in their order.
pub(crate) const COLUMNS: &[(&str, Get)] = &[
    ("first_s", Get::Moment(|row| row.first_ns)),
    (
        "from_address",
        Get::Word(|row| Some(row.from.address.to_string().into())),
    ),
    ("from_port", Get::Count(|row| Some(row.from.port.into()))),
    (
        "to_address",
        Get::Word(|row| Some(row.to.address.to_string().into())),
    ),
    ("to_port", Get::Count(|row| Some(row.to.port.into()))),
    ("bytes", Get::Count(|row| Some(row.bytes))),
    ("duration_s", Get::Number(|row| Some(seconds(row.duration_ns)))),
    ("rate_bps", Get::Number(Row::rate_bps)),
    ("min_rtt_s", Get::Number(|row| row.min_rtt_ns.map(seconds))),
    ("packets", Get::Count(|row| Some(row.packets))),
    ("data_packets", Get::Count(|row| Some(row.data_packets))),
    (
        "retransmitted_packets",
        Get::Count(|row| Some(row.retransmitted_packets)),
    ),
    (
        "retransmitted_bytes",
        Get::Count(|row| Some(row.retransmitted_bytes)),
    ),
    ("fast", Get::Count(|row| Some(row.fast))),
    ("timeouts", Get::Count(|row| Some(row.timeouts))),
    ("tail_probes", Get::Count(|row| Some(row.tail_probes))),
    ("spurious", Get::Count(|row| Some(row.spurious))),
    ("lost_behind", Get::Count(|row| Some(row.lost_behind))),
    ("lost_before", Get::Count(|row| Some(row.lost_before))),
    ("reordered", Get::Count(|row| Some(row.reordered))),
    ("duplicated", Get::Count(|row| Some(row.duplicated))),
    ("zero_windows", Get::Count(|row| Some(row.zero_windows))),
    (
        "largest_flight_bytes",
        Get::Count(|row| Some(row.largest_flight_bytes)),
    ),
    ("largest_window_bytes", Get::Count(|row| row.largest_window_bytes)),
    ("unseen_bytes", Get::Count(|row| Some(row.unseen_bytes))),
    ("ending", Get::Word(|row| kebab(&row.ending))),
    ("limited_by", Get::Word(|row| kebab(&row.limit?.0))),
    (
        "limited_share",
        Get::Number(|row| Some((row.limit?.1 * 1e3).round() / 1e3)),
    ),
];

impl Row {
    pub(crate) fn of(flow: &FlowReport) -> Self {
        let (way, half) = (main_way(flow), main_half(flow));
        Self {
            first_ns: flow.first_ns,
            key: flow.key,
            from: flow.key.sender(way),
            to: flow.key.receiver(way),
            bytes: half.unique_bytes,
            duration_ns: data_time_ns(half),
            min_rtt_ns: rtt_ns(flow),
            packets: half.packets,
            data_packets: half.data_packets,
            retransmitted_packets: half.retransmitted_packets,
            retransmitted_bytes: half.retransmitted_bytes,
            fast: half.fast_retransmissions,
            timeouts: half.timeouts,
            tail_probes: half.tail_probes,
            spurious: half.spurious_retransmissions,
            lost_behind: half.lost_behind,
            lost_before: half.lost_before,
            reordered: half.reordered,
            duplicated: half.duplicated,
            zero_windows: half.zero_windows,
            largest_flight_bytes: half.largest_flight_bytes,
            largest_window_bytes: half.window_bytes.map(|(most, _)| most),
            unseen_bytes: half.unseen_bytes,
            ending: flow.ending,
            limit: main_limit(flow),
        }
    }

    /// The order of rows, whatever thread made them.
    pub(crate) fn rank(&self) -> (i64, FlowKey) {
        (self.first_ns, self.key)
    }

    fn rate_bps(&self) -> Option<f64> {
        let ns = u64::try_from(self.duration_ns).unwrap_or(0);
        RateBps::of_bytes(self.bytes, ns).map(|rate| rate.0.round())
    }
}

fn seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}

/// A word as the JSON has it.
fn kebab(value: &impl serde::Serialize) -> Option<Cow<'static, str>> {
    let json = serde_json::to_value(value).ok()?;
    Some(json.as_str()?.to_owned().into())
}
