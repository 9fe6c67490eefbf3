//! TCP segments that were cut into IP fragments.
//!
//! Nothing of the payload is kept: which bytes of a packet have passed is enough to know when it is whole.

use super::counts::Other;
use super::ip::Ip;
use super::{Packet, tcp};
use crate::Segment;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A piece of a TCP segment.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    /// When the capture saw it, nanoseconds since 1970.
    pub time_ns: i64,
    /// Of which packet.
    pub packet: FragmentedPacket,
    /// Its first byte within the payload of the packet.
    pub offset_bytes: u32,
    /// Its payload, bytes.
    pub payload_bytes: u32,
    /// Itself, bytes, with its IP header.
    pub ip_bytes: u32,
    /// Others follow it in the packet.
    pub more: bool,
    /// The segment, as far as the first fragment tells: the payload is that of this fragment.
    pub first: Option<Segment>,
    /// Its TCP header and what stands before that, bytes; 0 in later fragments.
    pub header_bytes: u32,
}

/// What the fragments of a packet have in common (RFC 791, RFC 8200 section 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FragmentedPacket {
    /// From.
    pub from: IpAddr,
    /// To.
    pub to: IpAddr,
    /// Identification.
    pub id: u32,
}

/// Reads a fragment. A first one that does not even hold the fixed TCP header is no honest sender's (RFC 1858).
pub(super) fn read(time_ns: i64, ip: &Ip<'_>, seed: u64) -> Packet {
    let Some(piece) = ip.piece else {
        return Packet::Other(Other::OtherIp);
    };
    let mut fragment = Fragment {
        time_ns,
        packet: FragmentedPacket {
            from: ip.from,
            to: ip.to,
            id: piece.id,
        },
        offset_bytes: piece.offset_bytes,
        payload_bytes: piece.bytes,
        ip_bytes: ip.ip_bytes,
        more: piece.more,
        first: None,
        header_bytes: 0,
    };
    if piece.offset_bytes == 0 {
        fragment.first = match tcp::read(time_ns, ip, seed) {
            Packet::Tcp(segment) => Some(segment),
            no_segment => return no_segment,
        };
        let data_offset = ip.payload.captured.get(12);
        let before_bytes = piece.bytes.saturating_sub(ip.payload.wire_bytes);
        fragment.header_bytes = before_bytes + data_offset.map_or(0, |byte| u32::from(byte >> 4) * 4);
    }
    Packet::Fragment(fragment)
}

/// Fragments of one packet are no further apart: what Linux waits for the rest (ipfrag_time), and half of what RFC 8200
/// section 4.5 allows. Identifications of IPv4 come again after this at 2,000 packets a second.
const PATIENCE_NS: i64 = 30_000_000_000;

/// Stretches of a packet that are apart from each other: fragments arrive mostly in order, and then there is one. What
/// arrives more scattered than this is no network's doing.
const MAX_STRETCHES: usize = 8;

/// A packet as far as its fragments have passed.
#[derive(Debug, Clone)]
struct Partial {
    packet: FragmentedPacket,
    began_ns: i64,
    first: Option<Segment>,
    /// What is no payload in it, bytes.
    header_bytes: u32,
    pieces: u16,
    ip_bytes: u32,
    /// Payload of the whole, known from the last fragment.
    whole_bytes: Option<u32>,
    /// Stretches that have passed, apart and in order: from, to.
    stretches: Vec<(u32, u32)>,
}

/// Puts fragments together again, in bounded memory.
#[derive(Debug, Clone)]
pub struct Defragmenter {
    limit: usize,
    next: u64,
    places: BTreeMap<FragmentedPacket, u64>,
    /// By age.
    partials: BTreeMap<u64, Partial>,
    incomplete: u64,
}

impl Defragmenter {
    /// Holds at most so many packets that are not whole yet (about 400 bytes each).
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            next: 0,
            places: BTreeMap::new(),
            partials: BTreeMap::new(),
            incomplete: 0,
        }
    }

    /// Takes a fragment, in the order of the capture. `give` gets segments: one that is whole now, at the time of this
    /// fragment and with the payload of all; and those that have waited too long, with what their first fragment told, at the
    /// time of that.
    pub fn feed(&mut self, fragment: &Fragment, give: &mut impl FnMut(Segment)) {
        self.expire(fragment.time_ns, give);
        let number = match self.places.get(&fragment.packet) {
            Some(number) => *number,
            None => self.begin(fragment, give),
        };
        let Some(partial) = self.partials.get_mut(&number) else {
            return;
        };
        partial.add(fragment);
        if let Some(segment) = partial.whole(fragment.time_ns) {
            self.places.remove(&fragment.packet);
            self.partials.remove(&number);
            give(segment);
        }
    }

    /// Gives what is left, at the end of the capture.
    pub fn finish(&mut self, give: &mut impl FnMut(Segment)) {
        while self.drop_oldest(give) {}
    }

    /// Packets so far that never became whole.
    #[must_use]
    pub fn incomplete(&self) -> u64 {
        self.incomplete
    }

    fn begin(&mut self, fragment: &Fragment, give: &mut impl FnMut(Segment)) -> u64 {
        while self.partials.len() >= self.limit && self.drop_oldest(give) {}
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        self.places.insert(fragment.packet, number);
        self.partials.insert(number, Partial::new(fragment));
        number
    }

    fn expire(&mut self, now_ns: i64, give: &mut impl FnMut(Segment)) {
        while let Some((_, oldest)) = self.partials.first_key_value()
            && now_ns.saturating_sub(oldest.began_ns) > PATIENCE_NS
        {
            self.drop_oldest(give);
        }
    }

    fn drop_oldest(&mut self, give: &mut impl FnMut(Segment)) -> bool {
        let Some((_, partial)) = self.partials.pop_first() else {
            return false;
        };
        self.places.remove(&partial.packet);
        self.incomplete = self.incomplete.saturating_add(1);
        if let Some(first) = partial.first {
            give(first);
        }
        true
    }
}

impl Partial {
    fn new(fragment: &Fragment) -> Self {
        Self {
            packet: fragment.packet,
            began_ns: fragment.time_ns,
            first: None,
            header_bytes: 0,
            pieces: 0,
            ip_bytes: 0,
            whole_bytes: None,
            stretches: Vec::new(),
        }
    }

    fn add(&mut self, fragment: &Fragment) {
        let (from, to) = (
            fragment.offset_bytes,
            fragment.offset_bytes.saturating_add(fragment.payload_bytes),
        );
        let is_new = self.cover(from, to);
        if !is_new {
            // Captured twice.
            return;
        }
        self.pieces = self.pieces.saturating_add(1);
        self.ip_bytes = self.ip_bytes.saturating_add(fragment.ip_bytes);
        if self.first.is_none() {
            self.first = fragment.first;
            self.header_bytes = fragment.header_bytes;
        }
        if !fragment.more {
            self.whole_bytes = self.whole_bytes.or(Some(to));
        }
    }

    /// Adds a stretch; whether any byte of it is new.
    fn cover(&mut self, from: u32, to: u32) -> bool {
        if self
            .stretches
            .iter()
            .any(|(start, end)| *start <= from && to <= *end)
        {
            return false;
        }
        let (mut from, mut to) = (from, to);
        self.stretches.retain(|(start, end)| {
            let touches = *start <= to && from <= *end;
            if touches {
                (from, to) = (from.min(*start), to.max(*end));
            }
            !touches
        });
        if self.stretches.len() < MAX_STRETCHES {
            self.stretches.push((from, to));
        }
        true
    }

    /// The segment, once all of it has passed.
    fn whole(&self, time_ns: i64) -> Option<Segment> {
        let (first, whole_bytes) = (self.first?, self.whole_bytes?);
        let is_whole = matches!(*self.stretches, [(0, end)] if end >= whole_bytes);
        is_whole.then(|| Segment {
            time_ns,
            payload_bytes: whole_bytes.saturating_sub(self.header_bytes),
            ip_bytes: self.ip_bytes,
            fragments: self.pieces,
            ..first
        })
    }
}
