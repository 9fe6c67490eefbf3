//! The command line above mtr's output: it names the target, which the report does not, and the packets.

use crate::host::host;
use crate::prompt::{CommandLine, command_line};
use evidence::{Node, ProbeProtocol};

/// What mtr sends unless it is told otherwise, the whole IP packet (mtr(8), `--psize`).
const USUAL_BYTES: u32 = 64;

/// Options of one letter that take a value (mtr 0.95).
const WITH_VALUE: &str = "FIafmUPLsBiGQZMcoy";

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
        let prompted = command_line(line);
        let typed = prompted.unwrap_or(CommandLine {
            device: None,
            command: line,
        });
        let mut words = typed.arguments_of("mtr")?.peekable();
        if prompted.is_none() && !words.peek()?.starts_with('-') {
            return None;
        }
        let mut command = Self {
            from: typed.device.map(Node::named).unwrap_or_default(),
            to: Node::default(),
            size_bytes: Some(USUAL_BYTES),
            protocol: ProbeProtocol::Icmp,
        };
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--") {
                command.long(long, &mut words);
            } else if let Some(letters) = word.strip_prefix('-') {
                command.short(letters, &mut words);
            } else if command.to.is_unknown() {
                command.to = host(word);
            }
        }
        Some(command)
    }

    fn long<'a>(&mut self, option: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        match name {
            "udp" => self.protocol = ProbeProtocol::Udp,
            "tcp" => self.protocol = ProbeProtocol::TcpSyn,
            "psize" => self.size(value.or_else(|| words.next())),
            "report-cycles" | "interval" | "order" | "first-ttl" | "max-ttl" | "port" | "address" | "tos" => {
                let _ = value.or_else(|| words.next());
            }
            _ => {}
        }
    }

    /// `-rwc 20`: letters together, and the last one takes what follows it.
    fn short<'a>(&mut self, letters: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        for (place, letter) in letters.char_indices() {
            let behind = letters
                .get(place + letter.len_utf8()..)
                .filter(|rest| !rest.is_empty());
            match letter {
                'u' => self.protocol = ProbeProtocol::Udp,
                'T' => self.protocol = ProbeProtocol::TcpSyn,
                's' => return self.size(behind.or_else(|| words.next())),
                _ if WITH_VALUE.contains(letter) => {
                    let _ = behind.or_else(|| words.next());
                    return;
                }
                _ => {}
            }
        }
    }

    /// A negative size is a random one up to that.
    fn size(&mut self, text: Option<&str>) {
        self.size_bytes = text.and_then(|bytes| bytes.parse().ok());
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
