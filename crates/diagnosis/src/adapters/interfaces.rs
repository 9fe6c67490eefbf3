//! What the counters of interfaces say: how many packets were damaged or dropped, of how many, in which time.
//!
//! A counter alone is a total since somebody cleared it. Two snapshots tell what happens now; one tells an average over
//! days, which bounds what happens while a transfer runs from below when drops come with the load.

use crate::facts::ends::{end_of, same_device};
use crate::facts::round::{Recorded, Records, hop_ref, or};
use evidence::{
    Complaint, CounterKind, End, HopRef, InterfaceCounters, InterfaceLoad, Node, ObservationId, RateBps,
    Trace,
};
use model::Counted;
use stats::Ratio;
use std::collections::BTreeMap;

/// The counters of a class of lost packets, and what they are a share of. Of several the largest speaks: devices print sums
/// beside their parts.
fn counters_of(class: Counted) -> (&'static [CounterKind], CounterKind) {
    use CounterKind::{
        InputCrc, InputDiscards, InputFraming, InputIgnored, InputNoBuffer, InputOverrun, InputPackets,
        InputQueueDrops, OutputDrops, OutputPackets,
    };
    match class {
        Counted::Damaged => (&[InputCrc, InputFraming], InputPackets),
        Counted::Dropped => (
            &[
                InputIgnored,
                InputOverrun,
                InputNoBuffer,
                InputQueueDrops,
                InputDiscards,
            ],
            InputPackets,
        ),
        Counted::Overflowed => (&[OutputDrops], OutputPackets),
        Counted::Missing => (&[], InputPackets),
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
pub(crate) struct Counts {
    pub(crate) span: Span,
    counts: BTreeMap<CounterKind, u64>,
    pub(crate) cites: Vec<ObservationId>,
}

impl Counts {
    /// Packets of a class of all that came the same way, by the counter that has most. `None` where the device prints none.
    pub(crate) fn lost(&self, class: Counted) -> Option<(Ratio, CounterKind)> {
        let (kinds, of) = counters_of(class);
        let count = |kind: &CounterKind| Some((*self.counts.get(kind)?, *kind));
        // Where a device prints no part of its errors, their sum is all there is.
        let parts = || {
            [Counted::Damaged, Counted::Dropped]
                .map(counters_of)
                .map(|(kinds, _)| kinds)
                .concat()
        };
        let sum = || {
            let alone =
                class == Counted::Damaged && !parts().iter().any(|kind| self.counts.contains_key(kind));
            count(&CounterKind::InputErrors).filter(|_| alone)
        };
        // Of equal ones the first in the list of the class.
        let most = kinds
            .iter()
            .rev()
            .filter_map(count)
            .max_by_key(|(count, _)| *count);
        let (bad, kind) = most.or_else(sum)?;
        let of = self.counts.get(&of).copied().filter(|of| *of > 0)?;
        Some((Ratio::new(bad, of), kind))
    }
}

/// One interface of one device, over all its snapshots of the round.
#[derive(Debug, Clone)]
pub(crate) struct Interface {
    pub(crate) device: Node,
    pub(crate) name: String,
    pub(crate) bandwidth: Option<RateBps>,
    pub(crate) load: Option<InterfaceLoad>,
    /// Between consecutive snapshots; empty with one, or where their order is unknown.
    windows: Vec<Counts>,
    /// All that the last snapshot holds.
    pub(crate) lifetime: Counts,
}

impl Interface {
    /// The counts to speak of: of the window with the largest share, else the total since the last clearing.
    pub(crate) fn worst(&self, class: Counted) -> &Counts {
        let share = |window: &&Counts| {
            window
                .lost(class)
                .and_then(|(lost, _)| lost.estimate())
                .unwrap_or(0.0)
        };
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
}

/// All interfaces of the round, by device and name.
pub(crate) fn interfaces(records: &[Recorded<InterfaceCounters>]) -> Vec<Interface> {
    let mut groups: BTreeMap<(Node, String), Vec<&Recorded<InterfaceCounters>>> = BTreeMap::new();
    for record in records {
        let key = (
            folded(or(&record.what.device, &record.vantage)),
            record.what.interface.to_ascii_lowercase(),
        );
        groups.entry(key).or_default().push(record);
    }
    groups.into_values().filter_map(interface).collect()
}

fn folded(node: &Node) -> Node {
    Node {
        name: node.name.as_ref().map(|name| name.to_ascii_lowercase()),
        address: node.address,
    }
}

fn interface(mut snapshots: Vec<&Recorded<InterfaceCounters>>) -> Option<Interface> {
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
        device: or(&last.what.device, &last.vantage).clone(),
        name: last.what.interface.clone(),
        bandwidth: last.what.bandwidth_bps,
        load: last.what.load,
        windows,
        lifetime: Counts {
            span: Span::SinceCleared(last.what.counting_for_s),
            counts: last.what.counters.clone(),
            cites: vec![last.id.clone()],
        },
    })
}

/// What was counted between two snapshots; `None` when they are of one moment.
fn window(before: &Recorded<InterfaceCounters>, after: &Recorded<InterfaceCounters>) -> Option<Counts> {
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
    Some(Counts {
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
