//! What a line of Unix' pings is: told by its shape, as iputils speaks the language of its user, and makers of routers put the
//! same figures in words of their own.

use super::counts::{Counts, counts, heading};
use super::tally::statistics;
use crate::host::{LONGEST_RTT_NS, leading_host, split_host};
use crate::text::{Beginnings, holds, nanos, parted};
use evidence::{DelayStatistics, Node};
use memchr::memchr;

/// A line of the output, between header and end.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'t> {
    /// Who answered, with the time where one is printed.
    Reply(&'t str, Option<u64>),
    /// An answer to a request that was answered before.
    Duplicate,
    /// Somebody else's answer: who, and what it says.
    Error(Node, &'t str),
    /// What the own host says instead of sending.
    Refused(&'t str),
    /// A request without an answer.
    Silent,
    /// What stands above the statistics: the host that they are of.
    Heading(Node),
    /// Counts of the statistics, all of them or one.
    Counts(Counts),
    /// Times of the statistics.
    Times(DelayStatistics),
    /// What holds no figure of the run.
    Remark,
}

/// Requests of which the output says that nothing came back.
static SILENT: Beginnings = Beginnings::new(&[
    "Request timeout for",
    "Request timed out",
    "Request time out",
    "Request Timed Out",
    "no reply from",
    "Timeout ...",
]);

/// The own host's words.
static REFUSED: Beginnings = Beginnings::new(&[
    "sendto failed",
    "sendto() failed",
    "sendto: ",
    "sendmsg: ",
    "connect: ",
    "Send failed",
    "% No valid route",
    "The destination address is unreachable",
]);

static REMARKS: Beginnings = Beginnings::new(&[
    "PATTERN: ",
    "WARNING: ",
    "Warning: ",
    "Do you want to ping broadcast",
    "no answer yet for",
    "for udp from",
    "for tcp from",
    "for icmp from",
    "^C",
    "^Z",
    "pipe ",
    "Vr HL TOS",
    "wrong data byte",
    "RR: ",
    "TS:",
    "Unrecorded hops: ",
    "NOP",
    "(same route)",
    "press CTRL",
    "ai->ai_family",
    "Press CTRL",
]);

/// Words in front of the host of an error, in the languages of iputils.
static FROM: &[&str] = &["From ", "Von ", "De ", "Da ", "Desde "];

pub(super) fn kind(text: &str) -> Option<Line<'_>> {
    let first = *text.as_bytes().first()?;
    if is_time_torn(text) {
        return None;
    }
    if let Some((host, said)) = plain_reply(text) {
        return Some(Line::Reply(host, time(said)));
    }
    if let Some((host, said)) = parted(text, " is alive, ").filter(|(host, _)| !host.contains(' ')) {
        return Some(Line::Reply(host, time_apart(said)));
    }
    match first {
        b'-' => heading(text).map(Line::Heading),
        // Asked by SIGQUIT how far it is: `40/40 packets, 0% loss, min/avg/ewma/max = …`.
        b'0'..=b'9' if holds(text, "/avg/ewma/max = ") && !text.starts_with("rtt") => Some(Line::Remark),
        b'0'..=b'9' if is_header_dump(text) => Some(Line::Remark),
        b'0'..=b'9' if let Some(line) = of_old_routeros(text) => Some(line),
        _ if holds(text, "seq=") || behind_size(text).is_some() => answer(text),
        b'R' if text.starts_with("Reply from ") => answer(text),
        b'p' if text.starts_with("packet seq=") => Some(Line::Remark),
        b'p' if text.starts_with("ping") => refused(text),
        b'r' if text.starts_with("rtt ")
            || text.starts_with("round-trip")
            || text.starts_with("round trip min/") =>
        {
            Some(statistics(text).map_or(Line::Remark, Line::Times))
        }
        b'R' if SILENT.begin(text) || text.starts_with("Request ") && text.ends_with(" timed out") => {
            Some(Line::Silent)
        }
        b'R' if text.starts_with("RTT[ms]: min = ") => {
            Some(statistics(text).map_or(Line::Remark, Line::Times))
        }
        b'U' | b'B' | b'S' | b'R' if let Some(line) = arp(text) => Some(line),
        _ if SILENT.begin(text) => Some(Line::Silent),
        _ if REFUSED.begin(text) => Some(Line::Refused(text)),
        _ if REMARKS.begin(text) => Some(Line::Remark),
        _ => counts(text).map(Line::Counts),
    }
}

/// RouterOS before version 6: `192.0.2.1 64 byte ping: ttl=64 time=10 ms`, `192.0.2.1 ping timeout`.
pub(super) fn of_old_routeros(text: &str) -> Option<Line<'_>> {
    let (host, said) = text.split_once(' ')?;
    if said == "ping timeout" {
        return Some(Line::Silent);
    }
    let (size, said) = said.split_once(" byte ping:")?;
    let is_size = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
    // What is cut is an answer all the same; `time=1` may be what is left of `time=10 ms`.
    let is_whole = said.starts_with(" ttl=") && said.trim_ascii_end().ends_with('s');
    is_size.then(|| Line::Reply(host, time(said).filter(|_| is_whole)))
}

/// Whether a reply ends within its time: `time=1` may be what is left of `time=19.3 ms`, and a mark of a duplicate may have stood behind it.
/// So it is where something else was taken for its end, and not a unit.
fn is_time_torn(text: &str) -> bool {
    let is_of_figure = |c: char| c.is_ascii_digit() || c == '.';
    let is_cut = |time: &str| {
        let unit = time.trim_start_matches(is_of_figure).chars().next();
        unit.is_none_or(|unit| unit.is_ascii_alphabetic() && !matches!(unit, 'm' | 'n' | 'u' | 's'))
    };
    behind_size(text).is_some()
        && parted(text, "time=").is_some_and(|(_, time)| time.starts_with(is_of_figure) && is_cut(time))
}

/// Of ProCurve's switches: `192.0.2.1 is alive, iteration 2, time = 1 ms`, and `time < 1 ms` is no figure.
fn time_apart(said: &str) -> Option<u64> {
    let (_, time) = said.rsplit_once("time = ")?;
    let ms = time.trim_ascii().strip_suffix(" ms")?;
    nanos(ms, 1e6).filter(|ns| *ns <= LONGEST_RTT_NS)
}

/// iputils' arping: `Unicast reply from 192.0.2.1 [00:00:5E:00:53:01]  0.753ms`, `Sent 3 probes (1 broadcast(s))`, `Received 3
/// response(s)`.
fn arp(text: &str) -> Option<Line<'_>> {
    let counted = |name: &str, end: &str| {
        let (count, rest) = text.strip_prefix(name)?.split_once(' ')?;
        rest.starts_with(end).then(|| count.parse().ok())?
    };
    if let Some(sent) = counted("Sent ", "probes") {
        return Some(Line::Counts(Counts {
            sent: Some(sent),
            ..Counts::default()
        }));
    }
    if let Some(received) = counted("Received ", "response(s)") {
        return Some(Line::Counts(Counts {
            received: Some(received),
            ..Counts::default()
        }));
    }
    let (_, who) = text
        .split_once("cast reply from ")
        .filter(|(kind, _)| matches!(*kind, "Uni" | "Broad"))?;
    let (host, time) = who.split_once(" [")?;
    let (_, time) = time.split_once("] ")?;
    let ms = time.trim_ascii().strip_suffix("ms")?;
    Some(Line::Reply(
        host,
        nanos(ms, 1e6).filter(|ns| *ns <= LONGEST_RTT_NS),
    ))
}

/// `ping: sendto: No route to host`, `ping6: …`
fn refused(text: &str) -> Option<Line<'_>> {
    let (program, said) = text.split_once(": ")?;
    if !matches!(program, "ping" | "ping6" | "ping4") {
        return None;
    }
    // What `-v` says of its sockets, and what it only warns of.
    let is_remark = said.contains(".fd: ") || said.starts_with("Warning") || said.starts_with("WARNING");
    Some(if is_remark {
        Line::Remark
    } else {
        Line::Refused(said)
    })
}

/// What follows `64 bytes from `.
pub(super) fn behind_size(text: &str) -> Option<&str> {
    let behind_figure = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = behind_figure.strip_prefix(" bytes from ");
    rest.filter(|_| behind_figure.len() < text.len())
}

/// `64 bytes from a.example (192.0.2.1): icmp_seq=1 ttl=57 time=11.3 ms`, as nearly all lines are, however long a run is: the host, not
/// taken apart, and the figures.
fn plain_reply(text: &str) -> Option<(&str, &str)> {
    let rest = behind_size(text)?;
    let (before, said) = rest.split_at_checked(memchr(b'=', rest.as_bytes())?)?;
    let host = before.strip_suffix("seq")?;
    let host = host.strip_suffix("icmp_").unwrap_or(host);
    // Somebody may have taken the address out, with its colon or without.
    let host = if host.is_empty() {
        host
    } else {
        host.strip_suffix(": ")?
    };
    // `(DUP!)`, or a mark that has to be looked at more closely.
    let has_mark = memchr(b'!', rest.as_bytes()).is_some();
    (!has_mark).then_some((host, said))
}

/// A line that says who answered what: a reply, an error, or, of other programs, that nothing came.
fn answer(text: &str) -> Option<Line<'_>> {
    if let Some(from) = text.strip_prefix("Reply from ") {
        // Huawei: `Reply from 192.0.2.1: bytes=56 Sequence=1 ttl=255 time=1 ms`
        let (_, said) = from.split_once(' ')?;
        return said.contains("ime").then(|| Line::Reply(from, time(said)));
    }
    if text.starts_with("Request ") {
        return Some(Line::Silent);
    }
    if text.starts_with("no answer yet") || text.starts_with("packet seq=") {
        return Some(Line::Remark);
    }
    if let Some(rest) = behind_size(text) {
        let said = split_host(rest).2;
        return match () {
            () if said.contains("DUP!") => Some(Line::Duplicate),
            // iputils of 2007 to 2011 said `icmp_req`.
            () if said.contains("seq=") || said.contains("icmp_req=") => Some(Line::Reply(rest, time(said))),
            // Habets' arping: `60 bytes from 00:00:5e:00:53:01 (192.0.2.1): index=0 time=1.234 msec`.
            () if said.contains("index=") => {
                let (_, who) = rest.split_once('(')?;
                Some(Line::Reply(who.split_once(')')?.0, time(said)))
            }
            // BSD: `556 bytes from 240.0.0.1: frag needed and DF set (MTU 1492)`.
            () if is_behind_colon(rest, said) && says_something(said) && !is_cut(rest, said) => {
                Some(Line::Error(leading_host(rest).0, said))
            }
            () => None,
        };
    }
    if let Some(rest) = FROM.iter().find_map(|from| text.strip_prefix(from)) {
        let (from, said) = leading_host(rest);
        let said = without_sequence(said);
        // A number that is left stands behind the rest of an address that the line was broken in.
        let is_whole = says_something(said) && !said.contains("icmp_seq=");
        return is_whole.then_some(Line::Error(from, said));
    }
    localized(text)
}

/// Whether these words, the end of a line, stand behind a host and its colon: prose has bytes from somewhere too.
fn is_behind_colon(rest: &str, said: &str) -> bool {
    let host = rest.strip_suffix(said).unwrap_or_default();
    said.starts_with(':') || host.trim_ascii_end().ends_with(':')
}

/// Whether the line of a reply is cut: within the address, which a parenthesis opened, or within the name of its first figure.
fn is_cut(rest: &str, said: &str) -> bool {
    let is_open = rest
        .rfind('(')
        .is_some_and(|open| rest.get(open..).is_some_and(|inner| !inner.contains(')')));
    is_open || "icmp_seq=".starts_with(said.trim_matches([':', ' ']))
}

/// Whether somebody's words are there, and not cut away.
///
/// What names the lifetime of an answer is a reply of a tool that prints replies otherwise, and no error.
fn says_something(said: &str) -> bool {
    let is_of_reply = said.contains("ttl=");
    // A line of its own, and no words of an error: `Request 1 timed out`.
    let has_another = said.contains("Request ") && said.ends_with("timed out");
    !is_of_reply
        && !has_another
        && said
            .bytes()
            .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
}

/// `64 Bytes von a.example (192.0.2.1): icmp_seq=1 ttl=57 Zeit=11.3 ms`: size, words, host, and the same names of figures but the
/// time's.
fn localized(text: &str) -> Option<Line<'_>> {
    let (before, said) = text.split_once("icmp_seq=")?;
    let before = before.trim_end_matches([' ', ':', '：']);
    if !before.starts_with(|c: char| c.is_ascii_digit()) || !said.contains("ttl=") {
        return None;
    }
    let name = before.rsplit_once(" (").filter(|_| before.ends_with(')'));
    let begin = match name {
        Some((names, _)) => names.rfind(char::is_whitespace)?,
        None => before.rfind(char::is_whitespace)?,
    };
    if said.contains("DUP!") {
        return Some(Line::Duplicate);
    }
    let host = before.get(begin..)?.trim_ascii_start();
    Some(Line::Reply(host, time(said)))
}

/// The time of a reply: behind `time=`, or, in another language, the last figure behind the one of `ttl=`.
fn time(said: &str) -> Option<u64> {
    let figure = match parted(said, "time=") {
        Some((_, figure)) => figure,
        None => {
            let behind_ttl = said.split_once("ttl=")?.1;
            behind_ttl.split_once('=')?.1
        }
    };
    let text = figure.trim_ascii_start();
    let end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || byte == b'.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    // `3D22.1` of a mail that was not decoded is not 3: a figure ends where no other begins.
    let behind_letters = unit.trim_start_matches(char::is_alphabetic);
    if behind_letters.len() < unit.len() && behind_letters.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    nanos(number, scale(unit.trim_ascii_start())?).filter(|ns| *ns <= LONGEST_RTT_NS)
}

/// How many nanoseconds such a unit has. Milliseconds stand in letters of any language, and a unit that was cut away was one as well; small
/// systems count ticks of their clock, which nobody knows the length of.
fn scale(unit: &str) -> Option<f64> {
    const MICROSECONDS: [&str; 4] = ["us", "\u{b5}s", "\u{3bc}s", "\u{43c}\u{43a}\u{441}"];
    match unit {
        _ if MICROSECONDS.iter().any(|known| unit.starts_with(known)) => Some(1e3),
        _ if unit.starts_with("ns") => Some(1.0),
        _ if unit.starts_with("sec") || unit == "s" => Some(1e9),
        _ if unit.starts_with("tick") => None,
        _ => Some(1e6),
    }
}

/// Whether a line tells a time, be it one that cannot be read.
pub(super) fn tells_time(text: &str) -> bool {
    parted(text, "time=").is_some_and(|(_, time)| time.starts_with(|c: char| c.is_ascii_digit()))
}

/// `icmp_seq=1 Frag needed` without the number, which would make each error one of its own.
fn without_sequence(said: &str) -> &str {
    let said = said.trim_start_matches([':', ' ']);
    match said.split_once(' ') {
        Some((first, rest)) if first.contains("seq=") => rest.trim_start_matches([':', ' ']),
        None if said.contains("seq=") => "",
        _ => said,
    }
}

/// BSD prints the IP header that an ICMP error quotes: ` 4  5  00 05dc 6f3c   2 0000  40  01 …  10.0.0.1  10.0.0.2`.
fn is_header_dump(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    words.next() == Some("4") && words.next() == Some("5") && words.count() >= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_in_any_language() {
        for (line, host, ms) in [
            (
                "64 bytes from a.example (192.0.2.1): icmp_seq=1 ttl=57 time=11.3 ms",
                "a.example (192.0.2.1)",
                11.3,
            ),
            (
                "64 Bytes von a.example (192.0.2.1): icmp_seq=1 ttl=57 Zeit=11.3 ms",
                "a.example (192.0.2.1)",
                11.3,
            ),
            (
                "64 octets de 192.0.2.1 : icmp_seq=1 ttl=57 temps=11.3 ms",
                "192.0.2.1",
                11.3,
            ),
            (
                "64 バイト応答 送信元 192.0.2.1: icmp_seq=1 ttl=57 時間=11.3ミリ秒",
                "192.0.2.1",
                11.3,
            ),
            (
                "64 字节，来自 192.0.2.1: icmp_seq=1 ttl=57 时间=11.3 毫秒",
                "192.0.2.1",
                11.3,
            ),
            (
                "Reply from 192.0.2.1: bytes=56 Sequence=1 ttl=255 time=1 ms",
                "192.0.2.1",
                1.0,
            ),
            (
                "64 bytes from 192.0.2.1: seq=0 ttl=57 time=980 us",
                "192.0.2.1",
                0.98,
            ),
        ] {
            let Some(Line::Reply(rest, time)) = kind(line) else {
                panic!("{line}")
            };
            assert_eq!(leading_host(rest).0.to_string(), host, "{line}");
            assert_eq!(time, Some((ms * 1e6) as u64), "{line}");
        }
        assert_eq!(
            kind("64 bytes from a.example (192.0.2.1):"),
            None,
            "a line that was cut"
        );
        assert_eq!(
            kind("64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=1.3 ms (DUP!)"),
            Some(Line::Duplicate)
        );
        assert_eq!(
            kind("36 bytes from 192.0.2.7: Destination Host Unreachable"),
            Some(Line::Error(
                Node::read("192.0.2.7"),
                " Destination Host Unreachable"
            ))
        );
    }
}
