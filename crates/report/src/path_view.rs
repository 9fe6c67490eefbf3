//! The path of one round as people look at it: one entry per hop, put together from routes, echoes and size probes.

use evidence::v1::{
    Case, EchoContext, EchoMode, End, Node, Observation, PathMtu, Payload, Route, RttSummary, SizeCell,
    SizeProbeMode, Vantage,
};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// One hop of the path.
#[derive(Debug, Default)]
pub(crate) struct HopView {
    /// Hop number from the vantage.
    pub(crate) ttl: u8,
    /// Who answered, with the name where one is known; several when the path is load balanced.
    pub(crate) routers: Vec<Node>,
    /// Smallest round-trip time of the route's probes.
    pub(crate) rtt_ns: Option<u64>,
    /// Probes sent and answered by the route's probes.
    pub(crate) sent: u32,
    /// Answers.
    pub(crate) answered: u32,
    /// The largest unfragmented packet that it was seen to answer; `None` also where none was tried.
    pub(crate) largest_bytes: Option<u32>,
    /// MPLS labels reported.
    pub(crate) mpls: BTreeSet<u32>,
    /// What else a record says of the hop, in words.
    pub(crate) told: BTreeSet<String>,
    /// Round-trip times without load.
    pub(crate) idle: Option<RttSummary>,
    /// Round-trip times while a transfer ran.
    pub(crate) loaded: Option<RttSummary>,
}

/// The path in one round from one vantage.
#[derive(Debug)]
pub(crate) struct PathView {
    /// From where it was seen.
    pub(crate) vantage: Vantage,
    /// Where the probes came from.
    pub(crate) source: Node,
    /// Where they went.
    pub(crate) destination: Node,
    /// Hop number of the destination; `None` when it never answered.
    pub(crate) reached_ttl: Option<u8>,
    /// One entry per TTL, silent ones included.
    pub(crate) hops: Vec<HopView>,
    /// How many flows were traced.
    pub(crate) flows: usize,
}

/// The paths seen in `round`, one per vantage.
pub(crate) fn paths(case: &Case, round: u32) -> Vec<PathView> {
    paths_of(
        case.observations()
            .iter()
            .filter(move |o| o.provenance.round == round),
    )
}

/// The paths that `seen` show, one per vantage. Several routes of one vantage are laid over each other.
pub(crate) fn paths_of<'a>(seen: impl Iterator<Item = &'a Observation> + Clone) -> Vec<PathView> {
    let mut views: BTreeMap<End, PathView> = BTreeMap::new();
    for observation in seen.clone() {
        if let (Payload::Route(route), Some(vantage)) =
            (&observation.payload, observation.provenance.vantage.end())
        {
            let view = views.entry(vantage).or_insert_with(|| PathView {
                vantage: vantage.into(),
                source: node(route.source, None),
                destination: node(route.destination, None),
                reached_ttl: None,
                hops: Vec::new(),
                flows: 0,
            });
            add_route(view, route);
        }
    }
    for view in views.values_mut() {
        add_echoes(view, seen.clone());
        add_sizes(view, seen.clone());
    }
    views.into_values().collect()
}

fn node(address: IpAddr, name: Option<String>) -> Node {
    Node {
        name,
        address: Some(address),
    }
}

fn add_route(view: &mut PathView, route: &Route) {
    view.flows += route.flows.len();
    let mut hops: BTreeMap<u8, HopView> = std::mem::take(&mut view.hops)
        .into_iter()
        .map(|h| (h.ttl, h))
        .collect();
    for flow in &route.flows {
        view.reached_ttl = match (view.reached_ttl, flow.reached_ttl) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for seen in &flow.hops {
            let hop = hops.entry(seen.ttl).or_insert_with(|| HopView {
                ttl: seen.ttl,
                ..HopView::default()
            });
            hop.sent += u32::from(seen.sent);
            hop.answered += seen.replies.len() as u32;
            for reply in &seen.replies {
                hop.rtt_ns = Some(hop.rtt_ns.map_or(reply.rtt_ns, |rtt| rtt.min(reply.rtt_ns)));
                hop.mpls.extend(reply.mpls.iter().map(|label| label.label));
                if !hop
                    .routers
                    .iter()
                    .any(|router| router.address == Some(reply.from))
                {
                    hop.routers
                        .push(node(reply.from, route.names.get(&reply.from).cloned()));
                }
            }
        }
    }
    view.hops = hops.into_values().collect();
}

/// Adds round-trip times from echoes: probes that the hop answers as part of the path, at the smallest size tried
/// (queues and serialisation of large packets are another matter).
fn add_echoes<'a>(view: &mut PathView, seen: impl Iterator<Item = &'a Observation>) {
    for observation in seen.filter(|o| o.provenance.vantage == view.vantage) {
        let Payload::Echo(echo) = &observation.payload else {
            continue;
        };
        for hop in &mut view.hops {
            let series = echo
                .series
                .iter()
                .filter(|s| s.ttl == hop.ttl && s.mode != EchoMode::Direct);
            let smallest = series.filter(|s| s.rtt.is_some()).min_by_key(|s| s.size_bytes);
            let Some(rtt) = smallest.and_then(|s| s.rtt) else {
                continue;
            };
            match echo.context {
                EchoContext::Idle => hop.idle = Some(rtt),
                EchoContext::UnderLoad => hop.loaded = Some(rtt),
            }
        }
    }
}

fn add_sizes<'a>(view: &mut PathView, seen: impl Iterator<Item = &'a Observation>) {
    for observation in seen.filter(|o| o.provenance.vantage == view.vantage) {
        if let Payload::PathMtu(sizes) = &observation.payload {
            let reached: BTreeMap<u8, Reach> = reached_sizes(sizes, SizeProbeMode::DontFragment)
                .into_iter()
                .collect();
            for hop in &mut view.hops {
                hop.largest_bytes = hop
                    .largest_bytes
                    .max(reached.get(&hop.ttl).and_then(|reach| reach.largest));
            }
        }
    }
}

/// Which sizes reach a hop.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The largest size answered; `None` when it was tried and answered at no size.
    pub(crate) largest: Option<u32>,
    /// The smallest size above it that was tried in vain; `None` when none was tried.
    pub(crate) failed_above: Option<u32>,
}

/// Which sizes reach each TTL in `mode`; the destination's own probes count for its TTL.
pub(crate) fn reached_sizes(sizes: &PathMtu, mode: SizeProbeMode) -> Vec<(u8, Reach)> {
    let mut rows: BTreeMap<u8, BTreeMap<u32, bool>> = BTreeMap::new();
    for cell in sizes
        .cells
        .iter()
        .filter(|cell| cell.mode == mode && cell.sent > 0)
    {
        if let Some(ttl) = row_of(sizes, cell) {
            *rows.entry(ttl).or_default().entry(cell.size_bytes).or_default() |= cell.answered > 0;
        }
    }
    let reach = |row: BTreeMap<u32, bool>| {
        let largest = row
            .iter()
            .rev()
            .find(|(_, answered)| **answered)
            .map(|(size, _)| *size);
        let above = row
            .iter()
            .find(|(size, answered)| !**answered && Some(**size) > largest);
        Reach {
            largest,
            failed_above: above.map(|(size, _)| *size),
        }
    };
    rows.into_iter().map(|(ttl, row)| (ttl, reach(row))).collect()
}

/// The TTL a cell stands for: its own, or the destination's for probes with a full TTL.
pub(crate) fn row_of(sizes: &PathMtu, cell: &SizeCell) -> Option<u8> {
    cell.ttl.or(sizes.destination_ttl)
}
