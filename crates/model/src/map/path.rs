//! The way from one node to another.

use super::element::{ElementId, NodeId};

/// One hop of a path: the node that answered there, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// Its number, counted from the sender.
    pub ttl: u8,
    /// Who is there.
    pub node: NodeId,
}

/// The way from one node to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The nodes between that are known, in order, the receiver last.
    pub hops: Vec<Hop>,
    /// The elements crossed, in order: no hosts and interfaces. Of a traced way the element before hop `i` has index `i`.
    pub ways: Vec<ElementId>,
    /// Whether some record shows it; otherwise it is one unknown stretch.
    pub traced: bool,
}

impl Path {
    /// The path between two of its nodes, itself included; `None` where it does not lead from the one to the other.
    #[must_use]
    pub fn as_far_as(&self, from: NodeId, to: NodeId) -> Option<Self> {
        if (self.from, self.to) == (from, to) {
            return Some(self.clone());
        }
        part(self, from, to)
    }
}

/// The part of a path between two of its nodes: packets to an inner node take the same links.
pub(super) fn part(path: &Path, from: NodeId, to: NodeId) -> Option<Path> {
    let start = if path.from == from {
        0
    } else {
        path.hops.iter().position(|hop| hop.node == from)? + 1
    };
    let end = path.hops.iter().position(|hop| hop.node == to)? + 1;
    (start < end).then(|| Path {
        from,
        to,
        hops: path.hops[start..end].to_vec(),
        ways: path.ways[start..end].to_vec(),
        traced: path.traced,
    })
}
