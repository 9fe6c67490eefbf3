//! Small readers that several formats share. Each returns `None` for what is not there; none allocates.

/// A number with a unit at its end, in seconds, as nanoseconds: `1.25 ms`, `204 us`, `5.`, with `scale` nanoseconds per
/// unit. `None` unless it is a finite number that fits.
pub(crate) fn nanos(number: &str, scale: f64) -> Option<u64> {
    nanos_of(number.trim_ascii().trim_end_matches('.').parse().ok()?, scale)
}

/// The same of a number that was read.
pub(crate) fn nanos_of(value: f64, scale: f64) -> Option<u64> {
    let ns = value * scale;
    (ns.is_finite() && (0.0..1.8e19).contains(&ns)).then(|| ns.round() as u64)
}

/// A whole number in which thousands may be separated by commas: `2,498,543`.
pub(crate) fn grouped(number: &str) -> Option<u64> {
    let mut value: u64 = 0;
    let mut digits = 0;
    for byte in number.trim_ascii().bytes() {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                digits += 1;
            }
            b',' if digits > 0 => {}
            _ => return None,
        }
    }
    (digits > 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(nanos("1.25", 1e6), Some(1_250_000));
        assert_eq!(nanos("5.", 1e6), Some(5_000_000));
        for bad in ["", "-1", "x", "1e300", "inf", "NaN"] {
            assert_eq!(nanos(bad, 1e6), None, "{bad}");
        }
        assert_eq!(grouped("2,498,543"), Some(2_498_543));
        for bad in ["", ",", "12a", "99999999999999999999"] {
            assert_eq!(grouped(bad), None, "{bad}");
        }
    }
}
