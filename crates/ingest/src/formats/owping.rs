//! owping (OWAMP, RFC 4656): loss and delay one way, a section for each direction; and twping (TWAMP, RFC 5357): there and back
//! and each of the two.

use crate::Context;
use crate::block::Block;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::host;
use crate::one_way::OneWay;
use crate::units::{ns_of_seconds, seconds, split};
use crate::when;
use evidence::{Node, Payload, Way};

pub(crate) static FORMAT: Format = Format {
    name: "owping",
    group: Group::Transfers,
    reads: "the statistics of one or both directions; twping too: round trips, and what each direction has of them",
    first: "-Aotp",
    has_command: true,
    marks: Some(|| Marks::of(["owping", "twping", "powstream", "Approximately "])),
    starts: |line| is_head(line) || line.starts_with(WAITING) || is_command(line),
    continues,
    takes_in: None,
    read,
};

const WAITING: &str = "Approximately ";

fn is_head(line: &str) -> bool {
    ends_of(line).is_some()
}

/// Both ends, and whether the packets came back.
fn ends_of(line: &str) -> Option<(&str, bool)> {
    let text = line.strip_prefix("--- ")?;
    let one_way = text
        .strip_prefix("owping statistics from ")
        .map(|ends| (ends, false));
    one_way.or_else(|| Some((text.strip_prefix("twping statistics from ")?, true)))
}

fn is_command(line: &str) -> bool {
    Run::of(line, &["owping", "twping", "powstream"]).is_some_and(|run| run.is_typed())
}

fn continues(block: &Block, line: &str) -> bool {
    const OPENINGS: [&str; 14] = [
        "SID:",
        "first:",
        "last:",
        "one-way ",
        "two-way ",
        "round-trip time ",
        "send ",
        "reflect ",
        "reflector ",
        "Percentiles:",
        "\t",
        "hops = ",
        "TTL ",
        "no reordering",
    ];
    let is_begun = block.has(is_head);
    if !is_begun {
        return is_head(line) || line.trim_ascii().is_empty() || line.starts_with(WAITING);
    }
    let text = line.trim_start_matches(' ');
    OPENINGS.iter().any(|opening| text.starts_with(opening))
        || text.contains(" sent, ")
        || text.contains("-reordering = ")
        || text.starts_with("no ") && text.trim_ascii_end().ends_with("-reordering")
        || text.starts_with("Hops = ")
        || text.starts_with("hops takes ")
        || text.starts_with("seq_no=")
}

/// `99.0: -12.1 ms`, `3 4 packets`, `255 (TTL)`: a line of a list that is understood, and not kept.
fn is_percentile(text: &str) -> bool {
    let figures = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ':' | ' ' | '%' | ',');
    let words = text.trim_start_matches(figures);
    matches!(words, "ms" | "us" | "s" | "packets" | "packet" | "n" | "nan ms")
}

/// `[host.example.net]:8915`
fn end(text: &str) -> Node {
    let inner = text
        .trim_ascii()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    inner.map_or(Node::default(), |(name, _)| host(name))
}

/// What a section says: all of it, and with twping what either direction had of it.
#[derive(Default)]
struct Section {
    whole: OneWay,
    there: OneWay,
    back: OneWay,
    returns: bool,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut section = Section::default();
    let mut at = context.at;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some((ends, returns)) = ends_of(text) {
            let (from, to) = ends
                .trim_end_matches(" ---")
                .split_once(" to ")
                .unwrap_or((ends, ""));
            let (from, to) = (context.from_or(end(from)), context.to_or(end(to)));
            section.returns = returns;
            (section.back.from, section.back.to) = (to.clone(), from.clone());
            (section.there.from, section.there.to) = (from.clone(), to.clone());
            (section.whole.from, section.whole.to) = (from, to);
        } else if let Some(first) = text.strip_prefix("first:") {
            // Printed without a zone.
            at = when::iso8601(first, context.utc_offset_s).or(at);
        } else if text.contains(" sent, ") {
            if !counts(&mut section.whole, text) {
                findings.complain(number, "packets of owping that are not understood");
            }
        } else if !section.take(text) && line.starts_with('\t') && !is_percentile(text) {
            findings.unread(number, line);
        }
    }
    let Section {
        whole,
        there,
        back,
        returns,
    } = section;
    let tool = if returns { "twping" } else { "owping" };
    let is_told = |delay: &OneWay| delay.median_ns.or(delay.min_ns).is_some();
    let mut told = Vec::new();
    if whole.sent.is_some() {
        let mut payload = whole.into_payload();
        if let Payload::Probes(probes) = &mut payload {
            probes
                .rows
                .iter_mut()
                .filter(|_| returns)
                .for_each(|row| row.way = Way::RoundTrip);
        }
        told.push(payload);
    }
    told.extend(
        [there, back]
            .into_iter()
            .filter(is_told)
            .map(OneWay::into_payload),
    );
    for payload in told {
        findings.record(block, tool, at, payload);
    }
}

impl Section {
    /// A line of figures with a name in front. `false`: it is something else.
    fn take(&mut self, text: &str) -> bool {
        let (delay, text) = match text.split_once(' ') {
            Some(("send", rest)) => (&mut self.there, rest),
            Some(("reflect", rest)) => (&mut self.back, rest),
            _ => (&mut self.whole, text),
        };
        let lengths = ["one-way delay", "round-trip time", "time"];
        let figures = lengths
            .iter()
            .find_map(|name| text.strip_prefix(name)?.strip_prefix(" min/median/max = "));
        if let Some(figures) = figures {
            delays(delay, figures);
        } else if let Some(hops) = text.strip_prefix("hops = ").or(text.strip_prefix("Hops = ")) {
            // "consistently": all packets had the same TTL.
            delay.hops = hops.split(' ').next().and_then(|hops| hops.parse().ok());
        } else if let Some(ttl) = text.strip_prefix("TTL is ") {
            // Older versions print the TTL itself; packets are sent with 255 (RFC 4656 section 4.1.2).
            let ttl = ttl.split(' ').next().and_then(|ttl| ttl.parse().ok());
            delay.hops = ttl.and_then(|ttl| 255_u8.checked_sub(ttl));
        } else if text == "no reordering" {
            delay.reordered = Some(0);
        } else {
            return false;
        }
        true
    }
}

/// `100 sent, 3 lost (3.000%), 0 duplicates`
fn counts(delay: &mut OneWay, text: &str) -> bool {
    for part in text.split(',') {
        let mut words = part.split_ascii_whitespace();
        let count = words.next().and_then(|word| word.parse().ok());
        match words.next() {
            // What was doubled on either way; the sum is what came back twice.
            Some("send" | "reflect") if words.next() == Some("duplicates") => {
                delay.duplicates =
                    count.map(|count: u64| count.saturating_add(delay.duplicates.unwrap_or(0)));
            }
            Some("sent") => delay.sent = count,
            Some("lost") => delay.lost = count,
            Some("duplicates") => delay.duplicates = count,
            _ => return false,
        }
    }
    delay.sent.is_some()
}

/// `-12.5/-12.4/-12.1 ms, (err=9.01 ms)`; `nan` where nothing arrived, `(unsync)` where a clock is not set.
fn delays(delay: &mut OneWay, text: &str) {
    let (figures, error) = text.split_once(',').unwrap_or((text, ""));
    let (figures, unit) = figures.trim_ascii().split_once(' ').unwrap_or((figures, ""));
    let mut ns = figures.split('/').map(|figure| {
        let value: f64 = figure.parse().ok()?;
        let ns = seconds(value, unit)? * 1e9;
        (ns.abs() < 9.2e18).then(|| ns.round() as i64)
    });
    delay.min_ns = ns.next().flatten();
    delay.median_ns = ns.next().flatten();
    delay.max_ns = ns.next().flatten();
    let error = error
        .trim_ascii()
        .strip_prefix("(err=")
        .map(|error| error.trim_end_matches(')'));
    delay.clock_error_ns = error
        .and_then(split)
        .and_then(|(value, unit)| ns_of_seconds(seconds(value, unit)?));
}
