//! The command line above mtr's output: it names the target, which the report does not, and the packets.

use crate::command::Run;
use crate::command::options::{Options, Part, parts};
use crate::host::host;
use evidence::{Node, ProbeProtocol};

/// What mtr sends unless it is told otherwise, the whole IP packet (mtr(8), `--psize`).
const USUAL_BYTES: u32 = 64;

/// Options with a value (mtr 0.95).
static OPTIONS: Options = Options {
    letters: "FIafmUPLsBiGQZMcoy",
    words: &[
        "psize",
        "report-cycles",
        "interval",
        "order",
        "first-ttl",
        "max-ttl",
        "max-unknown",
        "port",
        "localport",
        "address",
        "interface",
        "tos",
        "bitpattern",
        "gracetime",
        "timeout",
        "mark",
        "fields",
        "filename",
        "ipinfo",
        "displaymode",
    ],
};

/// The columns that `--order` names (mtr 0.95).
const FIELDS: &[u8] = b"LDRSNBAWVGJMXI";

/// What a command of mtr says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// The host that the prompt names.
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) size_bytes: Option<u32>,
    pub(super) protocol: ProbeProtocol,
}

impl Command {
    /// `None` for a line that does not run mtr.
    pub(super) fn read(line: &str) -> Option<Self> {
        let run = Run::of(line, &["mtr"])?;
        if !run.is_typed() {
            return None;
        }
        let mut command = Self {
            from: run.device.map(Node::named).unwrap_or_default(),
            to: Node::default(),
            size_bytes: Some(USUAL_BYTES),
            protocol: ProbeProtocol::Icmp,
        };
        let (mut are_fields, mut has_more) = (false, false);
        for part in parts(run.words(), &OPTIONS) {
            // `-o "LSD NBAWV"`: a blank is a field as well.
            are_fields = match part {
                Part::Option(name, _) => matches!(name, "o" | "order"),
                Part::Operand(word) => are_fields && word.bytes().all(|byte| FIELDS.contains(&byte)),
            };
            match part {
                Part::Operand(_) if are_fields => {}
                Part::Option("u" | "udp", _) => command.protocol = ProbeProtocol::Udp,
                Part::Option("T" | "tcp", _) => command.protocol = ProbeProtocol::TcpSyn,
                // A negative size is a random one up to that.
                Part::Option("s" | "psize", size) => {
                    command.size_bytes = size.and_then(|bytes| bytes.parse().ok())
                }
                Part::Operand(word) if command.to.is_unknown() => command.to = host(word),
                // A sentence: `mtr --report sometimes misses pings`.
                Part::Operand(word) if !has_more && word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                    return None;
                }
                Part::Operand(_) => has_more = true,
                _ => {}
            }
        }
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_target() {
        for (line, from, to, size_bytes, protocol) in [
            (
                "root@a.example:~# mtr -rwc 20 b.example",
                "a.example",
                "b.example",
                Some(64),
                ProbeProtocol::Icmp,
            ),
            (
                "$ sudo mtr -Tr -c20 -P 443 b.example",
                "",
                "b.example",
                Some(64),
                ProbeProtocol::TcpSyn,
            ),
            (
                "mtr --report --udp --psize 1400 240.0.0.9",
                "",
                "240.0.0.9",
                Some(1400),
                ProbeProtocol::Udp,
            ),
            (
                "$ mtr -r -o \"LSD NBAWV\" NAS.example",
                "",
                "NAS.example",
                Some(64),
                ProbeProtocol::Icmp,
            ),
            (
                "mtr -zwbs1500 240.0.0.9",
                "",
                "240.0.0.9",
                Some(1500),
                ProbeProtocol::Icmp,
            ),
            (
                "$ mtr b.example -s -9000 --report-cycles=5",
                "",
                "b.example",
                None,
                ProbeProtocol::Icmp,
            ),
        ] {
            let read = Command::read(line).unwrap_or_else(|| panic!("{line}"));
            let name = |node: &Node| {
                if node.is_unknown() {
                    String::new()
                } else {
                    node.to_string()
                }
            };
            assert_eq!(
                (name(&read.from), name(&read.to)),
                (from.to_owned(), to.to_owned()),
                "{line}"
            );
            assert_eq!((read.size_bytes, read.protocol), (size_bytes, protocol), "{line}");
        }
        for prose in ["mtr shows loss", "mtr", "My traceroute  [v0.95]", ""] {
            assert_eq!(Command::read(prose), None, "{prose}");
        }
    }
}
