//! One packet at one point, in the numbers of the first point.

use super::Way;
use super::number::Numbering;
use super::recent::mixed;
use crate::{Flags, Segment};

/// What a point saw of a packet, as far as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Observation {
    pub(super) time_ns: i64,
    /// Place among the point's packets this way.
    pub(super) ordinal: u64,
    pub(super) stamp: u32,
    /// Print of the SACK blocks in the first point's numbers; 0 without.
    pub(super) sack_print: u32,
    pub(super) seq: u32,
    pub(super) payload_bytes: u32,
    pub(super) ip_bytes: u32,
    pub(super) ip_id: u16,
    pub(super) window: u16,
    pub(super) flags: u16,
    pub(super) fragments: u16,
    pub(super) ttl: u8,
    pub(super) traffic_class: u8,
    pub(super) marks: Marks,
}

/// Yes and no of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u8);

impl Marks {
    /// The point had seen a packet that cannot be told from this one: which of them another point saw is a guess.
    pub(super) const REPEATED: u8 = 1;
    /// It has a time stamp that can be compared.
    pub(super) const STAMPED: u8 = 2;
    /// The IP header forbids fragments.
    pub(super) const DONT_FRAGMENT: u8 = 4;
    /// The point had seen the very same packet.
    pub(super) const COPY: u8 = 8;
    /// It has an IP identification that is not zero.
    pub(super) const NAMED: u8 = 16;

    pub(super) fn has(self, mark: u8) -> bool {
        self.0 & mark != 0
    }

    pub(super) fn set(&mut self, mark: u8, on: bool) {
        if on {
            self.0 |= mark;
        }
    }
}

/// A packet before it is looked for at the other points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) way: Way,
    /// Sequence number, in the first point's numbers.
    pub(super) seq: u32,
    /// Sequence space; 0: bare.
    pub(super) length: u32,
    /// In the first point's numbers.
    pub(super) ack: Option<u32>,
    /// Print of a bare packet's numbers, the same at every point.
    pub(super) bare_print: u64,
    /// Print of all that a copy of the packet shares.
    pub(super) copy_print: u64,
    pub(super) observation: Observation,
}

impl Sighting {
    /// Print of what packets are matched by when they have no identification.
    pub(super) fn twin_print(&self) -> u64 {
        if self.length == 0 {
            return mixed(self.bare_print, self.way.index() as u64);
        }
        let numbers = u64::from(self.seq) << 32 | u64::from(self.observation.stamp);
        mixed(numbers, u64::from(self.length) << 1 | self.way.index() as u64)
    }

    pub(super) fn of(segment: &Segment, numbering: &Numbering, ordinal: u64) -> Self {
        let way = numbering.way(segment);
        let seq = numbering.seq(way, segment.seq);
        let ack = segment
            .flags
            .has(Flags::ACK)
            .then(|| numbering.ack(way, segment.ack));
        let stamp = numbering.stamp(way, segment);
        let observation = observed(segment, numbering, stamp, ordinal);
        let numbers = mixed(
            u64::from(seq) << 32 | u64::from(ack.unwrap_or(0)),
            u64::from(stamp.unwrap_or(0)),
        );
        let ending = segment.flags.0 & (Flags::RST.0 | Flags::SYN.0 | Flags::FIN.0);
        let bare_print = mixed(numbers, u64::from(ending) << 1 | u64::from(ack.is_some()));
        let rest = u64::from(segment.payload_bytes) << 32
            | u64::from(observation.ip_id) << 16
            | u64::from(segment.flags.0);
        let copy_print = mixed(
            mixed(bare_print, rest),
            u64::from(observation.sack_print) << 17 | u64::from(segment.window) << 1 | way.index() as u64,
        );
        Self {
            way,
            seq,
            length: segment.sequence_length(),
            ack,
            bare_print,
            copy_print,
            observation,
        }
    }
}

fn observed(segment: &Segment, numbering: &Numbering, stamp: Option<u32>, ordinal: u64) -> Observation {
    let mut marks = Marks::default();
    marks.set(Marks::STAMPED, stamp.is_some());
    marks.set(Marks::DONT_FRAGMENT, segment.dont_fragment);
    let ip_id = segment.ip_id.unwrap_or(0);
    marks.set(Marks::NAMED, ip_id != 0);
    let way = numbering.way(segment);
    let sack = segment.sack();
    let sack_print = sack.iter().fold(0, |state, &(left, right)| {
        mixed(
            state,
            u64::from(numbering.ack(way, left)) << 32 | u64::from(numbering.ack(way, right)),
        ) | 1 << 32
    });
    Observation {
        time_ns: segment.time_ns,
        ordinal,
        stamp: stamp.unwrap_or(0),
        sack_print: (sack_print >> 32) as u32,
        seq: segment.seq,
        payload_bytes: segment.payload_bytes,
        ip_bytes: segment.ip_bytes,
        ip_id,
        window: segment.window,
        flags: segment.flags.0,
        fragments: segment.fragments,
        ttl: segment.ttl,
        traffic_class: segment.traffic_class,
        marks,
    }
}

impl Observation {
    /// Headers of one packet, bytes.
    pub(super) fn header_bytes(&self) -> u32 {
        self.ip_bytes.saturating_sub(self.payload_bytes) / u32::from(self.fragments.max(1))
    }
}
