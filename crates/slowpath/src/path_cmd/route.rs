//! The path as it was seen so far: its hops in order, their names, and when the route changed.

use super::hops::HopStatistics;
use super::marks::{Mark, marks};
use evidence::{ProbeProtocol, Trace};
use net::path::{Asked, Asn, PathEvent, RoundEvent};
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

/// Changes kept: the newest.
const MOST_CHANGES: usize = 8;

/// What is known of the path.
#[derive(Debug, Clone)]
pub(super) struct Route {
    destination: IpAddr,
    destination_ttl: Option<u8>,
    hops: BTreeMap<u8, HopStatistics>,
    end: HopStatistics,
    names: BTreeMap<IpAddr, String>,
    systems: BTreeMap<IpAddr, Asn>,
    changes: VecDeque<Change>,
    protocol: Option<ProbeProtocol>,
    rounds: u64,
    /// The round at which counting began anew.
    first_round: u64,
    refused: u64,
}

/// The route was another from some moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    /// Since the start.
    pub(super) at: Duration,
    pub(super) what: Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changed {
    /// Another router answers.
    Hop { ttl: u8, was: IpAddr, is: IpAddr },
    /// The destination is nearer, or further away.
    Length { was: u8, is: u8 },
}

/// A hop to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// `None`: the destination, and nobody knows how far away it is.
    pub(super) ttl: Option<u8>,
    pub(super) is_destination: bool,
    pub(super) hop: &'a HopStatistics,
    /// Who it is; the destination is known without an answer.
    pub(super) address: Option<IpAddr>,
    pub(super) name: Option<&'a str>,
    /// Its autonomous system.
    pub(super) system: Option<Asn>,
    pub(super) mark: Option<Mark>,
}

impl Route {
    pub(super) fn new(destination: IpAddr) -> Self {
        Self {
            destination,
            destination_ttl: None,
            hops: BTreeMap::new(),
            end: HopStatistics::default(),
            names: BTreeMap::new(),
            systems: BTreeMap::new(),
            changes: VecDeque::new(),
            protocol: None,
            rounds: 0,
            first_round: 0,
            refused: 0,
        }
    }

    /// The trace that comes first: how many hops there are, and what they are called.
    pub(super) fn take_trace(&mut self, trace: &Trace) {
        self.destination_ttl = trace.flows.iter().filter_map(|flow| flow.reached_ttl).min();
        let answering = trace.hops().filter(|hop| !hop.answers.is_empty());
        let last = answering.map(|hop| hop.ttl).max().unwrap_or(0);
        let last = self.destination_ttl.map_or(last, |ttl| ttl.saturating_sub(1));
        for ttl in 1..=last {
            self.hops.entry(ttl).or_default();
        }
        for answer in trace.hops().flat_map(|hop| &hop.answers) {
            if let (Some(address), Some(name)) = (answer.node.address, &answer.node.name) {
                self.names.insert(address, name.clone());
            }
        }
    }

    /// What was told at `at`, counted from the start.
    pub(super) fn take(&mut self, event: PathEvent, at: Duration) {
        match event {
            PathEvent::Protocol(protocol) => self.protocol = Some(protocol),
            PathEvent::Name(address, name) => {
                self.names.insert(address, name);
            }
            PathEvent::System(address, system) => {
                self.systems.insert(address, system);
            }
            PathEvent::Round(RoundEvent::Refused) => self.refused += 1,
            PathEvent::Round(RoundEvent::DestinationAt(ttl)) => self.move_destination(ttl, at),
            PathEvent::Round(RoundEvent::Outcome { asked, round, answer }) => {
                self.rounds = self.rounds.max(round + 1);
                let hop = match asked {
                    Asked::Hop(ttl) => self.hops.entry(ttl).or_default(),
                    Asked::Destination => &mut self.end,
                };
                let Some(answer) = answer else {
                    return hop.note_lost();
                };
                let (was, is) = (hop.note_answer(answer.from, answer.rtt_ns), answer.from);
                if let (Some(was), Asked::Hop(ttl)) = (was, asked) {
                    self.note_change(at, Changed::Hop { ttl, was, is });
                }
            }
        }
    }

    /// A destination that is looked for stays where it was until it is found.
    fn move_destination(&mut self, ttl: Option<u8>, at: Duration) {
        let Some(is) = ttl else { return };
        self.hops.retain(|hop, _| *hop < is);
        for hop in 1..is {
            self.hops.entry(hop).or_default();
        }
        if let Some(was) = self.destination_ttl.replace(is).filter(|was| *was != is) {
            self.note_change(at, Changed::Length { was, is });
        }
    }

    fn note_change(&mut self, at: Duration, what: Changed) {
        self.hops.values_mut().for_each(HopStatistics::forget_evidence);
        self.end.forget_evidence();
        if self.changes.len() == MOST_CHANGES {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { at, what });
    }

    /// Counts anew; how many hops there are, and their names, stay known.
    pub(super) fn reset(&mut self) {
        self.hops
            .values_mut()
            .for_each(|hop| *hop = HopStatistics::default());
        self.end = HopStatistics::default();
        self.changes.clear();
        self.refused = 0;
        self.first_round = self.rounds;
    }

    /// The hops in order, the destination last.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let hops = self.hops.iter().filter(|(ttl, hop)| {
            // Hops behind the one that the destination was thought to be.
            self.destination_ttl.is_none_or(|end| **ttl < end) || hop.answered() > 0
        });
        let mut rows: Vec<Row<'_>> = hops
            .map(|(ttl, hop)| self.row(Some(*ttl), hop, hop.address()))
            .collect();
        let last = rows.last().and_then(|row| row.ttl);
        let end_ttl = self
            .destination_ttl
            .filter(|ttl| last.is_none_or(|last| last < *ttl));
        let end = self.row(end_ttl, &self.end, Some(self.destination));
        rows.push(Row {
            is_destination: true,
            ..end
        });
        let evidence: Vec<_> = rows.iter().map(|row| row.hop.evidence()).collect();
        for (row, mark) in rows.iter_mut().zip(marks(&evidence)) {
            row.mark = mark;
        }
        rows
    }

    fn row<'a>(&'a self, ttl: Option<u8>, hop: &'a HopStatistics, address: Option<IpAddr>) -> Row<'a> {
        Row {
            ttl,
            is_destination: false,
            hop,
            address,
            name: address
                .and_then(|address| self.names.get(&address))
                .map(String::as_str),
            system: address.and_then(|address| self.systems.get(&address)).copied(),
            mark: None,
        }
    }

    pub(super) fn changes(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.changes.iter()
    }

    /// Rounds that were begun since counting began.
    pub(super) fn rounds(&self) -> u64 {
        self.rounds - self.first_round
    }

    /// Probes that this host refused to send.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn destination(&self) -> IpAddr {
        self.destination
    }

    pub(super) fn protocol(&self) -> Option<ProbeProtocol> {
        self.protocol
    }
}

impl Changed {
    pub(super) fn words(self) -> String {
        match self {
            Self::Hop { ttl, was, is } => format!("route changed at hop {ttl}: {was} -> {is}"),
            Self::Length { was, is } => {
                format!("route changed: the destination is {is} hops away, and was {was}")
            }
        }
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
