//! Interfaces, addresses and routes, over rtnetlink.
//!
//! Requests of one phase go out together, over one socket for each namespace, and are awaited together: a
//! topology of twelve routers has some hundred of them, and one after the other they would take seconds.

use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use futures::TryStreamExt;
use futures::future::try_join_all;
use rtnetlink::packet_route::address::AddressAttribute;
use rtnetlink::packet_route::link::{InfoData, InfoVeth, LinkAttribute, LinkMessage, State};
use rtnetlink::packet_route::route::{
    RouteAddress, RouteAttribute, RouteMessage, RouteMetric, RouteNextHop, RouteScope,
};
use rtnetlink::{Handle, LinkMessageBuilder, LinkUnspec, LinkVeth, RouteMessageBuilder};
use scenario::{End, Link, NextHop, NodeId, Role, RouteEntry, Scenario, Side};

use crate::error::LabError;

/// Interfaces get indices that we choose, so that nothing has to be asked back. New namespaces may bring
/// devices of their own (lo, tunnels), all with small indices.
const FIRST_INDEX: u32 = 100;
const LOOPBACK_INDEX: u32 = 1;
/// Shorter queues on TUN devices drop what no scenario asked for.
const TUN_QUEUE_PACKETS: u32 = 10_000;

/// An interface of a node: one end of a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interface {
    pub(crate) link: usize,
    pub(crate) side: Side,
    /// Position among the node's interfaces.
    ordinal: u32,
}

impl Interface {
    pub(crate) fn name(self) -> String {
        format!("eth{}", self.ordinal)
    }

    pub(crate) fn index(self) -> u32 {
        FIRST_INDEX + self.ordinal
    }
}

/// The interfaces of a node in the order of the links.
pub(crate) fn interfaces_of(scenario: &Scenario, node: NodeId) -> Vec<Interface> {
    let links = scenario.links.iter().enumerate();
    let ends = links.filter_map(|(link, l)| Some((link, l.side_of(node)?)));
    ends.zip(0..)
        .map(|((link, side), ordinal)| Interface { link, side, ordinal })
        .collect()
}

/// The interface at one end of a link.
pub(crate) fn interface_at(scenario: &Scenario, link: usize, side: Side) -> Option<Interface> {
    let node = scenario.links.get(link)?.end(side).node;
    interfaces_of(scenario, node).into_iter().find(|i| i.link == link)
}

/// A node's netlink socket and namespace.
pub(crate) struct Station {
    pub(crate) handle: Handle,
    pub(crate) namespace: OwnedFd,
}

fn netlink(doing: impl Into<String>) -> impl FnOnce(rtnetlink::Error) -> LabError {
    let doing = doing.into();
    move |source| LabError::Netlink {
        doing,
        source: Box::new(source),
    }
}

/// Brings up everything; the TUN devices must exist already.
pub(crate) async fn wire(scenario: &Scenario, stations: &[Station]) -> Result<(), LabError> {
    let loopbacks = stations.iter().map(|s| async {
        let up = LinkUnspec::new_with_index(LOOPBACK_INDEX).up().build();
        s.handle
            .link()
            .change(up)
            .execute()
            .await
            .map_err(netlink("bringing lo up"))
    });
    let links = scenario
        .links
        .iter()
        .enumerate()
        .map(|(index, _)| add_link(scenario, stations, index));
    let (_, _) = futures::try_join!(try_join_all(loopbacks), try_join_all(links))?;
    let nodes = || (0..scenario.nodes.len()).map(NodeId).zip(stations);
    try_join_all(nodes().map(|(node, station)| add_addresses(scenario, node, station))).await?;
    let tables = scenario.routing_tables();
    let with_tables = nodes().zip(&tables);
    try_join_all(with_tables.map(|((node, s), table)| add_routes(scenario, node, s, table))).await?;
    until_ready(scenario, stations).await
}

/// Waits until every veth end can send. The end that came up first gets its carrier, and with it a transmit queue,
/// from deferred work in the kernel ("linkwatch"), up to a second later; until then it drops what it is given,
/// first of all ARP, whose retry takes another second.
async fn until_ready(scenario: &Scenario, stations: &[Station]) -> Result<(), LabError> {
    let nodes = (0..scenario.nodes.len()).map(NodeId).zip(stations);
    let ends = nodes.flat_map(|(node, station)| {
        let plain = |i: &Interface| scenario.links.get(i.link).is_some_and(|l| !l.emulated);
        let interfaces = interfaces_of(scenario, node).into_iter().filter(plain);
        interfaces.map(move |interface| (station, interface))
    });
    try_join_all(ends.map(|(station, interface)| until_up(station, interface)))
        .await
        .map(|_| ())
}

const UP_PATIENCE: Duration = Duration::from_secs(5);
const UP_POLL: Duration = Duration::from_millis(2);

async fn until_up(station: &Station, interface: Interface) -> Result<(), LabError> {
    let doing = || format!("waiting for {} to come up", interface.name());
    let deadline = tokio::time::Instant::now() + UP_PATIENCE;
    while tokio::time::Instant::now() < deadline {
        let mut answer = station
            .handle
            .link()
            .get()
            .match_index(interface.index())
            .execute();
        let link = answer.try_next().await.map_err(netlink(doing()))?;
        let attributes = link.map(|l| l.attributes).unwrap_or_default();
        if attributes.contains(&LinkAttribute::OperState(State::Up)) {
            return Ok(());
        }
        tokio::time::sleep(UP_POLL).await;
    }
    Err(crate::error::while_doing(doing())(std::io::Error::from(
        std::io::ErrorKind::TimedOut,
    )))
}

async fn add_link(scenario: &Scenario, stations: &[Station], index: usize) -> Result<(), LabError> {
    let (Some(link), Some(a), Some(b)) = (
        scenario.links.get(index),
        interface_at(scenario, index, Side::A),
        interface_at(scenario, index, Side::B),
    ) else {
        return Ok(());
    };
    let station = |side| stations.get(link.end(side).node.0);
    let (Some(station_a), Some(station_b)) = (station(Side::A), station(Side::B)) else {
        return Ok(());
    };
    let doing = || netlink(format!("making the link {} of the file", index + 1));
    if link.emulated {
        let up = |station: &Station, interface: Interface, end: &End| {
            let message = LinkUnspec::new_with_index(interface.index());
            let message = message
                .mtu(end.mtu_bytes)
                .txqueuelen(TUN_QUEUE_PACKETS)
                .up()
                .build();
            station.handle.link().change(message).execute()
        };
        let both = futures::try_join!(
            up(station_a, a, link.end(Side::A)),
            up(station_b, b, link.end(Side::B))
        );
        return both.map(|_| ()).map_err(doing());
    }
    let message = veth(link, a, b, station_b);
    station_a
        .handle
        .link()
        .add(message)
        .execute()
        .await
        .map_err(doing())?;
    // The kernel opens a peer that is to be created "up" before it is joined to its partner, and then refuses.
    let up = LinkUnspec::new_with_index(b.index()).up().build();
    station_b
        .handle
        .link()
        .change(up)
        .execute()
        .await
        .map_err(doing())
}

/// Both ends of a veth pair, each created in its own namespace, the first one up.
fn veth(link: &Link, a: Interface, b: Interface, station_b: &Station) -> LinkMessage {
    let peer = LinkMessageBuilder::<LinkUnspec>::new()
        .name(b.name())
        .index(b.index())
        .mtu(link.end(Side::B).mtu_bytes)
        .append_extra_attribute(LinkAttribute::NetNsFd(station_b.namespace.as_raw_fd()))
        .build();
    LinkVeth::new(&a.name(), &b.name())
        .index(a.index())
        .mtu(link.end(Side::A).mtu_bytes)
        .set_info_data(InfoData::Veth(InfoVeth::Peer(peer)))
        .up()
        .build()
}

async fn add_addresses(scenario: &Scenario, node: NodeId, station: &Station) -> Result<(), LabError> {
    let own = scenario.node(node).addresses.iter().map(|a| (LOOPBACK_INDEX, *a));
    let on_links = interfaces_of(scenario, node).into_iter().flat_map(|interface| {
        let end = scenario.links.get(interface.link).map(|l| l.end(interface.side));
        let addresses = end.map(|e| e.addresses.clone()).unwrap_or_default();
        addresses.into_iter().map(move |a| (interface.index(), a))
    });
    let requests = own.chain(on_links).map(|(index, address)| {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let mut request = station.handle.address().add(index, address, bits);
        if address.is_ipv6() {
            let nodad = rtnetlink::packet_route::address::AddressFlags::Nodad;
            request
                .message_mut()
                .attributes
                .push(AddressAttribute::Flags(nodad));
        }
        let doing = netlink(format!("giving {address} to {}", scenario.node(node).name));
        async move { request.execute().await.map_err(doing) }
    });
    try_join_all(requests).await.map(|_| ())
}

/// Neighbours first: a gateway must be reachable when a route through it is added.
async fn add_routes(
    scenario: &Scenario,
    node: NodeId,
    station: &Station,
    table: &[RouteEntry],
) -> Result<(), LabError> {
    for through_gateway in [false, true] {
        let entries = table.iter().filter(|e| e.is_direct() != through_gateway);
        let requests = entries.filter_map(|entry| {
            let message = route(scenario, node, entry)?;
            let doing = netlink(format!(
                "adding the route to {} at {}",
                entry.to.address,
                scenario.node(node).name
            ));
            let request = station.handle.route().add(message).replace();
            Some(async move { request.execute().await.map_err(doing) })
        });
        try_join_all(requests).await?;
    }
    Ok(())
}

fn route(scenario: &Scenario, node: NodeId, entry: &RouteEntry) -> Option<RouteMessage> {
    let first = entry.via.first()?;
    let interface = interface_to(scenario, node, first)?;
    let end = scenario.link(first.link).end(interface.side);
    let source = end
        .addresses
        .iter()
        .copied()
        .find(|a| a.is_ipv4() == entry.to.address.is_ipv4())?;
    // A node's own address is the better source for what it sends as a host with several links.
    let source = own_address(scenario, node, source).unwrap_or(source);
    let mut builder = RouteMessageBuilder::<IpAddr>::new()
        .destination_prefix(entry.to.address, entry.to.length)
        .ok()?
        .pref_source(source)
        .ok()?;
    builder = match (entry.via.as_slice(), first.gateway) {
        ([_, _, ..], _) => builder.multipath(multipath(scenario, node, entry)?),
        (_, Some(gateway)) => builder
            .output_interface(interface.index())
            .gateway(gateway)
            .ok()?,
        (_, None) => builder
            .output_interface(interface.index())
            .scope(if source.is_ipv4() {
                RouteScope::Link
            } else {
                RouteScope::Universe
            }),
    };
    let mut message = builder.build();
    if scenario.node(node).role == Role::Host {
        let name = scenario.node(node).settings.congestion_control.clone();
        message
            .attributes
            .push(RouteAttribute::Metrics(vec![RouteMetric::CcAlgo(name)]));
    }
    Some(message)
}

fn interface_to(scenario: &Scenario, node: NodeId, hop: &NextHop) -> Option<Interface> {
    interfaces_of(scenario, node)
        .into_iter()
        .find(|i| i.link == hop.link.0)
}

/// All next hops of an entry with equal weights.
fn multipath(scenario: &Scenario, node: NodeId, entry: &RouteEntry) -> Option<Vec<RouteNextHop>> {
    let next_hop = |hop: &NextHop| {
        let mut next_hop = RouteNextHop::default();
        next_hop.interface_index = interface_to(scenario, node, hop)?.index();
        let gateway = hop.gateway.map(RouteAddress::from);
        next_hop.attributes.extend(gateway.map(RouteAttribute::Gateway));
        Some(next_hop)
    };
    entry.via.iter().map(next_hop).collect()
}

fn own_address(scenario: &Scenario, node: NodeId, like: IpAddr) -> Option<IpAddr> {
    scenario
        .node(node)
        .addresses
        .iter()
        .copied()
        .find(|a| a.is_ipv4() == like.is_ipv4())
}

/// Sets the MTU of an interface of the calling thread's namespace.
pub(crate) async fn set_mtu(interface: Interface, mtu_bytes: u32) -> Result<(), LabError> {
    let doing = format!("setting the MTU of {} to {mtu_bytes}", interface.name());
    let handle = connect()?;
    let message = LinkUnspec::new_with_index(interface.index())
        .mtu(mtu_bytes)
        .build();
    handle
        .link()
        .change(message)
        .execute()
        .await
        .map_err(netlink(doing))
}

/// A netlink socket in the calling thread's namespace, served by the current runtime.
pub(crate) fn connect() -> Result<Handle, LabError> {
    let doing = || crate::error::while_doing("opening a netlink socket");
    let (connection, handle, _) = rtnetlink::new_connection().map_err(doing())?;
    tokio::spawn(connection);
    Ok(handle)
}
