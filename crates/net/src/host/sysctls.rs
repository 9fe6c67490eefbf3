//! The kernel's settings that bear on transfers.

use socket2::{Domain, Protocol, Socket, Type};
use std::collections::BTreeMap;

/// What is read, by dotted name. Some are not there on older kernels or outside the first namespace: then they are
/// absent from the result.
const NAMES: &[&str] = &[
    // Buffers: what bounds the window, and with it the rate at a given round-trip time.
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.tcp_adv_win_scale",
    "net.ipv4.tcp_app_win",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_shrink_window",
    "net.ipv4.tcp_wmem",
    "net.ipv4.udp_mem",
    "net.ipv4.udp_rmem_min",
    "net.ipv4.udp_wmem_min",
    // How TCP behaves.
    "net.core.default_qdisc",
    "net.ipv4.tcp_allowed_congestion_control",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_dsack",
    "net.ipv4.tcp_early_retrans",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_frto",
    "net.ipv4.tcp_max_reordering",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_pacing_ca_ratio",
    "net.ipv4.tcp_pacing_ss_ratio",
    "net.ipv4.tcp_recovery",
    "net.ipv4.tcp_reordering",
    "net.ipv4.tcp_rto_max_ms",
    "net.ipv4.tcp_rto_min_us",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tso_win_divisor",
    "net.ipv4.tcp_window_scaling",
    // Path MTU.
    "net.ipv4.ip_no_pmtu_disc",
    "net.ipv4.route.min_adv_mss",
    "net.ipv4.route.min_pmtu",
    "net.ipv4.route.mtu_expires",
    "net.ipv4.tcp_base_mss",
    "net.ipv4.tcp_min_snd_mss",
    "net.ipv4.tcp_mtu_probe_floor",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_probe_interval",
    "net.ipv6.route.min_adv_mss",
    "net.ipv6.route.mtu_expires",
    // Receiving, and answering to probes.
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.ipv4.icmp_echo_ignore_all",
    "net.ipv4.icmp_errors_use_inbound_ifaddr",
    "net.ipv4.icmp_msgs_burst",
    "net.ipv4.icmp_msgs_per_sec",
    "net.ipv4.icmp_ratelimit",
    "net.ipv4.icmp_ratemask",
    "net.ipv4.ipfrag_high_thresh",
    "net.ipv4.ipfrag_time",
    "net.ipv4.ping_group_range",
    "net.ipv6.icmp.echo_ignore_all",
    "net.ipv6.icmp.ratelimit",
    "net.ipv6.icmp.ratemask",
    "net.ipv6.ip6frag_high_thresh",
    "net.ipv6.ip6frag_time",
    // Which way packets go.
    "net.ipv4.fib_multipath_hash_policy",
    "net.ipv4.ip_default_ttl",
    "net.ipv4.ip_forward",
    "net.ipv6.auto_flowlabels",
    "net.ipv6.conf.all.disable_ipv6",
    "net.ipv6.conf.all.forwarding",
    "net.ipv6.fib_multipath_hash_policy",
];

/// Reads those of [`NAMES`] that this namespace has, without the newline at the end.
pub(super) fn read() -> BTreeMap<String, String> {
    NAMES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), one(name)?)))
        .collect()
}

/// One setting, by dotted name; `None` where it is not to be had.
pub(super) fn one(name: &str) -> Option<String> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim_end().to_owned())
}

/// The congestion controls that a socket of this process may ask for, tried on a socket that is never connected:
/// the kernel's lists do not say what a privilege changes. Without a socket, the list of those allowed to all.
pub(super) fn available_congestion_controls(sysctls: &BTreeMap<String, String>) -> Vec<String> {
    let list = |name: &str| -> Vec<String> {
        let text = sysctls.get(name).map_or("", String::as_str);
        text.split_whitespace().map(str::to_owned).collect()
    };
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))
        .or_else(|_| Socket::new(Domain::IPV6, Type::STREAM, Some(Protocol::TCP)));
    let Ok(socket) = socket else {
        return list("net.ipv4.tcp_allowed_congestion_control");
    };
    let mut usable = list("net.ipv4.tcp_available_congestion_control");
    usable.retain(|name| socket.set_tcp_congestion(name.as_bytes()).is_ok());
    usable
}
