//! Counts, shares, sizes and rates.

use evidence::RateBps;

/// A whole number with thousands separated: `12,000`.
#[must_use]
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let (first, mut rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let mut text = String::with_capacity(digits.len() + rest.len() / 3);
    text.push_str(first);
    while let Some((three, behind)) = rest.split_at_checked(3) {
        text.push(',');
        text.push_str(three);
        rest = behind;
    }
    text
}

/// `1 hop`, `12 hops`.
#[must_use]
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// The first few of many: "a, b and 7 more".
#[must_use]
pub fn first_few(all: &[String], few: usize) -> String {
    let shown = all.get(..all.len().min(few)).unwrap_or(&[]).join(", ");
    match all.len().saturating_sub(few) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Hop numbers with runs joined: `1-8, 10`.
#[must_use]
pub fn ranges(numbers: &[u8]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let show = |run: &[u8]| match run {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(u8::to_string).collect(),
    };
    runs.map(show).collect::<Vec<_>>().join(", ")
}

/// A factor: two digits at least, no false precision.
#[must_use]
pub fn factor(factor: f64) -> String {
    match factor {
        f if f >= 1e6 => "a million or more".to_owned(),
        f if f >= 9.95 => count(f.round() as u64),
        f => format!("{f:.1}"),
    }
}

/// A share: `0.025 %`, `0 %`.
#[must_use]
pub fn share(ratio: f64) -> String {
    if ratio == 0.0 || !ratio.is_finite() {
        return if ratio == 0.0 { "0 %" } else { "? %" }.to_owned();
    }
    // Below one in a million a percentage is a row of zeros.
    if ratio.abs() < 1e-6 {
        return format!("{ratio:.1e}");
    }
    let percent = 100.0 * ratio;
    let decimals = (1.0 - libm::log10(percent.abs()).floor()).clamp(0.0, 6.0) as usize;
    format!("{percent:.decimals$} %")
}

/// A loss ratio with two digits and a readable power: "2.0e-5", "0.30 %"; none at all is "0 %".
#[must_use]
pub fn loss(ratio: f64) -> String {
    if ratio == 0.0 {
        "0 %".into()
    } else if ratio >= 1e-3 {
        format!("{:.2} %", ratio * 100.0)
    } else {
        format!("{ratio:.1e}")
    }
}

/// A ratio of lost packets: `0 of 100`, `3 of 12,000 (0.025 %)`.
#[must_use]
pub fn lost_of(lost: u64, sent: u64) -> String {
    if lost == 0 || sent == 0 {
        return format!("{} of {}", count(lost), count(sent));
    }
    format!(
        "{} of {} ({})",
        count(lost),
        count(sent),
        share(lost as f64 / sent as f64)
    )
}

/// A probability. Never 0 % nor 100 %: nothing measured is certain.
#[must_use]
pub fn percent(probability: f64) -> String {
    match probability * 100.0 {
        p if !p.is_finite() => "? %".to_owned(),
        p if p > 99.0 => "> 99 %".to_owned(),
        p if p < 1.0 => "< 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// `83.2 kB`; decimal prefixes as for rates.
#[must_use]
pub fn bytes(n: u64) -> String {
    let value = n as f64;
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.2} GB", value / 1e9),
    }
}

/// Bytes with a binary prefix as buffers are set, "85 KiB", "32 MiB"; a round decimal figure as people state it: "132 kB".
#[must_use]
pub fn buffer(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_000_000 if bytes.is_multiple_of(1_000) => format!("{} kB", bytes / 1_000),
        10_240..10_485_760 => format!("{} KiB", bytes / 1_024),
        _ if bytes.is_multiple_of(1_000_000) => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

/// Bytes with two digits: what is known to a factor carries no more.
#[must_use]
pub fn about_bytes(bytes: f64) -> String {
    match two_digits(bytes) {
        bytes if bytes >= 1e6 => format!("{} MB", bytes / 1e6),
        bytes if bytes >= 1e4 => format!("{} kB", bytes / 1e3),
        bytes => format!("{bytes} bytes"),
    }
}

/// A rate with two digits.
#[must_use]
pub fn about(bps: f64) -> RateBps {
    RateBps(two_digits(bps))
}

fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "hop", "hops"), "1 hop");
        assert_eq!(bytes(94_210), "94.2 kB");
        assert_eq!(buffer(87_040), "85 KiB");
        assert_eq!(buffer(132_000), "132 kB");
        assert_eq!(ranges(&[1, 3, 4, 5, 9, 255]), "1, 3-5, 9, 255");
        assert_eq!(ranges(&[]), "");
        assert_eq!(loss(2e-5), "2.0e-5");
        assert_eq!(loss(0.003), "0.30 %");
        assert_eq!(lost_of(3, 12_000), "3 of 12,000 (0.025 %)");
        assert_eq!(lost_of(0, 12_000), "0 of 12,000");
        assert_eq!(lost_of(12, 12), "12 of 12 (100 %)");
    }

    #[test]
    fn no_confidence_reads_as_certainty() {
        for (probability, shown) in [
            (1.0, "> 99 %"),
            (0.995, "> 99 %"),
            (0.97, "97 %"),
            (0.0, "< 1 %"),
            (f64::NAN, "? %"),
        ] {
            assert_eq!(percent(probability), shown);
        }
    }
}
