//! The paths that a round knows: which routers stand between two hosts, and what was measured at each of them, from traces,
//! tables of probes, inferred capacities, counters and route histories of any origin.

use super::bands::route_name;
use super::hop::{HopView, is_among};
use crate::names::Names;
use crate::table::Table;
use crate::words;
use evidence::{EchoMode, End, Node, Observation, Payload, ProbeRow, Probes, RouteHistory, Trace, Way};
use std::collections::BTreeMap;

/// Longer routes are cut: no path has more hops (the TTL of common senders starts at 64).
pub(crate) const MOST_HOPS: usize = 64;
/// Of thousands of traces only the first ways can be held against each other.
const MOST_VIEWS: usize = 64;

/// One way from one host to another. Traces that agree on it are laid over each other.
#[derive(Debug)]
pub(crate) struct PathView {
    /// Short numbers of the observations that show the way.
    pub(crate) shown_by: Vec<usize>,
    /// Those, and the numbers of what was measured at its hops.
    pub(crate) numbers: Vec<usize>,
    pub(crate) source: Node,
    pub(crate) destination: Node,
    /// What the two are called: `a → b`.
    pub(crate) pair: String,
    /// Which of several ways it is, where a record numbers them.
    pub(crate) note: Option<String>,
    /// The end of the complaint at which it starts.
    pub(crate) starts_at: Option<End>,
    /// Both hosts are those of the complaint.
    pub(crate) between_ends: bool,
    /// Hop number of the destination; `None` when it never answered, or the record does not tell.
    pub(crate) reached_ttl: Option<u8>,
    /// One entry per TTL, silent ones included.
    pub(crate) hops: Vec<HopView>,
    /// How many flows were traced.
    pub(crate) flows: usize,
}

/// The ways that observations show.
pub(super) fn ways(seen: &[(usize, &Observation)], names: &Names) -> Vec<PathView> {
    let mut views: Vec<PathView> = Vec::new();
    for (number, o) in seen {
        match &o.payload {
            Payload::Trace(trace) => join(&mut views, traced(*number, trace, o, names)),
            Payload::RouteHistory(history) => last_way(*number, history, o, names)
                .into_iter()
                .for_each(|view| join(&mut views, view)),
            _ => {}
        }
    }
    for (number, o) in seen {
        if let Payload::Probes(probes) = &o.payload
            && let Some(view) = hops_of_table(*number, probes, o, names)
            && !views.iter().any(|other| other.pair == view.pair)
        {
            join(&mut views, view);
        }
    }
    views
}

/// Lays a way over one between the same hosts that it agrees with, or sets it beside the others.
fn join(views: &mut Vec<PathView>, view: PathView) {
    let fits = |other: &&mut PathView| {
        other.note == view.note && other.pair == view.pair && agree(&other.hops, &view.hops)
    };
    let room = views.len() < MOST_VIEWS;
    match views.iter_mut().find(fits) {
        Some(other) => lay_over(other, view),
        None if room => views.push(view),
        None => {}
    }
}

/// Whether two ways are one, seen twice: where routers answered in both, most are the same.
fn agree(a: &[HopView], b: &[HopView]) -> bool {
    let both = a
        .iter()
        .filter_map(|x| Some((x, b.iter().find(|y| y.ttl == x.ttl)?)));
    let both: Vec<_> = both
        .filter(|(x, y)| !x.routers.is_empty() && !y.routers.is_empty())
        .collect();
    let shared = |(x, y): &&(&HopView, &HopView)| x.routers.iter().any(|r| is_among(r, &y.routers));
    2 * both.iter().filter(shared).count() >= both.len()
}

fn lay_over(view: &mut PathView, other: PathView) {
    view.shown_by.extend(other.shown_by);
    view.numbers.extend(other.numbers);
    view.flows += other.flows;
    view.reached_ttl = view.reached_ttl.into_iter().chain(other.reached_ttl).min();
    for hop in other.hops {
        match view.hops.iter_mut().find(|known| known.ttl == hop.ttl) {
            Some(known) => known.lay_over(hop),
            None => view.hops.push(hop),
        }
    }
    view.hops.sort_by_key(|hop| hop.ttl);
}

pub(crate) fn traced(number: usize, trace: &Trace, o: &Observation, names: &Names) -> PathView {
    let mut hops: BTreeMap<u8, HopView> = BTreeMap::new();
    for hop in trace
        .flows
        .iter()
        .flat_map(|flow| flow.hops.iter().take(MOST_HOPS))
    {
        let view = hops.entry(hop.ttl).or_insert_with(|| HopView::at(hop.ttl));
        view.add_answers(hop, trace);
    }
    let hops: Vec<HopView> = hops.into_values().collect();
    let reached = trace.flows.iter().filter_map(|flow| flow.reached_ttl).min();
    let last = hops.last().filter(|hop| !hop.routers.is_empty());
    let by_record = match trace.reached {
        Some(true) => last.map(|hop| hop.ttl),
        // Without word of it, the last hop that answered is taken for the destination only where it is that.
        _ => hops
            .iter()
            .find(|hop| is_among(&trace.to, &hop.routers))
            .map(|hop| hop.ttl),
    };
    PathView {
        reached_ttl: reached.or(by_record),
        flows: trace.flows.len(),
        hops,
        ..empty(number, (&trace.from, &trace.to), o, names)
    }
}

/// A way with its two hosts and no hops yet. A record that does not name its hosts is of the transfer complained about,
/// seen from where it was observed.
pub(super) fn empty(number: usize, (from, to): (&Node, &Node), o: &Observation, names: &Names) -> PathView {
    let starts_at = match from.is_unknown() {
        true => names.end_of(&o.provenance.vantage),
        false => names.end_of(from),
    };
    let known = |node: &Node, end: Option<End>| match end {
        Some(end) if node.is_unknown() => Node::named(&names.end(end)),
        _ => node.clone(),
    };
    let other = starts_at.map(End::other);
    let (source, destination) = (known(from, starts_at), known(to, other));
    PathView {
        shown_by: vec![number],
        numbers: vec![number],
        pair: names.pair(&source, &destination),
        source,
        destination,
        note: None,
        starts_at,
        between_ends: starts_at.is_some() && (to.is_unknown() || names.end_of(to) == other),
        reached_ttl: None,
        hops: Vec::new(),
        flows: 0,
    }
}

/// The way of the last trace of a history.
fn last_way(number: usize, history: &RouteHistory, o: &Observation, names: &Names) -> Option<PathView> {
    let (at, index) = history.seen.iter().max_by_key(|(at, index)| (*at, *index))?;
    let index = usize::try_from(*index).ok()?;
    let name = route_name(history.routes.get(index)?, index);
    Some(PathView {
        note: Some(format!("{name} as last seen {} UTC", words::minute(*at))),
        ..known_way(number, history, index, o, names)?
    })
}

/// One of the ways that a history knows.
pub(crate) fn known_way(
    number: usize,
    history: &RouteHistory,
    index: usize,
    o: &Observation,
    names: &Names,
) -> Option<PathView> {
    let hop = |(ttl, node): (u8, &Node)| {
        let mut hop = HopView::at(ttl);
        hop.meet(node);
        hop
    };
    let nodes = history.routes.get(index)?.hops.iter().take(MOST_HOPS);
    let hops: Vec<HopView> = (1_u8..).zip(nodes).map(hop).collect();
    let reached = hops.last().filter(|hop| is_among(&history.to, &hop.routers));
    Some(PathView {
        reached_ttl: reached.map(|hop| hop.ttl),
        flows: 1,
        hops,
        ..empty(number, (&history.from, &history.to), o, names)
    })
}

/// A table of hops is a trace as well, where no trace shows the way.
fn hops_of_table(number: usize, probes: &Probes, o: &Observation, names: &Names) -> Option<PathView> {
    let destination = probes.destination.as_ref()?;
    let mut hops: BTreeMap<u8, HopView> = BTreeMap::new();
    for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
        if let Some(ttl) = ttl_of(row, probes) {
            let hop = hops.entry(ttl).or_insert_with(|| HopView::at(ttl));
            row.answered_by
                .iter()
                .chain([&row.to])
                .for_each(|node| hop.meet(node));
        }
    }
    (hops.len() > 1).then(|| PathView {
        reached_ttl: probes.destination_ttl,
        hops: hops.into_values().take(MOST_HOPS).collect(),
        ..empty(number, (&probes.from, destination), o, names)
    })
}

/// The hop number of a row: its own, or the destination's for probes with a full TTL.
pub(crate) fn ttl_of(row: &ProbeRow, probes: &Probes) -> Option<u8> {
    let at_end = row.mode != Some(EchoMode::Direct);
    row.ttl.or(probes.destination_ttl.filter(|_| at_end))
}

impl PathView {
    /// The way as traceroute's users know it, one line a hop, with what else is known of the hop beside it.
    pub(crate) fn table(&self) -> Table {
        let heads = ["hop", "RTT", "answered", "largest", ""];
        let flows = match self.flows {
            0 => String::new(),
            n => format!(", {}", words::plural(n as u64, "flow", "flows")),
        };
        let never = self.reached_ttl.is_none();
        Table {
            title: format!("{} -> {}{flows}", self.source, self.destination),
            cites: Vec::new(),
            head: heads.map(str::to_owned).to_vec(),
            rows: self.hops.iter().map(HopView::row).collect(),
            notes: never
                .then(|| format!("{} never answered.", self.destination))
                .into_iter()
                .collect(),
        }
    }

    /// The largest packet that all hops before this one are known to answer unfragmented.
    pub(crate) fn largest_before(&self, ttl: u8) -> Option<u32> {
        let nearer = self.hops.iter().take_while(|hop| hop.ttl < ttl);
        nearer.filter_map(|hop| hop.largest_bytes).min()
    }

    pub(super) fn cite(&mut self, number: usize) {
        if let Err(place) = self.numbers.binary_search(&number) {
            self.numbers.insert(place, number);
        }
    }
}
