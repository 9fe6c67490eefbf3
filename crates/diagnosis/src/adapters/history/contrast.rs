//! Fast routes beside slow ones: the hops that tell them apart, and the stretch on which they go different ways. A hop
//! that both use is no suspect.

use super::rates::RateHistory;
use super::routes::{Hop, Timeline};
use stats::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A route counts as fast or slow when this share of its sightings is; most of the slow routes is this share too: an
/// archive of thousands always has some that were seen at the wrong moment.
const MOSTLY: f64 = 0.8;
/// Slow routes that share no link of their own in more than so many parts have nothing in common.
const MOST_WAYS: usize = 6;

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
    /// Hops that come and go, and are on fast routes as well as on slow ones.
    pub(crate) shared_changing: Vec<String>,
    /// Hops of the shortest and of the longest route: fast, slow.
    pub(crate) fast_length: (usize, usize),
    pub(crate) slow_length: (usize, usize),
    /// Where slow routes leave the fast ones; `None` where they do not part on one stretch.
    pub(crate) parting: Option<Parting>,
}

/// A stretch on which most slow routes use links that no fast one does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parting {
    /// The slow route seen last.
    pub(crate) route: usize,
    /// Places on it of the last hop that slow and fast routes share before they part, and of the first behind.
    pub(crate) hops: (usize, usize),
    /// Into how many kinds the slow routes fall of which each shares a link of its own there.
    pub(crate) ways: usize,
    /// Per level of the rate, whether its routes go there; `None` where no route was seen meanwhile.
    pub(crate) goes_there: Vec<Option<bool>>,
}

type Link = (u32, u32);

/// The routes by what they carried, and the hops of both kinds.
struct Sides<'a> {
    routes: &'a Timeline,
    /// (level of the rate, route), in the order of time.
    seen: Vec<(usize, usize)>,
    fast: Vec<usize>,
    slow: Vec<usize>,
    /// Per hop: on how many fast routes, on how many slow ones.
    on: BTreeMap<u32, (usize, usize)>,
    links_of_fast: BTreeSet<Link>,
}

impl Contrast {
    /// `epochs`: when the route of each level of the rate was in use. `None` unless there is a fast route and a slow one.
    pub(crate) fn derive(rates: &RateHistory, routes: &Timeline, epochs: &[Span]) -> Option<Self> {
        let level_at = |at| {
            let level = epochs.partition_point(|epoch| epoch.to < at);
            epochs.get(level).filter(|epoch| epoch.from <= at).map(|_| level)
        };
        let seen: Vec<(usize, usize)> = routes
            .sightings
            .iter()
            .filter_map(|(at, route)| Some((level_at(*at)?, *route)))
            .collect();
        let mut counts = vec![[0_usize; 2]; routes.routes.len()];
        for (level, route) in &seen {
            counts[*route][usize::from(rates.is_slow(*level)?)] += 1;
        }
        let mostly = |kind: usize| -> Vec<usize> {
            let is = |count: &[usize; 2]| {
                count[kind] > 0 && count[kind] as f64 >= MOSTLY * (count[0] + count[1]) as f64
            };
            (0..counts.len()).filter(|route| is(&counts[*route])).collect()
        };
        let sides = Sides::of(routes, seen, mostly(0), mostly(1));
        let (fast, slow) = (sides.fast.len(), sides.slow.len());
        let names = |wanted: &dyn Fn(usize, usize) -> bool| -> Vec<String> {
            let hops = sides.on.iter().filter(|(_, (f, s))| wanted(*f, *s));
            hops.map(|(hop, _)| routes.words(*hop)).collect()
        };
        (fast > 0 && slow > 0).then(|| Self {
            fast,
            slow,
            mixed: counts.iter().filter(|count| **count != [0, 0]).count() - fast - slow,
            only_fast: names(&|f, s| f == fast && s == 0),
            only_slow: names(&|f, s| s == slow && f == 0),
            shared_changing: names(&|f, s| f > 0 && s > 0 && f + s < fast + slow),
            fast_length: sides.lengths(&sides.fast),
            slow_length: sides.lengths(&sides.slow),
            parting: sides.parting(epochs.len()),
        })
    }
}

impl<'a> Sides<'a> {
    fn of(routes: &'a Timeline, seen: Vec<(usize, usize)>, fast: Vec<usize>, slow: Vec<usize>) -> Self {
        let mut on: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        let hops =
            |route: &usize| -> BTreeSet<u32> { routes.route(*route).iter().copied().flatten().collect() };
        fast.iter()
            .flat_map(hops)
            .for_each(|hop| on.entry(hop).or_default().0 += 1);
        slow.iter()
            .flat_map(hops)
            .for_each(|hop| on.entry(hop).or_default().1 += 1);
        let links_of_fast = fast
            .iter()
            .flat_map(|route| links(routes.route(*route)))
            .collect();
        Self {
            routes,
            seen,
            fast,
            slow,
            on,
            links_of_fast,
        }
    }

    fn lengths(&self, of: &[usize]) -> (usize, usize) {
        let lengths = || of.iter().map(|route| self.routes.route(*route).len());
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }

    /// Whether so many are most of the slow routes.
    fn are_most(&self, slow: usize) -> bool {
        slow as f64 >= MOSTLY * self.slow.len() as f64
    }

    /// Between two hops that a fast route and most slow ones cross, most slow routes use a link that no fast one does. Of
    /// several such stretches those count where the slow routes have most in common: from the first to the last.
    fn parting(&self, levels: usize) -> Option<Parting> {
        let is_slow = |(_, route): &&(usize, usize)| self.slow.binary_search(route).is_ok();
        let route = self.seen.iter().rev().find(is_slow)?.1;
        let latest = self.routes.route(route);
        // Such a hop is passed at full rate.
        let landmark = |hop: u32| {
            let (fast, slow) = self.on.get(&hop).copied().unwrap_or_default();
            fast > 0 && self.are_most(slow)
        };
        let landmarks: Vec<usize> = (0..latest.len())
            .filter(|place| latest[*place].is_some_and(landmark))
            .collect();
        let apart: Vec<(usize, usize, usize)> = landmarks
            .windows(2)
            .filter_map(|two| Some((self.ways(latest[two[0]], latest[two[1]])?, two[0], two[1])))
            .collect();
        let ways = apart.iter().map(|(ways, ..)| *ways).min()?;
        let chosen = || apart.iter().filter(|found| found.0 == ways);
        let hops = (chosen().next()?.1, chosen().next_back()?.2);
        let goes_there = |route| !self.own(route, latest[hops.0], latest[hops.1]).is_empty();
        let there: Vec<bool> = (0..self.routes.routes.len()).map(goes_there).collect();
        let mut counts = vec![(0_usize, 0_usize); levels];
        for (level, route) in &self.seen {
            counts[*level].0 += usize::from(there[*route]);
            counts[*level].1 += 1;
        }
        let most = |(there, all): &(usize, usize)| (*all > 0).then_some(2 * there > *all);
        Some(Parting {
            route,
            hops,
            ways,
            goes_there: counts.iter().map(most).collect(),
        })
    }

    /// The links from hop `a` to hop `b` of a route that no fast route uses. What a silent hop hides cannot be told apart.
    fn own(&self, route: usize, a: Hop, b: Hop) -> Vec<Link> {
        let route = self.routes.route(route);
        let from = route.iter().position(|hop| *hop == a);
        let part = from.zip(route.iter().rposition(|hop| *hop == b));
        let part = part.and_then(|(from, to)| route.get(from..=to)).unwrap_or(&[]);
        links(part)
            .filter(|link| !self.links_of_fast.contains(link))
            .collect()
    }

    /// Into how many kinds most slow routes fall of which each shares a link of its own between two hops; `None` for too
    /// many, or where most have none.
    fn ways(&self, a: Hop, b: Hop) -> Option<usize> {
        let mut left: Vec<Vec<Link>> = self.slow.iter().map(|route| self.own(*route, a, b)).collect();
        for ways in 1..=MOST_WAYS {
            let mut shared: BTreeMap<Link, usize> = BTreeMap::new();
            left.iter()
                .flatten()
                .for_each(|link| *shared.entry(*link).or_default() += 1);
            // Numbers of hops depend on the order of records: of equals the first by name counts.
            let named = |(a, b): &Link| (self.routes.words(*a), self.routes.words(*b));
            let most = shared.values().max()?;
            let best = shared.iter().filter(|(_, count)| *count == most);
            let best = *best.map(|(link, _)| link).min_by_key(|link| named(link))?;
            left.retain(|links| !links.contains(&best));
            if self.are_most(self.slow.len() - left.len()) {
                return Some(ways);
            }
        }
        None
    }
}

fn links(route: &[Hop]) -> impl Iterator<Item = Link> {
    route.windows(2).filter_map(|two| Some((two[0]?, two[1]?)))
}
