//! Kernel settings of a node, written to `/proc/sys` by a thread inside its network namespace.

use std::fs;

use scenario::{Role, Settings};

use crate::error::{LabError, while_doing};

/// What every node gets before it has interfaces.
///
/// ICMP is unlimited unless the scenario says otherwise: Linux's own limits (1,000 a second in all, one a second
/// for each destination) would look like a rate-limiting router. Time-exceeded carries the address of the
/// interface on which the probe came in, as users of traceroute expect. Metrics are not remembered between
/// connections, or the second measurement would start from the first one's result. No reverse-path filter:
/// asymmetric routes are a subject here. Equal routes are chosen by addresses and ports ("layer 4"), as most routers
/// do: one connection keeps its way, several spread. IPv6 does not probe for duplicates (a second of silence) nor ask for routers.
const FOR_EVERY_NODE: [(&str, &str); 18] = [
    ("ipv4/conf/all/rp_filter", "0"),
    ("ipv4/conf/default/rp_filter", "0"),
    ("ipv4/conf/all/send_redirects", "0"),
    ("ipv4/conf/default/send_redirects", "0"),
    ("ipv4/fib_multipath_hash_policy", "1"),
    ("ipv6/fib_multipath_hash_policy", "1"),
    ("ipv4/icmp_errors_use_inbound_ifaddr", "1"),
    ("ipv4/icmp_ratelimit", "0"),
    ("ipv4/icmp_msgs_per_sec", "1000000"),
    ("ipv4/icmp_msgs_burst", "1000000"),
    ("ipv4/tcp_no_metrics_save", "1"),
    ("ipv4/ping_group_range", "0 0"),
    ("ipv6/conf/all/accept_dad", "0"),
    ("ipv6/conf/default/accept_dad", "0"),
    ("ipv6/conf/all/accept_ra", "0"),
    ("ipv6/conf/default/accept_ra", "0"),
    ("ipv6/conf/default/router_solicitations", "0"),
    ("ipv6/icmp/ratelimit", "0"),
];

/// Writes the settings that hold for every node, then those of this one. A node without an IPv6 address does not
/// speak IPv6 at all, so that no multicast chatter crosses links on which somebody counts packets.
pub(crate) fn initial(role: Role, settings: &Settings, speaks_v6: bool) -> Result<(), LabError> {
    for (path, value) in FOR_EVERY_NODE {
        write(path, value)?;
    }
    if !speaks_v6 {
        write("ipv6/conf/default/disable_ipv6", "1")?;
    }
    if role == Role::Router {
        write("ipv4/ip_forward", "1")?;
        write("ipv6/conf/all/forwarding", "1")?;
    }
    of_settings(settings)
}

/// A point-to-point device needs no link-local address, and without one it sends no multicast chatter. (Ethernet
/// needs it: neighbour solicitations for forwarded packets come from there.)
pub(crate) fn no_link_local_address(interface: &str) -> Result<(), LabError> {
    write(&format!("ipv6/conf/{interface}/addr_gen_mode"), "1")
}

/// Writes what a scenario can set, and may set anew later.
pub(crate) fn of_settings(settings: &Settings) -> Result<(), LabError> {
    let buffer = |default: u32, max: u32| format!("4096 {} {max}", default.min(max));
    write("ipv4/tcp_rmem", &buffer(131_072, settings.tcp_rmem_max))?;
    write("ipv4/tcp_wmem", &buffer(16_384, settings.tcp_wmem_max))?;
    write("ipv4/tcp_mtu_probing", &settings.tcp_mtu_probing.to_string())?;
    icmp_limit(settings.icmp_rate_limit_per_s)
}

/// `per_s` errors a second in all, and as many for each destination.
fn icmp_limit(per_s: Option<u32>) -> Result<(), LabError> {
    let (interval_ms, per_s, burst) = match per_s {
        Some(per_s) => (1000 / per_s.clamp(1, 1000), per_s, per_s),
        None => (0, 1_000_000, 1_000_000),
    };
    write("ipv4/icmp_ratelimit", &interval_ms.to_string())?;
    write("ipv4/icmp_msgs_per_sec", &per_s.to_string())?;
    write("ipv4/icmp_msgs_burst", &burst.to_string())?;
    write("ipv6/icmp/ratelimit", &interval_ms.to_string())
}

fn write(path: &str, value: &str) -> Result<(), LabError> {
    let path = format!("/proc/sys/net/{path}");
    match fs::write(&path, value) {
        // A kernel without IPv6, or older than a setting: a scenario that needs it fails later, and says at what.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(while_doing(format!("writing {value} to {path}"))),
    }
}
