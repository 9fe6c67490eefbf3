//! iputils, BSD, macOS, BusyBox, toybox, Solaris, AIX, NIKHEF's ping, scamper's text, and routers that print like these.

use super::command::Command;
use super::line::{Line, behind_size, kind, tells_time};
use super::run::{Run, is_header};
use crate::block::Block;
use crate::findings::Findings;
use crate::host::{host, leading_host, set_address};
use crate::stray::Strays;
use crate::text::{holds, parted, with_points};
use evidence::{Node, Timestamp};
use std::cell::OnceCell;
use std::net::IpAddr;

/// ICMP header, and IPv4 header without options.
const IPV4_OVERHEAD: u32 = 28;
/// ICMPv6 header and IPv6 header.
const IPV6_OVERHEAD: u32 = 48;

/// What a line says behind a time stamp, if there is one: several ask what that is, of each line.
pub(super) struct Said<'t> {
    text: &'t str,
    kind: OnceCell<Option<Line<'t>>>,
}

impl<'t> Said<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            text: time_stamp(text).1,
            kind: OnceCell::new(),
        }
    }

    fn kind(&self) -> Option<&Line<'t>> {
        self.kind.get_or_init(|| kind(self.text)).as_ref()
    }
}

pub(super) fn is_line(said: &Said<'_>) -> bool {
    // One that is cut is a reply all the same, and its rest may stand below.
    behind_size(said.text).is_some() || said.kind().is_some() || said.text.starts_with("ICMP ")
}

/// What options of IP brought back begins so: the route of `-R`, the times of `-T`.
const OPTIONS: [&str; 2] = ["RR:", "TS:"];

fn begins_option(line: &str) -> bool {
    OPTIONS.iter().any(|option| line.starts_with(option))
}

/// Whether a line is one of a route that `-R` recorded, or of the times of `-T`: an address or a time, indented, below `RR:` or another
/// such.
pub(super) fn is_of_option(block: &Block, line: &str) -> bool {
    is_in_option(line)
        && block
            .last()
            .is_some_and(|last| begins_option(last) || is_in_option(last))
}

fn is_in_option(line: &str) -> bool {
    is_alone(line) || is_recorded_time(line)
}

/// `        0`, `        gw.example (192.0.2.1)       59910005 absolute`: milliseconds since midnight, or from the one above, behind the
/// address where that was asked for.
fn is_recorded_time(line: &str) -> bool {
    if !line.starts_with([' ', '\t']) {
        return false;
    }
    let line = line.trim_ascii_end();
    let line = line.strip_suffix(" absolute").unwrap_or(line);
    let (before, time) = line.rsplit_once([' ', '\t']).unwrap_or_default();
    time.parse::<i64>().is_ok() && (before.trim_ascii().is_empty() || is_alone(before))
}

/// `        gw.example (192.0.2.1)`
fn is_alone(line: &str) -> bool {
    if !line.starts_with([' ', '\t']) {
        return false;
    }
    let (node, rest) = leading_host(line.trim_ascii());
    node.address.is_some() && rest.trim_ascii().is_empty()
}

/// Whether a line says what became of a request, or sums up.
pub(super) fn is_result(text: &str) -> bool {
    !matches!(kind(time_stamp(text).1), None | Some(Line::Remark))
}

/// `From 192.0.2.1 icmp_seq=3 Destination Host Unreachable`: where the head of a run was not copied nothing else has such a number behind
/// a host.
pub(super) fn is_numbered_error(line: &str) -> bool {
    holds(line, " icmp_seq=") && matches!(kind(line), Some(Line::Error(from, _)) if !from.is_unknown())
}

/// `Request timeout for icmp_seq 3`, `no answer yet for icmp_seq=3`
pub(super) fn is_numbered_silence(line: &str) -> bool {
    let numbers = ["Request timeout for icmp_seq ", "no answer yet for icmp_seq="];
    let number = numbers.iter().find_map(|words| line.strip_prefix(words));
    number.is_some_and(|number| number.trim_ascii_end().parse::<u64>().is_ok())
}

/// Whether a line is of another run than the block: its requests are numbered from the beginning again, or it sums up again. A copy may
/// have a line twice.
pub(super) fn begins_anew(block: &Block, text: &str, said: &Said<'_>) -> bool {
    let last = || block.last_written().map(str::trim_ascii).unwrap_or_default();
    let is_counts = |line: &str| matches!(kind(line), Some(Line::Counts(counts)) if counts.sent.is_some());
    // What an answer says does not matter, but for the first requests.
    if behind_size(said.text).is_some() && sequence(text).is_some_and(|number| number > 1) {
        return false;
    }
    match said.kind() {
        Some(Line::Reply(..)) => {
            let Some(number) = sequence(text).filter(|number| *number <= 1) else {
                return false;
            };
            let before = block
                .last_such(|line| sequence(line).is_some())
                .and_then(sequence);
            let first = || {
                block
                    .first_such(|line| sequence(line).is_some())
                    .and_then(sequence)
            };
            // The counter has 16 bits, and a late answer is the first with its number.
            // Below its head a run is told by the next one.
            !super::has_header(block)
                && before.is_some_and(|before| before > number && before < u64::from(u16::MAX))
                && first().is_some_and(|first| first <= number)
        }
        Some(Line::Counts(counts)) if counts.sent.is_some() => {
            is_times(last()) || is_counts(last()) && last() != text
        }
        Some(Line::Heading(_)) => is_times(last()) || is_counts(last()),
        // A run has its times once.
        Some(Line::Times(_)) => block
            .last_such(is_times)
            .is_some_and(|told| told.trim_ascii() != text),
        _ => false,
    }
}

/// The shortest, the mean and the longest round trip.
fn is_times(line: &str) -> bool {
    matches!(kind(line.trim_ascii()), Some(Line::Times(_)))
}

/// The number of a request: `icmp_seq=1`, `icmp_req=1`, `seq=0`, `icmp_seq 3`.
fn sequence(line: &str) -> Option<u64> {
    let (_, behind) = parted(line, "seq").or_else(|| parted(line, "icmp_req"))?;
    let behind = behind.strip_prefix(['=', ' '])?;
    let end = behind.bytes().take_while(u8::is_ascii_digit).count();
    behind.get(..end)?.parse().ok()
}

pub(super) fn read(block: &Block, command: Option<&Command>, findings: &mut Findings) -> Run {
    let mut run = Run {
        tool: "ping",
        ..Run::default()
    };
    let mut quoted: Option<(Node, String)> = None;
    let mut strays = Strays::default();
    let has_option = block.has(begins_option);
    let mut lines = block.numbered().peekable();
    while let Some((number, line)) = lines.next() {
        let text = line.trim_ascii();
        if let Some((rest, _)) = lines.next_if(|(_, below)| is_error_broken(line, below)) {
            findings.complain_of((number, rest), "an error that the screen broke: it is not used");
            continue;
        }
        // Solaris breaks what an ICMP error quotes into a second line.
        if let Some((from, mut error)) = quoted.take() {
            if text.starts_with("for ") {
                error = text
                    .split_ascii_whitespace()
                    .fold(error, |all, word| all + " " + word);
            }
            run.tally.error(Some(from), &error, 1);
        }
        if is_header(text) {
            header(text, command, &mut run);
            if run.tally.size_bytes.is_none() && text.contains("data bytes") {
                findings.complain(number, format!("not understood: {text}"));
            }
        } else if let Some(said) = text.strip_prefix("ICMP ") {
            let (error, from) = said.split_once(" from").unwrap_or((said, ""));
            let from = from.trim_ascii_start();
            let from = from.strip_prefix("gateway").unwrap_or(from);
            quoted = Some((leading_host(from).0, format!("ICMP {error}")));
        } else if has_option && is_in_option(line) {
            // What routers wrote into the request.
        } else if !body(text, &mut run) && !text.is_empty() && !is_preamble(block, number, text) {
            strays.push(number, text);
        }
        if std::mem::take(&mut run.is_time_unread) {
            findings.unread(number, text);
        }
    }
    strays.tell(block, findings);
    run.tally.silent += run.numbers.unanswered();
    run.tally.numbered = run.numbers.sent();
    if let Some((from, error)) = quoted {
        run.tally.error(Some(from), &error, 1);
    }
    if run.are_several && (run.is_answered || run.to.is_unknown()) {
        // A group that is asked has an address of its own. Here two programs print into one terminal.
        findings.complain(block.first_line, super::SEVERAL);
        run.tally.forget_replies();
    }
    if let Some(answerer) = run.answerer.take().filter(|_| !run.are_several) {
        // Who answers an echo request is who was asked, also where the document lost the header's host.
        if run.to.is_unknown() {
            run.to = answerer;
        } else if run.to.address.is_none() && answerer.name == run.to.name {
            run.to.address = answerer.address;
        }
    }
    run
}

/// No screen is narrower, characters.
const NARROWEST: usize = 60;

/// Whether the words of an error go on below their line: half of them would look like another error.
fn is_error_broken(line: &str, below: &str) -> bool {
    let goes_on = |below: &str| {
        below.starts_with(|c: char| c.is_ascii_lowercase())
            || below.starts_with(' ') && !below.trim_ascii().is_empty()
            || line.ends_with(' ') && below.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    line.len() >= NARROWEST
        && goes_on(below)
        && matches!(kind(time_stamp(line.trim_ascii()).1), Some(Line::Error(..)))
        && kind(below.trim_ascii()).is_none()
        && !below.contains(|c: char| c.is_ascii_digit())
}

/// The command, and what else stands above.
fn is_preamble(block: &Block, number: u64, text: &str) -> bool {
    number == block.first_line
        || super::is_command(text)
        || super::is_told_vpn(text)
        || crate::when::is_router_clock(text)
}

fn header(text: &str, command: Option<&Command>, run: &mut Run) {
    if let Some(rest) = text.strip_prefix("PING6(") {
        return header_of_ping6(rest, run);
    }
    if let Some(rest) = text.strip_prefix("Ping(ICMP) ") {
        // EXOS: `192.0.2.1: 4 packets, 8 data bytes, interval 1 second(s).`
        let (to, rest) = leading_host(rest);
        run.tally.size_bytes = rest
            .split_once(", ")
            .and_then(|(_, sizes)| size(sizes, is_v6(&to, rest)));
        run.to = to;
        return;
    }
    if let Some(rest) = text.strip_prefix("ARPING ") {
        run.tool = "arping";
        (run.to, _) = leading_host(rest);
        run.from = rest
            .split_once(" from ")
            .map_or_else(Node::default, |(_, from)| leading_host(from).0);
        return;
    }
    let rest = ["PING ", "Ping ", "ping "]
        .iter()
        .find_map(|name| text.strip_prefix(name))
        .unwrap_or(text);
    let hostless = rest.split_ascii_whitespace().nth(1) == Some("data");
    let (to, rest) = if hostless {
        (Node::default(), rest)
    } else {
        named_twice(rest).unwrap_or_else(|| named(rest))
    };
    let sizes = if let Some(rest) = rest.trim_ascii_start().strip_prefix("from ") {
        let (from, rest) = leading_host(rest);
        run.from = from;
        rest
    } else if let Some(to_host) = rest.trim_ascii_start().strip_prefix("to ") {
        // scamper: `ping SOURCE to DESTINATION: 84 byte packets`, the whole packet.
        run.tool = "scamper";
        run.from = to;
        let (to, rest) = leading_host(to_host);
        run.to = to;
        run.tally.size_bytes = rest.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
        return;
    } else {
        rest
    };
    run.tally.size_bytes = size(sizes, is_v6(&to, text));
    let is_bsd = sizes.contains("data bytes") && !matches!(to.address, Some(IpAddr::V6(_)));
    if is_bsd && command.is_some_and(|command| command.capital_d) {
        run.tally.dont_fragment = Some(true);
    }
    run.to = to;
}

/// The host of a header, of AIX with a colon between name and address: `a.example: (192.0.2.1): 56 data bytes`.
fn named(text: &str) -> (Node, &str) {
    let (mut node, rest) = leading_host(text);
    let behind = rest.trim_ascii_start();
    if node.address.is_none()
        && let Some((address, rest)) = behind.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    {
        set_address(&mut node, address);
        if node.address.is_some() {
            return (node, rest);
        }
    }
    (node, rest)
}

/// iputils on IPv6: `host(host.example (2001:db8::1)) 56 data bytes`: what was asked for, its canonical name, the address.
fn named_twice(text: &str) -> Option<(Node, &str)> {
    let (asked, behind) = text.split_once('(')?;
    let (canonical, behind) = behind.split_once(" (")?;
    let (address, rest) = behind.split_once("))")?;
    let is_word = |word: &str| !word.is_empty() && !word.contains([' ', ')']);
    if !is_word(asked) || !is_word(canonical) {
        return None;
    }
    let mut node = host(asked);
    set_address(&mut node, address);
    node.address.is_some().then_some((node, rest))
}

/// KAME's `PING6(56=40+8+8 bytes) 2001:db8::1 --> 2001:db8::2`: the first figure is the whole packet.
fn header_of_ping6(rest: &str, run: &mut Run) {
    run.tally.size_bytes = rest.split('=').next().and_then(|n| n.parse().ok());
    if let Some((_, hosts)) = rest.split_once(')') {
        let (from, to) = hosts.split_once("-->").unwrap_or(("", ""));
        run.from = leading_host(from).0;
        run.to = leading_host(to).0;
    }
}

/// Of which family the packets are. An address that somebody hid, or that is damaged, still has the signs of its family.
fn is_v6(to: &Node, header: &str) -> bool {
    let hidden = || header.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match to.address {
        Some(address) => address.is_ipv6(),
        None => hidden().is_some_and(|(address, _)| address.contains(':')),
    }
}

/// `8972(9000) bytes of data.` names the whole packet; `56 data bytes` only what ICMP carries.
fn size(text: &str, is_v6: bool) -> Option<u32> {
    let word = text
        .split_ascii_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    if let Some((_, whole)) = word.split_once('(') {
        return whole.trim_end_matches(')').parse().ok();
    }
    let overhead = if is_v6 { IPV6_OVERHEAD } else { IPV4_OVERHEAD };
    word.parse::<u32>().ok()?.checked_add(overhead)
}

/// Takes a line between header and end; whether it was understood.
fn body(text: &str, run: &mut Run) -> bool {
    let pointed = with_points(text);
    let (stamp, text) = time_stamp(&pointed);
    run.at = run.at.or(stamp);
    if let Some((_, rest)) = text
        .strip_prefix("packet seq=")
        .and_then(|rest| rest.split_once(" bounced at "))
    {
        // NIKHEF's ping: `packet seq=552 bounced at HOST (ADDRESS): Frag reassembly time exceeded`.
        let (from, said) = leading_host(rest);
        run.tally.error(Some(from), said, 1);
        return true;
    }
    if let Some(number) = overdue(text) {
        run.numbers.overdue(number);
        return true;
    }
    let Some(line) = kind(text) else { return false };
    if let Some(number) = sequence(text) {
        match line {
            Line::Reply(..) | Line::Error(..) => run.numbers.answered(number),
            Line::Silent => {
                run.numbers.overdue(number);
                return true;
            }
            _ => {}
        }
    }
    run.tally.has_statistics |= matches!(line, Line::Heading(_) | Line::Counts(_) | Line::Times(_));
    match line {
        Line::Reply(who, ns) => {
            run.answered(who);
            run.tally.reply(ns);
            run.is_time_unread = ns.is_none() && tells_time(text);
        }
        Line::Error(from, said) => run.tally.error(Some(from), said, 1),
        Line::Refused(said) => run.tally.error(None, said, 1),
        Line::Silent => run.tally.silent += 1,
        Line::Heading(node) if run.to.is_unknown() => run.to = node,
        Line::Counts(counts) => run.tally.counts(counts),
        Line::Times(times) => run.tally.summary = Some(times),
        Line::Duplicate => run.tally.duplicates = Some(run.tally.duplicates.unwrap_or(0) + 1),
        Line::Heading(_) | Line::Remark => {}
    }
    true
}

/// `no answer yet for icmp_seq=2` of iputils' `-O`, which speaks the language of its user.
fn overdue(text: &str) -> Option<u64> {
    let (words, number) = parted(text, "icmp_seq=")?;
    let is_said = words.ends_with(' ') && !words.contains(|c: char| c.is_ascii_digit() || c == ':');
    number.parse().ok().filter(|_| is_said)
}

/// iputils' `-D`: `[1795259432.792957] 64 bytes from …`.
fn time_stamp(text: &str) -> (Option<Timestamp>, &str) {
    let Some((stamp, rest)) = text.strip_prefix('[').and_then(|text| text.split_once("] ")) else {
        return (None, text);
    };
    let at = stamp.split_once('.').and_then(|(seconds, micros)| {
        let micros: i64 = (micros.len() == 6).then(|| micros.parse().ok())??;
        let seconds: i64 = seconds.parse().ok()?;
        seconds
            .checked_mul(1_000_000)?
            .checked_add(micros)?
            .checked_mul(1000)
    });
    (at.map(Timestamp), rest)
}
