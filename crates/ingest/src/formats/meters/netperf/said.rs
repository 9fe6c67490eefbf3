//! What a block of netperf says, and the record of it.

use super::{Kind, TESTS, Test, UNITS, asked, rate, slices};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::{delay, host, rtt_from_ms};
use crate::units::{ns_of_seconds, whole};
use evidence::{DelayStatistics, Node, Payload, ProbeRow, Probes, Transfer, TransferInterval, Transport};
use std::collections::BTreeMap;

/// What a block says.
#[derive(Default)]
pub(super) struct Said<'t> {
    pub(super) test: Option<Test>,
    /// The command names another one than those that are known.
    pub(super) is_unknown: bool,
    pub(super) own: Node,
    pub(super) other: Node,
    /// The unit of the rates, from the head of the column, or the command's `-f` where no head is printed.
    pub(super) unit: Option<&'t str>,
    /// There are heads of columns.
    pub(super) has_head: bool,
    pub(super) rows: Vec<(u64, Vec<f64>)>,
    /// By the moment at which each ended, in nanoseconds.
    pub(super) interim: BTreeMap<u64, TransferInterval>,
    pub(super) values: BTreeMap<&'t str, &'t str>,
    /// What the kernel says of the connection in the end, by its names.
    pub(super) connection: BTreeMap<&'t str, &'t str>,
    /// Of the line of values that follows (`-- -o`), the names in the other form; empty where it is not read.
    pub(super) columns: Vec<&'static str>,
    /// What the command asks for, in its order.
    pub(super) asked: Vec<&'static str>,
    /// `-v 2` counts calls and times below the result.
    pub(super) is_over: bool,
    /// One transaction at a time is under way: the head is whole, and neither it nor the command says otherwise.
    pub(super) one_by_one: bool,
    /// The command asks for several.
    pub(super) bursts: bool,
    pub(super) complained: bool,
}

impl<'t> Said<'t> {
    pub(super) fn command(&mut self, words: &[&'t str]) {
        let of_test = words.iter().skip_while(|word| **word != "--");
        self.bursts = of_test.clone().any(|word| word.starts_with("-b"));
        let lists = of_test.clone().zip(of_test.clone().skip(1));
        let list = lists
            .filter(|(option, list)| matches!(**option, "-O" | "-o" | "-k") && !list.starts_with('-'))
            .map(|(_, list)| asked(list))
            .next();
        self.asked = list.unwrap_or_default();
        self.columns.clone_from(&self.asked);
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
        let mut transport = None;
        if kind.eq_ignore_ascii_case("omni") {
            let behind = |option: &str| {
                of_test
                    .clone()
                    .skip_while(|word| **word != option)
                    .nth(1)
                    .copied()
            };
            // What it does without one of these its head tells.
            kind = match behind("-d") {
                Some("maerts" | "recv" | "receive") => "recv",
                Some("stream" | "send" | "xmit") => "send",
                other => other.unwrap_or_default(),
            };
            transport = match behind("-T").map(str::to_ascii_lowercase).as_deref() {
                Some("tcp") | None => Some(Transport::Tcp),
                Some("udp") => Some(Transport::Udp),
                Some(_) => None,
            };
        }
        let named = TESTS.iter().find(|(_, name, ..)| name.eq_ignore_ascii_case(kind));
        self.test = named.map(|(.., kind, known)| (*kind, known.or(transport)));
        self.is_unknown = self.test.is_none();
    }

    /// Whether a row is one more of what the command asks for, and not the last one once more.
    pub(super) fn is_another(&self, row: &str) -> bool {
        let cells = || row.split_ascii_whitespace();
        let mut known = self
            .asked
            .iter()
            .zip(cells())
            .filter(|(name, _)| !name.is_empty());
        !self.values.is_empty()
            && cells().count() == self.asked.len()
            && known.any(|(name, cell)| self.values.get(*name).is_some_and(|told| *told != cell))
    }

    /// Takes a row of what the command asks for; whether it is one, and the first.
    pub(super) fn take_asked(&mut self, row: &'t str) -> bool {
        let cells = || row.split_ascii_whitespace();
        let fits = self.values.is_empty() && cells().count() == self.asked.len();
        if fits {
            let known = self.asked.iter().copied().zip(cells());
            self.values.extend(known.filter(|(name, _)| !name.is_empty()));
        }
        fits
    }

    /// ` from 0.0.0.0 (0.0.0.0) port 0 AF_INET to b.example (192.0.2.2) port 0 AF_INET : first burst 0`
    pub(super) fn ends(&mut self, rest: &'t str) {
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
        let own = before.trim_ascii().strip_prefix("from ").and_then(word);
        if let Some(own) = own.filter(|own| !is_any(own)) {
            self.own = host(own);
        }
        let burst = behind
            .split_once("first burst ")
            .map_or("0", |(_, count)| count.trim_ascii());
        self.one_by_one = behind.contains("AF_INET") && burst == "0" && !self.bursts;
    }

    pub(super) fn tell(&self, block: &Block, context: &Context, findings: &mut Findings) {
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
        let (from, to) = match self.test {
            Some((Kind::Backwards, _)) => (self.other.clone(), self.own.clone()),
            // Which way a test goes that is not known, nobody knows either.
            None if self.is_unknown => Default::default(),
            _ => (self.own.clone(), self.other.clone()),
        };
        (record.from, record.to) = (context.from_or(from), context.to_or(to));
        record.protocol = self.test.and_then(|(_, transport)| transport);
        record.intervals = slices(&self.interim);
        // It is netperf's own end of the connection: what it receives another retransmits.
        let is_sender = matches!(self.test, Some((Kind::Stream, _)));
        let of_connection = |name: &str| {
            let value = self.connection.get(name).filter(|_| is_sender)?;
            value.parse::<u64>().ok()
        };
        record.retransmits = record.retransmits.or_else(|| of_connection("tcpi_total_retrans"));
        record.rtt_ns = record
            .rtt_ns
            .or_else(|| of_connection("tcpi_rtt")?.checked_mul(1_000));
        let ends = (record.from.clone(), record.to.clone());
        let has_rate = record.received_bps.is_some() || record.rtt_ns.is_some() || record.note.is_some();
        if has_rate || self.values.is_empty() {
            findings.record(block, "netperf", context.at, record.into());
        }
        self.tell_latencies(ends, block, context, findings);
    }

    /// What requests and their responses took.
    fn tell_latencies(&self, ends: (Node, Node), block: &Block, context: &Context, findings: &mut Findings) {
        let us = |key: &str| {
            let us: f64 = self.values.get(key)?.parse().ok()?;
            delay(rtt_from_ms(us / 1e3))
        };
        let all = DelayStatistics {
            min_ns: us("MIN_LATENCY"),
            mean_ns: us("MEAN_LATENCY"),
            p50_ns: us("P50_LATENCY"),
            p90_ns: us("P90_LATENCY"),
            p99_ns: us("P99_LATENCY"),
            max_ns: us("MAX_LATENCY"),
            deviation_ns: us("STDDEV_LATENCY"),
        };
        let mean = DelayStatistics {
            mean_ns: all.mean_ns,
            ..DelayStatistics::default()
        };
        if all == mean || !matches!(self.test, Some((Kind::Transactions, _))) {
            return;
        }
        let row = ProbeRow {
            to: ends.1,
            delay: Some(all),
            ..ProbeRow::default()
        };
        let probes = Probes {
            from: ends.0,
            rows: vec![row],
            ..Probes::default()
        };
        findings.record(block, "netperf", context.at, Payload::Probes(probes));
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
                    record.packets_sent = whole(*okay);
                    record.sent_bps = rate(*figure, unit);
                    record.sent_bps.is_some()
                }
                // The receiver has no column of its own for the size and for errors.
                (Kind::Datagrams, [_, seconds, okay, figure] | [_, seconds, okay, figure, _, _], 1)
                    if first.len() == row.len() + 2 && first.get(2) == Some(seconds) =>
                {
                    record.packets_received = whole(*okay);
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
        let of_connections = matches!(self.test, Some((Kind::Connections, _)));
        let unit = self.values.get("THROUGHPUT_UNITS").copied();
        let unit = unit.unwrap_or_else(|| match self.test {
            Some((Kind::Transactions | Kind::Connections, _)) => "Trans/s",
            Some(_) => self.unit.unwrap_or("10^6bits/s"),
            None => "",
        });
        let figure = number("THROUGHPUT").or(number("TRANSACTION_RATE"));
        let is_transactions = unit.starts_with("Trans");
        let of_answers = matches!(self.test, Some((Kind::Transactions, _)));
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
        // With a connection for each it takes several round trips.
        record.rtt_ns = us("RT_LATENCY")
            .or(us("MEAN_LATENCY").filter(|_| is_transactions || of_answers))
            .filter(|_| !of_connections)
            .or(record.rtt_ns);
        record.mss_bytes = number("TRANSPORT_MSS")
            .filter(|mss| *mss > 0.0)
            .map(|mss| mss as u32);
        record.retransmits = number("LOCAL_TRANSPORT_RETRANS").and_then(whole);
        record.received_bps.is_some()
            || record.rtt_ns.is_some()
            || record.note.is_some()
            || self.values.keys().any(|key| key.ends_with("_LATENCY"))
    }
}

fn is_any(name: &str) -> bool {
    name.parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_unspecified())
}
