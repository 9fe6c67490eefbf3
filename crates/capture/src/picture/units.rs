//! Numbers with SI prefixes: kB is 1000 bytes, as on every axis of the picture.

/// So many, in groups of three.
pub(super) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn bytes(n: f64) -> String {
    scaled(n, "B")
}

pub(super) fn rate(bps: f64) -> String {
    scaled(bps, "bit/s")
}

/// A length of time; from nanoseconds to seconds.
pub(super) fn seconds(s: f64) -> String {
    let (factor, unit) = match s.abs() {
        0.0 => (1.0, "s"),
        a if a < 1e-6 => (1e9, "ns"),
        a if a < 1e-3 => (1e6, "µs"),
        a if a < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{} {unit}", three_digits(s * factor))
}

/// A share; small ones keep two digits, and what is there is never "0 %".
pub(super) fn percent(ratio: f64) -> String {
    let hundredths = ratio * 100.0;
    match hundredths {
        0.0 => "0 %".to_owned(),
        h if h < 0.001 => "under 0.001 %".to_owned(),
        h if h < 0.1 => format!("{} %", trimmed(format!("{h:.3}"))),
        h if h < 10.0 => format!("{} %", trimmed(format!("{h:.1}"))),
        h => format!("{h:.0} %"),
    }
}

/// UTC, to the microsecond.
pub(super) fn utc(ns: i64) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(ns)) {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M:%S%.6f UTC").to_string(),
        Err(_) => "at an impossible time".to_owned(),
    }
}

fn scaled(n: f64, unit: &str) -> String {
    let prefixes = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // 999.96 would be written as 1000.
    let found = prefixes.iter().find(|(size, _)| n.abs() >= size * 0.9995);
    match found {
        Some((size, prefix)) => format!("{} {prefix}{unit}", three_digits(n / size)),
        None => format!("{} {unit}", three_digits(n)),
    }
}

/// Three significant digits below a thousand, without needless zeros.
fn three_digits(n: f64) -> String {
    match n.abs() {
        a if a >= 99.95 => format!("{n:.0}"),
        a if a >= 9.995 => trimmed(format!("{n:.1}")),
        _ => trimmed(format!("{n:.2}")),
    }
}

fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (n, text) in [
            (0.0, "0 B"),
            (1.0, "1 B"),
            (999.0, "999 B"),
            (999.7, "1 kB"),
            (1448.0, "1.45 kB"),
            (8e9, "8 GB"),
            (12_345_678.0, "12.3 MB"),
        ] {
            assert_eq!(bytes(n), text);
        }
        assert_eq!(seconds(0.000_012_5), "12.5 µs");
        assert_eq!(seconds(61.0), "61 s");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn a_little_is_not_nothing() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1e-9), "under 0.001 %");
        assert_eq!(percent(0.000_123), "0.012 %");
        assert_eq!(percent(0.25), "25 %");
    }

    #[test]
    fn times_are_written_whole() {
        assert_eq!(utc(1_500_000), "1970-01-01 00:00:00.001500 UTC");
        assert!(utc(i64::MIN).contains("UTC") || utc(i64::MIN).contains("impossible"));
    }
}
