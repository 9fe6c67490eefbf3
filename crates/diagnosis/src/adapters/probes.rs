//! Tables of probes: loss and delay by node, size and direction.

use super::intake::Intake;
use crate::records::or;
use evidence::{
    EchoContext, EchoMode, Node, Observation, ObservationId, Payload, ProbeRow, Probes, Timestamp, Transport,
    Way,
};
use model::{Delivery, Loss, MapBuilder, Measurement, NodeId, Path, Queue, Rate, Seen, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// Larger probes test whether their size passes; smaller ones whether anything does.
const TESTS_SIZE_BYTES: u32 = 600;
/// What Ethernet carries unless somebody changed it.
const USUAL_MTU_BYTES: f64 = 1500.0;
/// A ping that prints a share and no counts was one of a hundred or so.
const ASSUMED_SENT: f64 = 100.0;

pub(super) fn learn(builder: &mut MapBuilder, probes: &Probes) {
    builder.learn(&probes.from);
    probes.destination.iter().for_each(|node| builder.learn(node));
    for row in &probes.rows {
        builder.learn(&row.to);
    }
    // A table of hops is a trace as well.
    if let Some(destination) = probes.destination.as_ref().filter(|to| !to.is_unknown()) {
        let mut hops: BTreeMap<u8, Option<Node>> = BTreeMap::new();
        for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
            let answered = row.received.is_none_or(|received| received > 0);
            let node = Some(row.to.clone()).filter(|node| answered && !node.is_unknown());
            if let Some(ttl) = row.ttl {
                let known = hops.entry(ttl).or_insert(None);
                *known = known.take().or(node);
            }
        }
        let reached = probes.destination_ttl.is_some();
        if !hops.is_empty() && !probes.from.is_unknown() {
            builder.trace(&probes.from, destination, hops.into_iter().collect(), reached);
        }
    }
}

/// Calls `note` with each smallest round-trip time.
pub(super) fn rtts(probes: &Probes, mut note: impl FnMut(&Node, f64)) {
    for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
        let to = if row.mode == Some(EchoMode::ToDestination) {
            probes.destination.as_ref()
        } else {
            None
        };
        if let Some(ns) = row.delay.and_then(|delay| delay.min_ns.or(delay.mean_ns)) {
            note(to.unwrap_or(&row.to), ns as f64);
        }
    }
}

pub(super) fn measure(intake: &mut Intake, probes: &Probes, observation: &Observation) {
    let unknown = Node::default();
    let destination = probes.destination.as_ref().unwrap_or(&unknown);
    let via = via(intake, probes);
    for row in &probes.rows {
        intake.via = via.clone().filter(|_| follows_path(row));
        let target = if row.to.is_unknown() { destination } else { &row.to };
        let vantage = &observation.provenance.vantage;
        let Some((from, end)) = intake.ends(
            &probes.from,
            if destination.is_unknown() {
                target
            } else {
                destination
            },
            vantage,
        ) else {
            continue;
        };
        let Some(node) = node_of(intake, row, destination, (from, end)) else {
            continue;
        };
        if let Some(seen) = seen(intake, probes, row, (from, node)) {
            intake.put(from, node, seen, Trust::Measured, &observation.id);
        }
    }
}

/// Whether a probe is one of the flow along the path: those that are sent to a router itself are flows of their own.
fn follows_path(row: &ProbeRow) -> bool {
    row.mode != Some(EchoMode::Direct)
}

/// Of several equal routes the one that the probes along the path took: they are one flow, and a hop that is on that route
/// alone answered.
fn via(intake: &mut Intake, probes: &Probes) -> Option<Path> {
    let from = intake.map.find(&probes.from)?;
    let to = intake.map.find(probes.destination.as_ref()?)?;
    let routes = intake.map.routes(from, to);
    let rows = probes
        .rows
        .iter()
        .filter(|row| row.ttl.is_some() && row.received != Some(0) && follows_path(row));
    let answered: Vec<NodeId> = rows.filter_map(|row| intake.map.find(&row.to)).collect();
    let on = |route: &Path| {
        let nodes = answered
            .iter()
            .filter(|node| route.hops.iter().any(|hop| hop.node == **node));
        nodes.count()
    };
    let most = routes.iter().map(on).max()?;
    let mut best = routes.iter().filter(|route| on(route) == most);
    best.next()
        .filter(|_| best.next().is_none() && routes.len() > 1)
        .cloned()
}

/// The node that a row is about: the one it names; else the hop of the path.
fn node_of(
    intake: &Intake,
    row: &ProbeRow,
    destination: &Node,
    (from, end): (NodeId, NodeId),
) -> Option<NodeId> {
    let named = intake.map.find(&row.to);
    let by_mode = (row.mode == Some(EchoMode::ToDestination)).then_some(end);
    let by_ttl = || {
        let path = intake
            .map
            .paths()
            .iter()
            .find(|p| p.from == from && p.to == end)?;
        Some(path.hops.iter().find(|hop| Some(hop.ttl) == row.ttl)?.node)
    };
    let whole = || (row.ttl.is_none() && row.to.is_unknown() && !destination.is_unknown()).then_some(end);
    by_mode
        .or(named)
        .or_else(by_ttl)
        .or_else(whole)
        .filter(|node| *node != from)
}

fn seen(intake: &Intake, probes: &Probes, row: &ProbeRow, (from, node): (NodeId, NodeId)) -> Option<Seen> {
    let (sent, lost) = match (row.sent, row.count_lost()) {
        (Some(sent), Some(lost)) if sent > 0 => (sent as f64, lost.min(sent) as f64),
        _ => {
            let ratio = row.loss_ratio.filter(|ratio| (0.0..=1.0).contains(ratio))?;
            (ASSUMED_SENT, (ratio * ASSUMED_SENT).round())
        }
    };
    let router_answers = !intake.hosts.contains(&node);
    let told = row.errors.iter().any(|error| error.mtu_bytes.is_some());
    let size = row.size_bytes;
    let large = size.is_some_and(|size| size > TESTS_SIZE_BYTES);
    if row.way == Way::RoundTrip && (told || large) {
        // What the sender's own interface does not take never left it; what Ethernet usually does not take, perhaps.
        let sender_mtu = intake.mtus.get(&from).copied();
        let over = size.is_some_and(|size| f64::from(size) > sender_mtu.unwrap_or(USUAL_MTU_BYTES));
        let in_pieces = row.dont_fragment == Some(false);
        if over && !told && !in_pieces && (row.dont_fragment.is_none() || lost == sent) {
            return None;
        }
        return Some(Seen::Delivery(Delivery {
            size_bytes: f64::from(size?),
            dont_fragment: row.dont_fragment != Some(false),
            sender_mtu_bytes: sender_mtu.unwrap_or(USUAL_MTU_BYTES),
            sent,
            answered: sent - lost,
            told,
            router_answers,
        }));
    }
    let pps = row.rate_pps.filter(|pps| *pps > 0.0);
    let stream = |pps: f64| pps * 8.0 * f64::from(size.unwrap_or(64));
    Some(Seen::Loss(Loss {
        sent,
        lost,
        pps,
        // A few packets a second are no load.
        offered_bps: pps.filter(|pps| *pps > 100.0).map(stream),
        round_trip: row.way == Way::RoundTrip,
        router_answers,
        under_load: probes.context == Some(EchoContext::UnderLoad),
        size_bytes: size.map(f64::from),
        // Of a round trip nobody knows on which way the order changed.
        reordered: (row.way != Way::RoundTrip)
            .then_some(row.reordered)
            .flatten()
            .map(|late| late as f64),
        ..Loss::default()
    }))
}

/// Of a size that one survey was told about, another that notes no errors, or a router that limits them, shows no black hole.
pub(super) fn tell_everywhere(measurements: &mut [Measurement]) {
    let told: BTreeSet<(NodeId, NodeId, u32)> = measurements
        .iter()
        .filter_map(|m| Some((m, m.delivery().filter(|seen| seen.told)?)))
        .map(|(m, seen)| (m.from, m.to, seen.size_bytes as u32))
        .collect();
    for measurement in measurements {
        let ends = (measurement.from, measurement.to);
        if let Seen::Delivery(seen) = &mut measurement.seen
            && seen.dont_fragment
            && seen.answered == 0.0
        {
            seen.told |= told.contains(&(ends.0, ends.1, seen.size_bytes as u32));
        }
    }
}

/// Delay under load at each node against its smallest delay, where a transfer of the case loaded the path.
pub(super) fn queues(intake: &mut Intake, observations: &[&Observation]) {
    let mut idle: BTreeMap<NodeId, f64> = BTreeMap::new();
    let mut loaded: Vec<(NodeId, f64, &ProbeRow, &Observation)> = Vec::new();
    for observation in observations {
        let Payload::Probes(probes) = &observation.payload else {
            continue;
        };
        for row in probes
            .rows
            .iter()
            .filter(|row| row.way == Way::RoundTrip && row.received != Some(0))
        {
            let (Some(delay), Some(node)) = (row.delay, intake.map.find(&row.to)) else {
                continue;
            };
            if let Some(min) = delay.min_ns {
                let least = idle.entry(node).or_insert(f64::INFINITY);
                *least = least.min(min as f64 / 1e9);
            }
            if let (Some(EchoContext::UnderLoad), Some(median)) =
                (probes.context, delay.p50_ns.or(delay.mean_ns))
            {
                loaded.push((node, median as f64 / 1e9, row, observation));
            }
        }
    }
    let at = observations.iter().map(|o| (&o.id, o.provenance.at)).collect();
    let transfers = intake.measurements.iter().filter(|m| m.rate().is_some());
    let transfers: Vec<Measurement> = transfers.cloned().collect();
    for (node, median, row, observation) in loaded {
        let Payload::Probes(probes) = &observation.payload else {
            continue;
        };
        let Some(from) = intake.map.find(or(&probes.from, &observation.provenance.vantage)) else {
            continue;
        };
        let Some((transfer, load)) = load(&transfers, &at, from, observation) else {
            continue;
        };
        let Some(min_s) = idle.get(&node).copied().filter(|_| node != from) else {
            continue;
        };
        let above_min_s = (median - min_s).max(0.0);
        let seen = Queue {
            above_min_s,
            min_s,
            load: load.clone(),
            load_out: transfer.out.clone(),
        };
        intake.via = via(intake, probes).filter(|_| follows_path(row));
        intake.put(from, node, Seen::Queue(seen), Trust::Measured, &observation.id);
        if let Some(queue) = intake.measurements.last_mut() {
            queue.routes.clone_from(&transfer.routes);
        }
    }
}

/// The transfer that loaded the path while probes were sent: over TCP, as a UDP stream is paced and need not fill anything;
/// of those from the same host the nearest in time, and the plainest where times do not tell.
fn load<'a>(
    transfers: &'a [Measurement],
    at: &BTreeMap<&ObservationId, Timestamp>,
    from: NodeId,
    probes: &Observation,
) -> Option<(&'a Measurement, &'a Rate)> {
    let apart_ns = |m: &Measurement| {
        let begun = m.cites.first().and_then(|id| at.get(id));
        begun.map_or(i64::MAX, |begun| {
            begun.since_ns(probes.provenance.at).saturating_abs()
        })
    };
    let rates = transfers.iter().filter(|m| m.from == from);
    let rates = rates.filter_map(|m| Some((m, m.rate()?, apart_ns(m))));
    let is_udp = |rate: &Rate| rate.transport == Transport::Udp;
    rates
        .min_by(|(m, a, near), (other, b, far)| {
            is_udp(a)
                .cmp(&is_udp(b))
                .then(near.cmp(far))
                .then(a.streams.total_cmp(&b.streams))
                .then(a.bps.total_cmp(&b.bps))
                .then_with(|| m.out.cmp(&other.out))
        })
        .map(|(m, rate, _)| (m, rate))
}
