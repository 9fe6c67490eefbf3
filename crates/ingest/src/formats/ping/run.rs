//! One run of ping: the line that heads it, and what it says, whichever program printed it.

use super::numbers::Numbers;
use super::tally::Tally;
use super::windows;
use crate::host::leading_host;
use crate::text::holds;
use evidence::{Node, Timestamp};

/// What one run of ping says, whoever printed it.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) tool: &'static str,
    pub(super) from: Node,
    pub(super) to: Node,
    /// Who answered, where everybody who did is the same.
    pub(super) answerer: Option<Node>,
    /// The text that named who answered last: in a long run the same again and again.
    pub(super) last: String,
    /// Several answered.
    pub(super) are_several: bool,
    /// The host that was asked is one of those who answered.
    pub(super) is_answered: bool,
    pub(super) at: Option<Timestamp>,
    pub(super) tally: Tally,
    /// The numbers that its lines name.
    pub(super) numbers: Numbers,
    /// The reply that was taken last tells a time that could not be read.
    pub(super) is_time_unread: bool,
}

impl Run {
    /// Takes who answered, as the line names it.
    pub(super) fn answered(&mut self, who: &str) {
        if self.last == who && self.answerer.is_some() {
            return;
        }
        let node = leading_host(who).0;
        self.are_several |= self.answerer.as_ref().is_some_and(|known| !is_same(known, &node));
        self.is_answered |= node.address.is_some() && node.address == self.to.address;
        self.answerer.get_or_insert(node);
        who.clone_into(&mut self.last);
    }
}

/// Whether both are one host: its name may not be found for each reply.
fn is_same(known: &Node, node: &Node) -> bool {
    let is_named_once = known.name.is_none() || node.name.is_none();
    known == node || is_named_once && known.address.is_some() && known.address == node.address
}

/// Whether a line is the header of a run.
pub(super) fn is_header(line: &str) -> bool {
    let line = line.trim_ascii_start();
    match line.as_bytes().first() {
        Some(b'P') => {
            // httping's has a path in brackets, and a plugin of Nagios sums up so.
            line.starts_with("PING ") && !holds(line, " (/") && !holds(line, " - Packet loss = ")
                || line.starts_with("PING6(")
                || is_short_header(line)
                || windows::is_header(line)
        }
        Some(b'A') => is_arping(line) || windows::is_header(line),
        Some(b'S') => line.starts_with("Sending ") && is_cisco(line),
        Some(b'p') => line.starts_with("ping ") && line.ends_with("byte packets"),
        _ => windows::is_header(line),
    }
}

/// `Ping a.example (192.0.2.1): 56(84) bytes.` (toybox), `…: 56 data bytes, press CTRL+C to break` (Comware), `Ping(ICMP) …` (EXOS).
fn is_short_header(line: &str) -> bool {
    let is_ping = line.starts_with("Ping ") || line.starts_with("Ping(ICMP) ");
    is_ping && (holds(line, " data bytes") || line.ends_with(") bytes."))
}

/// `ARPING 192.0.2.1` of Habets, `ARPING 192.0.2.1 from 192.0.2.9 eth0` of iputils.
fn is_arping(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next() == Some("ARPING") && words.next().is_some() && matches!(words.next(), None | Some("from"))
}

/// `Sending 5, 100-byte ICMP Echos to`, `Sending 5, 72-byte MPLS Echos to`, `Sending 5 TCP SYN requests to`.
fn is_cisco(line: &str) -> bool {
    ["ICMP Echo", "MPLS Echo", "TCP SYN requests to"]
        .iter()
        .any(|what| line.contains(what))
}
