//! In which order a path passes the capture points.

use super::Way;
use super::anchor::{Shared, shared};
use super::number::Numbering;
use super::report::OrderSource;
use crate::Segment;

/// A point's first packets, and their numbering.
pub(super) type Sample<'a> = (&'a [Segment], &'a Numbering);

/// Which of two points the way up passes first, and what tells: less: the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    first_is_before: bool,
    by: OrderSource,
}

/// The points in the order of the way up. Points that cannot be told apart stay in the order in which they were given.
pub(super) fn inferred(samples: &[Sample<'_>]) -> (Vec<usize>, OrderSource) {
    let mut before = vec![0_usize; samples.len()];
    let mut source = OrderSource::TimeToLive;
    for one in 0..samples.len() {
        for other in one + 1..samples.len() {
            let (Some(&first), Some(&second)) = (samples.get(one), samples.get(other)) else {
                continue;
            };
            let told = compare(first, second).unwrap_or(Told {
                first_is_before: true,
                by: OrderSource::Assumed,
            });
            source = weaker(source, told.by);
            let behind = if told.first_is_before { other } else { one };
            if let Some(count) = before.get_mut(behind) {
                *count += 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by_key(|&point| before.get(point).copied().unwrap_or(0));
    (order, source)
}

/// The order that the user told, turned so that the way up passes it forward; and whether the packets contradict it.
pub(super) fn told(samples: &[Sample<'_>]) -> (Vec<usize>, OrderSource, bool) {
    let given: Vec<usize> = (0..samples.len()).collect();
    let turned: Vec<usize> = given.iter().rev().copied().collect();
    let (found, source) = inferred(samples);
    if source == OrderSource::Assumed || found == given {
        return (given, OrderSource::Told, false);
    }
    let is_turned = found.first() > found.last();
    let contradicted = found != turned;
    (
        if is_turned { turned } else { given },
        OrderSource::Told,
        contradicted,
    )
}

fn weaker(one: OrderSource, other: OrderSource) -> OrderSource {
    let strength = |source| match source {
        OrderSource::Told => 3,
        OrderSource::TimeToLive => 2,
        OrderSource::Delay => 1,
        OrderSource::Assumed => 0,
    };
    if strength(other) < strength(one) {
        other
    } else {
        one
    }
}

fn compare(one: Sample<'_>, other: Sample<'_>) -> Option<Told> {
    let shared = shared(one, other);
    by_ttl(one, other, &shared).or_else(|| by_delay(one, other, &shared))
}

/// Time to live falls along the way. Each direction has a vote: a middlebox may set it anew in one of them.
fn by_ttl(one: Sample<'_>, other: Sample<'_>, shared: &Shared) -> Option<Told> {
    let mut votes = 0;
    for way in [Way::Up, Way::Down] {
        let fell: i64 = pairs(one, other, shared)
            .filter(|(first, _)| one.1.way(first) == way)
            .map(|(first, second)| i64::from(first.ttl.cmp(&second.ttl) as i8))
            .sum();
        votes += if way == Way::Up {
            fell.signum()
        } else {
            -fell.signum()
        };
    }
    (votes != 0).then_some(Told {
        first_is_before: votes > 0,
        by: OrderSource::TimeToLive,
    })
}

/// Whatever the clocks show: later here less earlier there, up, less the same down, is the round trip between the points, and
/// it is positive when the way up passes the first of them first.
fn by_delay(one: Sample<'_>, other: Sample<'_>, shared: &Shared) -> Option<Told> {
    let apart = |way: Way| {
        let apart = pairs(one, other, shared).filter(move |(first, _)| one.1.way(first) == way);
        apart.map(|(first, second)| second.time_ns.saturating_sub(first.time_ns))
    };
    let forward = apart(Way::Up).min()?.saturating_sub(apart(Way::Down).max()?);
    let backward = apart(Way::Down).min()?.saturating_sub(apart(Way::Up).max()?);
    (forward.max(backward) > 0).then_some(Told {
        first_is_before: forward > backward,
        by: OrderSource::Delay,
    })
}

fn pairs<'a>(
    one: Sample<'a>,
    other: Sample<'a>,
    shared: &'a Shared,
) -> impl Iterator<Item = (&'a Segment, &'a Segment)> {
    shared
        .iter()
        .filter_map(move |&(first, second)| Some((one.0.get(first)?, other.0.get(second)?)))
}
