//! Numbers with units as transfer tools print them, with a decimal point or a decimal comma.

use crate::units::{Kilo, ns_of_seconds, whole};
use evidence::RateBps;

/// Divides `11,2 MB/s` into number and unit.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_ascii();
    let end = text
        .char_indices()
        .find(|(at, c)| {
            let exponent = matches!(c, 'e' | 'E') && text.get(at + 1..).is_some_and(begins_power);
            !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+') || exponent)
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at_checked(end)?;
    Some((number_of(number)?, unit.trim_matches([' ', '\u{a0}'])))
}

fn begins_power(text: &str) -> bool {
    text.trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit())
}

/// `1234.5`, `1,234.5`, `8,9`: a comma is decimal when it is the only mark and not three digits stand behind it.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    let number: f64 = match (text.rfind(','), text.rfind('.')) {
        (None, _) => text.parse().ok()?,
        (Some(comma), None) if text.matches(',').count() == 1 && text.len() - comma != 4 => {
            text.replace(',', ".").parse().ok()?
        }
        (Some(comma), Some(point)) if point < comma => {
            text.replace('.', "").replace(',', ".").parse().ok()?
        }
        _ => text.replace(',', "").parse().ok()?,
    };
    number.is_finite().then_some(number)
}

/// A count in which thousands may be separated: `1,234,567`, `1.234.567`.
pub(super) fn count_of(text: &str) -> Option<u64> {
    let marks = text.matches([',', '.']).count();
    let grouped = text.split([',', '.']).skip(1).all(|group| group.len() == 3);
    let first = text.split([',', '.']).next().unwrap_or("");
    if marks > 0 && (!grouped || first.is_empty() || first.len() > 3) {
        return None;
    }
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '.')).collect();
    digits.parse().ok()
}

/// The power of a thousand that a unit begins with, whether it is binary by its name, and the rest.
fn prefix(unit: &str, kilo: Kilo) -> (f64, &str) {
    let power = match unit.bytes().next() {
        Some(b'k' | b'K') => 1,
        Some(b'M') => 2,
        Some(b'm') if unit.len() > 1 => 2,
        Some(b'G' | b'g') => 3,
        Some(b'T') => 4,
        Some(b'P') => 5,
        _ => return (1.0, unit),
    };
    let names = ["Kilo", "kilo", "Mega", "mega", "Giga", "giga", "Tera", "tera"];
    let rest = names
        .iter()
        .find_map(|name| unit.strip_prefix(name))
        .or_else(|| unit.get(1..))
        .unwrap_or("");
    match rest.strip_prefix('i') {
        Some(rest) => (1024_f64.powi(power), rest),
        None if kilo == Kilo::Binary => (1024_f64.powi(power), rest),
        None => (1000_f64.powi(power), rest),
    }
}

/// A size as bytes: `100.00M`, `12 MB`, `1.5GiB`, `104 Megabyte`. A letter alone is of bytes.
pub(super) fn bytes_of(text: &str, kilo: Kilo) -> Option<u64> {
    let (number, unit) = split(text)?;
    let (factor, rest) = prefix(unit, kilo);
    let fits = matches!(rest, "" | "B" | "Byte" | "Bytes" | "byte" | "bytes" | "o");
    whole(number * factor).filter(|_| fits)
}

/// A rate. `B` is a byte and `b` a bit; a unit that names neither (`11.2M/s`) is of bytes, as all these tools count.
pub(super) fn rate_of(text: &str, kilo: Kilo) -> Option<RateBps> {
    let (number, unit) = split(text)?;
    let per_second = ["/s", "/sec", "/second", "ps", " per second"];
    let amount = per_second
        .iter()
        .find_map(|end| unit.strip_suffix(end))
        .unwrap_or(unit);
    if amount == unit && !matches!(unit, "" | "k" | "K" | "M" | "G" | "T" | "P") {
        return None;
    }
    let (bytes, rest) = prefix(amount, kilo);
    let factor = match rest {
        "" if unit.ends_with("ps") => prefix(amount, Kilo::Thousand).0,
        "" | "B" | "Byte" | "Bytes" | "byte" | "bytes" | "o" => 8.0 * bytes,
        "b" | "bit" | "bits" | "Bit" | "Bits" => prefix(amount, Kilo::Thousand).0,
        _ => return None,
    };
    let bps = number * factor;
    (0.0..=1e18).contains(&bps).then_some(RateBps(bps))
}

/// A length of time in nanoseconds: `8.9`, `8,9 s`, `00:08`, `1:02:03.5`, `1m2.5s`, `1.5 minutes`. `None` for zero: a clock that
/// does not tell a time is none.
pub(in crate::formats) fn duration_ns(text: &str) -> Option<u64> {
    let text = text.trim_ascii();
    let seconds = if text.contains(':') {
        clock_s(text)?
    } else {
        match split(text) {
            Some((number, unit)) if unit_s(unit).is_some() => number * unit_s(unit)?,
            _ => compound_s(text)?,
        }
    };
    ns_of_seconds(seconds).filter(|ns| *ns > 0)
}

fn clock_s(text: &str) -> Option<f64> {
    let (days, text) = match text.split_once(['d', '-']) {
        Some((days, rest)) => (days.parse::<f64>().ok()?, rest),
        None => (0.0, text),
    };
    let mut seconds = 0.0;
    for part in text.split(':') {
        seconds = seconds * 60.0
            + part
                .trim_ascii()
                .parse::<f64>()
                .ok()
                .filter(|part| *part >= 0.0)?;
    }
    (text.matches(':').count() <= 2).then_some(days * 86_400.0 + seconds)
}

fn unit_s(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().trim_end_matches('.') {
        "" | "s" | "sec" | "secs" | "second" | "seconds" | "sek" | "sekunden" | "segundos" | "secondes"
        | "ds" => 1.0,
        "ms" | "msec" | "msecs" | "milliseconds" => 1e-3,
        "us" | "µs" | "usec" => 1e-6,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3_600.0,
        _ => return None,
    })
}

/// `1h2m3.5s`, `2m 3s`.
fn compound_s(text: &str) -> Option<f64> {
    let (mut seconds, mut rest) = (0.0, text.trim_ascii());
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = rest.get(..unit_at)?.parse().ok()?;
        let behind = rest.get(unit_at..)?;
        let unit_end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let scale = match behind.get(..unit_end)? {
            "d" => 86_400.0,
            unit => unit_s(unit)?,
        };
        seconds += number * scale;
        rest = behind.get(unit_end..)?.trim_ascii_start();
    }
    (!text.is_empty()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_two_ways_to_write_them() {
        for (text, number) in [
            ("8,9", 8.9),
            ("1,234", 1_234.0),
            ("1,234.5", 1_234.5),
            ("1.234,5", 1_234.5),
        ] {
            assert_eq!(number_of(text), Some(number), "{text}");
        }
        assert_eq!(
            (count_of("1,234,567"), count_of("12,34"), count_of("")),
            (Some(1_234_567), None, None)
        );
    }

    #[test]
    fn rates_and_sizes() {
        let binary = |text| rate_of(text, Kilo::Binary).map(|rate| rate.0);
        assert_eq!(binary("1 MB/s"), Some(8.0 * 1_048_576.0));
        assert_eq!(binary("1 Mb/s"), Some(1e6));
        assert_eq!(binary("1.5M"), Some(12.0 * 1_048_576.0));
        assert_eq!(binary("9.4 Gbps"), Some(9.4e9));
        assert_eq!(binary("1,5 KB/s"), Some(12_288.0));
        for bad in ["", "fast", "5 apples", "1 MB", "-3 MB/s", "5 ms"] {
            assert_eq!(binary(bad), None, "{bad}");
        }
        assert_eq!(bytes_of("20.0M", Kilo::Binary), Some(20_971_520));
        assert_eq!(bytes_of("2 Megabyte", Kilo::Binary), Some(2_097_152));
        assert_eq!(bytes_of("2 Mb", Kilo::Binary), None);
    }

    #[test]
    fn lengths_of_time() {
        for (text, ns) in [
            ("8.9 secs", Some(8_900_000_000)),
            ("8,9s", Some(8_900_000_000)),
            ("00:08", Some(8_000_000_000)),
            ("1:02:03", Some(3_723_000_000_000)),
            ("1m2.5s", Some(62_500_000_000)),
            ("00:00", None),
            ("--:--:--", None),
            ("soon", None),
            ("1:2:3:4", None),
        ] {
            assert_eq!(duration_ns(text), ns, "{text}");
        }
    }
}
