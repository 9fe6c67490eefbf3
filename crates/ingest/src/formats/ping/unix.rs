//! iputils, BSD, macOS, BusyBox, Solaris, NIKHEF's ping and scamper's text.

use super::command::Command;
use super::run::{Run, is_header};
use super::tally::{Tally, statistics};
use crate::block::Block;
use crate::host::{behind_host, host, leading_host, rtt_ms, set_address};
use evidence::{Node, Timestamp};
use memchr::memmem::find;
use std::net::IpAddr;

/// ICMP header, and IPv4 header without options.
const IPV4_OVERHEAD: u32 = 28;
/// ICMPv6 header and IPv6 header.
const IPV6_OVERHEAD: u32 = 48;

/// What the lines between header and statistics begin with.
const BEGINNINGS: &[&str] = &[
    "From ",
    "ping: ",
    "ping6: ",
    "Request timeout for",
    "no answer yet for",
    "no reply from",
    "packet seq=",
    "ICMP ",
    "for udp from",
    "for tcp from",
    "for icmp from",
    "---",
    "^C",
    "rtt ",
    "round-trip",
    "pipe ",
    "Vr HL TOS",
    "Warning: time of day",
    "wrong data byte",
];

pub(super) fn is_line(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'0'..=b'9') => {
            behind_size(text).is_some() || text.contains(" packets transmitted") || is_header_dump(text)
        }
        Some(b'[') => {
            let (_, stamped) = time_stamp(text);
            stamped.len() < text.len() && is_line(stamped)
        }
        // NX-OS: `Request 0 timed out`.
        Some(b'R') if text.ends_with(" timed out") => true,
        _ => BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)),
    }
}

/// What follows `64 bytes from `.
fn behind_size(text: &str) -> Option<&str> {
    const WORDS: &str = " bytes from ";
    // Nearly every line of a ping has them behind its first figure: only the others are searched for them.
    let behind_figure = text.trim_start_matches(|c: char| c.is_ascii_digit());
    behind_figure
        .strip_prefix(WORDS)
        .or_else(|| text.split_once(WORDS).map(|(_, rest)| rest))
}

/// BSD prints the IP header that an ICMP error quotes: ` 4  5  00 05dc 6f3c   2 0000  40  01 …  10.0.0.1  10.0.0.2`.
fn is_header_dump(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    words.next() == Some("4") && words.next() == Some("5") && words.count() >= 8
}

pub(super) fn read(block: &Block, command: Option<&Command>) -> Run {
    let mut run = Run {
        tool: "ping",
        ..Run::default()
    };
    let mut quoted: Option<(Node, String)> = None;
    for line in block.lines() {
        let text = line.trim();
        // Solaris breaks what an ICMP error quotes into a second line.
        if let Some((from, mut error)) = quoted.take() {
            if text.starts_with("for ") {
                error = text
                    .split_ascii_whitespace()
                    .fold(error, |all, word| all + " " + word);
            }
            run.tally.error(Some(from), &error, 1);
        }
        if is_header(line) {
            header(text, command, &mut run);
        } else if let Some(said) = text.strip_prefix("ICMP ") {
            let (error, from) = said.split_once(" from ").unwrap_or((said, ""));
            let from = from.strip_prefix("gateway ").unwrap_or(from);
            quoted = Some((leading_host(from).0, format!("ICMP {error}")));
        } else {
            body(text, &mut run);
        }
    }
    if let Some((from, error)) = quoted {
        run.tally.error(Some(from), &error, 1);
    }
    run
}

fn header(text: &str, command: Option<&Command>, run: &mut Run) {
    if let Some(rest) = text.strip_prefix("PING6(") {
        return header_of_ping6(rest, run);
    }
    let rest = text
        .strip_prefix("PING ")
        .or(text.strip_prefix("ping "))
        .unwrap_or(text);
    let hostless = rest.split_ascii_whitespace().nth(1) == Some("data");
    let (to, rest) = if hostless {
        (Node::default(), rest)
    } else {
        named_twice(rest).unwrap_or_else(|| leading_host(rest))
    };
    let sizes = if let Some(rest) = rest.trim_start().strip_prefix("from ") {
        let (from, rest) = leading_host(rest);
        run.from = from;
        rest
    } else if let Some(to_host) = rest.trim_start().strip_prefix("to ") {
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
    run.tally.size_bytes = size(sizes, to.address);
    let is_bsd = sizes.contains("data bytes") && !matches!(to.address, Some(IpAddr::V6(_)));
    if is_bsd && command.is_some_and(|command| command.capital_d) {
        run.tally.dont_fragment = Some(true);
    }
    run.to = to;
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

/// `8972(9000) bytes of data.` names the whole packet; `56 data bytes` only what ICMP carries.
fn size(text: &str, to: Option<IpAddr>) -> Option<u32> {
    let word = text
        .split_ascii_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    if let Some((_, whole)) = word.split_once('(') {
        return whole.trim_end_matches(')').parse().ok();
    }
    let overhead = match to {
        Some(IpAddr::V6(_)) => IPV6_OVERHEAD,
        _ => IPV4_OVERHEAD,
    };
    word.parse::<u32>().ok()?.checked_add(overhead)
}

fn body(text: &str, run: &mut Run) {
    let (stamp, text) = time_stamp(text);
    if let Some(rest) = behind_size(text) {
        if run.at.is_none() {
            run.at = stamp;
        }
        return reply(rest, run);
    }
    let Tally {
        sent,
        received,
        summary,
        ..
    } = &mut run.tally;
    if text.contains("packets transmitted") {
        for part in text.split(',') {
            let count = || part.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
            if part.contains("transmitted") {
                *sent = count();
            } else if part.contains("received") {
                *received = count();
            }
        }
    } else if text.starts_with("rtt ") || text.starts_with("round-trip") {
        *summary = statistics(text);
    } else if let Some(rest) = text.strip_prefix("From ") {
        let (from, said) = leading_host(rest);
        run.tally.error(Some(from), without_sequence(said), 1);
    } else if text.starts_with("packet seq=") {
        // NIKHEF's ping: `packet seq=552 bounced at HOST (ADDRESS): Frag reassembly time exceeded`.
        if let Some((_, rest)) = text.split_once(" bounced at ") {
            let (from, said) = leading_host(rest);
            run.tally.error(Some(from), said, 1);
        }
    } else if let Some(said) = text.strip_prefix("ping: ").or(text.strip_prefix("ping6: ")) {
        run.tally.error(None, said, 1);
    } else if text.starts_with("Request ") || text.starts_with("no reply from") {
        run.tally.silent += 1;
    }
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

fn reply(rest: &str, run: &mut Run) {
    let said = behind_host(rest);
    if !said.contains("seq=") {
        // BSD: `556 bytes from 240.0.0.1: frag needed and DF set (MTU 1492)`.
        return run.tally.error(Some(leading_host(rest).0), said, 1);
    }
    if said.contains("DUP!") {
        return;
    }
    if run.to.is_unknown() {
        // Who answers an echo request is who was asked, also where the document lost the header's host.
        run.to = leading_host(rest).0;
    }
    let time = find(said.as_bytes(), b"time").and_then(|at| said.get(at..)?.strip_prefix("time="));
    let number = time.and_then(|time| time.split([' ', 'm']).next());
    run.tally.reply(number.and_then(rtt_ms));
}

/// `icmp_seq=1 Frag needed` without the number, which would make each error one of its own.
fn without_sequence(said: &str) -> &str {
    let said = said.trim_start_matches([':', ' ']);
    match said.split_once(' ') {
        Some((first, rest)) if first.contains("seq=") => rest,
        _ => said,
    }
}
