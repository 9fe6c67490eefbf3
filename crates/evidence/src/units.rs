//! Quantities with their units, and the one way in which people see and write them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A point in time: nanoseconds since the Unix epoch, UTC. Comparisons across hosts need a clock relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This time plus `ns` nanoseconds, saturating.
    #[must_use]
    pub fn plus_ns(self, ns: i64) -> Self {
        Self(self.0.saturating_add(ns))
    }

    /// Nanoseconds from `earlier` to this time; negative when `earlier` is later.
    #[must_use]
    pub fn since_ns(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A length of time in nanoseconds. Shown with the unit a person would choose: `1.25 ms`, `3.1 s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{} µs", three_digits(ns / 1e3)),
            1_000_000..1_000_000_000 => write!(f, "{} ms", three_digits(ns / 1e6)),
            _ => write!(f, "{} s", three_digits(ns / 1e9)),
        }
    }
}

/// A bit rate in bit/s. Decimal prefixes, as on every link's label: 1 Gbit/s is 10⁹ bit/s.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RateBps(pub f64);

impl RateBps {
    /// The rate of `bytes` carried in `ns` nanoseconds; `None` when no time passed.
    #[must_use]
    pub fn of_bytes(bytes: u64, ns: u64) -> Option<Self> {
        (ns > 0).then(|| Self(bytes as f64 * 8.0 * 1e9 / ns as f64))
    }
}

impl fmt::Display for RateBps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The prefix is chosen after rounding, so that 999.9996 Mbit/s reads "1 Gbit/s", not "1000 Mbit/s".
        let units = [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")];
        let chosen = units.iter().find(|(scale, _)| self.0 >= scale * 0.9995);
        match chosen {
            Some((scale, name)) => write!(f, "{} {name}", three_digits(self.0 / scale)),
            None => write!(f, "{} bit/s", three_digits(self.0)),
        }
    }
}

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The text is not a number followed by a rate unit.
    #[error("`{0}` is not a rate: write a number and a unit, for example `2Gbit/s`, `100 Mbit/s` or `2G`")]
    Rate(String),
}

impl FromStr for RateBps {
    type Err = UnitError;

    /// Accepts `2Gbit/s`, `2 Gbps`, `2G`, `100 Mb/s`, `9600` (bit/s). Bytes per second (`B/s`) are refused:
    /// a factor of eight must not hide in the case of a letter.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError::Rate(text.to_owned());
        let trimmed = text.trim();
        let split = trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let number: f64 = number.parse().map_err(|_| error())?;
        let unit = unit.trim();
        let (scale, rest) = match unit.chars().next() {
            Some('k' | 'K') => (1e3, &unit[1..]),
            Some('M' | 'm') => (1e6, &unit[1..]),
            Some('G' | 'g') => (1e9, &unit[1..]),
            Some('T' | 't') => (1e12, &unit[1..]),
            _ => (1.0, unit),
        };
        let known = matches!(rest, "" | "bit/s" | "bps" | "b/s" | "bit" | "bits/s");
        let bps = number * scale;
        if known && bps.is_finite() && bps > 0.0 {
            Ok(Self(bps))
        } else {
            Err(error())
        }
    }
}

/// Three significant digits without trailing zeros: measured rates and times carry no more.
fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
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
    fn rates_read_as_people_write_them() {
        for (text, bps) in [
            ("2Gbit/s", 2e9),
            ("2 Gbps", 2e9),
            ("2G", 2e9),
            ("100 Mb/s", 1e8),
            ("9600", 9600.0),
            ("1.5M", 1.5e6),
        ] {
            assert_eq!(text.parse::<RateBps>(), Ok(RateBps(bps)), "{text}");
        }
        for text in [
            "",
            "fast",
            "2 GB/s",
            "-1G",
            "0",
            "1e9999G",
            "2 Gbit/s please",
            &format!("{}G", "9".repeat(305)),
        ] {
            assert!(text.parse::<RateBps>().is_err(), "{text}");
        }
    }

    #[test]
    fn quantities_show_three_digits_and_a_fitting_unit() {
        let rates = [
            (17.42e6, "17.4 Mbit/s"),
            (2.67e9, "2.67 Gbit/s"),
            (999.9996e6, "1 Gbit/s"),
            (0.0, "0 bit/s"),
        ];
        for (bps, shown) in rates {
            assert_eq!(RateBps(bps).to_string(), shown);
        }
        for (ns, shown) in [
            (999, "999 ns"),
            (1_250_000, "1.25 ms"),
            (170_000_000, "170 ms"),
            (3_100_000_000, "3.1 s"),
        ] {
            assert_eq!(Nanos(ns).to_string(), shown);
        }
    }
}
