//! Times as people type them. A point in time without a zone is UTC, unless the user says otherwise.

use evidence::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// Seconds east of UTC: `+02:00`, `-0700`, `+2`, `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UtcOffset(pub(crate) i32);

impl std::str::FromStr for UtcOffset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read_offset(text)
            .map(Self)
            .ok_or_else(|| format!("`{text}` is no offset from UTC: write it as +02:00 or -07:00"))
    }
}

fn read_offset(text: &str) -> Option<i32> {
    if matches!(text, "Z" | "z" | "0") {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "00"),
    };
    let number = |text: &str, most: i32| {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let number: i32 = plain.then(|| text.parse().ok())??;
        (number <= most).then_some(number)
    };
    Some(sign * (number(hours, 14)? * 3600 + number(minutes, 59)? * 60))
}

/// A point in time: `2003-08-27T06:05:05Z`, `2003-08-27 06:05 -07:00` as RFC 3339 has it, a date, or `@1061989505`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenTime {
    /// Fully told.
    Instant(Timestamp),
    /// Told without a zone.
    Civil(DateTime),
}

impl GivenTime {
    /// The instant, with `offset` for a time without a zone (UTC where that is not told either).
    pub(crate) fn instant(self, offset: Option<UtcOffset>) -> Option<Timestamp> {
        match self {
            Self::Instant(at) => Some(at),
            Self::Civil(civil) => {
                let offset = Offset::from_seconds(offset.map_or(0, |offset| offset.0)).ok()?;
                to_timestamp(offset.to_timestamp(civil).ok()?)
            }
        }
    }
}

impl std::str::FromStr for GivenTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read_time(text.trim()).ok_or_else(|| {
            format!("`{text}` is no time: write it as 2003-08-27T06:05:05Z, `2003-08-27 06:05` or 2003-08-27")
        })
    }
}

fn read_time(text: &str) -> Option<GivenTime> {
    if let Some(seconds) = text.strip_prefix('@') {
        let ns = seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
        return Some(GivenTime::Instant(Timestamp(ns)));
    }
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return to_timestamp(instant).map(GivenTime::Instant);
    }
    let civil = text.parse::<DateTime>().ok();
    let civil = civil.or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    Some(GivenTime::Civil(civil))
}

fn to_timestamp(instant: jiff::Timestamp) -> Option<Timestamp> {
    i64::try_from(instant.as_nanosecond()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_as_people_type_them() {
        for (text, seconds) in [
            ("+02:00", Some(7200)),
            ("-0700", Some(-25_200)),
            ("+5:30", Some(19_800)),
            ("-7", Some(-25_200)),
            ("Z", Some(0)),
            ("02:00", None),
            ("+2:60", None),
            ("+15", None),
            ("+-1", None),
            ("+", None),
            ("", None),
            ("PDT", None),
        ] {
            assert_eq!(read_offset(text), seconds, "{text}");
        }
    }

    #[test]
    fn a_time_without_a_zone_is_utc_unless_said_otherwise() {
        let instant = |text: &str, offset: Option<i32>| {
            let given: Result<GivenTime, String> = text.parse();
            given
                .ok()?
                .instant(offset.map(UtcOffset))
                .map(|at| at.0 / 1_000_000_000)
        };
        assert_eq!(instant("2003-08-27T13:05:05Z", None), Some(1_061_989_505));
        assert_eq!(instant("2003-08-27 06:05:05", None), Some(1_061_964_305));
        assert_eq!(instant("2003-08-27 06:05:05", Some(-25_200)), Some(1_061_989_505));
        assert_eq!(instant("2003-08-27T06:05:05-07:00", Some(0)), Some(1_061_989_505));
        assert_eq!(instant("@1061989505", Some(3600)), Some(1_061_989_505));
        assert_eq!(instant("2003-08-27", None), Some(1_061_942_400));
        for wrong in [
            "",
            "yesterday",
            "27.8.2003",
            "@",
            "@99999999999999999",
            "9999-12-31T00:00Z",
        ] {
            assert_eq!(instant(wrong, None), None, "{wrong}");
        }
    }
}
