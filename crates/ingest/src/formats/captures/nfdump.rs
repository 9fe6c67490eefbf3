//! Flows as nfdump lists them (`-o line`, `long`, `extended`, `biline`). Times are those of the collector's clock without a
//! zone. Bytes are those of IP, as routers count them; large ones are printed as `1.2 M`, in powers of ten.

use super::flow::{Flow, duration_ns, endpoint};
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::prompt::command_line;
use crate::units::whole;
use crate::{Context, when};
use evidence::{Node, Timestamp, Transport};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "nfdump",
    group: Group::Histories,
    reads: "flows over TCP and UDP, -o line, long, extended, biline and bilong, -s record: bytes, time, rate; what `-s ip` and its like sum up by \
            address, port or the like is known to be no flow, and nothing is recorded",
    first: "DnTA",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Src IP Addr:Port",
            "nfdump",
            "ordered by",
            "Aggregated flows",
            "Flows(%)",
        ])
    }),
    starts: |line| is_heading(line) || is_title(line) || is_command(line),
    continues: |block, line| {
        // A blank line stands above the summary.
        let is_below_rows = || {
            block
                .last()
                .is_some_and(|last| is_sum(last) || row(last).is_some())
        };
        is_heading(line)
            || row(line).is_some()
            || is_summary(line)
            || is_title(line)
            || line.trim_ascii().is_empty() && is_below_rows()
    },
    takes_in: Some(|_, line| !line.trim_ascii().is_empty() && command_line(line).is_none()),
    read,
};

/// `$ nfdump -r nfcapd.202401010000 -o long`
fn is_command(line: &str) -> bool {
    line.contains("nfdump") && arguments(line, "nfdump").is_some()
}

const DESTINATION: &str = "Dst IP Addr:Port";

/// `Date first seen          Duration Proto      Src IP Addr:Port          Dst IP Addr:Port   Packets    Bytes Flows`
fn is_heading(line: &str) -> bool {
    (line.starts_with("Date first seen") || line.starts_with("Date flow start"))
        && line.contains("Src IP Addr:Port")
        && line.contains(DESTINATION)
}

/// `Top 10 flows ordered by bytes:`, and how many there are.
fn is_title(line: &str) -> bool {
    line.starts_with("Top ") && line.contains(" ordered by ") && line.trim_ascii_end().ends_with(':')
        || line.starts_with("Aggregated flows ")
}

/// `Date first seen          Duration Proto           IP Addr    Flows(%)     Packets(%)       Bytes(%)         pps      bps   bpp`: what stands
/// below is the sum of many flows, between nobody in particular.
fn is_of_sums(line: &str) -> bool {
    line.starts_with("Date first seen") && line.contains("Flows(%)") && line.contains("Bytes(%)")
}

/// Its row: a date, and shares in brackets.
fn is_sum(line: &str) -> bool {
    let is_dated = line.get(..10).is_some_and(|date| date.matches('-').count() == 2);
    is_dated && line.matches('(').count() == 3 && line.contains(')')
}

/// What stands at the end.
fn is_summary(line: &str) -> bool {
    ["Summary: ", "Time window: ", "Total flows processed: ", "Sys: "]
        .iter()
        .any(|begin| line.starts_with(begin))
}

/// The names of the columns behind the destination; those of two words together.
fn columns(heading: &str) -> Option<Vec<String>> {
    let (before, after) = heading.split_once(DESTINATION)?;
    // Records of firewalls have events in front, and no duration.
    if !before.contains("Duration") || after.contains(":Port") {
        return None;
    }
    let mut columns = Vec::new();
    let mut words = after.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "Out" | "In" => columns.push(format!("{word} {}", words.next()?)),
            _ => columns.push(word.to_owned()),
        }
    }
    Some(columns)
}

/// A row, divided.
struct Row<'a> {
    clock: (&'a str, &'a str),
    duration: &'a str,
    protocol: &'a str,
    from: &'a str,
    to: &'a str,
    rest: Vec<&'a str>,
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut words = line.split_ascii_whitespace();
    let clock = (words.next()?, words.next()?);
    let is_clock = clock.0.len() == 10 && clock.0.matches('-').count() == 2 && clock.1.contains(':');
    let (duration, protocol, from) = (words.next()?, words.next()?, words.next()?);
    let arrow = words.next()?;
    let to = words.next()?;
    (is_clock && matches!(arrow, "->" | "<->")).then(|| Row {
        clock,
        duration,
        protocol,
        from,
        to,
        rest: words.collect(),
    })
}

/// The figures of a row by column; `None` where there are more or fewer than columns. Whether each is exact stands beside it.
fn figures<'c>(columns: &'c [String], rest: &[&str]) -> Option<BTreeMap<&'c str, (f64, bool)>> {
    let mut figures = BTreeMap::new();
    let mut words = rest.iter().copied().peekable();
    for column in columns {
        let word = words.next()?;
        if matches!(column.as_str(), "Flags" | "Tos") {
            continue;
        }
        let value: f64 = super::super::history::plain_number(word)?;
        let scale = match words.peek().copied() {
            Some("K") => 1e3,
            Some("M") => 1e6,
            Some("G") => 1e9,
            Some("T") => 1e12,
            _ => 1.0,
        };
        if scale > 1.0 {
            words.next();
        }
        figures.insert(column.as_str(), (value * scale, scale <= 1.0));
    }
    words.next().is_none().then_some(figures)
}

/// IPv6 has its port behind a point; where it is shortened with `..` it is a name of no host, kept as printed.
fn end(text: &str) -> (Node, Option<u16>) {
    if text.matches(':').count() > 1 {
        endpoint(text, '.')
    } else {
        endpoint(text, ':')
    }
}

fn at((date, clock): (&str, &str), context: &Context) -> Option<Timestamp> {
    when::iso8601(&format!("{date} {clock}"), context.utc_offset_s)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut names = None;
    let mut is_told = false;
    let mut is_summed = false;
    for (number, line) in block.numbered().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        if is_of_sums(line) {
            (names, is_summed) = (None, true);
        } else if is_summed && is_sum(line) {
        } else if is_heading(line) {
            is_summed = false;
            names = columns(line);
            is_told = names.is_none();
            if is_told {
                findings.complain(
                    number,
                    "columns of nfdump that are not known: records of firewalls hold no times",
                );
            }
        } else if let (Some(row), Some(names)) = (row(line), &names) {
            read_row(&row, names, number, line, context, findings);
        } else if !(is_summary(line)
            || is_title(line)
            || is_command(line)
            || is_told && line.contains(" -> "))
        {
            findings.unread(number, line);
        }
    }
    // A command alone may have printed something else.
    if block.lines().any(|line| is_heading(line) || is_of_sums(line)) {
        findings.nothing_to_say();
    }
}

fn read_row(
    row: &Row<'_>,
    names: &[String],
    number: u64,
    line: &str,
    context: &Context,
    findings: &mut Findings,
) {
    let (Some(figures), Some(duration)) = (figures(names, &row.rest), duration_ns(row.duration)) else {
        return findings.complain(number, format!("not understood: {}", line.trim_ascii()));
    };
    let protocol = match row.protocol {
        "TCP" => Transport::Tcp,
        "UDP" => Transport::Udp,
        _ => return,
    };
    let ((from, from_port), (to, to_port)) = (end(row.from), end(row.to));
    let get = |name: &str| figures.get(name).copied();
    let flows = get("Flows")
        .and_then(|(flows, _)| whole(flows))
        .filter(|flows| *flows > 1);
    // "In" is what the flow itself counts, "Out" that of the flow in the other direction (`AddBidirFlow` in nflowcache.c).
    let ways = [
        (
            get("Bytes").or(get("In Byte")),
            (&from, &to),
            from_port.zip(to_port),
            get("bps"),
        ),
        (get("Out Byte"), (&to, &from), to_port.zip(from_port), None),
    ];
    for (bytes, (from, to), ports, bps) in ways {
        let Some((bytes, is_exact)) = bytes.and_then(|(bytes, exact)| Some((whole(bytes)?, exact))) else {
            continue;
        };
        let flow = Flow {
            from: from.clone(),
            to: to.clone(),
            protocol: Some(protocol),
            ports: ports.filter(|(a, b)| *a > 0 && *b > 0),
            bytes,
            is_exact,
            duration_ns: Some(duration),
            rate_bps: bps.map(|(bps, _)| bps),
            streams: flows.and_then(|flows| u16::try_from(flows).ok()),
            at: at(row.clock, context),
            ..Flow::default()
        };
        let at = flow.at.or(context.at);
        if let Some(transfer) = flow.transfer() {
            findings.record_of((number, number), "nfdump", at, transfer.into());
        }
    }
}
