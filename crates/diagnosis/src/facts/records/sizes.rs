//! Which packet sizes reached which hops, from traces and pings of other tools: a path as [`PathFacts`] has it, so that
//! the reasoning on black holes is one.
//!
//! A record made elsewhere is a witness of the tail of the path: it goes to the same destination. Traces join when they
//! show the same hops; what a tool did not print (size, "don't fragment") makes no evidence.

use super::ends::end_of;
use super::{Recorded, Records};
use crate::facts::path::PathFacts;
use crate::facts::sizes::{LEAST_IP_MTU_BYTES, Router, Sizes, Target, TooBig, Tries};
use evidence::{Complaint, End, Node, ObservationId, ProbeRow, Probes, SizeProbeMode, Trace, TraceHop};

use std::collections::BTreeMap;

/// tracepath asks each hop three times before it prints "no reply" once (iputils, `probe_ttl`).
const TRACEPATH_TRIES: u64 = 3;

/// Every interface of a host carries this (Ethernet); a larger ping leaves it in fragments unless something shows the
/// contrary.
const ETHERNET_MTU_BYTES: u32 = 1_500;

/// What was seen of the path towards one end from one place.
struct Witness<'a> {
    towards: End,
    place: Place,
    traces: Vec<&'a Recorded<Trace>>,
    pings: Vec<&'a Recorded<Probes>>,
}

/// Where a record was made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The end that it is, if it is one.
    end: Option<End>,
    node: Node,
}

impl Place {
    fn of(from: &Node, complaint: &Complaint) -> Self {
        Self {
            end: end_of(from, complaint),
            node: from.clone(),
        }
    }

    fn is_unknown(&self) -> bool {
        self.end.is_none() && self.node.is_unknown()
    }

    fn differs_from(&self, other: &Self) -> bool {
        let known = !self.is_unknown() && !other.is_unknown();
        let same =
            self.end.is_some() && self.end == other.end || self.node.same_as(&other.node) == Some(true);
        known && !same
    }
}

/// The paths towards the ends on which records tell which sizes pass: with the data first, then those that tell most.
pub(crate) fn recorded_paths(records: &Records, complaint: &Complaint) -> Vec<PathFacts> {
    let sized = |trace: &&Recorded<Trace>| {
        mode(&trace.what) == Some(SizeProbeMode::DontFragment) && !is_small(&trace.what)
    };
    let any_sized = records.traces.iter().any(|trace| sized(&trace))
        || records.probes.iter().any(|p| tells_sizes(&p.what));
    if !any_sized {
        return Vec::new();
    }
    let mut witnesses: Vec<Witness<'_>> = Vec::new();
    // The largest packets show whom to compare with; ids, so that the order of the case does not matter.
    let mut traces: Vec<&Recorded<Trace>> = records.traces.iter().collect();
    traces.sort_by_key(|trace| (!sized(trace), trace.id.clone()));
    for trace in traces {
        join_trace(&mut witnesses, trace, complaint);
    }
    let mut pings: Vec<&Recorded<Probes>> = records.probes.iter().filter(|p| tells_sizes(&p.what)).collect();
    pings.sort_by(|a, b| a.id.cmp(&b.id));
    for table in pings {
        join_pings(&mut witnesses, table, complaint);
    }
    let mut paths: Vec<PathFacts> = witnesses
        .iter()
        .map(|witness| witness.path(complaint))
        .filter(|path| path.sizes.was_probed())
        .collect();
    paths.sort_by_key(|path| {
        let against = path.vantage == End::To;
        (
            against,
            std::cmp::Reverse(path.sizes.cites.len()),
            path.sizes.cites.clone(),
        )
    });
    paths
}

fn join_trace<'a>(witnesses: &mut Vec<Witness<'a>>, trace: &'a Recorded<Trace>, complaint: &Complaint) {
    let Some(towards) = end_of(&trace.what.to, complaint) else {
        return;
    };
    let place = Place::of(&trace.what.from, complaint);
    let same = witnesses.iter_mut().find(|witness| {
        let first = witness.traces.first();
        witness.towards == towards
            && !witness.place.differs_from(&place)
            && first.is_some_and(|first| same_route(&first.what, &trace.what))
    });
    match same {
        Some(witness) => {
            if witness.place.is_unknown() {
                witness.place = place;
            }
            witness.traces.push(trace);
        }
        None => witnesses.push(Witness {
            towards,
            place,
            traces: vec![trace],
            pings: Vec::new(),
        }),
    }
}

fn join_pings<'a>(witnesses: &mut Vec<Witness<'a>>, pings: &'a Recorded<Probes>, complaint: &Complaint) {
    let place = Place::of(&pings.what.from, complaint);
    for towards in [End::From, End::To] {
        let ours = |row: &ProbeRow| end_of(&row.to, complaint) == Some(towards);
        if !pings.what.rows.iter().any(ours) {
            continue;
        }
        let same = |witness: &&mut Witness<'a>| {
            let equal = witness.place == place || !place.is_unknown() && !witness.place.is_unknown();
            witness.towards == towards && equal && !witness.place.differs_from(&place)
        };
        match witnesses.iter_mut().find(same) {
            Some(witness) => witness.pings.push(pings),
            None => witnesses.push(Witness {
                towards,
                place: place.clone(),
                traces: Vec::new(),
                pings: vec![pings],
            }),
        }
    }
}

/// Whether two traces went the same way: of the hops that answered in both, most are the same. Routers answer from
/// several addresses, so that some may differ.
fn same_route(a: &Trace, b: &Trace) -> bool {
    let mut others: BTreeMap<u8, &TraceHop> = BTreeMap::new();
    for hop in b.hops() {
        others.entry(hop.ttl).or_insert(hop);
    }
    let (mut same, mut compared) = (0_usize, 0_usize);
    for hop in a.hops() {
        let Some(other) = others.get(&hop.ttl) else {
            continue;
        };
        if hop.answers.is_empty() || other.answers.is_empty() {
            continue;
        }
        compared += 1;
        let equal = |node: &Node| {
            other
                .answers
                .iter()
                .any(|answer| answer.node.same_as(node) == Some(true))
        };
        same += usize::from(hop.answers.iter().any(|answer| equal(&answer.node)));
    }
    2 * same > compared
}

impl Witness<'_> {
    fn path(&self, complaint: &Complaint) -> PathFacts {
        let at_an_end = self.place.end == Some(self.towards.other());
        let mut path = PathFacts::recorded(
            complaint,
            self.towards,
            (!at_an_end).then(|| self.place.node.clone()),
        );
        for trace in &self.traces {
            path.route_cites.push(trace.id.clone());
            path.learn_destination_ttl(self.destination_ttl(&trace.what, complaint));
            let hops = trace.what.hops();
            let answers = hops.flat_map(|hop| hop.answers.iter().map(|answer| (hop.ttl, answer)));
            for (ttl, answer) in answers.filter(|(_, answer)| !is_localhost(&answer.node)) {
                path.learn_node(ttl, &answer.node, answer.rtt_ns);
            }
        }
        let mut sizes = Sizes::default();
        for trace in &self.traces {
            enter_trace(&mut sizes, trace, path.destination_ttl);
        }
        for pings in &self.pings {
            let rows = pings.what.rows.iter();
            for row in rows.filter(|row| end_of(&row.to, complaint) == Some(self.towards)) {
                enter_ping(&mut sizes, row, &pings.id);
                row.errors
                    .iter()
                    .filter_map(|error| error.from.as_ref())
                    .for_each(|node| path.learn_name(node));
            }
        }
        sizes.cites.sort();
        sizes.cites.dedup();
        path.sizes = sizes;
        path
    }

    fn destination_ttl(&self, trace: &Trace, complaint: &Complaint) -> Option<u8> {
        let is_destination = |node: &Node| {
            node.same_as(&trace.to) == Some(true)
                || end_of(node, complaint) == Some(self.towards) && names_a_host(node)
        };
        let by_name = trace
            .hops()
            .find(|hop| hop.answers.iter().any(|answer| is_destination(&answer.node)));
        let last = || trace.hops().filter(|hop| !hop.answers.is_empty()).last();
        let reached = || last().filter(|_| trace.reached == Some(true));
        by_name.or_else(reached).map(|hop| hop.ttl)
    }
}

/// A site's name alone is in many of its routers' names.
fn names_a_host(node: &Node) -> bool {
    node.address.is_some() || node.name.as_ref().is_some_and(|name| name.contains('.'))
}

fn is_small(trace: &Trace) -> bool {
    trace.size_bytes.is_some_and(|size| size <= LEAST_IP_MTU_BYTES)
}

/// What routers may do with the probes; `None` where the record does not tell. The smallest are never fragmented.
fn mode(trace: &Trace) -> Option<SizeProbeMode> {
    match trace.dont_fragment {
        Some(true) => Some(SizeProbeMode::DontFragment),
        _ if is_small(trace) => Some(SizeProbeMode::DontFragment),
        Some(false) => Some(SizeProbeMode::MayFragment),
        None => None,
    }
}

/// tracepath names its own host where it prints the MTU of the interface.
fn is_localhost(node: &Node) -> bool {
    let name = node.name.as_deref().unwrap_or_default();
    name.trim_matches(['[', ']']).eq_ignore_ascii_case("localhost")
}

/// The size that a trace started with: as told, else the MTU of the own interface that the tool printed.
fn first_size(trace: &Trace) -> Option<u32> {
    let answers = || trace.hops().flat_map(|hop| &hop.answers);
    let of_interface = answers()
        .filter(|a| is_localhost(&a.node))
        .find_map(|a| a.mtu_bytes);
    let routers_name_one = answers().any(|a| a.mtu_bytes.is_some() && !is_localhost(&a.node));
    let concluded = trace.path_mtu_bytes.filter(|_| !routers_name_one);
    let known = [trace.size_bytes, of_interface].into_iter().flatten().min();
    known.or(concluded)
}

fn enter_trace(sizes: &mut Sizes, trace: &Recorded<Trace>, destination_ttl: Option<u8>) {
    let (Some(mode), Some(mut size)) = (mode(&trace.what), first_size(&trace.what)) else {
        return;
    };
    sizes.cites.push(trace.id.clone());
    for hop in trace.what.hops() {
        let target = match destination_ttl {
            Some(last) if hop.ttl >= last => Target::Destination,
            _ => Target::Hop(hop.ttl),
        };
        for answer in hop.answers.iter().filter(|answer| !is_localhost(&answer.node)) {
            let named = answer.mtu_bytes.filter(|mtu| *mtu < size);
            let word = named.and_then(|mtu| too_big(&answer.node, Some(mtu)));
            let tries = Tries {
                sent: 1,
                answered: u64::from(named.is_none()),
                fragmentation_needed: word.into_iter().collect(),
                refused_locally: false,
            };
            sizes.add(mode, size, target, tries);
            // The tool goes on with packets of that size.
            size = named.unwrap_or(size);
        }
        let silent = unanswered(hop, &trace.tool);
        if silent > 0 {
            let tries = Tries {
                sent: silent,
                ..Tries::default()
            };
            sizes.add(mode, size, target, tries);
        }
    }
}

fn unanswered(hop: &TraceHop, tool: &str) -> u64 {
    let printed = u64::from(hop.unanswered);
    let thrice = tool.to_ascii_lowercase().contains("tracepath") && hop.answers.is_empty() && printed > 0;
    if thrice {
        printed.max(TRACEPATH_TRIES)
    } else {
        printed
    }
}

fn too_big(node: &Node, mtu_bytes: Option<u32>) -> Option<TooBig> {
    let by_address = node.address.map(Router::Address);
    let from = by_address.or_else(|| node.name.clone().map(Router::Name))?;
    Some(TooBig { from, mtu_bytes })
}

fn tells_sizes(pings: &Probes) -> bool {
    pings
        .rows
        .iter()
        .any(|row| row.dont_fragment.is_some() && row.size_bytes.is_some() && row.sent.is_some())
}

/// Enters a ping to the destination. An unfragmentable one that is larger than an Ethernet frame counts only when a
/// router said something of it: some systems cut it themselves and set the flag on the pieces.
fn enter_ping(sizes: &mut Sizes, row: &ProbeRow, id: &ObservationId) {
    let (Some(size), Some(sent), Some(whole)) = (row.size_bytes, row.sent, row.dont_fragment) else {
        return;
    };
    let words: Vec<TooBig> = row
        .errors
        .iter()
        .filter(|error| error.mtu_bytes.is_some())
        .filter_map(|error| too_big(error.from.as_ref()?, error.mtu_bytes))
        .collect();
    let left_whole = size <= ETHERNET_MTU_BYTES || !words.is_empty() || sizes.reach(size).is_some();
    if whole && !left_whole {
        return;
    }
    let mode = if whole {
        SizeProbeMode::DontFragment
    } else {
        SizeProbeMode::MayFragment
    };
    let refused = row
        .errors
        .iter()
        .any(|error| error.from.is_none() && error.mtu_bytes.is_some());
    let answered = row.received.unwrap_or(0);
    let tries = Tries {
        sent,
        answered,
        fragmentation_needed: words,
        refused_locally: refused && answered == 0,
    };
    sizes.add(mode, size, Target::Destination, tries);
    sizes.cites.push(id.clone());
}
