//! The test that a result is of, as the lines around it tell: the command, the heading, and the time.

use crate::Context;
use crate::block::Block;
use crate::prompt::command_line;
use crate::text::parted;
use crate::when;
use evidence::{Node, Timestamp};

/// What the lines around the result say of the test.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) kind: Option<String>,
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) udp: Option<bool>,
    /// The data go the other way.
    pub(super) reverse: bool,
    pub(super) streams: Option<u16>,
    pub(super) at: Option<Timestamp>,
}

pub(super) const HEADING: &str = "Working inward from a known good ";

pub(super) fn command(line: &str) -> Option<&str> {
    let typed = match line.starts_with("pscheduler ") {
        true => Some(line),
        false => command_line(line).map(|typed| typed.command),
    }?;
    typed.strip_prefix("pscheduler ").map(str::trim_ascii)
}

/// A terminal wraps no shorter line.
const SHORTEST_WRAPPED: usize = 60;

/// The value of an option that stands on the next line of a wrapped command.
pub(super) fn wrapped(previous: &str, text: &str) -> bool {
    let option = previous
        .rsplit(' ')
        .next()
        .is_some_and(|word| word.starts_with('-') && word.len() > 1);
    option
        && previous.len() >= SHORTEST_WRAPPED
        && text.trim_ascii() != "Summary"
        && command(previous).is_some()
        && !text.trim_ascii_end().contains(' ')
}

pub(super) fn task(block: &Block, context: &Context) -> Task {
    let mut task = Task::default();
    let mut lines = block.lines().map(|line| line.trim_ascii()).peekable();
    while let Some(line) = lines.next() {
        if let Some(begun) = ran(line) {
            task.at = when::iso8601(begun, context.utc_offset_s);
        } else if is_asked(line) {
            let mut words = vec!["task"];
            words.extend(line.split_ascii_whitespace());
            while let Some(rest) = lines.next_if(|next| next.starts_with("--")) {
                words.extend(rest.split_ascii_whitespace());
            }
            options(&mut task, words.into_iter());
        } else if let Some(typed) = command(line) {
            let rest = lines.peek().filter(|next| wrapped(line, next)).copied();
            options(&mut task, typed.split_ascii_whitespace().chain(rest));
            if task.from == Node::default() && task.kind.is_some() && !is_assisted(typed) {
                let host = command_line(line).and_then(|typed| typed.device());
                task.from = host.map(Node::named).unwrap_or_default();
            }
        } else if let Some((good, to)) = line
            .strip_prefix(HEADING)
            .and_then(|rest| parted(rest, " node to "))
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
    if task.reverse {
        std::mem::swap(&mut task.from, &mut task.to);
    }
    task
}

/// Whether another host makes the test than the one where it was asked for: elsewhere that one is the source, unless `--source` is given.
fn is_assisted(typed: &str) -> bool {
    typed
        .split_ascii_whitespace()
        .any(|word| word.starts_with("--assist"))
}

/// When a run began that `pscheduler result` tells of: `2026-10-15T12:30:01+00:00 on a.example and b.example with iperf3:`
pub(super) fn ran(line: &str) -> Option<&str> {
    let (begun, rest) = line.trim_ascii_end().strip_suffix(':')?.split_once(" on ")?;
    let is_time = begun.starts_with(|c: char| c.is_ascii_digit()) && when::iso8601(begun, Some(0)).is_some();
    (is_time && rest.contains(" with ")).then_some(begun)
}

/// Below it stands what was asked for: `throughput --source a.example --dest b.example`, wrapped before an option.
pub(super) fn is_asked(line: &str) -> bool {
    let asked = parted(line, " --");
    asked.is_some_and(|(kind, _)| KINDS.contains(&kind))
}

/// The tests: what else stands before one of them is an option's value.
const KINDS: [&str; 8] = [
    "throughput",
    "latency",
    "latencybg",
    "rtt",
    "trace",
    "mtu",
    "clock",
    "simplestream",
];

/// `task throughput -t 30 --source A --dest B`, also `--source=A`.
fn options<'t>(task: &mut Task, words: impl Iterator<Item = &'t str>) {
    let mut words = words
        .flat_map(|word| word.splitn(if word.starts_with("--") { 2 } else { 1 }, '='))
        .peekable();
    let (mut behind_task, mut reverse) = (false, false);
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
            // The data go from the destination to the source.
            "--reverse" => reverse = true,
            "--udp" | "-u" => task.udp = Some(true),
            "--parallel" | "-P" => task.streams = value().and_then(|count| count.parse().ok()),
            _ if behind_task && task.kind.is_none() && KINDS.contains(&word) => {
                task.kind = Some(word.to_owned());
            }
            _ => {}
        }
    }
    task.reverse = reverse && task.kind.as_deref() == Some("throughput");
}
