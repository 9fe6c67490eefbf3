//! Values as documents write them: numbers as text, thousands with commas, and what stands for nothing.

use crate::text::grouped;

/// Whether a value says that there is none.
pub(super) fn is_absent(text: &str, more: &[&str]) -> bool {
    matches!(
        text,
        "" | "-"
            | "--"
            | "---"
            | "n/a"
            | "N/A"
            | "NA"
            | "null"
            | "None"
            | "nil"
            | "unknown"
            | "never"
            | "not available"
    ) || more.contains(&text)
}

/// A count, also one written `5.0` or `1,234`.
pub(super) fn count(text: &str) -> Option<u64> {
    grouped(text).or_else(|| {
        let float: f64 = text.parse().ok()?;
        // 2^53: above it a float is no exact count.
        (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float)).then_some(float as u64)
    })
}

/// A finite number that is not negative, with commas.
pub(super) fn positive(text: &str) -> Option<f64> {
    if let Some(count) = grouped(text) {
        return Some(count as f64);
    }
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value >= 0.0)
}

/// The speed of a port in words, bit/s: `1000Mb/s`, `10 Gbps`, `SPEED_10GB`, `1000000 Kbit/sec`.
pub(super) fn speed_bps(text: &str) -> Option<f64> {
    let text = text
        .rsplit_once("SPEED_")
        .or_else(|| text.rsplit_once("speed-"))
        .map_or(text, |(_, rest)| rest)
        .trim_ascii();
    let text = text.strip_prefix("a-").unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))
        .unwrap_or(text.len());
    let (figure, unit) = text.split_at_checked(end)?;
    let figure = positive(figure).filter(|figure| *figure > 0.0)?;
    let unit = unit.trim_ascii();
    let scale = match unit.bytes().next()?.to_ascii_lowercase() {
        b'k' => 1e3,
        b'm' => 1e6,
        b'g' => 1e9,
        b't' => 1e12,
        b'b' => 1.0,
        _ => return None,
    };
    let rest = unit.trim_start_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
    let is_unit = matches!(
        rest.to_ascii_lowercase().as_str(),
        "" | "b" | "bit" | "bits" | "b/s" | "bps" | "bit/s" | "bits/s" | "bit/sec"
    );
    is_unit.then_some(figure * scale)
}

/// Whether a state is up; `None` for one that says neither.
pub(super) fn is_up(text: &str) -> Option<bool> {
    let text = text.trim_start_matches("if-oper-state-").to_ascii_lowercase();
    let word = text.split([' ', '(', ',']).next().unwrap_or("");
    match word {
        "up" | "connected" | "true" | "ready" | "enabled" => Some(true),
        "down" | "notconnect" | "notconnected" | "false" | "disabled" | "errdisabled" | "err-disabled"
        | "lowerlayerdown" | "lower-layer-down" | "notpresent" | "not-present" | "dormant" | "no-pass"
        | "administratively" | "adminstratively" => Some(false),
        _ => None,
    }
}

/// `full` or `half`.
pub(super) fn duplex(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    if text.contains("full") {
        Some("full")
    } else if text.contains("half") {
        Some("half")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (text, bps) in [
            ("1000Mb/s", Some(1e9)),
            ("10 Gbps", Some(1e10)),
            ("SPEED_10GB", Some(1e10)),
            ("speed-1gb", Some(1e9)),
            ("1000000 Kbit/sec", Some(1e9)),
            ("10Gbps", Some(1e10)),
            ("auto", None),
            ("Unlimited", None),
        ] {
            assert_eq!(speed_bps(text), bps, "{text}");
        }
        assert_eq!(
            (count("1,234"), count("5.0"), count("-1"), count("x5")),
            (Some(1234), Some(5), None, None)
        );
        assert_eq!(
            (is_up("up"), is_up("administratively down"), is_up("unknown")),
            (Some(true), Some(false), None)
        );
    }
}
