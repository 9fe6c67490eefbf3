//! Ethr's client: how much was sent in each second, or how long answers took (<https://github.com/microsoft/ethr>).
//!
//! It prints no totals: the whole is what its seconds add up to. Its letters are powers of 1000. The client sends, unless it was asked
//! for the other way, which the command alone tells.

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::flows::duration_ns;
use crate::host::host;
use evidence::{
    DelayStatistics, Node, Payload, ProbeRow, Probes, RateBps, Transfer, TransferInterval, Transport,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) static FORMAT: Format = Format {
    name: "ethr",
    group: Group::Transfers,
    reads: "bandwidth and latency, as its client prints them",
    first: "EUCe.",
    has_command: true,
    marks: Some(|| Marks::of(["ethr", "Using destination: "])),
    starts: |line| is_banner(line) || destination(line).is_some() || run(line).is_some(),
    continues: |block, line| {
        let text = line.trim_ascii();
        if text.is_empty() {
            return block.blank_count() < 2;
        }
        let is_over = block
            .last_written()
            .is_some_and(|last| last.starts_with("Ethr done"));
        !is_over && run(line).is_none() && (is_around(text) || row(text).is_some() || times(text).is_some())
    },
    takes_in: None,
    read,
};

fn run(line: &str) -> Option<Run<'_>> {
    Run::of(line, &["ethr", "ethr.exe"]).filter(Run::is_typed)
}

fn is_banner(line: &str) -> bool {
    line.starts_with("Ethr: Comprehensive Network Performance")
}

/// `Using destination: dtn2.example, ip: 192.0.2.2, port: 8888`
fn destination(line: &str) -> Option<Node> {
    let (name, behind) = line.strip_prefix("Using destination: ")?.split_once(", ip: ")?;
    let (address, _) = behind.split_once(", port: ")?;
    let mut node = host(name);
    node.address = address.parse().ok().or(node.address);
    Some(node)
}

/// `[  6] local 192.0.2.1 port 52104 connected to 192.0.2.2 port 8888`
fn connected(text: &str) -> Option<(Node, Node)> {
    let (local, behind) = text.split_once("] local ")?.1.split_once(" port ")?;
    let (remote, _) = behind.split_once(" connected to ")?.1.split_once(" port ")?;
    Some((host(local), host(remote)))
}

fn is_around(text: &str) -> bool {
    const BEGINNINGS: [&str; 8] = [
        "Maintainer:",
        // Of versions before 1.0.
        "Connecting to host [",
        "Using destination: ",
        "[ ID]   Protocol",
        "Avg ",
        "Ethr done",
        "Ethr: ",
        "Running ",
    ];
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || connected(text).is_some()
        || text.len() > 8 && text.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// `[  6]     TCP      000-001 sec     9.21G`: of which connection, over what, from when to when in seconds, and the rate.
fn row(text: &str) -> Option<(&str, Transport, (u64, u64), f64)> {
    let (id, rest) = text.strip_prefix('[')?.split_once(']')?;
    let mut words = rest.split_ascii_whitespace();
    let transport = match words.next()? {
        "TCP" => Transport::Tcp,
        "UDP" => Transport::Udp,
        _ => return None,
    };
    let (start, end) = words.next()?.split_once('-')?;
    let span = (start.parse().ok()?, end.parse().ok()?);
    if words.next()? != "sec" || span.0 >= span.1 {
        return None;
    }
    Some((id.trim_ascii(), transport, span, figure(words.next()?)?))
}

/// `9.21G`
fn figure(word: &str) -> Option<f64> {
    let letter = word.chars().last()?;
    let scale = match letter {
        'K' => 1e3,
        'M' => 1e6,
        'G' => 1e9,
        'T' => 1e12,
        _ if letter.is_ascii_digit() => 1.0,
        _ => return None,
    };
    let number: f64 = word.trim_end_matches(['K', 'M', 'G', 'T']).parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * scale)
}

/// `82.61us 70.00us 79.80us …`: the mean, the shortest, six shares, the longest.
fn times(text: &str) -> Option<[i64; 3]> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let all: Option<Vec<u64>> = words.iter().map(|word| duration_ns(word)).collect();
    match all?.as_slice() {
        [mean, least, _, _, _, _, _, _, most] if least <= mean && mean <= most => {
            Some([*mean, *least, *most].map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)))
        }
        _ => None,
    }
}

/// The rates of an interval.
#[derive(Default)]
struct Slice {
    sum: Option<f64>,
    /// Of each connection. One with two lines has two.
    parts: Vec<(String, f64)>,
}

impl Slice {
    /// The rate of all connections, where each has a line or the tool sums up.
    fn rate(&self, connections: usize) -> Option<f64> {
        let ids: BTreeSet<&str> = self.parts.iter().map(|(id, _)| id.as_str()).collect();
        let is_whole = ids.len() == self.parts.len() && ids.len() == connections;
        let added = || self.parts.iter().map(|(_, rate)| rate).sum();
        self.sum.or_else(|| is_whole.then(added))
    }
}

/// What a block says.
#[derive(Default)]
struct Said {
    own: Node,
    other: Node,
    has_command: bool,
    is_reverse: bool,
    connections: u16,
    transport: Option<Transport>,
    /// By the beginning and end of each interval.
    slices: BTreeMap<(u64, u64), Slice>,
    /// The heads of the table are those of rates.
    has_rates: bool,
    answers: Vec<[i64; 3]>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said = Said::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some(run) = run(line) {
            let words: Vec<&str> = run.words().collect();
            said.has_command = true;
            said.is_reverse = words.contains(&"-r");
            let named = words.iter().skip_while(|word| **word != "-c").nth(1);
            said.other = named.map(|name| host(name)).unwrap_or_default();
            said.own = run.device.map(Node::named).unwrap_or_default();
        } else if let Some(node) = destination(text) {
            said.other = node;
        } else if let Some((own, other)) = connected(text) {
            said.connections = said.connections.saturating_add(1);
            (said.own.address, said.other.address) = (own.address, other.address);
        } else if let Some((id, transport, span, rate)) = row(text) {
            said.transport = Some(transport);
            let slice = said.slices.entry(span).or_default();
            match id {
                "SUM" => slice.sum = Some(rate),
                _ => slice.parts.push((id.to_owned(), rate)),
            }
        } else if let Some(times) = times(text) {
            said.answers.push(times);
        } else if text.starts_with("[ ID]") {
            said.has_rates = text.contains("Bits/s");
        } else if !is_around(text) && !text.is_empty() {
            findings.unread(number, line);
        }
    }
    said.tell(block, context, findings);
}

impl Said {
    fn tell(self, block: &Block, context: &Context, findings: &mut Findings) {
        let lines = (block.first_line, block.last_written_line());
        if !self.answers.is_empty() {
            return self.tell_answers(lines, context, findings);
        }
        let most = self
            .slices
            .values()
            .map(|slice| slice.parts.len())
            .max()
            .unwrap_or(0);
        let connections = usize::from(self.connections).max(most);
        let told = self.slices.iter().filter_map(|((start, end), slice)| {
            Some(TransferInterval {
                start_ns: start.saturating_mul(1_000_000_000),
                length_ns: (end - start).saturating_mul(1_000_000_000),
                rate_bps: Some(RateBps(slice.rate(connections)?)),
                ..TransferInterval::default()
            })
        });
        let slices: Vec<TransferInterval> = told.collect();
        if slices.len() < self.slices.len() {
            findings.complain_of(lines, "an interval without a line of each connection is not used");
        }
        let length: u64 = slices
            .iter()
            .map(|slice| slice.length_ns)
            .fold(0, u64::saturating_add);
        if slices.is_empty() || !self.has_rates {
            return findings.complain_of(
                lines,
                "ethr was started, but printed no rates or times that are understood",
            );
        }
        let bits = slices
            .iter()
            .map(|slice| slice.rate_bps.map_or(0.0, |rate| rate.0) * slice.length_ns as f64);
        let rate = Some(RateBps(bits.sum::<f64>() / length as f64));
        let (from, to) = match (self.has_command, self.is_reverse) {
            (true, false) => (self.own, self.other),
            (true, true) => (self.other, self.own),
            (false, _) => Default::default(),
        };
        let sends = self.has_command && !self.is_reverse;
        let record = Transfer {
            from: context.from_or(from),
            to: context.to_or(to),
            protocol: self.transport,
            streams: (self.connections > 0).then_some(self.connections),
            duration_ns: Some(length),
            sent_bps: rate.filter(|_| sends),
            received_bps: rate.filter(|_| !sends),
            intervals: slices,
            ..Transfer::default()
        };
        findings.record_of(lines, "ethr", context.at, record.into());
        if !self.has_command {
            findings.complain_of(lines, "without its command nobody knows which way the data went");
        }
    }

    /// The shortest and the longest of all seconds, and the mean of their means.
    fn tell_answers(self, lines: (u64, u64), context: &Context, findings: &mut Findings) {
        let count = self.answers.len() as i64;
        let means = self.answers.iter().map(|[mean, ..]| mean / count);
        let delay = DelayStatistics {
            min_ns: self.answers.iter().map(|[_, least, _]| *least).min(),
            mean_ns: Some(means.sum()),
            max_ns: self.answers.iter().map(|[.., most]| *most).max(),
            ..DelayStatistics::default()
        };
        let row = ProbeRow {
            to: context.to_or(self.other),
            delay: Some(delay),
            ..ProbeRow::default()
        };
        let probes = Probes {
            from: context.from_or(self.own),
            rows: vec![row],
            ..Probes::default()
        };
        findings.record_of(lines, "ethr", context.at, Payload::Probes(probes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_either_protocol() {
        let read = row("[  6]     TCP      000-001 sec     9.21G").unwrap();
        assert_eq!((read.0, read.2, read.3), ("6", (0, 1), 9.21e9));
        assert_eq!(
            row("[SUM]     UDP      001-002 sec     812.00M   71.10K")
                .unwrap()
                .3,
            812e6
        );
        assert_eq!(row("[  6]     TCP      001-001 sec     9.21G"), None);
        assert_eq!(figure("9.21X"), None);
        assert!(times("82us 70us 79us 99us 107us 141us 388us 388us 389us").is_some());
        assert!(times("82us 70us").is_none());
    }
}
