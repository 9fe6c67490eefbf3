//! The probes that may still be answered, and which of them an answer names.

use super::Asked;
use crate::{Identity, Reply};
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

/// A probe that is out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) asked: Asked,
    pub(super) ttl: Option<u8>,
    pub(super) round: u64,
    pub(super) at_ns: u64,
}

/// In the order sent, with their numbers.
#[derive(Debug)]
pub(super) struct Outstanding {
    sent: VecDeque<(u32, Sent)>,
    next_sequence: u32,
    /// Who answered at a TTL last: what an answer that names no probe is told by.
    addresses: BTreeMap<u8, IpAddr>,
}

impl Outstanding {
    pub(super) fn new(first_sequence: u32) -> Self {
        Self {
            sent: VecDeque::new(),
            next_sequence: first_sequence,
            addresses: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, sent: Sent) -> u32 {
        if self.next_sequence as u16 == 0 {
            // The low half must not be zero (see `Probe::sequence`).
            self.next_sequence = self.next_sequence.wrapping_add(1);
        }
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        self.sent.push_back((sequence, sent));
        sequence
    }

    pub(super) fn was_sent(&mut self, sequence: u32, at_ns: u64) {
        let found = self.sent.iter_mut().rev().find(|(number, _)| *number == sequence);
        if let Some((_, sent)) = found {
            sent.at_ns = at_ns;
        }
    }

    pub(super) fn take(&mut self, sequence: u32) -> Option<Sent> {
        let index = self.sent.iter().position(|(number, _)| *number == sequence)?;
        self.sent.remove(index).map(|(_, sent)| sent)
    }

    /// The oldest, if it was sent before `oldest_ns`.
    pub(super) fn take_older(&mut self, oldest_ns: u64) -> Option<Sent> {
        self.sent.front().filter(|(_, sent)| sent.at_ns < oldest_ns)?;
        self.sent.pop_front().map(|(_, sent)| sent)
    }

    pub(super) fn oldest_ns(&self) -> Option<u64> {
        self.sent.front().map(|(_, sent)| sent.at_ns)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    pub(super) fn note_address(&mut self, ttl: Option<u8>, from: IpAddr) {
        self.addresses.extend(ttl.map(|ttl| (ttl, from)));
    }

    /// The probe that an answer names; one that names none counts when a single probe to that router is out.
    pub(super) fn find(&self, reply: &Reply, at_ns: u64) -> Option<(u32, Sent)> {
        let mut fitting = self.sent.iter().copied().rev().filter(|(sequence, sent)| {
            sent.at_ns <= at_ns
                && match reply.identity {
                    Identity::Sequence(number) => number == *sequence,
                    Identity::Low16(low) => low == *sequence as u16,
                    Identity::Unknown => {
                        let at = sent.ttl.and_then(|ttl| self.addresses.get(&ttl));
                        at == Some(&reply.from)
                    }
                }
        });
        let first = fitting.next()?;
        let is_certain = reply.identity != Identity::Unknown || fitting.next().is_none();
        is_certain.then_some(first)
    }
}
