//! irtt: small UDP packets to a server of its own and back, and how many of them arrived on either way. Its one-way delays are as good
//! as the clocks, which nothing tells: they are not used.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::flows::duration_ns;
use crate::formats::host::command::{arguments, hostname};
use crate::host::host;
use crate::prompt::command_line;
use evidence::{DelayStatistics, Node, Payload, ProbeProtocol, ProbeRow, Probes, Way};

pub(crate) static FORMAT: Format = Format {
    name: "irtt",
    group: Group::Paths,
    reads: "the summary of `irtt client`: round trips, and what was lost on either way",
    first: "[Mir",
    has_command: true,
    marks: Some(|| Marks::of(["irtt", "[Connecting] connecting to ", "Stddev"])),
    starts: |line| server(line).is_some() || is_heading(line) || is_command(line),
    continues: |block, line| {
        let is_over = block.last_such(is_last).is_some();
        let text = line.trim_ascii();
        !is_over && command_line(line).is_none() && (text.is_empty() || is_own(text))
            || !is_over && is_last(line)
    },
    takes_in: None,
    read,
};

/// What its lines begin with, or hold in front of their figures.
const OWN: [&str; 18] = [
    "[",
    "seq=",
    "RTT ",
    "send delay ",
    "receive delay ",
    "IPDV (jitter) ",
    "send IPDV ",
    "receive IPDV ",
    "send call time ",
    "timer error ",
    "server proc. time ",
    "duration: ",
    "packets sent/received: ",
    "server packets received: ",
    "bytes sent/received: ",
    "send/receive rate: ",
    "packet length: ",
    "duplicates: ",
];

fn is_own(text: &str) -> bool {
    OWN.iter().any(|begin| text.starts_with(begin))
        || text.starts_with("late (out-of-order) pkts: ")
        || is_heading(text)
        || text.bytes().all(|byte| matches!(byte, b'-' | b' '))
        || server(text).is_some()
}

/// The last line of the summary.
fn is_last(line: &str) -> bool {
    line.trim_ascii_start().starts_with("timer stats: ")
}

fn is_heading(line: &str) -> bool {
    line.split_ascii_whitespace()
        .eq(["Min", "Mean", "Median", "Max", "Stddev"])
}

fn is_command(line: &str) -> bool {
    arguments(line, "irtt").is_some_and(|mut words| words.next() == Some("client"))
}

/// `[Connecting] connecting to 192.0.2.10`
fn server(line: &str) -> Option<Node> {
    let named = line.trim_ascii().strip_prefix("[Connecting] connecting to ")?;
    Some(host(named.split(' ').next()?))
}

/// `50/49 (2.00% loss)`: two counts.
fn counts(text: &str) -> Option<(u64, u64)> {
    let (first, second) = text.split(' ').next()?.split_once('/')?;
    Some((first.parse().ok()?, second.parse().ok()?))
}

/// `11.93ms  20.88ms  19.2ms  80.49ms  7.02ms`
fn round_trips(text: &str) -> Option<DelayStatistics> {
    let figures = text
        .split_ascii_whitespace()
        .map(|word| i64::try_from(duration_ns(word)?).ok());
    let figures: Vec<i64> = figures.collect::<Option<_>>()?;
    let [min, mean, median, max, deviation] = figures.as_slice() else {
        return None;
    };
    Some(DelayStatistics {
        min_ns: Some(*min),
        mean_ns: Some(*mean),
        p50_ns: Some(*median),
        max_ns: Some(*max),
        deviation_ns: Some(*deviation),
        ..DelayStatistics::default()
    })
}

#[derive(Default)]
struct Told {
    to: Node,
    delay: Option<DelayStatistics>,
    /// Sent and received by the client.
    client: Option<(u64, u64)>,
    /// Received by the server, of so many sent.
    server: Option<(u64, u64)>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut told = Told::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        let rest = |begin: &str| text.strip_prefix(begin).map(str::trim_ascii_start);
        if let Some(node) = server(text) {
            told.to = node;
        } else if let Some(figures) = rest("RTT ") {
            told.delay = round_trips(figures);
            if told.delay.is_none() {
                findings.unread(number, line);
            }
        } else if let Some(figures) = rest("packets sent/received: ") {
            told.client = counts(figures);
        } else if let Some(figures) = rest("server packets received: ") {
            // The server's count stands first where it was asked for it.
            told.server = counts(figures).map(|(received, sent)| (sent, received));
        }
    }
    told.record(block, context, findings);
}

impl Told {
    fn record(self, block: &Block, context: &Context, findings: &mut Findings) {
        let row = |way, (sent, received): (u64, u64)| ProbeRow {
            way,
            sent: Some(sent),
            received: Some(received),
            ..ProbeRow::default()
        };
        let there_and_back = self.client.map(|counts| row(Way::RoundTrip, counts));
        let round = self.delay.map_or(there_and_back.clone(), |delay| {
            Some(ProbeRow {
                delay: Some(delay),
                ..there_and_back.unwrap_or_default()
            })
        });
        // What the server received it sends back: the others of the client's were lost on the way there.
        let there = self
            .server
            .filter(|(sent, _)| self.client.is_some_and(|(all, _)| all == *sent));
        let rows: Vec<ProbeRow> = [round, there.map(|counts| row(Way::OneWay, counts))]
            .into_iter()
            .flatten()
            .map(|row| ProbeRow {
                to: context.to_or(self.to.clone()),
                ..row
            })
            .collect();
        if rows.is_empty() {
            return;
        }
        let probes = Probes {
            from: context.from_or(hostname(block).as_deref().map(Node::named).unwrap_or_default()),
            protocol: Some(ProbeProtocol::Udp),
            rows,
            ..Probes::default()
        };
        let lines = (block.first_line, block.last_written_line());
        findings.record_of(lines, "irtt", context.at, Payload::Probes(probes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(counts("50/49 (2.00% loss)"), Some((50, 49)));
        assert!(
            round_trips("11.93ms 20.88ms 19.2ms 1.08s 7.02ms")
                .is_some_and(|told| told.max_ns == Some(1_080_000_000))
        );
        assert_eq!(round_trips("11.93ms 20.88ms"), None);
        assert!(is_own("seq=3 rtt=11.9ms") && !is_own("zorkmids 4711 of 17"));
    }
}
