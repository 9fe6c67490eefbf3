//! Which packet sizes reached which hops: the pooled table of all path-MTU measurements of one vantage.

use super::ratio::Ratio;
use evidence::v1::{Observation, ObservationId, Payload, SizeCell, SizeProbeMode};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Where a probe was meant to be answered. Ordered by distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Hop(u8),
    Destination,
}

/// A router by what is known of it: records may tell a name only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Router {
    Address(IpAddr),
    Name(String),
}

/// A router's word that a packet was too big, with the next-hop MTU that it named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TooBig {
    pub(crate) from: Router,
    pub(crate) mtu_bytes: Option<u32>,
}

/// What probes of one size, target and mode brought.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tries {
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    /// Believable "fragmentation needed" only.
    pub(crate) fragmentation_needed: Vec<TooBig>,
    /// The host itself would not send it.
    pub(crate) refused_locally: bool,
}

impl Tries {
    /// Sent, and not a word came back.
    pub(crate) fn vanished(&self) -> bool {
        self.sent > 0 && self.answered == 0 && self.fragmentation_needed.is_empty() && !self.refused_locally
    }
}

/// The pooled table.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    cells: BTreeMap<(SizeProbeMode, u32, Target), Tries>,
    addresses: BTreeSet<(u8, IpAddr)>,
    pub(crate) interface_mtu_bytes: Option<u32>,
    /// "Fragmentation needed" that cannot be true: it names an MTU that the packet did not exceed.
    pub(crate) unbelievable_answers: u64,
    pub(crate) cites: Vec<ObservationId>,
}

/// The least MTU that a link may have: RFC 791 (IPv4) and RFC 8200 (IPv6) call 68 and 1280; below 68 nothing is true,
/// and no packet that small is ever fragmented.
pub(crate) const LEAST_IP_MTU_BYTES: u32 = 68;

impl Sizes {
    pub(crate) fn derive(observations: &[&Observation], destination_ttl: Option<u8>) -> Self {
        let mut sizes = Self::default();
        for observation in observations {
            let Payload::PathMtu(table) = &observation.payload else {
                continue;
            };
            sizes.cites.push(observation.id.clone());
            let mtu = table.interface_mtu_bytes;
            sizes.interface_mtu_bytes = Some(sizes.interface_mtu_bytes.map_or(mtu, |known| known.min(mtu)));
            for cell in &table.cells {
                sizes.learn(cell, destination_ttl);
            }
        }
        sizes
    }

    fn learn(&mut self, cell: &SizeCell, destination_ttl: Option<u8>) {
        let target = match cell.ttl {
            Some(ttl) if destination_ttl.is_none_or(|last| ttl < last) => Target::Hop(ttl),
            _ => Target::Destination,
        };
        if let Target::Hop(ttl) = target {
            self.addresses
                .extend(cell.answered_by.iter().map(|address| (ttl, *address)));
        }
        let word = |answer: &evidence::v1::FragmentationNeeded| TooBig {
            from: Router::Address(answer.from),
            mtu_bytes: answer.mtu_bytes,
        };
        let tries = Tries {
            sent: u64::from(cell.sent),
            answered: u64::from(cell.answered),
            fragmentation_needed: cell.fragmentation_needed.iter().map(word).collect(),
            refused_locally: cell.refused_locally_mtu_bytes.is_some() && cell.answered == 0,
        };
        self.add(cell.mode, cell.size_bytes, target, tries);
    }

    /// Enters probes of one size, target and mode.
    pub(crate) fn add(&mut self, mode: SizeProbeMode, size_bytes: u32, target: Target, seen: Tries) {
        let believable = |answer: &TooBig| {
            answer
                .mtu_bytes
                .is_none_or(|mtu| (LEAST_IP_MTU_BYTES..size_bytes).contains(&mtu))
        };
        let (valid, unbelievable): (Vec<TooBig>, Vec<TooBig>) =
            seen.fragmentation_needed.into_iter().partition(believable);
        self.unbelievable_answers += unbelievable.len() as u64;
        let tries = self.cells.entry((mode, size_bytes, target)).or_default();
        tries.sent = tries.sent.saturating_add(seen.sent);
        tries.answered = tries.answered.saturating_add(seen.answered.min(seen.sent));
        tries.fragmentation_needed.extend(valid);
        tries.refused_locally |= seen.refused_locally;
    }

    pub(crate) fn was_probed(&self) -> bool {
        !self.cites.is_empty()
    }

    pub(crate) fn hop_addresses(&self) -> impl Iterator<Item = (u8, IpAddr)> {
        self.addresses.iter().copied()
    }

    /// (size, target, tries) of one mode, by size.
    pub(crate) fn tries(&self, mode: SizeProbeMode) -> impl Iterator<Item = (u32, Target, &Tries)> {
        self.cells
            .iter()
            .filter(move |((m, _, _), _)| *m == mode)
            .map(|((_, size, target), t)| (*size, *target, t))
    }

    /// The same with "don't fragment" set.
    pub(crate) fn unfragmented(&self) -> impl Iterator<Item = (u32, Target, &Tries)> {
        self.tries(SizeProbeMode::DontFragment)
    }

    /// Whether `target` answers at all: one that is silent to small packets too says nothing by its silence.
    pub(crate) fn answers(&self, target: Target) -> bool {
        self.cells
            .iter()
            .any(|((_, _, t), tries)| *t == target && tries.answered > 0)
    }

    /// Answered of sent at `target`, over unfragmentable packets of up to `largest` bytes that nobody refused.
    pub(crate) fn small_answers(&self, target: Target, largest: u32) -> Ratio {
        self.unfragmented()
            .filter(|(size, t, tries)| {
                *t == target && *size <= largest && tries.fragmentation_needed.is_empty()
            })
            .fold(Ratio::default(), |sum, (_, _, tries)| {
                sum.plus(Ratio::new(tries.answered, tries.sent))
            })
    }

    /// The largest size that the destination answered with "don't fragment" set.
    pub(crate) fn end_to_end_bytes(&self) -> Option<u32> {
        self.unfragmented()
            .filter(|(_, target, tries)| *target == Target::Destination && tries.answered > 0)
            .map(|(size, _, _)| size)
            .max()
    }

    /// The furthest TTL known to have been reached by unfragmented packets of exactly `size` bytes; the destination
    /// counts as `u8::MAX`. `None` when no hop ever answered that size.
    pub(crate) fn reach(&self, size: u32) -> Option<u8> {
        self.unfragmented()
            .filter(|(s, _, tries)| *s == size && tries.answered > 0)
            .map(|(_, target, _)| target.ttl())
            .max()
    }

    /// Routers that said "fragmentation needed" believably, with the smallest MTU each named.
    pub(crate) fn honest_routers(&self) -> BTreeMap<Router, Option<u32>> {
        let mut routers: BTreeMap<Router, Option<u32>> = BTreeMap::new();
        for answer in self.cells.values().flat_map(|tries| &tries.fragmentation_needed) {
            let named = routers.entry(answer.from.clone()).or_insert(answer.mtu_bytes);
            *named = match (*named, answer.mtu_bytes) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        routers
    }
}

impl Target {
    /// As a TTL, with the destination beyond all hops.
    pub(crate) fn ttl(self) -> u8 {
        match self {
            Self::Hop(ttl) => ttl,
            Self::Destination => u8::MAX,
        }
    }
}
