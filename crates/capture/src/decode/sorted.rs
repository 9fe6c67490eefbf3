//! The packets of a chunk, sorted by connection, for those who work on several connections at once.

use super::whose::Before;
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
                .stored()
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
        let (mut before, mut place) = (Before::default(), 0);
        for frame in packets.frames(bytes) {
            (first_ns, last_ns) = (first_ns.min(frame.time_ns), last_ns.max(frame.time_ns));
            let shards = &mut into.shards;
            let packet = self.decode_into(&frame, &mut before, |whose| {
                if !wants(&whose.key) {
                    return None;
                }
                if whose.follows == 0 {
                    place = Sorted::shard_of(&whose.key, shards.len());
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Framer;
    use proptest::prelude::*;

    /// A record of a pcap file with one packet of one of a few connections; some are not plain.
    fn record((host, way, kind): (u8, bool, u8)) -> Vec<u8> {
        let mut ends = [[10, 0, 0, host], [10, 0, 0, 1]];
        let mut ports = [[0, 80 + host % 2], [0, 80]];
        if way {
            ends.reverse();
            ports.reverse();
        }
        let mut packet = vec![0; 12];
        let options: &[u8] = if kind == 1 { &[1, 1, 1, 1] } else { &[] };
        if kind == 2 {
            packet.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, 20, 6, 64]);
            for end in ends {
                packet.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0]);
                packet.extend(end);
            }
        } else {
            let protocol = if kind == 3 { 17 } else { 6 };
            let head = 0x45 + (options.len() / 4) as u8;
            packet.extend([
                8,
                0,
                head,
                0,
                0,
                40 + options.len() as u8,
                0,
                0,
                0,
                0,
                64,
                protocol,
                0,
                0,
            ]);
            packet.extend(ends.as_flattened());
            packet.extend(options);
        }
        packet.extend(ports.as_flattened());
        packet.extend([0, 0, 0, host, 0, 0, 0, 9, 0x50, 16, 0, 5, 0, 0, 0, 0]);
        let length = (packet.len() as u32).to_le_bytes();
        [&[0; 8][..], &length, &length, &packet].concat()
    }

    fn file(packets: &[(u8, bool, u8)]) -> Vec<u8> {
        let head = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 128, 1];
        let head = head.into_iter().flat_map(u32::to_le_bytes);
        head.chain(packets.iter().copied().flat_map(record)).collect()
    }

    fn sorted(bytes: &[u8], shards: usize) -> Sorted {
        let mut sorted = Sorted::new((0..shards).map(|_| Segments::default()).collect());
        each(bytes, |packets, rest| {
            Decoder::new(7).sort(packets, rest, None, &mut sorted)
        });
        sorted
    }

    fn each(bytes: &[u8], mut take: impl FnMut(&Packets, &[u8])) {
        let (mut framer, mut rest) = (Framer::new(), bytes);
        loop {
            let step = framer.advance(rest, true).unwrap();
            if step.consumed == 0 {
                return;
            }
            take(&step.packets, rest);
            rest = &rest[step.consumed..];
        }
    }

    proptest! {
        /// What stood before a packet decides on nothing but what it costs to decode it.
        #[test]
        fn each_packet_is_what_it_is_alone(
            packets in prop::collection::vec((1..4_u8, any::<bool>(), 0..7_u8), 0..60),
            shards in 1..4_usize,
        ) {
            let bytes = file(&packets);
            let mut alone = vec![Vec::new(); shards];
            each(&bytes, |packets, rest| {
                for frame in packets.frames(rest) {
                    if let Packet::Tcp(segment) = Decoder::new(7).decode(&frame) {
                        alone[Sorted::shard_of(&segment.key, shards)].push(segment);
                    }
                }
            });
            for (shard, alone) in sorted(&bytes, shards).shards.iter().zip(alone) {
                let (mut last, mut run) = (None, 0);
                prop_assert_eq!(shard.len(), alone.len());
                for (segment, alone) in shard.iter().zip(alone) {
                    run = match last {
                        Some(key) if key == alone.key => run + 1,
                        _ => 0,
                    };
                    last = Some(alone.key);
                    prop_assert!(segment.follows <= run);
                    prop_assert_eq!(Segment { follows: 0, ..segment }, alone);
                }
            }
        }
    }

    #[test]
    fn what_follows_is_known() {
        let follows =
            |sorted: &Sorted| -> Vec<u8> { sorted.shards[0].iter().map(|segment| segment.follows).collect() };
        let packets = [
            (1, false, 0),
            (1, true, 0),
            (1, true, 0),
            (2, true, 0),
            (1, true, 0),
            (1, true, 0),
        ];
        let mut sorted = sorted(&file(&packets), 1);
        assert_eq!(follows(&sorted), [0, 1, 2, 0, 0, 1]);
        let whole: Vec<Segment> = sorted.shards[0].iter().collect();
        // Between two of them one is put that came in pieces.
        sorted.shards[0].insert(1, Segment::BLANK);
        assert_eq!(follows(&sorted), [0, 0, 0, 1, 0, 0, 1]);
        let keys = |segments: &mut dyn Iterator<Item = Segment>| -> Vec<_> {
            segments.map(|one| (one.key, one.hash)).collect()
        };
        let mut with_another = whole.clone();
        with_another.insert(1, Segment::BLANK);
        assert_eq!(
            keys(&mut sorted.shards[0].iter()),
            keys(&mut with_another.into_iter())
        );
    }
}
