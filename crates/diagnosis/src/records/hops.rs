//! Hops of a trace.

use evidence::{HopRef, Node, TraceFlow, TraceHop};

/// The hops of a flow as far as its destination: what is sent further is answered by it again.
pub(crate) fn hops(flow: &TraceFlow) -> &[TraceHop] {
    let last = flow.hops.iter().position(|hop| Some(hop.ttl) == flow.reached_ttl);
    last.and_then(|last| flow.hops.get(..=last)).unwrap_or(&flow.hops)
}

/// Who answered first at a hop.
pub(crate) fn answered(hop: &TraceHop) -> Option<&Node> {
    let mut nodes = hop.answers.iter().map(|answer| &answer.node);
    nodes.find(|node| !node.is_unknown())
}

/// A node as a hop of the path.
pub(crate) fn hop_ref(ttl: u8, node: &Node) -> HopRef {
    HopRef {
        ttl,
        address: node.address,
        name: node.name.clone(),
    }
}
