//! `Interval  Throughput  Retransmits  Current Window`, and the summary below it.

use super::task::Task;
use crate::Context;
use crate::block::{Block, Findings};
use crate::units::{Kilo, ns_of_seconds, rate_bps, size_bytes, split};
use evidence::{RateBps, Transfer, TransferInterval, Transport};

/// Which columns stand behind the rate.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    udp: bool,
    window: bool,
    receiver: bool,
}

/// The beginning of a row, which all tables share, and its other words.
pub(super) struct Row<'a> {
    start_ns: u64,
    end_ns: u64,
    rate: RateBps,
    rest: &'a str,
}

/// `3.0 - 4.0      0.00bps 31            3.07 KBytes`
pub(super) fn row(text: &str) -> Option<Row<'_>> {
    let (start, rest) = text.split_once(" - ")?;
    let (end, rest) = rest.trim_start().split_once(' ')?;
    let (rate, rest) = quantity(rest)?;
    let (start_ns, end_ns) = (
        ns_of_seconds(start.trim().parse().ok()?)?,
        ns_of_seconds(end.parse().ok()?)?,
    );
    Some(Row {
        start_ns,
        end_ns: (end_ns >= start_ns).then_some(end_ns)?,
        rate: rate_bps(rate.0, rate.1, Kilo::Thousand)?,
        rest,
    })
}

/// A number with its unit, which may stand apart: `9.13 Gbps`, `0.00bps`; and what follows.
fn quantity(text: &str) -> Option<((f64, &str), &str)> {
    let text = text.trim_start();
    let word = |text: &str| text.find(' ').unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(word(text))?;
    let (number, unit) = split(first)?;
    if !unit.is_empty() {
        return Some(((number, unit), rest));
    }
    let rest = rest.trim_start();
    let (unit, rest) = rest.split_at_checked(word(rest))?;
    Some(((number, unit), rest))
}

/// What a row says.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    start_ns: u64,
    end_ns: u64,
    rate_bps: f64,
    retransmits: Option<u64>,
    window_bytes: Option<u64>,
    received: Option<RateBps>,
    sent: Option<u64>,
    lost: Option<u64>,
    jitter_ns: Option<u64>,
    omitted: bool,
}

fn figures(row: &Row<'_>, columns: Columns) -> Figures {
    let mut figures = Figures {
        start_ns: row.start_ns,
        end_ns: row.end_ns,
        rate_bps: row.rate.0,
        omitted: row.rest.ends_with("(omitted)"),
        ..Figures::default()
    };
    let (rest, jitter) = row.rest.split_once("Jitter:").unwrap_or((row.rest, ""));
    let ms: Option<f64> = jitter
        .split_ascii_whitespace()
        .next()
        .and_then(|ms| ms.parse().ok());
    figures.jitter_ns = ms.and_then(|ms| ns_of_seconds(ms / 1e3));
    let rest = match columns.udp {
        true => counts(&mut figures, rest),
        false => {
            let (word, rest) = first_cell(rest);
            figures.retransmits = word.parse().ok();
            rest
        }
    };
    if columns.window {
        figures.window_bytes = quantity(rest).and_then(|((n, unit), _)| size_bytes(n, unit, Kilo::Thousand));
    } else if columns.receiver {
        figures.received = quantity(rest).and_then(|((n, unit), _)| rate_bps(n, unit, Kilo::Thousand));
    }
    figures
}

/// `0 / 1785`, `1785 sent`, `Not Reported`
fn counts<'t>(figures: &mut Figures, text: &'t str) -> &'t str {
    if let Some((lost, rest)) = text.split_once(" / ") {
        let (sent, rest) = first_cell(rest);
        figures.lost = lost.trim().parse().ok();
        figures.sent = sent.parse().ok();
        return rest;
    }
    let (word, rest) = first_cell(text);
    figures.sent = word.parse().ok();
    rest.trim_start().strip_prefix("sent").unwrap_or(rest)
}

/// The next word, `Not Reported` being one.
fn first_cell(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("Not Reported") {
        return ("Not Reported", rest);
    }
    text.split_at_checked(text.find(' ').unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

pub(super) fn read(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    let mut columns = Columns::default();
    let mut heading = "";
    let mut slices: Vec<Figures> = Vec::new();
    let mut total: Option<Figures> = None;
    let mut streams = std::collections::BTreeSet::new();
    let (mut mss, mut window) = (None, None);
    for (number, line) in block.numbered() {
        let text = line.trim();
        if text.starts_with("Interval ") {
            columns = Columns {
                udp: text.contains("Lost / Sent"),
                window: text.contains("Current Window"),
                receiver: text.contains("Receiver Throughput"),
            };
        } else if text == "Summary" {
            heading = text;
        } else if let Some(stream) = text.strip_prefix("* Stream ID ") {
            streams.insert(stream.trim_end_matches(" Summary"));
            heading = stream;
        } else if let Some(size) = text.strip_prefix("MSS:") {
            mss = size.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
        } else if let Some((_, asked)) = text
            .strip_prefix("TCP Window Size:")
            .and_then(|rest| rest.split_once("Requested:"))
        {
            window = split(asked).and_then(|(n, unit)| size_bytes(n, unit, Kilo::Thousand));
        } else if let Some(row) = row(text) {
            let figures = figures(&row, columns);
            match heading {
                "Summary" => total = Some(figures),
                // The total of one of several streams: the summary holds their sum.
                stream if stream.ends_with(" Summary") => {}
                _ if figures.omitted => {}
                _ => slices.push(figures),
            }
        } else if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" - ") {
            findings.complain(number, "a row of pScheduler that is not understood");
        }
    }
    if total.is_none() && slices.is_empty() {
        return;
    }
    let udp = columns.udp || task.udp == Some(true);
    let stream_count = u16::try_from(streams.len()).ok().filter(|count| *count > 0);
    let record = Transfer {
        from: context.from_or(task.from.clone()),
        to: context.to_or(task.to.clone()),
        protocol: Some(if udp { Transport::Udp } else { Transport::Tcp }),
        streams: stream_count.or(task.streams),
        window_bytes: window,
        mss_bytes: mss,
        duration_ns: total.map(|total| total.end_ns.saturating_sub(total.start_ns)),
        sent_bps: total.map(|total| RateBps(total.rate_bps)),
        received_bps: total.and_then(|total| total.received),
        retransmits: total.and_then(|total| total.retransmits),
        packets_sent: total.and_then(|total| total.sent),
        packets_lost: total.and_then(|total| total.lost),
        jitter_ns: total.and_then(|total| total.jitter_ns),
        intervals: intervals(slices),
        ..Transfer::default()
    };
    findings.record(block, "pScheduler", task.at, record.into());
}

/// Slices of all streams that begin together, added.
fn intervals(mut slices: Vec<Figures>) -> Vec<TransferInterval> {
    slices.sort_by_key(|slice| (slice.start_ns, slice.end_ns));
    let sum = |group: &[Figures], of: fn(&Figures) -> Option<u64>| {
        group
            .iter()
            .try_fold(0_u64, |sum, slice| Some(sum.saturating_add(of(slice)?)))
    };
    slices
        .chunk_by(|a, b| a.start_ns == b.start_ns)
        .filter_map(|group| {
            let first = group.first()?;
            Some(TransferInterval {
                start_ns: first.start_ns,
                length_ns: first.end_ns.saturating_sub(first.start_ns),
                rate_bps: Some(RateBps(group.iter().map(|slice| slice.rate_bps).sum())),
                retransmits: sum(group, |slice| slice.retransmits),
                cwnd_bytes: sum(group, |slice| slice.window_bytes),
                packets_lost: sum(group, |slice| slice.lost).and_then(|lost| lost.try_into().ok()),
                ..TransferInterval::default()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_the_unit_close_or_apart() {
        let columns = Columns {
            window: true,
            ..Columns::default()
        };
        let read = |text| figures(&row(text).unwrap(), columns);
        let tcp = read("3.0 - 4.0      0.00bps 31            3.07 KBytes");
        assert_eq!(
            (tcp.rate_bps, tcp.retransmits, tcp.window_bytes),
            (0.0, Some(31), Some(3_070))
        );
        let none = read("0.0 - 1.0      9.13 Gbps Not Reported   Not Reported");
        assert_eq!(
            (none.rate_bps, none.retransmits, none.window_bytes),
            (9.13e9, None, None)
        );
        let columns = Columns {
            udp: true,
            receiver: true,
            ..Columns::default()
        };
        let udp = figures(
            &row("0.0 - 10.0     497.00 Mbps     12 / 5076311   486.00 Mbps  Jitter: 0.02 ms").unwrap(),
            columns,
        );
        assert_eq!(
            (udp.lost, udp.sent, udp.jitter_ns),
            (Some(12), Some(5_076_311), Some(20_000))
        );
        assert_eq!(udp.received, Some(RateBps(486e6)));
        for bad in ["", "a - b c", "1.0 - 0.5 3 Mbps", "1 - 2 fast", "9 - 10"] {
            assert!(row(bad).is_none(), "{bad}");
        }
    }
}
