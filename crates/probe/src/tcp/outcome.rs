//! What connections with a server gave together, and the evidence that it is.

use super::connection::{Connection, End};
use super::segment::Offer;
use crate::direction::{Direction, Series};
use evidence::{DelayStatistics, EchoContext, EchoMode, Node, ProbeProtocol, ProbeRow, Probes, Way};
use std::net::IpAddr;

/// What is known of the reverse path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reverse {
    /// What came of acknowledgements.
    Counted(Direction),
    /// The server joins acknowledgements: what did not come was perhaps never sent.
    Joined,
    /// The server names nothing (no SACK), so that what is lost may be lost in either direction.
    Unnamed,
}

/// What the connections gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the server offers, once it answered.
    pub offer: Option<Offer>,
    /// Connections that were opened.
    pub connections: u32,
    /// How the last of them ended.
    pub end: Option<End>,
    /// Forward, where the server names what it has.
    pub forward: Option<Direction>,
    /// Back.
    pub reverse: Reverse,
    /// Probes and the acknowledgements that they drew.
    pub round_trip: Direction,
    /// Keep-alives between them.
    pub keep_alives: Direction,
    /// Probes after the last one that was named: lost, and nothing tells in which direction.
    pub lost_at_the_end: u64,
    /// Probes without a fate, as a connection ended early.
    pub abandoned: u64,
    /// From a probe to its acknowledgement, nanoseconds, in the order in which these came.
    pub rtts_ns: Vec<i64>,
    /// Time in which probes were sent, nanoseconds.
    pub span_ns: u64,
    /// IP packet size of a probe, bytes.
    pub size_bytes: u32,
}

impl Outcome {
    /// Of these connections with one server, in this order.
    #[must_use]
    pub fn of(server: IpAddr, connections: &[Connection]) -> Self {
        let opened: Vec<&Connection> = connections.iter().filter(|one| one.offer.is_some()).collect();
        let mut all = Self {
            offer: opened.first().and_then(|one| one.offer),
            connections: opened.len() as u32,
            end: connections.last().and_then(|one| one.end),
            forward: None,
            reverse: Reverse::Unnamed,
            round_trip: Direction::default(),
            keep_alives: Direction::default(),
            lost_at_the_end: 0,
            abandoned: 0,
            rtts_ns: Vec::new(),
            span_ns: 0,
            size_bytes: if server.is_ipv6() { 61 } else { 41 },
        };
        let (mut there, mut back) = (Direction::default(), Direction::default());
        opened.iter().for_each(|one| all.add(one, &mut there, &mut back));
        if opened.iter().all(|one| one.offer.is_some_and(|offer| offer.sack)) && !opened.is_empty() {
            all.forward = Some(there);
            all.reverse = match all.joins() {
                true => Reverse::Joined,
                false => Reverse::Counted(back),
            };
        }
        all
    }

    fn add(&mut self, one: &Connection, there: &mut Direction, back: &mut Direction) {
        let board = &one.board;
        let (counted, at_the_end) = one.counted();
        let arrived = board.arrived(counted);
        let answered = board.answered();
        there.sent += u64::from(counted);
        there.received += arrived;
        there.duplicates += board.duplicates_there;
        there.reordered += board.reordered_there;
        back.sent += arrived;
        back.received += answered.min(arrived);
        back.reordered += board.reordered_back;
        if one.has_dsack() {
            // Else they look like answers to keep-alives.
            back.duplicates += board.duplicates_back;
            self.keep_alives.sent += board.keep_alives;
            self.keep_alives.received += board.keep_alives_answered.min(board.keep_alives);
        }
        let unnamed = board.unnamed_answers.min(board.count().into());
        let sent = match one.end {
            Some(End::Done) => u64::from(board.count()),
            _ => u64::from(counted).max(unnamed),
        };
        self.round_trip.sent += sent;
        self.round_trip.received += answered.min(arrived) + unnamed;
        self.lost_at_the_end += u64::from(at_the_end);
        self.abandoned += u64::from(board.count()).saturating_sub(sent);
        self.rtts_ns.extend(board.rtts.iter().map(|(_, rtt_ns)| *rtt_ns));
        self.span_ns += u64::try_from(board.span_ns()).unwrap_or(0);
    }

    /// Whether keep-alives, which have to be answered at once, are answered so much better than probes that the rest was not lost: four
    /// standard errors of the difference of two shares.
    fn joins(&self) -> bool {
        const ERRORS: f64 = 4.0;
        let share = |seen: Direction| seen.received as f64 / seen.sent.max(1) as f64;
        let difference = share(self.keep_alives) - share(self.round_trip);
        let both = |of: fn(&Direction) -> u64| (of(&self.keep_alives) + of(&self.round_trip)) as f64;
        let pooled = both(|seen| seen.received) / both(|seen| seen.sent).max(1.0);
        let weight = 1.0 / self.keep_alives.sent.max(1) as f64 + 1.0 / self.round_trip.sent.max(1) as f64;
        let variance = pooled * (1.0 - pooled) * weight;
        self.keep_alives.sent > 0 && difference > 0.0 && difference * difference > ERRORS * ERRORS * variance
    }

    /// Round-trip times of probes.
    #[must_use]
    pub fn rtt(&self) -> Option<DelayStatistics> {
        DelayStatistics::of(&mut self.rtts_ns.clone())
    }

    /// The evidence: loss in each direction that is known, and round-trip times. No packet counts twice: where a direction is
    /// known, both together are told of other packets alone.
    #[must_use]
    pub fn probes(&self, here: &Node, there: &Node) -> Vec<Probes> {
        let series = Series {
            sent: self.round_trip.sent,
            size_bytes: self.size_bytes,
            span_ns: self.span_ns,
        };
        let one_way = |from: &Node, to: &Node, seen: Direction| {
            let row = ProbeRow {
                way: Way::OneWay,
                ..series.row(to)
            };
            series.table(from, to, vec![seen.counted(row)])
        };
        let rtt = series.round_trip(there, self.rtt());
        let tail = series.unanswered(there, self.lost_at_the_end);
        let both = |row| series.table(here, there, std::iter::once(row).chain(tail).collect());
        match (self.forward, self.reverse) {
            (Some(forward), Reverse::Counted(reverse)) => vec![
                one_way(here, there, forward),
                one_way(there, here, reverse),
                both(rtt),
            ],
            (Some(forward), _) => vec![one_way(here, there, forward), both(self.keep_alives.counted(rtt))],
            (None, _) => vec![series.table(here, there, vec![self.round_trip.counted(rtt)])],
        }
    }
}

/// What handshakes with a server gave: those of the kernel, whoever the user is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handshakes {
    /// SYNs sent.
    pub syns: u64,
    /// Handshakes that were answered.
    pub answered: u64,
    /// From SYN to answer, nanoseconds, of those whose first SYN was answered.
    pub rtts_ns: Vec<i64>,
}

impl Handshakes {
    /// Their times.
    #[must_use]
    pub fn rtt(&self) -> Option<DelayStatistics> {
        DelayStatistics::of(&mut self.rtts_ns.clone())
    }

    /// The evidence.
    #[must_use]
    pub fn probes(&self, here: &Node, there: &Node) -> Probes {
        Probes {
            from: here.clone(),
            destination: Some(there.clone()),
            protocol: Some(ProbeProtocol::TcpSyn),
            context: Some(EchoContext::Idle),
            rows: vec![ProbeRow {
                to: there.clone(),
                mode: Some(EchoMode::ToDestination),
                sent: Some(self.syns),
                received: Some(self.answered),
                delay: self.rtt(),
                ..ProbeRow::default()
            }],
            ..Probes::default()
        }
    }
}
