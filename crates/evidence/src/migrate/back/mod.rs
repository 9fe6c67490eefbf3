//! Format 2 in the shapes of format 1: the proof that the migration loses nothing, and for readers that still think in
//! two kinds of each.
//!
//! A measurement takes its own shape where the fields are filled that only our probes fill, else that of a record.

mod path;
mod probes;
mod transfer;

use crate::v1::{self, Ask as AskV1, NotMeasured, Payload, Vantage};
use crate::{Ask, Case, Complaint, Node, Observation, Payload as New};

/// A case in the shapes of format 1.
#[must_use]
pub fn case(new: &Case) -> v1::Case {
    let complaint = &new.complaint;
    let old = |new: &Observation| observation(new, complaint);
    let observations = new.observations().iter().flat_map(old).collect();
    v1::Case::of_ordered(new.complaint.clone(), observations, new.journal.clone())
}

/// An observation in the shapes of format 1. One that has none there (an ask between nodes that are not the ends) gives
/// nothing. It keeps the id that it has now, so that what cites it cites what the case holds.
#[must_use]
pub fn observation(new: &Observation, complaint: &Complaint) -> Vec<v1::Observation> {
    let provenance = &new.provenance;
    let provenance = v1::Provenance {
        vantage: vantage(&provenance.vantage, complaint),
        at: provenance.at,
        at_is_import_time: provenance.at_is_import_time,
        round: provenance.round,
        tool: provenance.tool.clone(),
        raw_sha256: provenance.raw_sha256.clone(),
        raw_lines: provenance.raw_lines,
    };
    payloads(&new.payload, complaint)
        .into_iter()
        .map(|payload| v1::Observation {
            id: new.id.clone(),
            provenance: provenance.clone(),
            payload,
        })
        .collect()
}

/// The place of observation: an end of the complaint, or somewhere else in words.
#[must_use]
pub fn vantage(node: &Node, complaint: &Complaint) -> Vantage {
    match complaint.end_of(node) {
        Some(end) => Vantage::End(end),
        None => Vantage::Elsewhere {
            place: match node.is_unknown() {
                true => String::new(),
                false => node.to_string(),
            },
        },
    }
}

/// A payload in the shapes of format 1: one, but for a table with both one-way rows and others.
#[must_use]
pub fn payloads(new: &New, complaint: &Complaint) -> Vec<Payload> {
    let one = match new {
        New::Trace(trace) => match path::to_route(trace) {
            Some(route) => Some(Payload::Route(route)),
            None => return path::to_traces(trace),
        },
        New::Probes(table) => return probes::to_tables(table),
        New::Transfer(transfer) => Some(transfer::to_transfer(transfer, complaint)),
        New::HostFacts(facts) => Some(Payload::HostFacts(facts.clone())),
        New::Sockets(sockets) => Some(Payload::Sockets(sockets.clone())),
        New::LinkCapacities(links) => Some(Payload::LinkCapacities(links.clone())),
        New::Series(series) => Some(Payload::Series(series.clone())),
        New::RouteHistory(history) => Some(Payload::RouteHistory(history.clone())),
        New::InterfaceCounters(counters) => Some(Payload::InterfaceCounters(counters.clone())),
        New::CounterChain(chain) => Some(Payload::CounterChain(chain.clone())),
        New::Statement(statement) => Some(Payload::Statement(statement.clone())),
        New::NotMeasured(missing) => ask(&missing.ask, complaint).map(|ask| {
            Payload::NotMeasured(NotMeasured {
                ask,
                reason: missing.reason,
                detail: missing.detail.clone(),
            })
        }),
    };
    one.into_iter().collect()
}

/// An ask as one of an end of the complaint; `None` when another node is asked.
#[must_use]
pub fn ask(new: &Ask, complaint: &Complaint) -> Option<AskV1> {
    let end = complaint.end_of(new.vantage())?;
    Some(match new.clone() {
        Ask::HostFacts { .. } => AskV1::HostFacts { at: end },
        Ask::Route { protocol, flows, .. } => AskV1::Route {
            from: end,
            protocol,
            flows,
        },
        Ask::PathMtu { .. } => AskV1::PathMtu { from: end },
        Ask::Echo {
            sizes_bytes,
            count,
            interval_ms,
            ..
        } => AskV1::Echo {
            from: end,
            sizes_bytes,
            count,
            interval_ms,
        },
        Ask::HopLoss {
            ttls,
            count,
            rate_pps,
            ..
        } => AskV1::HopLoss {
            from: end,
            ttls,
            count,
            rate_pps,
        },
        Ask::TcpThroughput {
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
            ..
        } => AskV1::TcpThroughput {
            sender: end,
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
        },
        Ask::UdpStream {
            size_bytes,
            rate_bps,
            duration_ms,
            ..
        } => AskV1::UdpStream {
            sender: end,
            size_bytes,
            rate_bps,
            duration_ms,
        },
    })
}
