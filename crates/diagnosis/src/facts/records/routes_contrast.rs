//! Fast routes beside slow ones: the hops that tell them apart, and the stretch on which they go different ways. A hop
//! that both use is no suspect.

use super::rate_history::RateHistory;
use super::routes::{Hop, Timeline};
use super::routes_alignment::Alignment;
use evidence::{HopRef, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// A route counts as fast or slow when this share of its sightings is; most of the slow routes is this share too: an
/// archive of thousands always has some that were seen at the wrong moment.
const MOSTLY: f64 = 0.8;

/// What sets slow routes apart from fast ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contrast {
    /// How many different routes were fast, and slow.
    pub(crate) fast: usize,
    pub(crate) slow: usize,
    /// Routes that were seen fast and slow.
    pub(crate) mixed: usize,
    /// Hops on every fast route and on no slow one, as one reads them.
    pub(crate) only_fast: Vec<String>,
    /// Hops on every slow route and on no fast one.
    pub(crate) only_slow: Vec<String>,
    /// The last hop that slow and fast routes share before they part for good, and the first behind; numbered as on the
    /// slow route seen last. `None` where they do not part on one stretch.
    pub(crate) stretch: Option<(HopRef, HopRef)>,
    /// Hops that come and go, and are on fast routes as well as on slow ones.
    pub(crate) shared_changing: Vec<String>,
    /// Hops of the shortest and of the longest route: fast, slow.
    pub(crate) fast_length: (usize, usize),
    pub(crate) slow_length: (usize, usize),
}

impl Contrast {
    /// `None` unless there is a fast route and a slow one.
    pub(crate) fn derive(rates: &RateHistory, routes: &Timeline, alignment: &Alignment) -> Option<Self> {
        let kinds = Kinds::of(rates, routes, alignment);
        let sides = Sides::of(routes, &kinds)?;
        let names = |hops: Vec<u32>| hops.into_iter().map(|hop| routes.words(hop)).collect();
        Some(Self {
            fast: kinds.fast.len(),
            slow: kinds.slow.len(),
            mixed: kinds.mixed,
            only_fast: names(sides.on_all_of_one(true)),
            only_slow: names(sides.on_all_of_one(false)),
            stretch: sides.stretch(),
            shared_changing: names(sides.shared_changing()),
            fast_length: lengths(routes, &kinds.fast),
            slow_length: lengths(routes, &kinds.slow),
        })
    }
}

/// The routes by what they carried.
struct Kinds {
    fast: Vec<usize>,
    slow: Vec<usize>,
    mixed: usize,
    /// The slow route seen last.
    last_slow: Option<usize>,
}

impl Kinds {
    fn of(rates: &RateHistory, routes: &Timeline, alignment: &Alignment) -> Self {
        let mut counts = vec![(0_u64, 0_u64); routes.routes.len()];
        let mut last_seen_slow: BTreeMap<usize, Timestamp> = BTreeMap::new();
        for (at, route) in &routes.sightings {
            let regime = alignment.regime_at(rates, routes, *at);
            let (Some(slow), Some(count)) = (regime.and_then(|r| rates.is_slow(r)), counts.get_mut(*route))
            else {
                continue;
            };
            if slow {
                count.1 += 1;
                last_seen_slow.insert(*route, *at);
            } else {
                count.0 += 1;
            }
        }
        let share =
            |part: u64, (fast, slow): (u64, u64)| part as f64 >= MOSTLY * (fast + slow) as f64 && part > 0;
        let of = |wanted: fn((u64, u64)) -> u64| -> Vec<usize> {
            let chosen = counts
                .iter()
                .enumerate()
                .filter(|(_, count)| share(wanted(**count), **count));
            chosen.map(|(route, _)| route).collect()
        };
        let (fast, slow) = (of(|count| count.0), of(|count| count.1));
        let rated = counts.iter().filter(|count| **count != (0, 0)).count();
        let last_slow = slow
            .iter()
            .copied()
            .max_by_key(|route| (last_seen_slow.get(route), routes.routes.get(*route)));
        Self {
            mixed: rated - fast.len() - slow.len(),
            fast,
            slow,
            last_slow,
        }
    }
}

/// Hops and links of the two kinds of routes.
struct Sides<'a> {
    routes: &'a Timeline,
    fast: Vec<&'a [Hop]>,
    slow: Vec<&'a [Hop]>,
    /// Per hop: on how many fast routes, on how many slow ones.
    on: BTreeMap<u32, (usize, usize)>,
    last_slow: usize,
}

impl<'a> Sides<'a> {
    fn of(routes: &'a Timeline, kinds: &Kinds) -> Option<Self> {
        let of = |indices: &[usize]| {
            indices
                .iter()
                .map(|index| routes.route(*index))
                .collect::<Vec<_>>()
        };
        let (fast, slow) = (of(&kinds.fast), of(&kinds.slow));
        let last_slow = kinds.last_slow.filter(|_| !fast.is_empty())?;
        let mut on: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for route in &fast {
            each_once(route)
                .into_iter()
                .for_each(|hop| on.entry(hop).or_default().0 += 1);
        }
        for route in &slow {
            each_once(route)
                .into_iter()
                .for_each(|hop| on.entry(hop).or_default().1 += 1);
        }
        Some(Self {
            routes,
            fast,
            slow,
            on,
            last_slow,
        })
    }

    /// Hops on every fast route and no slow one, or the reverse.
    fn on_all_of_one(&self, fast: bool) -> Vec<u32> {
        let (all_fast, all_slow) = (self.fast.len(), self.slow.len());
        let wanted = |(f, s): (usize, usize)| {
            if fast {
                f == all_fast && s == 0
            } else {
                s == all_slow && f == 0
            }
        };
        self.on
            .iter()
            .filter(|(_, count)| wanted(**count))
            .map(|(hop, _)| *hop)
            .collect()
    }

    /// On some routes of both kinds, but not on all.
    fn shared_changing(&self) -> Vec<u32> {
        let all = self.fast.len() + self.slow.len();
        let both = |(f, s): (usize, usize)| f > 0 && s > 0 && f + s < all;
        self.on
            .iter()
            .filter(|(_, count)| both(**count))
            .map(|(hop, _)| *hop)
            .collect()
    }

    /// On most slow routes and on a fast one too: such a hop is passed at full rate.
    fn is_landmark(&self, hop: u32) -> bool {
        let (fast, slow) = self.on.get(&hop).copied().unwrap_or_default();
        fast > 0 && slow as f64 >= MOSTLY * self.slow.len() as f64
    }

    /// Between two landmarks most slow routes use a link that no fast one does. Of several such stretches those count
    /// that hold what all fast routes share; if that does not leave one, from the first to the last.
    fn stretch(&self) -> Option<(HopRef, HopRef)> {
        let latest = self.routes.route(self.last_slow);
        let landmarks: Vec<(usize, u32)> = latest
            .iter()
            .enumerate()
            .filter_map(|(place, hop)| Some((place, (*hop)?)))
            .filter(|(_, hop)| self.is_landmark(*hop))
            .collect();
        let links = self.links_of_fast();
        let pairs = landmarks.iter().zip(landmarks.iter().skip(1));
        let parting: Vec<(usize, usize)> = pairs
            .filter(|((_, a), (_, b))| self.most_part_between(*a, *b, &links))
            .map(|((from, _), (to, _))| (*from, *to))
            .collect();
        let hop_at = |place: usize| latest.get(place).copied().flatten();
        let telling: Vec<(usize, usize)> = parting
            .iter()
            .copied()
            .filter(|(from, to)| self.holds_what_fast_share(hop_at(*from), hop_at(*to)))
            .collect();
        let chosen = if telling.is_empty() { &parting } else { &telling };
        let ((from, _), (_, to)) = (chosen.first()?, chosen.last()?);
        Some((
            self.routes.hop_ref(self.last_slow, *from),
            self.routes.hop_ref(self.last_slow, *to),
        ))
    }

    fn links_of_fast(&self) -> BTreeSet<(Hop, Hop)> {
        let links = self
            .fast
            .iter()
            .flat_map(|route| route.iter().copied().zip(route.iter().copied().skip(1)));
        links.collect()
    }

    fn most_part_between(&self, a: u32, b: u32, links_of_fast: &BTreeSet<(Hop, Hop)>) -> bool {
        let parts = |route: &&&[Hop]| {
            let Some(part) = between(route, a, b) else {
                return false;
            };
            let links = part.iter().copied().zip(part.iter().copied().skip(1));
            // What a silent hop hides cannot be told apart.
            let known = |(x, y): &(Hop, Hop)| x.is_some() && y.is_some();
            links.filter(known).any(|link| !links_of_fast.contains(&link))
        };
        self.slow.iter().filter(parts).count() as f64 >= MOSTLY * self.slow.len() as f64
    }

    /// Whether the hops that all fast routes have and no slow one lie between these two on a fast route.
    fn holds_what_fast_share(&self, a: Hop, b: Hop) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return false };
        let shared = self.on_all_of_one(true);
        self.fast
            .iter()
            .filter_map(|route| between(route, a, b))
            .any(|part| part.iter().flatten().any(|hop| shared.binary_search(hop).is_ok()))
    }
}

/// The part of a route from hop `a` to hop `b`, both included.
fn between(route: &[Hop], a: u32, b: u32) -> Option<&[Hop]> {
    let from = route.iter().position(|hop| *hop == Some(a))?;
    let to = route.iter().rposition(|hop| *hop == Some(b))?;
    route.get(from..=to)
}

fn each_once(route: &[Hop]) -> BTreeSet<u32> {
    route.iter().copied().flatten().collect()
}

fn lengths(routes: &Timeline, of: &[usize]) -> (usize, usize) {
    let lengths = || of.iter().map(|index| routes.route(*index).len());
    (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
}
