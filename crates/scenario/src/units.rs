//! Rates and delays as people write them: `"1 Gbit/s"`, `"2.5 ms"`.

use serde::Deserialize;

/// A rate in bit/s, written `"100 Mbit/s"`, `"1.5 Gbit/s"`, `"64 kbit/s"` or `"800 bit/s"`.
/// It counts whole IP packets, not frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Rate {
    /// Bits per second, at least 1.
    pub bps: u64,
}

/// A span of time, written `"2.5 ms"`, `"300 us"`, `"1 s"` or `"0 ms"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(try_from = "String")]
pub struct Delay {
    /// Nanoseconds.
    pub ns: u64,
}

/// A quantity that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Not of the form `NUMBER UNIT`.
    #[error("`{given}` is not a {what}: write it like {example:?}")]
    Form {
        /// What was written.
        given: String,
        /// What was expected.
        what: &'static str,
        /// A correct value.
        example: &'static str,
    },
    /// A number outside the range that makes sense.
    #[error("`{given}` is out of range: {range}")]
    Range {
        /// What was written.
        given: String,
        /// The permitted range in words.
        range: &'static str,
    },
}

const RATES: [(&str, f64); 5] = [
    ("bit/s", 1.0),
    ("kbit/s", 1e3),
    ("Mbit/s", 1e6),
    ("Gbit/s", 1e9),
    ("Tbit/s", 1e12),
];
const DELAYS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

fn split_quantity(given: &str, units: &[(&str, f64)]) -> Option<f64> {
    let given = given.trim();
    let unit_at = given.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = given.split_at(unit_at);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    let number: f64 = number.parse().ok()?;
    Some(number * factor)
}

impl TryFrom<String> for Rate {
    type Error = UnitError;
    fn try_from(given: String) -> Result<Self, UnitError> {
        let Some(bps) = split_quantity(&given, &RATES) else {
            return Err(UnitError::Form {
                given,
                what: "rate",
                example: "100 Mbit/s",
            });
        };
        if !(1.0..=1e13).contains(&bps) {
            return Err(UnitError::Range {
                given,
                range: "1 bit/s to 10 Tbit/s",
            });
        }
        Ok(Self {
            bps: bps.round() as u64,
        })
    }
}

impl TryFrom<String> for Delay {
    type Error = UnitError;
    fn try_from(given: String) -> Result<Self, UnitError> {
        let Some(ns) = split_quantity(&given, &DELAYS) else {
            return Err(UnitError::Form {
                given,
                what: "delay",
                example: "2.5 ms",
            });
        };
        if !(0.0..=60e9).contains(&ns) {
            return Err(UnitError::Range {
                given,
                range: "0 to 60 s",
            });
        }
        Ok(Self {
            ns: ns.round() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_as_written() {
        for (text, bps) in [
            ("1 Gbit/s", 1_000_000_000),
            ("1.5Mbit/s", 1_500_000),
            ("800 bit/s", 800),
        ] {
            assert_eq!(Rate::try_from(text.to_owned()).map(|r| r.bps), Ok(bps), "{text}");
        }
        for text in [
            "",
            "1",
            "Gbit/s",
            "1 GB/s",
            "-1 Gbit/s",
            "0 bit/s",
            "1..2 Mbit/s",
            "99 Tbit/s",
        ] {
            assert!(Rate::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn delays_as_written() {
        for (text, ns) in [
            ("2.5 ms", 2_500_000),
            ("300us", 300_000),
            ("0 ms", 0),
            ("1 s", 1_000_000_000),
        ] {
            assert_eq!(Delay::try_from(text.to_owned()).map(|d| d.ns), Ok(ns), "{text}");
        }
        assert!(Delay::try_from("61 s".to_owned()).is_err());
        assert!(Delay::try_from("5".to_owned()).is_err());
    }
}
