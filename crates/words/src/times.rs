//! Times and stretches of time, in UTC or in the zone in which a complaint tells them.

use evidence::{Nanos, Timestamp};
use jiff::tz::Offset;

/// `2026-11-21 07:58:02 UTC`.
#[must_use]
pub fn when(at: Timestamp) -> String {
    moment(at, None)
}

/// `2026-11-21 07:58`.
#[must_use]
pub fn minute(at: Timestamp) -> String {
    formatted(at, "%F %R")
}

/// `07:58:02.125`: for lists that name the day once.
#[must_use]
pub fn clock(at: Timestamp) -> String {
    formatted(at, "%T.%3f")
}

/// A time in UTC, in `strftime` words.
#[must_use]
pub fn formatted(at: Timestamp, format: &str) -> String {
    in_zone(at, 0, format)
}

/// A point in time to the second, in the zone of a complaint: `2003-08-27 12:25:07 UTC`.
#[must_use]
pub fn moment(at: Timestamp, utc_offset_s: Option<i32>) -> String {
    let offset_s = utc_offset_s.unwrap_or(0);
    format!("{} {}", in_zone(at, offset_s, "%F %T"), zone(offset_s))
}

/// As [`interval`], to the second: `[2003-08-27 12:25:07, 12:25:09] UTC`.
#[must_use]
pub fn moments(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>) -> String {
    between(from, to, utc_offset_s, "%T")
}

/// A stretch of time as an interval: `[2003-08-27 12:25, 13:55] UTC`; in the zone that a complaint is told in, where
/// there is one: `[2003-08-27 05:25, 06:55] UTC-7`.
#[must_use]
pub fn interval(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>) -> String {
    between(from, to, utc_offset_s, "%R")
}

/// A long time as a person says it: `36 s`, `12 min`, `3.5 h`, `9 d`.
#[must_use]
pub fn long(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    let in_units = |of: f64, unit: &str| {
        let text = format!("{:.1}", seconds / of);
        format!("{} {unit}", text.trim_end_matches(".0"))
    };
    match seconds {
        s if s < 90.0 => Nanos(ns).to_string(),
        s if s < 5_400.0 => in_units(60.0, "min"),
        s if s < 2.0 * 86_400.0 => in_units(3_600.0, "h"),
        _ => in_units(86_400.0, "d"),
    }
}

fn in_zone(at: Timestamp, offset_s: i32, format: &str) -> String {
    let offset = Offset::from_seconds(offset_s).unwrap_or(Offset::UTC);
    jiff::Timestamp::from_nanosecond(i128::from(at.0)).map_or_else(
        |_| format!("{} ns", at.0),
        |at| offset.to_datetime(at).strftime(format).to_string(),
    )
}

fn between(from: Timestamp, to: Timestamp, utc_offset_s: Option<i32>, time: &str) -> String {
    let offset_s = utc_offset_s.unwrap_or(0);
    let day = |at| in_zone(at, offset_s, "%F");
    let start = format!("{} {}", day(from), in_zone(from, offset_s, time));
    let mut end = in_zone(to, offset_s, time);
    if day(from) != day(to) {
        end = format!("{} {end}", day(to));
    }
    format!("[{start}, {end}] {}", zone(offset_s))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_unless_a_zone_is_told() {
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
        let at = Timestamp(1_061_989_505_125_000_000);
        assert_eq!(when(at), "2003-08-27 13:05:05 UTC");
        assert_eq!(minute(at), "2003-08-27 13:05");
        assert_eq!(clock(at), "13:05:05.125");
        assert_eq!(moment(at, Some(-25_200)), "2003-08-27 06:05:05 UTC-7");
        assert_eq!(
            moments(at, at.plus_ns(2_100_000_000), None),
            "[2003-08-27 13:05:05, 13:05:07] UTC"
        );
    }
}
