//! pScheduler's results in text, as `pscheduler task …` prints them and as people paste them: tables of throughput,
//! latency, round trips, traces and MTUs. Its `K`, `M` and `G` are powers of ten, of bytes too.

mod delays;
mod hops;
pub(crate) mod json;
mod throughput;

use crate::Context;
use crate::block::{Block, Findings, Format};
use crate::prompt::command_line;
use crate::when;
use evidence::{Node, Timestamp};

pub(crate) static FORMAT: Format = Format {
    name: "pScheduler",
    reads: "text of the tests throughput (TCP and UDP), latency, rtt, trace and mtu, with the command line if it is there",
    first: "WIS*Pp",
    has_command: true,
    starts,
    continues,
    read,
};

/// What the lines around the result say of the test.
#[derive(Debug, Default)]
struct Task {
    kind: Option<String>,
    from: Node,
    to: Node,
    udp: Option<bool>,
    streams: Option<u16>,
    at: Option<Timestamp>,
}

/// Lines that pScheduler prints around a result.
const AROUND: [&str; 14] = [
    "Submitting task",
    "Task URL",
    "https://",
    "Running with tool",
    "Fetching first run",
    "Next scheduled run",
    "Starts ",
    "Starts: ",
    "Ends ",
    "Ends: ",
    "Duration ",
    "Waiting for result",
    "Run has not",
    "No further runs",
];

/// First words of the lines of a result.
const RESULT: [&str; 22] = [
    "Interval ",
    "Summary",
    "* Stream ID",
    "MSS:",
    "MTU:",
    "TCP Window Size:",
    "Packet Statistics",
    "Packets ",
    "One-way Latency Statistics",
    "Delay ",
    "Max Clock Error",
    "Common Jitter",
    "P95 - P50",
    "P75 - P25",
    "Variance",
    "Std Deviation",
    "Histogram:",
    "TTL ",
    "Raw packets",
    "SEQ SRC-TS",
    "Path ",
    "Test failed.",
];

const HEADING: &str = "Working inward from a known good ";

fn command(line: &str) -> Option<&str> {
    let typed = match line.starts_with("pscheduler ") {
        true => Some(line),
        false => command_line(line).map(|typed| typed.command),
    }?;
    typed.strip_prefix("pscheduler ").map(str::trim)
}

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'W') => line.starts_with(HEADING),
        Some(b'I') => line.starts_with("Interval ") && line.contains(" Throughput "),
        Some(b'S') => line.trim_end() == "Summary" || line.starts_with("Submitting task"),
        Some(b'*') => line.starts_with("* Stream ID"),
        Some(b'P') => line.trim_end() == "Packet Statistics",
        Some(b'p' | b'[' | b'$' | b'%' | b'#') => command(line).is_some(),
        Some(b' ' | b'|' | b'\t') | None => false,
        _ => line.contains("pscheduler ") && command(line).is_some(),
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_start();
    let last = || block.lines().rev().map(|line| line.trim());
    if text.is_empty() {
        return last().take_while(|line| line.is_empty()).count() < 2;
    }
    if text.starts_with(HEADING) || command(line).is_some() || text.starts_with("Submitting task") {
        // Two commands in a row: the first gave nothing, or a prompt was pasted twice.
        return last().take(3).all(|line| command(line).is_some());
    }
    let mut before = last().filter(|line| !line.is_empty());
    let previous = before.next().unwrap_or("");
    let of_result = AROUND.iter().chain(&RESULT).any(|word| text.starts_with(word));
    if text.starts_with("Interval ") {
        // A head below a row begins the table of a further test.
        return throughput::row(previous).is_none();
    }
    if text.trim_end() == "Summary" {
        let complete = throughput::row(previous).is_some()
            && before.next().is_some_and(|line| line.starts_with("Interval "))
            && before.next() == Some("Summary");
        return !complete;
    }
    of_result
        || text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && is_row(text)
        || text.bytes().all(|byte| byte == b'-')
        || previous.starts_with(HEADING) && text.starts_with('(')
        || in_remark(block)
        || wrapped(previous, text)
        || line.starts_with('\t') && hops::hop(previous).is_some()
}

/// A remark in brackets between the heading and the table, which may go on over some lines.
fn in_remark(block: &Block) -> bool {
    const LONGEST: usize = 6;
    let headed = block.first().is_some_and(|line| line.starts_with(HEADING));
    let remark = block.lines().skip(1).take(LONGEST);
    headed
        && block.len() < LONGEST
        && remark.clone().next().is_some_and(|line| line.starts_with('('))
        && !remark.clone().any(|line| line.contains(')'))
}

/// The value of an option that stands on the next line of a wrapped command.
fn wrapped(previous: &str, text: &str) -> bool {
    let option = previous
        .rsplit(' ')
        .next()
        .is_some_and(|word| word.starts_with('-') && word.len() > 1);
    option && command(previous).is_some() && !text.trim_end().contains(' ')
}

/// A row of any of the tables.
fn is_row(text: &str) -> bool {
    throughput::row(text).is_some()
        || hops::hop(text).is_some()
        || text.ends_with(" packets") && text.contains(": ")
        || text.contains("% Packet Loss")
        || text.bytes().filter(|byte| *byte == b' ').count() == 7 // a raw packet
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let task = task(block, context);
    let has = |opening: &str| block.lines().any(|line| line.starts_with(opening));
    let kind = task.kind.as_deref();
    if has("Interval ") {
        throughput::read(block, &task, context, findings);
    } else if has("Packet Statistics") {
        delays::latency(block, &task, context, findings);
    } else if block.lines().any(|line| line.contains("% Packet Loss")) {
        delays::round_trips(block, &task, context, findings);
    } else if kind == Some("trace") || block.lines().any(|line| hops::hop(line).is_some()) {
        hops::trace(block, &task, context, findings);
    } else if has("MTU: ") {
        hops::mtu(block, &task, context, findings);
    }
    if has("Test failed.") {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "pScheduler says that the test failed",
        );
    }
}

fn task(block: &Block, context: &Context) -> Task {
    let mut task = Task::default();
    let mut lines = block.lines().map(|line| line.trim()).peekable();
    while let Some(line) = lines.next() {
        if let Some(typed) = command(line) {
            let rest = lines.peek().filter(|next| wrapped(line, next)).copied();
            options(&mut task, typed.split_ascii_whitespace().chain(rest));
        } else if let Some((good, to)) = line
            .strip_prefix(HEADING)
            .and_then(|rest| rest.split_once(" node to "))
        {
            task.from = Node::named(good.trim_end_matches(" perfSONAR"));
            task.to = Node::named(to.trim_end_matches([':', '.', ' ']));
        } else if let Some(start) = line.strip_prefix("Starts").and_then(|rest| {
            rest.trim_start_matches([':', ' '])
                .split_ascii_whitespace()
                .next()
        }) {
            task.at = when::iso8601(start, context.utc_offset_s);
        }
    }
    task.at = task.at.or(context.at);
    task
}

/// `task throughput -t 30 --source A --dest B`, also `--source=A`.
fn options<'t>(task: &mut Task, words: impl Iterator<Item = &'t str>) {
    let mut words = words
        .flat_map(|word| word.splitn(if word.starts_with("--") { 2 } else { 1 }, '='))
        .peekable();
    let mut behind_task = false;
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next_if(|value| !value.starts_with('-'))
                .map(|v| v.trim_matches(['\'', '"']))
        };
        match word {
            "task" => behind_task = true,
            "--source" | "--src" | "-s" => task.from = value().map(Node::read).unwrap_or_default(),
            "--dest" | "--destination" | "-d" => task.to = value().map(Node::read).unwrap_or_default(),
            "--udp" | "-u" => task.udp = Some(true),
            "--parallel" | "-P" => task.streams = value().and_then(|count| count.parse().ok()),
            _ if behind_task && task.kind.is_none() && !word.starts_with('-') => {
                task.kind = Some(word.to_owned());
            }
            _ => {}
        }
    }
}
