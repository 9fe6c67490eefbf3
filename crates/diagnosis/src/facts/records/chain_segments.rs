//! Loss between neighbouring counters, the same stretch over all tests that counted it.

use super::Records;
use super::chain::{ChainTest, Role, Station, point_label};
use crate::judgement::join_cites;
use evidence::{Complaint, Direction, ObservationId};
use libm::{exp, log};
use stats::Ratio;
use std::collections::{BTreeMap, BTreeSet};

/// All tests with counters of a round, and what they say of each stretch of the path.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    /// By label and counts, whatever the time: many tables have none.
    pub(crate) tests: Vec<ChainTest>,
    /// Per direction in the order of the path.
    pub(crate) segments: Vec<Segment>,
}

/// The stretch between two neighbouring counters.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) direction: Option<Direction>,
    pub(crate) before: Place,
    pub(crate) after: Place,
    /// Tests in which the counters of both its ends are believed.
    pub(crate) counted: Vec<TestLoss>,
    /// Tests in which only a longer stretch that holds it is known to have lost so many: at most that.
    pub(crate) bounded: Vec<TestLoss>,
}

/// A counter's place on the path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) role: Role,
    pub(crate) label: String,
}

/// What one test lost on a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestLoss {
    /// Index into [`Chains::tests`].
    pub(crate) test: usize,
    pub(crate) lost: Ratio,
}

/// How the loss of a stretch goes with the rate of the test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// The loss ratio goes with this power of the rate: 0 for errors on a line, several for a queue or a host that
    /// cannot keep up.
    pub(crate) exponent: f64,
    /// Lowest and highest rate, bit/s, and the loss at each.
    pub(crate) slowest: (f64, Ratio),
    pub(crate) fastest: (f64, Ratio),
}

/// Fewer losses, or rates that differ by less, say nothing of how loss grows.
const LEAST_LOSSES: u64 = 10;
const LEAST_SPREAD: f64 = 1.3;

/// From this power of the rate on, loss comes from load.
pub(crate) const FROM_LOAD: f64 = 1.5;

impl Chains {
    pub(crate) fn derive(records: &Records, complaint: &Complaint) -> Self {
        let counting: BTreeSet<String> = records
            .chains
            .iter()
            .flat_map(|chain| &chain.what.points)
            .filter(|point| point.packets.is_some_and(|packets| packets > 0))
            .map(|point| point_label(&point.network, &point.description))
            .collect();
        let mut tests: Vec<ChainTest> = records
            .chains
            .iter()
            .map(|chain| ChainTest::derive(chain, complaint, &counting))
            .collect();
        tests.sort_by(|a, b| a.order().cmp(&b.order()).then_with(|| a.id.cmp(&b.id)));
        let directions: BTreeSet<Option<Direction>> = tests.iter().map(|test| test.direction).collect();
        let segments = directions
            .into_iter()
            .flat_map(|direction| segments(&tests, direction))
            .collect();
        Self { tests, segments }
    }

    /// Stretches that lost something, on the way of `direction`; what cannot be told counts as the way of the data.
    pub(crate) fn lossy(&self, direction: Direction) -> impl Iterator<Item = &Segment> {
        self.segments
            .iter()
            .filter(move |segment| segment.direction.unwrap_or(Direction::Forward) == direction)
            .filter(|segment| segment.pooled().events > 0)
    }

    /// Loss from the first to the last believed counter of the networks, over all tests in a direction.
    pub(crate) fn whole(&self, direction: Direction) -> (Ratio, Vec<ObservationId>) {
        let mut sum = (Ratio::default(), Vec::new());
        for test in self.tests.iter().filter(|test| test.direction == Some(direction)) {
            let mut points = test.trusted().filter(|(station, _)| station.role == Role::Point);
            let Some((_, first)) = points.next() else { continue };
            let Some((_, last)) = points.last() else { continue };
            sum.0 = sum.0.plus(Ratio::new(first.saturating_sub(last), first));
            sum.1.push(test.id.clone());
        }
        sum.1.sort();
        sum
    }

    pub(crate) fn cites(&self, losses: &[TestLoss]) -> Vec<ObservationId> {
        let ids = losses
            .iter()
            .filter_map(|loss| Some(self.tests.get(loss.test)?.id.clone()));
        join_cites([&ids.collect()])
    }
}

impl Segment {
    /// All tests together in which it was counted.
    pub(crate) fn pooled(&self) -> Ratio {
        self.counted
            .iter()
            .fold(Ratio::default(), |sum, loss| sum.plus(loss.lost))
    }

    /// Tests that counted it and lost something on it.
    pub(crate) fn tests_with_loss(&self) -> usize {
        self.counted.iter().filter(|loss| loss.lost.events > 0).count()
    }

    /// Between two counters of networks, not next to a host.
    pub(crate) fn is_inside(&self) -> bool {
        self.before.role == Role::Point && self.after.role == Role::Point
    }

    /// How its loss goes with the rate; `None` when the tests do not tell.
    pub(crate) fn growth(&self, tests: &[ChainTest]) -> Option<Growth> {
        let mut at: Vec<(f64, Ratio)> = self
            .counted
            .iter()
            .filter_map(|loss| Some((tests.get(loss.test)?.rate_bps()?, loss.lost)))
            .filter(|(_, lost)| lost.trials > 0)
            .collect();
        at.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (slowest, fastest) = (*at.first()?, *at.last()?);
        let losses = at
            .iter()
            .fold(0_u64, |sum, (_, lost)| sum.saturating_add(lost.events));
        let told = losses >= LEAST_LOSSES && fastest.0 >= LEAST_SPREAD * slowest.0;
        told.then(|| Growth {
            exponent: exponent(&at),
            slowest,
            fastest,
        })
    }
}

/// The maximum-likelihood power with which a Poisson rate of loss goes with the bit rate. The derivative of the profile
/// likelihood falls with the power, so bisection finds it.
fn exponent(at: &[(f64, Ratio)]) -> f64 {
    const STEEPEST: f64 = 8.0;
    let mean = at.iter().map(|(rate, _)| log(*rate)).sum::<f64>() / at.len().max(1) as f64;
    let points: Vec<(f64, f64, f64)> = at
        .iter()
        .map(|(rate, lost)| (log(*rate) - mean, lost.events as f64, lost.trials as f64))
        .collect();
    let losses: f64 = points.iter().map(|(_, events, _)| events).sum();
    let observed: f64 = points.iter().map(|(x, events, _)| x * events).sum();
    let excess = |power: f64| {
        let weight = |(x, _, trials): &(f64, f64, f64)| trials * exp(power * x);
        let total: f64 = points.iter().map(weight).sum();
        let moment: f64 = points.iter().map(|point| point.0 * weight(point)).sum();
        observed - losses * moment / total.max(f64::MIN_POSITIVE)
    };
    let (mut low, mut high) = (-STEEPEST, STEEPEST);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn segments(tests: &[ChainTest], direction: Option<Direction>) -> Vec<Segment> {
    let of: Vec<(usize, &ChainTest)> = tests
        .iter()
        .enumerate()
        .filter(|(_, test)| test.direction == direction)
        .collect();
    let order = order(of.iter().map(|(_, test)| *test));
    let mut segments: Vec<Segment> = order
        .windows(2)
        .filter_map(|pair| {
            let [before, after] = pair else { return None };
            Some(Segment {
                direction,
                before: before.clone(),
                after: after.clone(),
                counted: Vec::new(),
                bounded: Vec::new(),
            })
        })
        .collect();
    let position: BTreeMap<&Place, usize> = order.iter().enumerate().map(|(i, place)| (place, i)).collect();
    for (index, test) in of {
        enter(&mut segments, &position, index, test);
    }
    segments
}

/// Enters what one test says of each stretch. Where stations in between are missing or not believed, only the longer
/// stretch is known: no loss on it is none on any part; else its loss bounds that of each part.
fn enter(segments: &mut [Segment], position: &BTreeMap<&Place, usize>, index: usize, test: &ChainTest) {
    let believed: Vec<(usize, u64)> = test
        .trusted()
        .filter_map(|(station, count)| Some((*position.get(&place(station))?, count)))
        .collect();
    for pair in believed.windows(2) {
        let [(from, before), (to, after)] = pair else {
            continue;
        };
        let Some(stretch) = segments.get_mut(*from..*to) else {
            continue;
        };
        let loss = TestLoss {
            test: index,
            lost: Ratio::new(before.saturating_sub(*after), *before),
        };
        let known = stretch.len() == 1 || loss.lost.events == 0;
        for segment in stretch {
            let side = if known {
                &mut segment.counted
            } else {
                &mut segment.bounded
            };
            side.push(loss);
        }
    }
}

fn place(station: &Station) -> Place {
    Place {
        role: station.role,
        label: station.label.clone(),
    }
}

/// The places that are believed in at least one test, in the order of the path: that of the longest chain, with what
/// others add put behind the place that precedes it there.
fn order<'a>(tests: impl Iterator<Item = &'a ChainTest>) -> Vec<Place> {
    let mut lists: Vec<Vec<Place>> = tests
        .map(|test| test.trusted().map(|(station, _)| place(station)).collect())
        .collect();
    lists.sort_by(|a: &Vec<Place>, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut order: Vec<Place> = Vec::new();
    let mut known: BTreeSet<Place> = BTreeSet::new();
    for list in lists {
        let mut previous: Option<Place> = None;
        for place in list {
            if known.insert(place.clone()) {
                let behind = order
                    .iter()
                    .position(|p| Some(p) == previous.as_ref())
                    .map_or(0, |at| at + 1);
                order.insert(behind, place.clone());
            }
            previous = Some(place);
        }
    }
    // The hosts are the ends, whatever a chain without points says.
    order.sort_by_key(|place| place.role);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_the_rate_is_found() {
        let at = |power: f64| -> Vec<(f64, Ratio)> {
            [1e8, 2e8, 5e8]
                .into_iter()
                .map(|rate: f64| {
                    (
                        rate,
                        Ratio::new((1_000.0 * libm::pow(rate / 1e8, power)) as u64, 10_000_000),
                    )
                })
                .collect()
        };
        for power in [0.0, 1.0, 2.5] {
            assert!((exponent(&at(power)) - power).abs() < 0.01, "{power}");
        }
    }
}
