//! Ping of Cisco's systems, and of those that print like them (ScreenOS, Brocade, AireOS): the simple command and the extended
//! dialogue.

use super::run::Run;
use super::tally::statistics;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::{host, leading_host, rtt_ms};
use crate::stray::Strays;
use crate::text::{Beginnings, parted};
use crate::when::is_router_clock;
use evidence::Node;

/// What the marks mean (IOS Command Reference, `ping`); `!` is a reply and `.` is silence.
const MARKS: &[(u8, &str)] = &[
    (b'U', "U: destination unreachable"),
    (b'N', "N: network unreachable"),
    (b'P', "P: protocol unreachable"),
    (b'M', "M: could not fragment"),
    (b'Q', "Q: source quench"),
    (b'&', "&: time to live exceeded"),
    (b'T', "T: time to live exceeded"),
    (b'A', "A: administratively prohibited"),
    (b'B', "B: packet too big"),
    (b'H', "H: host unreachable"),
    (b'?', "?: unknown packet type"),
];

/// What ping of an MPLS path means by its letters (`Codes:` in its output).
const MPLS_MARKS: &str = "QLBDFfMmNPpRIldXx";

static BEGINNINGS: Beginnings = Beginnings::new(&[
    "Type escape sequence",
    "Type Control-c to abort",
    "Packet sent with",
    "Packet has",
    "Success rate is",
    "Success Rate is",
    "Protocol [",
    "Target IP address",
    "Target IPv6 address",
    "Repeat count [",
    "Datagram size [",
    "Timeout in seconds [",
    "Extended commands [",
    "Extended commands?",
    "Source address or interface",
    "Source address:",
    "Ingress ping [",
    "Type of service [",
    "DSCP Value [",
    "Set DF bit in IP header",
    "Validate reply data",
    "Reply data will be validated",
    "Data pattern [",
    "Loose, Strict, Record",
    "Sweep range of sizes",
    "Sweep min size",
    "Sweep max size",
    "Sweep interval",
    "UDP protocol?",
    "Verbose?",
    "Precedence [",
    "Include hop by hop option",
    "Include destination option",
    "Reply to request ",
    "% No valid route",
    "Send count=",
    "Total Time Elapsed",
    "Codes: '",
    "Output Interface: ",
]);

/// What begins lines below the header alone: elsewhere it may begin anybody's.
const BELOW: &[&str] = &["Reply from ", "Request ", "'", "timeout is ", "from "];

pub(super) fn is_line(block: &Block, text: &str) -> bool {
    is_marks(text)
        || BEGINNINGS.begin(text)
        || text.ends_with(" errors.") && text.contains(" multicast replies")
        || (is_below(text) && block.has(|line| line.trim_ascii_start().starts_with("Sending ")))
}

/// Whether a line sums up.
pub(super) fn is_count(text: &str) -> bool {
    text.starts_with("Success rate ") || is_of_controller(text)
}

/// A wireless controller's whole output: `Send count=3, Receive count=3 from 192.0.2.1`.
pub(super) fn is_of_controller(text: &str) -> bool {
    text.starts_with("Send count=")
}

fn is_below(text: &str) -> bool {
    BELOW.iter().any(|beginning| text.starts_with(beginning))
}

/// `!!!!!`, `U.U.U`: a line of nothing but marks.
fn is_marks(text: &str) -> bool {
    let is_mark = |byte: u8| matches!(byte, b'!' | b'.') || MARKS.iter().any(|(mark, _)| *mark == byte);
    let is_any = |byte: u8| is_mark(byte) || MPLS_MARKS.as_bytes().contains(&byte);
    !text.is_empty() && (text.bytes().all(is_mark) || text.contains(['!', '.']) && text.bytes().all(is_any))
}

pub(super) fn read(block: &Block, findings: &mut Findings) -> Run {
    let mut reader = Reader::default();
    reader.run.tool = "Cisco ping";
    let mut strays = Strays::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        let is_above = number == block.first_line || super::is_command(text) || is_router_clock(text);
        if !reader.line(text) && !is_above {
            strays.push(number, text);
        }
    }
    strays.tell(block, findings);
    reader.finish()
}

#[derive(Default)]
struct Reader {
    run: Run,
    /// Marks, and what they are: all, replies.
    marks: (u64, u64),
    /// The last request that was answered, where a line tells of each answer.
    answered: Option<u64>,
    is_mpls: bool,
}

impl Reader {
    /// Takes a line; whether it was understood.
    fn line(&mut self, text: &str) -> bool {
        let run = &mut self.run;
        if let Some(rest) = text.strip_prefix("Sending ") {
            self.is_mpls = rest.contains("MPLS Echo");
            header(rest, run);
        } else if let Some(rest) = text.strip_prefix("Send count=") {
            wireless(rest, run);
        } else if let Some(source) = text.strip_prefix("Packet sent with a source address of ") {
            // IPv6 in a VRF: `2001:db8::1%blue`
            run.from = host(source.split('%').next().unwrap_or(source));
        } else if let Some(source) = text.strip_prefix("from ") {
            // ASA's ping tcp: `from 192.0.2.1, timeout is 2 seconds:`
            run.from = leading_host(source).0;
        } else if text.starts_with("Packet sent with the DF bit set") {
            run.tally.dont_fragment = Some(true);
        } else if let Some((_, answer)) = parted(text, "Set DF bit in IP header? [no]:") {
            run.tally.dont_fragment = Some(answer.trim_ascii().starts_with('y'));
        } else if text.starts_with("Success rate is ") || text.starts_with("Success Rate is ") {
            success(text, run);
        } else if text.starts_with("% No valid route") {
            run.tally.error(None, text.trim_start_matches("% "), 1);
        } else if text.starts_with("Reply ") {
            self.reply(text);
        } else if text.starts_with("Request ") {
            run.tally.silent += 1;
        } else if is_marks(text) {
            self.marks(text);
        } else {
            return text.is_empty()
                || BEGINNINGS.begin(text)
                || is_below(text)
                || text.contains(" multicast replies");
        }
        true
    }

    /// `Reply to request 0 from 192.0.2.2, 3 ms`, `Reply to request 0 received from 2001:db8::2, 38 ms`, `Reply to request 0 (4 ms)`:
    /// several may answer what was sent to all. `Reply from 192.0.2.1  : bytes=16 time=2ms TTL=64` (Brocade).
    fn reply(&mut self, text: &str) {
        let ms = |figure: &str| figure.split_ascii_whitespace().next().and_then(rtt_ms);
        if let Some(rest) = text.strip_prefix("Reply to request ") {
            let number: Option<u64> = rest.split_ascii_whitespace().next().and_then(|n| n.parse().ok());
            let time = rest.rsplit_once([',', '(']).and_then(|(_, figure)| ms(figure));
            if number.is_some() && number <= self.answered {
                let more = self.run.tally.duplicates.unwrap_or(0);
                self.run.tally.duplicates = Some(more + 1);
            } else {
                self.answered = number;
                self.run.tally.reply(time);
            }
        } else {
            let time = parted(text, "time=").map_or("", |(_, time)| time);
            let number = time.split(|c: char| !(c.is_ascii_digit() || c == '.')).next();
            self.run.tally.reply(number.and_then(rtt_ms));
        }
    }

    fn marks(&mut self, text: &str) {
        let count = |mark: u8| text.bytes().filter(|byte| *byte == mark).count() as u64;
        self.marks.0 += text.len() as u64;
        self.marks.1 += count(b'!');
        self.run.tally.silent += count(b'.');
        (0..count(b'!')).for_each(|_| self.run.tally.reply(None));
        if self.is_mpls {
            for mark in MPLS_MARKS.bytes().filter(|mark| count(*mark) > 0) {
                let text = format!("{}: no echo of the MPLS path", char::from(mark));
                self.run.tally.error(Some(Node::default()), &text, count(mark));
            }
            return;
        }
        for (mark, meaning) in MARKS {
            match count(*mark) {
                0 => {}
                // Somebody answered, but IOS does not print who.
                n => self.run.tally.error(Some(Node::default()), meaning, n),
            }
        }
    }

    /// Where there are not as many marks as packets, a line of them is lost or stands twice.
    fn finish(mut self) -> Run {
        let tally = &mut self.run.tally;
        let (marks, replies) = self.marks;
        let is_all = tally.sent.is_none_or(|sent| sent == marks);
        let is_right = tally.received.is_none_or(|received| received == replies);
        if marks > replies && tally.errors() > 0 && !(is_all && is_right) {
            tally.forget_errors();
            tally.contradictions.push(format!(
                "{marks} marks, {replies} of them replies, are not those of the packets counted below: they are not used"
            ));
        }
        self.run
    }
}

/// `5, 100-byte ICMP Echos to 240.0.0.1, timeout is 2 seconds:`, of some versions without the second comma, or with a VRF behind
/// the host. The datagram size of IOS is the whole IP packet; that of Brocade, `16-byte ICMP Echo to 240.0.0.1, timeout 5000 msec, TTL 64`,
/// is what the packet carries.
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
    let to = if line_ends { to.trim_end_matches(':') } else { to };
    if rest.contains("MPLS Echo") {
        // `192.0.2.4/32` is a prefix, and `Tunnel100` no host.
        let address = to.split('/').next().unwrap_or(to);
        run.to = address
            .parse::<std::net::IpAddr>()
            .map(Node::from)
            .unwrap_or_default();
    } else {
        run.to = host(to);
    }
    // One echo of Brocade's stands for all; a line that was cut or damaged there may be of either.
    const OF_PAYLOAD: &str = "ICMP Echo to ";
    let behind = parted(rest, "-byte ").map_or("", |(_, behind)| behind);
    let headers = if to.contains(':') { 48 } else { 28 };
    let size = run.tally.size_bytes;
    run.tally.size_bytes = match behind {
        _ if rest.contains("timeout is ") => size,
        behind if behind.starts_with(OF_PAYLOAD) => size.and_then(|size| size.checked_add(headers)),
        behind if !behind.contains(" Echos ") => None,
        _ => size,
    };
}

/// AireOS: `10, Receive count=10 from 192.0.2.1, Packet size = 2000`
fn wireless(rest: &str, run: &mut Run) {
    run.tally.sent = rest.split(',').next().and_then(|n| n.trim_ascii().parse().ok());
    let received = parted(rest, "Receive count=").map_or("", |(_, rest)| rest);
    let mut words = received.split([' ', ',']).filter(|word| !word.is_empty());
    run.tally.received = words.next().and_then(|n| n.parse().ok());
    if words.next() == Some("from") {
        run.to = host(words.next().unwrap_or(""));
    }
}

/// `80 percent (4/5), round-trip min/avg/max = 1/2/4 ms`
fn success(text: &str, run: &mut Run) {
    let counts = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    if let Some((received, sent)) = counts.and_then(|(counts, _)| counts.split_once('/')) {
        run.tally.received = received.parse().ok();
        run.tally.sent = sent.parse().ok();
    }
    run.tally.summary = statistics(text);
    run.tally.has_statistics = true;
}
