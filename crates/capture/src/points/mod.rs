//! What several captures saw of one connection.
//!
//! A loss that one capture shows lies somewhere before it or behind it. Two captures tell whether it lies between them: a packet that
//! passed the first and not the second, although the second was capturing and the bytes did not arrive.
//!
//! Use: a [`Comparison`] of the points; feed it each point's segments in the order of that capture, from the point that
//! [`Comparison::wants`] next (so that packets wait for their like as shortly as may be, whatever the clocks show); tell where a
//! capture ends; [`Comparison::finish`]. Which flows of two captures are one connection, where addresses are translated
//! between them, [`pair_flows`] tells from their [`FlowSignature`]s.
//!
//! What it rests on: packets are matched by their numbers (sequence number and length, time stamp, identification, and the order
//! of copies), never by time alone; the connection itself is the common clock that keeps the captures in step. Clocks are
//! compared afterwards, from the least delays of both directions.

mod anchor;
mod changes;
mod clock;
mod coverage;
mod delay;
mod entry;
mod number;
mod observation;
mod order;
mod recent;
mod reorder;
mod report;
mod running;
mod signature;
mod start;
mod step;
mod stretch;
mod summary;
mod table;

pub use report::{
    Bursts, Change, ChangeKind, ClockPiece, ClockReport, ClockStep, ComparisonReport, Complaint, DelayReport,
    DelaySlice, DirectionReport, Loss, OrderSource, PacketCounts, PointReport, Relation, Reordering,
    SizeClass, StretchReport,
};
pub use signature::{FlowSignature, Likeness, pair_flows};

use crate::{FlowKey, Segment, Way};
use number::{Numbering, Unwrapped};
use running::Running;

/// More points than a path has taps; what is kept for a packet grows with them.
const MOST_POINTS: usize = 8;

/// Packets of a point that are kept while it is not known how its numbers belong to the others'.
const MOST_SAMPLED: usize = 8192;

/// The first try needs a few round trips, for SYNs, time to live and the order of the points.
const FIRST_SAMPLED: usize = 64;

/// How to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Packets that may wait for their like at other points: those on the way, and those lost or missed until they are judged.
    /// Each takes about 100 bytes and 48 for each point.
    pub window_packets: usize,
    /// Losses that are listed for each direction of each stretch; all are counted.
    pub most_losses: usize,
    /// The points were given in the order of the path (from either end).
    pub is_order_told: bool,
}

impl Default for Settings {
    /// 262,144 packets: 10 Gbit/s over 300 ms.
    fn default() -> Self {
        Self {
            window_packets: 1 << 18,
            most_losses: 10_000,
            is_order_told: false,
        }
    }
}

/// A point, before and while it is compared.
#[derive(Debug)]
struct Place {
    name: String,
    sample: Vec<Segment>,
    is_ended: bool,
    began_ns: Option<i64>,
    ended_ns: Option<i64>,
    key: Option<FlowKey>,
    numbering: Option<Numbering>,
    rank: Option<usize>,
    packets: u64,
    before_common: u64,
    seen_ns: Option<(i64, i64)>,
    /// First and highest sequence number, by way: what a proxy copies is as long on both sides.
    extent: [Option<(u64, Unwrapped)>; 2],
}

/// Several captures of one connection, packet by packet.
#[derive(Debug)]
pub struct Comparison {
    settings: Settings,
    places: Vec<Place>,
    sampled: usize,
    running: Option<Running>,
    /// Rank to place.
    path: Vec<usize>,
    order: OrderSource,
    complaints: Vec<Complaint>,
}

impl Comparison {
    /// A comparison of the points with these names.
    #[must_use]
    pub fn new(names: &[&str], settings: Settings) -> Self {
        let left_out = names.len().saturating_sub(MOST_POINTS);
        Self {
            settings,
            places: names
                .iter()
                .take(MOST_POINTS)
                .map(|name| Place::new(name))
                .collect(),
            sampled: FIRST_SAMPLED,
            running: None,
            path: Vec::new(),
            order: OrderSource::Assumed,
            complaints: if left_out > 0 {
                vec![Complaint::TooManyPoints { left_out }]
            } else {
                Vec::new()
            },
        }
    }

    /// The point whose next segment is needed most; `None` when all have ended. Others may be fed as well: their packets wait
    /// in the window.
    #[must_use]
    pub fn wants(&self) -> Option<usize> {
        let open = |place: &usize| self.places.get(*place).is_some_and(|place| !place.is_ended);
        if let Some(running) = &self.running {
            let is_open = |rank: usize| self.path.get(rank).is_some_and(open);
            if let Some(&place) = running.behind(is_open).and_then(|rank| self.path.get(rank)) {
                return Some(place);
            }
        }
        (0..self.places.len())
            .filter(open)
            .min_by_key(|&place| self.places.get(place).map_or(0, |place| place.sample.len()))
    }

    /// The point's capture (not only this connection) began at this time by its clock. Known, losses before the first packet
    /// that got through are told.
    pub fn began(&mut self, point: usize, time_ns: i64) {
        let Some(place) = self.places.get_mut(point) else {
            return;
        };
        place.began_ns = Some(time_ns);
        if let (Some(running), Some(rank)) = (&mut self.running, place.rank)
            && let Some(seat) = running.seats.get_mut(rank)
        {
            seat.began_ns = Some(time_ns);
        }
    }

    /// A point saw a segment.
    pub fn feed(&mut self, point: usize, segment: &Segment) {
        let Some(place) = self.places.get_mut(point) else {
            return;
        };
        place.note(segment);
        match (&mut self.running, place.rank) {
            (Some(running), Some(rank)) => running.take(rank, segment),
            (Some(_), None) => {}
            (None, _) => {
                if place.sample.len() >= MOST_SAMPLED {
                    place.forget(MOST_SAMPLED / 2);
                }
                place.sample.push(*segment);
                self.try_to_start();
            }
        }
    }

    /// A point has no more segments. `time_ns`: its capture (not only this connection) ended then, by its clock. Known, losses
    /// behind the last packet that got through are told.
    pub fn end(&mut self, point: usize, time_ns: Option<i64>) {
        let Some(place) = self.places.get_mut(point) else {
            return;
        };
        place.is_ended = true;
        place.ended_ns = time_ns;
        if let (Some(running), Some(rank)) = (&mut self.running, place.rank) {
            running.table.end(rank);
            if let Some(seat) = running.seats.get_mut(rank) {
                seat.ended_ns = time_ns;
            }
        } else if self.running.is_none() {
            self.try_to_start();
        }
    }

    /// All points have ended: what is to be said.
    #[must_use]
    pub fn finish(mut self) -> ComparisonReport {
        for point in 0..self.places.len() {
            if self.places.get(point).is_some_and(|place| !place.is_ended) {
                self.end(point, None);
            }
        }
        if self.running.is_none() {
            self.anchor();
            self.start();
        }
        if let Some(running) = &mut self.running {
            running.settle(true);
        }
        summary::report(self)
    }
}

impl Place {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            sample: Vec::new(),
            is_ended: false,
            began_ns: None,
            ended_ns: None,
            key: None,
            numbering: None,
            rank: None,
            packets: 0,
            before_common: 0,
            seen_ns: None,
            extent: [None; 2],
        }
    }

    fn note(&mut self, segment: &Segment) {
        self.key.get_or_insert(segment.key);
        self.packets += 1;
        let (first, last) = self.seen_ns.unwrap_or((segment.time_ns, segment.time_ns));
        self.seen_ns = Some((first.min(segment.time_ns), last.max(segment.time_ns)));
        let end = segment.seq.wrapping_add(segment.sequence_length());
        if let Some(extent) = self.extent.get_mut(segment.way.index()) {
            let numbers = Unwrapped::new(segment.seq);
            extent.get_or_insert((numbers.high(), numbers)).1.advance(end);
        }
    }

    fn forget(&mut self, packets: usize) {
        let packets = packets.min(self.sample.len());
        self.sample.drain(..packets);
        self.before_common += packets as u64;
    }

    fn is_known(&self) -> bool {
        self.numbering.is_some() && !self.sample.is_empty()
    }

    fn sampled(&self) -> Option<order::Sample<'_>> {
        self.is_known()
            .then_some(self.sample.as_slice())
            .zip(self.numbering.as_ref())
    }

    /// Sequence space that was seen, by way.
    fn extents(&self) -> [u64; 2] {
        self.extent
            .map(|extent| extent.map_or(0, |(first, numbers)| numbers.high() - first))
    }
}
