//! The ways that packets take from one node to another, after all routes.

use std::net::IpAddr;

use crate::model::Scenario;
use crate::network::{NodeId, Role};
use crate::prefix::Family;
use crate::routing::RouteEntry;

/// Why packets from one node do not reach another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A node on the way has no route.
    #[error("`{at}` has no route to `{to}` ({address})")]
    NoRoute {
        /// The node without a route.
        at: String,
        /// The destination.
        to: String,
        /// Its address.
        address: IpAddr,
    },
    /// The routes go in a circle.
    #[error("the routes to `{to}` go in a circle at `{at}`")]
    Loop {
        /// A node on the circle.
        at: String,
        /// The destination.
        to: String,
    },
    /// A host stands in the way; hosts do not forward.
    #[error("the route to `{to}` leads through the host `{at}`, and hosts do not forward")]
    ThroughHost {
        /// The host.
        at: String,
        /// The destination.
        to: String,
    },
    /// The destination has no address of the family.
    #[error("`{to}` has no address of the family")]
    NoAddress {
        /// The destination.
        to: String,
    },
}

impl Scenario {
    /// The nodes that a packet from `from` to the first address of `to` in this family passes, both included; where
    /// routes spread flows, the first of [`Scenario::paths`].
    ///
    /// # Errors
    /// A [`PathError`] where the packet would not arrive.
    pub fn path(&self, from: NodeId, to: NodeId, family: Family) -> Result<Vec<NodeId>, PathError> {
        let paths = self.paths(from, to, family)?;
        let first = paths.into_iter().next();
        first.ok_or_else(|| PathError::NoAddress {
            to: self.node(to).name.clone(),
        })
    }

    /// All ways that packets from `from` to the first address of `to` in this family can take; more than one where
    /// routes spread flows. Never empty.
    ///
    /// # Errors
    /// A [`PathError`] where a packet would not arrive over one of them.
    pub fn paths(&self, from: NodeId, to: NodeId, family: Family) -> Result<Vec<Vec<NodeId>>, PathError> {
        let addresses = self.addresses_of(to);
        let address = addresses.into_iter().find(|a| Family::of(*a) == family);
        let address = address.ok_or_else(|| PathError::NoAddress {
            to: self.node(to).name.clone(),
        })?;
        let tables = self.routing_tables();
        let mut arrived = Vec::new();
        let mut under_way = vec![vec![from]];
        while let Some(path) = under_way.pop() {
            let Some(&at) = path.last() else { continue };
            if at == to {
                arrived.push(path);
                continue;
            }
            // The last one pushed is followed first: the order of the file is kept.
            for next in self.next_nodes(&tables, &path, (to, address))?.into_iter().rev() {
                under_way.push(path.iter().copied().chain([next]).collect());
            }
        }
        Ok(arrived)
    }

    /// Where a packet that came along `path` goes next.
    fn next_nodes(
        &self,
        tables: &[Vec<RouteEntry>],
        path: &[NodeId],
        (to, address): (NodeId, IpAddr),
    ) -> Result<Vec<NodeId>, PathError> {
        let name = |id: NodeId| self.node(id).name.clone();
        let Some(&at) = path.last() else {
            return Ok(Vec::new());
        };
        if path.len() > 1 && self.node(at).role == Role::Host {
            return Err(PathError::ThroughHost {
                at: name(at),
                to: name(to),
            });
        }
        let no_route = || PathError::NoRoute {
            at: name(at),
            to: name(to),
            address,
        };
        let matching = tables[at.0].iter().filter(|e| e.to.contains(address));
        let entry = matching.max_by_key(|e| e.to.length).ok_or_else(no_route)?;
        let mut next = Vec::new();
        for hop in &entry.via {
            let link = self.link(hop.link);
            let side = link.side_of(at).ok_or_else(no_route)?;
            let node = link.end(side.other()).node;
            if path.contains(&node) {
                return Err(PathError::Loop {
                    at: name(node),
                    to: name(to),
                });
            }
            next.push(node);
        }
        Ok(next)
    }
}
