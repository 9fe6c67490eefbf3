//! nuttcp: a line an interval, a line for the whole, and with `-vv` what it did.
//!
//! Its `MB` are powers of two. The closing line is the receiver's account.

mod setting;

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::host;
use crate::text::parted;
use crate::units::{Kilo, ns_of_seconds, rate_bps, size_bytes};
use evidence::{RateBps, Transfer, TransferInterval, Transport};
use setting::{Setting, typed, verbose};

pub(crate) static FORMAT: Format = Format {
    name: "nuttcp",
    group: Group::Transfers,
    reads: "TCP and UDP, intervals, brief and verbose (`-vv`)",
    first: "n0-9+.iINm-",
    has_command: true,
    marks: Some(|| Marks::of([" / ", "megabytes=", "nuttcp"])),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

/// The arguments of a command, and the host at whose prompt it stands.
fn command(line: &str) -> Option<(Option<&str>, Vec<&str>)> {
    let run = Run::of(line, &["nuttcp"]).filter(Run::is_typed)?;
    Some((run.device, run.words().collect()))
}

fn is_verbose(line: &str) -> bool {
    line.starts_with("nuttcp-t:") || line.starts_with("nuttcp-r:")
}

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b' ' | b'0'..=b'9') => row(line).is_some(),
        Some(b'm') if line.starts_with("megabytes=") => row(line).is_some(),
        Some(b'n') if line.starts_with("nuttcp") => is_verbose(line) || command(line).is_some(),
        Some(b'[' | b'$' | b'%' | b'#' | b'a'..=b'z') => command(line).is_some(),
        _ => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() {
        // A blank line stands before the closing line, or between the two halves of verbose output.
        let mut above = block.lines().rev().take(2);
        return above.any(|last| row(last).is_some_and(|row| !row.closing) || is_verbose(last));
    }
    if line.starts_with("ignoring interval=") {
        return block.len() == 1;
    }
    let closed = block.last().and_then(row).is_some_and(|row| row.closing);
    // The head of a side that is there already begins another test.
    let is_again = || {
        block.last() != Some(line)
            && block
                .lines()
                .any(|above| is_head(above) && same_side(above, line))
    };
    is_verbose(line) && !(is_head(line) && is_again()) || row(line).is_some() && !closed
}

/// `nuttcp-t: v6.1.2: socket`
fn is_head(line: &str) -> bool {
    is_verbose(line) && line.get(9..).is_some_and(|text| text.starts_with(" v"))
}

fn same_side(a: &str, b: &str) -> bool {
    a.get(..8) == b.get(..8)
}

/// One strange line does not end a test: what follows would have lost its hosts.
fn takes_in(block: &Block, line: &str) -> bool {
    let is_open = |last: &str| is_verbose(last) || row(last).is_some_and(|row| !row.closing);
    !line.trim_ascii().is_empty() && block.lines().rev().take(2).any(is_open)
}

/// A line of figures.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    length_ns: u64,
    rate_bps: f64,
    /// The closing line has the processors' shares in it.
    closing: bool,
    retransmits: Option<u64>,
    rtt_ns: Option<u64>,
    cwnd_bytes: Option<u64>,
    lost: Option<u64>,
    packets: Option<u64>,
    /// As for UDP; `None` where the end of the line is missing, which would tell.
    counts_packets: Option<bool>,
}

/// ` 3053.4375 MB /   1.00 sec = 25603.6695 Mbps     0 retrans    168 KB-cwnd`
fn row(line: &str) -> Option<Row> {
    if line.starts_with("megabytes=") {
        return parsed(line);
    }
    let (amount, rest) = parted(line, " / ")?;
    let (number, unit) = amount.trim_ascii().split_once(' ')?;
    size_bytes(number.parse().ok()?, unit, Kilo::Binary)?;
    let mut words = rest.split_ascii_whitespace();
    let length_ns = ns_of_seconds(words.next()?.parse().ok()?)?;
    if words.next()? != "sec" || words.next()? != "=" {
        return None;
    }
    let rate = rate_bps(words.next()?.parse().ok()?, words.next()?, Kilo::Thousand)?;
    let mut row = Row {
        length_ns,
        rate_bps: rate.0,
        ..Row::default()
    };
    let (mut before, mut slash) = ("", None);
    for word in words {
        match word {
            "%TX" | "%RX" => row.closing = true,
            "retrans" => row.retransmits = before.parse().ok(),
            "msRTT" => row.rtt_ns = before.parse::<f64>().ok().and_then(|ms| ns_of_seconds(ms / 1e3)),
            "KB-cwnd" => row.cwnd_bytes = size_bytes(before.parse().ok()?, "KB", Kilo::Binary),
            "/" => slash = before.parse().ok(),
            "drop/pkt" | "~drop/pkt" => {
                (row.lost, row.packets) = (slash, before.parse().ok());
                row.counts_packets = Some(true);
            }
            // The beginning of another line.
            _ if word.contains(':') => return None,
            _ => {}
        }
        before = word;
    }
    let is_whole = matches!(before, "" | "%RX" | "retrans" | "msRTT" | "KB-cwnd");
    row.counts_packets = row.counts_packets.or(is_whole.then_some(false));
    row.closing |=
        rest.contains("drop/pkt") && !rest.contains('~') && rest.contains("%loss") && rest.contains("%RX");
    Some(row)
}

/// `-fparse`: `megabytes=2.3828 real_seconds=2.01 rate_Mbps=9.9454 tx_cpu=28 rx_cpu=0 drop=0 pkt=305 data_loss=0.00000`; a slice has
/// `real_sec`.
fn parsed(line: &str) -> Option<Row> {
    let get = |name: &str| {
        line.split_ascii_whitespace()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let number = |name: &str| get(name)?.parse::<f64>().ok();
    let count = |name: &str| get(name)?.parse::<u64>().ok();
    let whole = number("real_seconds");
    // The shares of the processors stand at the end of the whole.
    if whole.is_some() && get("rx_cpu").is_none() {
        return None;
    }
    Some(Row {
        length_ns: ns_of_seconds(whole.or(number("real_sec"))?)?,
        rate_bps: rate_bps(number("rate_Mbps")?, "Mbps", Kilo::Thousand)?.0,
        closing: whole.is_some(),
        retransmits: count("retrans"),
        rtt_ns: number("rtt_ms").and_then(|ms| ns_of_seconds(ms / 1e3)),
        cwnd_bytes: count("cwnd_KB").and_then(|kb| kb.checked_mul(1024)),
        lost: count("drop"),
        packets: count("pkt"),
        counts_packets: Some(get("pkt").is_some()),
    })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut setting = Setting::default();
    let (mut slices, mut total) = (Vec::new(), None);
    let mut after_blank = false;
    for (number, line) in block.numbered() {
        if line.starts_with("ignoring interval=") {
            // So what follows is the whole.
            after_blank = true;
            continue;
        }
        if line.trim_ascii().is_empty() {
            after_blank = !slices.is_empty();
            continue;
        }
        if let Some((device, words)) = command(line) {
            let own = device.map(host).unwrap_or_default();
            if !typed(&mut setting, own, words.into_iter()) {
                findings.complain(number, "the command names no host: it is not used");
            }
        } else if let Some((side, text)) = parted(line, ": ").filter(|_| is_verbose(line)) {
            verbose(&mut setting, side == "nuttcp-t", text);
        } else if let Some(mut row) = row(line) {
            match row.closing {
                true => total = Some(row),
                // The closing line without its end: it stands apart, or is as long as all before it.
                false if after_blank || spans(&row, &slices) => findings.unread(number, line),
                false => {
                    if row.lost > row.packets {
                        findings.complain(number, "more packets lost than sent: neither is used");
                        (row.lost, row.packets) = (None, None);
                    }
                    slices.push(row);
                }
            }
        } else {
            findings.unread(number, line);
        }
        after_blank = false;
    }
    // Rates have four decimals: no second is like the one before.
    let rows = block.lines().zip(block.lines().skip(1));
    if rows
        .into_iter()
        .any(|(a, b)| a == b && row(a).is_some_and(|row| !row.closing))
    {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "the same interval stands there twice: the intervals are not used",
        );
        slices.clear();
    }
    let whole = total.map(|total| total.length_ns).or(setting.length_ns);
    if whole
        .is_some_and(|whole| length(&slices) > whole.saturating_add(whole / 50).saturating_add(50_000_000))
    {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "the intervals are longer than the whole: they are not used",
        );
        slices.clear();
    }
    if total.is_none() && slices.is_empty() && setting.received.or(setting.sent).is_none() {
        return;
    }
    // Verbose lines say which side sends.
    let is_told = !setting.is_way_unsure || setting.receives || setting.own_sends.is_some();
    let (from, to) = match setting.receives {
        _ if !is_told => {
            findings.complain(
                block.first_line,
                "the command does not tell which way the data go: neither end is used",
            );
            Default::default()
        }
        true => (setting.other, setting.own),
        false => (setting.own, setting.other),
    };
    // Lines of UDP count packets.
    let counted = setting.packets.is_some().then_some(true);
    let counts_packets = total.iter().chain(&slices).filter_map(|row| row.counts_packets);
    let udp = setting.udp.or(counted).or(counts_packets.reduce(|a, b| a || b));
    let record = Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        protocol: udp.map(|udp| if udp { Transport::Udp } else { Transport::Tcp }),
        streams: setting.streams,
        window_bytes: setting.window_bytes,
        mss_bytes: setting.mss_bytes,
        duration_ns: total.map(|total| total.length_ns).or(setting.length_ns),
        sent_bps: setting.sent,
        received_bps: total.map(|total| RateBps(total.rate_bps)).or(setting.received),
        retransmits: total.and_then(|total| total.retransmits).or(setting.retransmits),
        packets_sent: total.and_then(|total| total.packets).or(setting.packets),
        packets_lost: total.and_then(|total| total.lost).or(setting.lost),
        rtt_ns: total.and_then(|total| total.rtt_ns).or(setting.rtt_ns),
        intervals: intervals(&slices),
        ..Transfer::default()
    };
    let tool = setting.tool.as_deref().unwrap_or("nuttcp");
    findings.record(block, tool, context.at, record.into());
}

fn length(slices: &[Row]) -> u64 {
    slices
        .iter()
        .map(|slice| slice.length_ns)
        .fold(0, u64::saturating_add)
}

fn spans(row: &Row, before: &[Row]) -> bool {
    let longest = before.iter().map(|slice| slice.length_ns).max();
    longest.is_some_and(|longest| row.length_ns > longest.saturating_add(longest / 2))
        && row.length_ns.saturating_add(row.length_ns / 5) >= length(before)
}

fn intervals(slices: &[Row]) -> Vec<TransferInterval> {
    let mut start_ns = 0_u64;
    slices
        .iter()
        .map(|slice| {
            let interval = TransferInterval {
                start_ns,
                length_ns: slice.length_ns,
                rate_bps: Some(RateBps(slice.rate_bps)),
                retransmits: slice.retransmits,
                cwnd_bytes: slice.cwnd_bytes,
                packets_lost: slice.lost.and_then(|lost| lost.try_into().ok()),
                ..TransferInterval::default()
            };
            start_ns = start_ns.saturating_add(slice.length_ns);
            interval
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_packets_shows_at_the_end_of_a_line() {
        let counts = |end: &str| {
            let line = format!("1416.3418 MB /  10.00 sec = 1188.1121 Mbps {end}");
            row(&line).and_then(|row| row.counts_packets)
        };
        assert_eq!(counts("85 %TX 26 %RX 0 retrans 0.10 msRTT"), Some(false));
        assert_eq!(counts("85 %TX 26 %RX 104 / 1554 drop/pkt 6.72 %loss"), Some(true));
        assert_eq!(counts("85 %TX 26"), None);
    }
}
