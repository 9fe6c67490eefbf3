//! The packets of a chunk, sorted by connection, for those who work on several connections at once.

use super::{Counts, Decoder, Fragment, Packet};
use crate::file::Packets;
use crate::{FlowKey, Segment, Segments, TooBig};

/// Which connections are wanted.
pub type Wanted<'a> = &'a (dyn Fn(&FlowKey) -> bool + Sync);

/// What some packets hold. Segments of one connection are in one shard, in the order of the capture.
#[derive(Debug, Default)]
pub struct Sorted {
    /// Segments, by [`Sorted::shard_of`].
    pub shards: Vec<Segments>,
    /// Words of routers that a packet was too large.
    pub too_big: Vec<TooBig>,
    /// Pieces of segments, of all connections: a piece does not tell which it belongs to.
    pub fragments: Vec<Fragment>,
    /// Packets by kind, wanted or not.
    pub counts: Counts,
    /// Earliest and latest packet, wanted or not, nanoseconds since 1970.
    pub span_ns: Option<(i64, i64)>,
}

impl Sorted {
    /// Nothing yet, with a shard for each of these.
    #[must_use]
    pub fn new(shards: Vec<Segments>) -> Self {
        Self {
            shards,
            ..Self::default()
        }
    }

    /// The shard of a connection, of fewer than 2^32.
    #[must_use]
    #[inline]
    pub fn shard_of(key: &FlowKey, shards: usize) -> usize {
        ((u64::from(key.spread()) * shards as u64) >> 32) as usize
    }

    /// Puts a segment that came in pieces where its last one was.
    pub fn put_whole(&mut self, whole: Segment) {
        let place = Self::shard_of(&whole.key, self.shards.len());
        if let Some(shard) = self.shards.get_mut(place) {
            let place = shard
                .as_slice()
                .partition_point(|segment| segment.time_ns <= whole.time_ns);
            shard.insert(place, whole);
        }
    }

    fn cover(&mut self, first_ns: i64, last_ns: i64) {
        let (from_ns, to_ns) = self.span_ns.unwrap_or((first_ns, last_ns));
        self.span_ns = Some((from_ns.min(first_ns), to_ns.max(last_ns)));
    }
}

impl Decoder {
    /// Decodes packets and sorts them; `bytes` are those that the packets lie in. Without `wanted` all connections are.
    pub fn sort(&self, packets: &Packets, bytes: &[u8], wanted: Option<Wanted<'_>>, into: &mut Sorted) {
        // To ask for each packet whether it has to be asked for costs more than a hundredth of everything.
        match wanted {
            None => self.sort_wanted(packets, bytes, |_| true, into),
            Some(wanted) => self.sort_wanted(packets, bytes, wanted, into),
        }
    }

    #[inline(never)]
    fn sort_wanted(
        &self,
        packets: &Packets,
        bytes: &[u8],
        wants: impl Fn(&FlowKey) -> bool,
        into: &mut Sorted,
    ) {
        let (mut first_ns, mut last_ns, mut segments) = (i64::MAX, i64::MIN, 0);
        for frame in packets.frames(bytes) {
            (first_ns, last_ns) = (first_ns.min(frame.time_ns), last_ns.max(frame.time_ns));
            let shards = &mut into.shards;
            let packet = self.decode_into(&frame, |key| {
                if !wants(key) {
                    return None;
                }
                let place = Sorted::shard_of(key, shards.len());
                shards.get_mut(place)?.place()
            });
            let Some(packet) = packet else {
                segments += 1;
                continue;
            };
            into.counts.count(&packet);
            match packet {
                Packet::TooBig(told) if wants(&told.key) => into.too_big.push(told),
                Packet::Fragment(fragment) => into.fragments.push(fragment),
                Packet::Tcp(_) | Packet::TooBig(_) | Packet::Other(_) => {}
            }
        }
        into.counts.count_segments(segments);
        if first_ns <= last_ns {
            into.cover(first_ns, last_ns);
        }
    }
}
