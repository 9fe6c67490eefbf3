//! What a stretch changed in the headers of packets.

use super::Way;
use super::observation::{Marks, Observation};
use super::report::{Change, ChangeKind};
use crate::Options;
use std::collections::BTreeMap;

/// So many different changes are told apart; a hostile capture has no more room.
const MOST_KINDS: usize = 64;

/// Changes of one direction of a stretch.
#[derive(Debug, Default)]
pub(super) struct Changes {
    kinds: BTreeMap<ChangeKind, u64>,
    hops: (i16, u64),
    compared: u64,
    compared_whole: u64,
    with_sack: u64,
    other_sack: u64,
}

impl Changes {
    /// Compares a packet before and behind the stretch. Pieces of a segment share its first header: only what offload keeps for
    /// all pieces is compared then.
    pub(super) fn compare(&mut self, before: &Observation, behind: &Observation, is_cut: bool) {
        self.compared += 1;
        let hops = i16::from(before.ttl) - i16::from(behind.ttl);
        if hops == self.hops.0 {
            self.hops.1 += 1;
        } else {
            self.flush_hops();
            self.hops = (hops, 1);
        }
        if before.traffic_class != behind.traffic_class {
            self.compare_class(before.traffic_class, behind.traffic_class);
        }
        match (
            before.marks.has(Marks::DONT_FRAGMENT),
            behind.marks.has(Marks::DONT_FRAGMENT),
        ) {
            (true, false) => self.add(ChangeKind::DontFragmentCleared),
            (false, true) => self.add(ChangeKind::DontFragmentSet),
            _ => {}
        }
        match (before.fragments > 1, behind.fragments > 1) {
            (false, true) => self.add(ChangeKind::Fragmented),
            (true, false) => self.add(ChangeKind::Reassembled),
            _ => {}
        }
        if !is_cut {
            self.compare_whole(before, behind);
        }
    }

    fn compare_class(&mut self, before: u8, behind: u8) {
        if before >> 2 != behind >> 2 {
            self.add(ChangeKind::Dscp {
                from: before >> 2,
                to: behind >> 2,
            });
        }
        if before & 3 != behind & 3 {
            self.add(ChangeKind::Ecn {
                from: before & 3,
                to: behind & 3,
            });
        }
    }

    fn compare_whole(&mut self, before: &Observation, behind: &Observation) {
        self.compared_whole += 1;
        if before.window != behind.window {
            self.add(ChangeKind::WindowRewritten);
        }
        if before.ip_id != behind.ip_id {
            self.add(ChangeKind::IdentificationRewritten);
        }
        if before.flags != behind.flags {
            self.add(ChangeKind::FlagsRewritten);
        }
        if before.sack_print != 0 || behind.sack_print != 0 {
            self.with_sack += 1;
            self.other_sack += u64::from(before.sack_print != behind.sack_print);
        }
    }

    fn add(&mut self, kind: ChangeKind) {
        self.add_many(kind, 1);
    }

    fn add_many(&mut self, kind: ChangeKind, packets: u64) {
        if self.kinds.len() < MOST_KINDS || self.kinds.contains_key(&kind) {
            *self.kinds.entry(kind).or_default() += packets;
        }
    }

    fn flush_hops(&mut self) {
        let (count, packets) = self.hops;
        if count != 0 && packets > 0 {
            self.add_many(ChangeKind::Hops { count }, packets);
        }
    }

    /// All changes. `is_shifted`: sequence numbers are, of the data that this direction acknowledges.
    pub(super) fn finish(mut self, from: usize, to: usize, way: Way, is_shifted: bool) -> Vec<Change> {
        self.flush_hops();
        // matched by chance a SACK may differ (copies of one acknowledgement lost); a middlebox forgets all
        if is_shifted && self.other_sack.saturating_mul(2) > self.with_sack {
            self.add_many(ChangeKind::SackNotShifted, self.other_sack);
        }
        let of = |kind: &ChangeKind| match kind {
            ChangeKind::SackNotShifted => self.with_sack,
            ChangeKind::WindowRewritten
            | ChangeKind::IdentificationRewritten
            | ChangeKind::FlagsRewritten => self.compared_whole,
            _ => self.compared,
        };
        let kinds = self.kinds.iter();
        kinds
            .map(|(&what, &packets)| Change {
                from,
                to,
                way,
                what,
                packets,
                of_packets: of(&what),
            })
            .collect()
    }
}

/// What was changed in the options of a SYN.
pub(super) fn of_syn(before: &Options, behind: &Options) -> Vec<ChangeKind> {
    if before.is_cut || behind.is_cut {
        return Vec::new();
    }
    let mut changes = Vec::new();
    if before.mss_bytes != behind.mss_bytes {
        changes.push(ChangeKind::Mss {
            from: before.mss_bytes,
            to: behind.mss_bytes,
        });
    }
    if before.window_scale != behind.window_scale {
        changes.push(ChangeKind::WindowScale {
            from: before.window_scale,
            to: behind.window_scale,
        });
    }
    if before.sack_permitted != behind.sack_permitted {
        changes.push(ChangeKind::SackPermitted {
            from: before.sack_permitted,
            to: behind.sack_permitted,
        });
    }
    let (from, to) = (before.timestamps.is_some(), behind.timestamps.is_some());
    if from != to {
        changes.push(ChangeKind::Timestamps { from, to });
    }
    changes
}
