//! `Interval  Throughput  Retransmits  Current Window`, and the summary below it.

use super::task::Task;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::text::parted;
use crate::units::{Kilo, ns_of_seconds, rate_bps, size_bytes, split};
use evidence::{RateBps, Transfer, TransferInterval, Transport};
use std::collections::{BTreeMap, BTreeSet};

/// Which column stands behind the rate; what follows it is told by its unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Columns {
    #[default]
    Unknown,
    Tcp,
    Udp,
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
    let (start, rest) = parted(text, " - ")?;
    let (end, rest) = rest.trim_ascii_start().split_once(' ')?;
    let (rate, rest) = quantity(rest)?;
    let (start_ns, end_ns) = (
        ns_of_seconds(start.trim_ascii().parse().ok()?)?,
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
    let text = text.trim_ascii_start();
    let word = |text: &str| text.find(' ').unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(word(text))?;
    let (number, unit) = split(first)?;
    if !unit.is_empty() {
        return Some(((number, unit), rest));
    }
    let rest = rest.trim_ascii_start();
    let (unit, rest) = rest.split_at_checked(word(rest))?;
    // A row that is cut in front of its unit.
    (!unit.is_empty()).then_some(((number, unit), rest))
}

/// What a row says.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
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
    /// What stands behind the rate has no header.
    is_odd: bool,
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
    let rest = match columns {
        _ if rest.contains(" / ") => counts(&mut figures, rest),
        Columns::Udp => counts(&mut figures, rest),
        Columns::Tcp => {
            let (word, rest) = first_cell(rest);
            figures.retransmits = word.parse().ok();
            rest
        }
        Columns::Unknown => {
            figures.is_odd = !rest.trim_ascii().is_empty();
            ""
        }
    };
    if let Some(((number, unit), _)) = quantity(rest) {
        figures.window_bytes = size_bytes(number, unit, Kilo::Thousand).filter(|_| unit.ends_with("Bytes"));
        figures.received = rate_bps(number, unit, Kilo::Thousand).filter(|_| unit.ends_with("bps"));
    }
    figures
}

/// `0 / 1785`, `1785 sent`, `Not Reported`
fn counts<'t>(figures: &mut Figures, text: &'t str) -> &'t str {
    if let Some((lost, rest)) = parted(text, " / ") {
        let (sent, rest) = first_cell(rest);
        figures.lost = lost.trim_ascii().parse().ok();
        figures.sent = sent.parse().ok();
        return rest;
    }
    let (word, rest) = first_cell(text);
    figures.sent = word.parse().ok();
    rest.trim_ascii_start().strip_prefix("sent").unwrap_or(rest)
}

/// The next word, `Not Reported` being one.
fn first_cell(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    if let Some(rest) = text.strip_prefix("Not Reported") {
        return ("Not Reported", rest);
    }
    text.split_at_checked(text.find(' ').unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

/// The heading of rows that have lost theirs.
const LOST: &str = "?";

/// What the tables hold, while they are read.
#[derive(Default)]
struct Tables<'t> {
    columns: Columns,
    heading: &'t str,
    /// The head of its table was there.
    is_headed: bool,
    /// By beginning and stream; what was told differently is none.
    slices: BTreeMap<(u64, &'t str), Option<Figures>>,
    total: Option<Figures>,
    /// Totals that do not stand under `Summary`.
    stray: Vec<Figures>,
    streams: BTreeSet<&'t str>,
    udp: Option<bool>,
}

impl<'t> Tables<'t> {
    fn header(&mut self, text: &str) {
        self.columns = match (text.contains("Lost / Sent"), text.contains("Retransmits")) {
            (true, _) => Columns::Udp,
            (_, true) => Columns::Tcp,
            _ => Columns::Unknown,
        };
        if self.columns != Columns::Unknown {
            self.udp = Some(self.columns == Columns::Udp);
        }
        // A second table below a heading has lost its own.
        if std::mem::replace(&mut self.is_headed, true) {
            self.heading = LOST;
        }
    }

    fn heading(&mut self, heading: &'t str) {
        (self.heading, self.is_headed) = (heading, false);
    }

    fn row(&mut self, number: u64, row: &Row<'_>, findings: &mut Findings) {
        let mut figures = figures(row, self.columns);
        if figures
            .lost
            .zip(figures.sent)
            .is_some_and(|(lost, sent)| lost > sent)
        {
            findings.complain(number, "more packets lost than sent: neither is used");
            (figures.lost, figures.sent) = (None, None);
        }
        if figures.is_odd {
            findings.complain(
                number,
                "what stands behind the rate has no heading: it is not used",
            );
        }
        let spans = |(start, of): &(u64, &str)| *of == self.heading && *start > figures.start_ns;
        let is_total = figures.received.is_some()
            || figures.jitter_ns.is_some()
            || figures.start_ns == 0
                && self
                    .slices
                    .keys()
                    .any(|slice| spans(slice) && slice.0 < figures.end_ns);
        match self.heading {
            _ if figures.omitted => {}
            LOST => findings.complain(number, "a row of which nothing tells the stream: it is not used"),
            "Summary" if self.total.is_some_and(|total| total != figures) => {
                findings.complain(number, "another total was told before: neither is used");
                self.total = None;
            }
            "Summary" => self.total = Some(figures),
            // The total of one of several streams: the summary holds their sum.
            stream if stream.ends_with(" Summary") => {}
            _ if is_total => self.stray.push(figures),
            stream => {
                let told = self
                    .slices
                    .entry((figures.start_ns, stream))
                    .or_insert(Some(figures));
                if told.is_some_and(|before| before != figures) {
                    findings.complain(
                        number,
                        "the interval was told before with other figures: neither is used",
                    );
                    *told = None;
                }
            }
        }
    }
}

pub(super) fn read(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    let mut tables = Tables::default();
    let (mut mss, mut window) = (None, None);
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if text.starts_with("Interval ") {
            tables.header(text);
        } else if text == "Summary" {
            tables.heading(text);
        } else if let Some(stream) = text.strip_prefix("* Stream ID ") {
            tables.streams.insert(stream.trim_end_matches(" Summary"));
            tables.heading(stream);
        } else if let Some(size) = text.strip_prefix("MSS:") {
            mss = size.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
        } else if let Some((_, asked)) = text
            .strip_prefix("TCP Window Size:")
            .and_then(|rest| parted(rest, "Requested:"))
        {
            window = split(asked)
                .filter(|(_, unit)| !unit.is_empty())
                .and_then(|(n, unit)| size_bytes(n, unit, Kilo::Thousand));
        } else if let Some(row) = row(text) {
            tables.row(number, &row, findings);
        } else if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(" - ") {
            findings.complain(number, "a row of pScheduler that is not understood");
        }
    }
    let lines = (block.first_line, block.last_line());
    let (slices, missing) = intervals(&tables, task.streams);
    if missing > 0 {
        findings.complain_of(
            lines,
            format!("{missing} intervals do not have a row of each stream: they are not used"),
        );
    }
    let several = tables.streams.len() > 1;
    let mut total = tables.total.or(tables
        .stray
        .first()
        .copied()
        .filter(|_| !several && tables.stray.len() == 1));
    if total.is_none() && !slices.is_empty() {
        findings.complain_of(lines, "no total: the whole is what the intervals add up to");
        total = derived(&slices);
    }
    let Some(total) = total else {
        return;
    };
    let udp = tables.udp.or(task.udp);
    let stream_count = u16::try_from(tables.streams.len())
        .ok()
        .filter(|count| *count > 0);
    let record = Transfer {
        from: context.from_or(task.from.clone()),
        to: context.to_or(task.to.clone()),
        protocol: udp.map(|udp| if udp { Transport::Udp } else { Transport::Tcp }),
        streams: stream_count.or(task.streams),
        window_bytes: window,
        mss_bytes: mss,
        duration_ns: Some(total.end_ns.saturating_sub(total.start_ns)),
        sent_bps: Some(RateBps(total.rate_bps)),
        received_bps: total.received,
        retransmits: total.retransmits,
        packets_sent: total.sent,
        packets_lost: total.lost,
        jitter_ns: total.jitter_ns,
        intervals: slices.iter().map(interval).collect(),
        ..Transfer::default()
    };
    findings.record(block, "pScheduler", task.at, record.into());
}

/// What the intervals add up to; counts only where none is missing.
fn derived(slices: &[Figures]) -> Option<Figures> {
    let (first, last) = (slices.first()?, slices.last()?);
    let ns = |slice: &Figures| slice.end_ns.saturating_sub(slice.start_ns);
    let covered = slices.iter().map(ns).fold(0, u64::saturating_add);
    let length = last.end_ns.checked_sub(first.start_ns).filter(|ns| *ns > 0)?;
    let sum = |of: fn(&Figures) -> Option<u64>| {
        let all = slices
            .iter()
            .try_fold(0_u64, |sum, slice| Some(sum.saturating_add(of(slice)?)));
        all.filter(|_| covered.abs_diff(length) <= length / 50)
    };
    Some(Figures {
        start_ns: first.start_ns,
        end_ns: last.end_ns,
        rate_bps: slices.iter().map(|s| s.rate_bps * ns(s) as f64).sum::<f64>() / covered.max(1) as f64,
        retransmits: sum(|slice| slice.retransmits),
        sent: sum(|slice| slice.sent),
        lost: sum(|slice| slice.lost),
        ..Figures::default()
    })
}

/// Slices of all streams that begin together, added, and how many lack a stream.
fn intervals(tables: &Tables<'_>, asked: Option<u16>) -> (Vec<Figures>, usize) {
    let all: Vec<(u64, Option<Figures>)> = tables.slices.iter().map(|((start, _), f)| (*start, *f)).collect();
    let streams = tables.streams.len().max(1);
    // As many as were asked for, where the streams are told apart.
    let asked = asked
        .filter(|_| !tables.streams.is_empty())
        .map_or(0, usize::from);
    let streams = streams.max(asked);
    let (mut whole, mut missing) = (Vec::new(), 0);
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let parts: Vec<Figures> = group.iter().filter_map(|(_, figures)| *figures).collect();
        match parts.first() {
            Some(first) if parts.len() == streams => {
                let sum = |of: fn(&Figures) -> Option<u64>| {
                    parts
                        .iter()
                        .try_fold(0_u64, |sum, slice| Some(sum.saturating_add(of(slice)?)))
                };
                whole.push(Figures {
                    rate_bps: parts.iter().map(|slice| slice.rate_bps).sum(),
                    retransmits: sum(|slice| slice.retransmits),
                    window_bytes: sum(|slice| slice.window_bytes),
                    sent: sum(|slice| slice.sent),
                    lost: sum(|slice| slice.lost),
                    ..*first
                });
            }
            _ => missing += 1,
        }
    }
    (whole, missing)
}

fn interval(slice: &Figures) -> TransferInterval {
    TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.end_ns.saturating_sub(slice.start_ns),
        rate_bps: Some(RateBps(slice.rate_bps)),
        retransmits: slice.retransmits,
        cwnd_bytes: slice.window_bytes,
        packets_lost: slice.lost.and_then(|lost| lost.try_into().ok()),
        ..TransferInterval::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_the_unit_close_or_apart() {
        let columns = Columns::Tcp;
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
        let columns = Columns::Udp;
        let udp = figures(
            &row("0.0 - 10.0     497.00 Mbps     12 / 5076311   486.00 Mbps  Jitter: 0.02 ms").unwrap(),
            columns,
        );
        assert_eq!(
            (udp.lost, udp.sent, udp.jitter_ns),
            (Some(12), Some(5_076_311), Some(20_000))
        );
        assert_eq!(udp.received, Some(RateBps(486e6)));
        for bad in [
            "",
            "a - b c",
            "1.0 - 0.5 3 Mbps",
            "1 - 2 fast",
            "9 - 10",
            "0.0 - 1.0      419.42",
        ] {
            assert!(row(bad).is_none(), "{bad}");
        }
    }
}
