//! Who is who: hosts and routers as the records of one case print them.

use crate::map::{Network, RECEIVER, SENDER};
use crate::seen::Who;
use crate::world::{Former, World};
use evidence::{Node, Party};
use std::net::{IpAddr, Ipv4Addr};

/// What records print of hosts and routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Both,
    Addresses,
    /// Names, and addresses where there is no name, as tools print them.
    Names,
}

/// Turns records into observations.
pub(super) struct Writer<'a> {
    pub(super) world: &'a World,
    pub(super) network: &'a Network,
    pub(super) naming: Naming,
}

impl Writer<'_> {
    pub(super) fn host_name(&self, host: usize) -> String {
        self.network.nodes[self.network.hosts[host].node]
            .name
            .clone()
            .unwrap_or_default()
    }

    pub(super) fn address(&self, who: Who) -> Ipv4Addr {
        match who {
            Who::Host(host) => self.network.hosts[host].address,
            Who::Behind(link) => self.network.links[link].address,
            Who::Former(index) => Ipv4Addr::new(198, 19, 0, self.former_hop(index).map_or(10, |hop| hop.1)),
        }
    }

    pub(super) fn name(&self, who: Who) -> Option<String> {
        match who {
            Who::Host(host) => Some(self.host_name(host)),
            Who::Behind(link) => self.network.name_behind(link),
            Who::Former(index) => self.former_hop(index).map(|hop| hop.0.clone()),
        }
    }

    fn former_hop(&self, index: usize) -> Option<&(String, u8)> {
        let former: &Former = self.world.former.as_ref()?;
        former.hops.get(index)
    }

    /// As a record prints it.
    pub(super) fn node(&self, who: Who) -> Node {
        let (name, address) = (self.name(who), Some(IpAddr::V4(self.address(who))));
        match self.naming {
            Naming::Both => Node { name, address },
            Naming::Addresses => Node { name: None, address },
            Naming::Names if name.is_some() => Node { name, address: None },
            Naming::Names => Node { name: None, address },
        }
    }

    pub(super) fn host(&self, host: usize) -> Node {
        self.node(Who::Host(host))
    }

    /// As who made the measurement himself knows it.
    pub(super) fn party(&self, host: usize) -> Node {
        party(self.network, host).node()
    }

    /// As a packet names it.
    pub(super) fn bare(&self, who: Who) -> Node {
        Node {
            name: None,
            address: Some(IpAddr::V4(self.address(who))),
        }
    }
}

/// A host by its name and address.
pub(super) fn party(network: &Network, host: usize) -> Party {
    Party {
        name: network.nodes[network.hosts[host].node]
            .name
            .clone()
            .unwrap_or_default(),
        address: Some(IpAddr::V4(network.hosts[host].address)),
    }
}

/// The other end of the complaint, for a host that is one.
pub(super) fn other_end(host: usize) -> Option<usize> {
    match host {
        SENDER => Some(RECEIVER),
        RECEIVER => Some(SENDER),
        _ => None,
    }
}
