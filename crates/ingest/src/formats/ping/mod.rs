//! ping, as the programs of this name print it: iputils, BSD and macOS, BusyBox, Solaris, NIKHEF, scamper, Windows, Cisco.
//!
//! A block is one run of ping: the command line where it stands above the output, the header, the replies, the errors
//! and the statistics. A run that was cut off keeps what was counted up to there.

mod cisco;
mod command;
mod fping;
mod fping_json;
mod line;
mod net_connection;
mod powershell;
mod routeros;
mod run;
mod tally;
mod tcp;
mod unix;
mod windows;

pub(crate) use fping::FORMAT as FPING;
pub(crate) use fping_json::KIND as FPING_JSON;
pub(crate) use net_connection::FORMAT as NET_CONNECTION;
pub(crate) use powershell::FORMAT as TEST_CONNECTION;
pub(crate) use routeros::FORMAT as ROUTEROS;
pub(crate) use tcp::FORMAT as TCP;

use crate::Context;
use crate::block::{Block, Findings, Format, Group, Marks};
use crate::prompt::command_line;
use crate::stray::is_stray;
use crate::when::is_router_clock;
use command::Command;
use evidence::{Payload, Probes};
use run::{Run, is_header};

pub(crate) static FORMAT: Format = Format {
    name: "ping",
    group: Group::Paths,
    reads: "Linux, BSD, macOS, Solaris, NIKHEF, Windows in any language, Cisco, NX-OS: replies, errors and who sent them, statistics, packet size",
    first: "(ABDEHOP-SWa-zT0-9Обмен正-",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "ping",
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
            " packets transmitted, ",
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

/// The header stands within so many lines: a command line, blank lines, Cisco's dialogue.
const PREAMBLE_LINES: usize = 24;

fn starts(line: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|start| line.starts_with(start));
    match line.as_bytes().first() {
        Some(b'P') if is_header(line) || begins(&["PATTERN: 0x"]) => true,
        Some(b'S') if is_header(line) || begins(&["Send count="]) => true,
        Some(b'p') if is_header(line) || begins(&["packet seq="]) || is_own_complaint(line) => true,
        Some(b'W') if begins(&["WARNING: pinging broadcast address"]) => true,
        Some(b'T') if begins(&["Type escape sequence to abort"]) => true,
        Some(b'-') => line::heading(line).is_some_and(|host| !host.is_unknown()),
        Some(b'0'..=b'9') if line.contains(" bytes from ") || is_counts(line) => true,
        Some(_) => windows::begins(line) || is_command(line) || begins(&["ping mpls "]),
        None => false,
    }
}

/// `5 packets transmitted, 5 received, 0% packet loss`: statistics that were copied alone.
fn is_counts(line: &str) -> bool {
    line.contains(" packets transmitted, ")
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
        return !has_header(block) && !has_statistics(block);
    }
    is_own(block, text) || (is_above(text) && !has_header(block))
}

/// What may stand between a command and the header.
fn is_above(text: &str) -> bool {
    is_router_clock(text) || is_command(text) && command_line(text).is_none()
}

fn is_own(block: &Block, text: &str) -> bool {
    unix::is_line(text) || cisco::is_line(block, text) || windows::goes_on(block, text)
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
            is_header(line) || is_own(block, line.trim_ascii())
        })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    // Cisco prints it above a traceroute as well.
    if block
        .lines()
        .all(|line| line.trim_ascii().is_empty() || line.starts_with("Type escape sequence"))
    {
        return findings.nothing_to_say();
    }
    let command = block.lines().take(PREAMBLE_LINES).find_map(Command::read);
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
    let device = block
        .lines()
        .take(PREAMBLE_LINES)
        .find_map(|line| command_line(line)?.device);
    let typed = command.as_ref().and_then(|command| command.device.as_deref());
    if let (None, Some(device)) = (&from.name, typed.or(device)) {
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
        assert_eq!((pings.rows[0].sent, pings.rows[0].received), (None, Some(1)));
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
}
