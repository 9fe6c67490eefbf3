//! pScheduler's results in text, as `pscheduler task …` prints them and as people paste them: tables of throughput,
//! latency, round trips, traces and MTUs. Its `K`, `M` and `G` are powers of ten, of bytes too.

mod delays;
mod hops;
pub(crate) mod json;
mod task;
mod throughput;

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use task::{HEADING, command, is_asked, ran, task, wrapped};

pub(crate) static FORMAT: Format = Format {
    name: "pScheduler",
    group: Group::Transfers,
    reads: "throughput (TCP, UDP), latency, rtt, trace, mtu, with the command line if it is there",
    first: "WIS*Pp0-9",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            HEADING,
            "Interval ",
            "Summary",
            "Submitting task",
            "* Stream ID",
            "Packet Statistics",
            "pscheduler ",
            " with ",
        ])
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

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

/// What stands before the MTU of a path.
const MTU: &str = "MTU ...";

/// First words of the lines of a result.
const RESULT: [&str; 23] = [
    "Interval ",
    "Summary",
    "* Stream ID",
    "MSS:",
    "MTU:",
    MTU,
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

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'W') => line.starts_with(HEADING),
        Some(b'I') => line.starts_with("Interval ") && line.contains(" Throughput "),
        Some(b'S') => line.trim_ascii_end() == "Summary" || line.starts_with("Submitting task"),
        Some(b'*') => line.starts_with("* Stream ID"),
        Some(b'P') => line.trim_ascii_end() == "Packet Statistics",
        Some(b'0'..=b'9') => ran(line).is_some(),
        Some(b'p' | b'[' | b'$' | b'%' | b'#') => command(line).is_some(),
        Some(b' ' | b'|' | b'\t') | None => false,
        _ => line.contains("pscheduler ") && command(line).is_some(),
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii_start();
    let last = || block.lines().rev().map(|line| line.trim_ascii());
    if text.is_empty() {
        return last().take_while(|line| line.is_empty()).count() < 2;
    }
    if text.starts_with(HEADING) || command(line).is_some() || text.starts_with("Submitting task") {
        // Two commands in a row: the first gave nothing, or a prompt was pasted twice.
        return last().take(3).all(|line| command(line).is_some());
    }
    let previous = last().find(|line| !line.is_empty()).unwrap_or("");
    if ran(text).is_some() {
        return !block.has(|line| !line.trim_ascii().is_empty() && command(line).is_none());
    }
    if is_asked(text) || text.starts_with("--") && (is_asked(previous) || previous.starts_with("--")) {
        return block.has(|line| ran(line).is_some()) && !block.has(|line| line.starts_with("Interval "));
    }
    if text.starts_with("Interval ") {
        // A head below a row begins the table of a further test, unless it is one of several streams.
        let has_streams = block.has(|line| line.starts_with("* Stream ID"));
        let is_summed = block.has(|line| line.trim_ascii_end() == "Summary");
        return throughput::row(previous).is_none() || has_streams && !is_summed;
    }
    if text.trim_ascii_end() == "Summary" {
        return !is_complete(block);
    }
    is_own(text)
        || previous.starts_with(HEADING) && text.starts_with('(')
        || in_remark(block)
        || wrapped(previous, text)
        || hops::is_below_hop(previous, line)
}

/// Whether the last lines are the summary.
fn is_complete(block: &Block) -> bool {
    let lines = block.lines().rev().map(str::trim_ascii);
    let mut last = lines.filter(|line| !line.is_empty());
    last.next().is_some_and(|line| throughput::row(line).is_some())
        && last.next().is_some_and(|line| line.starts_with("Interval "))
        && last.next() == Some("Summary")
}

/// Whether a line is one that pScheduler prints.
fn is_own(text: &str) -> bool {
    AROUND.iter().chain(&RESULT).any(|word| text.starts_with(word))
        || text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && is_row(text)
        || text.bytes().all(|byte| byte == b'-')
}

/// One strange line does not end a result: what follows would have lost its hosts.
fn takes_in(block: &Block, line: &str) -> bool {
    let above = block.last().unwrap_or("").trim_ascii();
    line.bytes().any(|byte| byte.is_ascii_digit())
        && !above.is_empty()
        && !is_complete(block)
        && is_own(above)
        && command(line).is_none()
}

/// Complains about lines with figures that are none of pScheduler's.
fn strange(block: &Block, findings: &mut Findings) {
    let (mut above, mut in_remark) = ("", false);
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        in_remark = text.starts_with('(') && above.starts_with(HEADING) || in_remark && !above.contains(')');
        let is_heading = text.starts_with(HEADING) || in_remark || wrapped(above, text);
        let is_address = hops::is_below_hop(above, line);
        let is_of_run = ran(text).is_some() || is_asked(text) || text.starts_with("--");
        if !(is_own(text) || is_heading || is_address || is_of_run || command(line).is_some()) {
            findings.unread(number, line);
        }
        above = text;
    }
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

/// A row of any of the tables.
fn is_row(text: &str) -> bool {
    throughput::row(text).is_some()
        || hops::hop(text).is_some()
        || text.ends_with(" packets") && text.contains(": ")
        || text.contains("% Packet Loss")
        || text.bytes().filter(|byte| *byte == b' ').count() == 7 // a raw packet
}

fn is_round_trip(line: &str) -> bool {
    line.contains("% Packet Loss") || line.contains(" Bytes ") && line.contains(" RTT ")
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    strange(block, findings);
    let task = task(block, context);
    let has = |opening: &str| block.lines().any(|line| line.starts_with(opening));
    let kind = task.kind.as_deref();
    if has("Interval ") {
        throughput::read(block, &task, context, findings);
    } else if has("Packet Statistics") {
        delays::latency(block, &task, context, findings);
    } else if kind == Some("rtt") || block.lines().any(is_round_trip) {
        delays::round_trips(block, &task, context, findings);
    } else if kind == Some("trace") || block.lines().any(|line| hops::hop(line).is_some()) {
        hops::trace(block, &task, context, findings);
    } else if has("MTU: ") || has(MTU) {
        hops::mtu(block, &task, context, findings);
    }
    if has("Test failed.") {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "pScheduler says that the test failed",
        );
    }
}
