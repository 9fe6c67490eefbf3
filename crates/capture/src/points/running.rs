//! The comparison once it is known how the points' numbers belong together.
//!
//! Points are ranked in the order of the way up here; what goes down passes them from the last rank to the first.

use super::Way;
use super::clock::Clock;
use super::coverage::Coverage;
use super::entry::Slot;
use super::number::{Numbering, Unwrapped};
use super::observation::{Marks, Observation, Sighting};
use super::recent::Recent;
use super::stretch::{Carried, Stretch};
use super::table::Table;
use crate::{Flags, Options, Segment};

/// Payload of a full-size packet where neither SYN nor packets tell it: Ethernet with IPv4.
const USUAL_SEGMENT_BYTES: u32 = 1460;

/// What is known of one point.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) numbering: Numbering,
    numbers: [Option<Unwrapped>; 2],
    /// How far the connection had come when the point saw its last packet: time stamps, or sequence numbers.
    progress: [Option<Unwrapped>; 2],
    ordinals: [u64; 2],
    recent: Recent,
    largest_payload: [u32; 2],
    pub(super) syn: [Option<Options>; 2],
    pub(super) began_ns: Option<i64>,
    pub(super) ended_ns: Option<i64>,
    pub(super) missed_packets: u64,
    pub(super) repeated_records: u64,
    pub(super) dont_fragment_packets: [u64; 2],
    pub(super) fragmented_packets: [u64; 2],
    payloads: [[u64; 2]; 2],
}

impl Seat {
    pub(super) fn new(numbering: Numbering) -> Self {
        Self {
            numbering,
            numbers: [None; 2],
            progress: [None; 2],
            ordinals: [0; 2],
            recent: Recent::new(),
            largest_payload: [0; 2],
            syn: [None; 2],
            began_ns: None,
            ended_ns: None,
            missed_packets: 0,
            repeated_records: 0,
            dont_fragment_packets: [0; 2],
            fragmented_packets: [0; 2],
            payloads: [[0; 2]; 2],
        }
    }

    pub(super) fn packets(&self) -> u64 {
        self.ordinals.iter().sum()
    }

    /// Segments with more payload than any packet of Ethernet (jumbo frames aside, which an MSS tells of) carries.
    pub(super) fn offloaded_packets(&self) -> [u64; 2] {
        self.payloads.map(|[_, large]| large)
    }
}

#[derive(Debug)]
pub(super) struct Running {
    pub(super) seats: Vec<Seat>,
    is_stamped: bool,
    origins: [[Option<u32>; 2]; 2],
    pub(super) table: Table,
    coverage: Vec<[Coverage; 2]>,
    /// Between a rank and the next: up, down.
    pub(super) stretches: Vec<[Stretch; 2]>,
    pub(super) clocks: Vec<Clock>,
    mss_bytes: Option<u32>,
}

impl Running {
    pub(super) fn new(seats: Vec<Seat>, is_stamped: bool, window: usize, most_losses: usize) -> Self {
        let points = seats.len();
        let gaps = points.saturating_sub(1);
        Self {
            seats,
            is_stamped,
            origins: [[None; 2]; 2],
            table: Table::new(points, window),
            coverage: (0..points).map(|_| Default::default()).collect(),
            stretches: (0..gaps)
                .map(|_| {
                    [
                        Stretch::new(Way::Up, most_losses),
                        Stretch::new(Way::Down, most_losses),
                    ]
                })
                .collect(),
            clocks: (0..gaps).map(|_| Clock::default()).collect(),
            mss_bytes: None,
        }
    }

    /// The rank, of those asked for, that is furthest behind in the life of the connection. Only the ways count that all of them
    /// have seen; before there is one, packets do.
    pub(super) fn behind(&self, is_asked: impl Fn(usize) -> bool) -> Option<usize> {
        let mut asked = 0_u8;
        let mut known = [true; 2];
        for (rank, seat) in self.seats.iter().enumerate() {
            if is_asked(rank) {
                asked |= 1 << rank;
                known = [
                    known[0] && seat.progress[0].is_some(),
                    known[1] && seat.progress[1].is_some(),
                ];
            }
        }
        let mut least: Option<(u64, usize)> = None;
        for (rank, seat) in self
            .seats
            .iter()
            .enumerate()
            .filter(|(rank, _)| asked >> rank & 1 != 0)
        {
            let come = |way: usize| {
                seat.progress[way]
                    .filter(|_| known[way])
                    .map_or(0, |progress| progress.high())
            };
            let come = if known == [false; 2] {
                seat.packets()
            } else {
                come(0).saturating_add(come(1))
            };
            if least.is_none_or(|(least, _)| come < least) {
                least = Some((come, rank));
            }
        }
        least.map(|(_, rank)| rank)
    }

    pub(super) fn take(&mut self, rank: usize, segment: &Segment) {
        let Some(seat) = self.seats.get_mut(rank) else {
            return;
        };
        let numbering = seat.numbering;
        let way = numbering.way(segment);
        let mut sighting = Sighting::of(segment, &numbering, seat.ordinals[way.index()]);
        seat.ordinals[way.index()] += 1;
        let (is_copy, is_repeated) = seat.recent.saw(&sighting);
        sighting.observation.marks.set(Marks::COPY, is_copy);
        sighting.observation.marks.set(Marks::REPEATED, is_repeated);
        let start = advance(&mut seat.numbers, &mut self.origins[0], way, sighting.seq);
        let progress = if self.is_stamped {
            numbering.stamp(way, segment)
        } else {
            Some(sighting.seq)
        };
        if let Some(progress) = progress {
            advance(&mut seat.progress, &mut self.origins[1], way, progress);
        }
        self.count(rank, way, segment);
        self.cover(rank, &sighting, start, segment.time_ns);
        self.table.place(rank, &sighting, start);
        while let Some(met) = self.table.met.pop() {
            if let Some(stretch) = self.stretches.get_mut(met.gap) {
                stretch[met.way.index()].order.add(met.left, met.entered);
            }
        }
        self.settle(false);
    }

    fn count(&mut self, rank: usize, way: Way, segment: &Segment) {
        let Some(seat) = self.seats.get_mut(rank) else {
            return;
        };
        let place = way.index();
        seat.largest_payload[place] = seat.largest_payload[place].max(segment.payload_bytes);
        seat.dont_fragment_packets[place] += u64::from(segment.dont_fragment);
        seat.fragmented_packets[place] += u64::from(segment.fragments > 1);
        if segment.flags.has(Flags::SYN) {
            seat.syn[place].get_or_insert(segment.options);
            if let Some(mss) = segment.options.mss_bytes {
                let stamps = if segment.options.timestamps.is_some() {
                    12
                } else {
                    0
                };
                let carried = u32::from(mss).saturating_sub(stamps).max(1);
                self.mss_bytes = Some(self.mss_bytes.map_or(carried, |least| least.min(carried)));
            }
        }
        let is_large = segment.payload_bytes > self.mss_bytes.unwrap_or(9216);
        seat.payloads[place][usize::from(is_large)] += 1;
    }

    fn cover(&mut self, rank: usize, sighting: &Sighting, start: u64, time_ns: i64) {
        let Some(ways) = self.coverage.get_mut(rank) else {
            return;
        };
        let way = sighting.way;
        if sighting.length > 0 {
            ways[way.index()].saw(start, start.saturating_add(u64::from(sighting.length)), time_ns);
        }
        let Some(seat) = self.seats.get_mut(rank) else {
            return;
        };
        if let Some(ack) = sighting.ack {
            let reversed = way.reversed();
            let full = match &seat.numbers[reversed.index()] {
                Some(numbers) => numbers.near(ack),
                None => advance(&mut seat.numbers, &mut self.origins[0], reversed, ack),
            };
            ways[reversed.index()].answered(full, time_ns);
        }
    }

    /// Judges what all points saw, and what those that did not can no longer bring.
    pub(super) fn settle(&mut self, at_end: bool) {
        while let Some(place) = self.table.complete.pop() {
            self.judge(place);
        }
        while let Some(place) = self.table.due(&self.coverage, at_end) {
            self.judge(place);
        }
    }

    fn judge(&mut self, place: u32) {
        let Some(slot) = self.table.slot(place).copied() else {
            return;
        };
        let points = self.seats.len();
        let rank = |along: usize| {
            if slot.way == Way::Up {
                along
            } else {
                points - 1 - along
            }
        };
        let present = || (0..points).filter(|&along| slot.has(rank(along)));
        if let (Some(first), Some(last)) = (present().next(), present().next_back()) {
            for along in 0..points {
                match (along < first, along <= last, slot.has(rank(along))) {
                    (true, _, _) => self.absent_before(place, &slot, along, first),
                    (_, true, false) => self.absent_between(place, &slot, along),
                    (_, true, true) if along < last && slot.has(rank(along + 1)) => {
                        self.passed(place, &slot, along)
                    }
                    _ => {}
                }
            }
            if last + 1 < points {
                self.absent_behind(place, &slot, last);
            }
        }
        self.table.release(place);
    }

    fn rank(&self, way: Way, along: usize) -> usize {
        if way == Way::Up {
            along
        } else {
            self.seats.len().saturating_sub(1 + along)
        }
    }

    /// The stretch behind the point that a packet passes as the `along`-th.
    fn stretch(&mut self, way: Way, along: usize) -> Option<&mut Stretch> {
        let gap = if way == Way::Up {
            along
        } else {
            self.stretches.len().checked_sub(1 + along)?
        };
        self.stretches.get_mut(gap).map(|ways| &mut ways[way.index()])
    }

    fn carried<'a>(&self, slot: &'a Slot, seen: &Observation) -> Carried<'a> {
        let least = self
            .seats
            .iter()
            .map(|seat| seat.largest_payload[slot.way.index()])
            .filter(|&largest| largest > 0)
            .min();
        let full = self.mss_bytes.or(least).unwrap_or(USUAL_SEGMENT_BYTES);
        let full = if self.mss_bytes.is_none() && full > 9216 {
            USUAL_SEGMENT_BYTES
        } else {
            full
        };
        let is_one = slot.is_bare || slot.length <= full.max(USUAL_SEGMENT_BYTES);
        let packets = if is_one {
            1
        } else {
            slot.length.div_ceil(full.max(64))
        };
        let payload = seen
            .payload_bytes
            .min(slot.length)
            .min(if is_one { u32::MAX } else { full });
        Carried {
            slot,
            packets: u64::from(packets),
            wire_bytes: seen.header_bytes().saturating_add(payload),
        }
    }

    fn seen(&self, place: u32, rank: usize) -> Observation {
        self.table
            .observations(place)
            .get(rank)
            .copied()
            .unwrap_or_default()
    }

    fn passed(&mut self, place: u32, slot: &Slot, along: usize) {
        let (before, behind) = (
            self.seen(place, self.rank(slot.way, along)),
            self.seen(place, self.rank(slot.way, along + 1)),
        );
        let carried = self.carried(slot, &before);
        let is_up = slot.way == Way::Up;
        let gap = if is_up {
            Some(along)
        } else {
            self.clocks.len().checked_sub(1 + along)
        };
        let is_sure = !before.marks.has(Marks::REPEATED) && !behind.marks.has(Marks::REPEATED);
        if is_sure && let Some(clock) = gap.and_then(|gap| self.clocks.get_mut(gap)) {
            let (near_ns, far_ns) = if is_up {
                (before.time_ns, behind.time_ns)
            } else {
                (behind.time_ns, before.time_ns)
            };
            clock.add(is_up, near_ns, far_ns);
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            stretch.passed(&carried, &before, &behind, is_sure);
        }
    }

    /// Not seen here, and first seen behind: a copy that a stretch made, or a packet that the capture missed.
    fn absent_before(&mut self, place: u32, slot: &Slot, along: usize, first: usize) {
        let seen = self.seen(place, self.rank(slot.way, first));
        let carried = self.carried(slot, &seen);
        if seen.marks.has(Marks::COPY) {
            if along + 1 == first {
                let rank = self.rank(slot.way, first);
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.repeated_records += 1;
                }
                if let Some(stretch) = self.stretch(slot.way, along) {
                    stretch.counts(&carried).duplicated += carried.packets;
                }
            }
            return;
        }
        let rank = self.rank(slot.way, along);
        let is_outside = self.is_outside(place, slot, rank);
        if !is_outside && let Some(seat) = self.seats.get_mut(rank) {
            seat.missed_packets += carried.packets;
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            let counts = stretch.counts(&carried);
            if is_outside {
                counts.outside += carried.packets;
            } else {
                counts.missed_by_from += carried.packets;
                stretch.bare_from_nowhere += u64::from(slot.is_bare);
            }
        }
    }

    /// Seen before and behind: this point's capture missed it.
    fn absent_between(&mut self, place: u32, slot: &Slot, along: usize) {
        let Some(before) = (0..along)
            .rev()
            .map(|along| self.rank(slot.way, along))
            .find(|&rank| slot.has(rank))
        else {
            return;
        };
        let carried = self.carried(slot, &self.seen(place, before));
        let rank = self.rank(slot.way, along);
        let is_outside = self.is_outside(place, slot, rank);
        if !is_outside && let Some(seat) = self.seats.get_mut(rank) {
            seat.missed_packets += carried.packets;
        }
        let came_from = along.checked_sub(1);
        if let Some(stretch) = came_from.and_then(|along| self.stretch(slot.way, along)) {
            note_missed_by_to(stretch, &carried, is_outside);
        }
        if let Some(stretch) = self.stretch(slot.way, along) {
            let counts = stretch.counts(&carried);
            let count = if is_outside {
                &mut counts.outside
            } else {
                &mut counts.missed_by_from
            };
            *count += carried.packets;
        }
    }

    /// Seen no further than here: lost behind, missed by the captures behind, or outside of them.
    fn absent_behind(&mut self, place: u32, slot: &Slot, last: usize) {
        let (rank, next) = (self.rank(slot.way, last), self.rank(slot.way, last + 1));
        let seen = self.seen(place, rank);
        let carried = self.carried(slot, &seen);
        let is_outside = self.is_outside(place, slot, next);
        let is_missed = !is_outside && !seen.marks.has(Marks::COPY) && self.arrived_unseen(place, slot, last);
        if is_missed && let Some(seat) = self.seats.get_mut(next) {
            seat.missed_packets += carried.packets;
        }
        if seen.marks.has(Marks::COPY)
            && let Some(seat) = self.seats.get_mut(rank)
        {
            seat.repeated_records += 1;
        }
        let shift = self
            .seats
            .get(rank)
            .map_or(0, |seat| seat.numbering.seq_shift[slot.way.index()]);
        let seq = if slot.is_bare {
            seen.seq
        } else {
            (slot.start as u32).wrapping_add(shift)
        };
        let Some(stretch) = self.stretch(slot.way, last) else {
            return;
        };
        if is_outside || is_missed {
            note_missed_by_to(stretch, &carried, is_outside);
        } else {
            stretch.lost(&carried, &seen, seq);
        }
    }

    /// Whether the bytes were acknowledged where a point behind never saw them, and no later copy was there to bring them.
    fn arrived_unseen(&self, place: u32, slot: &Slot, last: usize) -> bool {
        !slot.is_bare
            && (last + 1..self.seats.len())
                .map(|along| self.rank(slot.way, along))
                .any(|rank| {
                    let coverage = self.coverage.get(rank).map(|ways| &ways[slot.way.index()]);
                    let acked_ns =
                        coverage.and_then(|coverage| coverage.acked_unseen_ns(slot.start, slot.end()));
                    acked_ns.is_some_and(|acked_ns| !self.table.has_later_copy(place, rank, acked_ns))
                })
    }

    /// Whether a point's capture had not begun when the packet would have come by, or was over.
    ///
    /// Between two packets that the point has, its capture ran. Outside of them, only what the whole capture spans tells.
    fn is_outside(&self, place: u32, slot: &Slot, rank: usize) -> bool {
        let seen = self.table.observations(place);
        let is_within = (0..self.seats.len())
            .filter(|&other| slot.has(other))
            .any(|other| {
                let tie = self.table.tie(slot.way, rank, other);
                tie.zip(seen.get(other))
                    .is_some_and(|(tie, seen)| tie.first <= seen.ordinal && seen.ordinal <= tie.last)
            });
        if is_within {
            return false;
        }
        let Some(expected_ns) = self.table.expected_ns(place, rank) else {
            return true;
        };
        let Some(seat) = self.seats.get(rank) else {
            return true;
        };
        let is_after_begin = seat.began_ns.is_some_and(|began_ns| expected_ns > began_ns);
        let is_before_end = seat
            .ended_ns
            .is_some_and(|ended_ns| expected_ns < ended_ns.saturating_sub(END_SLACK_NS));
        let is_early = (0..self.seats.len())
            .filter(|&other| slot.has(other))
            .any(|other| {
                let tie = self.table.tie(slot.way, rank, other);
                tie.zip(seen.get(other))
                    .is_some_and(|(tie, seen)| seen.ordinal < tie.first)
            });
        !(if is_early {
            is_after_begin
        } else {
            is_after_begin && is_before_end
        })
    }
}

/// A packet that would have come by so shortly before a capture ended may have stood in a queue then.
const END_SLACK_NS: i64 = 500_000_000;

fn note_missed_by_to(stretch: &mut Stretch, carried: &Carried<'_>, is_outside: bool) {
    let counts = stretch.counts(carried);
    if is_outside {
        counts.outside += carried.packets;
    } else {
        counts.sent += carried.packets;
        counts.missed_by_to += carried.packets;
    }
}

/// All points count from the same origin: the first number that any of them saw.
fn advance(
    numbers: &mut [Option<Unwrapped>; 2],
    origins: &mut [Option<u32>; 2],
    way: Way,
    value: u32,
) -> u64 {
    let origin = *origins[way.index()].get_or_insert(value);
    numbers[way.index()]
        .get_or_insert(Unwrapped::new(origin))
        .advance(value)
}
