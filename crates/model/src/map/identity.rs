//! Which records mean the same node: those that share an address, or a name.

use super::element::NodeId;
use evidence::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Nodes by what they are called.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Identity {
    by_address: BTreeMap<IpAddr, u32>,
    by_name: BTreeMap<String, u32>,
    /// Names of sites that mean a host of theirs, if it is that host.
    sites: BTreeSet<String>,
    /// The node that each stands for: records that join two nodes make one the alias of the other.
    stands_for: Vec<u32>,
}

/// Names are compared without regard to the case of letters and a final dot. A host's first label stands for the whole
/// name only where no other host begins with it, which is for the builder to say.
pub(super) fn folded(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

impl Identity {
    /// Takes in what a record calls a node, and joins what it shows to be the same.
    pub(super) fn learn(&mut self, node: &Node) {
        let named = node.name.as_deref().map(folded).filter(|name| !name.is_empty());
        let known = [
            node.address
                .and_then(|address| self.by_address.get(&address).copied()),
            // Two addresses under one name are interfaces of one node; but a name alone is weaker than an address that
            // is known under another name, so an address is joined to a name's node only through this record.
            named.as_ref().and_then(|name| self.by_name.get(name).copied()),
        ];
        let own = match known {
            // An address that goes by another name, and a name that has another address: one of the records is wrong, and
            // two nodes that are kept apart do less harm than two that are taken for one.
            [Some(a), Some(b)] if self.root(a) != self.root(b) && self.named(a) && self.addressed(b) => {
                return;
            }
            [Some(a), Some(b)] => self.join(a, b),
            [Some(a), None] | [None, Some(a)] => self.root(a),
            [None, None] if node.is_unknown() => return,
            [None, None] => {
                self.stands_for.push(self.stands_for.len() as u32);
                self.stands_for.len() as u32 - 1
            }
        };
        if let Some(address) = node.address {
            self.by_address.insert(address, own);
        }
        if let Some(name) = named {
            self.by_name.insert(name, own);
        }
    }

    /// Lets `short` mean the node called `long`.
    pub(super) fn alias(&mut self, short: &str, long: &str) {
        let Some(long) = self.by_name.get(&folded(long)).copied() else {
            return;
        };
        let node = match self.by_name.get(&folded(short)).copied() {
            Some(short) => self.join(short, long),
            None => long,
        };
        self.by_name.insert(folded(short), node);
    }

    /// Lets one node stand for another as well.
    pub(super) fn stand_for(&mut self, node: NodeId, other: NodeId) {
        let root = self.root(other.0);
        self.stands_for[root as usize] = self.root(node.0);
    }

    /// Lets the name of a site mean its host called `host`.
    pub(super) fn site(&mut self, site: &str, host: &str) {
        self.alias(site, host);
        self.sites.insert(folded(site));
    }

    /// Whether a record may mean another host of the site than the one that it is taken for.
    pub(super) fn is_site(&self, node: &Node) -> bool {
        let name = node.name.as_deref().filter(|_| node.address.is_none());
        name.is_some_and(|name| self.sites.contains(&folded(name)))
    }

    fn named(&self, node: u32) -> bool {
        self.by_name.values().any(|id| self.root(*id) == self.root(node))
    }

    fn addressed(&self, node: u32) -> bool {
        self.by_address
            .values()
            .any(|id| self.root(*id) == self.root(node))
    }

    fn root(&self, mut node: u32) -> u32 {
        while self
            .stands_for
            .get(node as usize)
            .is_some_and(|next| *next != node)
        {
            node = self.stands_for[node as usize];
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        self.stands_for[second as usize] = first;
        first
    }

    pub(super) fn find(&self, node: &Node) -> Option<NodeId> {
        let by_address = node.address.and_then(|a| self.by_address.get(&a));
        let by_name = || self.by_name.get(&folded(node.name.as_deref()?));
        by_address.or_else(by_name).map(|id| NodeId(self.root(*id)))
    }

    /// How many there are, aliases included.
    pub(super) fn len(&self) -> usize {
        self.stands_for.len()
    }

    /// All names, folded, with their nodes.
    pub(super) fn names(&self) -> impl Iterator<Item = (&str, NodeId)> {
        self.by_name
            .iter()
            .map(|(name, id)| (name.as_str(), NodeId(self.root(*id))))
    }
}
