//! The way there beside the way back, hop by hop. A router answers from the interface towards the asker, so it goes by
//! another address and another name on each way: what is compared is what two interfaces of one router, or the two ends
//! of one link, have in common.

use crate::adapters::Timeline;
use crate::facts::Facts;
use evidence::{End, Node, ObservationId};
use model::other_ends;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Fewer hops on either way can be unlike for other reasons.
const LEAST_HOPS: usize = 5;

/// How many of the hops of both ways have a partner on the other.
pub(super) struct Comparison {
    pub(super) hops: f64,
    pub(super) partnered: f64,
    /// With the figures.
    pub(super) text: String,
    pub(super) cites: Vec<ObservationId>,
}

/// The hops known now from the one end against those from the other. `None` where one way is not known.
pub(super) fn compare(facts: &Facts) -> Option<Comparison> {
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
    let matched = partnered(&forward, &reverse) + partnered(&reverse, &forward);
    Some(Comparison {
        hops: (forward.len() + reverse.len()) as f64,
        partnered: matched as f64,
        text: format!(
            "of {} hops traced with the data and {} against them, {matched} have a partner on the other way",
            forward.len(),
            reverse.len()
        ),
        cites: crate::judgement::join_cites([&there.cites, &back.cites]),
    })
}

/// Whether two hops may be one router, or the two ends of a link: their addresses are, or their names are in one network.
/// Generous on purpose: what has no partner then has none.
fn may_be_linked(a: &Node, b: &Node) -> bool {
    let near = |(a, b): (IpAddr, IpAddr)| other_ends(a).contains(&b);
    let near = a.address.zip(b.address).is_some_and(near);
    near || a.same_as(b) == Some(true) || (a.domain().is_some() && a.domain() == b.domain())
}
