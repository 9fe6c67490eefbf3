//! From format 1 to format 2, without loss: nothing that an observation told is dropped, rounded or guessed.
//!
//! Format 1 had kinds of its own for our measurements, which named the two ends of the complaint, and others for records.
//! [`back`] undoes it, which is how the tests know that every field arrived.

pub mod back;
mod probes;
mod transfer;

use crate::v1::{self, Ask as AskV1, Route, RouteFlow, Vantage};
use crate::{
    Ask, Case, Complaint, End, Node, NotMeasured, Observation, Payload as New, Provenance, Trace,
    TraceAnswer, TraceFlow, TraceHop,
};
use std::net::IpAddr;

/// A case of format 1 in the present one.
#[must_use]
pub fn case(old: v1::Case) -> Case {
    let mut new = Case::new(old.complaint.clone());
    for observation in old.observations() {
        new.add(self::observation(observation.clone(), &old.complaint));
    }
    new.journal = old.journal;
    new
}

/// An observation of format 1 in format 2: with the same id, time, round, tool and raw record.
#[must_use]
pub fn observation(old: v1::Observation, complaint: &Complaint) -> Observation {
    let was = old.provenance;
    let payload = payload(old.payload, &was.vantage, complaint);
    let provenance = Provenance {
        vantage: vantage(&was.vantage, complaint),
        at: was.at,
        at_is_import_time: was.at_is_import_time,
        round: was.round,
        tool: was.tool,
        raw_sha256: was.raw_sha256,
        raw_lines: was.raw_lines,
        supersedes: None,
        was: Some(old.id.clone()),
    };
    Observation {
        id: old.id,
        provenance,
        payload,
    }
}

/// The place of observation as a node.
#[must_use]
pub fn vantage(old: &Vantage, complaint: &Complaint) -> Node {
    match old {
        Vantage::End(end) => complaint.node(*end),
        Vantage::Elsewhere { place } => read_place(place),
    }
}

/// A place in words, as the importer wrote them: the host's name, its address, or `NAME (ADDRESS)`.
fn read_place(place: &str) -> Node {
    let both = || {
        let (name, address) = place.strip_suffix(')')?.split_once(" (")?;
        Some(Node {
            name: Some(name.to_owned()),
            address: Some(address.parse().ok()?),
        })
    };
    both().unwrap_or_else(|| Node::read(place))
}

/// A payload of format 1, observed from `vantage`, in format 2.
#[must_use]
pub fn payload(old: v1::Payload, vantage: &Vantage, complaint: &Complaint) -> New {
    use v1::Payload as Old;
    let between = |source, destination| match vantage {
        Vantage::End(end) => ends(*end, source, destination, complaint),
        Vantage::Elsewhere { place } => (at(&read_place(place), source), destination.into()),
    };
    match old {
        Old::Route(route) => {
            let (from, to) = between(route.source, route.destination);
            New::Trace(of_route(route, from, to))
        }
        Old::Trace(trace) => New::Trace(of_trace(trace)),
        Old::PathMtu(sizes) => {
            let (from, to) = between(sizes.source, sizes.destination);
            New::Probes(probes::of_path_mtu(sizes, from, to))
        }
        Old::Echo(echo) => {
            let (from, to) = between(echo.source, echo.destination);
            New::Probes(probes::of_echo(echo, from, to))
        }
        Old::Pings(pings) => New::Probes(probes::of_pings(pings)),
        Old::OneWay(stream) => New::Probes(probes::of_one_way(stream)),
        Old::TcpThroughput(run) => {
            let (from, to) = ends(run.sender, run.source, run.destination, complaint);
            transfer::of_tcp(run, from, to).into()
        }
        Old::UdpStream(run) => {
            let (from, to) = ends(run.sender, run.source, run.destination, complaint);
            transfer::of_udp(run, from, to).into()
        }
        Old::Throughput(record) => transfer::of_record(record).into(),
        Old::HostFacts(facts) => New::HostFacts(facts),
        Old::Sockets(sockets) => New::Sockets(sockets),
        Old::LinkCapacities(links) => New::LinkCapacities(links),
        Old::Series(series) => New::Series(series),
        Old::RouteHistory(history) => New::RouteHistory(history),
        Old::InterfaceCounters(counters) => New::InterfaceCounters(counters),
        Old::CounterChain(chain) => New::CounterChain(chain),
        Old::Statement(statement) => New::Statement(statement),
        Old::NotMeasured(missing) => New::NotMeasured(NotMeasured {
            ask: ask(missing.ask, complaint),
            reason: missing.reason,
            detail: missing.detail,
        }),
    }
}

/// An ask that named an end, with the nodes at the two ends.
#[must_use]
pub fn ask(old: AskV1, complaint: &Complaint) -> Ask {
    let from = complaint.node(old.vantage());
    let to = complaint.node(old.vantage().other());
    match old {
        AskV1::HostFacts { .. } => Ask::HostFacts { at: from },
        AskV1::Route { protocol, flows, .. } => Ask::Route {
            from,
            to,
            protocol,
            flows,
        },
        AskV1::PathMtu { .. } => Ask::PathMtu { from, to },
        AskV1::Echo {
            sizes_bytes,
            count,
            interval_ms,
            ..
        } => Ask::Echo {
            from,
            to,
            sizes_bytes,
            count,
            interval_ms,
        },
        AskV1::HopLoss {
            ttls,
            count,
            rate_pps,
            ..
        } => Ask::HopLoss {
            from,
            to,
            ttls,
            count,
            rate_pps,
        },
        AskV1::TcpThroughput {
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
            ..
        } => Ask::TcpThroughput {
            from,
            to,
            streams,
            mss_bytes,
            socket_buffer_bytes,
            congestion_control,
            max_time_ms,
            max_bytes,
            watch_hops,
        },
        AskV1::UdpStream {
            size_bytes,
            rate_bps,
            duration_ms,
            ..
        } => Ask::UdpStream {
            from,
            to,
            size_bytes,
            rate_bps,
            duration_ms,
        },
    }
}

/// The two ends, the one that sends first, at the addresses that were used.
fn ends(sender: End, source: IpAddr, destination: IpAddr, complaint: &Complaint) -> (Node, Node) {
    (
        complaint.party(sender).node_at(source),
        complaint.party(sender.other()).node_at(destination),
    )
}

fn at(place: &Node, address: IpAddr) -> Node {
    Node {
        name: place.name.clone(),
        address: Some(address),
    }
}

fn of_route(route: Route, from: Node, to: Node) -> Trace {
    let names = route.names;
    let answer = |reply: v1::HopReply| TraceAnswer {
        node: Node {
            name: names.get(&reply.from).cloned(),
            address: Some(reply.from),
        },
        rtt_ns: Some(reply.rtt_ns),
        reply_ttl: reply.reply_ttl,
        kind: Some(reply.kind),
        mpls: reply.mpls,
        ..TraceAnswer::default()
    };
    let hop = |hop: v1::RouteHop| TraceHop {
        ttl: hop.ttl,
        unanswered: hop
            .sent
            .saturating_sub(u16::try_from(hop.replies.len()).unwrap_or(u16::MAX)),
        answers: hop.replies.into_iter().map(answer).collect(),
    };
    let flow = |flow: RouteFlow| TraceFlow {
        source_port: Some(flow.source_port),
        destination_port: Some(flow.destination_port),
        reached_ttl: flow.reached_ttl,
        hops: flow.hops.into_iter().map(hop).collect(),
    };
    Trace {
        from,
        to,
        protocol: Some(route.protocol),
        size_bytes: None,
        dont_fragment: None,
        reached: Some(route.flows.iter().any(|flow| flow.reached_ttl.is_some())),
        flows: route.flows.into_iter().map(flow).collect(),
        path_mtu_bytes: None,
        packets_sent: Some(route.packets_sent),
        elapsed_ns: Some(route.elapsed_ns),
    }
}

fn of_trace(trace: v1::Trace) -> Trace {
    let answer = |answer: v1::TraceAnswer| TraceAnswer {
        node: answer.node,
        rtt_ns: answer.rtt_ns,
        reply_ttl: answer.reply_ttl,
        kind: None,
        mpls: Vec::new(),
        asn: answer.asn,
        return_hops: answer.return_hops,
        mtu_bytes: answer.mtu_bytes,
        mark: answer.mark,
    };
    let hop = |hop: v1::TraceHop| {
        let mut new = TraceHop {
            ttl: hop.ttl,
            answers: hop.answers.into_iter().map(answer).collect(),
            unanswered: hop.unanswered,
        };
        new.add_labels(hop.mpls);
        new
    };
    let flow = TraceFlow::of(trace.hops.into_iter().map(hop).collect());
    Trace {
        from: trace.from,
        to: trace.to,
        protocol: trace.protocol,
        size_bytes: trace.size_bytes,
        dont_fragment: trace.dont_fragment,
        flows: vec![flow],
        reached: trace.reached,
        path_mtu_bytes: trace.path_mtu_bytes,
        packets_sent: None,
        elapsed_ns: None,
    }
}
