//! Segments on the way: when each was sent last, and how often.

use std::hint::black_box;

/// So many are told apart. More in one flight (10 Gbit/s over 78 ms at 1500 bytes) are joined in pairs: round trips and
/// retransmissions are then known to two segments instead of one.
pub(super) const MAX_SEGMENTS: usize = 65_536;

/// While no acknowledgement has ever passed, nothing will take segments off: the newest of them serve to tell duplicates.
const MAX_WITHOUT_ACKS: usize = 256;

/// So many of those that stand there, and room for as many, are taken to the nearest cache of a processor: there is no more in it.
const MOST_CLAIMED: usize = 512;

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
    #[inline(always)]
    pub(super) fn start(&self) -> u64 {
        // It never ends before it is as long as that.
        self.end.wrapping_sub(u64::from(self.length))
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
///
/// One behind the other, behind those that were taken off and still stand in front: when there is no room for the next, these
/// give theirs. So each is moved once at most on average, and no place ever has to be wrapped round the end of a ring.
#[derive(Debug, Default)]
pub(super) struct Flight {
    all: Vec<Transmission>,
    /// So many of the first were taken off.
    gone: usize,
}

impl Flight {
    /// Bytes that hang on it.
    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.all.capacity() * size_of::<Transmission>()
    }

    /// Takes its memory over from the caches of another processor, that in which the next segments will stand too. A line of them
    /// that is written to alone is waited for, as long as it takes to follow several segments; of many at once none is.
    pub(super) fn claim(&mut self) {
        const A_LINE: usize = 64 / size_of::<Transmission>();
        let used = self.all.iter_mut().take(MOST_CLAIMED).step_by(A_LINE);
        used.for_each(|segment| segment.copies = black_box(segment.copies));
        let count = self.all.len();
        let room = self.all.capacity().min(count + MOST_CLAIMED);
        self.all.resize(room, Transmission::default());
        self.all.truncate(count);
    }

    /// Whether the next segment needs more memory, or the room of those that were taken off.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.all.len() == self.all.capacity()
    }

    /// Gives its memory back, unless segments are still on the way.
    pub(super) fn empty_handed(&mut self) -> Vec<Transmission> {
        self.close_up();
        if self.all.is_empty() {
            return std::mem::take(&mut self.all);
        }
        self.all.shrink_to_fit();
        Vec::new()
    }

    /// Begins with the memory of another.
    pub(super) fn use_memory(&mut self, all: Vec<Transmission>) {
        (self.all, self.gone) = (all, 0);
    }

    fn on_the_way(&self) -> &[Transmission] {
        self.all.get(self.gone..).unwrap_or_default()
    }

    /// The place of the first that does not end before a byte.
    fn reaching(&self, position: u64) -> usize {
        let before = self
            .on_the_way()
            .partition_point(|segment| segment.end <= position);
        self.gone + before
    }

    /// Moves those that are on the way to the front.
    fn close_up(&mut self) {
        self.all.drain(..self.gone);
        self.gone = 0;
    }

    /// A segment with new bytes above all others.
    #[inline(always)]
    pub(super) fn push(&mut self, segment: Transmission, acks_pass: bool) {
        let most = if acks_pass { MAX_SEGMENTS } else { MAX_WITHOUT_ACKS };
        if self.is_full() || self.all.len() - self.gone >= most {
            self.make_room(most);
        }
        self.all.push(segment);
    }

    #[cold]
    fn make_room(&mut self, most: usize) {
        let is_too_many = self.on_the_way().len() >= most;
        if is_too_many && most < MAX_SEGMENTS {
            self.gone += 1;
        } else if is_too_many {
            self.join_pairs();
        }
        // Half of the room at least: else the same few would be moved again and again.
        if self.gone >= self.all.len() / 2 {
            self.close_up();
        }
    }

    /// A segment with bytes that were not seen before, below others.
    pub(super) fn insert(&mut self, segment: Transmission, acks_pass: bool) {
        let below = |other: &Transmission| other.start() < segment.start();
        let place = self.gone + self.on_the_way().partition_point(below);
        if place >= self.all.len() {
            self.push(segment, acks_pass);
        } else if self.on_the_way().len() < MAX_SEGMENTS {
            self.all.insert(place, segment);
        }
    }

    /// The segment that a byte is in.
    pub(super) fn find(&self, position: u64) -> Option<&Transmission> {
        let found = self.all.get(self.reaching(position));
        found.filter(|segment| segment.start() <= position)
    }

    /// Those that a stretch touches get another copy.
    pub(super) fn resend(&mut self, start: u64, copy: &Transmission) {
        let place = self.reaching(start);
        for segment in self
            .all
            .iter_mut()
            .skip(place)
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
        let (mut behind, mut copies) = (self.gone, 0);
        while let Some(below) = self.all.get(behind).filter(|segment| segment.end < ack) {
            copies |= below.copies;
            behind += 1;
        }
        if let Some(hit) = self.all.get(behind).filter(|segment| segment.start() < ack) {
            copies |= hit.copies;
            behind += 1;
        }
        let taken = self.all.get(self.gone..behind).unwrap_or_default();
        let (Some(first), Some(last)) = (taken.first(), taken.last()) else {
            return Delivered::default();
        };
        let delivered = Delivered {
            count: taken.len() as u32,
            has_copies: copies > 1,
            first: *first,
            last: *last,
        };
        self.gone = behind;
        if delivered.last.end > ack {
            self.cut(ack);
        } else if behind == self.all.len() {
            self.all.clear();
            self.gone = 0;
        }
        delivered
    }

    /// A part of what was sent as one (offload), or repacketised, is still on the way.
    #[cold]
    fn cut(&mut self, ack: u64) {
        self.gone -= 1;
        if let Some(segment) = self.all.get_mut(self.gone) {
            segment.length = (segment.end - ack) as u32;
        }
    }

    #[cold]
    fn join_pairs(&mut self) {
        let mut joined: Vec<Transmission> = Vec::with_capacity(self.on_the_way().len());
        for segment in self.on_the_way() {
            match joined.last_mut() {
                // Two that follow each other, each still single: `joined` has an odd count of the old ones.
                Some(last) if last.end == segment.start() && last.marks & Self::JOINED_NOW == 0 => {
                    let length = last.length.saturating_add(segment.length);
                    let copies = last.copies.max(segment.copies);
                    let marks = segment.marks & last.marks | Self::JOINED_NOW;
                    *last = Transmission {
                        length,
                        copies,
                        marks,
                        ..*segment
                    };
                }
                _ => joined.push(*segment),
            }
        }
        for segment in &mut joined {
            segment.marks &= !Self::JOINED_NOW;
        }
        // Holes may have kept all of them apart: the oldest go.
        let too_many = (joined.len() + 1).saturating_sub(MAX_SEGMENTS);
        joined.drain(..too_many);
        (self.all, self.gone) = (joined, 0);
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
    fn a_processor_that_claims_it_changes_nothing() {
        let mut flight = Flight::default();
        for n in 0..3 * MOST_CLAIMED as u64 {
            flight.push(segment(n * 10, 10, n as i64), true);
            flight.acknowledge(n / 2 * 10);
            let before = (flight.all.clone(), flight.gone, flight.all.capacity());
            flight.claim();
            assert_eq!((flight.all.clone(), flight.gone, flight.all.capacity()), before);
        }
    }

    #[test]
    fn a_copy_marks_all_that_it_touches() {
        let mut flight = Flight::default();
        for n in 0..4 {
            flight.push(segment(n * 10, 10, 0), true);
        }
        flight.resend(15, &segment(15, 10, 9));
        let copies: Vec<u8> = flight.all.iter().map(|segment| segment.copies).collect();
        assert_eq!(copies, [1, 2, 2, 1]);
    }

    #[test]
    fn a_flight_is_bounded_and_stays_in_order() {
        let mut flight = Flight::default();
        for n in 0..200_000 {
            flight.push(segment(n * 10, 10, n as i64), true);
        }
        assert!(flight.on_the_way().len() <= MAX_SEGMENTS);
        assert!(
            flight
                .on_the_way()
                .windows(2)
                .all(|pair| pair[0].end == pair[1].start())
        );
        assert_eq!(flight.on_the_way().first().map(Transmission::start), Some(0));
        let mut one_way = Flight::default();
        for n in 0..1000 {
            one_way.push(segment(n * 10, 10, 0), false);
        }
        assert_eq!(one_way.on_the_way().len(), MAX_WITHOUT_ACKS);
        assert!(one_way.find(9_999).is_some());
    }
}
