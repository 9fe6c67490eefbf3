//! One line of figures: `[  5]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes`.

use crate::units::{Kilo, ns_of_seconds, rate_bps, size_bytes};

/// What a line of figures says, and the rest of it, which its header explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row<'a> {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) rate_bps: f64,
    pub(super) rest: &'a str,
}

/// `[  5]`, `[ *1]`, `[SUM]`, `[ ID]`, with iperf3's `[TX-C]` behind it: the id, the role, what follows.
pub(super) fn id(line: &str) -> Option<(&str, Option<&str>, &str)> {
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let id = id.trim();
    let number = id.trim_start_matches('*');
    let known = id == "ID" || id.starts_with("SUM") || number.bytes().all(|byte| byte.is_ascii_digit());
    if id.is_empty() || id.len() > 12 || !known {
        return None;
    }
    match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((role, rest)) if matches!(role, "TX-C" | "RX-C" | "TX-S" | "RX-S" | "Role") => {
            Some((id, Some(role), rest))
        }
        _ => Some((id, None, rest)),
    }
}

/// Reads what stands behind the id; `None` for what is no line of figures.
pub(super) fn figures(rest: &str) -> Option<Row<'_>> {
    let (start, rest) = rest.trim_start().split_once('-')?;
    let (end, rest) = word(rest)?;
    let (sec, rest) = word(rest)?;
    if sec != "sec" {
        return None;
    }
    let (amount, rest) = word(rest)?;
    let (unit, rest) = word(rest)?;
    size_bytes(amount.parse().ok()?, unit, Kilo::Binary)?;
    let (rate, rest) = word(rest)?;
    let (unit, rest) = word(rest)?;
    let (start_ns, end_ns) = (
        ns_of_seconds(start.trim().parse().ok()?)?,
        ns_of_seconds(end.parse().ok()?)?,
    );
    Some(Row {
        start_ns,
        end_ns: (end_ns >= start_ns).then_some(end_ns)?,
        rate_bps: rate_bps(rate.parse().ok()?, unit, Kilo::Binary)?.0,
        rest: rest.trim(),
    })
}

/// The first word and what follows it.
pub(super) fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then_some((word, rest))
}

/// The two counts of `0/  893 (0%)`.
pub(super) fn lost_of_total(text: &str) -> Option<(u64, u64)> {
    let (lost, total) = text.split_once('/')?;
    let lost = lost.rsplit([' ', '\t']).next()?.parse().ok()?;
    let total = word(total)?.0.parse().ok()?;
    (lost <= total).then_some((lost, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_figures() {
        for line in [
            "[  5]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
            "[  5][TX-C]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
            "[SUM]  0.0- 1.0 sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
        ] {
            let (_, _, rest) = id(line).unwrap();
            let row = figures(rest).unwrap();
            assert_eq!(
                (row.start_ns, row.end_ns, row.rate_bps),
                (0, 1_000_000_000, 19.5e9)
            );
            assert_eq!(row.rest, "6    895 KBytes");
        }
        for bad in ["", "[", "[]", "[AS3671 - SU]", "[x] a", "text", "[1234567890123]"] {
            assert_eq!(id(bad), None, "{bad}");
        }
        for bad in [
            "",
            "0.0-",
            "1.0-0.5 sec 1 KBytes 1 Kbits/sec",
            "0-1 sec 1 apples 2 bits/sec",
        ] {
            assert_eq!(figures(bad), None, "{bad}");
        }
        assert_eq!(lost_of_total("0.014 ms    3/  893 (0%)"), Some((3, 893)));
        assert_eq!(lost_of_total("9/3"), None);
    }
}
