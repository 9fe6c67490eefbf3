//! Times as people's tools print them. A zone that is not printed, or has no fixed meaning, is not guessed.

use evidence::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Seconds east of UTC of a zone that has one meaning: RFC 5322 section 4.3, `UTC`, `Z`, and `+0200`.
pub(crate) fn zone_offset_s(zone: &str) -> Option<i32> {
    let hours = match zone {
        "GMT" | "UT" | "UTC" | "Z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return numeric_offset_s(zone),
    };
    Some(hours * 3600)
}

fn numeric_offset_s(zone: &str) -> Option<i32> {
    let (sign, digits) = match zone.as_bytes().first()? {
        b'+' => (1, zone.get(1..)?),
        b'-' => (-1, zone.get(1..)?),
        _ => return None,
    };
    let digits: i32 = (digits.len() == 4).then(|| digits.parse().ok())??;
    let (hours, minutes) = (digits / 100, digits % 100);
    (digits >= 0 && hours < 15 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// 1 to 12 for an English name of a month or its first three letters.
pub(crate) fn month(name: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let whole = name.trim_end_matches('.');
    let fits = |full: &&str| {
        full.get(..3)
            .is_some_and(|short| short.eq_ignore_ascii_case(whole))
            || full.eq_ignore_ascii_case(whole)
    };
    NAMES.iter().zip(1..).find(|(full, _)| fits(full)).map(|(_, n)| n)
}

/// Hours, minutes and seconds of `21:41:04` or `16:44`.
pub(crate) fn clock(text: &str) -> Option<(i8, i8, i8)> {
    let mut parts = text.split(':');
    let hour = parts.next()?.parse().ok()?;
    let minute = parts.next()?.parse().ok()?;
    let second = match parts.next() {
        Some(second) => second.parse().ok()?,
        None => 0,
    };
    parts.next().is_none().then_some((hour, minute, second))
}

/// The point in time of a civil date and clock, `offset_s` east of UTC.
pub(crate) fn timestamp(
    (year, month, day): (i16, i8, i8),
    (hour, minute, second): (i8, i8, i8),
    offset_s: i32,
) -> Option<Timestamp> {
    let civil = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let at = Offset::from_seconds(offset_s).ok()?.to_timestamp(civil).ok()?;
    i64::try_from(at.as_nanosecond()).ok().map(Timestamp)
}

/// What `date` prints: `Tue May 16 21:41:04 PDT 2000`. `local_s` stands in for a zone that has no one meaning.
pub(crate) fn unix_date(words: &[&str], local_s: Option<i32>) -> Option<Timestamp> {
    let [_, month_name, day, time, zone, year] = words else {
        return None;
    };
    let date = (year.parse().ok()?, month(month_name)?, day.parse().ok()?);
    timestamp(date, clock(time)?, zone_offset_s(zone).or(local_s)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_need_a_zone() {
        let words: Vec<&str> = "Tue May 16 21:41:04 PDT 2000".split(' ').collect();
        assert_eq!(unix_date(&words, None), Some(Timestamp(958_538_464_000_000_000)));
        let words: Vec<&str> = "Tue May 16 21:41:04 IST 2000".split(' ').collect();
        assert_eq!(unix_date(&words, None), None, "Irish, Israeli or Indian");
        assert_eq!(
            unix_date(&words, Some(-25_200)),
            Some(Timestamp(958_538_464_000_000_000))
        );
    }

    #[test]
    fn zones_and_months() {
        assert_eq!(zone_offset_s("+0530"), Some(19_800));
        assert_eq!(zone_offset_s("-0800"), Some(-28_800));
        for bad in ["", "+", "+99999", "CET", "-0x10", "+1575"] {
            assert_eq!(zone_offset_s(bad), None, "{bad}");
        }
        assert_eq!(
            (month("Dec"), month("december"), month("De")),
            (Some(12), Some(12), None)
        );
        assert_eq!(clock("16:44"), Some((16, 44, 0)));
        for bad in ["16", "16:44:1:2", "a:b", "300:00"] {
            assert_eq!(clock(bad), None, "{bad}");
        }
    }
}
