//! netperf: streams one way or the other, UDP sent and received, requests and responses; also what `-- -k` prints, a value a
//! line, and rows without a head (`-P 0`) below the command.
//!
//! netperf waits until everything has arrived, so the rate of a TCP stream is what arrived.

mod said;

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::host;
use crate::text::begin_of;
use crate::units::{Kilo, ns_of_seconds, rate_bps};
use evidence::{RateBps, TransferInterval, Transport};
use said::Said;
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "netperf",
    group: Group::Transfers,
    reads: "TCP_STREAM, TCP_MAERTS, TCP_SENDFILE, UDP_STREAM, TCP_RR, UDP_RR, TCP_CRR, omni, interim results, `-- -k`, `-P 0` below its command",
    first: "MTUORn",
    has_command: true,
    marks: Some(|| Marks::of([" TEST", "netperf", "Recv "])),
    starts: |line| head(line).is_some() || arguments(line).is_some() || is_head_of_streams(line),
    continues,
    takes_in: None,
    read,
};

/// What kind of test it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// From the host that runs it.
    Stream,
    /// To the host that runs it.
    Backwards,
    Datagrams,
    /// A request and its response, again and again.
    Transactions,
    /// With a connection for each.
    Connections,
}

/// The test, by the words of its head and by its name in a command.
/// An omni test is named by what it does; over which protocol it went its command tells alone.
const TESTS: [(&str, &str, Kind, Option<Transport>); 13] = [
    (
        "TCP STREAM TEST",
        "TCP_STREAM",
        Kind::Stream,
        Some(Transport::Tcp),
    ),
    (
        "TCP SENDFILE TEST",
        "TCP_SENDFILE",
        Kind::Stream,
        Some(Transport::Tcp),
    ),
    (
        "TCP MAERTS TEST",
        "TCP_MAERTS",
        Kind::Backwards,
        Some(Transport::Tcp),
    ),
    (
        "UDP STREAM TEST",
        "UDP_STREAM",
        Kind::Datagrams,
        Some(Transport::Udp),
    ),
    (
        "UDP UNIDIRECTIONAL SEND TEST",
        "UDP_STREAM",
        Kind::Datagrams,
        Some(Transport::Udp),
    ),
    (
        "TCP REQUEST/RESPONSE TEST",
        "TCP_RR",
        Kind::Transactions,
        Some(Transport::Tcp),
    ),
    (
        "UDP REQUEST/RESPONSE TEST",
        "UDP_RR",
        Kind::Transactions,
        Some(Transport::Udp),
    ),
    (
        "TCP Connect/Request/Response TEST",
        "TCP_CRR",
        Kind::Connections,
        Some(Transport::Tcp),
    ),
    (
        "TCP Connect/Request/Response Test",
        "TCP_CRR",
        Kind::Connections,
        Some(Transport::Tcp),
    ),
    (
        "TCP Connect/Close TEST",
        "TCP_CC",
        Kind::Connections,
        Some(Transport::Tcp),
    ),
    ("OMNI Send|Recv TEST", "rr", Kind::Transactions, None),
    ("OMNI Send TEST", "send", Kind::Stream, None),
    ("OMNI Receive TEST", "recv", Kind::Backwards, None),
];

/// Units by the letter of `-f`.
const UNITS: [(&str, &str); 6] = [
    ("k", "10^3bits/s"),
    ("m", "10^6bits/s"),
    ("g", "10^9bits/s"),
    ("K", "KBytes/s"),
    ("M", "MBytes/s"),
    ("G", "GBytes/s"),
];

type Test = (Kind, Option<Transport>);

/// `MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to b.example () port 0 AF_INET : demo`: the test, and what
/// stands behind.
fn head(line: &str) -> Option<(Option<Test>, &str)> {
    let text = line.trim_ascii_start();
    let text = text.strip_prefix("MIGRATED ").unwrap_or(text);
    if !matches!(text.as_bytes().first(), Some(b'T' | b'U' | b'O')) {
        return None;
    }
    let is_behind = |rest: &&str| rest.starts_with(" from ") || rest.starts_with(" to ");
    // Old versions do not tell what an omni test does.
    if let Some(rest) = text.strip_prefix("OMNI TEST").filter(is_behind) {
        return Some((None, rest));
    }
    TESTS.iter().find_map(|(words, _, kind, transport)| {
        let rest = text.strip_prefix(words).filter(is_behind)?;
        Some((Some((*kind, *transport)), rest))
    })
}

/// The first line of the heads of a stream's table: all that is left where the line above it was not copied.
fn is_head_of_streams(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.by_ref().take(3).eq(["Recv", "Send", "Send"])
        && words.all(|word| matches!(word, "Utilization" | "Service" | "Demand"))
}

/// The words of a command, and the host at whose prompt it stands.
fn arguments(line: &str) -> Option<(Option<&str>, Vec<&str>)> {
    let run = Run::of(line, &["netperf"]).filter(Run::is_typed)?;
    Some((run.device, run.words().collect()))
}

/// What begins the lines of names and values that `DUMP_TCP_INFO=1` prints of the connection, between the heads.
const TCP_INFO: &str = "tcpi_";

/// First words of the heads of the columns, and of warnings.
const AROUND: [&str; 38] = [
    TCP_INFO,
    "Final ",
    // What a mail broke off the head: `… to b.example ()`, `port 0 AF_INET`.
    "port 0 AF_INET",
    "Units",
    "Recv ",
    "Socket ",
    "Size ",
    "bytes ",
    "Local ",
    "Send ",
    "Interim result:",
    "!!!",
    "Alignment ",
    "Local  ",
    "Elapsed",
    "Throughput",
    "Desired confidence",
    "catcher:",
    "Starting netserver",
    "establish",
    "netperf:",
    "recv_response",
    "send_",
    "remote error",
    "shutdown_control",
    "Could not establish",
    // Heads of what `-- -O` asks for.
    "Minimum ",
    "Maximum ",
    "Mean ",
    "Stddev ",
    "50th ",
    "90th ",
    "99th ",
    "Percentile ",
    "Latency ",
    "Microseconds ",
    "Round ",
    "Transaction ",
];

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        // Below heads of an omni test that need fewer lines than others the rest is blank.
        let most = if block.has(|line| line.contains("OMNI ")) {
            4
        } else {
            2
        };
        return block.blank_count() < most;
    }
    if head(line).is_some() {
        // The head below its own command.
        return block.len() == 1 && block.first().and_then(arguments).is_some();
    }
    AROUND.iter().any(|word| text.starts_with(word))
        || row(text).is_some()
        || is_below_heads(text)
        || value(text).is_some()
        || columns(text).is_some()
        || is_values(text)
        || is_histogram(text)
}

/// `TEN_USEC      :    0:    0:    3`
fn is_histogram(text: &str) -> bool {
    let (name, counts) = text.split_once(':').unwrap_or((text, ""));
    let is_name = name
        .trim_ascii()
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'>'));
    is_name
        && counts
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b' '))
        && text.contains(':')
        || text.starts_with("Histogram of")
        || text.starts_with("Bytes ")
        || text.starts_with("Per ")
}

/// `2626560 6291456 16384 10.00 9411.12 10^6bits/s`, the row of an omni test: its unit is a cell.
fn is_below_heads(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let begins = words.next().is_some_and(|word| word.parse::<f64>().is_ok());
    begins && words.any(|word| word == "Trans/s" || rate(1.0, word).is_some())
}

/// Heads have no more lines than this.
const MOST_HEADS: usize = 16;

/// The cells of a row below heads of several lines: each head stands above its cell, and both begin in one column.
fn stacked<'t>(heads: &[&str], row: &'t str) -> Vec<(&'static str, &'t str)> {
    let begins: Vec<usize> = row
        .split_ascii_whitespace()
        .map(|word| begin_of(word, row))
        .collect();
    let ends = begins.iter().skip(1).copied().chain([usize::MAX]);
    let cells = begins.iter().zip(ends).filter_map(|(begin, end)| {
        let cut = |line: &str| line.get(*begin..end.min(line.len())).map(str::to_owned);
        let parts: Vec<String> = heads.iter().filter_map(|line| cut(line)).collect();
        let words: Vec<&str> = parts
            .iter()
            .flat_map(|part| part.split_ascii_whitespace())
            .collect();
        let name = name_of(&words.join(" "));
        let cell = row.get(*begin..end.min(row.len()))?;
        (!name.is_empty()).then_some((name, cell.trim_ascii()))
    });
    cells.collect()
}

/// Heads of values, and their names in what `-- -k` prints.
const NAMES: [(&str, &str); 14] = [
    ("Throughput", "THROUGHPUT"),
    ("Throughput Units", "THROUGHPUT_UNITS"),
    ("Elapsed Time (sec)", "ELAPSED_TIME"),
    ("Mean Latency Microseconds", "MEAN_LATENCY"),
    ("Round Trip Latency usec/tran", "RT_LATENCY"),
    ("Local Transport Retransmissions", "LOCAL_TRANSPORT_RETRANS"),
    ("Transport MSS bytes", "TRANSPORT_MSS"),
    ("Transaction Rate Tran/s", "TRANSACTION_RATE"),
    ("Minimum Latency Microseconds", "MIN_LATENCY"),
    ("Maximum Latency Microseconds", "MAX_LATENCY"),
    ("50th Percentile Latency Microseconds", "P50_LATENCY"),
    ("90th Percentile Latency Microseconds", "P90_LATENCY"),
    ("99th Percentile Latency Microseconds", "P99_LATENCY"),
    ("Stddev Latency Microseconds", "STDDEV_LATENCY"),
];

/// The names of the values that `-- -O`, `-o` or `-k` asks for; empty where one is not read.
fn asked(list: &str) -> Vec<&'static str> {
    let key = |name: &str| {
        let known = NAMES.iter().find(|(_, key)| key.eq_ignore_ascii_case(name));
        known.map_or("", |(_, key)| *key)
    };
    list.split(',').map(key).collect()
}

/// The name of the value below a head; empty where it is not read.
fn name_of(head: &str) -> &'static str {
    let known = NAMES.iter().find(|(name, _)| *name == head.trim_ascii());
    known.map_or("", |(_, key)| *key)
}

/// The head of what `-- -o` prints: names separated by commas.
fn columns(text: &str) -> Option<Vec<&'static str>> {
    let is_head = |names: &Vec<&str>| names.len() > 1 && names.iter().any(|name| !name.is_empty());
    Some(text.split(',').map(name_of).collect()).filter(is_head)
}

/// Whether a line has values of such a head, numbers for the most part.
fn is_values(text: &str) -> bool {
    let cells = || text.split(',');
    let is_number = |cell: &&str| cell.trim_ascii().parse::<f64>().is_ok();
    text.contains(',') && cells().filter(is_number).count() * 2 >= cells().count()
}

/// A row of numbers alone.
fn row(text: &str) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = text
        .split_ascii_whitespace()
        .map(|word| word.parse().ok().filter(|n: &f64| n.is_finite()))
        .collect();
    numbers.filter(|numbers| !numbers.is_empty() && numbers.len() <= 16)
}

/// `THROUGHPUT=9414.52`
fn value(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let is_key = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (key.len() > 2 && key.bytes().all(is_key)).then_some((key, value.trim_ascii()))
}

/// A rate as netperf names its unit in the head of a column: `10^6bits/sec`, `MBytes/s`. Its K, M and G of bytes are binary.
fn rate(number: f64, unit: &str) -> Option<RateBps> {
    let unit = unit.strip_suffix("/sec").or(unit.strip_suffix("/s"))?;
    let bits = match unit {
        "10^3bits" => 1e3,
        "10^6bits" => 1e6,
        "10^9bits" => 1e9,
        "10^12bits" => 1e12,
        _ => return rate_bps(number, &format!("{unit}/s"), Kilo::Binary),
    };
    let bps = number * bits;
    (0.0..=1e18).contains(&bps).then_some(RateBps(bps))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said = Said::default();
    let mut heads = Vec::new();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some((device, words)) = arguments(line) {
            said.own = device.map(host).unwrap_or_default();
            said.command(&words);
        } else if let Some((test, rest)) = head(line) {
            let told = said.test.and_then(|(_, transport)| transport);
            said.test = test.map(|(kind, known)| (kind, known.or(told))).or(said.test);
            said.is_unknown |= said.test.is_none();
            said.ends(rest);
        } else if text.starts_with(TCP_INFO) {
            let words = || text.split_ascii_whitespace();
            let pairs = words().step_by(2).zip(words().skip(1).step_by(2));
            said.connection.extend(pairs);
        } else if said.is_over
            || ["Alignment", "Histogram"]
                .iter()
                .any(|word| text.starts_with(word))
        {
            said.is_over = true;
        } else if let Some(names) = columns(text) {
            said.columns = names;
        } else if text.matches(',').count() + 1 == said.columns.len() && !said.columns.is_empty() {
            let names = std::mem::take(&mut said.columns);
            let known = names
                .into_iter()
                .zip(text.split(','))
                .filter(|(name, _)| !name.is_empty());
            said.values.extend(known);
        } else if let Some(interim) = text.strip_prefix("Interim result:") {
            match of_interim(interim) {
                Some((end, slice)) => drop(said.interim.insert(end, slice)),
                None => findings.unread(number, line),
            }
        } else if let Some((key, value)) = value(text) {
            said.values.insert(key, value);
        } else if is_below_heads(text) {
            let above = heads.len().saturating_sub(MOST_HEADS);
            let cells = stacked(heads.get(above..).unwrap_or_default(), line);
            if cells.is_empty() {
                findings.unread(number, line);
            }
            said.values.extend(cells);
        } else if row(text).is_some() && !said.asked.is_empty() {
            // What the command asks for stands in its order, and not as in the tables that netperf prints otherwise.
            // Who runs the same again and again has a row of each run.
            if said.is_another(text) {
                said.tell(block, context, findings);
                said.values.clear();
            }
            if !said.take_asked(text) {
                findings.unread(number, line);
            }
        } else if let Some(row) = row(text) {
            said.rows.push((number, row));
        } else if let Some(unit) = text
            .split_ascii_whitespace()
            .find(|word| word.contains("bits/s") || word.contains("ytes/s"))
        {
            said.unit = Some(unit);
        } else if is_trouble(text) {
            said.complained = true;
            findings.complain(number, format!("netperf itself says: {text}"));
        } else {
            // Which way it went nothing tells then, and no end is named either.
            let is_stream = said.test.is_none() && !said.is_unknown && is_head_of_streams(line);
            said.test = said.test.or(is_stream.then_some((Kind::Stream, None)));
            heads.push(line);
            said.has_head |= !text.is_empty() && !text.starts_with("!!!");
        }
    }
    said.tell(block, context, findings);
}

fn is_trouble(text: &str) -> bool {
    [
        "netperf:",
        "establish",
        "recv_response",
        "send_",
        "remote error",
        "Could not establish",
        "!!! Desired",
    ]
    .iter()
    .any(|word| text.starts_with(word))
}

/// `9412.81 10^6bits/s over 1.000 seconds ending at 1400000000.123`: when it ended, and the slice.
fn of_interim(text: &str) -> Option<(u64, TransferInterval)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [number, unit, "over", length, "seconds", "ending", "at", end] = words.as_slice() else {
        return None;
    };
    let slice = TransferInterval {
        rate_bps: Some(rate(number.parse().ok()?, unit)?),
        length_ns: ns_of_seconds(length.parse().ok()?)?,
        ..TransferInterval::default()
    };
    Some((ns_of_seconds(end.parse().ok()?)?, slice))
}

/// The slices from the beginning of the first one on.
fn slices(interim: &BTreeMap<u64, TransferInterval>) -> Vec<TransferInterval> {
    let first = interim.iter().next();
    let begin = first.map_or(0, |(end, slice)| end.saturating_sub(slice.length_ns));
    let placed = interim.iter().map(|(end, slice)| TransferInterval {
        // Clocks are printed in milliseconds.
        start_ns: (end.saturating_sub(begin).saturating_sub(slice.length_ns) + 500_000) / 1_000_000
            * 1_000_000,
        ..slice.clone()
    });
    placed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_the_heads() {
        let bps = |number, unit| rate(number, unit).map(|rate| rate.0);
        assert_eq!(bps(941.0, "10^6bits/sec"), Some(941e6));
        assert_eq!(bps(2.0, "10^9bits/s"), Some(2e9));
        assert_eq!(bps(1.0, "MBytes/s"), Some(8.0 * 1_048_576.0));
        assert_eq!(bps(1.0, "KBytes/sec"), Some(8_192.0));
        assert_eq!(bps(1.0, "apples"), None);
        assert_eq!(bps(-1.0, "10^6bits/s"), None);
    }

    #[test]
    fn heads_name_tests() {
        let kind = |line| head(line).and_then(|(test, _)| test).map(|(kind, _)| kind);
        assert_eq!(
            kind("MIGRATED TCP MAERTS TEST from 0.0.0.0 () port 0 AF_INET to b ()"),
            Some(Kind::Backwards)
        );
        assert_eq!(kind("TCP STREAM TEST to b.example"), Some(Kind::Stream));
        assert_eq!(kind("TCP STREAM TESTING"), None);
    }
}
