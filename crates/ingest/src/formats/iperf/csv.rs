//! iperf 2's `-y C`: a line of figures separated by commas, without a heading.
//!
//! `time,local,port,remote,port,id,start-end,bytes,bit/s`, and for UDP jitter (ms), lost, of, percent, out of order.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::units::{ns_of_seconds, whole};
use crate::when;
use evidence::{Node, RateBps, Timestamp, Transfer, TransferInterval, Transport};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "iperf -y C",
    group: Group::Transfers,
    reads: "lines of iperf 2's report in CSV, all connections of a test together",
    first: "12i",
    has_command: true,
    marks: Some(|| Marks::of(["iperf"]).or(|line| row(line, None).is_some())),
    starts: |line| row(line, None).is_some() || is_command(line),
    continues: |_, line| row(line, None).is_some(),
    takes_in: None,
    read,
};

/// Whether a command asks for lines of this form.
pub(super) fn is_command(line: &str) -> bool {
    let asks = |word: &str| word == "-y" || word == "--reportstyle" || matches!(word, "-yC" | "-yc");
    super::command::of(line).is_some_and(|(_, mut words)| words.any(asks))
}

/// The port that iperf 2 serves on, unless told otherwise; the lines do not tell who serves.
const PORT: u16 = 5001;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Row<'a> {
    at: Option<Timestamp>,
    local: (&'a str, u16),
    remote: (&'a str, u16),
    id: &'a str,
    start_ns: u64,
    end_ns: u64,
    rate_bps: f64,
    /// Jitter in nanoseconds, lost, of.
    udp: Option<(u64, Option<u64>, Option<u64>)>,
}

fn row(line: &str, utc_offset_s: Option<i32>) -> Option<Row<'_>> {
    let mut cells = line.trim_ascii().split(',');
    let time = cells
        .next()
        .filter(|t| t.len() >= 14 && t.as_bytes()[..14].iter().all(u8::is_ascii_digit))?;
    let mut end = || Some((cells.next()?, cells.next()?.parse().ok()?));
    let (local, remote) = (end()?, end()?);
    let id = cells.next()?;
    id.parse::<i32>().ok()?;
    let (start, stop) = cells.next()?.split_once('-')?;
    let (start_ns, end_ns) = (
        ns_of_seconds(start.trim_ascii().parse().ok()?)?,
        ns_of_seconds(stop.trim_ascii().parse().ok()?)?,
    );
    let bytes: f64 = cells.next()?.parse().ok()?;
    let rate_bps: f64 = cells.next()?.parse().ok()?;
    whole(bytes)?;
    whole(rate_bps)?;
    let udp = match cells.next() {
        Some(ms) => {
            let ms: f64 = ms.parse().ok()?;
            let mut count = || cells.next().map(|count| count.parse().ok());
            Some((ns_of_seconds(ms / 1e3)?, count()?, count()?))
        }
        None => None,
    };
    let number = |from: usize, to: usize| time.get(from..to)?.parse::<i16>().ok();
    let two = |at: usize| number(at, at + 2).and_then(|n| i8::try_from(n).ok());
    let at = || {
        let date = (number(0, 4)?, two(4)?, two(6)?);
        when::timestamp(date, (two(8)?, two(10)?, two(12)?), utc_offset_s?)
    };
    Some(Row {
        at: at(),
        local,
        remote,
        id,
        start_ns,
        end_ns: (end_ns >= start_ns).then_some(end_ns)?,
        rate_bps,
        udp,
    })
}

/// Jitter in nanoseconds, lost, of.
type Udp = Option<Counts>;
type Counts = (u64, Option<u64>, Option<u64>);
/// When it began, and its connections by their numbers.
type Test<'t> = (Option<Timestamp>, BTreeMap<&'t str, Stream>);

/// The rows of one connection, by beginning and end: rate and UDP figures. The total is among them.
#[derive(Debug, Default)]
struct Stream {
    rows: BTreeMap<(u64, u64), (f64, Udp)>,
    differs: bool,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    // Connections between the same two hosts, the same way.
    let mut tests: BTreeMap<(&str, &str, Option<bool>), Test<'_>> = BTreeMap::new();
    let mut is_udp = false;
    let mut session = super::session::Session::default();
    if let Some((is_iperf3, words)) = block.first().and_then(super::command::of) {
        super::command::apply(&mut session, is_iperf3, words);
    }
    let port = session.port.unwrap_or(PORT);
    for (number, line) in block.numbered() {
        let Some(row) = row(line, context.utc_offset_s) else {
            continue;
        };
        // The sum over all.
        if row.id == "-1" {
            continue;
        }
        let sends = match (row.local.1 == port, row.remote.1 == port) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        };
        let test = tests.entry((row.local.0, row.remote.0, sends)).or_default();
        test.0 = test.0.or(row.at);
        let stream = test.1.entry(row.id).or_default();
        let figures = (row.rate_bps, row.udp.filter(|_| sends == Some(false)));
        let before = stream.rows.insert((row.start_ns, row.end_ns), figures);
        if before.is_some_and(|before| before != figures) {
            stream.differs = true;
            findings.complain(number, "the same interval was told before with other figures");
        }
        is_udp |= row.udp.is_some();
    }
    for ((local, remote, sends), (at, streams)) in tests {
        let record = record(block, &streams, (sends, is_udp), findings);
        let (own, other) = (Node::read(local), Node::read(remote));
        let (from, to) = match sends {
            Some(true) => (own, other),
            Some(false) => (other, own),
            None => {
                let reason = "no port tells which way the data went: the hosts are not used";
                findings.complain_of((block.first_line, block.last_line()), reason);
                (Node::default(), Node::default())
            }
        };
        let record = Transfer {
            from: context.from_or(from),
            to: context.to_or(to),
            ..record
        };
        findings.record(block, "iperf", at.or(context.at), record.into());
    }
}

fn record(
    block: &Block,
    streams: &BTreeMap<&str, Stream>,
    (sends, is_udp): (Option<bool>, bool),
    findings: &mut Findings,
) -> Transfer {
    let mut record = Transfer {
        // UDP sent has the same cells as TCP in most versions.
        protocol: is_udp.then_some(Transport::Udp),
        streams: u16::try_from(streams.len()).ok(),
        ..Transfer::default()
    };
    let totals: Vec<_> = streams.values().filter_map(total).collect();
    if totals.len() == streams.len() {
        let rate = Some(RateBps(totals.iter().map(|(_, rate, _)| rate).sum()));
        record.duration_ns = totals.iter().map(|(length, ..)| *length).max();
        let sum = |of: fn(&Counts) -> Option<u64>| {
            totals.iter().try_fold(0_u64, |sum, (.., udp)| {
                Some(sum.saturating_add(of(udp.as_ref()?)?))
            })
        };
        if sends == Some(false) {
            record.received_bps = rate;
            record.packets_lost = sum(|udp| udp.1);
            record.packets_sent = sum(|udp| udp.2);
            record.jitter_ns = totals.iter().filter_map(|(.., udp)| udp.map(|udp| udp.0)).max();
        } else {
            record.sent_bps = rate;
        }
    } else {
        let lines = (block.first_line, block.last_line());
        findings.complain_of(lines, "no total of each connection: only the intervals are used");
    }
    record.intervals = intervals(streams);
    record
}

/// Length, rate and UDP figures of the whole: the row that begins with the first slice and spans the others.
fn total(stream: &Stream) -> Option<(u64, f64, Udp)> {
    let (longest, (rate, udp)) = stream
        .rows
        .iter()
        .take_while(|((start, _), _)| *start == 0)
        .last()?;
    let is_span = stream
        .rows
        .keys()
        .all(|(start, end)| start / 2 + end / 2 <= longest.1);
    (is_span && !stream.differs).then_some((longest.1, *rate, *udp))
}

/// Slices that all connections have.
fn intervals(streams: &BTreeMap<&str, Stream>) -> Vec<TransferInterval> {
    let mut slices: BTreeMap<(u64, u64), (usize, f64, Option<u64>)> = BTreeMap::new();
    for stream in streams.values().filter(|stream| !stream.differs) {
        let of_whole = total(stream).map(|(end, ..)| (0, end));
        let is_slice = |key: &(u64, u64)| stream.rows.len() > 1 && Some(*key) != of_whole;
        for (key, (rate, udp)) in stream.rows.iter().filter(|(key, _)| is_slice(key)) {
            let sum = slices.entry(*key).or_insert((0, 0.0, Some(0)));
            let lost = sum
                .2
                .zip(udp.and_then(|udp| udp.1))
                .map(|(sum, lost)| sum.saturating_add(lost));
            *sum = (sum.0 + 1, sum.1 + rate, lost);
        }
    }
    slices
        .into_iter()
        .filter(|(_, (count, ..))| *count == streams.len())
        .map(|((start, end), (_, rate, lost))| TransferInterval {
            start_ns: start,
            length_ns: end - start,
            rate_bps: Some(RateBps(rate)),
            packets_lost: lost.and_then(|lost| lost.try_into().ok()),
            ..TransferInterval::default()
        })
        .collect()
}
