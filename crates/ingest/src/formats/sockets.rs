//! `ss`: the sockets of a host, and with `-i` the kernel's account of each TCP connection.
//!
//! `ss` leaves out what is zero. Where every kernel that prints the rest has the figure, its absence is read as zero;
//! elsewhere it stays unknown.

mod account;
mod figures;

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{arguments, facts, is_gap, is_only};
use account::{Accounts, is_account};
use evidence::{HostFacts, Payload, SocketState, Sockets};

pub(crate) static FORMAT: Format = Format {
    name: "ss",
    group: Group::Hosts,
    reads: "sockets and the kernel's account of each connection: `ss -ti`, also with `-a`, `-n`, `-m`, `-o`, `-e`, `-p`, `-O`, \
            `-H`, of UDP and MPTCP, and the summary `ss -s`",
    first: "SNEFTCLUtumRsnpvix",
    has_command: true,
    marks: Some(|| {
        Marks::of(STATES)
            .and(["Recv-Q", "Total: ", "ss -", "ss  ", "ss\t", "ss state"])
            .or(|line| line.trim_ascii_end().ends_with("ss"))
    }),
    starts: |line| {
        is_header(line)
            || socket(line, false).is_some()
            || is_within(line)
            || is_command(line)
            || is_summary(line)
    },
    continues,
    takes_in: None,
    read,
};

const STATES: [&str; 11] = [
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "CLOSE-WAIT",
    "LAST-ACK",
    "LISTEN",
    "CLOSING",
    "UNCONN",
];

const PROTOCOLS: [&str; 8] = ["tcp", "udp", "mptcp", "sctp", "dccp", "raw", "icmp6", "icmp"];

/// Sockets within the host, of `ss -a` without `-t`: they carry nothing to another one.
const WITHIN: [&str; 13] = [
    "nl", "u_str", "u_dgr", "u_seq", "p_raw", "p_dgr", "v_str", "v_dgr", "xdp", "ti_st", "ti_dg", "ti_rd",
    "ti_sq",
];

/// `u_str ESTAB 0 0 /run/dbus/system_bus_socket 20931 * 20930`
fn is_within(line: &str) -> bool {
    let Some((first, rest)) = word(line) else {
        return false;
    };
    WITHIN.contains(&first)
        && word(rest).is_some_and(|(state, rest)| STATES.contains(&state) && number(rest).is_some())
}

fn continues(block: &Block, line: &str) -> bool {
    if is_gap(block, line, is_command) || is_only(block, is_command) && (is_header(line) || is_summary(line))
    {
        return true;
    }
    if block.begins_with(2, is_summary) {
        return summary_row(line).is_some()
            || line.starts_with("Transport")
            || line.trim_ascii().is_empty() && block.len() < 4;
    }
    let headless = block.begins_with(2, |line| line.starts_with("Recv-Q"));
    line.starts_with([' ', '\t']) && !line.trim_ascii().is_empty()
        || socket(line, headless).is_some() && !is_again(block, line, headless)
        || is_within(line)
        || is_account(line) && block.last().is_some_and(|last| !is_header(last))
}

/// Whether a line is of the first connection of the block once more: a loop asked again, without a heading. A copy may have a line twice.
fn is_again(block: &Block, line: &str, headless: bool) -> bool {
    let Some(again) = connection(line, headless) else {
        return false;
    };
    let first = match headless {
        true => block.first_such(|line| connection(line, true).is_some()),
        false => block.first_such(|line| connection(line, false).is_some()),
    };
    first.is_some_and(|first| first != line && connection(first, headless) == Some(again))
}

/// Both ends of a socket that has two.
fn connection(line: &str, headless: bool) -> Option<(&str, &str)> {
    let socket = socket(line, headless)?;
    (!socket.peer.ends_with('*')).then_some((socket.local, socket.peer))
}

/// The heading; without the state for `ss state established`.
fn is_header(line: &str) -> bool {
    ["State", "Netid", "Recv-Q"]
        .iter()
        .any(|first| line.starts_with(first))
        && line.contains("Recv-Q")
        && line.contains("Address:Port")
}

fn is_command(line: &str) -> bool {
    arguments(line, "ss").is_some_and(|mut words| {
        words
            .next()
            .is_none_or(|word| word.starts_with('-') || word == "state")
    })
}

/// `TCP:   6 (estab 4, closed 1, orphaned 0, timewait 0)`
fn is_summary(line: &str) -> bool {
    line.starts_with("Total: ")
        && line
            .split(' ')
            .nth(1)
            .is_some_and(|number| number.parse::<u64>().is_ok())
}

/// `UDP   0         0         0        ` or `TCP:   6 (estab 4, …)`
fn summary_row(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(['\t', ' ', ':'])?;
    let known = matches!(name, "TCP" | "UDP" | "RAW" | "INET" | "FRAG" | "*");
    (known && rest.bytes().any(|byte| byte.is_ascii_digit())).then_some((name, rest))
}

/// A socket's line.
struct Line<'a> {
    protocol: Option<&'a str>,
    state: Option<&'a str>,
    queues: (u64, u64),
    local: &'a str,
    peer: &'a str,
    rest: &'a str,
}

/// `ESTAB 0 1510243 127.0.0.1:37098 127.0.0.1:5201 …`; `headless`: the heading has no state.
fn socket(line: &str, headless: bool) -> Option<Line<'_>> {
    let (mut first, mut rest) = word(line)?;
    let protocol = PROTOCOLS.contains(&first).then_some(first);
    if protocol.is_some() {
        (first, rest) = word(rest)?;
    }
    let state = STATES.contains(&first).then_some(first);
    let (receive, rest) = match state {
        Some(_) => number(rest)?,
        None if headless => (first.parse().ok()?, rest),
        None => return None,
    };
    let (send, rest) = number(rest)?;
    let (local, rest) = end(rest)?;
    let (peer, rest) = end(rest)?;
    Some(Line {
        protocol,
        state,
        queues: (receive, send),
        local,
        peer,
        rest,
    })
}

/// An end: address and port, which old versions print with a blank between, as the port is set in columns of its own.
fn end(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let (found, rest) = word(text)?;
    if !found.ends_with(':') {
        return found.contains(':').then_some((found, rest));
    }
    // `192.0.2.1:          5201`: the word and its port are one text only where nothing is between them.
    let (_, behind) = word(rest)?;
    let length = text.len().checked_sub(behind.len())?;
    Some((text.get(..length)?, behind))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then_some((word, rest))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let (word, rest) = word(text)?;
    Some((word.parse().ok()?, rest))
}

/// An end without the blanks in front of its port.
fn joined(end: &str) -> String {
    end.chars().filter(|letter| !letter.is_whitespace()).collect()
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if block.begins_with(2, is_summary) {
        return read_summary(block, context, findings);
    }
    let headless = block.begins_with(2, |line| line.starts_with("Recv-Q"));
    let mut accounts = Accounts::default();
    let mut understood = false;
    let asked = asked_for(block);
    for (number, line) in block.numbered() {
        if let Some(found) = socket(line, headless) {
            accounts.open(of_line(&found, asked));
            accounts.take(found.rest, findings, number);
        } else if is_header(line) || is_within(line) || number == block.first_line && is_command(line) {
            understood |= !is_command(line);
            // What stands below a socket within the host is its own.
            accounts.leave(is_within(line));
        } else {
            accounts.take(line, findings, number);
        }
    }
    let connections = accounts.close();
    if !connections.is_empty() {
        findings.record(block, "ss", context.at, Payload::Sockets(Sockets { connections }));
    } else if understood {
        findings.nothing_to_say();
    }
}

/// The protocol of the command: of one alone, `ss` prints no column of them.
fn asked_for(block: &Block) -> Option<&'static str> {
    const OPTIONS: [(char, &str); 5] = [
        ('t', "tcp"),
        ('u', "udp"),
        ('w', "raw"),
        ('S', "sctp"),
        ('d', "dccp"),
    ];
    let words: Vec<&str> = arguments(block.first()?, "ss")?.collect();
    let is_asked = |letter: char, name: &str| {
        let mut words = words.iter().map(|word| (word.trim_start_matches('-'), *word));
        words.any(|(option, word)| {
            option == name
                || word.len() == option.len() + 1 && option.contains(letter) && word.starts_with('-')
        })
    };
    let mut asked = OPTIONS.iter().filter(|(letter, name)| is_asked(*letter, name));
    asked
        .next()
        .filter(|_| asked.next().is_none())
        .map(|(_, name)| *name)
}

fn of_line(line: &Line<'_>, asked: Option<&str>) -> SocketState {
    SocketState {
        local: joined(line.local),
        peer: joined(line.peer),
        state: line.state.map(str::to_owned),
        protocol: line
            .protocol
            .or(asked)
            .filter(|protocol| *protocol != "tcp")
            .map(str::to_owned),
        receive_queue: Some(line.queues.0),
        send_queue: Some(line.queues.1),
        ..SocketState::default()
    }
}

/// `ss -s`: how many sockets there are.
fn read_summary(block: &Block, context: &Context, findings: &mut Findings) {
    let mut facts = facts(block);
    for line in block.lines() {
        let Some(("TCP", rest)) = summary_row(line) else {
            continue;
        };
        let Some((_, inner)) = rest.split_once('(') else {
            continue;
        };
        for part in inner.trim_ascii_end().trim_end_matches(')').split(',') {
            if let Some((name, figure)) = part.trim_ascii().split_once(' ')
                // `timewait 5/0`: of which another table holds some.
                && let Some(Ok(count)) = figure.split('/').next().map(str::parse)
            {
                facts.counters.insert(format!("Sockets.{name}"), count);
            }
        }
    }
    if facts.counters.is_empty() {
        findings.complain(block.first_line, "a summary of sockets without those of TCP");
    } else {
        findings.record(block, "ss", context.at, Payload::HostFacts(HostFacts { ..facts }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_a_header_and_connections_are_one_block() {
        let text = "root@a.example:~# ss -tin\nState Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n\
            ESTAB 0 0 192.0.2.1:35526 192.0.2.2:5201\n\t cubic rtt:20.054/5.713 cwnd:10\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints), (1, Vec::new()));
        assert_eq!(records[0].lines, (1, 4));
        // A second header begins something else.
        let (records, complaints) = crate::import(text.repeat(2).as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints), (2, Vec::new()));
    }

    #[test]
    fn figures_stay_with_their_connection() {
        let text = "ESTAB 0 0 192.0.2.1:1 192.0.2.2:2\n\t cubic rtt:20/5 cwnd:10\nESTAB 0 0 192.0.2.1:3 192.0.2.2:4\n\
                    \t cubic rtt:30/5 cwnd:20\n";
        let swapped: Vec<&str> = text.lines().collect();
        let [a, b, c, d] = swapped.as_slice() else {
            panic!()
        };
        for lines in [[a, c, b, d], [a, b, d, c]] {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let (_, complaints) = crate::import(text.as_bytes(), &Context::default());
            assert!(!complaints.is_empty(), "{text}");
        }
    }

    #[test]
    fn ends() {
        let found = socket(
            "ESTAB 0 0 192.0.2.1%eth0:  35526  [::ffff:192.0.2.2]:5201 users:(())",
            false,
        )
        .unwrap();
        assert_eq!(
            (joined(found.local).as_str(), found.peer),
            ("192.0.2.1%eth0:35526", "[::ffff:192.0.2.2]:5201")
        );
        assert!(socket("0 0 a:1 b:2", true).is_some() && socket("0 0 a:1 b:2", false).is_none());
        assert!(socket("ESTAB is a state", false).is_none());
    }
}
