//! Where a fault is: the shortest run of places that holds enough of what it has anywhere.

use super::level::WORTH_SAYING;
use model::{ElementId, Fault};
use std::collections::{BTreeMap, BTreeSet};

/// A place holds at least this share of what its fault has anywhere; less where no other element has a part of what its
/// likeliest has: a place that is cut out of many equal ones would be chance.
pub(super) const HELD_BY_PLACE: f64 = 0.9;
const CLEARLY_LESS: f64 = 0.2;
/// Sums differ in their last digits by the order in which they are made: less than this is no difference.
const EVEN: f64 = 1e-6;

/// The ways complained about, there and back, and the places that counters show on them, in order.
#[derive(Clone, Copy)]
pub(super) struct Ways<'a> {
    pub(super) way: &'a [ElementId],
    /// The equal routes there, the way among them.
    pub(super) routes: &'a [Vec<ElementId>],
    pub(super) back: &'a [ElementId],
    pub(super) counted: &'a [ElementId],
    /// Interfaces with the links that they belong to: one place each.
    pub(super) interfaces: &'a [(ElementId, ElementId)],
    /// Of places on the way there the same cables in the other direction.
    pub(super) mirror: &'a BTreeMap<ElementId, ElementId>,
    /// Where packets were counted as lost.
    pub(super) lossy: &'a BTreeSet<ElementId>,
}

/// Where a fault is.
pub(super) struct Place {
    pub(super) run: Vec<ElementId>,
    /// The same cables in the other direction, where nothing tells which of the two it is.
    pub(super) other_way: Vec<ElementId>,
    /// Whether the run lies on the way of the data.
    pub(super) on_way: bool,
    /// What it holds.
    pub(super) held: f64,
}

/// The shortest run of elements that holds enough: of the way of the data, of what counters show, else the one element
/// elsewhere, else the part where equal routes lie side by side, else a run of cables in whichever direction.
pub(super) fn place(
    at: &dyn Fn(ElementId) -> f64,
    held: f64,
    ways: Ways<'_>,
    faults: &[(Fault, f64)],
    enough: f64,
) -> Option<Place> {
    let (way, back) = (ways.way, ways.back);
    let on = |link: ElementId| {
        ways.interfaces
            .iter()
            .filter(move |(_, of)| *of == link)
            .map(|(id, _)| *id)
    };
    let with_interfaces = |link: ElementId| at(link) + on(link).map(at).sum::<f64>();
    let sum = |run: &[ElementId]| run.iter().map(|element| with_interfaces(*element)).sum::<f64>();
    let on_way = sum(way);
    let plain = |run, on_way, held| Place {
        run,
        other_way: Vec::new(),
        on_way,
        held,
    };
    let needed = if held >= enough {
        f64::max(enough, HELD_BY_PLACE * held)
    } else {
        HELD_BY_PLACE * held
    };
    for run in ways.routes.iter().map(Vec::as_slice).chain([ways.counted]) {
        if sum(run) >= needed {
            let (place, there) = shortest(&with_interfaces, run, needed, enough);
            let counter = match place.as_slice() {
                [link] => on(*link).find(|id| at(*id) > 0.5 * there),
                _ => None,
            };
            return Some(plain(counter.map_or(place, |id| vec![id]), true, there));
        }
    }
    let best = faults
        .iter()
        .map(|(fault, _)| fault.element)
        .max_by(|a, b| at(*a).total_cmp(&at(*b)).then(b.cmp(a)))?;
    let there = at(best);
    if there >= needed {
        return Some(plain(vec![best], way.contains(&best), there));
    }
    let shared = |id: &ElementId| ways.routes.iter().all(|route| route.contains(id));
    let side_by_side: Vec<ElementId> = ways
        .routes
        .concat()
        .into_iter()
        .filter(|id| !shared(id))
        .collect();
    let held_there = sum(&side_by_side);
    if held_there >= needed {
        return Some(plain(side_by_side, true, held_there));
    }
    let on_back = sum(back);
    // Without acknowledgements the data stop; that some are lost hardly matters, and a stretch of it is not told.
    let likeliest = faults.iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
    if on_back >= needed && likeliest.is_some_and(|(fault, _)| fault.kind.is_interruption()) {
        let (run, held) = shortest(&with_interfaces, back, needed, enough);
        return Some(plain(run, false, held));
    }
    if on_way >= on_back && on_way + on_back >= needed {
        let mirrored = |id: &ElementId| ways.mirror.get(id).copied().filter(|other| back.contains(other));
        let cable = |id: ElementId| with_interfaces(id) + mirrored(&id).map_or(0.0, at);
        let (run, held) = shortest(&cable, way, needed, enough);
        let whole = run.len() == way.len();
        let other_way = if whole {
            back.to_vec()
        } else {
            run.iter().filter_map(mirrored).collect()
        };
        return Some(Place {
            run,
            other_way,
            on_way: true,
            held: if whole { on_way + on_back } else { held },
        });
    }
    (on_way >= WORTH_SAYING).then(|| plain(way.to_vec(), true, on_way))
}

/// The shortest part of a run that holds what is needed, or that stands out from all others.
fn shortest(
    at: &dyn Fn(ElementId) -> f64,
    run: &[ElementId],
    needed: f64,
    enough: f64,
) -> (Vec<ElementId>, f64) {
    let masses: Vec<f64> = run.iter().map(|element| at(*element)).collect();
    let highest = masses.iter().copied().fold(0.0, f64::max);
    for length in 1..run.len() {
        let parts: Vec<f64> = masses.windows(length).map(|part| part.iter().sum()).collect();
        let most = parts.iter().copied().fold(0.0, f64::max);
        let first = parts.iter().position(|mass| *mass >= most - EVEN).unwrap_or(0);
        let inside = first..first + length;
        let outside = masses.iter().enumerate().filter(|(i, _)| !inside.contains(i));
        let clear = parts[first] >= enough
            && outside.fold(0.0, |worst: f64, (_, mass)| worst.max(*mass)) <= CLEARLY_LESS * highest;
        if parts[first] >= needed || clear {
            return (run[inside].to_vec(), parts[first]);
        }
    }
    (run.to_vec(), masses.iter().sum())
}
