//! What this process may do here, found out by trying: the lists of privileges that the kernel publishes do not say
//! what a container, a security module or a setting takes away.

use super::sysctls;
use crate::sys::attempts;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;

/// Whether the kernel let us.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "allowed", rename_all = "kebab-case")]
pub enum Permission {
    /// It did.
    Yes,
    /// It did not.
    No {
        /// The operating system's word.
        error: String,
    },
}

impl Permission {
    /// Whether the kernel let us.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    fn of<T>(result: io::Result<T>) -> Self {
        match result {
            Ok(_) => Self::Yes,
            Err(error) => Self::No {
                error: error.to_string(),
            },
        }
    }
}

/// What this process may do on this host, in the current namespaces.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// UDP probes whose ICMP answers the kernel hands over (`IP_RECVERR`): route, path MTU and echo need no more.
    pub error_queue: Permission,
    /// Raw ICMP sockets: probes with ICMP and TCP SYN, and answers that the error queue does not hand over.
    pub raw_icmp: Permission,
    /// The same for IPv6.
    pub raw_icmpv6: Permission,
    /// Ping sockets (`net.ipv4.ping_group_range`): ICMP echo without a privilege.
    pub ping_socket: Permission,
    /// Congestion controls that a socket of this process may ask for.
    pub congestion_controls: Vec<String>,
    /// Congestion controls that the kernel has loaded but keeps from this process.
    pub refused_congestion_controls: Vec<String>,
    /// Real-time scheduling (`SCHED_RR`), which makes emulated links punctual.
    pub realtime: Permission,
    /// A user and network namespace of one's own: the lab without root.
    pub user_namespace: Permission,
    /// The TUN device, which carries emulated links.
    pub tun: Permission,
}

/// Finds out what this process may do. Nothing is changed and no packet is sent.
#[must_use]
pub fn capabilities() -> Capabilities {
    let sysctls = sysctls::read();
    let usable = sysctls::available_congestion_controls(&sysctls);
    let loaded = sysctls
        .get("net.ipv4.tcp_available_congestion_control")
        .map_or("", String::as_str);
    let refused = loaded
        .split_whitespace()
        .filter(|name| !usable.iter().any(|known| known == name));
    Capabilities {
        error_queue: Permission::of(attempts::error_queue()),
        raw_icmp: Permission::of(Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::ICMPV4))),
        raw_icmpv6: Permission::of(Socket::new(Domain::IPV6, Type::RAW, Some(Protocol::ICMPV6))),
        ping_socket: Permission::of(Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::ICMPV4))),
        refused_congestion_controls: refused.map(str::to_owned).collect(),
        congestion_controls: usable,
        realtime: Permission::of(attempts::realtime()),
        user_namespace: Permission::of(attempts::user_namespace()),
        tun: Permission::of(
            std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open("/dev/net/tun"),
        ),
    }
}

/// A setting of the kernel by dotted name, in the current network namespace; `None` where it is not to be had.
#[must_use]
pub fn sysctl(name: &str) -> Option<String> {
    sysctls::one(name)
}
