//! Traces, probes and what else tells of a path, in a line.

use crate::names::{Names, target};
use crate::words::{self, count, plural};
use evidence::{
    DelayStatistics, EchoContext, EchoMode, LinkCapacities, Nanos, ProbeRow, Probes, RouteHistory, Trace,
    TraceAnswer, TraceFlow, TraceHop, Way,
};
use std::collections::BTreeSet;

/// More rows to one host than these are told as sizes that pass, not one by one.
const FEW_ROWS: usize = 3;

pub(super) fn trace(trace: &Trace, names: &Names) -> String {
    let (from, to) = (names.of(&trace.from), names.of(&trace.to));
    let Some(flow) = trace.flows.first() else {
        return format!("from {from} to {to}: no flow was traced");
    };
    let hops = flow.hops.last().map_or(0, |hop| u64::from(hop.ttl));
    let reached = trace.flows.iter().any(|flow| flow.reached_ttl.is_some());
    let end = match trace.reached {
        Some(false) if !reached => ", which never answered",
        _ => "",
    };
    let size = trace
        .size_bytes
        .map_or_else(String::new, |size| format!(", {size} bytes"));
    let mut parts = vec![format!(
        "{} from {from} to {to}{end}{size}",
        plural(hops, "hop", "hops")
    )];
    let silent = flow.hops.iter().filter(|h| h.answers.is_empty());
    let silent: Vec<u8> = silent.map(|h| h.ttl).collect();
    if !silent.is_empty() {
        parts.push(format!("{} silent", words::hops(&silent)));
    }
    parts.extend(trace.routing_loop().map(|found| found.to_string()));
    parts.extend(rtt(trace, flow));
    let differing = differing_ttls(&trace.flows);
    if !differing.is_empty() {
        parts.push(format!("flows differ at {}", words::hops(&differing)));
    }
    parts.extend(
        trace
            .path_mtu_bytes
            .map(|mtu| format!("a path MTU of {mtu} bytes, says the tool")),
    );
    parts.extend(probing(trace));
    parts.join("; ")
}

/// The smallest round trip to where the flow got: to the host that was traced, where it is among those that answered there.
fn rtt(trace: &Trace, flow: &TraceFlow) -> Option<String> {
    let is_traced =
        |answer: &&TraceAnswer| answer.node.address.is_some() && answer.node.address == trace.to.address;
    let smallest = |hop: &TraceHop| {
        let times = |only: bool| {
            let answers = hop
                .answers
                .iter()
                .filter(move |answer| !only || is_traced(answer));
            answers.filter_map(|answer| answer.rtt_ns).min()
        };
        Some((hop.ttl, times(true).or_else(|| times(false))?))
    };
    let (ttl, rtt) = flow.hops.iter().rev().find_map(smallest)?;
    let is_last = flow.hops.last().is_some_and(|last| last.ttl == ttl);
    let at = if is_last {
        String::new()
    } else {
        format!(" to hop {ttl}")
    };
    Some(format!("RTT {}{at}", Nanos(rtt)))
}

/// With which packets, on how many flows.
fn probing(trace: &Trace) -> Option<String> {
    let flows = trace.flows.len() as u64;
    let parts = [
        trace.protocol.map(|p| words::protocol(p).to_owned()),
        (flows > 1 || trace.packets_sent.is_some()).then(|| plural(flows, "flow", "flows")),
        trace
            .packets_sent
            .map(|n| plural(u64::from(n), "packet", "packets")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// TTLs at which the flows of a trace met different routers.
fn differing_ttls(flows: &[TraceFlow]) -> Vec<u8> {
    let ttls: BTreeSet<u8> = flows.iter().flat_map(|f| f.hops.iter().map(|h| h.ttl)).collect();
    let routers = |ttl: u8| -> BTreeSet<_> {
        let hops = flows
            .iter()
            .flat_map(|f| f.hops.iter().filter(move |h| h.ttl == ttl));
        let nodes = hops.flat_map(|h| h.answers.iter().map(|a| &a.node));
        nodes.filter(|node| !node.is_unknown()).collect()
    };
    let differ = |ttl: &u8| flows.len() > 1 && routers(*ttl).len() > 1;
    ttls.into_iter().filter(differ).collect()
}

pub(super) fn probes(probes: &Probes, names: &Names) -> String {
    let to = target(probes).map(|to| format!(" to {}", names.of(to)));
    let to = to.filter(|_| probes.destination.is_some() || targets(probes) == 1);
    let to = to.unwrap_or_else(|| format!(" to {}", plural(targets(probes) as u64, "host", "hosts")));
    let mut parts = Vec::new();
    parts.extend(probes.context.map(|context| match context {
        EchoContext::Idle => "idle".to_owned(),
        EchoContext::UnderLoad => "while a transfer ran".to_owned(),
    }));
    parts.extend(answers(probes));
    parts.extend(super::sizes::sizes(probes));
    let ends: Vec<&ProbeRow> = probes
        .rows
        .iter()
        .filter(|row| is_to_target(row, probes))
        .collect();
    if ends.len() <= FEW_ROWS {
        let at_end = if probes.rows.len() > ends.len() {
            "destination at "
        } else {
            ""
        };
        parts.extend(ends.into_iter().map(|row| format!("{at_end}{}", row_words(row))));
    }
    parts.extend(errors(probes));
    if let Some(drops) = probes.own_socket_drops.filter(|drops| *drops > 0) {
        parts.push(format!("{} answers lost in our own socket", count(drops)));
    }
    let packets = probes.packets_sent.map(u64::from);
    parts.extend(packets.map(|n| plural(n, "packet", "packets")));
    format!("{}{to}: {}", names.of(&probes.from), parts.join("; "))
}

/// How many hosts were asked for themselves.
fn targets(probes: &Probes) -> usize {
    let named: BTreeSet<_> = probes.rows.iter().map(|row| &row.to).collect();
    named.len()
}

/// Whether a row is of the host that the probes are about, not of a hop on the way.
pub(crate) fn is_to_target(row: &ProbeRow, probes: &Probes) -> bool {
    match &probes.destination {
        Some(destination) => {
            row.mode == Some(EchoMode::ToDestination) || row.to.same_as(destination) == Some(true)
        }
        None => targets(probes) == 1,
    }
}

/// Of tables with several rows how many were answered: in all where that is counted, else row by row.
fn answers(probes: &Probes) -> Option<String> {
    let hops: BTreeSet<u8> = probes.rows.iter().filter_map(|row| row.ttl).collect();
    let nodes = probes.rows.iter().any(|row| !is_to_target(row, probes));
    if !nodes {
        return None;
    }
    let what = match hops.len() {
        0 => plural(targets(probes) as u64, "host", "hosts"),
        n => plural(n as u64, "hop", "hops"),
    };
    // Sizes that pass say it better than a sum over sizes that do not.
    if probes.rows.iter().all(|row| row.delay.is_none()) && !super::sizes::sizes(probes).is_empty() {
        return Some(what);
    }
    let add = |sum: u64, n: Option<u64>| Some(sum.saturating_add(n?));
    let sent = probes.rows.iter().map(|row| row.sent).try_fold(0, add);
    let received = probes.rows.iter().map(|row| row.received).try_fold(0, add);
    let counted = sent
        .zip(received)
        .map(|(sent, received)| format!("{what}, {} of {} probes answered", count(received), count(sent)));
    let told = || {
        let rows = |wanted: fn(f64) -> bool| {
            let losses = probes.rows.iter().filter_map(ProbeRow::loss);
            losses.filter(|loss| wanted(*loss)).count()
        };
        let (mute, some) = (rows(|loss| loss >= 1.0), rows(|loss| loss > 0.0 && loss < 1.0));
        format!("{what}, {mute} without an answer, {some} with some loss")
    };
    Some(counted.unwrap_or_else(told))
}

/// What came of all probes of a host at one size.
fn row_words(row: &ProbeRow) -> String {
    let size = row
        .size_bytes
        .map_or_else(String::new, |size| format!("{size} bytes: "));
    let loss = match (row.count_lost(), row.sent, row.loss_ratio) {
        (Some(lost), Some(sent), _) => format!("{} lost", words::lost_of(lost, sent)),
        (_, _, Some(share)) => format!("{} lost", words::share(share)),
        _ => "loss not told".to_owned(),
    };
    let reordered = row.reordered.filter(|n| *n > 0);
    let reordered = reordered.map_or(String::new(), |n| format!(", {} reordered", count(n)));
    let delay = row.delay.and_then(|delay| delay_words(row.way, &delay));
    let delay = delay.map_or(String::new(), |text| format!(", {text}"));
    format!("{size}{loss}{reordered}{delay}")
}

/// A round-trip time; of delays one way, which two clocks measured, the spread alone.
fn delay_words(way: Way, delay: &DelayStatistics) -> Option<String> {
    let ns = |ns: i64| Some(Nanos(u64::try_from(ns).ok()?));
    if way == Way::OneWay {
        let spread = ns(delay.max_ns?.saturating_sub(delay.min_ns?))?;
        return Some(format!("delays within {spread}"));
    }
    let usual = ns(delay.p50_ns.or(delay.mean_ns).or(delay.min_ns)?)?;
    let most = delay.p90_ns.and_then(ns);
    let most = most.map_or(String::new(), |most| format!(" (90 % under {most})"));
    Some(format!("RTT {usual}{most}"))
}

/// What came back instead of answers, and that nothing did where large packets asked for it.
fn errors(probes: &Probes) -> Vec<String> {
    let all = || probes.rows.iter().flat_map(|row| &row.errors);
    let said: BTreeSet<String> = all()
        .filter_map(|error| {
            let from = error.from.as_ref()?;
            Some(match error.mtu_bytes {
                Some(mtu) => format!("{from} says {mtu} bytes at most"),
                None if error.text == evidence::ProbeError::FRAGMENTATION_NEEDED => {
                    format!("{from} says too big, without a limit")
                }
                None => format!("{from} says: {}", error.text),
            })
        })
        .collect();
    let said: Vec<String> = said.into_iter().collect();
    let mut parts = Vec::new();
    let searched = probes.rows.iter().any(|row| row.dont_fragment == Some(true));
    match said.is_empty() {
        true if searched => parts.push("no \"fragmentation needed\" came back".to_owned()),
        true => {}
        false => parts.push(words::few(&said)),
    }
    let own = all()
        .filter(|error| error.from.is_none())
        .filter_map(|error| error.mtu_bytes);
    let own = own.min();
    parts.extend(own.map(|limit| format!("this host itself sends no more than {limit} bytes")));
    parts
}

pub(super) fn capacities(path: &LinkCapacities, names: &Names) -> String {
    let known = path
        .links
        .iter()
        .filter_map(|link| Some((link.capacity_bps?, link.ttl)));
    let slowest = known
        .filter(|(rate, _)| rate.0.is_finite())
        .min_by(|a, b| a.0.0.total_cmp(&b.0.0));
    let slowest = slowest.map_or(String::new(), |(rate, ttl)| {
        format!("; the slowest, before hop {ttl}: {rate}")
    });
    let links = plural(path.links.len() as u64, "link", "links");
    format!(
        "{links} from {} to {}{slowest}",
        names.of(&path.from),
        names.of(&path.to)
    )
}

pub(super) fn history(history: &RouteHistory, names: &Names) -> String {
    format!(
        "{} over {} from {} to {}",
        plural(history.routes.len() as u64, "route", "routes"),
        plural(history.seen.len() as u64, "trace", "traces"),
        names.of(&history.from),
        names.of(&history.to)
    )
}
