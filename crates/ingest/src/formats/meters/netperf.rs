//! netperf: streams one way or the other, UDP sent and received, requests and responses; also what `-- -k` prints, a value a
//! line, and rows without a head (`-P 0`) below the command.
//!
//! netperf waits until everything has arrived, so the rate of a TCP stream is what arrived.

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::host::host;
use crate::prompt::command_line;
use crate::units::{Kilo, ns_of_seconds, rate_bps};
use evidence::{Node, RateBps, Transfer, TransferInterval, Transport};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "netperf",
    group: Group::Transfers,
    reads: "TCP_STREAM, TCP_MAERTS, TCP_SENDFILE, UDP_STREAM, TCP_RR, UDP_RR, TCP_CRR, interim results, `-- -k`, `-P 0` below its command",
    first: "MTUn",
    has_command: true,
    starts: |line| head(line).is_some() || arguments(line).is_some(),
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
const TESTS: [(&str, &str, Kind, Transport); 10] = [
    ("TCP STREAM TEST", "TCP_STREAM", Kind::Stream, Transport::Tcp),
    ("TCP SENDFILE TEST", "TCP_SENDFILE", Kind::Stream, Transport::Tcp),
    ("TCP MAERTS TEST", "TCP_MAERTS", Kind::Backwards, Transport::Tcp),
    ("UDP STREAM TEST", "UDP_STREAM", Kind::Datagrams, Transport::Udp),
    (
        "UDP UNIDIRECTIONAL SEND TEST",
        "UDP_STREAM",
        Kind::Datagrams,
        Transport::Udp,
    ),
    (
        "TCP REQUEST/RESPONSE TEST",
        "TCP_RR",
        Kind::Transactions,
        Transport::Tcp,
    ),
    (
        "UDP REQUEST/RESPONSE TEST",
        "UDP_RR",
        Kind::Transactions,
        Transport::Udp,
    ),
    (
        "TCP Connect/Request/Response TEST",
        "TCP_CRR",
        Kind::Connections,
        Transport::Tcp,
    ),
    (
        "TCP Connect/Request/Response Test",
        "TCP_CRR",
        Kind::Connections,
        Transport::Tcp,
    ),
    (
        "TCP Connect/Close TEST",
        "TCP_CC",
        Kind::Connections,
        Transport::Tcp,
    ),
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

type Test = (Kind, Transport);

/// `MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to b.example () port 0 AF_INET : demo`: the test, and what
/// stands behind.
fn head(line: &str) -> Option<(Test, &str)> {
    let text = line.trim_start();
    let text = text.strip_prefix("MIGRATED ").unwrap_or(text);
    if !matches!(text.as_bytes().first(), Some(b'T' | b'U')) {
        return None;
    }
    TESTS.iter().find_map(|(words, _, kind, transport)| {
        let rest = text.strip_prefix(words)?;
        (rest.starts_with(" from ") || rest.starts_with(" to ")).then_some(((*kind, *transport), rest))
    })
}

/// The words of a command, and the host at whose prompt it stands.
fn arguments(line: &str) -> Option<(Option<&str>, Vec<&str>)> {
    if let Some(typed) = line.strip_prefix("netperf ") {
        return typed
            .starts_with('-')
            .then(|| (None, typed.split_ascii_whitespace().collect()));
    }
    let typed = command_line(line)?;
    Some((typed.device, typed.arguments_of("netperf")?.collect()))
}

/// First words of the heads of the columns, and of warnings.
const AROUND: [&str; 22] = [
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
];

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() {
        return block
            .lines()
            .rev()
            .take_while(|line| line.trim().is_empty())
            .count()
            < 2;
    }
    if head(line).is_some() {
        // The head below its own command.
        return block.len() == 1 && block.first().and_then(arguments).is_some();
    }
    AROUND.iter().any(|word| text.starts_with(word))
        || row(text).is_some()
        || value(text).is_some()
        || columns(text).is_some()
        || is_values(text)
        || is_histogram(text)
}

/// `TEN_USEC      :    0:    0:    3`
fn is_histogram(text: &str) -> bool {
    let (name, counts) = text.split_once(':').unwrap_or((text, ""));
    let is_name = name
        .trim()
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

/// The head of what `-- -o` prints: names separated by commas.
fn columns(text: &str) -> Option<Vec<&'static str>> {
    const NAMES: [(&str, &str); 8] = [
        ("Throughput", "THROUGHPUT"),
        ("Throughput Units", "THROUGHPUT_UNITS"),
        ("Elapsed Time (sec)", "ELAPSED_TIME"),
        ("Mean Latency Microseconds", "MEAN_LATENCY"),
        ("Round Trip Latency usec/tran", "RT_LATENCY"),
        ("Local Transport Retransmissions", "LOCAL_TRANSPORT_RETRANS"),
        ("Transport MSS bytes", "TRANSPORT_MSS"),
        ("Transaction Rate Tran/s", "TRANSACTION_RATE"),
    ];
    let name = |cell: &str| {
        NAMES
            .iter()
            .find(|(name, _)| *name == cell.trim())
            .map_or("", |(_, key)| *key)
    };
    text.contains("Throughput Units")
        .then(|| text.split(',').map(name).collect())
}

/// Whether a line has values of such a head, numbers for the most part.
fn is_values(text: &str) -> bool {
    let cells = || text.split(',');
    let is_number = |cell: &&str| cell.trim().parse::<f64>().is_ok();
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
    (key.len() > 2 && key.bytes().all(is_key)).then_some((key, value.trim()))
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

/// What a block says.
#[derive(Default)]
struct Said<'t> {
    test: Option<Test>,
    own: Node,
    other: Node,
    /// The unit of the rates, from the head of the column, or the command's `-f` where no head is printed.
    unit: Option<&'t str>,
    /// There are heads of columns.
    has_head: bool,
    rows: Vec<(u64, Vec<f64>)>,
    /// By the moment at which each ended, in nanoseconds.
    interim: BTreeMap<u64, TransferInterval>,
    values: BTreeMap<&'t str, &'t str>,
    /// Of the line of values that follows (`-- -o`), the names in the other form; empty where it is not read.
    columns: Vec<&'static str>,
    /// `-v 2` counts calls and times below the result.
    is_over: bool,
    /// One transaction at a time is under way: the head is whole, and neither it nor the command says otherwise.
    one_by_one: bool,
    /// The command asks for several.
    bursts: bool,
    complained: bool,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said = Said::default();
    for (number, line) in block.numbered() {
        let text = line.trim();
        if let Some((device, words)) = arguments(line) {
            said.own = device.map(host).unwrap_or_default();
            said.command(&words);
        } else if let Some((test, rest)) = head(line) {
            said.test = Some(test);
            said.ends(rest);
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

impl<'t> Said<'t> {
    fn command(&mut self, words: &[&'t str]) {
        let of_test = words.iter().skip_while(|word| **word != "--");
        self.bursts = of_test.clone().any(|word| word.starts_with("-b"));
        let mut words = words.iter().take_while(|word| **word != "--").peekable();
        let mut kind = "TCP_STREAM";
        while let Some(word) = words.next() {
            let glued = |option: &str| word.strip_prefix(option).filter(|rest| !rest.is_empty());
            let mut of = |option: &str| match glued(option) {
                Some(rest) => Some(rest),
                None if **word == *option => words.next().copied(),
                None => None,
            };
            if let Some(name) = of("-H") {
                self.other = host(name.split(',').next().unwrap_or(name));
            } else if let Some(name) = of("-t") {
                kind = name;
            } else if let Some(letter) = of("-f") {
                self.unit = UNITS
                    .iter()
                    .find(|(known, _)| *known == letter)
                    .map(|(_, unit)| *unit);
            }
        }
        let named = |(_, name, ..): &&(&str, &str, Kind, Transport)| name.eq_ignore_ascii_case(kind);
        self.test = TESTS
            .iter()
            .find(named)
            .map(|(.., kind, transport)| (*kind, *transport));
    }

    /// ` from 0.0.0.0 (0.0.0.0) port 0 AF_INET to b.example (192.0.2.2) port 0 AF_INET : first burst 0`
    fn ends(&mut self, rest: &'t str) {
        let Some((before, behind)) = rest.split_once(" to ") else {
            return;
        };
        let word = |text: &'t str| text.split_ascii_whitespace().next();
        if let Some(name) = word(behind).filter(|name| !is_any(name)) {
            let named = host(name);
            self.other = if self.other.is_unknown() || named.name.is_some() {
                named
            } else {
                self.other.clone()
            };
            let address = behind
                .split_once('(')
                .and_then(|(_, rest)| Some(rest.split_once(')')?.0));
            if let Some(address) = address
                .and_then(|text| text.parse::<std::net::IpAddr>().ok())
                .filter(|a| !a.is_unspecified())
            {
                self.other.address = Some(address);
            }
        }
        let own = before.trim().strip_prefix("from ").and_then(word);
        if let Some(own) = own.filter(|own| !is_any(own)) {
            self.own = host(own);
        }
        let burst = behind
            .split_once("first burst ")
            .map_or("0", |(_, count)| count.trim());
        self.one_by_one = behind.contains("AF_INET") && burst == "0" && !self.bursts;
    }

    fn tell(&self, block: &Block, context: &Context, findings: &mut Findings) {
        let mut record = Transfer::default();
        let understood = if self.values.is_empty() {
            self.of_rows(&mut record, findings)
        } else {
            self.of_values(&mut record)
        };
        let lines = (block.first_line, block.last_line());
        if !understood {
            if self.test.is_some() && !self.complained && block.len() > 1 {
                findings.complain_of(
                    lines,
                    "netperf was started, but printed no figures that are understood",
                );
            }
            return;
        }
        let (kind, transport) = self.test.unwrap_or((Kind::Stream, Transport::Tcp));
        let (from, to) = match kind {
            Kind::Backwards => (self.other.clone(), self.own.clone()),
            _ => (self.own.clone(), self.other.clone()),
        };
        (record.from, record.to) = (context.from_or(from), context.to_or(to));
        record.protocol = self.test.map(|_| transport);
        record.intervals = slices(&self.interim);
        findings.record(block, "netperf", context.at, record.into());
    }

    /// The classic tables: sizes, time, figure. `false`: they are not understood.
    fn of_rows(&self, record: &mut Transfer, findings: &mut Findings) -> bool {
        let Some((kind, _)) = self.test else {
            self.rows
                .iter()
                .for_each(|(number, _)| findings.complain(*number, "a row of which nothing tells the test"));
            return false;
        };
        let mut understood = false;
        for (place, (number, row)) in self.rows.iter().enumerate() {
            // Where the heads were printed, one of them has the unit.
            let unit = self.unit.unwrap_or(if self.has_head { "" } else { "10^6bits/s" });
            let first = self.rows.first().map_or(&[][..], |(_, first)| first);
            let fits = match (kind, row.as_slice(), place) {
                (
                    Kind::Stream | Kind::Backwards,
                    [_, _, _, seconds, figure] | [_, _, _, seconds, figure, _, _, _, _],
                    0,
                ) => {
                    record.duration_ns = ns_of_seconds(*seconds);
                    record.received_bps = rate(*figure, unit);
                    record.received_bps.is_some()
                }
                // `-v 0`
                (Kind::Stream | Kind::Backwards, [figure], 0) if self.rows.len() == 1 => {
                    record.received_bps = rate(*figure, unit);
                    record.received_bps.is_some()
                }
                (
                    Kind::Datagrams,
                    [_, _, seconds, okay, _, figure] | [_, _, seconds, okay, _, figure, _, _],
                    0,
                ) => {
                    record.duration_ns = ns_of_seconds(*seconds);
                    record.packets_sent = crate::units::whole(*okay);
                    record.sent_bps = rate(*figure, unit);
                    record.sent_bps.is_some()
                }
                // The receiver has no column of its own for the size and for errors.
                (Kind::Datagrams, [_, seconds, okay, figure] | [_, seconds, okay, figure, _, _], 1)
                    if first.len() == row.len() + 2 && first.get(2) == Some(seconds) =>
                {
                    record.packets_received = crate::units::whole(*okay);
                    record.received_bps = rate(*figure, unit);
                    record.received_bps.is_some()
                }
                (
                    Kind::Transactions | Kind::Connections,
                    [_, _, _, _, seconds, figure] | [_, _, _, _, seconds, figure, _, _, _, _],
                    0,
                ) => {
                    record.duration_ns = ns_of_seconds(*seconds);
                    self.transactions(record, kind, *figure)
                }
                (Kind::Transactions | Kind::Connections, [_, _], 1) => true,
                (Kind::Transactions | Kind::Connections, [figure], 0) if self.rows.len() == 1 => {
                    self.transactions(record, kind, *figure)
                }
                _ => false,
            };
            match fits {
                true => understood = true,
                false => findings.complain(*number, "a row of netperf that is not understood"),
            }
        }
        // Without its second row nobody knows what arrived.
        if kind == Kind::Datagrams && understood && record.received_bps.is_none() {
            findings.complain(
                self.rows.first().map_or(0, |(number, _)| *number),
                "no row of what arrived",
            );
        }
        understood
    }

    /// One transaction after the other: each takes a round trip (and the hosts' time).
    fn transactions(&self, record: &mut Transfer, kind: Kind, rate: f64) -> bool {
        let is_rate = rate.is_finite() && rate > 0.0;
        if is_rate {
            record.note = Some(format!("{rate} transactions per second"));
            record.rtt_ns =
                ns_of_seconds(1.0 / rate).filter(|_| kind == Kind::Transactions && self.one_by_one);
        }
        is_rate
    }

    /// `-- -k THROUGHPUT,THROUGHPUT_UNITS,…`
    fn of_values(&self, record: &mut Transfer) -> bool {
        let number = |key: &str| {
            self.values
                .get(key)?
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite())
        };
        let us = |key: &str| {
            number(key)
                .filter(|us| *us > 0.0)
                .and_then(|us| ns_of_seconds(us / 1e6))
        };
        let unit = self.values.get("THROUGHPUT_UNITS").copied().unwrap_or("");
        let figure = number("THROUGHPUT");
        let is_transactions = unit.starts_with("Trans");
        record.duration_ns = number("ELAPSED_TIME").and_then(ns_of_seconds);
        record.received_bps = figure
            .filter(|_| !is_transactions)
            .and_then(|figure| rate(figure, unit));
        if let Some(figure) = figure.filter(|_| is_transactions) {
            self.transactions(
                record,
                self.test.map_or(Kind::Transactions, |test| test.0),
                figure,
            );
        }
        record.rtt_ns = us("RT_LATENCY")
            .or(us("MEAN_LATENCY").filter(|_| is_transactions))
            .or(record.rtt_ns);
        record.mss_bytes = number("TRANSPORT_MSS")
            .filter(|mss| *mss > 0.0)
            .map(|mss| mss as u32);
        record.retransmits = number("LOCAL_TRANSPORT_RETRANS").and_then(crate::units::whole);
        record.received_bps.is_some() || record.rtt_ns.is_some()
    }
}

fn is_any(name: &str) -> bool {
    name.parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_unspecified())
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
        let kind = |line| head(line).map(|((kind, _), _)| kind);
        assert_eq!(
            kind("MIGRATED TCP MAERTS TEST from 0.0.0.0 () port 0 AF_INET to b ()"),
            Some(Kind::Backwards)
        );
        assert_eq!(kind("TCP STREAM TEST to b.example"), Some(Kind::Stream));
        assert_eq!(kind("TCP STREAM TESTING"), None);
    }
}
