//! Cells: names of ports, counts, rates, and what stands for nothing.

use crate::text::grouped;
use crate::units::{Kilo, rate_bps};

/// Whether a word names a port: letters first, a digit somewhere, and nothing that sentences have.
pub(super) fn is_port(word: &str) -> bool {
    word.len() <= 40
        && word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b':' | b'-' | b'_'))
        && !word.ends_with([':', '.'])
}

/// Whether a cell says that there is nothing to say.
pub(super) fn is_absent(cell: &str) -> bool {
    matches!(
        cell,
        "-" | "--" | "N/A" | "n/a" | "NA" | "---" | "n.a." | "unknown"
    )
}

/// A count, `None` where it is absent; an error for what is neither.
pub(super) fn count(cell: &str) -> Result<Option<u64>, ()> {
    if is_absent(cell) {
        return Ok(None);
    }
    grouped(cell).map(Some).ok_or(())
}

/// A finite number.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A light power in dBm. Modules say -40 and less, or minus infinity, where there is none; no module sends or bears
/// more than +20.
pub(super) fn dbm(cell: &str) -> Option<f64> {
    number(cell).filter(|dbm| (-60.0..=30.0).contains(dbm))
}

/// A temperature of a module, degrees Celsius.
pub(super) fn celsius(cell: &str) -> Option<f64> {
    number(cell).filter(|celsius| (-60.0..=150.0).contains(celsius))
}

/// The speed of a port, bit/s: `a-1000` and `1000` are Mbit/s; `10G`, `a-100M`, `25Gbps`.
pub(super) fn speed_bps(cell: &str) -> Option<f64> {
    let cell = cell.strip_prefix("a-").unwrap_or(cell);
    let split = cell
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(cell.len());
    let (figure, unit) = cell.split_at_checked(split)?;
    let figure = number(figure).filter(|figure| *figure > 0.0)?;
    match unit {
        "" => Some(figure * 1e6),
        "M" | "G" | "T" | "K" | "k" => {
            rate_bps(figure, &format!("{unit}bps"), Kilo::Thousand).map(|rate| rate.0)
        }
        "Mb/s" | "Gb/s" | "Mbps" | "Gbps" | "Gbit" => {
            rate_bps(figure, &unit.replace("Gbit", "Gbps"), Kilo::Thousand).map(|rate| rate.0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports() {
        for yes in [
            "Gi1/0/1",
            "Et3/17/1",
            "mgmt0",
            "Po1",
            "xe-0/0/0.100",
            "TenGigE0/0/0/0",
            "Ethernet0",
            "Hu0/0/1:2",
        ] {
            assert!(is_port(yes), "{yes}");
        }
        for no in [
            "Port", "10", "the", "sw1#show", "(dBm)", "eth0:", "1/1", "RX_OK=5",
        ] {
            assert!(!is_port(no), "{no}");
        }
    }

    #[test]
    fn speeds_and_counts() {
        for (cell, bps) in [
            ("a-1000", Some(1e9)),
            ("10G", Some(1e10)),
            ("a-100M", Some(1e8)),
            ("auto", None),
            ("25Gbps", Some(25e9)),
            ("0", None),
        ] {
            assert_eq!(speed_bps(cell), bps, "{cell}");
        }
        assert_eq!(
            (count("1,234"), count("--"), count("1x")),
            (Ok(Some(1234)), Ok(None), Err(()))
        );
        assert_eq!(
            (dbm("-2.31"), dbm("99"), celsius("inf")),
            (Some(-2.31), None, None)
        );
    }
}
