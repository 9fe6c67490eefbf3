//! What stands above the hops: the command, a heading, the header line, warnings.

use super::phrases::{bound, heading, is_broken_heading, is_end, is_figures, only_number};
use crate::host::{host, leading_host};
use crate::text::Beginnings;
use evidence::{Node, ProbeProtocol};
use std::net::IpAddr;

/// What it says of the probes.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) from: Node,
    pub(super) to: Node,
    /// The host that the prompt above names.
    pub(super) prompt: Node,
    /// The host that the command above asks for.
    pub(super) asked: Node,
    pub(super) protocol: Option<ProbeProtocol>,
    pub(super) size_bytes: Option<u32>,
    pub(super) dont_fragment: Option<bool>,
    pub(super) max_hops: Option<u8>,
    pub(super) is_scamper: bool,
}

/// `traceroute to …`, `traceroute6 to …`, `traceroute from A to B` (scamper), `Tracing the route to …` (Cisco), `Tracing the path
/// to …` (tcptraceroute), `traceroute [(A:1) -> (B:2)], protocol udp` (paris-traceroute), and Windows' in any language.
pub(super) fn is_header(line: &str) -> bool {
    let line = line.trim_ascii_start();
    if is_figures(line) {
        return false;
    }
    let behind = line
        .strip_prefix("traceroute")
        .map(|rest| rest.trim_start_matches('6'));
    behind
        .is_some_and(|rest| rest.starts_with(" to ") || rest.starts_with(" from ") || rest.starts_with(" [("))
        || cisco(line).is_some()
        || heading(line).is_some()
        || is_broken_heading(line)
}

/// What stands behind the words of a header of Cisco's, or one like it.
fn cisco(line: &str) -> Option<&str> {
    let text = line.trim_ascii_start();
    if !text.starts_with('T') {
        return None;
    }
    CISCO.iter().find_map(|start| text.strip_prefix(start))
}

static CISCO: [&str; 7] = [
    // Brocade: `Tracing the route to IP node (192.0.2.1) from 1 to 30 hops`
    "Tracing the route to IP node ",
    "Tracing the route to IPv6 node ",
    "Tracing the route to ",
    "Tracing the path to ",
    "Tracing MPLS Label Switched Path to ",
    // lft
    "TTL LFT trace to ",
    "TTL  LFT trace to ",
];

/// `Traceroute: A to B`, written by people above what they copied.
pub(super) fn is_heading(line: &str) -> bool {
    line.starts_with("Traceroute: ") && line.contains(" to ") && line.len() < 200
}

/// Lines without hops that belong to the output.
pub(super) fn is_note(text: &str) -> bool {
    // ProCurve, below the host: `1 hop min, 30 hops max, 5 sec. timeout, 3 probes`.
    let is_range = || is_figures(text) && text.contains(" hop min, ") && text.contains(" hops max, ");
    is_range() || !is_figures(text) && (NOTES.begin(text) || bound(text).is_some() || is_end(text))
}

static NOTES: Beginnings = Beginnings::new(&[
    "traceroute: Warning",
    "traceroute6: Warning",
    // The dialogue of Cisco's command
    "Protocol [",
    "Target IP address",
    "Target IPv6 address",
    "Ingress traceroute [",
    "Source address or interface",
    "Source address:",
    "DSCP Value [",
    "Numeric display [",
    "Resolve AS number in",
    "Timeout in seconds [",
    "Probe count [",
    "Minimum Time to Live [",
    "Maximum Time to Live [",
    "Port Number [",
    "Priority [",
    "Loose, Strict, Record",
    // lft
    "Layer Four Traceroute",
    "Using device ",
    "Tracing ....",
    "**  [",
    // pathping
    "Source to Here ",
    "Hop  RTT ",
    // RouterOS, old
    "ADDRESS ",
    "Type escape sequence",
    "VRF info: ",
    "Codes: '",
    "'",
    // Debian's tcptraceroute, which is a front to traceroute.
    "Running:",
    "traceroute -T -O info",
    // AIX
    "trying to get source for ",
    "source should be ",
    "outgoing MTU = ",
    // tcptraceroute
    "Selected device ",
    // nexttrace, besttrace
    "NextTrace ",
    "[NextTrace API]",
    "IP Geo Data Provider",
    "MapTrace URL",
    // Huawei, Comware
    "Press CTRL",
    "press CTRL",
    // pathping
    "Computing statistics for ",
    // Brocade
    "Hop  Packet 1",
]);

impl Header {
    /// Takes one of these lines.
    pub(super) fn read(&mut self, line: &str) {
        let line = line.trim_ascii_start();
        if let Some(asked) = line.trim_ascii().strip_prefix("Target IP address: ") {
            self.asked = host(asked);
        } else if let Some(pair) = line.strip_prefix("Traceroute: ") {
            let (from, to) = pair.split_once(" to ").unwrap_or((pair, ""));
            self.from = host(from);
            self.to = host(to);
        } else if let Some(rest) = cisco(line) {
            self.to = leading_host(rest).0;
            if rest.contains(" on TCP port ") || rest.contains("/tcp") {
                self.protocol = Some(ProbeProtocol::TcpSyn);
            }
            // A path of MPLS leads to a prefix: `192.0.2.4/32`.
            let prefix = self
                .to
                .name
                .as_deref()
                .and_then(|name| name.split_once('/')?.0.parse::<IpAddr>().ok());
            if let Some(address) = prefix {
                self.to = address.into();
            }
            self.figures(rest, false);
        } else if let Some(rest) = line.strip_prefix("traceroute [(") {
            self.paris(rest);
        } else if let Some(rest) = heading(line) {
            self.windows(rest);
        } else if is_broken_heading(line) {
            self.windows(line.trim_ascii());
        } else if is_header(line) {
            self.header(line);
        } else {
            self.max_hops = bound(line).or(self.max_hops);
        }
    }

    /// `a.example [192.0.2.1]`, `192.0.2.1 over a maximum of 30 hops`, words of the language around them.
    fn windows(&mut self, text: &str) {
        let mut words = text.split_whitespace().peekable();
        let mut others = String::new();
        while let Some(word) = words.next() {
            let bare = |word: &str| word.trim_matches(['[', ']', ':', ',']).parse::<IpAddr>().ok();
            let behind = words.peek().filter(|next| next.starts_with('['));
            if let Some(address) = behind.and_then(|next| bare(next.split(']').next()?)) {
                self.to = host(word.trim_matches('"'));
                self.to.address = Some(address);
                words.next();
            } else if let Some(address) = bare(word).filter(|_| self.to.is_unknown()) {
                self.to = address.into();
            } else {
                others.push_str(word);
                others.push(' ');
            }
        }
        self.max_hops = only_number(&others).or(self.max_hops);
    }

    /// `192.0.2.1:33456) -> (192.0.2.9:33457)], protocol udp, …`
    fn paris(&mut self, text: &str) {
        let address = |text: &str| host(text.rsplit_once(':').map_or(text, |(address, _)| address));
        if let Some((from, rest)) = text.split_once(") -> (") {
            self.from = address(from);
            self.to = address(rest.split(')').next().unwrap_or(""));
        }
        self.protocol = text
            .split_once("protocol ")
            .and_then(|(_, name)| match name.get(..3)? {
                "udp" => Some(ProbeProtocol::Udp),
                "tcp" => Some(ProbeProtocol::TcpSyn),
                "icm" => Some(ProbeProtocol::Icmp),
                _ => None,
            });
    }

    fn header(&mut self, line: &str) {
        let rest = line.split_once(' ').map_or("", |(_, rest)| rest);
        if let Some(pair) = rest.strip_prefix("from ") {
            let (from, rest) = leading_host(pair);
            self.from = from;
            self.is_scamper = true;
            self.to = leading_host(rest.trim_ascii_start().trim_start_matches("to ")).0;
            return;
        }
        let (to, rest) = target(rest.trim_start_matches("to "));
        // A heading names it where the document lost it here.
        if !to.is_unknown() {
            self.to = to;
        }
        let rest = rest.trim_ascii_start();
        if let Some(from) = rest.strip_prefix("from ") {
            self.from = leading_host(from).0;
        } else if let Some((_, from)) = rest.split_once(" in route from ") {
            // pingroute's remark behind the header that it took over.
            self.from = leading_host(from).0;
        }
        self.figures(rest, line.starts_with("traceroute6"));
    }

    /// `30 hops max, 60 byte packets`, `1-30 hops, 38 byte packets`, `30 hops at most, 40-byte packets`, `max hops: 30`. The size
    /// is the whole packet, but for KAME's traceroute6, which prints only what UDP carries.
    fn figures(&mut self, rest: &str, is_kame: bool) {
        let mut before = "";
        for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
            match word {
                "hops" => {
                    self.max_hops = before
                        .rsplit('-')
                        .next()
                        .and_then(|n| n.parse().ok())
                        .or(self.max_hops)
                }
                "byte" | "bytes" if !is_kame => self.size_bytes = before.parse().ok().or(self.size_bytes),
                _ if before == "hops:" => self.max_hops = word.parse().ok().or(self.max_hops),
                _ if word.ends_with("-byte") => {
                    self.size_bytes = word.strip_suffix("-byte").and_then(|n| n.parse().ok())
                }
                _ => {}
            }
            before = word;
        }
    }
}

/// The host of a header that may have lost it: `(w.x.y.z ): 1-30 hops`, `(, 30 hops max`, `Lindy ( 1-25 hops`.
fn target(text: &str) -> (Node, &str) {
    let (node, rest) = leading_host(text);
    let is_figure = node.name.as_deref().is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_digit()) && rest.trim_ascii_start().starts_with("hops")
    });
    if is_figure {
        (Node::default(), text)
    } else {
        (node, rest)
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
}
