//! The way there beside the way back, hop by hop. A router answers from the interface towards the asker, so it goes by
//! another address and another name on each way: what is compared is what two interfaces of one router, or the two ends
//! of one link, have in common.

use super::routes::Timeline;
use crate::facts::Facts;
use evidence::{End, Node, ObservationId};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Fewer hops on either way can be unlike for other reasons.
const LEAST_HOPS: usize = 5;

/// What share of the hops of both ways have a partner on the other.
pub(crate) struct Comparison {
    pub(crate) share: f64,
    /// With the figures.
    pub(crate) text: String,
    pub(crate) cites: Vec<ObservationId>,
}

/// The hops known now from the one end against those from the other. `None` where one way is not known.
pub(crate) fn compare(facts: &Facts) -> Option<Comparison> {
    let there = &facts.routing.routes;
    let back = Timeline::derive(&facts.records, &facts.complaint, End::To);
    // The ends themselves are on both.
    let ends = [&facts.complaint.from, &facts.complaint.to];
    let of = |routes: &Timeline| -> BTreeSet<Node> {
        let inner = routes.now().filter(|node| !ends.iter().any(|end| node.is(end)));
        inner.cloned().collect()
    };
    let (forward, reverse) = (of(there), of(&back));
    if forward.len() < LEAST_HOPS || reverse.len() < LEAST_HOPS {
        return None;
    }
    let partnered = |hops: &BTreeSet<Node>, others: &BTreeSet<Node>| {
        hops.iter()
            .filter(|hop| others.iter().any(|other| may_be_linked(hop, other)))
            .count()
    };
    let (matched, there_are) = (
        partnered(&forward, &reverse) + partnered(&reverse, &forward),
        (forward.len(), reverse.len()),
    );
    Some(Comparison {
        share: matched as f64 / (there_are.0 + there_are.1) as f64,
        text: format!(
            "of {} hops traced with the data and {} against them, {matched} have a partner on the other way",
            there_are.0, there_are.1
        ),
        cites: crate::judgement::join_cites([&there.cites, &back.cites]),
    })
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
