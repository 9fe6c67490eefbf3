//! What stands above the hops: the command, a heading, the header line, warnings.

use crate::host::{host, leading_host};
use crate::prompt::{CommandLine, command_line};
use evidence::{Node, ProbeProtocol};

/// What it says of the probes.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) protocol: Option<ProbeProtocol>,
    pub(super) size_bytes: Option<u32>,
    pub(super) dont_fragment: Option<bool>,
    pub(super) max_hops: Option<u8>,
    pub(super) is_scamper: bool,
}

/// `traceroute to …`, `traceroute6 to …`, `traceroute from A to B` (scamper), `Tracing route to …` (Windows), `Tracing the
/// route to …` (Cisco).
pub(super) fn is_header(line: &str) -> bool {
    let behind = line
        .strip_prefix("traceroute")
        .map(|rest| rest.trim_start_matches('6'));
    behind.is_some_and(|rest| rest.starts_with(" to ") || rest.starts_with(" from "))
        || line.starts_with("Tracing route to ")
        || line.starts_with(CISCO)
}

const CISCO: &str = "Tracing the route to ";

/// `Traceroute: A to B`, written by people above what they copied.
pub(super) fn is_heading(line: &str) -> bool {
    line.starts_with("Traceroute: ") && line.contains(" to ") && line.len() < 200
}

/// Lines without hops that belong to the output.
pub(super) fn is_note(text: &str) -> bool {
    text.starts_with("traceroute: Warning")
        || text.starts_with("over a maximum of ")
        || text == "Trace complete."
        || text.starts_with("Type escape sequence")
        || text.starts_with("VRF info: ")
}

/// `host> traceroute …`, or an option that tells it from prose.
pub(super) fn is_command(line: &str) -> bool {
    arguments(line).is_some()
}

fn arguments(line: &str) -> Option<impl Iterator<Item = &str>> {
    let prompted = command_line(line);
    let typed = prompted.unwrap_or(CommandLine {
        device: None,
        command: line,
    });
    let names = ["traceroute", "traceroute6", "tracert", "tcptraceroute"];
    let mut words = names.iter().find_map(|name| typed.arguments_of(name))?.peekable();
    let sure = prompted.is_some() || words.peek().is_some_and(|word| word.starts_with('-'));
    sure.then_some(words)
}

impl Header {
    /// Takes one of these lines.
    pub(super) fn read(&mut self, line: &str) {
        if let Some(pair) = line.strip_prefix("Traceroute: ") {
            let (from, to) = pair.split_once(" to ").unwrap_or((pair, ""));
            self.from = host(from);
            self.to = host(to);
        } else if let Some(rest) = line.strip_prefix("Tracing route to ") {
            self.to = windows_host(rest);
        } else if let Some(rest) = line.strip_prefix(CISCO) {
            self.to = leading_host(rest).0;
        } else if let Some(rest) = line.trim().strip_prefix("over a maximum of ") {
            self.max_hops = rest.split(' ').next().and_then(|n| n.parse().ok());
        } else if is_header(line) {
            self.header(line);
        }
    }

    fn header(&mut self, line: &str) {
        let rest = line.split_once(' ').map_or("", |(_, rest)| rest);
        if let Some(pair) = rest.strip_prefix("from ") {
            let (from, rest) = leading_host(pair);
            self.from = from;
            self.is_scamper = true;
            self.to = leading_host(rest.trim_start().trim_start_matches("to ")).0;
            return;
        }
        let (to, rest) = target(rest.trim_start_matches("to "));
        // A heading names it where the document lost it here.
        if !to.is_unknown() {
            self.to = to;
        }
        let rest = rest.trim_start();
        if let Some(from) = rest.strip_prefix("from ") {
            self.from = leading_host(from).0;
        } else if let Some((_, from)) = rest.split_once(" in route from ") {
            // pingroute's remark behind the header that it took over.
            self.from = leading_host(from).0;
        }
        self.figures(rest, line.starts_with("traceroute6"));
    }

    /// `30 hops max, 60 byte packets`, `1-30 hops, 38 byte packets`. The size is the whole packet, but for KAME's
    /// traceroute6, which prints only what UDP carries.
    fn figures(&mut self, rest: &str, is_kame: bool) {
        let mut before = "";
        for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
            match word {
                "hops" => self.max_hops = before.rsplit('-').next().and_then(|n| n.parse().ok()),
                "byte" if !is_kame => self.size_bytes = before.parse().ok(),
                _ => {}
            }
            before = word;
        }
    }

    /// Takes the options of the command.
    pub(super) fn command(&mut self, line: &str) {
        let Some(words) = arguments(line) else { return };
        // Unix' traceroute and Cisco's send UDP unless told otherwise; Windows' tracert sends ICMP.
        self.protocol = Some(if line.contains("tracert ") {
            ProbeProtocol::Icmp
        } else if line.contains("tcptraceroute") {
            ProbeProtocol::TcpSyn
        } else {
            ProbeProtocol::Udp
        });
        for word in words {
            match word {
                "-I" | "--icmp" => self.protocol = Some(ProbeProtocol::Icmp),
                "-T" | "--tcp" => self.protocol = Some(ProbeProtocol::TcpSyn),
                "-F" | "--dont-fragment" | "--mtu" => self.dont_fragment = Some(true),
                _ => {}
            }
        }
    }
}

/// The host of a header that may have lost it: `(w.x.y.z ): 1-30 hops`, `(, 30 hops max`, `Lindy ( 1-25 hops`.
fn target(text: &str) -> (Node, &str) {
    let (node, rest) = leading_host(text);
    let is_figure = node.name.as_deref().is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_digit()) && rest.trim_start().starts_with("hops")
    });
    if is_figure {
        (Node::default(), text)
    } else {
        (node, rest)
    }
}

/// `host.example [240.0.0.1]`
fn windows_host(text: &str) -> Node {
    match text.trim().split_once(" [") {
        Some((name, address)) => Node {
            name: Some(name.to_owned()),
            address: address.trim_end_matches(']').parse().ok(),
        },
        None => host(text.split(' ').next().unwrap_or("")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_with_and_without_a_target() {
        for (line, to, max_hops, size) in [
            (
                "traceroute to a.example (240.0.0.1), 30 hops max, 60 byte packets",
                "a.example (240.0.0.1)",
                30,
                60,
            ),
            (
                "traceroute to Lindy.Stanford.EDU ( 1-25 hops, 38 byte packets",
                "Lindy.Stanford.EDU",
                25,
                38,
            ),
            (
                "traceroute to (w.x.y.z     ): 1-30 hops, 38 byte packets",
                "an unnamed host",
                30,
                38,
            ),
            (
                "traceroute to (, 30 hops max, 40 byte packets",
                "an unnamed host",
                30,
                40,
            ),
            (
                "traceroute to 1-30 hops, 38 byte packets",
                "an unnamed host",
                30,
                38,
            ),
        ] {
            let mut header = Header::default();
            header.read(line);
            assert_eq!(header.to.to_string(), to, "{line}");
            assert_eq!(
                (header.max_hops, header.size_bytes),
                (Some(max_hops), Some(size)),
                "{line}"
            );
        }
    }

    #[test]
    fn commands_tell_the_protocol() {
        for (line, protocol) in [
            ("elaine41:~> traceroute", Some(ProbeProtocol::Udp)),
            ("$ sudo traceroute -I 240.0.0.1", Some(ProbeProtocol::Icmp)),
            ("traceroute -T -p 80 240.0.0.1", Some(ProbeProtocol::TcpSyn)),
            ("C:\\>tracert 240.0.0.1", Some(ProbeProtocol::Icmp)),
            ("traceroute shows nothing", None),
        ] {
            let mut header = Header::default();
            header.command(line);
            assert_eq!(header.protocol, protocol, "{line}");
        }
    }
}
