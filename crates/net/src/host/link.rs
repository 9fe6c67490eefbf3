//! The interface that leads to an address, from the kernel's routing (rtnetlink).

use evidence::Interface;
use futures::TryStreamExt;
use netlink_packet_route::link::{LinkAttribute, LinkMessage, Stats64};
use netlink_packet_route::route::{RouteAttribute, RouteMessage, RouteMetric};
use rtnetlink::{Handle, RouteMessageBuilder};
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use tokio::task::JoinHandle;

/// A netlink socket in the namespace of the thread that opened it.
pub(super) struct Netlink {
    handle: Handle,
    driver: JoinHandle<()>,
}

/// The way to an address.
pub(super) struct RouteTo {
    /// The interface that packets leave by.
    pub(super) interface: Interface,
    /// The congestion control that the route names (`ip route … congctl`), where it does.
    pub(super) congestion_control: Option<String>,
}

impl Netlink {
    pub(super) fn open() -> io::Result<Self> {
        let (connection, handle, _) = rtnetlink::new_connection()?;
        Ok(Self {
            handle,
            driver: tokio::spawn(connection),
        })
    }

    /// Asks the kernel which way packets for `towards` go; `None` when it has no route or does not answer.
    pub(super) async fn route(&mut self, towards: IpAddr, source: Option<IpAddr>) -> Option<RouteTo> {
        let request = self.handle.route().get(lookup(towards, source)?).execute();
        let route = std::pin::pin!(request).try_next().await.ok()??;
        let index = output_interface(&route)?;
        let request = self.handle.link().get().match_index(index).execute();
        let link = std::pin::pin!(request).try_next().await.ok()??;
        Some(RouteTo {
            interface: interface(&link)?,
            congestion_control: congestion_control(&route),
        })
    }
}

impl Drop for Netlink {
    /// The connection's task would otherwise live as long as the runtime.
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// The question; `None` when the two addresses are of different families.
fn lookup(towards: IpAddr, source: Option<IpAddr>) -> Option<RouteMessage> {
    match (towards, source) {
        (IpAddr::V4(to), source) => {
            let builder = RouteMessageBuilder::<std::net::Ipv4Addr>::new().destination_prefix(to, 32);
            match source {
                None => Some(builder.build()),
                Some(IpAddr::V4(from)) => Some(builder.source_prefix(from, 32).build()),
                Some(IpAddr::V6(_)) => None,
            }
        }
        (IpAddr::V6(to), source) => {
            let builder = RouteMessageBuilder::<std::net::Ipv6Addr>::new().destination_prefix(to, 128);
            match source {
                None => Some(builder.build()),
                Some(IpAddr::V6(from)) => Some(builder.source_prefix(from, 128).build()),
                Some(IpAddr::V4(_)) => None,
            }
        }
    }
}

fn output_interface(route: &RouteMessage) -> Option<u32> {
    route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Oif(index) => Some(*index),
        _ => None,
    })
}

fn congestion_control(route: &RouteMessage) -> Option<String> {
    let metrics = route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Metrics(metrics) => Some(metrics),
        _ => None,
    })?;
    metrics.iter().find_map(|metric| match metric {
        RouteMetric::CcAlgo(name) => Some(name.clone()),
        _ => None,
    })
}

/// What rtnetlink tells of an interface; `None` when it does not even tell its name.
fn interface(link: &LinkMessage) -> Option<Interface> {
    let mut interface = Interface::default();
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::IfName(name) => interface.name.clone_from(name),
            LinkAttribute::Mtu(mtu) => interface.mtu_bytes = Some(*mtu),
            LinkAttribute::Qdisc(name) => interface.qdisc = Some(name.clone()),
            LinkAttribute::TxQueueLen(length) => interface.tx_queue_length = Some(*length),
            LinkAttribute::Stats64(stats) => interface.counters = counters(stats),
            _ => {}
        }
    }
    (!interface.name.is_empty()).then_some(interface)
}

/// The counters of every interface, under the kernel's names for them.
fn counters(stats: &Stats64) -> BTreeMap<String, u64> {
    [
        ("rx_packets", stats.rx_packets),
        ("tx_packets", stats.tx_packets),
        ("rx_bytes", stats.rx_bytes),
        ("tx_bytes", stats.tx_bytes),
        ("rx_errors", stats.rx_errors),
        ("tx_errors", stats.tx_errors),
        ("rx_dropped", stats.rx_dropped),
        ("tx_dropped", stats.tx_dropped),
        ("collisions", stats.collisions),
        ("rx_length_errors", stats.rx_length_errors),
        ("rx_over_errors", stats.rx_over_errors),
        ("rx_crc_errors", stats.rx_crc_errors),
        ("rx_frame_errors", stats.rx_frame_errors),
        ("rx_fifo_errors", stats.rx_fifo_errors),
        ("rx_missed_errors", stats.rx_missed_errors),
        ("tx_aborted_errors", stats.tx_aborted_errors),
        ("tx_carrier_errors", stats.tx_carrier_errors),
        ("tx_fifo_errors", stats.tx_fifo_errors),
        ("tx_heartbeat_errors", stats.tx_heartbeat_errors),
        ("tx_window_errors", stats.tx_window_errors),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
