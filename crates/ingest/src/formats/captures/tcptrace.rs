//! `tcptrace -l`: every TCP connection of a capture, a column for each way. What it lists without `-l` is packets alone.
//!
//! Round-trip times are those from the place of the capture to the receiver and back: at the sender they are its own.

use super::flow::{duration_ns, endpoint};
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::formats::host::given::Given;
use crate::prompt::command_line;
use crate::{Context, when};
use evidence::{Node, RateBps, TcpAccount, Timestamp, Transfer, TransferSide, Transport};

pub(crate) static FORMAT: Format = Format {
    name: "tcptrace",
    group: Group::Histories,
    reads: "tcptrace -l, with -r and -W: bytes, rate, retransmissions, round-trip time and windows of both ways of each connection",
    first: "0-9OTa-z",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "starting with '",
            " packets seen, ",
            " TCP connection traced:",
            " TCP connections traced:",
            "tcptrace",
            "TCP connection ",
            "elapsed wallclock time: ",
            "trace file elapsed time: ",
        ])
        .or(is_ways)
    }),
    starts: |line| is_preface(line) || is_connection(line) || is_ways(line) || is_command(line),
    continues: |block, line| {
        line.starts_with([' ', '\t'])
            || line.trim_ascii().is_empty() && block.len() > 1
            || is_preface(line)
            || is_connection(line)
            || is_ruler(line)
            || is_remark(line)
            || is_ways(line)
            || both(line).is_some()
    },
    takes_in: Some(|block, line| {
        !line.trim_ascii().is_empty()
            && command_line(line).is_none()
            && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            && block.begins_with(24, |line| is_connection(line) || is_ways(line))
    }),
    read,
};

fn is_command(line: &str) -> bool {
    line.contains("tcptrace") && arguments(line, "tcptrace").is_some()
}

/// `TCP connection 1:`
fn is_connection(line: &str) -> bool {
    let number = line
        .strip_prefix("TCP connection ")
        .and_then(|rest| rest.trim_ascii_end().strip_suffix(':'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What stands above the connections.
fn is_preface(line: &str) -> bool {
    let counted = || {
        line.contains(" arg remaining, starting with '")
            || line.contains(" args remaining, starting with '")
            || line.contains(" packets seen, ") && line.contains(" packets traced")
            || line.ends_with(" TCP connection traced:")
            || line.ends_with(" TCP connections traced:")
    };
    line.starts_with(|first: char| first.is_ascii_digit()) && counted()
        || line.starts_with("Ostermann's tcptrace")
        || line == "TCP connection info:"
        || line.starts_with("elapsed wallclock time: ")
        || line.starts_with("trace file elapsed time: ")
}

fn is_ruler(line: &str) -> bool {
    line.len() > 8 && line.bytes().all(|byte| byte == b'=')
}

/// A connection as its lines come.
#[derive(Debug, Default)]
struct Connection {
    first: u64,
    last: u64,
    /// Letter and host, in the order of the lines.
    hosts: Vec<(String, String)>,
    head: Given<String>,
    /// The letters of the columns.
    ways: Option<[(String, String); 2]>,
    columns: [Given<String>; 2],
}

/// `a->b:                    b->a:`
fn ways(line: &str) -> Option<[(String, String); 2]> {
    let mut words = line.split_ascii_whitespace();
    let mut way = || {
        let (from, to) = words.next()?.strip_suffix(':')?.split_once("->")?;
        let letters = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (letters(from) && letters(to)).then(|| (from.to_owned(), to.to_owned()))
    };
    let both = [way()?, way()?];
    (both[0].0 == both[1].1 && both[0].1 == both[1].0).then_some(both)
}

fn is_ways(line: &str) -> bool {
    line.contains("->") && ways(line).is_some()
}

/// `rexmt data pkts:   0    rexmt data pkts:   3`: the name, and the value of each way.
fn both(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.trim_ascii().split_once(':')?;
    let second = rest.find(&format!("{name}:"))?;
    let (left, right) = rest.split_at(second);
    let right = right.get(name.len() + 1..)?;
    let (left, right) = (left.trim_ascii(), right.trim_ascii());
    (!left.is_empty() && !right.is_empty()).then_some((name, left, right))
}

/// What stands above the columns.
const HEAD: [&str; 6] = [
    "complete conn",
    "first packet",
    "last packet",
    "elapsed time",
    "total packets",
    "filename",
];

/// Sentences between the figures.
fn is_remark(line: &str) -> bool {
    [
        "For the following ",
        "multiply-transmitted segments",
        "considered.  Times are taken",
        "of a segment.",
        "Warning",
        "** ",
    ]
    .iter()
    .any(|begin| line.starts_with(begin))
}

/// `1: a.example:1234 - b.example:80 (a2b)    10>    8<  (complete)`: what is listed without `-l`.
fn is_brief(line: &str) -> bool {
    let number = line.split_once(": ").map(|(number, _)| number);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        && line.contains(" - ")
        && line.contains("2")
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut open: Option<Connection> = None;
    let mut said = false;
    for (number, text) in block.numbered() {
        let line = text.trim_ascii();
        if line.is_empty() || is_preface(text) || is_command(text) {
            continue;
        }
        said = true;
        if is_connection(text) || is_ruler(text) {
            close(open.take(), context, findings);
            if is_connection(text) {
                open = Some(Connection {
                    first: number,
                    last: number,
                    ..Connection::default()
                });
            }
            continue;
        }
        let host = line.strip_prefix("host ").and_then(|rest| rest.split_once(':'));
        if let Some((letter, host)) = host {
            if open
                .as_ref()
                .is_none_or(|open| open.ways.is_some() || open.hosts.len() > 1)
            {
                close(open.take(), context, findings);
                open = Some(Connection {
                    first: number,
                    ..Connection::default()
                });
            }
            if let Some(open) = &mut open {
                open.last = number;
                let host = (letter.trim_ascii().to_owned(), host.trim_ascii().to_owned());
                if open.hosts.contains(&host) {
                    continue;
                }
                open.hosts.push(host);
            }
            continue;
        }
        match &mut open {
            Some(open) => open.take(number, line, findings),
            // What stands above the columns was left out.
            None if is_ways(line) => {
                let mut begun = Connection {
                    first: number,
                    ..Connection::default()
                };
                begun.take(number, line, findings);
                open = Some(begun);
            }
            None if is_brief(line) => {}
            None => findings.unread(number, text),
        }
    }
    close(open, context, findings);
    if said {
        findings.nothing_to_say();
    }
}

impl Connection {
    fn take(&mut self, number: u64, line: &str, findings: &mut Findings) {
        self.last = number;
        if let Some(ways) = ways(line) {
            self.ways = Some(ways);
        } else if let Some((name, left, right)) = both(line) {
            let [first, second] = &mut self.columns;
            first.put(findings, number, name, left.to_owned());
            second.put(findings, number, name, right.to_owned());
        } else if let Some((name, value)) = line.split_once(':').filter(|(name, _)| HEAD.contains(name)) {
            self.head
                .put(findings, number, name, value.trim_ascii().to_owned());
        } else if !is_remark(line) {
            findings.unread(number, line);
        }
    }

    fn host(&self, letter: &str) -> (Node, Option<u16>) {
        let mut named = self.hosts.iter().filter(|(known, _)| known == letter);
        match (named.next(), named.next()) {
            (Some((_, host)), None) => endpoint(host, ':'),
            // Of columns alone the letters are all that tells one way from the other.
            _ if self.hosts.is_empty() => (Node::named(letter), None),
            _ => (Node::default(), None),
        }
    }

    fn way(&self, place: usize) -> Option<Transfer> {
        let (from, to) = self.ways.as_ref()?.get(place)?;
        let (own, other) = (self.columns.get(place)?, self.columns.get(1 - place)?);
        let text = |column: &Given<String>, name: &str| column.get(name).cloned();
        let figure = |column: &Given<String>, name: &str, unit: &str| {
            let text = text(column, name)?;
            let mut words = text.split_ascii_whitespace();
            let value = words.next()?.to_owned();
            words.next().is_none_or(|word| word == unit).then_some(value)
        };
        let count = |name: &str, unit: &str| figure(own, name, unit)?.parse::<u64>().ok();
        // It is cut to whole bytes per second: of a few the rest is a part that counts.
        let rate = count("throughput", "Bps").filter(|bytes| *bytes >= 20);
        let bytes = count("unique bytes sent", "bytes");
        // Who chose some of the lines has the rate alone.
        if bytes.or(rate)? == 0 {
            return None;
        }
        let has_rtt = count("RTT samples", "").is_some_and(|samples| samples > 0);
        let ms = |name: &str| {
            figure(own, name, "ms")
                .filter(|_| has_rtt)
                .and_then(|ms| crate::host::rtt_ms(&ms))
        };
        let yes = |name: &str, place: usize| {
            let of =
                |column: &Given<String>| Some(text(column, name)?.split('/').nth(place)?.trim_ascii() == "Y");
            Some(of(own)? && of(other)?)
        };
        let scale = |column: &Given<String>| figure(column, "adv wind scale", "")?.parse::<u8>().ok();
        let scaled = yes("req 1323 ws/ts", 0);
        let account = TcpAccount {
            data_segments_out: count("actual data pkts", "pkts"),
            retransmitted_segments: count("rexmt data pkts", "pkts"),
            retransmitted_bytes: count("rexmt data bytes", "bytes"),
            peer_window_bytes: figure(other, "max win adv", "bytes").and_then(|bytes| bytes.parse().ok()),
            min_rtt_us: ms("RTT min")
                .and_then(|ns| u32::try_from(ns / 1_000).ok())
                .filter(|us| *us > 0),
            sack: yes("req sack", 0),
            timestamps: yes("req 1323 ws/ts", 1),
            window_scale: scale(own).zip(scale(other)).filter(|_| scaled == Some(true)),
            ..TcpAccount::default()
        };
        let arrived = TcpAccount {
            out_of_order_segments: count("outoforder pkts", "pkts"),
            ..TcpAccount::default()
        };
        let ((from, from_port), (to, to_port)) = (self.host(from), self.host(to));
        Some(Transfer {
            from,
            to,
            protocol: Some(Transport::Tcp),
            duration_ns: self
                .head
                .get("elapsed time")
                .and_then(|text| duration_ns(text))
                .filter(|ns| *ns > 0),
            bytes_received: bytes,
            retransmits: account.retransmitted_segments,
            received_bps: rate.map(|bytes| RateBps(bytes as f64 * 8.0)),
            rtt_ns: ms("RTT avg").filter(|ns| *ns > 0),
            sender: Some(TransferSide {
                accounts: vec![account],
                cpu: None,
            }),
            receiver: arrived.out_of_order_segments.map(|_| TransferSide {
                accounts: vec![arrived],
                cpu: None,
            }),
            ports: from_port.zip(to_port).into_iter().collect(),
            ..Transfer::default()
        })
    }

    /// `Thu Aug 29 18:54:54.782937 2002`, in the zone of whoever ran it.
    fn at(&self, context: &Context) -> Option<Timestamp> {
        let text = self.head.get("first packet")?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [_, month, day, clock, year] = words.as_slice() else {
            return None;
        };
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let date = (year.parse().ok()?, when::month(month)?, day.parse().ok()?);
        let whole = when::timestamp(date, when::clock(clock)?, context.utc_offset_s?)?;
        let nanos = crate::text::nanos(&format!("0.{fraction}"), 1e9)?;
        Some(Timestamp(whole.0.checked_add(i64::try_from(nanos).ok()?)?))
    }
}

fn close(open: Option<Connection>, context: &Context, findings: &mut Findings) {
    let Some(open) = open else {
        return;
    };
    let lines = (open.first, open.last);
    if open.ways.is_none() && !open.columns[0].is_empty() {
        return findings.complain_of(lines, "columns without the line that says which way they are");
    }
    let tells_moved = |column: &Given<String>| {
        column.get("unique bytes sent").is_some() || column.get("throughput").is_some()
    };
    if !open.columns[0].is_empty() && !open.columns.iter().any(tells_moved) {
        return findings.complain_of(
            lines,
            "a connection without its bytes and its throughput: what else is told of it is not used",
        );
    }
    let at = open.at(context).or(context.at);
    for transfer in [open.way(0), open.way(1)].into_iter().flatten() {
        findings.record_of(lines, "tcptrace", at, transfer.into());
    }
}
