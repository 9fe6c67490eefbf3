//! What a traced route tells the probes that follow it.

use evidence::{ReplyKind, Trace, TraceAnswer, TraceFlow};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The hops of a route, over all its flows.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownHops {
    pub(super) destination_ttl: Option<u8>,
    /// The last TTL before the destination; where that is unknown, the last that answered.
    pub(super) last_ttl: u8,
    pub(super) mute_ttls: BTreeSet<u8>,
    /// Who answered at each TTL before the destination: the first flow's hop first.
    pub(super) routers: BTreeMap<u8, IpAddr>,
    pub(super) largest_rtt_ns: u64,
    pub(super) reached_by_port_unreachable: bool,
}

impl KnownHops {
    pub(super) fn of(route: &Trace) -> Self {
        let destination_ttl = route.flows.iter().filter_map(|flow| flow.reached_ttl).min();
        let answers = || route.hops().flat_map(|hop| &hop.answers);
        let last_answer = route
            .flows
            .iter()
            .filter_map(last_answering_ttl)
            .max()
            .unwrap_or(0);
        let last_ttl = destination_ttl.map_or(last_answer, |ttl| ttl.saturating_sub(1));
        let mut routers = BTreeMap::new();
        for hop in route.hops().filter(|hop| hop.ttl <= last_ttl) {
            if let Some(address) = hop.answers.iter().find_map(router) {
                routers.entry(hop.ttl).or_insert(address);
            }
        }
        Self {
            destination_ttl,
            last_ttl,
            mute_ttls: (1..=last_ttl).filter(|ttl| !routers.contains_key(ttl)).collect(),
            routers,
            largest_rtt_ns: answers().filter_map(|answer| answer.rtt_ns).max().unwrap_or(0),
            reached_by_port_unreachable: answers()
                .any(|answer| answer.kind == Some(ReplyKind::PortUnreachable)),
        }
    }
}

fn last_answering_ttl(flow: &TraceFlow) -> Option<u8> {
    flow.hops
        .iter()
        .rev()
        .find(|hop| !hop.answers.is_empty())
        .map(|hop| hop.ttl)
}

/// The address of a router that let a probe expire.
fn router(answer: &TraceAnswer) -> Option<IpAddr> {
    let address = answer.node.address?;
    (answer.kind == Some(ReplyKind::TimeExceeded) && is_host(address)).then_some(address)
}

/// Routers are probed at the address that they answered from: it must be one host's.
fn is_host(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    !(address.is_multicast() || address.is_unspecified() || is_broadcast)
}
