//! `tc -s qdisc`, `tc -s class` and the policers of `tc -s filter`: queues, and what somebody set there. A shaper, a policer
//! or an emulated delay is a cause that no counter of the interface shows.

use super::command::{NAMELESS, arguments, facts, is_gap};
use super::given::Given;
use super::tins::{Tins, is_of_cake};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::asked_of_vyos;
use evidence::{HostFacts, Interface, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "tc -s qdisc",
    group: Group::Hosts,
    reads: "queueing disciplines, classes and policers of a Linux host: what is set (rate, delay, loss, limit), and what was \
            sent and dropped",
    first: "qcft",
    has_command: true,
    marks: Some(|| Marks::of(["qdisc", "class", "filter", "tc ", "tc\t", " queue"])),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        let is_blank = line.trim_ascii().is_empty();
        // `tc class show` ends each class with a blank line.
        if is_gap(block, line, is_command) {
            return true;
        }
        if is_blank {
            // `cake` has one in front of its table.
            return block.has(|line| line.starts_with("class ") || line.starts_with("qdisc cake "))
                && block.last().is_some_and(|last| !last.is_empty());
        }
        // The first one once more is that of another output.
        let is_again =
            || block.last().is_some_and(|last| !is_head(last)) && block.first_such(is_head) == Some(line);
        line.starts_with([' ', '\t']) || is_unindented(block, line) || is_head(line) && !is_again()
    },
    takes_in: None,
    read,
};

/// `qdisc fq 8001: dev eth0 root refcnt 2 limit 10000p …`
fn is_head(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("qdisc" | "class") if !line.starts_with(' ') => {
            words.next().is_some() && words.next().is_some_and(is_handle)
        }
        Some("filter") => !line.starts_with(' ') && line.contains(" pref ") && line.contains("protocol "),
        _ => false,
    }
}

/// A line below a head of which a page or a mail took the blanks in front.
fn is_unindented(block: &Block, line: &str) -> bool {
    let is_sent = |line: &str| line.starts_with("Sent ") && line.contains(" (dropped ");
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_figure = || first == "backlog" || FIGURES.contains(&first) || is_passed_over(first);
    // The table of `cake` stands behind a blank line, and its heading keeps some of its own.
    let is_of_table = || {
        let is_below = block.last().is_some_and(|last| !last.trim_ascii().is_empty());
        (is_below || matches!(first, "Tin" | "Bulk"))
            && (is_of_cake(first) || matches!(first, "Tin" | "Bulk" | "drops" | "marks"))
            && block
                .last_such(is_head)
                .is_some_and(|head| head.starts_with("qdisc cake "))
    };
    is_of_table()
        || block.len() > 1 && (is_sent(line) || is_figure() && block.lines().rev().take(8).any(is_sent))
        || is_sent(line) && block.first().is_some_and(is_head)
}

/// `8001:`, `1:10`, `:1`, `[none]` never. A colon alone stands in a program's text: `class Queue : public Buffer {`.
fn is_handle(word: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    word.len() > 1
        && word
            .split_once(':')
            .is_some_and(|(major, minor)| hex(major) && hex(minor))
}

fn is_command(line: &str) -> bool {
    asked_of_vyos(line, "queue").is_some()
        || arguments(line, "tc").is_some_and(|mut words| {
            words
                .find(|word| !word.starts_with('-'))
                .is_some_and(|object| matches!(object, "qdisc" | "class" | "filter" | "q" | "c" | "qd"))
        })
}

/// The interface that the command names.
fn named_interface(line: &str) -> Option<&str> {
    let Some(mut words) = arguments(line, "tc") else {
        return asked_of_vyos(line, "queue");
    };
    words.find(|word| *word == "dev")?;
    words.next()
}

/// One queueing discipline, class or policer.
struct Queue<'a> {
    /// `qdisc` or `class`.
    what: &'a str,
    kind: &'a str,
    handle: &'a str,
    device: &'a str,
    is_root: bool,
    parent: &'a str,
    /// What is set, in the tool's words.
    options: String,
    counters: Given<u64>,
    /// The columns of `cake`'s table.
    tins: Tins<'a>,
    /// What policers below it are set to.
    policers: Vec<String>,
    is_counted: bool,
    /// Lines of another queue stand among these.
    is_mixed: bool,
    lines: (u64, u64),
}

impl<'a> Queue<'a> {
    fn of(line: &'a str, number: u64, command: &'a str) -> Self {
        let mut words = line.split_ascii_whitespace();
        let what = words.next().unwrap_or("");
        let mut queue = Self {
            what,
            kind: if what == "filter" {
                "filter"
            } else {
                words.next().unwrap_or("")
            },
            handle: if what == "filter" {
                ""
            } else {
                words.next().unwrap_or("")
            },
            device: command,
            is_root: false,
            parent: "",
            options: String::new(),
            counters: Given::default(),
            tins: Tins::default(),
            policers: Vec::new(),
            is_counted: false,
            is_mixed: false,
            lines: (number, number),
        };
        while let Some(word) = words.next() {
            match word {
                "dev" => queue.device = words.next().unwrap_or(""),
                "root" => queue.is_root = true,
                "refcnt" => {
                    words.next();
                }
                "parent" => queue.parent = words.next().unwrap_or(""),
                // In the place of the options of `ingress`.
                _ if word.bytes().all(|byte| byte == b'-') => {}
                _ => {
                    let blank = if queue.options.is_empty() { "" } else { " " };
                    queue.options.extend([blank, word]);
                }
            }
        }
        queue
    }

    /// Takes a line below the head.
    fn take(&mut self, findings: &mut Findings, number: u64, line: &'a str) {
        let line = line.trim_ascii();
        self.lines.1 = number;
        if let Some(policer) = police(line) {
            self.policers.push(policer.to_owned());
            return;
        }
        let Some(first) = line.split_ascii_whitespace().next() else {
            return;
        };
        match first {
            "Sent" if self.is_counted => {
                findings.complain(number, "figures of a queue that is not named");
                self.is_mixed = true;
            }
            "Sent" => match sent(line) {
                Some(figures) => {
                    self.is_counted = true;
                    for (name, value) in figures {
                        self.counters.put(findings, number, name, value);
                    }
                }
                None => findings.unread(number, line),
            },
            "backlog" | "rate" if self.kind != "cake" || self.counters.get("backlog_bytes").is_none() => {
                match backlog(line) {
                    Some((bytes, packets)) => {
                        self.counters.put(findings, number, "backlog_bytes", bytes);
                        self.counters.put(findings, number, "backlog_packets", packets);
                    }
                    None => findings.unread(number, line),
                }
            }
            _ if FIGURES.contains(&first) && self.kind != "cake" => self.take_pairs(findings, number, line),
            "Bulk" | "Tin" if self.kind == "cake" => self.tins = Tins::of(line),
            "drops" | "marks" if self.kind == "cake" => match self.tins.row(line) {
                Some(row) => row.for_each(|(name, count)| self.counters.put(findings, number, name, count)),
                None => findings.unread(number, line),
            },
            _ if self.kind == "fq" && self.take_counted(findings, number, line) => {}
            _ if self.kind == "cake" && is_of_cake(first) || is_passed_over(first) => {}
            _ if self.what == "filter" && is_of_filter(first) => {}
            _ => findings.unread(number, line),
        }
    }

    /// `2920 gc, 0 highprio, 286 throttled, 6397 ns latency, 176 flows_plimit`, as iproute2 had it up to 4.19: figures and their names.
    fn take_counted(&mut self, findings: &mut Findings, number: u64, line: &str) -> bool {
        // What stands in parentheses are parts of what stands in front of them.
        let (first, rest) = line.split_once(" (").unwrap_or((line, ""));
        let behind = rest.split_once(')').map_or("", |(_, behind)| behind);
        let parts = || {
            let parts = first.split(", ").chain(behind.split(", "));
            parts
                .filter(|part| !part.is_empty())
                .map(|part| part.split_once(' '))
        };
        let known = ["flows", "gc", "too long pkts"];
        let is_known = parts()
            .flatten()
            .any(|(figure, name)| known.contains(&name) && figure.parse::<u64>().is_ok());
        if !is_known {
            return false;
        }
        for (figure, name) in parts().flatten() {
            let kept = ["throttled", "flows_plimit"]
                .into_iter()
                .find(|kept| *kept == name);
            if let Some((name, value)) = kept.zip(figure.parse().ok()) {
                self.counters.put(findings, number, name, value);
            }
        }
        true
    }

    /// `maxpacket 1514 drop_overlimit 0 new_flow_count 5 ecn_mark 0`: names and their figures.
    fn take_pairs(&mut self, findings: &mut Findings, number: u64, line: &str) {
        const KEPT: [&str; 12] = [
            "drop_overlimit",
            "ecn_mark",
            "throttled",
            "flows_plimit",
            "horizon_drops",
            "allocation_errors",
            "marked",
            "early",
            "pdrop",
            "giants",
            "ce_mark",
            "dropped",
        ];
        // What stands in parentheses are parts of what stands in front of them.
        let (first, rest) = line.split_once('(').unwrap_or((line, ""));
        let behind = rest.split('(').filter_map(|part| Some(part.split_once(')')?.1));
        let words: Vec<&str> = std::iter::once(first)
            .chain(behind)
            .flat_map(str::split_ascii_whitespace)
            .collect();
        for pair in words.windows(2) {
            if let [name, figure] = pair
                && let name = name.trim_end_matches(':')
                && KEPT.contains(&name)
                && let Ok(value) = figure.trim_end_matches(',').parse()
            {
                self.counters.put(findings, number, name, value);
            }
        }
    }
}

/// First words of lines with figures.
const FIGURES: [&str; 10] = [
    "flows",
    "gc",
    "maxpacket",
    "count",
    "marked",
    "lended:",
    "highprio",
    "prob",
    "pkts_in",
    "dropped",
];

/// First words of the lines of a filter.
fn is_of_filter(first: &str) -> bool {
    matches!(
        first,
        "match"
            | "action"
            | "ref"
            | "index"
            | "installed"
            | "used"
            | "Action"
            | "Sent"
            | "backlog"
            | "eth_type"
            | "not_in_hw"
            | "mark"
            | "random"
            | "overhead"
            | "rate"
            | "mirred"
            | "in_hw"
            | "ip_proto"
            | "dst_ip"
            | "src_ip"
            | "dst_port"
            | "src_port"
    )
}

/// First words of lines that say nothing of what was lost.
fn is_passed_over(first: &str) -> bool {
    matches!(
        first,
        "new_flows_len"
            | "tokens:"
            | "ldelay"
            | "period"
            | "level"
            | "delay"
            | "deficit"
            | "fastpath"
            | "Segments"
            | "band0"
    ) || first.starts_with("band")
}

/// `Sent 42 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)`
fn sent(line: &str) -> Option<Vec<(&'static str, u64)>> {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|word| !word.is_empty())
        .collect();
    let (
        [
            "Sent",
            bytes,
            "bytes",
            packets,
            unit,
            "dropped",
            dropped,
            "overlimits",
            over,
        ],
        rest,
    ) = words.split_at_checked(9)?
    else {
        return None;
    };
    // Versions before 2.6 do not print the last one.
    let again = match rest {
        [] if line.trim_ascii_end().ends_with(')') => None,
        ["requeues", again] => Some(again.parse().ok()?),
        _ => return None,
    };
    let mut figures = vec![
        ("bytes", bytes.parse().ok()?),
        ("packets", packets.parse().ok()?),
        ("dropped", dropped.parse().ok()?),
        ("overlimits", over.parse().ok()?),
    ];
    figures.extend(again.map(|again| ("requeues", again)));
    matches!(*unit, "pkt" | "pkts").then_some(figures)
}

/// `backlog 15Kb 12p requeues 0`, behind a rate with an estimator: bytes and packets.
fn backlog(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    words.find(|word| *word == "backlog")?;
    let bytes = words.next()?.strip_suffix('b')?;
    // tc writes thousands of bytes from 1024 on, by 1024.
    let bytes = match (bytes.strip_suffix('K'), bytes.strip_suffix('M')) {
        (Some(kilo), _) => kilo.parse::<u64>().ok()?.checked_mul(1024)?,
        (_, Some(mega)) => mega.parse::<u64>().ok()?.checked_mul(1 << 20)?,
        _ => bytes.parse().ok()?,
    };
    let packets = words.next()?.strip_suffix('p')?.parse().ok()?;
    Some((bytes, packets))
}

/// `action order 1:  police 0x1 rate 1Mbit burst 10Kb mtu 2Kb action drop`: what the policer is set to.
fn police(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("police ")?;
    let rest = rest.trim_ascii_start();
    let settings = rest.split_once(' ').map_or(rest, |(_, settings)| settings);
    (before.is_empty() || before.contains("order ")).then_some(settings.trim_ascii())
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let command = block.first().and_then(named_interface).unwrap_or("");
    let mut queues: Vec<Queue> = Vec::new();
    for (number, line) in block.numbered() {
        if is_head(line) {
            queues.push(Queue::of(line, number, command));
        } else if line.trim_ascii().is_empty() || number == block.first_line {
        } else if let Some(queue) = queues.last_mut() {
            queue.take(findings, number, line);
        } else {
            findings.unread(number, line);
        }
    }
    let mut interface: Option<(Interface, (u64, u64))> = None;
    for queue in queues {
        let other_one = interface.as_ref().is_some_and(|(one, _)| {
            one.name != queue.device || queue.is_root && queue.what == "qdisc" && one.qdisc.is_some()
        });
        if other_one && let Some(done) = interface.take() {
            record(block, context, findings, done);
        }
        let (interface, lines) = interface.get_or_insert_with(|| {
            let name = queue.device.to_owned();
            (
                Interface {
                    name,
                    ..Interface::default()
                },
                queue.lines,
            )
        });
        lines.1 = queue.lines.1;
        add(interface, queue, findings);
    }
    if let Some(done) = interface {
        record(block, context, findings, done);
    }
}

fn record(
    block: &Block,
    context: &Context,
    findings: &mut Findings,
    (interface, lines): (Interface, (u64, u64)),
) {
    // Of a queue of which nobody knows where it is nothing is left.
    if interface.qdisc.is_none() && interface.counters.is_empty() && interface.other.is_empty() {
        return;
    }
    if interface.name.is_empty() {
        findings.complain_of(lines, NAMELESS);
    }
    let facts = HostFacts {
        interface: Some(interface),
        ..facts(block)
    };
    findings.record_of(lines, "tc", context.at, Payload::HostFacts(facts));
}

fn add(interface: &mut Interface, queue: Queue<'_>, findings: &mut Findings) {
    let Queue {
        what,
        kind,
        handle,
        parent,
        ..
    } = queue;
    if queue.is_root && what == "qdisc" {
        interface.qdisc = Some(kind.to_owned());
    }
    for policer in queue.policers {
        // The same one twice says no more than once.
        if interface.other.values().any(|known| *known == policer) {
            continue;
        }
        let place = interface
            .other
            .keys()
            .filter(|name| name.starts_with("police "))
            .count();
        interface.other.insert(format!("police {place}"), policer);
    }
    // The children of mq have no handles: they are told apart by their places.
    let place = if handle == "0:" && !queue.is_root {
        parent
    } else {
        handle
    };
    let is_placed = what != "qdisc" || queue.is_root || !parent.is_empty();
    if what != "filter" && is_placed && !queue.options.is_empty() {
        let place = if place == "0:" { "" } else { place };
        let name = format!("{what}.{kind} {place}").trim_ascii_end().to_owned();
        interface.other.insert(name, queue.options);
    }
    let is_cut = what == "qdisc" && !queue.is_root && parent.is_empty();
    if is_cut {
        findings.complain(queue.lines.0, "a queue of which nobody knows where it is");
    }
    if is_cut || queue.is_mixed {
        return;
    }
    // A root counts all that its children do, as a class does: they are not to be summed.
    let name = if queue.is_root && what == "qdisc" {
        format!("{what}.{kind}")
    } else {
        format!("{what}.{kind} {place}")
    };
    for (counter, value) in queue.counters.into_values() {
        let known = interface.counters.insert(format!("{name}.{counter}"), value);
        if known.is_some_and(|known| known != value) {
            interface.counters.remove(&format!("{name}.{counter}"));
            findings.complain_of(
                queue.lines,
                format!("{counter} of {name} is given twice, with different values"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_queue() {
        let read = sent("Sent 42 bytes 1 pkt (dropped 3, overlimits 4 requeues 5)").unwrap();
        assert_eq!(
            read.iter().map(|(_, value)| *value).collect::<Vec<_>>(),
            [42, 1, 3, 4, 5]
        );
        assert!(sent("Sent 42 bytes 1 pkt (dropped 3, overlimits 4").is_none());
        assert!(sent("Sent 42 bytes 1 pkts (dropped 3, overlimits 4)").is_some());
        assert_eq!(backlog("backlog 15Kb 12p requeues 0"), Some((15 * 1024, 12)));
        assert_eq!(backlog("rate 0bit 0pps backlog 7b 1p requeues 0"), Some((7, 1)));
        assert!(is_head("qdisc noqueue 0: dev lo root refcnt 2") && !is_head("qdisc is slow: yes"));
        assert_eq!(
            police("action order 1:  police 0x1 rate 1Mbit burst 10Kb"),
            Some("rate 1Mbit burst 10Kb")
        );
    }

    #[test]
    fn a_lost_head_gives_its_figures_to_nobody() {
        let text = "qdisc fq 1: dev eth0 root refcnt 2 limit 9p\n Sent 1 bytes 1 pkt (dropped 7, overlimits 0 requeues 0) \n \
                    Sent 2 bytes 2 pkt (dropped 9, overlimits 0 requeues 0) \n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        let Payload::HostFacts(read) = &records[0].payload else {
            panic!("{records:?}")
        };
        assert_eq!(
            read.interface.as_ref().unwrap().counters.get("qdisc.fq.dropped"),
            None
        );
        assert!(!complaints.is_empty());
    }
}
