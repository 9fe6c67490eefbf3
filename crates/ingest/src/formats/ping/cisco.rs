//! Cisco's ping, from the simple command and from the extended dialogue.

use super::run::Run;
use super::tally::statistics;
use crate::block::Block;
use crate::host::host;
use evidence::Node;

/// What the marks mean (IOS Command Reference, `ping`); `!` is a reply and `.` is silence.
const MARKS: &[(u8, &str)] = &[
    (b'U', "U: destination unreachable"),
    (b'N', "N: network unreachable"),
    (b'P', "P: protocol unreachable"),
    (b'M', "M: could not fragment"),
    (b'Q', "Q: source quench"),
    (b'&', "&: time to live exceeded"),
    (b'A', "A: administratively prohibited"),
    (b'?', "?: unknown packet type"),
];

const BEGINNINGS: &[&str] = &[
    "Type escape sequence",
    "Packet sent with",
    "Packet has",
    "Success rate is",
    "Protocol [",
    "Target IP address",
    "Repeat count [",
    "Datagram size [",
    "Timeout in seconds [",
    "Extended commands [",
    "Source address or interface",
    "Type of service [",
    "DSCP Value [",
    "Set DF bit in IP header",
    "Validate reply data",
    "Data pattern [",
    "Loose, Strict, Record",
    "Sweep range of sizes",
];

pub(super) fn is_line(text: &str) -> bool {
    is_marks(text) || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// `!!!!!`, `U.U.U`: a line of nothing but marks.
fn is_marks(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| matches!(byte, b'!' | b'.') || MARKS.iter().any(|(mark, _)| *mark == byte))
}

pub(super) fn read(block: &Block) -> Run {
    let mut run = Run {
        tool: "Cisco ping",
        ..Run::default()
    };
    for line in block.lines() {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("Sending ") {
            header(rest, &mut run);
        } else if let Some(source) = text.strip_prefix("Packet sent with a source address of ") {
            run.from = host(source);
        } else if text.starts_with("Packet sent with the DF bit set") {
            run.tally.dont_fragment = Some(true);
        } else if let Some((_, answer)) = text.split_once("Set DF bit in IP header? [no]:") {
            run.tally.dont_fragment = Some(answer.trim().starts_with('y'));
        } else if text.starts_with("Success rate is ") {
            success(text, &mut run);
        } else if is_marks(text) {
            marks(text, &mut run);
        }
    }
    run
}

/// `5, 100-byte ICMP Echos to 240.0.0.1, timeout is 2 seconds:`, of some versions without the second comma, or with a VRF behind
/// the host. The datagram size of IOS is the whole IP packet.
fn header(rest: &str, run: &mut Run) {
    let size = rest
        .split_once("-byte")
        .and_then(|(before, _)| before.rsplit(' ').next());
    run.tally.size_bytes = size.and_then(|n| n.parse().ok());
    let to = rest
        .split_once(" to ")
        .and_then(|(_, to)| to.split_ascii_whitespace().next());
    let to = to.unwrap_or("").trim_end_matches(',');
    // A colon that ends the line is none of the address, and `2001:db8::` has two.
    let line_ends = rest.ends_with(to) && !to.ends_with("::");
    run.to = host(if line_ends { to.trim_end_matches(':') } else { to });
}

/// `80 percent (4/5), round-trip min/avg/max = 1/2/4 ms`
fn success(text: &str, run: &mut Run) {
    let counts = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    if let Some((received, sent)) = counts.and_then(|(counts, _)| counts.split_once('/')) {
        run.tally.received = received.parse().ok();
        run.tally.sent = sent.parse().ok();
    }
    run.tally.summary = statistics(text);
}

fn marks(text: &str, run: &mut Run) {
    let count = |mark: u8| text.bytes().filter(|byte| *byte == mark).count() as u64;
    run.tally.silent += count(b'.');
    (0..count(b'!')).for_each(|_| run.tally.reply(None));
    for (mark, meaning) in MARKS {
        match count(*mark) {
            0 => {}
            // Somebody answered, but IOS does not print who.
            n => run.tally.error(Some(Node::default()), meaning, n),
        }
    }
}
