//! Amounts of bytes as people type them.

/// `500000`, `64K`, `1.5M`, `2G`: with the powers of 1,024 that iperf3 means by these letters.
///
/// # Errors
/// In words, when it is no such amount.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("`{text}` is no amount of bytes: give a number, or one with K, M, G or T (of 1024)");
    let letter = text.chars().next_back().ok_or_else(wrong)?;
    let power = match letter.to_ascii_uppercase() {
        'K' => 1,
        'M' => 2,
        'G' => 3,
        'T' => 4,
        _ => 0,
    };
    let number = match power {
        0 => text,
        _ => text.strip_suffix(letter).unwrap_or(text),
    };
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let amount = number * 1024f64.powi(power);
    // Above 2^53 an f64 holds no single bytes any more, and nobody means so many.
    match is_plain && (1.0..9e15).contains(&amount) {
        true => Ok(amount as u64),
        false => Err(wrong()),
    }
}

/// The same, for a socket's buffer.
///
/// # Errors
/// In words, when it is no such amount, or more than 2 GB.
pub(super) fn buffer(text: &str) -> Result<u32, String> {
    let bytes = bytes(text)?;
    let bytes = u32::try_from(bytes)
        .ok()
        .filter(|bytes| i32::try_from(*bytes).is_ok());
    bytes.ok_or_else(|| format!("`{text}` is more than a socket's buffer can be (2 GB)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_iperf3_reads_them() {
        for (text, wanted) in [
            ("1", 1),
            ("500000", 500_000),
            ("64K", 65_536),
            ("64k", 65_536),
            ("1.5M", 1_572_864),
            ("2G", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(bytes(text), Ok(wanted), "{text}");
        }
        for text in [
            "",
            "K",
            "0",
            "-1",
            "1e9",
            "inf",
            "NaN",
            "1KB",
            "1 K",
            "12X",
            "99999999T",
            "1KK",
        ] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!(buffer("4M"), Ok(4 << 20));
        assert!(buffer("2G").is_err());
    }
}
