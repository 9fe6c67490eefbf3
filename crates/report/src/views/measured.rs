//! What else was measured at the hops of a way: round-trip times, sizes, loss, capacities, counters.

use super::hop::{HopView, Spread, is_among};
use super::interfaces::{counted, kind_words, share_of_packets};
use super::path::{PathView, empty, ttl_of, ways};
use super::place::is_device;
use crate::names::Names;
use crate::words;
use evidence::{
    EchoContext, EchoMode, InterfaceCounters, LinkCapacities, Observation, ObservationId, Payload, ProbeRow,
    Probes, Way,
};
use std::collections::BTreeMap;

/// The ways that observations show, with what was measured at their hops.
pub(crate) fn paths(seen: &[(usize, &Observation)], names: &Names) -> Vec<PathView> {
    let mut views = ways(seen, names);
    if !views.is_empty() {
        seen.iter()
            .for_each(|(number, o)| add(&mut views, *number, o, names));
    }
    views
}

/// Adds what an observation measured at the hops of the ways that it is about.
fn add(views: &mut [PathView], number: usize, o: &Observation, names: &Names) {
    match &o.payload {
        Payload::Probes(probes) => {
            if let Some(to) = &probes.destination {
                let view = empty(number, (&probes.from, to), o, names);
                on_pair(views, number, &view.pair, |view| view.add_probes(probes));
            }
        }
        Payload::LinkCapacities(path) => {
            let pair = names.pair(&path.from, &path.to);
            on_pair(views, number, &pair, |view| view.add_capacities(path));
        }
        Payload::InterfaceCounters(counters) => {
            for view in views {
                if view.add_counters(counters, &o.id) {
                    view.cite(number);
                }
            }
        }
        _ => {}
    }
}

fn on_pair(views: &mut [PathView], number: usize, pair: &str, add: impl Fn(&mut PathView)) {
    for view in views.iter_mut().filter(|view| view.pair == pair) {
        add(view);
        view.cite(number);
    }
}

impl PathView {
    fn hop_of(&mut self, row: &ProbeRow, probes: &Probes) -> Option<&mut HopView> {
        let ttl = ttl_of(row, probes);
        self.hops.iter_mut().find(|hop| match ttl {
            Some(ttl) => hop.ttl == ttl,
            None => is_among(&row.to, &hop.routers),
        })
    }

    fn add_capacities(&mut self, path: &LinkCapacities) {
        for link in &path.links {
            let hop = self.hops.iter_mut().find(|hop| hop.ttl == link.ttl);
            if let (Some(hop), Some(rate)) = (hop, link.capacity_bps) {
                hop.told.insert(format!("{rate} inferred for the link before it"));
            }
        }
    }

    /// Errors that an interface of a hop counts; `false` where the device is not on the way, or counts none.
    fn add_counters(&mut self, counters: &InterfaceCounters, id: &ObservationId) -> bool {
        let device = counters.device.to_string();
        let at = |hop: &&mut HopView| hop.routers.iter().any(|router| is_device(&device, None, router));
        let errors = counted(counters).filter(|(kind, _)| share_of_packets(counters, *kind).is_some());
        let told: Vec<String> = errors
            .map(|(kind, value)| format!("{} {value}", kind_words(kind)))
            .collect();
        let hop = self.hops.iter_mut().find(at).filter(|_| !told.is_empty());
        let found = hop.is_some();
        hop.into_iter().for_each(|hop| {
            hop.told
                .insert(format!("{} counts {}", counters.called(id), told.join(", ")));
        });
        found
    }

    /// Adds round-trip times at the smallest size tried (queues and serialisation of large packets are another matter),
    /// sizes that got there, and loss. What a hop answers for itself says nothing of what it forwards.
    fn add_probes(&mut self, probes: &Probes) {
        let mut smallest: BTreeMap<u8, u32> = BTreeMap::new();
        let rows = probes.rows.iter().filter(|row| row.way == Way::RoundTrip);
        for row in rows.filter(|row| row.mode != Some(EchoMode::Direct)) {
            let Some(hop) = self.hop_of(row, probes) else {
                continue;
            };
            row.answered_by.iter().for_each(|node| hop.meet(node));
            let answered = row.received.is_some_and(|received| received > 0);
            if row.dont_fragment == Some(true) && answered {
                hop.largest_bytes = hop.largest_bytes.max(row.size_bytes);
            }
            let loaded = probes.context == Some(EchoContext::UnderLoad);
            hop.told.extend(loss_words(row, loaded));
            let size = row.size_bytes.unwrap_or(0);
            let spread = row.delay.as_ref().and_then(Spread::of);
            if let Some(spread) = spread.filter(|_| smallest.get(&hop.ttl).is_none_or(|least| size < *least))
            {
                smallest.insert(hop.ttl, size);
                *(if loaded { &mut hop.loaded } else { &mut hop.idle }) = Some(spread);
            }
        }
    }
}

/// Loss that is neither nothing nor everything: a hop that answers no probe of a size says nothing of loss.
fn loss_words(row: &ProbeRow, loaded: bool) -> Option<String> {
    let (lost, sent) = row.count_lost().zip(row.sent)?;
    let size = row
        .size_bytes
        .map_or_else(String::new, |size| format!(" of {size} bytes"));
    let when = if loaded { " under load" } else { "" };
    (0 < lost && lost < sent).then(|| format!("{} probes{size} lost{when}", words::lost_of(lost, sent)))
}
