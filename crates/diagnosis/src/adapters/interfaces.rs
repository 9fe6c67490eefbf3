//! What the counters of interfaces say: how many packets were damaged or dropped, of how many, in which time.
//!
//! A counter alone is a total since somebody cleared it. Two snapshots tell what happens now; one tells an average over
//! days, which bounds what happens while a transfer runs from below when drops come with the load.

use crate::records::end_of;
use crate::records::{Recorded, Records, hop_ref, or};
use evidence::{
    Complaint, CounterKind, End, HopRef, InterfaceCounters, InterfaceLoad, Node, ObservationId, RateBps,
    Trace,
};
use model::Counted;
use model::names::same_device;
use stats::Ratio;
use std::collections::BTreeMap;

/// The counters of a class of lost packets. Of several the largest speaks: devices print sums beside their parts.
fn counters_of(class: Counted) -> &'static [CounterKind] {
    use CounterKind as K;
    match class {
        Counted::Damaged => &[K::InputCrc, K::InputFraming],
        Counted::Dropped => &[
            K::InputIgnored,
            K::InputOverrun,
            K::InputNoBuffer,
            K::InputQueueDrops,
            K::InputDiscards,
        ],
        Counted::Overflowed => &[K::OutputDrops],
        Counted::Missing => &[],
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
        let count = |kind: &CounterKind| Some((*self.counts.get(kind)?, *kind));
        // Where a device prints no part of its errors, their sum is all there is.
        let is_part = |kind: &CounterKind| {
            [Counted::Damaged, Counted::Dropped]
                .iter()
                .any(|class| counters_of(*class).contains(kind))
        };
        let sum = || {
            let alone = class == Counted::Damaged && !self.counts.keys().any(is_part);
            count(&CounterKind::InputErrors).filter(|_| alone)
        };
        // Of equal ones the first in the list of the class.
        let kinds = counters_of(class).iter().rev();
        let most = kinds.filter_map(count).max_by_key(|(count, _)| *count);
        let (bad, kind) = most.or_else(sum)?;
        let of = self.counts.get(&kind.share_of()?).copied().filter(|of| *of > 0)?;
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
            record.what.called(&record.id).to_ascii_lowercase(),
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
        name: last.what.called(&last.id).into_owned(),
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
    Some(Counts {
        span: Span::Between(seconds),
        counts: after.what.since(&before.what, seconds),
        cites: vec![before.id.clone(), after.id.clone()],
    })
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
