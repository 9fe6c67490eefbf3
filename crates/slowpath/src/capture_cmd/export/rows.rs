//! Connections as rows for programs: what columns there are, what stands in them, and as which bytes a row waits for its place.

use crate::capture_cmd::ranking::{main_half, main_way};
use crate::capture_cmd::table::main_limit;
use crate::capture_cmd::text::{data_time_ns, rtt_ns};
use capture::causes::Label;
use capture::flow::{FlowReport, HalfReport};
use capture::{Endpoint, Way};
use evidence::RateBps;
use std::borrow::Cow;
use std::net::IpAddr;

/// What a row is made from; all counts are of the direction that carried most.
pub(crate) struct Told<'a> {
    flow: &'a FlowReport,
    way: Way,
    half: &'a HalfReport,
    limit: Option<(Label, f64)>,
}

/// How the value of a column is had, by its kind. What is not known is absent.
pub(crate) enum Get {
    /// A moment, nanoseconds since 1970.
    Moment(fn(&Told<'_>) -> i64),
    Count(fn(&Told<'_>) -> Option<u64>),
    Number(fn(&Told<'_>) -> Option<f64>),
    /// An address or one of our own words: nothing that needs quotes.
    Word(fn(&Told<'_>) -> Option<Cow<'static, str>>),
}

/// The columns, in their order.
pub(crate) const COLUMNS: &[(&str, Get)] = &[
    ("first_s", Get::Moment(|told| told.flow.first_ns)),
    (
        "from_address",
        Get::Word(|told| Some(told.sender().address.to_string().into())),
    ),
    ("from_port", Get::Count(|told| Some(told.sender().port.into()))),
    (
        "to_address",
        Get::Word(|told| Some(told.receiver().address.to_string().into())),
    ),
    ("to_port", Get::Count(|told| Some(told.receiver().port.into()))),
    ("bytes", Get::Count(|told| Some(told.half.unique_bytes))),
    (
        "duration_s",
        Get::Number(|told| Some(seconds(told.duration_ns()))),
    ),
    ("rate_bps", Get::Number(|told| told.rate_bps())),
    ("min_rtt_s", Get::Number(|told| rtt_ns(told.flow).map(seconds))),
    ("packets", Get::Count(|told| Some(told.half.packets))),
    ("data_packets", Get::Count(|told| Some(told.half.data_packets))),
    (
        "retransmitted_packets",
        Get::Count(|told| Some(told.half.retransmitted_packets)),
    ),
    (
        "retransmitted_bytes",
        Get::Count(|told| Some(told.half.retransmitted_bytes)),
    ),
    ("fast", Get::Count(|told| Some(told.half.fast_retransmissions))),
    ("timeouts", Get::Count(|told| Some(told.half.timeouts))),
    ("tail_probes", Get::Count(|told| Some(told.half.tail_probes))),
    (
        "spurious",
        Get::Count(|told| Some(told.half.spurious_retransmissions)),
    ),
    ("lost_behind", Get::Count(|told| Some(told.half.lost_behind))),
    ("lost_before", Get::Count(|told| Some(told.half.lost_before))),
    ("reordered", Get::Count(|told| Some(told.half.reordered))),
    ("duplicated", Get::Count(|told| Some(told.half.duplicated))),
    ("zero_windows", Get::Count(|told| Some(told.half.zero_windows))),
    (
        "largest_flight_bytes",
        Get::Count(|told| Some(told.half.largest_flight_bytes)),
    ),
    (
        "largest_window_bytes",
        Get::Count(|told| told.largest_window_bytes()),
    ),
    ("unseen_bytes", Get::Count(|told| Some(told.half.unseen_bytes))),
    ("ending", Get::Word(|told| kebab(&told.flow.ending))),
    ("limited_by", Get::Word(|told| kebab(&told.limit?.0))),
    (
        "limited_share",
        Get::Number(|told| Some((told.limit?.1 * 1e3).round() / 1e3)),
    ),
];

impl<'a> Told<'a> {
    fn of(flow: &'a FlowReport) -> Self {
        Self {
            flow,
            way: main_way(flow),
            half: main_half(flow),
            limit: main_limit(flow),
        }
    }

    fn sender(&self) -> Endpoint {
        self.flow.key.sender(self.way)
    }

    fn receiver(&self) -> Endpoint {
        self.flow.key.receiver(self.way)
    }

    fn duration_ns(&self) -> i64 {
        data_time_ns(self.half)
    }

    fn rate_bps(&self) -> Option<f64> {
        let ns = u64::try_from(self.duration_ns()).unwrap_or(0);
        RateBps::of_bytes(self.half.unique_bytes, ns).map(|rate| rate.0.round())
    }

    fn largest_window_bytes(&self) -> Option<u64> {
        self.half.window_bytes.map(|(most, _)| most)
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

/// Adds a connection as bytes: what tells its place among others, then its columns. Bytes that are less come earlier, by the
/// time of the first packet and then by the ends, whatever thread made them.
pub(crate) fn encode(flow: &FlowReport, out: &mut Vec<u8>) {
    let sign = 1_u64 << 63;
    out.extend((flow.first_ns as u64 ^ sign).to_be_bytes());
    for end in [flow.key.low, flow.key.high] {
        match end.address {
            IpAddr::V4(address) => {
                out.push(4);
                out.extend(address.octets());
            }
            IpAddr::V6(address) => {
                out.push(6);
                out.extend(address.octets());
            }
        }
        out.extend(end.port.to_be_bytes());
    }
    let told = Told::of(flow);
    for (_, get) in COLUMNS {
        match get {
            Get::Moment(get) => out.extend(get(&told).to_le_bytes()),
            Get::Count(get) => put_count(get(&told), out),
            Get::Number(get) => {
                let number = get(&told);
                out.push(u8::from(number.is_some()));
                out.extend(number.map(f64::to_le_bytes).into_iter().flatten());
            }
            Get::Word(get) => {
                let word = get(&told);
                put_count(word.as_ref().map(|word| word.len() as u64), out);
                out.extend(word.iter().flat_map(|word| word.bytes()));
            }
        }
    }
}

/// Seven bits a byte, the low ones first; nothing is told from zero by being less by one.
fn put_count(count: Option<u64>, out: &mut Vec<u8>) {
    let mut rest = count.map_or(0, |count| u128::from(count) + 1);
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// What stands in a column of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    Moment(i64),
    Count(Option<u64>),
    Number(Option<f64>),
    Word(Option<&'a str>),
}

/// The columns of a row from what [`encode`] made of it; `None` when these are other bytes.
pub(crate) fn decode<'a>(bytes: &'a [u8], out: &mut Vec<Value<'a>>) -> Option<()> {
    out.clear();
    let mut rest = Rest(bytes);
    rest.take(8)?;
    for _ in 0..2 {
        let length = if rest.take(1)? == [4] { 4 } else { 16 };
        rest.take(length + 2)?;
    }
    for (_, get) in COLUMNS {
        out.push(match get {
            Get::Moment(_) => Value::Moment(i64::from_le_bytes(rest.take(8)?.try_into().ok()?)),
            Get::Count(_) => Value::Count(rest.count()?),
            Get::Number(_) if rest.take(1)? == [0] => Value::Number(None),
            Get::Number(_) => Value::Number(Some(f64::from_le_bytes(rest.take(8)?.try_into().ok()?))),
            Get::Word(_) => Value::Word(match rest.count()? {
                None => None,
                Some(length) => {
                    let bytes = rest.take(usize::try_from(length).ok()?)?;
                    Some(std::str::from_utf8(bytes).ok()?)
                }
            }),
        });
    }
    rest.0.is_empty().then_some(())
}

/// Bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<Option<u64>> {
        let mut value = 0_u128;
        for shift in (0..70).step_by(7) {
            let [byte] = *self.take(1)? else { return None };
            value |= u128::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return match value.checked_sub(1) {
                    None => Some(None),
                    Some(count) => u64::try_from(count).ok().map(Some),
                };
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back() {
        for count in [None, Some(0), Some(126), Some(127), Some(128), Some(u64::MAX)] {
            let mut bytes = Vec::new();
            put_count(count, &mut bytes);
            let mut rest = Rest(&bytes);
            assert_eq!(rest.count(), Some(count));
            assert!(rest.0.is_empty());
            bytes.pop();
            assert_eq!(Rest(&bytes).count(), None);
        }
    }
}
