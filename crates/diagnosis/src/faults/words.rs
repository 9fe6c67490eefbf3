//! Phrases that several faults use, so that a verdict speaks with one voice.

use evidence::{HopRef, Nanos, RateBps, RateRange, SeriesMetric, Timestamp};
use jiff::tz::Offset;
use libm::{log10, pow};
use stats::{Regime, Step};

/// "hop 8 (a, 192.0.2.1)"; hop 0 is the vantage and goes by its own name.
pub(crate) fn hop(hop: &HopRef) -> String {
    match (hop.ttl, &hop.name, hop.address) {
        (0, Some(name), _) => name.clone(),
        (0, None, Some(address)) => address.to_string(),
        _ => hop.to_string(),
    }
}

/// A loss ratio with two digits and a readable power: "2.0e-5", "0.30 %"; none at all is "0 %".
pub(crate) fn loss(ratio: f64) -> String {
    if ratio == 0.0 {
        "0 %".into()
    } else if ratio >= 1e-3 {
        format!("{:.2} %", ratio * 100.0)
    } else {
        format!("{ratio:.1e}")
    }
}

/// "one packet in 50,000 is lost", or in per cent where it is many.
pub(crate) fn one_in(ratio: f64) -> String {
    if ratio >= 0.005 {
        return format!("{} of packets are lost", loss(ratio));
    }
    if ratio <= 0.0 {
        return "packets are lost".into();
    }
    // Two digits: a dozen losses carry no more.
    let one_in = 1.0 / ratio;
    let scale = pow(10.0, log10(one_in).floor() - 1.0);
    let rounded = ((one_in / scale).round() * scale) as u64;
    format!("one packet in {} is lost", thousands(rounded))
}

/// 12000 as "12,000".
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes with a binary prefix as buffers are set, "85 KiB", "32 MiB"; a round decimal figure as people state it: "132 kB".
pub(crate) fn buffer(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_000_000 if bytes.is_multiple_of(1_000) => format!("{} kB", bytes / 1_000),
        10_240..10_485_760 => format!("{} KiB", bytes / 1_024),
        _ if bytes.is_multiple_of(1_000_000) => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

/// The first few of many: "a, b and 7 more".
pub(crate) fn first_few(all: &[String], few: usize) -> String {
    let shown = all.get(..all.len().min(few)).unwrap_or(&[]).join(", ");
    match all.len().saturating_sub(few) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A rate with two digits: what is known to a factor carries no more.
pub(crate) fn about(bps: f64) -> RateBps {
    RateBps(two_digits(bps))
}

/// Bytes with two digits.
pub(crate) fn about_bytes(bytes: f64) -> String {
    match two_digits(bytes) {
        bytes if bytes >= 1e6 => format!("{} MB", bytes / 1e6),
        bytes if bytes >= 1e4 => format!("{} kB", bytes / 1e3),
        bytes => format!("{bytes} bytes"),
    }
}

fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// A range around a best estimate.
pub(crate) fn range(low: f64, best: f64, high: f64) -> RateRange {
    RateRange {
        low: RateBps(low.min(best)),
        best: RateBps(best),
        high: RateBps(high.max(best)),
    }
}

/// A point in time to the second, in the zone of the complaint: `2003-08-27 12:25:07 UTC`.
pub(crate) fn moment(at: Timestamp, utc_offset_s: Option<i32>) -> String {
    let offset_s = utc_offset_s.unwrap_or(0);
    format!("{} {}", clock(at, offset_s, "%F %T"), zone(offset_s))
}

/// As [`interval`], to the second: `[2003-08-27 12:25:07, 12:25:09] UTC`.
pub(crate) fn moments(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>) -> String {
    between(from, to, utc_offset_s, "%T")
}

/// A stretch of time as an interval: `[2003-08-27 12:25, 13:55] UTC`; in the zone that the complaint is told in, where
/// there is one: `[2003-08-27 05:25, 06:55] UTC-7`.
pub(crate) fn interval(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>) -> String {
    between(from, to, utc_offset_s, "%R")
}

fn clock(at: Timestamp, offset_s: i32, format: &str) -> String {
    let offset = Offset::from_seconds(offset_s).unwrap_or(Offset::UTC);
    jiff::Timestamp::from_nanosecond(i128::from(at.0)).map_or_else(
        |_| format!("{} ns", at.0),
        |at| offset.to_datetime(at).strftime(format).to_string(),
    )
}

fn between(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>, time: &str) -> String {
    let offset_s = utc_offset_s.unwrap_or(0);
    let day = |at| clock(at, offset_s, "%F");
    let start = format!("{} {}", day(from), clock(from, offset_s, time));
    let mut end = clock(to, offset_s, time);
    if day(from) != day(to) {
        end = format!("{} {end}", day(to));
    }
    format!("[{start}, {end}] {}", zone(offset_s))
}

/// A level of a series.
pub(crate) fn level(metric: SeriesMetric, value: f64) -> String {
    match metric {
        SeriesMetric::Throughput => RateBps(value).to_string(),
        SeriesMetric::Rtt => Nanos((value * 1e9) as u64).to_string(),
        SeriesMetric::LossRatio | SeriesMetric::Utilisation => loss(value),
    }
}

/// A step of a series: `450 Mbit/s to 58 Mbit/s in [2003-08-27 12:25, 13:55] UTC`.
pub(crate) fn step(metric: SeriesMetric, step: &Step, utc_offset_s: Option<i32>) -> String {
    /// A stretch of fewer values is told by the one next to the step.
    const FEW: usize = 4;
    let told =
        |regime: &Regime, value: f64| level(metric, if regime.points < FEW { value } else { regime.level });
    format!(
        "{} to {} in {}",
        told(&step.before, step.values.0),
        told(&step.after, step.values.1),
        interval(step.between.from, step.between.to, utc_offset_s)
    )
}

/// `UTC`, `UTC-7`, `UTC+5:30`.
fn zone(offset_s: i32) -> String {
    let (sign, minutes) = (if offset_s < 0 { '-' } else { '+' }, offset_s.unsigned_abs() / 60);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

/// What stays open where large packets vanish, and what would decide.
pub(crate) const OPEN_BLACK_HOLE: &str = "MTU-001 and MTU-002 look much the same from outside: ask the router before the link which \
    MTU it has there, or send packets that may be fragmented to the hop behind it";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc() {
        let hours = |h: i64| Timestamp(h * 3_600_000_000_000);
        assert_eq!(
            interval(hours(1), hours(2), None),
            "[1970-01-01 01:00, 02:00] UTC"
        );
        assert_eq!(
            interval(hours(1), hours(25), None),
            "[1970-01-01 01:00, 1970-01-02 01:00] UTC"
        );
        assert_eq!(
            interval(hours(9), hours(10), Some(-25_200)),
            "[1970-01-01 02:00, 03:00] UTC-7"
        );
        assert_eq!(zone(19_800), "UTC+5:30");
        let at = Timestamp(1_061_989_505_000_000_000);
        assert_eq!(moment(at, Some(-25_200)), "2003-08-27 06:05:05 UTC-7");
        assert_eq!(
            moments(at, at.plus_ns(2_100_000_000), None),
            "[2003-08-27 13:05:05, 13:05:07] UTC"
        );
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(thousands(12_000), "12,000");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(loss(2e-5), "2.0e-5");
        assert_eq!(loss(0.003), "0.30 %");
        assert_eq!(buffer(87_040), "85 KiB");
        assert_eq!(buffer(132_000), "132 kB");
    }
}
