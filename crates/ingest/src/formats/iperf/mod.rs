//! iperf 2 and iperf3 in text: every test in a copied terminal or server log, all its connections together.
//!
//! Their `KBytes` and `MBytes` are powers of two, their `Kbits` and `Mbits` powers of ten.

mod command;
pub(crate) mod csv;
pub(crate) mod json;
mod outcome;
mod reader;
mod row;
mod session;
pub(crate) mod stream;
mod sums;
mod total;
mod whole;
mod words;

use crate::Context;
use crate::arrival::is_job;
use crate::block::Block;
use crate::findings::{Findings, UNKNOWN};
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings as Folds};
use crate::text::Beginnings;

pub(crate) static FORMAT: Format = Format {
    name: "iperf",
    group: Group::Transfers,
    reads: "text of iperf 2 and iperf3, client or server, TCP and UDP, intervals, `-P`, `-r`, `-d`, `-R`, `-O`, `-V`, `-e`, `--bidir`, `--full-duplex`, server reports",
    first: "[CSARi-",
    has_command: true,
    marks: Some(|| {
        Marks::of(OPENINGS.iter().copied())
            .and(["iperf"])
            .or(|line| line.starts_with(['[', '-']) && (is_row(line) || is_rule(line)))
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

/// What lines of iperf begin with, beside lines of figures.
const OPENINGS: &[&str] = &[
    "Client connecting to ",
    "Connecting to host ",
    "Server listening on ",
    "Accepted connection from ",
    "Reverse mode, remote host ",
    "Server output:",
    "iperf 3",
    "iperf3: ",
    "iperf: ",
];

/// What else stands inside.
static INSIDE: Beginnings = Beginnings::new(&[
    "- - -",
    "TCP window size:",
    "UDP buffer size:",
    "Sending ",
    "Receiving ",
    "Starting Test:",
    "Test Complete.",
    "CPU Utilization:",
    "tcpi_snd_cwnd ",
    "SO_SNDBUF is ",
    "SO_RCVBUF is ",
    "snd_tcp_congestion",
    "rcv_tcp_congestion",
    "iperf Done.",
    "Write buffer size",
    "Read buffer size",
    "TOS ",
    "WARNING:",
    "Waiting for server",
    "Time: ",
    "Linux ",
    "Darwin ",
    "FreeBSD ",
    "CYGWIN_NT",
    "Control connection MSS",
    "TCP congestion control",
    "MSS size ",
    "Binding to local",
    "Cookie: ",
    "TCP MSS: ",
    "Target Bitrate: ",
    "Setting ",
    "Joining multicast group",
    "Multicast ",
    "Isochronous: ",
    "Enabled ",
    "warning: ",
    "connect failed",
    "tcp connect failed",
    "read failed",
    "write failed",
    "recv failed",
    "bind failed",
    "shutdown failed",
    "Limiting to ",
    "Clock sync",
    "Event based writes",
    "Bursting:",
    "Burst ",
    "Bounce-back test",
    "listener bind failed",
]);

static OPENING: Beginnings = Beginnings::new(OPENINGS);

fn is_rule(line: &str) -> bool {
    // iperf 2 draws 60 dashes, iperf3 59.
    let line = line.trim_ascii_end();
    matches!(line.len(), 58..=64) && line.bytes().all(|byte| byte == b'-')
}

/// What Markdown makes of the dashes with blanks above totals.
fn is_drawn_dashes(text: &str) -> bool {
    text == "---"
}

fn is_row(line: &str) -> bool {
    row::id(line).is_some_and(|(_, _, rest)| {
        let rest = rest.trim_ascii_start();
        rest.starts_with("Interval") || rest.starts_with("local ") || row::has_interval(rest)
    })
}

/// With `-y C` the lines are those of another format.
fn is_command(line: &str) -> bool {
    command::of(line).is_some() && !csv::is_command(line)
}

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'[') => is_row(line) || is_command(line),
        Some(b'-') => is_rule(line),
        Some(b'C' | b'S' | b'A' | b'R' | b'i') if OPENING.begin(line) => true,
        Some(b' ' | b'\t' | b'|') | None => false,
        _ => is_command(line),
    }
}

/// What the terminal shows of Ctrl-C stands in front of what iperf prints then.
fn shown(line: &str) -> &str {
    let mut text = line.trim_ascii();
    while let Some(behind) = text.strip_prefix("^C") {
        text = behind;
    }
    text.trim_ascii_start()
}

fn continues(block: &Block, line: &str) -> bool {
    let text = shown(line);
    if text.is_empty() && !line.trim_ascii().is_empty() {
        return true;
    }
    if text.is_empty() {
        // One blank line stands before "iperf Done.", and two may stand there behind the server's output: more end it.
        let blank = block
            .lines()
            .rev()
            .take_while(|last| last.trim_ascii().is_empty());
        return blank.count() < 2;
    }
    let written = block.lines().rev().find(|last| !last.trim_ascii().is_empty());
    if written.is_some_and(|last| last.trim_ascii() == "iperf Done.") {
        return false;
    }
    is_own(text) && !is_command(line) && !is_job(text)
}

/// Whether a line is one that iperf prints.
fn is_own(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'[') => row::id(text).is_some(),
        Some(b'-') if is_rule(text) || is_drawn_dashes(text) => true,
        // Of iperf 3.0, above its totals.
        Some(b'S' | b'R') if matches!(text, "Sent" | "Received") => true,
        _ => OPENING.begin(text) || INSIDE.begin(text),
    }
}

/// So many strange lines in a row do not end a test: what the console shows of the kernel, lines that were damaged. What
/// follows would have lost its hosts.
const MOST_STRANGE: usize = 4;

fn takes_in(block: &Block, line: &str) -> bool {
    if is_command(line) || is_job(line.trim_ascii()) {
        return false;
    }
    // Around the rules that Markdown draws blank lines stand within the test.
    let is_dashed = block
        .lines()
        .rev()
        .nth(1)
        .is_some_and(|above| is_drawn_dashes(above.trim_ascii()));
    let within = usize::from(is_dashed && block.last().is_some_and(|last| last.trim_ascii().is_empty()));
    let mut above = block.lines().rev().skip(within).take(MOST_STRANGE);
    let own = above.find(|above| above.trim_ascii().is_empty() || is_own(above.trim_ascii_start()));
    own.is_some_and(|own| {
        let own = own.trim_ascii();
        !(own.is_empty() || own == "iperf Done." || words::is_trouble(own) || is_command(own))
    })
}

/// The lines between rules, where none of them is iperf's: many tools draw such rules.
fn strange_lines(block: &Block) -> Option<Vec<u64>> {
    let mut strange = Vec::new();
    for (number, line) in block.numbered() {
        let text = shown(line);
        if text.is_empty() || is_rule(text) {
        } else if is_own(text) || is_command(line) {
            return None;
        } else {
            strange.push(number);
        }
    }
    Some(strange)
}

/// How its lines begin.
const FOLDS: Folds = &[
    "[~{_:n}] local {*}",
    "[~{_:n}] {_:f}-{*}",
    "[~{_:n}][{_:w}] {_:f}-{*}",
    "[SUM] {_:f}-{*}",
    "[SUM][{_:w}] {_:f}-{*}",
    "[~ID] Interval {*}",
    "[~ID][Role] Interval {*}",
    "- - - - -{*}",
    "----------{*}",
    "Connecting to host {*}",
    "Client connecting to {*}",
    "Accepted connection from {*}",
    "Server listening on {*}",
    "Reverse mode, {*}",
    "TCP window size: {*}",
    "UDP buffer size: {*}",
    "iperf Done.{*}",
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    folded::read(&FORMAT, FOLDS, (block, context, findings), read_lines);
}

fn read_lines(block: &Block, context: &Context, findings: &mut Findings) {
    if let Some(strange) = strange_lines(block) {
        return match (strange.first(), strange.last()) {
            (Some(first), Some(last)) => findings.complain_of((*first, *last), UNKNOWN),
            _ => findings.nothing_to_say(),
        };
    }
    let mut reader = reader::Reader::new(context);
    let line = |place| block.get(place).map_or("", shown);
    let mut place = 0;
    while place < block.len() {
        let number = block.first_line.saturating_add(place as u64);
        match reader.broken(line(place), line(place + 1), line(place + 2)) {
            Some(whole) => {
                reader.take(number, &whole, findings);
                place += 1;
            }
            None => reader.take(number, line(place), findings),
        }
        place += 1;
    }
    let sessions = reader.finish();
    for session in &sessions {
        if session.is_far_output && !session.asks {
            let reason = "the server's account of a test that the client tells of too, above or in what is missing: it is not used";
            findings.complain_of(session.lines, reason);
            continue;
        }
        // A server that waits for the next test.
        if sessions.len() > 1 && session.is_idle() {
            continue;
        }
        outcome::report(session, context, findings);
    }
}
