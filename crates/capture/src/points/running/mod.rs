//! The comparison once it is known how the points' numbers belong together.
//!
//! Points are ranked in the order of the way up here; what goes down passes them from the last rank to the first.

mod judge;

use super::Way;
use super::clock::Clock;
use super::coverage::Coverage;
use super::number::{Numbering, Unwrapped};
use super::observation::{Marks, Sighting};
use super::recent::Recent;
use super::stretch::Stretch;
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
