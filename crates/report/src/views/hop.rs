//! One hop of a way: who answered there, and what was measured of it.

use crate::table::{Cell, Row, Tone};
use evidence::{DelayStatistics, Nanos, Node, Trace, TraceHop};
use std::collections::BTreeSet;

/// More routers at one hop are not told apart: no load balancing has as many ways, and each is held against each.
const MOST_ROUTERS: usize = 64;

/// Round-trip times as a bar shows them, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) min_ns: u64,
    /// The median; the mean where a tool tells no median.
    pub(crate) usual_ns: u64,
    /// The 90th percentile; the largest where a tool tells no percentiles.
    pub(crate) high_ns: u64,
}

impl Spread {
    pub(super) fn of(delay: &DelayStatistics) -> Option<Self> {
        let ns = |ns: Option<i64>| u64::try_from(ns?).ok();
        let usual = ns(delay.p50_ns.or(delay.mean_ns).or(delay.min_ns))?;
        Some(Self {
            min_ns: ns(delay.min_ns).unwrap_or(usual),
            usual_ns: usual,
            high_ns: ns(delay.p90_ns.or(delay.max_ns)).unwrap_or(usual).max(usual),
        })
    }
}

/// One hop of the path.
#[derive(Debug, Default)]
pub(crate) struct HopView {
    /// Hop number from the vantage.
    pub(crate) ttl: u8,
    /// Who answered, with the name where one is known; several when the path is load balanced.
    pub(crate) routers: Vec<Node>,
    /// Smallest round-trip time of the trace's probes.
    pub(crate) rtt_ns: Option<u64>,
    /// Probes sent by traces.
    pub(crate) sent: u32,
    /// Those answered.
    pub(crate) answered: u32,
    /// The largest unfragmented packet that it was seen to answer; `None` also where none was tried.
    pub(crate) largest_bytes: Option<u32>,
    /// MPLS labels reported.
    pub(crate) mpls: BTreeSet<u32>,
    /// What else records say of the hop, in words.
    pub(crate) told: BTreeSet<String>,
    /// Round-trip times of other probes, no transfer of ours running.
    pub(crate) idle: Option<Spread>,
    /// Round-trip times while a transfer ran.
    pub(crate) loaded: Option<Spread>,
}

impl HopView {
    pub(super) fn at(ttl: u8) -> Self {
        Self {
            ttl,
            ..Self::default()
        }
    }

    /// The round-trip time to tell: the smallest that a trace saw, else what other probes usually did.
    pub(crate) fn usual_rtt_ns(&self) -> Option<u64> {
        self.rtt_ns.or(self.idle.map(|idle| idle.usual_ns))
    }

    /// What is remarkable about it; `before`: the largest packet that all hops before it are known to answer.
    pub(crate) fn notes(&self, before: Option<u32>) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.mpls.is_empty() {
            let labels: Vec<String> = self.mpls.iter().map(u32::to_string).collect();
            notes.push(format!("MPLS label {}", labels.join(", ")));
        }
        notes.extend(self.told.iter().cloned());
        // What every hop answers is nothing to note at each of them: only where less gets through than before.
        let less = self
            .largest_bytes
            .filter(|size| before.is_some_and(|before| *size < before));
        notes.extend(less.map(|size| format!("unfragmented, up to {size} bytes are answered")));
        if self.answered > 0 && self.sent > self.answered {
            notes.push(format!("{} of {} probes answered", self.answered, self.sent));
        }
        notes
    }

    pub(super) fn row(&self) -> Row {
        let named = |name: fn(&Node) -> String| {
            let routers: Vec<String> = self.routers.iter().map(name).collect();
            format!("{} {}", self.ttl, routers.join(" or "))
        };
        let who = match self.routers.is_empty() {
            true => Cell::toned(format!("{} silent", self.ttl), Tone::Soft),
            false => Cell::new(named(Node::to_string)).short(named(|node| {
                node.name.clone().unwrap_or_else(|| node.to_string())
            })),
        };
        let labels: Vec<String> = self.mpls.iter().map(|label| format!("MPLS {label}")).collect();
        let labels = labels.join(", ");
        let told = self.told.iter().map(String::as_str);
        let told: Vec<&str> = [labels.as_str()]
            .into_iter()
            .filter(|l| !l.is_empty())
            .chain(told)
            .collect();
        let cells = [
            who,
            Cell::from(self.usual_rtt_ns().map(|ns| Nanos(ns).to_string())),
            Cell::from((self.sent > 0).then(|| format!("{}/{}", self.answered, self.sent))),
            Cell::from(self.largest_bytes.map(|size| format!("{size} B"))),
            Cell::new(told.join("; ")).short(labels.as_str()),
        ];
        Row::new(cells.into())
    }

    pub(super) fn lay_over(&mut self, other: Self) {
        other.routers.iter().for_each(|router| self.meet(router));
        self.rtt_ns = self.rtt_ns.into_iter().chain(other.rtt_ns).min();
        self.sent = self.sent.saturating_add(other.sent);
        self.answered = self.answered.saturating_add(other.answered);
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
        self.mpls.extend(other.mpls);
        self.told.extend(other.told);
    }

    /// Takes in a router that answered; of two records of one router the fuller one is kept.
    pub(super) fn meet(&mut self, router: &Node) {
        if router.is_unknown() {
            return;
        }
        let room = self.routers.len() < MOST_ROUTERS;
        match self
            .routers
            .iter_mut()
            .find(|known| known.same_as(router) == Some(true))
        {
            Some(known) => {
                known.name = known.name.take().or_else(|| router.name.clone());
                known.address = known.address.or(router.address);
            }
            None if room => self.routers.push(router.clone()),
            None => {}
        }
    }

    /// Takes in what a trace saw at the hop.
    pub(super) fn add_answers(&mut self, hop: &TraceHop, trace: &Trace) {
        self.sent = self.sent.saturating_add(hop.sent().into());
        let answered = u32::try_from(hop.answers.len()).unwrap_or(u32::MAX);
        self.answered = self.answered.saturating_add(answered);
        for answer in &hop.answers {
            self.meet(&answer.node);
            self.rtt_ns = self.rtt_ns.into_iter().chain(answer.rtt_ns).min();
            self.mpls.extend(answer.mpls.iter().map(|label| label.label));
            let mtu = answer.mtu_bytes.map(|mtu| format!("says {mtu} bytes at most"));
            let asn = answer.asn.map(|asn| format!("AS{asn}"));
            let mark = answer.mark.as_ref().map(|mark| format!("marked {mark}"));
            self.told.extend([mtu, asn, mark].into_iter().flatten());
            if trace.dont_fragment == Some(true) && answer.mtu_bytes.is_none() {
                self.largest_bytes = self.largest_bytes.max(trace.size_bytes);
            }
        }
    }
}

/// Whether one of `others` is this router.
pub(super) fn is_among(router: &Node, others: &[Node]) -> bool {
    others.iter().any(|other| router.same_as(other) == Some(true))
}
