//! Times as people's tools print them. A zone that is not printed, or has no fixed meaning, is not guessed.

use evidence::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Seconds east of UTC of a zone that has one meaning: RFC 5322 section 4.3, `UTC`, `Z`, and `+0200`. `CST` is that of Chicago in a
/// mail, and that of Shanghai in what `date` prints there.
pub(crate) fn zone_offset_s(zone: &str) -> Option<i32> {
    let hours = match zone {
        "GMT" | "UT" | "UTC" | "Z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "MDT" => -6,
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

/// What a line that is nothing but a date and a time says, as `date` in any order and `show clock` print them: `Mon Jun  3 10:12:01 UTC
/// 2024`, `Mon 03 Jun 2024 10:12:01 AM CEST`, `2024-06-03T10:12:01+02:00`, `.10:12:01.123 UTC Mon Jun 3 2024`. `None` for any other line;
/// no time where the zone has no one meaning and there is no `local_s`, and behind a star: that clock was never set.
pub(crate) fn shell_date(line: &str, local_s: Option<i32>) -> Option<Option<Timestamp>> {
    let text = line.trim_ascii();
    // Asked of many lines: few are so short and have a colon.
    if !(15..=40).contains(&text.len()) || !text.contains(':') {
        return None;
    }
    if text.starts_with("20") && text.get(10..11).is_some_and(|sign| matches!(sign, "T" | " ")) {
        let at = iso8601(text, local_s);
        if at.is_some() || iso8601(text, Some(0)).is_some() {
            return Some(at);
        }
    }
    let (mut date, mut time, mut zone, mut is_afternoon) = ((None, None, None), None, None, None);
    for word in text.split_ascii_whitespace() {
        let bare = word.trim_start_matches(['*', '.']);
        if let (None, Some(found)) = (
            time,
            clock(bare.split('.').next()?).filter(|_| bare.matches(':').count() == 2),
        ) {
            time = Some(found);
        } else if let ((None, None, None), Ok(day)) = (date, word.parse::<jiff::civil::Date>()) {
            date = (Some(day.year()), Some(day.month()), Some(day.day()));
        } else if let ((None, None, None), true) = (date, word.matches('/').count() == 2) {
            let day = slashed(word, text)?;
            date = (Some(day.year()), Some(day.month()), Some(day.day()));
        } else if let (None, true, Some(found)) = (date.1, word.len() >= 3, month(word)) {
            date.1 = Some(found);
        } else if let (None, true, Ok(found)) = (date.0, word.len() == 4, word.parse::<i16>()) {
            date.0 = Some(found);
        } else if let (None, true, Ok(found)) = (date.2, word.len() <= 2, word.parse::<i8>()) {
            date.2 = Some(found);
        } else if matches!(word, "AM" | "PM") && is_afternoon.is_none() {
            is_afternoon = Some(word == "PM");
        } else if !is_weekday(word) {
            let is_zone = word.bytes().all(|byte| byte.is_ascii_uppercase()) || zone_offset_s(word).is_some();
            if zone.is_some() || !is_zone {
                return None;
            }
            zone = Some(word);
        }
    }
    let ((Some(year), Some(month), Some(day)), Some((hour, minute, second))) = (date, time) else {
        return None;
    };
    let hour = match is_afternoon {
        Some(is_afternoon) => hour % 12 + if is_afternoon { 12 } else { 0 },
        None => hour,
    };
    let offset_s = zone.and_then(zone_offset_s).or(local_s);
    let offset_s = offset_s.filter(|_| !text.starts_with('*'));
    Some(offset_s.and_then(|offset_s| timestamp((year, month, day), (hour, minute, second), offset_s)))
}

/// `10/15/2025` of Comware, in the one order that fits the day of the week beside it; none where that does not tell.
fn slashed(word: &str, line: &str) -> Option<jiff::civil::Date> {
    let weekday = line.split_ascii_whitespace().find(|word| is_weekday(word))?;
    let mut parts = word.split('/');
    let (one, other, year) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
    let day = |month: &str, day: &str| {
        let date = jiff::civil::Date::new(year, month.parse().ok()?, day.parse().ok()?).ok()?;
        let name = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            .get(usize::try_from(date.weekday().to_monday_zero_offset()).ok()?)?;
        weekday.starts_with(name).then_some(date)
    };
    match (day(one, other), day(other, one)) {
        (Some(day), Some(other)) if day != other => None,
        (day, other) => day.or(other),
    }
}

fn is_weekday(word: &str) -> bool {
    let name = word.trim_end_matches([',', '.']);
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        .iter()
        .any(|day| {
            name.strip_prefix(day).is_some_and(|rest| {
                matches!(
                    rest,
                    "" | "day" | "sday" | "nesday" | "rsday" | "urday" | "s" | "rs" | "nes"
                )
            })
        })
}

/// `Fri Dec 22 17:30:39.512 UTC`: what IOS XR prints between a command and what it gives. The year is not told.
pub(crate) fn is_router_clock(line: &str) -> bool {
    let text = line.trim_ascii();
    if !(24..=40).contains(&text.len()) || !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let mut words = text.split_ascii_whitespace();
    let (Some(day), Some(month_name), Some(date), Some(time), Some(zone), None) = (
        words.next(),
        words.next(),
        words.next(),
        words.next(),
        words.next(),
        words.next(),
    ) else {
        return false;
    };
    let time = time.split_once('.').map(|(time, _)| time);
    day.len() == 3
        && month(month_name).is_some()
        && date.parse::<u8>().is_ok()
        && time.is_some_and(|time| clock(time).is_some())
        && zone
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b':'))
}

/// `Time source is NTP, 12:34:56.789 UTC Mon Mar 1 2021`: what IOS prints there. A star says that its clock was never set.
pub(crate) fn time_source(line: &str, local_s: Option<i32>) -> Option<Timestamp> {
    let (_, told) = line
        .trim_ascii()
        .strip_prefix("Time source is ")?
        .rsplit_once(", ")?;
    let words: Vec<&str> = told.split_ascii_whitespace().collect();
    let [time, zone, weekday, month, day, year] = words.as_slice() else {
        return None;
    };
    let time = time.trim_start_matches('.').split('.').next()?;
    unix_date(&[weekday, month, day, time, zone, year], local_s)
}

/// ISO 8601: `2003-08-27T05:25:00Z`, `2003-08-27 05:25:00.5 +02:00`, without a zone in `local_s`.
pub(crate) fn iso8601(text: &str, local_s: Option<i32>) -> Option<Timestamp> {
    let text = text.trim_ascii();
    let zoned = || text.parse::<jiff::Timestamp>().ok();
    let civil = || {
        let civil: DateTime = text.parse().ok()?;
        Offset::from_seconds(local_s?).ok()?.to_timestamp(civil).ok()
    };
    let at = zoned().or_else(civil)?;
    i64::try_from(at.as_nanosecond()).ok().map(Timestamp)
}

/// Seconds since the epoch, with a fraction or without.
pub(crate) fn epoch(seconds: f64) -> Option<Timestamp> {
    let ns = seconds * 1e9;
    (ns.abs() < 9.2e18).then(|| Timestamp(ns.round() as i64))
}

/// RFC 5322, as iperf3 prints it: `Sat, 21 Nov 2026 11:17:08 GMT`.
pub(crate) fn rfc5322(text: &str) -> Option<Timestamp> {
    let words: Vec<&str> = text.split_ascii_whitespace().take(7).collect();
    let [_, day, month_name, year, time, zone] = words.as_slice() else {
        return None;
    };
    let date = (year.parse().ok()?, month(month_name)?, day.parse().ok()?);
    timestamp(date, clock(time)?, zone_offset_s(zone)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ways_to_write_a_time() {
        let at = Some(Timestamp(1_061_961_900_000_000_000));
        assert_eq!(iso8601("2003-08-27T05:25:00Z", None), at);
        assert_eq!(iso8601("2003-08-27 07:25:00+02:00", None), at);
        assert_eq!(iso8601("2003-08-27T05:25", Some(0)), at);
        assert_eq!(iso8601("2003-08-27T05:25", None), None, "which zone?");
        let source = |time| format!("Time source is NTP, {time} UTC Wed Aug 27 2003");
        assert_eq!(time_source(&source("05:25:00.000"), None), at);
        assert_eq!(
            time_source(&source("*05:25:00.000"), None),
            None,
            "it was never set"
        );
        assert_eq!(rfc5322("Wed, 27 Aug 2003 05:25:00 GMT"), at);
        assert_eq!(epoch(1_061_961_900.0), at);
        assert_eq!((epoch(1e30), epoch(f64::NAN)), (None, None));
    }

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
    fn lines_that_are_a_date() {
        let at = Some(Some(Timestamp(1_717_409_521_000_000_000)));
        for line in [
            "Mon Jun  3 10:12:01 UTC 2024",
            "Mon  3 Jun 10:12:01 UTC 2024",
            "Mon 03 Jun 2024 10:12:01 AM UTC",
            "Monday, 3 June 2024 12:12:01 +0200",
            "Mon Jun  3 06:12:01 EDT 2024",
            "2024-06-03T12:12:01+02:00",
            "2024-06-03 12:12:01+02:00",
            "2024-06-03 10:12:01 UTC",
            ".10:12:01.123 UTC Mon Jun 3 2024",
            "10:12:01.123 UTC Mon 06/03/2024",
        ] {
            assert_eq!(shell_date(line, None), at, "{line}");
        }
        assert_eq!(shell_date("*10:12:01.123 UTC Mon Jun 3 2024", None), Some(None));
        assert_eq!(shell_date("Mon Jun  3 12:12:01 CEST 2024", None), Some(None));
        assert_eq!(shell_date("Mon Jun  3 12:12:01 CEST 2024", Some(7200)), at);
        for no in [
            "Mon Jun  3 10:12:01",
            "Fri Dec 22 17:30:39.512 UTC",
            "at 10:12:01 on Jun 3 2024",
            "10:12:01 UTC 06/03/2024",
            "10:12:01 UTC Tue 06/03/2024",
            "10:12:01 up 12 days,  3:04,  2 users",
            "2024-06-03 12:12:01 5 10.0.0.1 3",
            "",
        ] {
            assert_eq!(shell_date(no, Some(0)), None, "{no}");
        }
    }

    #[test]
    fn clocks_of_routers() {
        assert!(is_router_clock("Fri Dec 22 17:30:39.512 UTC"));
        for no in [
            "Fri Dec 22 17:30:39 UTC 2026",
            "Fri is the 22nd of December at 5",
            "",
        ] {
            assert!(!is_router_clock(no), "{no}");
        }
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
