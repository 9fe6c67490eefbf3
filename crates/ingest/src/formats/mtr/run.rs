//! A run of mtr, whichever of its outputs told of it: its hops, as a trace and as the loss and delay of each.

use super::command::Command;
use crate::Context;
use crate::findings::Findings;
use crate::formats::traceroute::reached;
use crate::host::{delay, leading_host, rtt_from_ms};
use crate::masked::is_masked;
use evidence::{
    DelayStatistics, EchoMode, MplsLabel, Node, Payload, ProbeProtocol, ProbeRow, Probes, Timestamp, Trace,
    TraceAnswer, TraceFlow, TraceHop,
};

/// Below it a loss in percent with one decimal tells exactly how many were lost.
const MOST_TELLING_SENT: u64 = 1000;

/// More routers at one hop, or labels, than this are no mtr's output.
pub(super) const MOST_AT_ONE_HOP: usize = 256;

/// A run of mtr.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) at: Option<Timestamp>,
    pub(super) size_bytes: Option<u32>,
    pub(super) protocol: Option<ProbeProtocol>,
    pub(super) hops: Vec<Hop>,
    /// Copied from the screen, where a silent hop has no figures.
    pub(super) is_screen: bool,
    /// The program, where it is not mtr itself.
    pub(super) tool: Option<&'static str>,
}

/// A hop of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hop {
    pub(super) ttl: u8,
    /// Who answered, the first the one most often seen; empty when nobody did.
    pub(super) nodes: Vec<(Node, Option<u32>)>,
    /// The output says that nobody answered.
    pub(super) is_silent: bool,
    /// Somebody answered whose address was hidden by whoever copied the output.
    pub(super) is_hidden: bool,
    pub(super) mpls: Vec<MplsLabel>,
    pub(super) sent: Option<u64>,
    pub(super) received: Option<u64>,
    pub(super) dropped: Option<u64>,
    pub(super) loss_ratio: Option<f64>,
    pub(super) rtt: DelayStatistics,
}

/// Whether this stands where nobody answered, in the words of mtr or of Globalping.
fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "???" | "(waiting for reply)" | "waiting for reply" | "*" | ""
    )
}

impl Hop {
    /// Whether both are of one hop and say the same of it, but for who answered.
    pub(super) fn has_figures_of(&self, other: &Self) -> bool {
        let figures = |hop: &Self| (hop.ttl, hop.sent, hop.received, hop.dropped);
        figures(self) == figures(other) && self.loss_ratio == other.loss_ratio && self.rtt == other.rtt
    }

    /// Adds the routers of another.
    pub(super) fn add_nodes(&mut self, other: Self) {
        for (node, asn) in other.nodes {
            self.add(node, asn);
        }
    }

    /// Adds a router, unless nobody (`???`) answered.
    pub(super) fn node(&mut self, text: &str, asn: Option<u32>) {
        let is_silent = is_silent(text.trim_ascii());
        self.is_silent |= is_silent;
        if is_silent {
            return;
        }
        let (node, _) = leading_host(text);
        self.is_hidden |= node.is_unknown() && is_masked(text.trim_ascii());
        if !node.is_unknown() {
            self.add(node, asn);
        }
    }

    fn add(&mut self, node: Node, asn: Option<u32>) {
        let known = self.nodes.iter().any(|(known, _)| *known == node);
        if !known && self.nodes.len() < MOST_AT_ONE_HOP {
            self.nodes.push((node, asn));
        }
    }

    /// Takes a figure by the name of its column; whether it is one.
    pub(super) fn figure(&mut self, column: &str, text: &str) -> bool {
        let plain = text.strip_suffix("ms").unwrap_or(text);
        let Ok(number) = plain.trim_end_matches('%').parse::<f64>() else {
            return false;
        };
        if !number.is_finite() {
            return false;
        }
        // What a unit stands behind is no time.
        let is_bare = plain.len() == text.len() && !text.ends_with('%');
        let time = || delay(rtt_from_ms(number).filter(|_| is_bare));
        match column {
            "Avg" | "Avrg" => self.rtt.mean_ns = time(),
            "Best" => self.rtt.min_ns = time(),
            "Wrst" => self.rtt.max_ns = time(),
            "StDev" => self.rtt.deviation_ns = time(),
            _ => self.take(column, text),
        }
        true
    }

    fn take(&mut self, column: &str, text: &str) {
        let count = || text.parse().ok();
        match column {
            "Loss%" => {
                let percent: Option<f64> = text.trim_end_matches('%').parse().ok();
                self.loss_ratio = percent
                    .map(|p| p / 100.0)
                    .filter(|ratio| (0.0..=1.0).contains(ratio));
            }
            "Snt" | "Sent" => self.sent = count(),
            "Rcv" | "Recv" => self.received = count(),
            // Globalping's table counts what was lost in the place of what was sent.
            "Drop" => self.dropped = count(),
            _ => {}
        }
    }

    fn received(&self) -> Option<u64> {
        let counted = || {
            let sent = self.sent.filter(|sent| *sent <= MOST_TELLING_SENT)?;
            let received = sent as f64 * (1.0 - self.loss_ratio?);
            Some(received.round() as u64)
        };
        let is_silent = self.is_silent && self.nodes.is_empty();
        self.received.or_else(counted).or(is_silent.then_some(0))
    }

    fn row(&self) -> ProbeRow {
        let received = self.received();
        let counts = self.sent.is_some() && received.is_some();
        // Who answered and was not found out has times all the same.
        let is_silent = received == Some(0) || received.is_none() && self.nodes.is_empty() && !self.is_hidden;
        ProbeRow {
            ttl: Some(self.ttl),
            to: self
                .nodes
                .first()
                .map(|(node, _)| node.clone())
                .unwrap_or_default(),
            sent: self.sent,
            received,
            loss_ratio: self.loss_ratio.filter(|_| !counts),
            mode: Some(EchoMode::Expiring),
            delay: Some(self.rtt).filter(|rtt| !is_silent && *rtt != DelayStatistics::default()),
            ..ProbeRow::default()
        }
    }

    fn trace_hop(&self) -> TraceHop {
        let lost = self
            .received()
            .and_then(|received| self.sent?.checked_sub(received));
        let silent_at_least = u64::from(self.nodes.is_empty() && self.is_silent);
        let unanswered = lost.unwrap_or(0).max(silent_at_least);
        let answer = |(node, asn): &(Node, Option<u32>)| TraceAnswer {
            node: node.clone(),
            asn: *asn,
            ..TraceAnswer::default()
        };
        let mut answers: Vec<TraceAnswer> = self.nodes.iter().map(answer).collect();
        let is_unknown =
            self.is_hidden || self.received().is_some() && self.rtt != DelayStatistics::default();
        if answers.is_empty() && is_unknown && self.received() != Some(0) {
            answers.push(TraceAnswer::default());
        }
        let mut hop = TraceHop {
            ttl: self.ttl,
            answers,
            unanswered: u16::try_from(unanswered).unwrap_or(u16::MAX),
        };
        hop.add_labels(self.mpls.clone());
        hop
    }
}

impl Run {
    /// What the command line above the output says.
    pub(super) fn take_command(&mut self, command: Command) {
        self.from = command.from;
        self.to = command.to;
        self.size_bytes = command.size_bytes;
        self.protocol = Some(command.protocol);
    }

    /// A hop that tells neither who answered nor that nobody did lost its line, and one that stands twice with different figures
    /// is two hops, or none.
    fn keep_what_is_sure(&mut self, lines: (u64, u64), findings: &mut Findings) {
        self.hops.sort_by_key(|hop| hop.ttl);
        let mut kept: Vec<Hop> = Vec::with_capacity(self.hops.len());
        let mut doubtful = std::collections::BTreeSet::new();
        for hop in std::mem::take(&mut self.hops) {
            if hop.nodes.is_empty() && !hop.is_silent && !hop.is_hidden && hop.received() != Some(0) {
                findings.complain_of(
                    lines,
                    format!("hop {} does not tell who answered: left out", hop.ttl),
                );
                continue;
            }
            if hop.nodes.is_empty() && hop.sent.is_none() && !self.is_screen {
                findings.complain_of(
                    lines,
                    format!("hop {} does not tell how many probes it left unanswered", hop.ttl),
                );
                continue;
            }
            match kept.last().filter(|last| last.ttl == hop.ttl) {
                Some(last) => {
                    if *last != hop {
                        doubtful.insert(hop.ttl);
                    }
                    findings.complain_of(lines, format!("hop {} stands twice", hop.ttl));
                }
                None => kept.push(hop),
            }
        }
        kept.retain(|hop| !doubtful.contains(&hop.ttl));
        self.hops = kept;
    }

    /// Gives both records, if there are hops.
    pub(in crate::formats) fn into_findings(
        mut self,
        lines: (u64, u64),
        context: &Context,
        findings: &mut Findings,
    ) {
        self.keep_what_is_sure(lines, findings);
        if self.hops.is_empty() {
            return;
        }
        let tool = self.tool.unwrap_or("mtr");
        let at = self.at.or(context.at);
        let (from, to) = (context.from_or(self.from), context.to_or(self.to));
        let hops: Vec<TraceHop> = self.hops.iter().map(Hop::trace_hop).collect();
        let trace = Trace {
            from: from.clone(),
            reached: reached(&hops, &to, None),
            to: to.clone(),
            size_bytes: self.size_bytes,
            protocol: self.protocol,
            flows: vec![TraceFlow::of(hops)],
            ..Trace::default()
        };
        let row = |hop: &Hop| ProbeRow {
            size_bytes: self.size_bytes,
            ..hop.row()
        };
        let pings = Probes {
            from,
            destination: Some(to).filter(|to| !to.is_unknown()),
            protocol: self.protocol,
            rows: self.hops.iter().map(row).collect(),
            ..Probes::default()
        };
        findings.record_of(lines, tool, at, Payload::Trace(trace));
        findings.record_of(lines, tool, at, Payload::Probes(pings));
    }
}

/// `AS15169`; `AS???` names none.
pub(super) fn asn(word: &str) -> Option<u32> {
    word.strip_prefix("AS")?.parse().ok()
}
