//! What the counters of interfaces say: how many packets were damaged or dropped, of how many, in which time.
//!
//! A counter alone is a total since somebody cleared it. Two snapshots tell what happens now; one tells an average over
//! days, which bounds what happens while a transfer runs from below when drops come with the load.

use super::ends::{end_of, same_device};
use super::{Recorded, Records, hop_ref};
use crate::faults::words;
use evidence::{
    Complaint, CounterKind, End, HopRef, InterfaceCounters, InterfaceLoad, Node, ObservationId, RateBps,
    Trace,
};
use stats::Ratio;
use std::collections::BTreeMap;

/// What happened to packets that an interface received and did not hand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Damaged on the link: checksum, framing.
    Errored,
    /// Sound, and no room for them in the receiving device.
    Dropped,
}

impl Class {
    /// The counters that make it up. Sums that devices print (`input errors`) are left out: they count the same twice.
    fn kinds(self) -> &'static [CounterKind] {
        match self {
            Self::Errored => &[CounterKind::InputCrc, CounterKind::InputFraming],
            Self::Dropped => &[
                CounterKind::InputIgnored,
                CounterKind::InputOverrun,
                CounterKind::InputNoBuffer,
                CounterKind::InputQueueDrops,
                CounterKind::InputDiscards,
            ],
        }
    }
}

/// The time over which something was counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Span {
    /// Between two snapshots, seconds apart.
    Between(f64),
    /// Since the counters were cleared, seconds ago; unknown where the device does not tell.
    SinceCleared(Option<u64>),
}

/// Counts over one span.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) span: Span,
    counts: BTreeMap<CounterKind, u64>,
    pub(crate) cites: Vec<ObservationId>,
}

impl Counted {
    /// Packets of a class, and which counter has most of them. `None` where the device prints no counter of it.
    pub(crate) fn total(&self, class: Class) -> Option<(u64, CounterKind)> {
        let counted: Vec<(u64, CounterKind)> = class
            .kinds()
            .iter()
            .filter_map(|kind| Some((*self.counts.get(kind)?, *kind)))
            .collect();
        let sum = counted
            .iter()
            .fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
        // Of equal ones the first in the list of the class.
        let most = counted.iter().rev().max_by_key(|(count, _)| *count)?.1;
        Some((sum, most))
    }

    /// The counter of a class that has most, with its count.
    pub(crate) fn leading(&self, class: Class) -> Option<(u64, CounterKind)> {
        let (_, kind) = self.total(class)?;
        Some((*self.counts.get(&kind)?, kind))
    }

    /// Packets of a class as a ratio of the packets received in the same span.
    pub(crate) fn share(&self, class: Class) -> Option<Ratio> {
        let received = *self.counts.get(&CounterKind::InputPackets)?;
        let (count, _) = self.total(class)?;
        (received > 0).then(|| Ratio::new(count, received))
    }

    pub(crate) fn received(&self) -> Option<u64> {
        self.counts.get(&CounterKind::InputPackets).copied()
    }
}

/// One interface of one device, over all its snapshots of the round.
#[derive(Debug, Clone)]
pub(crate) struct Interface {
    pub(crate) device: Node,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) bandwidth: Option<RateBps>,
    pub(crate) load: Option<InterfaceLoad>,
    /// Where the device stands on a route of the round; `None` where it is on none, or unknown.
    pub(crate) hop: Option<HopRef>,
    /// Between consecutive snapshots; empty with one, or where their order is unknown.
    pub(crate) windows: Vec<Counted>,
    /// All that the last snapshot holds.
    pub(crate) lifetime: Counted,
}

impl Interface {
    /// The counts to speak of: of the window with the largest share, else the total since the last clearing.
    pub(crate) fn worst(&self, class: Class) -> &Counted {
        let share = |window: &&Counted| window.share(class).and_then(Ratio::estimate).unwrap_or(0.0);
        self.windows
            .iter()
            .max_by(|a, b| share(a).total_cmp(&share(b)))
            .unwrap_or(&self.lifetime)
    }

    /// "ATM5/0 of RTR-DMZ"
    pub(crate) fn words(&self) -> String {
        if self.device.is_unknown() {
            self.name.clone()
        } else {
            format!("{} of {}", self.name, self.device)
        }
    }

    /// Its device in a word.
    pub(crate) fn device_name(&self) -> String {
        self.device
            .name
            .clone()
            .unwrap_or_else(|| self.device.to_string())
    }

    /// What its place says of whether it is on the path, and how much: a switch is on no route either.
    pub(crate) fn place(&self, records: &Records) -> Option<(f64, String)> {
        match &self.hop {
            Some(hop) => Some((1.0, format!("it is {} of the route", words::hop(hop)))),
            None if self.device.is_unknown() => {
                Some((-0.5, "the record does not tell whose interface it is".into()))
            }
            None if records.traces.is_empty() => None,
            None => Some((-1.0, format!("{} is on none of the recorded routes", self.device))),
        }
    }

    /// Whether the two are ends of one link: one's description names the other's device.
    pub(crate) fn is_next_to(&self, other: &Self) -> bool {
        let names = |from: &Self, to: &Self| {
            let (Some(text), Some(name)) = (&from.description, &to.device.name) else {
                return false;
            };
            words_of(text).any(|word| same_device(word, name))
        };
        names(self, other) || names(other, self)
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
        .filter(|word| !word.is_empty())
}

/// All interfaces of the round, by device and name.
pub(crate) fn interfaces(records: &Records, complaint: &Complaint) -> Vec<Interface> {
    let mut groups: BTreeMap<(Node, String), Vec<&Recorded<InterfaceCounters>>> = BTreeMap::new();
    for record in &records.interfaces {
        let key = (
            folded(&record.what.device),
            record.what.interface.to_ascii_lowercase(),
        );
        groups.entry(key).or_default().push(record);
    }
    groups
        .into_values()
        .filter_map(|snapshots| interface(snapshots, records, complaint))
        .collect()
}

fn folded(node: &Node) -> Node {
    Node {
        name: node.name.as_ref().map(|name| name.to_ascii_lowercase()),
        address: node.address,
    }
}

fn interface(
    mut snapshots: Vec<&Recorded<InterfaceCounters>>,
    records: &Records,
    complaint: &Complaint,
) -> Option<Interface> {
    let in_time = snapshots.iter().all(|snapshot| snapshot.at.is_some());
    if in_time {
        snapshots.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    } else {
        // Counters grow: without times the fullest is the last, if nobody cleared them in between.
        snapshots.sort_by_key(|s| {
            (
                s.what.counters.get(&CounterKind::InputPackets).copied(),
                s.id.clone(),
            )
        });
    }
    let last = *snapshots.last()?;
    let windows = if in_time {
        snapshots
            .iter()
            .zip(snapshots.iter().skip(1))
            .filter_map(|(before, after)| window(before, after))
            .collect()
    } else {
        Vec::new()
    };
    Some(Interface {
        device: last.what.device.clone(),
        name: last.what.interface.clone(),
        description: last.what.description.clone(),
        bandwidth: last.what.bandwidth_bps,
        load: last.what.load,
        hop: hop_of(&last.what.device, records, complaint),
        windows,
        lifetime: Counted {
            span: Span::SinceCleared(last.what.counting_for_s),
            counts: last.what.counters.clone(),
            cites: vec![last.id.clone()],
        },
    })
}

/// What was counted between two snapshots; `None` when they are of one moment.
fn window(before: &Recorded<InterfaceCounters>, after: &Recorded<InterfaceCounters>) -> Option<Counted> {
    let seconds = (after.at?.0.checked_sub(before.at?.0)?) as f64 / 1e9;
    if seconds <= 0.0 {
        return None;
    }
    let cleared = was_cleared(&before.what, &after.what, seconds);
    let counts = after
        .what
        .counters
        .iter()
        .filter_map(|(kind, now)| {
            let then = before.what.counters.get(kind).copied();
            Some((*kind, if cleared { *now } else { grown(then?, *now) }))
        })
        .collect();
    Some(Counted {
        span: Span::Between(seconds),
        counts,
        cites: vec![before.id.clone(), after.id.clone()],
    })
}

/// The counters were cleared between the snapshots, so that the later ones are the difference (a part of it): the
/// device says so, or all counters that move fell, which a wrap of one of them does not do.
fn was_cleared(before: &InterfaceCounters, after: &InterfaceCounters, seconds: f64) -> bool {
    if let Some(counting) = after.counting_for_s {
        // "1w2d" is an hour to a day coarse; a clearing in the window shows all the same unless it was at its start.
        return (counting as f64) < seconds;
    }
    let moved: Vec<bool> = after
        .counters
        .iter()
        .filter_map(|(kind, now)| Some((*before.counters.get(kind)?, *now)))
        .filter(|(then, now)| then != now)
        .map(|(then, now)| now < then)
        .collect();
    moved.len() > 1 && moved.iter().all(|fell| *fell)
}

/// The growth of a counter that may have wrapped at 2^32 (RFC 2863 section 3.1.6); a wider one that fell was reset.
fn grown(then: u64, now: u64) -> u64 {
    const WRAP: u64 = 1 << 32;
    match now.checked_sub(then) {
        Some(growth) => growth,
        None if then < WRAP => now.saturating_add(WRAP - then),
        None => now,
    }
}

/// The hop that the device is: with the data where such a trace exists, else as any trace has it.
pub(crate) fn hop_of(device: &Node, records: &Records, complaint: &Complaint) -> Option<HopRef> {
    if device.is_unknown() {
        return None;
    }
    let with_the_data = |trace: &Trace| {
        end_of(&trace.to, complaint) == Some(End::To) || end_of(&trace.from, complaint) == Some(End::From)
    };
    records
        .traces
        .iter()
        .flat_map(|trace| trace.what.hops().map(move |hop| (&trace.what, hop)))
        .filter_map(|(trace, hop)| {
            let node = hop
                .answers
                .iter()
                .map(|a| &a.node)
                .find(|node| is_device(node, device))?;
            Some((!with_the_data(trace), hop_ref(hop.ttl, node)))
        })
        .min()
        .map(|(_, hop)| hop)
}

fn is_device(node: &Node, device: &Node) -> bool {
    let by_name = node.name.iter().zip(&device.name).any(|(a, b)| same_device(a, b));
    by_name || node.same_as(device) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_at_32_bits_and_wider_ones_are_reset() {
        assert_eq!(grown(10, 25), 15);
        assert_eq!(grown((1 << 32) - 5, 10), 15);
        assert_eq!(grown(1 << 40, 7), 7);
    }
}
