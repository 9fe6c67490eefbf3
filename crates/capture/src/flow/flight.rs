//! Segments on the way: when each was sent last, and how often.

use std::collections::VecDeque;

/// So many are told apart. More in one flight (10 Gbit/s over 78 ms at 1500 bytes) are joined in pairs: round trips and
/// retransmissions are then known to two segments instead of one.
pub(super) const MAX_SEGMENTS: usize = 65_536;

/// While no acknowledgement has ever passed, nothing will take segments off: the newest of them serve to tell duplicates.
const MAX_WITHOUT_ACKS: usize = 256;

/// A segment on the way.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Transmission {
    /// The byte behind its last.
    pub end: u64,
    /// When its newest copy passed.
    pub time_ns: i64,
    /// Its length, FIN included.
    pub length: u32,
    /// Time stamp value of the newest copy.
    pub tsval: u32,
    /// IP identification of the newest copy.
    pub ip_id: u16,
    /// How often it passed.
    pub copies: u8,
    /// See the constants.
    pub marks: u8,
}

impl Transmission {
    /// It has a time stamp.
    pub(super) const HAS_TIMESTAMP: u8 = 1;
    /// It has an IP identification.
    pub(super) const HAS_IP_ID: u8 = 2;
    /// The time stamp tells its newest copy from those before.
    pub(super) const IS_DISTINCT: u8 = 4;

    /// Its first byte.
    pub(super) fn start(&self) -> u64 {
        self.end.saturating_sub(u64::from(self.length))
    }

    /// Whether all of these marks are set.
    pub(super) fn has(&self, marks: u8) -> bool {
        self.marks & marks == marks
    }
}

/// What an acknowledgement took off.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Delivered {
    /// So many segments; without any, the others mean nothing.
    pub count: u32,
    /// One of them passed more than once.
    pub has_copies: bool,
    /// The lowest.
    pub first: Transmission,
    /// The highest: the one that the acknowledgement answers when all arrived in order.
    pub last: Transmission,
}

/// Segments in the order of sequence, those above the highest acknowledgement.
#[derive(Debug, Default)]
pub(super) struct Flight {
    ring: VecDeque<Transmission>,
}

impl Flight {
    /// Bytes that hang on it.
    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.ring.capacity() * size_of::<Transmission>()
    }

    /// Whether the next segment needs more memory.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.ring.len() == self.ring.capacity()
    }

    /// Gives its memory back, unless segments are still on the way.
    pub(super) fn empty_handed(&mut self) -> VecDeque<Transmission> {
        if self.ring.is_empty() {
            return std::mem::take(&mut self.ring);
        }
        self.ring.shrink_to_fit();
        VecDeque::new()
    }

    /// Begins with the memory of another.
    pub(super) fn use_memory(&mut self, ring: VecDeque<Transmission>) {
        self.ring = ring;
    }

    /// A segment with new bytes above all others.
    #[inline(always)]
    pub(super) fn push(&mut self, segment: Transmission, acks_pass: bool) {
        if self.ring.len() >= MAX_WITHOUT_ACKS && !acks_pass {
            self.ring.pop_front();
        }
        if self.ring.len() >= MAX_SEGMENTS {
            self.join_pairs();
        }
        self.ring.push_back(segment);
    }

    /// A segment with bytes that were not seen before, below others.
    pub(super) fn insert(&mut self, segment: Transmission, acks_pass: bool) {
        let place = self.ring.partition_point(|other| other.start() < segment.start());
        if place >= self.ring.len() {
            self.push(segment, acks_pass);
        } else if self.ring.len() < MAX_SEGMENTS {
            self.ring.insert(place, segment);
        }
    }

    /// The segment that a byte is in.
    pub(super) fn find(&self, position: u64) -> Option<&Transmission> {
        let place = self.ring.partition_point(|segment| segment.end <= position);
        self.ring.get(place).filter(|segment| segment.start() <= position)
    }

    /// Those that a stretch touches get another copy.
    pub(super) fn resend(&mut self, start: u64, copy: &Transmission) {
        let place = self.ring.partition_point(|segment| segment.end <= start);
        for segment in self
            .ring
            .range_mut(place..)
            .take_while(|segment| segment.start() < copy.end)
        {
            let both = segment.has(Transmission::HAS_TIMESTAMP) && copy.has(Transmission::HAS_TIMESTAMP);
            let is_distinct = both && copy.tsval.wrapping_sub(segment.tsval) as i32 > 0;
            segment.time_ns = copy.time_ns;
            segment.tsval = copy.tsval;
            segment.ip_id = copy.ip_id;
            segment.marks = copy.marks | if is_distinct { Transmission::IS_DISTINCT } else { 0 };
            segment.copies = segment.copies.saturating_add(1);
        }
    }

    /// Takes off what lies below an acknowledgement.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, ack: u64) -> Delivered {
        let mut delivered = Delivered::default();
        while let Some(front) = self.ring.front_mut() {
            if front.start() >= ack {
                break;
            }
            if delivered.count == 0 {
                delivered.first = *front;
            }
            delivered.count += 1;
            delivered.last = *front;
            delivered.has_copies |= front.copies > 1;
            if front.end > ack {
                // A part of what was sent as one (offload), or repacketised.
                front.length = (front.end - ack) as u32;
                break;
            }
            self.ring.pop_front();
        }
        delivered
    }

    #[cold]
    fn join_pairs(&mut self) {
        let mut joined: VecDeque<Transmission> = VecDeque::with_capacity(self.ring.len());
        for segment in self.ring.drain(..) {
            match joined.back_mut() {
                // Two that follow each other, each still single: `joined` has an odd count of the old ones.
                Some(last) if last.end == segment.start() && last.marks & Self::JOINED_NOW == 0 => {
                    let length = last.length.saturating_add(segment.length);
                    let copies = last.copies.max(segment.copies);
                    let marks = segment.marks & last.marks | Self::JOINED_NOW;
                    *last = Transmission {
                        length,
                        copies,
                        marks,
                        ..segment
                    };
                }
                _ => joined.push_back(segment),
            }
        }
        for segment in &mut joined {
            segment.marks &= !Self::JOINED_NOW;
        }
        // Holes may have kept all of them apart: the oldest go.
        while joined.len() >= MAX_SEGMENTS {
            joined.pop_front();
        }
        self.ring = joined;
    }

    const JOINED_NOW: u8 = 128;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(start: u64, length: u32, time_ns: i64) -> Transmission {
        Transmission {
            end: start + u64::from(length),
            time_ns,
            length,
            copies: 1,
            ..Transmission::default()
        }
    }

    #[test]
    fn an_acknowledgement_takes_off_what_lies_below_it_and_cuts_what_it_hits() {
        let mut flight = Flight::default();
        for n in 0..4 {
            flight.push(segment(n * 10, 10, n as i64), true);
        }
        let delivered = flight.acknowledge(25);
        assert_eq!((delivered.count, delivered.first.time_ns), (3, 0));
        assert_eq!(delivered.last.time_ns, 2);
        assert_eq!(flight.find(25).map(|segment| segment.start()), Some(25));
        assert_eq!(flight.find(24), None);
        assert_eq!(flight.acknowledge(25).count, 0);
    }

    #[test]
    fn a_copy_marks_all_that_it_touches() {
        let mut flight = Flight::default();
        for n in 0..4 {
            flight.push(segment(n * 10, 10, 0), true);
        }
        flight.resend(15, &segment(15, 10, 9));
        let copies: Vec<u8> = flight.ring.iter().map(|segment| segment.copies).collect();
        assert_eq!(copies, [1, 2, 2, 1]);
    }

    #[test]
    fn a_flight_is_bounded_and_stays_in_order() {
        let mut flight = Flight::default();
        for n in 0..200_000 {
            flight.push(segment(n * 10, 10, n as i64), true);
        }
        assert!(flight.ring.len() <= MAX_SEGMENTS);
        assert!(
            flight
                .ring
                .iter()
                .zip(flight.ring.iter().skip(1))
                .all(|(a, b)| a.end == b.start())
        );
        assert_eq!(flight.ring.front().map(|segment| segment.start()), Some(0));
        let mut one_way = Flight::default();
        for n in 0..1000 {
            one_way.push(segment(n * 10, 10, 0), false);
        }
        assert_eq!(one_way.ring.len(), MAX_WITHOUT_ACKS);
        assert!(one_way.find(9_999).is_some());
    }
}
