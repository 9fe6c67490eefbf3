//! Rates, sizes and times with the units that tools and people write behind them.
//!
//! A factor of eight must not hide in the case of a letter: `b` is a bit and `B` a byte throughout, and words decide
//! where they are written out.

use evidence::RateBps;

/// What a kilobyte is. Bits always come in powers of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kilo {
    /// 10^3: `kB` in the SI, pScheduler's `KBytes`.
    Thousand,
    /// 2^10: iperf's `KBytes`, nuttcp's `KB`.
    Binary,
}

/// No link comes near it; what is larger is a torn number, and sums of it would not be finite.
const HIGHEST_RATE_BPS: f64 = 1e18;

/// Divides `0.00bps`, `9.13 Gbps` and `450Mbit/s` into number and unit.
pub(crate) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_ascii();
    let end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+')))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit.trim_ascii()))
}

/// The power that a unit's first letter stands for, and the rest of the unit.
fn scale(unit: &str, kilo: Kilo) -> (f64, &str) {
    let power = match unit.bytes().next() {
        Some(b'k' | b'K') => 1,
        Some(b'M' | b'm') => 2,
        Some(b'G' | b'g') => 3,
        Some(b'T' | b't') => 4,
        _ => return (1.0, unit),
    };
    // `mega-bits/sec`: the power in full.
    let spelled = ["kilo-", "mega-", "giga-", "tera-"];
    let rest = spelled.into_iter().find_map(|power| unit.strip_prefix(power));
    let rest = rest.or(unit.get(1..)).unwrap_or("");
    match rest.strip_prefix('i') {
        Some(rest) => (1024_f64.powi(power), rest),
        None if kilo == Kilo::Binary => (1024_f64.powi(power), rest),
        None => (1000_f64.powi(power), rest),
    }
}

/// A number with a unit of rate as bit/s; a bare number is in bit/s. `None` for what is no rate.
pub(crate) fn rate_bps(number: f64, unit: &str, kilo: Kilo) -> Option<RateBps> {
    let (bits, rest) = scale(unit, Kilo::Thousand);
    let factor = match rest {
        "" if unit.is_empty() => 1.0,
        "bps" | "b/s" | "bit/s" | "bits/s" | "bits/sec" | "bit/sec" => bits,
        "B/s" | "Byte/s" | "Bytes/s" | "Bytes/sec" | "bytes/sec" | "byte/sec" | "byte/s" | "bytes/s"
        | "Byte/sec" | "B/sec" => 8.0 * scale(unit, kilo).0,
        _ => return None,
    };
    let bps = number * factor;
    (0.0..=HIGHEST_RATE_BPS).contains(&bps).then_some(RateBps(bps))
}

/// A number with a unit of size as bytes, rounded; a bare number is in bytes. `None` for what is no size.
pub(crate) fn size_bytes(number: f64, unit: &str, kilo: Kilo) -> Option<u64> {
    let (factor, rest) = scale(unit, kilo);
    let fits = matches!(rest, "B" | "Byte" | "Bytes" | "byte" | "bytes") || unit.is_empty();
    whole(number * factor).filter(|_| fits)
}

/// A number with a unit of time as seconds; a bare number is in seconds.
pub(crate) fn seconds(number: f64, unit: &str) -> Option<f64> {
    let factor = match unit {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "µs" | "usec" => 1e-6,
        "ns" => 1e-9,
        "min" | "minutes" => 60.0,
        _ => return None,
    };
    Some(number * factor)
}

/// Rounds to a count; `None` where it is negative or does not fit.
pub(crate) fn whole(value: f64) -> Option<u64> {
    // 2^63 and above: no tool counts so far, and the conversion would saturate silently.
    (value.is_finite() && (0.0..9.2e18).contains(&value)).then(|| value.round() as u64)
}

/// Seconds as nanoseconds; `None` where negative or too large.
pub(crate) fn ns_of_seconds(seconds: f64) -> Option<u64> {
    whole(seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Option<f64> {
        let (number, unit) = split(text)?;
        rate_bps(number, unit, Kilo::Thousand).map(|rate| rate.0)
    }

    #[test]
    fn bits_are_not_bytes() {
        for (text, bps) in [
            ("0.00bps", 0.0),
            ("9.13 Gbps", 9.13e9),
            ("450Mbit/s", 450e6),
            ("2.4 kB/s", 19_200.0),
            ("915.5 mega-bits/sec", 915.5e6),
            ("2 MiB/s", 2.0 * 8.0 * 1_048_576.0),
            ("8", 8.0),
        ] {
            assert_eq!(rate(text), Some(bps), "{text}");
        }
        for bad in [
            "",
            "fast",
            "1 M",
            "1 ms",
            "-1 bps",
            "1e999bps",
            "7 MB",
            "7 mega-cells/sec",
            "1 mibi-bits/sec",
        ] {
            assert_eq!(rate(bad), None, "{bad}");
        }
        assert_eq!(
            rate_bps(1.0, "MBytes/sec", Kilo::Binary),
            Some(RateBps(8.0 * 1_048_576.0)),
            "iperf2 -f M"
        );
        assert_eq!(rate_bps(1.0, "Mbits/sec", Kilo::Binary), Some(RateBps(1e6)));
    }

    #[test]
    fn sizes_and_times() {
        assert_eq!(size_bytes(1.25, "MBytes", Kilo::Binary), Some(1_310_720));
        assert_eq!(size_bytes(33.17, "MBytes", Kilo::Thousand), Some(33_170_000));
        assert_eq!(size_bytes(256.0, "KiB", Kilo::Thousand), Some(262_144));
        assert_eq!(size_bytes(1.0, "Mb", Kilo::Thousand), None);
        assert_eq!(size_bytes(-1.0, "B", Kilo::Thousand), None);
        assert_eq!(seconds(2.5, "ms"), Some(0.0025));
        assert_eq!(seconds(1.0, "MB"), None);
        assert_eq!(ns_of_seconds(f64::NAN), None);
        assert_eq!(ns_of_seconds(1e300), None);
    }
}
