//! Settings and counters of this host that bear on transfers.
//!
//! Everything is read from the network namespace of the calling thread: `/proc/sys/net` and `/proc/thread-self/net`
//! follow the thread, and netlink and ioctl sockets stay in the namespace in which they were opened. `sysfs` does
//! not follow (it shows the namespace in which it was mounted), so nothing of a network is read from there.
//! This module must never judge: whether a setting is good is for `diagnosis` and `slowpath doctor` to say.

mod capabilities;
mod cpu;
mod link;
mod nic;
mod proc_text;
mod sysctls;

pub use capabilities::{Capabilities, Permission, capabilities, sysctl};
pub use cpu::governor;

use crate::NetError;
use evidence::HostFacts;
use nix::sys::utsname;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Reads what this host says of itself and of the interface that leads to `towards`.
///
/// `source` is the local address that the transfer is bound to, where it is: with policy routing it decides which
/// interface leads there. No packet is sent. Takes about 50 ms, during which the processors are watched. A piece
/// that cannot be read is absent from the result.
///
/// # Errors
/// When nothing at all can be read: neither `/proc` nor netlink answers.
pub async fn facts(towards: IpAddr, source: Option<IpAddr>) -> Result<HostFacts, NetError> {
    // All that depends on the thread's namespace happens before the first await: afterwards the task may go on
    // on another thread.
    let netlink = link::Netlink::open();
    let cpu_watch = cpu::CpuWatch::start();
    let sysctls = sysctls::read();
    let counters = counters();
    let available_congestion_controls = sysctls::available_congestion_controls(&sysctls);
    let ethtool = crate::sys::ethtool::Ethtool::open();

    let route = match netlink {
        Ok(mut netlink) => netlink.route(towards, source).await,
        Err(error) if sysctls.is_empty() && counters.is_empty() => {
            return Err(NetError::os(
                "reading this host's settings from /proc and netlink",
                error,
            ));
        }
        Err(_) => None,
    };
    let (interface, route_congestion_control) = match route {
        Some(route) => (
            Some(nic::complete(route.interface, ethtool.ok().as_ref())),
            route.congestion_control,
        ),
        None => (None, None),
    };
    let (hostname, kernel) = identity();
    Ok(HostFacts {
        hostname,
        kernel,
        congestion_control: route_congestion_control
            .or_else(|| sysctls.get("net.ipv4.tcp_congestion_control").cloned()),
        available_congestion_controls,
        sysctls,
        interface,
        counters,
        cpu: cpu_watch.finish().await,
        ..HostFacts::default()
    })
}

/// The MTU of the interface by which packets to `towards` leave; `None` when the kernel does not say.
pub(crate) async fn interface_mtu_bytes(towards: IpAddr, source: Option<IpAddr>) -> Option<u32> {
    let mut netlink = link::Netlink::open().ok()?;
    netlink.route(towards, source).await?.interface.mtu_bytes
}

/// The host's name, and its kernel's name and release.
fn identity() -> (Option<String>, Option<String>) {
    let Ok(uname) = utsname::uname() else {
        return (None, None);
    };
    let text = |part: &std::ffi::OsStr| part.to_str().map(str::to_owned);
    let kernel = text(uname.sysname()).zip(text(uname.release()));
    (
        text(uname.nodename()),
        kernel.map(|(name, release)| format!("{name} {release}")),
    )
}

/// The name that this host gives itself.
#[must_use]
pub fn name() -> Option<String> {
    identity().0
}

/// Protocol counters of this namespace, and what the processors' receive backlogs dropped.
fn counters() -> BTreeMap<String, u64> {
    let read =
        |file: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default();
    let mut all = proc_text::paired_counters(&read("snmp"));
    all.extend(proc_text::paired_counters(&read("netstat")));
    all.extend(proc_text::listed_counters(&read("snmp6")));
    all.extend(proc_text::softnet(&read("softnet_stat")));
    all
}

/// The interface of this host that has an address.
#[must_use]
pub fn interface_of(address: IpAddr) -> Option<String> {
    let mut interfaces = nix::ifaddrs::getifaddrs().ok()?;
    let found = interfaces.find(|interface| {
        interface.address.as_ref().is_some_and(|own| {
            let v4 = own.as_sockaddr_in().map(|own| IpAddr::from(own.ip()));
            v4.or_else(|| own.as_sockaddr_in6().map(|own| IpAddr::from(own.ip()))) == Some(address)
        })
    });
    found.map(|interface| interface.interface_name)
}

#[cfg(test)]
mod tests;
