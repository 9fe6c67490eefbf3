//! Where a finding points, on the network of the scenario.

use evidence::{Direction, End, Finding, HopRef, Location};
use scenario::{Family, NodeId, Run, Scenario, TruthLocation};
use std::net::IpAddr;

use super::fit::Fit;

/// The ways of the scenario's packets, to find a verdict's hops on.
pub(super) struct Map<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
    forward: Vec<Vec<NodeId>>,
    reverse: Vec<Vec<NodeId>>,
}

impl<'a> Map<'a> {
    pub(super) fn of(scenario: &'a Scenario, run: &'a Run) -> Self {
        let paths = |from, to| {
            let mut of_families = Family::BOTH.into_iter();
            of_families
                .find_map(|family| scenario.paths(from, to, family).ok())
                .unwrap_or_default()
        };
        Self {
            scenario,
            run,
            forward: paths(run.from, run.to),
            reverse: paths(run.to, run.from),
        }
    }

    fn owner(&self, address: IpAddr) -> Option<NodeId> {
        (0..self.scenario.nodes.len())
            .map(NodeId)
            .find(|id| self.scenario.addresses_of(*id).contains(&address))
    }

    /// The position of a hop on a path: by its address, or by its TTL where it has none.
    fn position(&self, path: &[NodeId], hop: &HopRef) -> Option<usize> {
        match hop.address {
            Some(address) => {
                let node = self.owner(address)?;
                path.iter().position(|n| *n == node)
            }
            None => Some(usize::from(hop.ttl)),
        }
    }

    /// How far the place of a finding is the true one.
    pub(super) fn fit(&self, truth: TruthLocation, finding: &Finding) -> Fit {
        match (truth, &finding.location) {
            (_, Location::Path) => Fit::Wider,
            (TruthLocation::Host(node), Location::Host { end }) => match end {
                End::From => Fit::exact_if(node == self.run.from),
                End::To => Fit::exact_if(node == self.run.to),
            },
            (TruthLocation::Host(node), Location::OtherHost { name }) => {
                let by_address = name.parse().ok().and_then(|a| self.owner(a));
                Fit::exact_if(by_address.or_else(|| self.scenario.node_id(name)) == Some(node))
            }
            (TruthLocation::Link { from, to }, Location::Link { before, after }) => self
                .paths_for(finding.direction)
                .map(|path| self.stretch_fit(path, (from, to), (before, after)))
                .max()
                .unwrap_or(Fit::Not),
            (TruthLocation::Link { from, to }, Location::Hop { hop }) => self.beside_link(hop, [from, to]),
            (TruthLocation::Link { from, to }, Location::Interface { hop: Some(hop), .. }) => {
                self.beside_link(hop, [from, to])
            }
            _ => Fit::Not,
        }
    }

    /// Hops are numbered along the data, unless the finding is about the way back.
    fn paths_for(&self, direction: Direction) -> impl Iterator<Item = &[NodeId]> {
        let back = if direction == Direction::Reverse {
            self.reverse.as_slice()
        } else {
            &[]
        };
        self.forward.iter().chain(back).map(Vec::as_slice)
    }

    /// The stretch named must hold the true link. It is as short as it can be when only hops that never answer lie
    /// beyond the link's ends: nobody can see further.
    fn stretch_fit(
        &self,
        path: &[NodeId],
        (from, to): (NodeId, NodeId),
        (before, after): (&HopRef, &HopRef),
    ) -> Fit {
        let at = |node: NodeId| path.iter().position(|n| *n == node);
        let positions = [
            at(from),
            at(to),
            self.position(path, before),
            self.position(path, after),
        ];
        let [Some(x), Some(y), Some(before), Some(after)] = positions else {
            return Fit::Not;
        };
        let (link, stretch) = ([x.min(y), x.max(y)], [before.min(after), before.max(after)]);
        let holds = stretch[0] <= link[0] && link[1] <= stretch[1];
        let mut beyond = (stretch[0] + 1..=link[0]).chain(link[1]..stretch[1]);
        match (holds, beyond.all(|position| self.is_silent(path, position))) {
            (false, _) => Fit::Not,
            (true, false) => Fit::Wider,
            (true, true) => Fit::Exact,
        }
    }

    fn is_silent(&self, path: &[NodeId], position: usize) -> bool {
        path.get(position).is_some_and(|id| {
            let settings = &self.scenario.node(*id).settings;
            settings.mute || settings.no_time_exceeded
        })
    }

    /// A hop at either end of the true link points there, if not at the link itself.
    fn beside_link(&self, hop: &HopRef, link: [NodeId; 2]) -> Fit {
        match self.node_of(hop) {
            Some(node) if link.contains(&node) => Fit::Wider,
            _ => Fit::Not,
        }
    }

    fn node_of(&self, hop: &HopRef) -> Option<NodeId> {
        match hop.address {
            Some(address) => self.owner(address),
            None => self.forward.first()?.get(usize::from(hop.ttl)).copied(),
        }
    }

    /// Whether a place is, or touches, this node.
    pub(super) fn concerns(&self, location: &Location, node: NodeId) -> bool {
        let is_node = |hop: &HopRef| self.node_of(hop) == Some(node);
        match location {
            Location::Hop { hop } => is_node(hop),
            Location::Link { before, after } => is_node(before) || is_node(after),
            Location::Interface { hop, .. } => hop.as_ref().is_some_and(is_node),
            Location::Host { .. }
            | Location::OtherHost { .. }
            | Location::Segment { .. }
            | Location::Path => false,
        }
    }
}
