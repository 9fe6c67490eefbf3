//! fping: many hosts at once, a line a request, a line a host, or both.
//!
//! `a.example : [0], 64 bytes, 6.46 ms (6.46 avg, 0% loss)`, `a.example : xmt/rcv/%loss = 3/3/0%, min/avg/max = 6.46/8.06/9.67`,
//! `a.example : 6.46 - 9.67`, `a.example is alive`

use super::tally::{Tally, statistics};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::{NO_NAME, leading_host, rtt_ms};
use crate::invoked::{Invoked, invoked};
use crate::stray::is_stray;
use crate::text::parted;
use evidence::{DelayStatistics, Node, Payload, ProbeRow, Probes};
use std::net::IpAddr;

pub(crate) static FORMAT: Format = Format {
    name: "fping",
    group: Group::Paths,
    reads: "-c, -C, -l, -q, -Q, -e, -D, -s of any version: each host's counts and times",
    first: "0-9A-Za-z[:",
    has_command: true,
    marks: Some(|| Marks::of([" : ", " is alive", " is unreachable", "fping"])),
    starts: |line| {
        (line.contains(" : ") || line.contains(" is ")) && is_sure(line) || command(line).is_some()
    },
    continues: |block, line| {
        line.trim_ascii().is_empty() || kind_in(block, line).is_some() && !is_new_run(block, line)
    },
    takes_in: Some(|block, line| kind(line).is_none() && is_stray(block, line, |line| kind(line).is_some())),
    read,
};

/// More hosts than these are a scan, and no account of a path.
const MOST_HOSTS: usize = 4096;

/// A line of fping's.
#[derive(Debug, PartialEq)]
enum Line<'t> {
    /// A request of a host, with its time; `None`: it timed out.
    Request(&'t str, Option<u64>),
    /// Counts and times of a host.
    Summary(&'t str, &'t str),
    /// Every time of a host; `-` stands for a request that timed out.
    Times(&'t str, &'t str),
    /// Whether a host answered at all, with the time where one is asked for.
    Alive(&'t str, bool, Option<u64>),
    /// Somebody's answer: what it says, who, and about which host.
    Error(&'t str, &'t str, &'t str),
    /// The own host could not send, or does not know the name.
    Refused(&'t str, &'t str),
    /// Figures of all hosts together, clocks, duplicates.
    Other,
}

fn command(line: &str) -> Option<Invoked<'_>> {
    if line.contains("fping") {
        invoked(line, &["fping", "fping6"])
    } else {
        None
    }
}

/// A line that nobody else prints.
fn is_sure(line: &str) -> bool {
    match kind(line) {
        Some(Line::Request(..) | Line::Summary(..) | Line::Alive(..)) => true,
        Some(Line::Times(host, times)) => {
            is_address(host) || times.split_ascii_whitespace().count() > 2 && is_host(host)
        }
        _ => false,
    }
}

fn is_address(host: &str) -> bool {
    leading_host(host).0.address.is_some()
}

/// One word, or a name with its address.
fn is_host(text: &str) -> bool {
    let text = text.trim_ascii();
    let (node, rest) = leading_host(text);
    let is_name = |name: &str| {
        !name.starts_with('`')
            && !name.contains(NO_NAME)
            && (name.contains(['.', ':']) || name == "localhost" || node.address.is_some())
    };
    !node.is_unknown() && rest.is_empty() && text.split_ascii_whitespace().next().is_some_and(is_name)
}

fn kind(line: &str) -> Option<Line<'_>> {
    told(line, false)
}

/// What a line is; below its command any word is a host.
fn kind_in<'l>(block: &Block, line: &'l str) -> Option<Line<'l>> {
    told(line, block.first().is_some_and(|first| command(first).is_some()))
}

fn told(line: &str, is_asked: bool) -> Option<Line<'_>> {
    let is_host = |text: &str| is_host(text) || is_asked && !text.is_empty() && !text.contains(' ');
    let text = line.trim_ascii();
    let text = stamp(text).unwrap_or(text);
    if text.starts_with("ICMP ") && text.contains(" for ICMP Echo sent to ") {
        let (said, hosts) = parted(text, " from ")?;
        let (from, to) = parted(hosts, " for ICMP Echo sent to ")?;
        return Some(Line::Error(said, from, to));
    }
    if let Some((host, said)) = parted(text, " : ") {
        let host = host.trim_ascii();
        // What nobody else prints may stand behind any word.
        let is_telling = |line: &Line<'_>| matches!(line, Line::Request(..) | Line::Summary(..));
        let is_word = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c == '`');
        return of_host(host, said.trim_ascii()).filter(|line| is_host(host) || is_word && is_telling(line));
    }
    if let Some((host, said)) = parted(text, " is ") {
        let (said, time) = parted(said, " (").unwrap_or((said, ""));
        let time = time.strip_suffix(" ms)").and_then(rtt_ms);
        let alive = match said {
            "alive" => true,
            "unreachable" => false,
            _ => return None,
        };
        return is_host(host).then_some(Line::Alive(host, alive, time));
    }
    if let Some((host, said)) = parted(text, ": ") {
        let is_own = [
            "error while sending ping: ",
            "Name or service not known",
            "Temporary failure in name",
            "nodename nor servname",
        ];
        let is_refused = is_own.iter().any(|words| said.starts_with(words));
        return is_refused.then_some(Line::Refused(host, said));
    }
    if let Some(host) = text.strip_suffix(" address not found") {
        return Some(Line::Refused(host, "address not found"));
    }
    let is_clock = text.starts_with('[') && text.ends_with(']') && text.len() == 10;
    (is_clock || is_of_all(text)).then_some(Line::Other)
}

/// What stands behind the host.
fn of_host<'t>(host: &'t str, said: &'t str) -> Option<Line<'t>> {
    if said.starts_with("xmt/rcv/%") {
        return Some(Line::Summary(host, said));
    }
    if said.starts_with("duplicate for [") {
        return Some(Line::Other);
    }
    if let Some((number, said)) = said.strip_prefix('[').and_then(|rest| parted(rest, "], ")) {
        number.parse::<u64>().ok()?;
        if said.starts_with("timed out") {
            return Some(Line::Request(host, None));
        }
        let (_, time) = parted(said, " bytes, ")?;
        return Some(Line::Request(host, Some(rtt_ms(parted(time, " ms")?.0)?)));
    }
    let is_time = |word: &str| {
        word == "-" || word.contains('.') && word.parse::<f64>().is_ok() || word.parse::<u32>().is_ok()
    };
    let is_times = !said.is_empty() && said.split_ascii_whitespace().all(is_time);
    is_times.then_some(Line::Times(host, said))
}

/// `[1795259432.79295] ` of `-D`.
fn stamp(text: &str) -> Option<&str> {
    let (stamp, rest) = text.strip_prefix('[')?.split_once("] ")?;
    stamp.parse::<f64>().ok().map(|_| rest)
}

/// Lines of `-s`: a figure and what it counts, of all hosts; and warnings about options.
fn is_of_all(text: &str) -> bool {
    if text.starts_with("fping: warning: ") {
        return true;
    }
    static WORDS: &[&str] = &[
        "targets",
        "alive",
        "unreachable",
        "unknown addresses",
        "timeouts (waiting for response)",
        "ICMP Echos sent",
        "ICMP Echo Replies received",
        "ICMP Timestamps sent",
        "ICMP Timestamp Replies received",
        "other ICMP received",
        "ms (min round trip time)",
        "ms (avg round trip time)",
        "ms (max round trip time)",
        "sec (elapsed real time)",
    ];
    let Some((figure, words)) = text.split_once(' ') else {
        return false;
    };
    figure.parse::<f64>().is_ok() && WORDS.contains(&words.trim_ascii())
}

/// Requests are numbered from 0 again behind the summary of a host.
fn is_new_run(block: &Block, line: &str) -> bool {
    command(line).is_some()
        || matches!(kind(line), Some(Line::Request(..)))
            && block
                .last_written()
                .is_some_and(|last| matches!(kind(last), Some(Line::Summary(..))) && !block.has(is_clock))
}

fn is_clock(line: &str) -> bool {
    let text = line.trim_ascii();
    text.starts_with('[') && text.ends_with(']')
}

/// What was told of one host.
#[derive(Default)]
struct Host {
    node: Node,
    /// What stands for a name that was hidden.
    hidden: String,
    tally: Tally,
    /// Requests that have a line each.
    sent: u64,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut hosts: Vec<Host> = Vec::new();
    let mut from = Node::default();
    let mut carried: Option<u32> = None;
    // Each interval of `-Q` counts from 0 and stands below its clock, unless the command asks otherwise.
    let (mut is_interval, mut is_cumulative) = (false, false);
    for (number, line) in block.numbered() {
        is_interval |= is_clock(line);
        is_interval &= !line.trim_ascii().is_empty();
        if let Some(run) = command(line).filter(|_| kind(line).is_none()) {
            from = run.device.map(Node::named).unwrap_or_default();
            let size = run
                .words
                .iter()
                .skip_while(|word| !matches!(**word, "-b" | "--size"))
                .nth(1);
            carried = size.and_then(|size| size.parse().ok());
            is_cumulative = run.words.iter().any(|word| word.ends_with(",cumulative"));
            continue;
        }
        let Some(said) = kind_in(block, line) else {
            findings.unread(number, line);
            continue;
        };
        if let Err(reason) = take(said, is_interval && !is_cumulative, &mut hosts) {
            findings.complain(number, reason);
        }
    }
    let lines = (block.first_line, block.last_written_line());
    let rows: Vec<ProbeRow> = hosts
        .into_iter()
        .filter_map(|host| row(host, carried, lines, findings))
        .collect();
    if rows.is_empty() {
        return;
    }
    let probes = Probes {
        from: context.from_or(from),
        rows,
        ..Probes::default()
    };
    findings.record_of(lines, "fping", context.at, Payload::Probes(probes));
}

fn take(line: Line<'_>, is_interval: bool, hosts: &mut Vec<Host>) -> Result<(), String> {
    let name = match &line {
        Line::Request(host, _) | Line::Summary(host, _) | Line::Times(host, _) | Line::Alive(host, ..) => {
            host
        }
        Line::Error(_, _, host) | Line::Refused(host, _) => host,
        Line::Other => return Ok(()),
    };
    let node = leading_host(name).0;
    // Hosts whose names were hidden are told apart by what hides them.
    let hidden = if node.is_unknown() { name.trim_ascii() } else { "" };
    let known = hosts
        .iter()
        .position(|host| host.node == node && host.hidden == hidden);
    let at = match known {
        Some(at) => at,
        None if hosts.len() < MOST_HOSTS => {
            hosts.push(Host {
                node,
                hidden: hidden.to_owned(),
                ..Host::default()
            });
            hosts.len() - 1
        }
        None => return Err("more hosts than are read".to_owned()),
    };
    let Some(host) = hosts.get_mut(at) else {
        return Ok(());
    };
    let tally = &mut host.tally;
    match line {
        Line::Request(_, Some(ns)) => {
            host.sent += 1;
            tally.reply(Some(ns));
        }
        Line::Request(_, None) => {
            host.sent += 1;
            tally.silent += 1;
        }
        Line::Alive(_, true, time) => tally.reply(time),
        Line::Alive(_, false, _) => tally.received = Some(0),
        Line::Error(said, from, _) => tally.error(Some(leading_host(from).0), said, 1),
        Line::Refused(_, said) => tally.error(None, said, 1),
        Line::Times(_, times) => take_times(times, tally),
        Line::Summary(_, said) => {
            return match is_interval && tally.has_statistics {
                true => further(said, tally),
                false => summary(said, tally),
            };
        }
        Line::Other => {}
    }
    Ok(())
}

/// `6.46 - 9.67`: these are all, whatever was printed of each before.
fn take_times(times: &str, tally: &mut Tally) {
    *tally = Tally::default();
    tally.has_statistics = true;
    for word in times.split_ascii_whitespace() {
        match word {
            "-" => tally.silent += 1,
            time => tally.reply(rtt_ms(time)),
        }
    }
    tally.received = Some(tally.replies());
    tally.sent = Some(tally.replies() + tally.silent);
}

/// Adds the counts and times of a further interval.
fn further(said: &str, tally: &mut Tally) -> Result<(), String> {
    let before = (tally.sent, tally.received, tally.summary);
    summary(said, tally)?;
    let sum = |before: Option<u64>, now: Option<u64>| Some(before?.saturating_add(now?));
    let (times, weights) = (
        [before.2, tally.summary],
        [before.1.unwrap_or(0), tally.received.unwrap_or(0)],
    );
    (tally.sent, tally.received) = (sum(before.0, tally.sent), sum(before.1, tally.received));
    tally.summary = together(times, weights);
    Ok(())
}

/// Times of both, where both have some; the mean by how many each is of.
fn together(times: [Option<DelayStatistics>; 2], counts: [u64; 2]) -> Option<DelayStatistics> {
    let [Some(a), Some(b)] = times else {
        return times.into_iter().flatten().next();
    };
    let both =
        |of: fn(&DelayStatistics) -> Option<i64>, least: fn(i64, i64) -> i64| Some(least(of(&a)?, of(&b)?));
    let mean = |a: i64, b: i64| {
        let [n, m] = counts.map(i128::from);
        let sum = i128::from(a) * n + i128::from(b) * m;
        i64::try_from(sum.checked_div(n + m)?).ok()
    };
    Some(DelayStatistics {
        min_ns: both(|times| times.min_ns, i64::min),
        mean_ns: a.mean_ns.zip(b.mean_ns).and_then(|(a, b)| mean(a, b)),
        max_ns: both(|times| times.max_ns, i64::max),
        ..DelayStatistics::default()
    })
}

/// `xmt/rcv/%loss = 3/3/0%, min/avg/max = 63.8/70.8/74.9`; `%return` where more came back than was sent.
fn summary(said: &str, tally: &mut Tally) -> Result<(), String> {
    let bad = || format!("not understood: {said}");
    let (names, rest) = parted(said, " = ").ok_or_else(bad)?;
    let counts = rest.split([',', ' ']).next().unwrap_or("");
    let mut counts = counts.split('/');
    let mut next = || {
        counts
            .next()
            .and_then(|n| n.trim_end_matches('%').parse::<u64>().ok())
    };
    let (sent, received, percent) = (next(), next(), next());
    (tally.sent, tally.received) = (sent, received);
    if names.ends_with("%loss")
        && let (Some(sent), Some(received), Some(percent)) = (sent, received, percent)
        && !super::counts::counts_agree(sent, received, percent as f64)
    {
        (tally.sent, tally.received) = (None, None);
        return Err(format!("counts and share lost contradict each other: {said}"));
    }
    tally.has_statistics = true;
    tally.summary = rest
        .find("min/avg/max")
        .and_then(|at| statistics(rest.get(at..)?));
    if sent.is_none() || received.is_none() {
        Err(bad())
    } else {
        Ok(())
    }
}

fn row(mut host: Host, carried: Option<u32>, lines: (u64, u64), findings: &mut Findings) -> Option<ProbeRow> {
    if !host.tally.has_statistics && host.tally.silent > 0 {
        // Timeouts are printed too: these are all requests.
        host.tally.sent = Some(host.sent);
    }
    host.tally.has_header = true;
    let mut row = host.tally.row(None)?;
    for reason in std::mem::take(&mut host.tally.contradictions) {
        findings.complain_of(lines, reason);
    }
    let headers = match host.node.address {
        Some(IpAddr::V4(_)) => Some(28),
        Some(IpAddr::V6(_)) => Some(48),
        None => None,
    };
    // What is printed of a reply is the whole packet or not, by the version: only the command tells.
    row.size_bytes = carried
        .zip(headers)
        .and_then(|(carried, headers)| carried.checked_add(headers));
    row.to = host.node;
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `-Q` the counts begin anew in each interval.
    #[test]
    fn intervals_are_added() {
        let text = "[12:00:10]\na.example : xmt/rcv/%loss = 10/10/0%, min/avg/max = 1.0/2.0/3.0\n\
                    [12:00:20]\na.example : xmt/rcv/%loss = 10/5/50%, min/avg/max = 0.5/5.0/6.0\n";
        let row = |text: &str| {
            let (records, _) = crate::import(text.as_bytes(), &Context::default());
            let Payload::Probes(probes) = &records[0].payload else {
                panic!()
            };
            probes.rows[0].clone()
        };
        let added = row(text);
        assert_eq!((added.sent, added.received), (Some(20), Some(15)));
        let delay = added.delay.unwrap();
        assert_eq!(
            (delay.min_ns, delay.mean_ns, delay.max_ns),
            (Some(500_000), Some(3_000_000), Some(6_000_000))
        );
        let total =
            row(&(text.to_owned() + "\na.example : xmt/rcv/%loss = 20/15/25%, min/avg/max = 0.5/3.0/6.0\n"));
        assert_eq!((total.sent, total.received), (Some(20), Some(15)));
    }

    #[test]
    fn lines_of_every_option() {
        let ns = 6_460_000;
        for (line, expected) in [
            (
                "192.0.2.1 : [0], 84 bytes, 6.46 ms (6.46 avg, 0% loss)",
                Line::Request("192.0.2.1", Some(ns)),
            ),
            (
                "[1795259432.79295] a.example   : [12], timed out (NaN avg, 100% loss)",
                Line::Request("a.example", None),
            ),
            (
                "192.0.2.1  : xmt/rcv/%loss = 3/0/100%",
                Line::Summary("192.0.2.1", "xmt/rcv/%loss = 3/0/100%"),
            ),
            (
                "dtn1 : xmt/rcv/%loss = 3/0/100%",
                Line::Summary("dtn1", "xmt/rcv/%loss = 3/0/100%"),
            ),
            ("192.0.2.1 : 6.46 - 9.67", Line::Times("192.0.2.1", "6.46 - 9.67")),
            (
                "a.example is alive (6.46 ms)",
                Line::Alive("a.example", true, Some(ns)),
            ),
            ("       3 ICMP Echos sent", Line::Other),
        ] {
            assert_eq!(kind(line), Some(expected), "{line}");
        }
        for no in [
            "the server is alive",
            "Version : 1.2",
            "note : 5 of 6",
            "a.example : slow",
            "5 alive hosts",
        ] {
            assert!(!is_sure(no), "{no}");
        }
    }
}
