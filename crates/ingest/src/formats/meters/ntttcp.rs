//! NTttcp of Windows, whose tables have a rule below the heads, and of Linux, whose lines have a name and a value.

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::host;
use crate::units::{Kilo, ns_of_seconds, rate_bps, split, whole};
use evidence::{Node, RateBps, Transfer, Transport};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "NTttcp",
    group: Group::Transfers,
    reads: "the totals, of Windows and of Linux, client (-s) or server (-r)",
    first: "NC#n.",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "NTTTCP",
            "Network activity progressing",
            "Copyright Version 5.",
            "Totals:",
        ])
    }),
    starts,
    continues,
    takes_in: None,
    read,
};

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'N') => {
            line.starts_with("NTTTCP for Linux") || line.starts_with("Network activity progressing")
        }
        Some(b'C') if line.starts_with("Copyright Version 5.") => true,
        Some(b'#') if is_totals(line) => true,
        _ => arguments(line).is_some(),
    }
}

fn is_totals(line: &str) -> bool {
    line.starts_with("#####") && line.contains("Totals:")
}

/// The words of a command, and the host at whose prompt it stands.
fn arguments(line: &str) -> Option<(Option<&str>, Vec<&str>)> {
    let run = Run::of(line, &["ntttcp", "NTttcp"]).filter(Run::is_typed)?;
    Some((run.device, run.words().collect()))
}

/// `22:36:42 INFO: test duration    :10.36 seconds`: what stands behind the level.
fn note(line: &str) -> Option<(&str, &str)> {
    let (clock, rest) = line.trim_ascii().split_once(' ')?;
    let is_clock = clock.len() == 8 && clock.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let (level, text) = rest.split_once(':')?;
    let level = level.trim_ascii();
    (is_clock && matches!(level, "INFO" | "WARN" | "ERR" | "DBG")).then_some((level, text.trim_ascii()))
}

fn is_rule(line: &str) -> bool {
    let text = line.trim_ascii();
    text.len() >= 8 && text.bytes().all(|byte| matches!(byte, b'=' | b' ' | b'-'))
}

fn is_row(line: &str) -> bool {
    let text = line.trim_ascii();
    !text.is_empty()
        && text
            .split_ascii_whitespace()
            .all(|word| word.parse::<f64>().is_ok())
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return block.blank_count() < 3;
    }
    if arguments(line).is_some() {
        return false;
    }
    let begins = [
        "NTTTCP for Linux",
        "Copyright Version",
        "Network activity progressing",
    ];
    if begins.iter().any(|word| text.starts_with(word)) {
        // Below its own command, or the next of these lines.
        return !block.has(|line| is_totals(line) || note(line).is_some());
    }
    note(line).is_some()
        || is_totals(text)
        || is_rule(text)
        || is_row(text)
        || is_head(text)
        || is_remark(text)
}

/// Heads of the tables on Windows.
fn is_head(text: &str) -> bool {
    [
        "Thread ",
        "Bytes(MEG)",
        "Throughput(Buffers/s)",
        "DPCs(count/s)",
        "Packets Sent",
        "Total Bytes(MEG)",
        "Receive Lost",
    ]
    .iter()
    .any(|head| text.starts_with(head))
}

fn is_remark(text: &str) -> bool {
    [
        "Test ",
        "Interval",
        "Waiting ",
        "Real-time throughput",
        "Attempt",
        "*",
        "Parsing",
    ]
    .iter()
    .any(|word| text.starts_with(word))
        && !text.bytes().any(|byte| byte == b'=')
}

/// What a block says.
#[derive(Default)]
struct Said {
    own: Node,
    other: Node,
    /// The host that ran it sends.
    sends: Option<bool>,
    udp: bool,
    values: BTreeMap<String, Option<String>>,
}

impl Said {
    fn set(&mut self, name: &str, value: &str) {
        let told = self
            .values
            .entry(name.to_owned())
            .or_insert_with(|| Some(value.to_owned()));
        // Told twice, and not the same.
        if told.as_deref() != Some(value) {
            *told = None;
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        split(self.values.get(name)?.as_deref()?).map(|(number, _)| number)
    }

    /// `-s 192.0.2.2`, `-s192.0.2.2`, `-r`, `-m 8,*,192.0.2.2`: the address is the receiver's.
    fn command(&mut self, device: Option<&str>, words: &[&str]) {
        let own = device.map(host).unwrap_or_default();
        let mut receiver = Node::default();
        for (place, word) in words.iter().enumerate() {
            let next = words
                .get(place + 1)
                .copied()
                .filter(|next| !next.starts_with('-'))
                .unwrap_or("");
            let side = match word.get(..2) {
                Some("-s") => Some(true),
                Some("-r") => Some(false),
                _ => None,
            };
            if side.is_some() && *word != "-rb" && *word != "-sb" {
                self.sends = side;
                let named = word.get(2..).filter(|rest| !rest.is_empty()).unwrap_or(next);
                if !named.is_empty() {
                    receiver = host(named);
                }
            } else if *word == "-m" {
                receiver = next
                    .rsplit(',')
                    .next()
                    .filter(|name| name.contains(['.', ':']))
                    .map_or(receiver, host);
            } else if *word == "-u" {
                self.udp = true;
            }
        }
        (self.own, self.other) = match self.sends {
            Some(false) if own.is_unknown() => (receiver, Node::default()),
            Some(false) => (own, Node::default()),
            _ => (own, receiver),
        };
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said = Said::default();
    let (mut heads, mut rule) = ("", "");
    let mut is_linux = false;
    for (number, line) in block.numbered() {
        if let Some((device, words)) = arguments(line) {
            said.command(device, &words);
        } else if let Some((level, text)) = note(line) {
            is_linux = true;
            if level == "ERR" {
                findings.complain(number, format!("NTttcp itself says: {text}"));
            } else if let Some((name, value)) = text.split_once(':') {
                said.set(name.trim_ascii(), value.trim_ascii());
            }
        } else if is_rule(line) {
            rule = if heads.is_empty() { "" } else { line };
        } else if is_row(line) {
            let cells: Vec<&str> = line.split_ascii_whitespace().collect();
            let names = names(heads, rule);
            // A row a thread stands under the first head.
            let is_thread = names.first().is_some_and(|name| name == "Thread");
            if names.len() != cells.len() {
                findings.complain(number, "a row of NTttcp without the heads of its columns");
            } else if !is_thread {
                names
                    .iter()
                    .zip(&cells)
                    .for_each(|(name, cell)| said.set(name, cell));
                (heads, rule) = ("", "");
            }
        } else if is_head(line.trim_ascii()) {
            (heads, rule) = (line, "");
        }
    }
    tell(&said, is_linux, block, context, findings);
}

/// The heads above the groups of a rule.
fn names(heads: &str, rule: &str) -> Vec<String> {
    let (mut names, mut start, mut at) = (Vec::new(), 0, 0);
    for group in rule.split(' ') {
        let end = at + group.len();
        if !group.is_empty() {
            // The last one may be longer than its rule.
            let is_last = rule.get(end..).is_none_or(|rest| rest.trim_ascii().is_empty());
            let name = heads.get(
                start..if is_last {
                    heads.len()
                } else {
                    end.min(heads.len())
                },
            );
            names.push(name.unwrap_or("").trim_ascii().to_owned());
            start = end;
        }
        at = end + 1;
    }
    names
}

fn tell(said: &Said, is_linux: bool, block: &Block, context: &Context, findings: &mut Findings) {
    // MEG is 2^20.
    let of_tables = said.number("Bytes(MEG)").map(|meg| meg * 1_048_576.0);
    let bytes = said.number("total bytes").or(of_tables).and_then(whole);
    let seconds = said.number("test duration").or(said.number("realtime(s)"));
    let duration_ns = seconds.and_then(ns_of_seconds).filter(|ns| *ns > 0);
    let told = said.values.get("throughput").and_then(Option::as_deref);
    let told = told
        .and_then(split)
        .and_then(|(number, unit)| rate_bps(number, unit, Kilo::Thousand));
    let rate = told.or_else(|| RateBps::of_bytes(bytes?, duration_ns?));
    let lines = (block.first_line, block.last_line());
    if rate.is_none() {
        if block.len() > 1 {
            findings.complain_of(
                lines,
                "NTttcp was started, but printed no totals that are understood",
            );
        }
        return;
    }
    if said.sends.is_none() {
        findings.complain_of(
            lines,
            "nothing tells whether the totals are the sender's or the receiver's",
        );
    }
    let (from, to) = match said.sends {
        Some(true) => (said.own.clone(), said.other.clone()),
        Some(false) => (said.other.clone(), said.own.clone()),
        None => Default::default(),
    };
    let sends = said.sends == Some(true);
    let count = |name: &str| said.number(name).and_then(whole);
    let protocol = match said.udp {
        true => Some(Transport::Udp),
        false => said.sends.map(|_| Transport::Tcp),
    };
    let record = Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        protocol,
        duration_ns,
        sent_bps: rate.filter(|_| sends),
        received_bps: rate.filter(|_| !sends),
        bytes_received: bytes.filter(|_| !sends),
        retransmits: count(if is_linux { "retrans segs" } else { "Retransmits" }),
        ..Transfer::default()
    };
    findings.record(block, "NTttcp", context.at, record.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_stand_above_their_rule() {
        let heads = "   Bytes(MEG)    realtime(s) Avg Frame Size Throughput(MB/s)";
        let rule = "================ =========== ============== ================";
        assert_eq!(
            names(heads, rule),
            ["Bytes(MEG)", "realtime(s)", "Avg Frame Size", "Throughput(MB/s)"]
        );
        assert!(names(heads, "").is_empty());
    }
}
