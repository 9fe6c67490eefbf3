//! A checked scenario: every name resolved, every default filled in.

use std::net::IpAddr;

use crate::event::{Event, When};
use crate::network::{Link, LinkId, Node, NodeId};
use crate::prefix::Prefix;
use crate::traffic::Traffic;
use crate::truth::Truth;

/// A route that overrides the computed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticRoute {
    /// Where it is installed.
    pub node: NodeId,
    /// Destinations it covers.
    pub to: Vec<Prefix>,
    /// The links over which it leaves `node`: one, or several among which flows are spread.
    pub links: Vec<LinkId>,
}

/// The complaint that the scenario is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The sending host.
    pub from: NodeId,
    /// The receiving host.
    pub to: NodeId,
    /// The rate that its users expect, in bit/s.
    pub expect_bps: Option<u64>,
    /// Whether `slowpath serve` runs at `to`. Without it the diagnosis measures from one end.
    pub far_end: bool,
    /// Further arguments for `diagnose`.
    pub diagnose_args: Vec<String>,
}

/// A checked scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// One line for a list.
    pub title: String,
    /// What happens here and where it comes from, in prose.
    pub description: String,
    /// Hosts and routers: first all hosts, then all routers, each in the order of the file.
    pub nodes: Vec<Node>,
    /// Links in the order of the file.
    pub links: Vec<Link>,
    /// Routes that override the computed ones.
    pub routes: Vec<StaticRoute>,
    /// What others send meanwhile.
    pub traffic: Vec<Traffic>,
    /// Changes, in the order of the file.
    pub timeline: Vec<Event>,
    /// The complaint, where the file has one.
    pub run: Option<Run>,
    /// What a diagnosis should find, where the file says.
    pub truth: Option<Truth>,
}

impl Scenario {
    /// The node of this name.
    #[must_use]
    pub fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|n| n.name == name).map(NodeId)
    }

    /// The node with this identity. Identities come from this scenario, so there always is one.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The link with this identity.
    #[must_use]
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.0]
    }

    /// The link between two nodes; there is at most one.
    #[must_use]
    pub fn link_between(&self, x: NodeId, y: NodeId) -> Option<LinkId> {
        self.links
            .iter()
            .position(|l| l.side_of(x).is_some() && l.side_of(y).is_some())
            .map(LinkId)
    }

    /// All addresses of a node: its own first, then those of its link ends in the order of the links.
    #[must_use]
    pub fn addresses_of(&self, id: NodeId) -> Vec<IpAddr> {
        let on_links = self
            .links
            .iter()
            .flat_map(|l| &l.ends)
            .filter(|e| e.node == id)
            .flat_map(|e| &e.addresses);
        self.nodes[id.0]
            .addresses
            .iter()
            .chain(on_links)
            .copied()
            .collect()
    }

    /// The named steps of the timeline, in the order of their first appearance.
    #[must_use]
    pub fn steps(&self) -> Vec<&str> {
        let mut steps: Vec<&str> = Vec::new();
        for event in &self.timeline {
            if let When::Step(name) = &event.when
                && !steps.contains(&name.as_str())
            {
                steps.push(name);
            }
        }
        steps
    }
}
