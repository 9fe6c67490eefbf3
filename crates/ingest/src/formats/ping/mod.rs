//! ping, as the programs of this name print it: iputils, BSD and macOS, BusyBox, Solaris, NIKHEF, scamper, Windows, Cisco.
//!
//! A block is one run of ping: the command line where it stands above the output, the header, the replies, the errors
//! and the statistics. A run that was cut off keeps what was counted up to there.

mod cisco;
mod command;
mod run;
mod tally;
mod unix;
mod windows;

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use command::Command;
use evidence::{Node, Payload, Probes};
use run::{Run, is_header};

pub(crate) static FORMAT: Format = Format {
    name: "ping",
    group: Group::Paths,
    reads: "Linux, BSD, macOS, Solaris, NIKHEF, Windows in any language, Cisco, NX-OS: replies, errors and who sent them, statistics, packet size",
    first: "ABDEHP-Sa-zT0-9Обмен正",
    has_command: true,
    starts,
    continues,
    takes_in: None,
    read,
};

/// The header stands within so many lines: a command line, blank lines, Cisco's dialogue.
const PREAMBLE_LINES: usize = 24;

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'P') if is_header(line) => true,
        Some(b'S' | b'p') if is_header(line) || line.starts_with("packet seq=") => true,
        Some(b'T') if line.starts_with("Type escape sequence to abort") => true,
        Some(b'0'..=b'9') if line.contains(" bytes from ") => true,
        Some(_) => windows::is_header(line) || is_command(line),
        None => false,
    }
}

/// `host> ping …` and `ping -s 8972 host`: a prompt or an option tells it from prose.
fn is_command(line: &str) -> bool {
    Command::read(line).is_some()
}

fn has_header(block: &Block) -> bool {
    block.lines().take(PREAMBLE_LINES).any(is_header)
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim();
    if text.is_empty() {
        return true;
    }
    if is_header(line) {
        return !has_header(block);
    }
    unix::is_line(text) || cisco::is_line(text) || windows::goes_on(block, text)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    // Cisco prints it above a traceroute as well.
    if block
        .lines()
        .all(|line| line.trim().is_empty() || line.starts_with("Type escape sequence"))
    {
        return findings.nothing_to_say();
    }
    let command = block.first().and_then(Command::read);
    let begins = |prefix: &str| {
        let preamble = block.lines().take(PREAMBLE_LINES);
        preamble
            .filter(|line| is_header(line))
            .any(|line| line.starts_with(prefix))
    };
    let run = if begins("Sending ") {
        cisco::read(block)
    } else if block.lines().take(PREAMBLE_LINES).any(windows::is_header) {
        windows::read(block)
    } else {
        unix::read(block, command.as_ref())
    };
    let Run {
        tool,
        mut from,
        to,
        at,
        mut tally,
    } = run;
    if let (true, Some(device)) = (from.is_unknown(), block.first().and_then(command_line)) {
        from = device.device.map(Node::named).unwrap_or_default();
    }
    tally.has_header = has_header(block);
    let Some(mut row) = tally.into_row(command.as_ref()) else {
        return;
    };
    row.to = context.to_or(to);
    let pings = Probes {
        from: context.from_or(from),
        rows: vec![row],
        ..Probes::default()
    };
    let last = block.last_written_line();
    findings.record_of(
        (block.first_line, last),
        tool,
        at.or(context.at),
        Payload::Probes(pings),
    );
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
}
