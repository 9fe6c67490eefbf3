//! ping, as the programs of this name print it: iputils, BSD and macOS, BusyBox, Solaris, NIKHEF, scamper, Windows, Cisco.
//!
//! A block is one run of ping: the command line where it stands above the output, the header, the replies, the errors
//! and the statistics. A run that was cut off keeps what was counted up to there.

mod cisco;
mod command;
mod counts;
mod device_json;
mod fping;
mod fping_json;
mod irtt;
mod line;
mod net_connection;
mod numbers;
mod pingparsing;
mod powershell;
mod routeros;
mod run;
mod tally;
mod tcp;
mod unix;
mod windows;

pub(crate) use device_json::{NAPALM, NAPALM_TRACE, PYEZ};
pub(crate) use fping::FORMAT as FPING;
pub(crate) use fping_json::KIND as FPING_JSON;
pub(crate) use irtt::FORMAT as IRTT;
pub(crate) use net_connection::FORMAT as NET_CONNECTION;
pub(crate) use pingparsing::KIND as PINGPARSING;
pub(crate) use powershell::FORMAT as TEST_CONNECTION;
pub(crate) use routeros::FORMAT as ROUTEROS;
pub(crate) use tcp::FORMAT as TCP;

use crate::Context;
use crate::block::Block;
use crate::command::{place, prompted};
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings};
use crate::prompt::command_line;
use crate::stray::is_stray;
use crate::text::holds;
use crate::when::is_router_clock;
use command::Command;
use evidence::{Node, Payload, Probes};
use run::{Run, is_header};
use std::net::IpAddr;
use unix::Said;

pub(crate) static FORMAT: Format = Format {
    name: "ping",
    group: Group::Paths,
    reads: "Linux, BSD, macOS, Solaris, NIKHEF, Windows in any language, Cisco, NX-OS: replies, errors and who sent them, statistics, packet size",
    first: "(ABDEFHOP-SVWa-zT0-9Обмен正-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "ping",
            "ARPING ",
            "Disparando ",
            "A enviar ",
            "Badanie ",
            "Обмен пакетами ",
            "Sending ",
            "PATTERN: 0x",
            "Send count=",
            "packet seq=",
            "Type escape sequence",
            " bytes from ",
            " byte ping: ",
            "icmp_seq",
            " packets transmitted, ",
            "rtt min/avg/max",
            "TTL=",
            "tatisti",
            "统计",
            "統計",
        ])
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

/// Two programs print into one terminal, or the runs of two hosts were copied without what stands between them.
const SEVERAL: &str = "replies of several hosts stand among each other: only what the statistics say is used";

/// The header stands within so many lines: a command line, blank lines, Cisco's dialogue.
const PREAMBLE_LINES: usize = 24;

fn starts(line: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|start| line.starts_with(start));
    match line.as_bytes().first() {
        Some(b'P') if is_header(line) || is_folded_header(line) || begins(&["PATTERN: 0x"]) => true,
        Some(b'S') if is_header(line) || begins(&["Send count="]) => true,
        Some(b'p') if is_header(line) || begins(&["packet seq="]) || is_own_complaint(line) => true,
        Some(b'A') if is_header(line) => true,
        Some(b'W') if begins(&["WARNING: pinging broadcast address"]) => true,
        Some(b'T') if begins(&["Type escape sequence to abort"]) => true,
        Some(b'-') => counts::heading(line).is_some_and(|host| !host.is_unknown()),
        Some(b'0'..=b'9')
            if holds(line, " bytes from ") || is_counts(line) || line::of_old_routeros(line).is_some() =>
        {
            true
        }
        Some(b'F' | b'V' | b'D') if unix::is_numbered_error(line) => true,
        Some(b'R' | b'n') if unix::is_numbered_silence(line) => true,
        // `round-trip min/avg/max` is what other programs of this name print too.
        Some(b'r') if begins(&["rtt min/avg/max"]) => true,
        Some(_) => windows::begins(line) || is_command(line) || begins(&["ping mpls "]),
        None => false,
    }
}

/// `5 packets transmitted, 5 received, 0% packet loss`: statistics that were copied alone.
fn is_counts(line: &str) -> bool {
    let behind = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    behind.len() < line.len() && behind.starts_with(" packets transmitted, ")
}

/// `ping: unknown host a.example`: all that a run printed.
fn is_own_complaint(line: &str) -> bool {
    let said = line.strip_prefix("ping: ").or(line.strip_prefix("ping6: "));
    said.is_some_and(|said| UNREACHED.iter().any(|words| said.contains(words)))
}

static UNREACHED: &[&str] = &[
    "unknown host",
    "cannot resolve",
    "bad address",
    "Name or service not known",
    "Temporary failure in name resolution",
    "sendto: ",
    "sendmsg: ",
    "connect: ",
    "unreachable",
    "No route to host",
];

/// `host> ping …` and `ping -s 8972 host`: a prompt, an option or an address tells it from prose.
fn is_command(line: &str) -> bool {
    Command::read(line).is_some()
}

fn has_header(block: &Block) -> bool {
    block.begins_with(PREAMBLE_LINES, is_header)
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return true;
    }
    if is_header(line) {
        return !has_header(block) && (!block.has(is_result) || is_swapped(block));
    }
    if unix::is_of_option(block, line) {
        return true;
    }
    // Windows numbers no requests: these are another program's replies.
    if windows::is_of(block) && holds(text, " icmp_seq=") && unix::is_result(text) {
        return false;
    }
    if windows::is_of_another(block, text) {
        return false;
    }
    let said = Said::of(text);
    if unix::begins_anew(block, text, &said) || cisco::is_of_controller(text) && block.has(is_result) {
        return false;
    }
    if text.starts_with("---") && counts::heading(text).is_some_and(|host| is_anothers(block, &host)) {
        return false;
    }
    is_own(block, text, &said) || is_above(text) && !has_header(block) && !block.has(is_result)
}

/// Whether a block has one result, and no complaint of the program: of a single line nobody knows that it was printed before the head.
fn is_swapped(block: &Block) -> bool {
    let results = block.first_such(is_result).zip(block.last_such(is_result));
    results.is_some_and(|(first, last)| std::ptr::eq(first, last) && !is_own_complaint(first))
}

/// What a run says: the head of another stands behind it, and not its own.
fn is_result(line: &str) -> bool {
    let text = line.trim_ascii();
    unix::is_result(text) || cisco::is_count(text) || windows::is_result(text)
}

/// What may stand between a command and the header.
fn is_above(text: &str) -> bool {
    is_router_clock(text) || is_told_vpn(text) || is_command(text) && command_line(text).is_none()
}

/// What a vEdge and SR Linux say above: `Ping in VPN 10`, `Using network instance default`.
fn is_told_vpn(text: &str) -> bool {
    text.starts_with("Ping in VPN ") || text.starts_with("Using network instance ")
}

/// Whether statistics are of another host than the block, which its header or a heading names: several were asked at once.
fn is_anothers(block: &Block, host: &Node) -> bool {
    let headed = block
        .first_such(is_header)
        .or_else(|| block.first_such(|line| counts::heading(line).is_some()));
    let is_in = |headed: &str| {
        // KAME's header has addresses alone, its statistics the name.
        headed.starts_with("PING6(")
            || host.name.as_ref().is_some_and(|name| headed.contains(name))
            || host.address.is_some_and(|address| has_address(headed, address))
    };
    !host.is_unknown() && headed.is_some_and(|headed| !is_in(headed))
}

/// Whether an address stands in a line, in any of its spellings: `2001:0db8:0000:…` is `2001:db8::…`.
fn has_address(line: &str, address: IpAddr) -> bool {
    let is_between = |sign: char| !sign.is_ascii_hexdigit() && !matches!(sign, ':' | '.');
    line.split(is_between).any(|word| {
        let bare = word.trim_end_matches([':', '.']);
        [word, bare].iter().any(|word| word.parse() == Ok(address))
    })
}

fn is_own(block: &Block, text: &str, said: &Said<'_>) -> bool {
    unix::is_line(said) || cisco::is_line(block, text) || windows::goes_on(block, text)
}

/// The statistics end a run.
fn has_statistics(block: &Block) -> bool {
    let is_one = |line: &str| {
        let text = line.trim_ascii();
        text.starts_with("rtt ")
            || text.starts_with("round-trip")
            || text.starts_with("Success ")
            || text.contains("packet loss")
    };
    block.lines().rev().take(8).any(is_one) || windows::is_over(block)
}

/// A line of somebody else's between those of the run.
fn takes_in(block: &Block, line: &str) -> bool {
    !starts(line)
        && (has_header(block) || block.has(|line| !is_command(line)))
        && !has_statistics(block)
        && is_stray(block, line, |line| {
            let text = line.trim_ascii();
            is_header(line) || is_own(block, text, &Said::of(text))
        })
}

/// How its lines begin.
const FOLDS: Beginnings = &[
    "PING {*}",
    "{_:n} bytes from {*}",
    "From {_:w} icmp_seq={*}",
    "From {_:w} ({_:w}) icmp_seq={*}",
    "Request timeout for icmp_seq {*}",
    "no answer yet for icmp_seq={*}",
    "--- {_:w} ping statistics ---{*}",
    "{_:n} packets transmitted, {*}",
    "rtt min/avg/max{*}",
    "round-trip min/avg/max{*}",
    "Pinging {*}",
    "Reply from {*}",
    "Request timed out.{*}",
    "Ping statistics for {*}",
    "Packets: Sent = {*}",
    "Approximate {*}",
    "Minimum = {*}",
];

/// Windows' header with what stood below it.
fn is_folded_header(line: &str) -> bool {
    line.starts_with("Pinging ") && holds(line, " bytes of data: ")
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    folded::read(&FORMAT, FOLDS, (block, context, findings), read_lines);
}

fn read_lines(block: &Block, context: &Context, findings: &mut Findings) {
    // Cisco prints it above a traceroute as well.
    if block
        .lines()
        .all(|line| line.trim_ascii().is_empty() || line.starts_with("Type escape sequence"))
    {
        return findings.nothing_to_say();
    }
    // What was typed stands above the header.
    let above = || {
        block
            .lines()
            .take(PREAMBLE_LINES)
            .take_while(|line| !is_header(line))
    };
    let command = above().find_map(Command::read);
    let begins = |prefix: &str| {
        let mut preamble = block.lines().take(PREAMBLE_LINES);
        preamble.any(|line| line.starts_with(prefix))
    };
    let run = if begins("Sending ") || begins("Send count=") {
        cisco::read(block, findings)
    } else if windows::is_of(block) {
        windows::read(block, findings)
    } else {
        unix::read(block, command.as_ref(), findings)
    };
    let Run {
        tool,
        mut from,
        to,
        at,
        mut tally,
        ..
    } = run;
    // The source address that a router prints is the one of the router that was asked.
    let typed = above()
        .filter(|line| is_command(line) || command_line(line).is_some())
        .find_map(prompted);
    if let (None, Some(device)) = (&from.name, typed.as_ref().and_then(place)) {
        from.name = Some(device.to_owned());
    }
    tally.has_header = has_header(block);
    let lines = (block.first_line, block.last_written_line());
    let row = tally.row(command.as_ref());
    for reason in std::mem::take(&mut tally.contradictions) {
        findings.complain_of(lines, reason);
    }
    let Some(mut row) = row else {
        return;
    };
    let asked = command.map(|command| command.to).unwrap_or_default();
    row.to = context.to_or(if to.is_unknown() { asked } else { to });
    let pings = Probes {
        from: context.from_or(from),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(lines, tool, at.or(context.at), Payload::Probes(pings));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_any_spelling() {
        for (line, address) in [
            ("PING fe80::1%eth0(fe80::1%eth0) 56 data bytes", "fe80::1"),
            ("Pinging host [2001:db8::7] with 32 bytes of data:", "2001:db8::7"),
            ("PING 2001:0db8:0000::0007: 56 data bytes", "2001:db8::7"),
            ("Ping statistics for 192.0.2.1:", "192.0.2.1"),
        ] {
            assert!(has_address(line, address.parse().unwrap()), "{line}");
        }
        assert!(!has_address(
            "PING 192.0.2.10 (192.0.2.10)",
            "192.0.2.1".parse().unwrap()
        ));
    }

    #[test]
    fn prose_about_ping_is_not_claimed() {
        for prose in [
            "Pinging from (a Sun Solaris 2.6 host) to (a Unix System V host) shows that there is some problem",
            "Sending big echo requests from to or or all fail.",
            "PINGs were lost",
            "packets of 1500 bytes from here",
        ] {
            assert!(!starts(prose), "{prose}");
        }
    }

    #[test]
    fn a_run_that_was_cut_keeps_what_was_counted() {
        let text = "PING a.example (240.0.0.1) 56(84) bytes of data.\n64 bytes from 240.0.0.1: icmp_seq=1 ttl=60 time=2.00 ms\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let Payload::Probes(pings) = &records[0].payload else {
            panic!()
        };
        assert_eq!((pings.rows[0].sent, pings.rows[0].received), (Some(1), Some(1)));
    }

    #[test]
    fn a_header_alone_is_no_record() {
        let (records, complaints) = crate::import(
            b"PING a.example (240.0.0.1) 56(84) bytes of data.\n",
            &Context::default(),
        );
        assert_eq!((records.len(), complaints.len()), (0, 1));
    }

    /// `ping a & ping b`: the replies of both stand below the second header.
    #[test]
    fn replies_of_another_host_are_not_counted() {
        let text = "PING 240.0.0.8 (240.0.0.8) 56(84) bytes of data.\nPING 240.0.0.9 (240.0.0.9) 56(84) bytes of data.\n\
                    64 bytes from 240.0.0.8: icmp_seq=1 ttl=62 time=1.20 ms\n64 bytes from 240.0.0.9: icmp_seq=1 ttl=62 time=101 ms\n\
                    64 bytes from 240.0.0.8: icmp_seq=2 ttl=62 time=1.30 ms\n64 bytes from 240.0.0.9: icmp_seq=2 ttl=62 time=102 ms\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert!(records.is_empty(), "{records:?}");
        assert!(
            complaints
                .iter()
                .any(|told| told.to_string().contains("several hosts")),
            "{complaints:?}"
        );
        let ended = "\n--- 240.0.0.9 ping statistics ---\n2 packets transmitted, 2 received, 0% packet loss, time 1001ms\n\
                     rtt min/avg/max/mdev = 101.000/101.500/102.000/0.500 ms\n";
        let (records, _) = crate::import((text.to_owned() + ended).as_bytes(), &Context::default());
        let Payload::Probes(pings) = &records[0].payload else {
            panic!()
        };
        let (row, delay) = (&pings.rows[0], pings.rows[0].delay.unwrap());
        assert_eq!((row.sent, row.received), (Some(2), Some(2)));
        assert_eq!(
            (delay.min_ns, delay.max_ns),
            (Some(101_000_000), Some(102_000_000))
        );
    }

    fn rows_of(text: &str) -> Vec<(Node, Option<u64>, Option<u64>)> {
        let (records, _) = crate::import(text.as_bytes(), &Context::default());
        let row = |record: crate::Record| match record.payload {
            Payload::Probes(mut pings) => pings.rows.remove(0),
            _ => panic!(),
        };
        let rows = records.into_iter().map(row);
        rows.map(|row| (row.to, row.sent, row.received)).collect()
    }

    /// oping asks several hosts and sums up each.
    #[test]
    fn statistics_are_of_the_host_that_they_name() {
        let text = "PING 240.0.0.1 (240.0.0.1) 56 bytes of data.\nPING 240.0.0.2 (240.0.0.2) 56 bytes of data.\n\
                    56 bytes from 240.0.0.1 (240.0.0.1): icmp_seq=1 ttl=64 time=0.06 ms\n\
                    56 bytes from 240.0.0.2 (240.0.0.2): icmp_seq=1 ttl=63 time=4.26 ms\n\n\
                    --- 240.0.0.1 ping statistics ---\n2 packets transmitted, 2 received, 0.00% packet loss, time 0.1ms\n\
                    RTT[ms]: min = 0, median = 0, p(95) = 0, max = 0\n\n\
                    --- 240.0.0.2 ping statistics ---\n2 packets transmitted, 1 received, 50.00% packet loss, time 4.3ms\n\
                    RTT[ms]: min = 4, median = 4, p(95) = 4, max = 4\n";
        let [one, two] = ["240.0.0.1", "240.0.0.2"].map(Node::read);
        assert_eq!(rows_of(text), [(one, Some(2), Some(2)), (two, Some(2), Some(1))]);
    }

    #[test]
    fn arping_of_either_author() {
        let router = Node::read("240.0.0.1");
        let habets = "ARPING 240.0.0.1\n60 bytes from 00:00:5e:00:53:01 (240.0.0.1): index=0 time=1.234 msec\n\
                      60 bytes from 00:00:5e:00:53:01 (240.0.0.1): index=1 time=1.434 msec\n\n--- 240.0.0.1 statistics ---\n\
                      3 packets transmitted, 2 packets received,  33% unanswered (0 extra)\nrtt min/avg/max/std-dev = 1.234/1.334/1.434/0.1 ms\n";
        let iputils = "ARPING 240.0.0.1 from 240.0.0.9 eth0\nUnicast reply from 240.0.0.1 [00:00:5E:00:53:01]  1.234ms\n\
                       Unicast reply from 240.0.0.1 [00:00:5E:00:53:01]  1.434ms\nSent 3 probes (1 broadcast(s))\nReceived 2 response(s)\n";
        for text in [habets, iputils] {
            assert_eq!(rows_of(text), [(router.clone(), Some(3), Some(2))], "{text}");
        }
    }
}
