//! The way there beside the way back, hop by hop. A router answers from the interface towards the asker, so it goes by
//! another address and another name on each way: what is compared is what two interfaces of one router, or the two ends
//! of one link, have in common.

use super::Records;
use super::ends::end_of;
use super::rtt::spans;
use evidence::{Complaint, End, Node, ObservationId};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// How many hops of two opposite ways have a partner on the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    /// Hops known, with the data and against them.
    pub(crate) forward: usize,
    pub(crate) reverse: usize,
    /// Hops of both with a partner on the other way.
    pub(crate) matched: usize,
    pub(crate) cites: Vec<ObservationId>,
}

/// Fewer hops on either way can be unlike for other reasons.
const LEAST_HOPS: usize = 5;

impl Comparison {
    fn share(&self) -> f64 {
        self.matched as f64 / (self.forward + self.reverse).max(1) as f64
    }

    /// Hops at both ends are shared as a rule: less than a third of all is little else.
    pub(crate) fn differ(&self) -> bool {
        self.share() < 0.33
    }

    pub(crate) fn agree(&self) -> bool {
        self.share() >= 0.6
    }
}

/// All traces and route archives from the one end against all from the other. `None` where one way is not known.
pub(crate) fn compare(records: &Records, complaint: &Complaint) -> Option<Comparison> {
    let (forward, mut cites) = hops(records, complaint, End::From);
    let (reverse, more) = hops(records, complaint, End::To);
    if forward.len() < LEAST_HOPS || reverse.len() < LEAST_HOPS {
        return None;
    }
    cites.extend(more);
    let partnered = |hops: &BTreeSet<Node>, others: &BTreeSet<Node>| {
        hops.iter()
            .filter(|hop| others.iter().any(|other| may_be_linked(hop, other)))
            .count()
    };
    Some(Comparison {
        matched: partnered(&forward, &reverse) + partnered(&reverse, &forward),
        forward: forward.len(),
        reverse: reverse.len(),
        cites: crate::judgement::join_cites([&cites]),
    })
}

/// Known hops of the routes that start at `from`, without the ends themselves.
fn hops(records: &Records, complaint: &Complaint, from: End) -> (BTreeSet<Node>, Vec<ObservationId>) {
    let (mut hops, mut cites) = (BTreeSet::new(), Vec::new());
    let mut take = |nodes: &mut dyn Iterator<Item = &Node>, id: &ObservationId| {
        let is_end = |node: &Node| node.is(&complaint.from) || node.is(&complaint.to);
        let known = nodes.filter(|node| !node.is_unknown() && !is_end(node));
        hops.extend(known.cloned());
        cites.push(id.clone());
    };
    let leads =
        |start: &Node, to: &Node| end_of(start, complaint) == Some(from) && spans(start, to, complaint);
    for trace in records.traces.iter().filter(|t| leads(&t.what.from, &t.what.to)) {
        let answers = trace.what.hops().flat_map(|hop| &hop.answers);
        take(&mut answers.map(|answer| &answer.node), &trace.id);
    }
    for history in records
        .histories
        .iter()
        .filter(|h| leads(&h.what.from, &h.what.to))
    {
        // The last route stands for now: an archive holds all there ever were.
        let (seen, routes) = (&history.what.seen, &history.what.routes);
        let last = seen
            .iter()
            .max()
            .and_then(|(_, index)| routes.get(*index as usize));
        take(&mut last.iter().flat_map(|route| &route.hops), &history.id);
    }
    (hops, cites)
}

/// Whether two hops may be one router, or the two ends of a link: addresses in one /29 (links have a /30 or /31), or names
/// in one network. Generous on purpose: what has no partner then has none.
fn may_be_linked(a: &Node, b: &Node) -> bool {
    let near = a.address.zip(b.address).is_some_and(|(a, b)| is_near(a, b));
    near || a.same_as(b) == Some(true) || is_one_network(a, b)
}

fn is_near(a: IpAddr, b: IpAddr) -> bool {
    match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) => u32::from(a) >> 3 == u32::from(b) >> 3,
        (IpAddr::V6(a), IpAddr::V6(b)) => u128::from(a) >> 64 == u128::from(b) >> 64,
        _ => false,
    }
}

/// The last two labels of both names agree.
fn is_one_network(a: &Node, b: &Node) -> bool {
    let (Some(a), Some(b)) = (&a.name, &b.name) else {
        return false;
    };
    network(&a.to_ascii_lowercase()) == network(&b.to_ascii_lowercase())
}

fn network(name: &str) -> Vec<&str> {
    let labels: Vec<&str> = name.trim_end_matches('.').split('.').collect();
    labels
        .get(labels.len().saturating_sub(2)..)
        .unwrap_or(&[])
        .to_vec()
}
