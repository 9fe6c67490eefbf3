//! What the driver of an interface adds to what rtnetlink tells: speed, offloads, rings, its own counters.

use crate::sys::ethtool::Ethtool;
use evidence::Interface;

/// Drivers that report a speed no wire has: a constant in their source (veth and vmxnet3 10,000 Mbit/s, tun
/// 10 Mbit/s), or a maximum over ports that are themselves made up (bridge).
const MADE_UP_SPEED: [&str; 5] = ["veth", "tun", "vmxnet3", "bridge", "dummy"];

/// Adds what the driver tells, where it tells anything.
pub(super) fn complete(mut interface: Interface, ethtool: Option<&Ethtool>) -> Interface {
    let Some(ethtool) = ethtool else {
        return interface;
    };
    let name = interface.name.clone();
    interface.driver = ethtool.driver(&name);
    if let Some(link) = ethtool.link(&name) {
        let real = !interface
            .driver
            .as_deref()
            .is_some_and(|driver| MADE_UP_SPEED.contains(&driver));
        interface.speed_mbps = link.speed_mbps.filter(|_| real);
        interface.duplex = link.duplex.filter(|_| real).map(str::to_owned);
    }
    interface.offloads = ethtool.offloads(&name);
    if let Some(rings) = ethtool.rings(&name) {
        interface.rx_ring = rings.rx;
        interface.tx_ring = rings.tx;
    }
    for (counter, value) in ethtool.counters(&name) {
        // veth tells the index of its other end among its counters.
        if counter == "peer_ifindex" {
            continue;
        }
        // Names like `rx_queue_17_drops` come by the hundred on a large NIC; those at zero say nothing that their
        // sum does not say.
        let per_queue = counter.contains(|c: char| c.is_ascii_digit());
        if value != 0 || !per_queue {
            interface.counters.entry(counter).or_insert(value);
        }
    }
    interface
}
