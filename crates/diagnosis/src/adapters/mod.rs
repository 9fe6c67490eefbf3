//! From observations to measurements on the map: one file per kind of payload. Nobody behind this folder asks who
//! measured, or with what.
//!
//! Two passes: first every record says which nodes and ways it knows, then every record says what it measured there.
//! Identical copies of a record count once.

mod chain;
mod counters;
mod epochs;
mod history;
mod host;
mod intake;
pub(crate) mod interfaces;
mod merge;
mod places;
mod probes;
mod programs;
pub(crate) mod remarks;
mod rest;
mod rtts;
mod segments;
mod sockets;
mod statement;
pub(crate) mod stations;
mod trace;
mod transfer;

pub(crate) use epochs::Epochs;
pub(crate) use history::{Beside, Routing, Timeline};
pub(crate) use segments::mss;

use self::chain::Chains;
use self::intake::Intake;
use self::places::Places;
pub(crate) use self::rtts::Rtt;
use self::rtts::{Exactness, Rtts, exactness};
use crate::records::{Records, or};
use evidence::{Complaint, End, Node, Observation, Payload};
use model::{ElementId, HEADER_BYTES, Map, MapBuilder, Measurement, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The evidence of one round in the model's terms.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) map: Map,
    pub(crate) measurements: Vec<Measurement>,
    /// The sender of the transfer complained about.
    pub(crate) from: NodeId,
    /// Its receiver.
    pub(crate) to: NodeId,
    /// Rate expected of it, bit/s.
    pub(crate) expected_bps: Option<f64>,
    /// Smallest round-trip time seen between the two.
    pub(crate) rtt: Option<Rtt>,
    /// The places that counters show on the way of the data, and on the way back.
    pub(crate) counted: [Vec<ElementId>; 2],
    /// Its rate and its route over time.
    pub(crate) routing: Rc<Routing>,
    /// Where its slow levels went another way than its fast ones.
    pub(crate) epochs: Epochs,
}

impl Gathered {
    /// What was measured from the sender complained about to its receiver.
    pub(crate) fn complained(&self) -> impl Iterator<Item = &Measurement> {
        let ends = (self.from, self.to);
        self.measurements.iter().filter(move |m| (m.from, m.to) == ends)
    }

    /// What the packets complained about may cross, and what their answers may: all equal routes, and the counters on them.
    pub(crate) fn crossed(&mut self) -> [Vec<ElementId>; 2] {
        let [mut out, mut back] = self.counted.clone();
        for (from, to, crossed) in [(self.from, self.to, &mut out), (self.to, self.from, &mut back)] {
            let routes = self.map.routes(from, to);
            crossed.splice(0..0, routes.into_iter().flat_map(|route| route.ways));
        }
        [out, back]
    }

    /// The links and hosts beside the path of the complaint, where that path is known: no fault there slows the transfer. What was
    /// measured between hosts and routers of the path crosses nothing of the kind, whichever way their answers take.
    pub(crate) fn beside_the_path(&mut self) -> BTreeSet<ElementId> {
        if !self.map.path(self.from, self.to).traced {
            return BTreeSet::new();
        }
        let mut nodes = BTreeSet::from([self.from, self.to]);
        for (from, to) in [(self.from, self.to), (self.to, self.from)] {
            let routes = self.map.routes(from, to).into_iter();
            nodes.extend(routes.flat_map(|route| route.hops).map(|hop| hop.node));
        }
        let of = |m: &Measurement| [&m.out[..], &m.back[..]].concat();
        let is_own = |m: &&Measurement| nodes.contains(&m.from) && nodes.contains(&m.to);
        let mut crossed: BTreeSet<ElementId> = self.crossed().into_iter().flatten().collect();
        crossed.extend([self.from, self.to].map(|node| self.map.host(node)));
        crossed.extend(self.measurements.iter().filter(is_own).flat_map(of));
        let beside = |id: &ElementId| {
            let elsewhere = !crossed.contains(id) && !self.map.element(*id).is_counted();
            elsewhere && self.epochs.ln_rarity(*id).is_none()
        };
        self.measurements.iter().flat_map(of).filter(beside).collect()
    }

    /// Smallest round-trip time seen between the ends, seconds.
    pub(crate) fn min_rtt_s(&self) -> Option<f64> {
        Some(self.rtt.as_ref()?.seconds)
    }
}

/// Gathers what the observations of one round say.
pub(crate) fn gather(complaint: &Complaint, observations: &[&Observation]) -> Option<Gathered> {
    let distinct = distinct(observations);
    let mut builder = MapBuilder::default();
    let (from, to) = (complaint.node(End::From), complaint.node(End::To));
    builder.anchor(&from);
    builder.anchor(&to);
    for observation in &distinct {
        learn(&mut builder, observation, complaint);
    }
    let routing = Routing::derive(&Records::of(distinct.iter().copied()), complaint);
    epochs::learn(&mut builder, &routing, complaint);
    let mut map = builder.build();
    let ends = (map.find(&from)?, map.find(&to)?);
    let rtts = rtts(&map, &distinct, complaint);
    let hosts = hosts(&map, &distinct, complaint);
    let slowest = programs::slowest_programs(&map, &distinct);
    let rtt = rtts.seen(ends.0, ends.1).cloned();
    let mut intake = Intake {
        complaint,
        mtus: mtus(&map, &distinct),
        map: &mut map,
        rtts,
        hosts,
        slowest,
        from: ends.0,
        to: ends.1,
        places: Places::default(),
        maybe: Vec::new(),
        via: None,
        measurements: Vec::new(),
    };
    let interfaces = counters::all(&distinct);
    counters::places(&mut intake, &interfaces);
    let chains = Chains::of(&mut intake, &distinct);
    for observation in &distinct {
        measure(&mut intake, observation);
    }
    chains.measure(&mut intake);
    let counted = [ends, (ends.1, ends.0)].map(|(from, to)| intake.counted(from, to));
    let epochs = epochs::take_in(&mut intake, &routing, ends);
    counters::take_in(&mut intake, &interfaces, &distinct);
    rest::take_in(&mut intake, &distinct);
    probes::tell_everywhere(&mut intake.measurements);
    intake.measurements = in_order(intake.measurements);
    probes::queues(&mut intake, &distinct);
    let measurements = in_order(merge::merge(intake.measurements));
    Some(Gathered {
        map,
        measurements,
        from: ends.0,
        to: ends.1,
        expected_bps: complaint.expected_bps.map(|rate| rate.0),
        rtt,
        counted,
        routing: Rc::new(routing),
        epochs,
    })
}

/// An order that depends on what was measured alone: sums of logarithms differ in their last bits by their order, and a
/// verdict must not depend on the order of its observations.
fn in_order(mut measurements: Vec<Measurement>) -> Vec<Measurement> {
    measurements.sort_by_cached_key(|m| format!("{:?} {:?} {:?} {:?}", m.from, m.to, m.seen, m.out));
    measurements
}

/// The observations without copies: the same payload from the same place says one thing, however often it was added.
fn distinct<'a>(observations: &[&'a Observation]) -> Vec<&'a Observation> {
    let mut seen: BTreeSet<(&Node, String)> = BTreeSet::new();
    let mut first = |observation: &&'a Observation| {
        let said = evidence::to_json_line(&observation.payload);
        seen.insert((&observation.provenance.vantage, said))
    };
    observations
        .iter()
        .copied()
        .filter(|observation| first(observation))
        .collect()
}

fn learn(builder: &mut MapBuilder, observation: &Observation, complaint: &Complaint) {
    builder.learn(&observation.provenance.vantage);
    match &observation.payload {
        Payload::Trace(trace) => trace::learn(builder, trace, observation, complaint),
        Payload::Probes(probes) => probes::learn(builder, probes),
        Payload::Transfer(transfer) => [&transfer.from, &transfer.to]
            .into_iter()
            .for_each(|node| builder.learn(node)),
        Payload::InterfaceCounters(counters) => builder.learn(&counters.device),
        Payload::Statement(statement) => [&statement.from, &statement.to]
            .into_iter()
            .for_each(|node| builder.learn(node)),
        _ => {}
    }
}

fn measure(intake: &mut Intake, observation: &Observation) {
    intake.maybe.clear();
    intake.via = None;
    match &observation.payload {
        Payload::Trace(trace) => trace::measure(intake, trace, observation),
        Payload::Probes(probes) => probes::measure(intake, probes, observation),
        Payload::Transfer(transfer) => transfer::measure(intake, transfer, observation),
        Payload::HostFacts(facts) => host::measure(intake, facts, observation),
        Payload::Sockets(sockets) => sockets::measure(intake, sockets, observation),
        Payload::Statement(statement) => statement::measure(intake, statement, observation),
        _ => {}
    }
}

/// The round-trip times that the records tell.
fn rtts(map: &Map, observations: &[&Observation], complaint: &Complaint) -> Rtts {
    let mut rtts = Rtts::default();
    for observation in observations {
        let vantage = &observation.provenance.vantage;
        let mut note = |from: &Node, to: &Node, ns: f64, exactness| {
            if let (Some(from), Some(to)) = (map.find(from), map.find(to))
                && ns > 0.0
            {
                rtts.note((from.min(to), from.max(to)), ns, exactness, &observation.id);
            }
        };
        let fine = Exactness::Fine;
        match &observation.payload {
            Payload::Trace(trace) => {
                trace::rtts(trace, |to, ns| note(or(&trace.from, vantage), to, ns, fine));
            }
            Payload::Probes(probes) => {
                probes::rtts(probes, |to, ns| {
                    note(or(&probes.from, vantage), to, ns, exactness(ns))
                });
            }
            Payload::Transfer(transfer) => {
                let from = or(&transfer.from, vantage);
                transfer::rtts(transfer, |ns| note(from, &transfer.to, ns, fine));
            }
            Payload::Sockets(list) => sockets::rtts(list, |from, to, ns| note(from, to, ns, fine)),
            Payload::Statement(said) => {
                let [start, end] = [End::From, End::To].map(|end| complaint.node(end));
                let (from, to) = (or(&said.from, &start), or(&said.to, &end));
                statement::rtts(said, |ns| note(from, to, ns, Exactness::Stated));
            }
            _ => {}
        }
    }
    rtts
}

/// What hosts, and probes sent from them, tell of their interfaces; else the largest segments that their transfers show.
fn mtus(map: &Map, observations: &[&Observation]) -> BTreeMap<NodeId, f64> {
    let (mut told, mut shown) = (BTreeMap::new(), BTreeMap::new());
    for observation in observations {
        let vantage = &observation.provenance.vantage;
        let (node, mtu) = match &observation.payload {
            Payload::HostFacts(facts) => (vantage, facts.interface.as_ref().and_then(|i| i.mtu_bytes)),
            Payload::Probes(probes) => (or(&probes.from, vantage), probes.interface_mtu_bytes),
            Payload::Transfer(transfer) => {
                let segments = segments::segments_shown(transfer);
                for node in [or(&transfer.from, vantage), &transfer.to] {
                    if let (Some(node), Some(bytes)) = (map.find(node), segments) {
                        let most: &mut f64 = shown.entry(node).or_default();
                        *most = most.max(bytes + HEADER_BYTES);
                    }
                }
                continue;
            }
            _ => continue,
        };
        if let (Some(node), Some(mtu)) = (map.find(node), mtu) {
            told.insert(node, f64::from(mtu));
        }
    }
    shown.extend(told);
    shown
}

/// The nodes between which something was transferred or asked: hosts. What only appears on the way is a router.
fn hosts(map: &Map, observations: &[&Observation], complaint: &Complaint) -> BTreeSet<NodeId> {
    let mut hosts: Vec<Node> = [End::From, End::To].map(|end| complaint.node(end)).into();
    for observation in observations {
        match &observation.payload {
            Payload::Transfer(transfer) => hosts.extend([transfer.from.clone(), transfer.to.clone()]),
            Payload::Trace(trace) => hosts.extend([trace.from.clone(), trace.to.clone()]),
            Payload::Probes(probes) => {
                hosts.push(probes.from.clone());
                hosts.extend(probes.destination.clone());
                let direct = probes
                    .rows
                    .iter()
                    .filter(|row| row.ttl.is_none() && probes.destination.is_none());
                hosts.extend(direct.map(|row| row.to.clone()));
            }
            _ => {}
        }
    }
    hosts.iter().filter_map(|node| map.find(node)).collect()
}
