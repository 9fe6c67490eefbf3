//! The scenario's path, to find a verdict's place on.

use evidence::{End, HopRef, Location};
use scenario::{Family, LinkId, NodeId, Run, Scenario, TruthLocation};

/// The paths between the complaint's two ends.
pub(crate) struct Map<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
    /// All ways there, then all ways back.
    paths: Vec<Vec<NodeId>>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(scenario: &'a Scenario, run: &'a Run) -> Self {
        let paths = |from, to| {
            let mut families = Family::BOTH.into_iter();
            families
                .find_map(|family| scenario.paths(from, to, family).ok())
                .unwrap()
        };
        Self {
            scenario,
            run,
            paths: [paths(run.from, run.to), paths(run.to, run.from)].concat(),
        }
    }

    /// How many links the path there has.
    pub(crate) fn links(&self) -> usize {
        self.paths[0].len() - 1
    }

    /// How wide the place found is, where it contains the true one: the number of links that it leaves open, 0 for
    /// a host. `None` where the truth is elsewhere.
    pub(crate) fn width(&self, truth: Option<TruthLocation>, found: &Location) -> Option<usize> {
        match (truth, found) {
            (_, Location::Path) | (None, _) => Some(self.links()),
            (Some(TruthLocation::Host(node)), Location::Host { end }) => {
                (self.end(*end) == node).then_some(0)
            }
            (Some(TruthLocation::Host(node)), Location::Hop { hop }) => {
                (self.owner(hop) == Some(node)).then_some(0)
            }
            (Some(TruthLocation::Host(node)), Location::Interface { device, .. }) => {
                (self.named(device) == Some(node)).then_some(0)
            }
            (Some(TruthLocation::Link { from, to }), Location::Link { before, after }) => {
                self.stretch_around(from, to, before, after)
            }
            (Some(TruthLocation::Link { from, to }), Location::Hop { hop }) => {
                let node = self.owner(hop)?;
                // The links on both sides of it.
                (node == from || node == to).then_some(2)
            }
            (
                Some(TruthLocation::Link { from, to }),
                Location::Interface {
                    device, interface, ..
                },
            ) => {
                let link = self.link_at(self.named(device)?, interface)?;
                (Some(link) == self.scenario.link_between(from, to)).then_some(1)
            }
            _ => None,
        }
    }

    fn end(&self, end: End) -> NodeId {
        match end {
            End::From => self.run.from,
            End::To => self.run.to,
        }
    }

    fn named(&self, name: &str) -> Option<NodeId> {
        self.scenario.node_id(name)
    }

    fn owner(&self, hop: &HopRef) -> Option<NodeId> {
        let by_address = hop.address.and_then(|address| {
            let mut nodes = (0..self.scenario.nodes.len()).map(NodeId);
            nodes.find(|id| self.scenario.addresses_of(*id).contains(&address))
        });
        by_address.or_else(|| self.named(hop.name.as_deref()?))
    }

    /// The link at an interface of a node: the lab numbers them in the order of the file.
    fn link_at(&self, node: NodeId, interface: &str) -> Option<LinkId> {
        let number: usize = interface.strip_prefix("eth")?.parse().ok()?;
        let links = self.scenario.links.iter().enumerate();
        let mut own = links.filter(|(_, link)| link.side_of(node).is_some());
        own.nth(number).map(|(place, _)| LinkId(place))
    }

    /// A hop without address and name is the one of its number, on the way there or back: whichever fits.
    fn stretch_around(&self, x: NodeId, y: NodeId, before: &HopRef, after: &HopRef) -> Option<usize> {
        self.paths.iter().find_map(|path| {
            let at = |node: NodeId| path.iter().position(|one| *one == node);
            let of = |hop: &HopRef| match self.owner(hop) {
                Some(node) => at(node),
                None if hop.address.is_none() && hop.name.is_none() => Some(usize::from(hop.ttl)),
                None => None,
            };
            let (x, y, before, after) = (at(x)?, at(y)?, of(before)?, of(after)?);
            let (first, last) = (before.min(after), before.max(after));
            (first <= x.min(y) && x.max(y) <= last).then_some(last - first)
        })
    }
}
