//! A run of mtr, whichever of its outputs told of it: its hops, as a trace and as the loss and delay of each.

use super::command::Command;
use crate::Context;
use crate::block::Findings;
use crate::formats::traceroute::reached;
use crate::host::{delay, leading_host, rtt_ms};
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
}

/// A hop of it.
#[derive(Debug, Default)]
pub(super) struct Hop {
    pub(super) ttl: u8,
    /// Who answered, the first the one most often seen; empty when nobody did.
    pub(super) nodes: Vec<(Node, Option<u32>)>,
    pub(super) mpls: Vec<MplsLabel>,
    pub(super) sent: Option<u64>,
    pub(super) received: Option<u64>,
    pub(super) loss_ratio: Option<f64>,
    pub(super) rtt: DelayStatistics,
}

impl Hop {
    /// Adds a router, unless nobody (`???`) answered.
    pub(super) fn node(&mut self, text: &str, asn: Option<u32>) {
        let (node, _) = leading_host(text);
        let known = self.nodes.iter().any(|(other, _)| *other == node);
        if !node.is_unknown() && !known && self.nodes.len() < MOST_AT_ONE_HOP {
            self.nodes.push((node, asn));
        }
    }

    /// Takes a figure by the name of its column.
    pub(super) fn figure(&mut self, column: &str, text: &str) {
        let count = || text.parse().ok();
        match column {
            "Loss%" => {
                let percent: Option<f64> = text.trim_end_matches('%').parse().ok();
                self.loss_ratio = percent
                    .map(|p| p / 100.0)
                    .filter(|ratio| (0.0..=1.0).contains(ratio));
            }
            "Snt" => self.sent = count(),
            "Rcv" => self.received = count(),
            "Avg" => self.rtt.mean_ns = delay(rtt_ms(text)),
            "Best" => self.rtt.min_ns = delay(rtt_ms(text)),
            "Wrst" => self.rtt.max_ns = delay(rtt_ms(text)),
            "StDev" => self.rtt.deviation_ns = delay(rtt_ms(text)),
            _ => {}
        }
    }

    fn received(&self) -> Option<u64> {
        let counted = || {
            let sent = self.sent.filter(|sent| *sent <= MOST_TELLING_SENT)?;
            let received = sent as f64 * (1.0 - self.loss_ratio?);
            Some(received.round() as u64)
        };
        self.received.or_else(counted)
    }

    fn row(&self) -> ProbeRow {
        let received = self.received();
        let counts = self.sent.is_some() && received.is_some();
        let is_silent = received == Some(0) || self.nodes.is_empty();
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
        let silent_at_least = u64::from(self.nodes.is_empty());
        let unanswered = lost.unwrap_or(0).max(silent_at_least);
        let answer = |(node, asn): &(Node, Option<u32>)| TraceAnswer {
            node: node.clone(),
            asn: *asn,
            ..TraceAnswer::default()
        };
        let mut hop = TraceHop {
            ttl: self.ttl,
            answers: self.nodes.iter().map(answer).collect(),
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

    /// Gives both records, if there are hops.
    pub(super) fn into_findings(mut self, lines: (u64, u64), context: &Context, findings: &mut Findings) {
        self.hops.sort_by_key(|hop| hop.ttl);
        if self.hops.is_empty() {
            return;
        }
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
        findings.record_of(lines, "mtr", at, Payload::Trace(trace));
        findings.record_of(lines, "mtr", at, Payload::Probes(pings));
    }
}

/// `AS15169`; `AS???` names none.
pub(super) fn asn(word: &str) -> Option<u32> {
    word.strip_prefix("AS")?.parse().ok()
}
