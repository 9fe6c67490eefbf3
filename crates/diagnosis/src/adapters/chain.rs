//! Packets of tests counted at points along a path: what lies between two counters that are believed lost the difference.

use super::{Intake, remarks};
use crate::adapters::stations::ChainTest;
use crate::records::Records;
use evidence::{Direction, Observation, Payload, RateBps, Transport};
use model::{Bound, Count, Counted, Element, ElementId, NodeId, Program, Rate, Seen, Trust};
use stats::{Role, Station};
use std::collections::BTreeMap;

/// The tests of a round, with the stretches between their counters.
pub(super) struct Chains {
    tests: Vec<ChainTest>,
    /// Of the way of the data, and of the way back: between which hosts, and the believed counters in order.
    ways: Vec<(Direction, (NodeId, NodeId), Vec<Place>)>,
}

type Place = (Role, String);

impl Chains {
    /// Puts the stretches on the map. What cannot be told counts as the way of the data.
    pub(super) fn of(intake: &mut Intake, observations: &[&Observation]) -> Self {
        let chains = |o: &&&Observation| matches!(o.payload, Payload::CounterChain(_));
        let records = Records::of(observations.iter().filter(chains).copied());
        let tests = ChainTest::all(&records.chains, intake.complaint);
        let mut ways = Vec::new();
        for (way, ends) in [
            (Direction::Forward, (intake.from, intake.to)),
            (Direction::Reverse, (intake.to, intake.from)),
        ] {
            let places = order(tests.iter().filter(|test| test.way() == way));
            let segment = |pair: &[Place]| Element::Segment {
                before: pair[0].1.clone(),
                after: pair[1].1.clone(),
            };
            let segments = places
                .windows(2)
                .map(|pair| intake.map.intern(segment(pair)))
                .collect();
            intake.places.add_segments(ends, segments);
            ways.push((way, ends, places));
        }
        Self { tests, ways }
    }

    /// What each test says of each stretch. Where stations in between are missing or not believed, only the longer stretch is
    /// known.
    pub(super) fn measure(&self, intake: &mut Intake) {
        for (way, ends, places) in &self.ways {
            let of = || self.tests.iter().filter(|test| test.way() == *way);
            let segments = intake.places.segments(*ends).to_vec();
            let fastest = of().filter_map(ChainTest::rate_bps).fold(0.0, f64::max);
            let position: BTreeMap<&Place, usize> = places.iter().enumerate().map(|(i, p)| (p, i)).collect();
            for test in of() {
                let load = test.rate_bps().map_or(1.0, |rate| rate / fastest);
                let believed: Vec<(usize, Role, u64)> = test
                    .trusted()
                    .filter_map(|(station, count)| {
                        Some((*position.get(&place(station))?, station.role, count))
                    })
                    .collect();
                for pair in believed.windows(2) {
                    let ((from, _, before), (to, role, after)) = (pair[0], pair[1]);
                    let mut out = segments.get(from..to).unwrap_or(&[]).to_vec();
                    if role == Role::Receiver {
                        out.push(intake.map.host(ends.1));
                    }
                    put(intake, test, *ends, out, (before, after, role), load);
                }
                if let Some(rate) = rate(intake, test, *ends) {
                    intake.put(ends.0, ends.1, Seen::Rate(rate), Trust::Measured, &test.id);
                }
            }
        }
    }
}

fn put(
    intake: &mut Intake,
    test: &ChainTest,
    ends: (NodeId, NodeId),
    out: Vec<ElementId>,
    (before, after, role): (u64, u64, Role),
    load: f64,
) {
    let lost = before.saturating_sub(after);
    let remark = || test.what.remarks.iter().find(|text| remarks::names(text, lost));
    let count = Count {
        bad: lost as f64,
        of: before as f64,
        what: Counted::Missing,
        fresh: true,
        load,
        label: label(test, role),
        remark: (lost > 0)
            .then(remark)
            .flatten()
            .map(|text| text.trim().to_owned()),
    };
    if before > 0 {
        let cites = vec![test.id.clone()];
        intake.put_count(ends, out, count, Trust::Measured, cites);
    }
}

/// "Test 3, 255 Mbit/s, 41,304 out of order"
fn label(test: &ChainTest, role: Role) -> String {
    let rate = test.rate_bps().map(|bps| RateBps(bps).to_string());
    let late = test
        .what
        .reported_reordered
        .filter(|late| *late > 0 && role == Role::Receiver);
    let late = late.map(|late| format!("{} packets arrived out of order", words::count(late)));
    let parts = [Some(test.name().to_owned()), rate, late];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The rate of the test itself. A transfer of which not every connection met a loss ended before it was steady: its rate is
/// no more than a lower bound, in whatever record it is told again.
fn rate(intake: &mut Intake, test: &ChainTest, (from, to): (NodeId, NodeId)) -> Option<Rate> {
    let bps = test.rate_bps()?;
    let streams = f64::from(test.what.streams.unwrap_or(1).max(1));
    let counts: Vec<u64> = test.trusted().map(|(_, count)| count).collect();
    let lost = counts.first()?.saturating_sub(*counts.last()?) as f64;
    let bound = if test.is_tcp() && (lost == 0.0 || lost >= streams) {
        Bound::Exact
    } else {
        Bound::AtLeast
    };
    let same = |known: &Rate| known.bps == bps && known.streams == streams;
    for known in &mut intake.measurements {
        if let Seen::Rate(known) = &mut known.seen
            && bound == Bound::AtLeast
            && same(known)
        {
            known.bound = bound;
        }
    }
    Some(Rate {
        bound,
        transport: test.what.protocol.unwrap_or(Transport::Tcp),
        streams,
        ..Rate::bare(bps, intake.rtts.between(from, to), Program::Test)
    })
}

fn place(station: &Station) -> Place {
    (station.role, station.label.clone())
}

/// The places that are believed in at least one test, in the order of the path: that of the longest chain, with what
/// others add put behind the place that precedes it there.
fn order<'a>(tests: impl Iterator<Item = &'a ChainTest>) -> Vec<Place> {
    let mut lists: Vec<Vec<Place>> = tests
        .map(|test| test.trusted().map(|(station, _)| place(station)).collect())
        .collect();
    lists.sort_by(|a: &Vec<Place>, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut order: Vec<Place> = Vec::new();
    for list in lists {
        let mut next = 0;
        for place in list {
            match order.iter().position(|known| *known == place) {
                Some(at) => next = at + 1,
                None => {
                    order.insert(next, place);
                    next += 1;
                }
            }
        }
    }
    // The hosts are the ends, whatever a chain without points says.
    order.sort_by_key(|(role, _)| *role);
    order
}
