//! One series: what is sent, and the counts of it.

use evidence::{DelayStatistics, EchoMode, Node, ProbeError, ProbeRow, ReplyKind};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses remembered per series; a hop behind a load balancer has a few.
const MOST_ADDRESSES: usize = 64;

/// One series to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesPlan {
    /// How the hop is asked.
    pub mode: EchoMode,
    /// Index of the flow to send in.
    pub flow: u16,
    /// The TTL that the probes carry; `None` for the full one.
    pub send_ttl: Option<u8>,
    /// The TTL of the hop that is asked.
    pub ttl: u8,
    /// The hop's address, when known.
    pub address: Option<IpAddr>,
    /// IP packet size in bytes.
    pub size_bytes: u32,
}

#[derive(Debug)]
pub(super) struct SeriesState {
    pub(super) plan: SeriesPlan,
    pub(super) left: u64,
    /// Nanoseconds from the start of the run.
    pub(super) next_at_ns: u64,
    pub(super) sent: u64,
    first_sent_ns: u64,
    last_sent_ns: u64,
    rtts_ns: Vec<i64>,
    from: BTreeMap<IpAddr, u64>,
    by_destination: u64,
    /// "Fragmentation needed", by who said it and the MTU that it named.
    too_big: BTreeMap<(IpAddr, Option<u32>), u64>,
}

impl SeriesState {
    pub(super) fn new(plan: SeriesPlan, count: u64, first_at_ns: u64) -> Self {
        Self {
            plan,
            left: count,
            next_at_ns: first_at_ns,
            sent: 0,
            first_sent_ns: 0,
            last_sent_ns: 0,
            rtts_ns: Vec::new(),
            from: BTreeMap::new(),
            by_destination: 0,
            too_big: BTreeMap::new(),
        }
    }

    pub(super) fn note_sent(&mut self, now_ns: u64) {
        if self.sent == 0 {
            self.first_sent_ns = now_ns;
        }
        self.sent += 1;
        self.last_sent_ns = now_ns;
    }

    pub(super) fn note_answer(&mut self, rtt_ns: u64, from: IpAddr, kind: ReplyKind) {
        self.rtts_ns.push(i64::try_from(rtt_ns).unwrap_or(i64::MAX));
        self.by_destination += u64::from(kind.is_from_destination());
        if self.from.len() < MOST_ADDRESSES || self.from.contains_key(&from) {
            *self.from.entry(from).or_default() += 1;
        }
    }

    pub(super) fn note_too_big(&mut self, from: IpAddr, mtu_bytes: Option<u32>) {
        let who = (from, mtu_bytes);
        if self.too_big.len() < MOST_ADDRESSES || self.too_big.contains_key(&who) {
            *self.too_big.entry(who).or_default() += 1;
        }
    }

    /// A TTL that turns out to be the destination's makes a series to the destination.
    fn mode(&self) -> EchoMode {
        match self.plan.mode {
            EchoMode::Expiring if self.by_destination * 2 > self.rtts_ns.len() as u64 => {
                EchoMode::ToDestination
            }
            mode => mode,
        }
    }

    pub(super) fn into_row(mut self, planned_pps: f64) -> ProbeRow {
        let span_ns = self.last_sent_ns.saturating_sub(self.first_sent_ns);
        let most_frequent = self
            .from
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(from, _)| *from);
        let asked = match self.plan.mode {
            EchoMode::Expiring => most_frequent,
            EchoMode::Direct | EchoMode::ToDestination => self.plan.address.or(most_frequent),
        };
        let (mode, to) = (self.mode(), asked.map(Node::from));
        let rate_pps = match span_ns {
            0 => planned_pps,
            span => (self.sent - 1) as f64 * 1e9 / span as f64,
        };
        ProbeRow {
            mode: Some(mode),
            ttl: Some(self.plan.ttl),
            // Who is at a TTL is known by the answer alone.
            answered_by: to
                .iter()
                .filter(|_| mode == EchoMode::Expiring)
                .cloned()
                .collect(),
            to: to.unwrap_or_default(),
            size_bytes: Some(self.plan.size_bytes),
            sent: Some(self.sent),
            received: Some(self.rtts_ns.len() as u64),
            delay: DelayStatistics::of(&mut self.rtts_ns),
            rate_pps: Some(rate_pps),
            errors: self.too_big.into_iter().map(too_big).collect(),
            ..ProbeRow::default()
        }
    }
}

fn too_big(((from, mtu_bytes), count): ((IpAddr, Option<u32>), u64)) -> ProbeError {
    ProbeError {
        from: Some(from.into()),
        text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
        mtu_bytes,
        count,
    }
}
