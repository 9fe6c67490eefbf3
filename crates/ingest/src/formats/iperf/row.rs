//! One line of figures: `[  5]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes`.
//!
//! What stands behind the rate is told by its shape as well as by the header above: a header is lost easily, and the header
//! of another table may stand there instead.

use super::session::{Figures, Shape};
use crate::text::split_once;
use crate::units::{Kilo, ns_of_seconds, rate_bps, size_bytes};

/// What the last word of a line says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Sender,
    Receiver,
    Omitted,
}

/// Which columns the header above names behind the rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// There is a header.
    pub(super) known: bool,
    pub(super) retransmits: bool,
    /// iperf 2 with `-e`: writes, retries, window and round-trip time.
    pub(super) enhanced: bool,
    pub(super) datagrams: bool,
}

impl Columns {
    pub(super) fn of(header: &str) -> Self {
        let has = |name: &str| header.contains(name);
        Self {
            known: has("Bandwidth") || has("Bitrate"),
            retransmits: has("Retr"),
            enhanced: has("Rtry"),
            datagrams: has("Datagrams") || has("Jitter"),
        }
    }
}

/// What a line of figures says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) figures: Figures,
    pub(super) mark: Mark,
    /// Something behind the rate is not understood.
    pub(super) is_odd: bool,
    /// It has the blanks by which iperf3 makes its columns as wide as each other: iperf 2 has one.
    pub(super) is_wide: bool,
}

/// Why a line that begins like one of figures is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// It is something else.
    NoRow,
    /// It has an interval, but what stands behind it is not understood.
    Odd,
    /// What was moved in the interval and the rate contradict each other.
    Contradiction,
}

/// `[  5]`, `[ *1]`, `[SUM]`, `[SUM-2]`, `[FD1]`, `[ ID]`, with iperf3's `[TX-C]` behind it: the id, the role, what follows.
pub(super) fn id(line: &str) -> Option<(&str, Option<&str>, &str)> {
    let (id, rest) = split_once(line.strip_prefix('[')?, b']')?;
    let id = id.trim_ascii();
    let number = id.strip_prefix("FD").unwrap_or(id.trim_start_matches('*'));
    let known = id == "ID"
        || id == "CT"
        || id.starts_with("SUM")
        || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if id.is_empty() || id.len() > 12 || !known {
        return None;
    }
    match rest.strip_prefix('[').and_then(|rest| split_once(rest, b']')) {
        Some((role, rest)) if matches!(role, "TX-C" | "RX-C" | "TX-S" | "RX-S" | "Role") => {
            Some((id, Some(role), rest))
        }
        _ => Some((id, None, rest)),
    }
}

/// Whether figures of an interval stand behind the id.
pub(super) fn has_interval(rest: &str) -> bool {
    interval(rest).is_some()
}

/// `0.00-1.00   sec`: as it is printed, and what follows.
fn interval(rest: &str) -> Option<(&str, &str, &str)> {
    let rest = rest.trim_ascii_start();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (start, rest) = split_once(rest, b'-')?;
    let (end, rest) = word(rest)?;
    let (sec, rest) = word(rest)?;
    (sec == "sec" && is_number(start.trim_ascii()) && is_number(end)).then_some((
        start.trim_ascii(),
        end,
        rest,
    ))
}

/// Reads what stands behind the id.
pub(super) fn figures(rest: &str, columns: Columns) -> Result<Row, Broken> {
    let is_wide = rest.contains("  sec ");
    let (start, end, rest) = interval(rest).ok_or(Broken::NoRow)?;
    let row = of_interval(start, end, rest, columns).ok_or(Broken::Odd)?;
    if row.figures.rate_bps.is_nan() {
        return Err(Broken::Contradiction);
    }
    Ok(Row { is_wide, ..row })
}

fn of_interval(start: &str, end: &str, rest: &str, columns: Columns) -> Option<Row> {
    // Two rows in one line: the marks at the end are the second one's.
    if rest.contains('[') && rest.contains(" sec ") {
        return None;
    }
    let (amount, rest) = word(rest)?;
    let (unit, rest) = word(rest)?;
    let bytes = size_bytes(amount.parse().ok()?, unit, Kilo::Binary)? as f64;
    let (rate, rest) = word(rest)?;
    let (unit, rest) = word(rest)?;
    let bps = rate_bps(rate.parse().ok()?, unit, Kilo::Binary)?.0;
    let start_ns = ns_of_seconds(start.parse().ok()?)?;
    let mut end_ns = ns_of_seconds(end.parse().ok()?)?;
    let length = end_ns.checked_sub(start_ns)? as f64 / 1e9;
    let moved = bytes * 8.0 / bps.max(f64::MIN_POSITIVE);
    // A last slice of some milliseconds shows as none.
    if length == 0.0 && bps > 0.0 && moved < 0.1 {
        end_ns = end_ns.checked_add(ns_of_seconds(moved)?)?;
    } else if !agree(length, bytes * 8.0, bps, [end, amount, rate]) {
        return Some(Row {
            figures: Figures {
                rate_bps: f64::NAN,
                ..Figures::default()
            },
            mark: Mark::None,
            is_odd: true,
            is_wide: false,
        });
    }
    let mut figures = Figures {
        start_ns,
        end_ns,
        rate_bps: bps,
        ..Figures::default()
    };
    let (rest, mark) = marked(rest.trim_ascii());
    // A datagram carries 65,507 bytes at most: of fewer datagrams the bytes cannot be.
    let most = |count: u64| count as f64 * 65_507.0 * 1.05;
    let cannot_be_datagrams = |count: u64| mark == Mark::Sender || bytes > 0.0 && bytes > most(count);
    let is_odd =
        tail(&mut figures, rest, columns, cannot_be_datagrams).is_none() || ends_in_part_of_a_mark(rest);
    Some(Row {
        figures,
        mark,
        is_odd,
        is_wide: false,
    })
}

/// Whether length, amount and rate are the same within what was rounded when they were printed, and 2 %.
fn agree(length: f64, bits: f64, bps: f64, printed: [&str; 3]) -> bool {
    let half_unit = |text: &str| {
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        0.5 * 10_f64.powi(-(decimals.min(9) as i32))
    };
    let relative = |text: &str| half_unit(text) / text.parse::<f64>().unwrap_or(0.0).max(1e-9);
    let [end, amount, rate] = printed;
    let slack = 0.02 + relative(amount) + relative(rate) + 2.0 * half_unit(end) / length.max(1e-9);
    let counted = bits / length.max(1e-9);
    slack >= 1.0 || (counted - bps).abs() <= slack * counted.max(bps)
}

/// Whether the mark was cut: without it the row could be taken for another's.
fn ends_in_part_of_a_mark(rest: &str) -> bool {
    let last = rest.rsplit(' ').next().unwrap_or_default();
    !last.is_empty()
        && ["sender", "receiver", "(omitted)"]
            .iter()
            .any(|mark| mark.starts_with(last))
}

fn marked(rest: &str) -> (&str, Mark) {
    for (word, mark) in [
        ("sender", Mark::Sender),
        ("receiver", Mark::Receiver),
        ("(omitted)", Mark::Omitted),
    ] {
        if let Some(before) = rest.strip_suffix(word) {
            return (before.trim_ascii_end(), mark);
        }
    }
    (rest, Mark::None)
}

/// What stands behind the rate. `None`: something there is not understood.
fn tail(
    figures: &mut Figures,
    rest: &str,
    columns: Columns,
    cannot_be_datagrams: impl Fn(u64) -> bool,
) -> Option<()> {
    let mut words = [""; 8];
    for (place, word) in words.iter_mut().zip(rest.split_ascii_whitespace()) {
        *place = word;
    }
    match words {
        ["", ..] => figures.shape = Shape::Plain,
        // What bounced back: `10=0.047/0.016/0.314/0.094 ms`, mean, smallest and largest.
        [bounced, unit, ..] if bounced.contains('=') && bounced.contains('/') => {
            figures.shape = Shape::Bounced;
            let (_, times) = bounced.split_once('=')?;
            // Of a row that is cut it is known what it counts, and no more.
            if bounced.matches('/').count() == 3 && unit == "ms" {
                let ms: f64 = times.split('/').next()?.parse().ok()?;
                figures.rtt_ns = Some(ns_of_seconds(ms / 1e3)?);
            }
        }
        // Histograms of the sizes of reads, at a receiver of iperf 2: `781=306:253:…`, of old versions `22249    798:2637:…`.
        _ if rest.contains('=') || is_distribution(words[1]) => figures.shape = Shape::TcpReceiver,
        [count, "", ..] => {
            let count = count.parse().ok()?;
            if columns.datagrams {
                (figures.shape, figures.datagrams) = (Shape::UdpSender, Some(count));
            } else if columns.retransmits || !columns.known && cannot_be_datagrams(count) {
                (figures.shape, figures.retransmits) = (Shape::TcpSender, Some(count));
            } else {
                return None;
            }
        }
        [jitter, "ms", counts, next, ..] if !jitter.contains('/') => {
            figures.shape = Shape::UdpReceiver;
            figures.jitter_ns = Some(ns_of_seconds(jitter.parse::<f64>().ok()? / 1e3)?);
            // Only iperf 2 prints more behind the share: latencies and packets a second.
            if let Some((_, behind)) = rest.split_once("%)")
                && !behind.is_empty()
                && !behind.contains('/')
                && !behind.contains("pps")
            {
                return None;
            }
            if !counts.is_empty() {
                // A row that is cut within the share has lost the mark that tells whose it is.
                rest.contains("%)").then_some(())?;
                let (lost, datagrams) = lost_of_total(counts, next)?;
                (figures.lost, figures.datagrams) = (Some(lost), Some(datagrams));
            }
        }
        [retransmits, size, unit, next, of_rtt, ..] if unit.ends_with("Bytes") => {
            figures.shape = Shape::TcpSender;
            figures.retransmits = Some(retransmits.parse().ok()?);
            figures.cwnd_bytes = Some(size_bytes(size.parse().ok()?, unit, Kilo::Binary)?);
            if matches!(of_rtt, "ms" | "us") {
                let scale = if of_rtt == "ms" { 1e3 } else { 1e6 };
                figures.rtt_ns = ns_of_seconds(next.parse::<f64>().ok()? / scale);
            } else if !next.is_empty() {
                return None;
            }
        }
        [writes, _, "pps", ..] if writes.contains('/') => figures.shape = Shape::UdpSender,
        [writes, retries, cwnd, ..] if writes.contains('/') && (columns.enhanced || cwnd.contains("K/")) => {
            figures.shape = Shape::TcpSender;
            figures.retransmits = Some(retries.parse().ok()?);
            // `InF(pkts)/Cwnd(pkts)/RTT(var)`: since 2.1.9 what is in flight stands in front.
            let (before, rtt) = words[2].rsplit_once('/').unzip();
            let cwnd = before.and_then(|before| before.rsplit('/').next());
            figures.cwnd_bytes = cwnd.and_then(kilobytes);
            let us: Option<u64> = rtt.and_then(|rtt| rtt.split('(').next()?.parse().ok());
            figures.rtt_ns = us
                .filter(|_| words[3] == "us")
                .and_then(|us| us.checked_mul(1_000));
        }
        _ => return None,
    }
    Some(())
}

/// Eight counts.
fn is_distribution(word: &str) -> bool {
    word.matches(':').count() == 7 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

/// `3325K`, `1710K(1209)` with the packets.
fn kilobytes(text: &str) -> Option<u64> {
    let size = text.split('(').next().unwrap_or(text);
    let kilobytes: u64 = size.strip_suffix('K')?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The two counts of `0/893` or `0/` and `893`.
fn lost_of_total(counts: &str, next: &str) -> Option<(u64, u64)> {
    let (lost, total) = counts.split_once('/')?;
    let total = if total.is_empty() { next } else { total };
    let (lost, total) = (lost.parse::<u64>().ok()?, total.parse::<u64>().ok()?);
    (lost <= total).then_some((lost, total))
}

/// The first word and what follows it.
pub(super) fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let end = text.bytes().position(is_blank).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then_some((word, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str, header: &str) -> Result<Row, Broken> {
        let (_, _, rest) = id(line).unwrap();
        figures(rest, Columns::of(header))
    }

    #[test]
    fn lines_of_figures() {
        for line in [
            "[  5]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
            "[  5][TX-C]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
            "[SUM]  0.0- 1.0 sec  2.27 GBytes  19.5 Gbits/sec    6    895 KBytes",
        ] {
            let Figures {
                start_ns,
                end_ns,
                rate_bps,
                retransmits,
                cwnd_bytes,
                ..
            } = row(line, "").unwrap().figures;
            assert_eq!((start_ns, end_ns, rate_bps), (0, 1_000_000_000, 19.5e9));
            assert_eq!((retransmits, cwnd_bytes), (Some(6), Some(916_480)));
        }
        for bad in [
            "",
            "[",
            "[]",
            "[AS3671 - SU]",
            "[x] a",
            "text",
            "[1234567890123]",
            "[*]",
        ] {
            assert_eq!(id(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_no_figure_is_told_from_what_is_something_else() {
        for (line, broken) in [
            ("[5] ", Broken::NoRow),
            ("[5] 0.0-", Broken::NoRow),
            ("[5] local 192.0.2.1 port 5", Broken::NoRow),
            ("[5] 1.0-0.5 sec 1 KBytes 1 Kbits/sec", Broken::Odd),
            ("[5] 0-1 sec 1 apples 2 bits/sec", Broken::Odd),
            ("[5] 0.0-1.0 sec 1 KBytes **8 Kbits/sec**", Broken::Odd),
            (
                "[5] 0.0-1.0 sec 1 MBytes 8.39 Mbits/sec sender [5] 0.0-1.0 sec 1 MBytes 8.39 Mbits/sec receiver",
                Broken::Odd,
            ),
            (
                "[5] 0.0-1.0 sec 1.00 GBytes 1.00 Gbits/sec",
                Broken::Contradiction,
            ),
        ] {
            assert_eq!(row(line, ""), Err(broken), "{line}");
        }
    }

    #[test]
    fn a_count_needs_its_header() {
        let line = "[  5]   0.00-1.00   sec  2.27 GBytes  19.5 Gbits/sec    6";
        assert_eq!(
            row(line, "").unwrap().figures.retransmits,
            Some(6),
            "so few datagrams cannot be"
        );
        assert!(row(&format!("{line}0000"), "").unwrap().is_odd);
        let of = |header| row(line, header).unwrap().figures;
        assert_eq!(of("Bitrate Retr").retransmits, Some(6));
        assert_eq!(of("Bitrate Total Datagrams").datagrams, Some(6));
        let udp = "[  3]  0.0-10.0 sec  1.25 MBytes  1.05 Mbits/sec   0.014 ms    3/  893 (0.34%)";
        let read = row(udp, "").unwrap().figures;
        assert_eq!(
            (read.lost, read.datagrams, read.jitter_ns),
            (Some(3), Some(893), Some(14_000))
        );
        assert!(
            row(&udp.replace(" 3/", "-3/"), "").unwrap().is_odd,
            "lost below zero"
        );
    }
}
