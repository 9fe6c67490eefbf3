//! `path_mtu`: which packet sizes reach which hops.

use super::clock::Clock;
use super::drive::drive;
use super::endpoint::{Endpoint, Sockets};
use super::flow::flow_spec;
use super::known::KnownHops;
use super::secret::secret_number;
use super::target::{PathTarget, source_for};
use super::trace::{nothing_sent, route_with};
use crate::{NetError, Watch, host};
use evidence::{ProbeProtocol, Probes, Trace};
use probe::wire::least_size_bytes;
use probe::{PathMtuConfig, PathMtuMachine};
use std::net::IpAddr;

/// Every IPv4 link carries it (RFC 791), and it has room for every mark; IPv6 needs 20 bytes more.
const SMALL_BYTES: u32 = 68;
/// What Ethernet gives when the kernel does not say.
const USUAL_MTU_BYTES: u32 = 1500;
const LARGEST_PACKET_BYTES: u32 = 65_535;
const LONGEST_NS: u64 = 20_000_000_000;

/// Finds the path MTU to the byte, and the link that it is due to. Without a `known` route, traces one first.
///
/// # Errors
/// When sockets cannot be opened or this host has no route; silence of the network is not an error.
pub async fn path_mtu(target: &PathTarget, known: Option<&Trace>, watch: &Watch) -> Result<Probes, NetError> {
    path_mtu_with(target, known, Sockets::Best, watch).await
}

/// [`path_mtu`] with a choice of sockets.
///
/// # Errors
/// As [`path_mtu`].
pub async fn path_mtu_with(
    target: &PathTarget,
    known: Option<&Trace>,
    sockets: Sockets,
    watch: &Watch,
) -> Result<Probes, NetError> {
    let source = source_for(target)?;
    let interface_mtu = host::interface_mtu_bytes(target.destination, target.source).await;
    let traced;
    let known = match known {
        Some(known) => known,
        None => {
            traced = route_with(target, ProbeProtocol::Udp, 1, sockets, watch).await?;
            &traced
        }
    };
    let hops = KnownHops::of(known);
    let search = Search {
        target,
        source,
        interface_mtu_bytes: interface_mtu.unwrap_or(USUAL_MTU_BYTES).min(LARGEST_PACKET_BYTES),
        hops: &hops,
        sockets,
        watch,
    };
    if target.reflector.is_some() {
        return search.run(ProbeProtocol::Udp).await;
    }
    // Echo replies are not rate limited, port unreachables are; but some destinations answer only the latter.
    match search.run(ProbeProtocol::Icmp).await {
        Ok(found) if destination_answered(&found) || !hops.reached_by_port_unreachable => Ok(found),
        Ok(_) | Err(NetError::Privilege { .. }) => search.run(ProbeProtocol::Udp).await,
        Err(error) => Err(error),
    }
}

struct Search<'a> {
    target: &'a PathTarget,
    source: IpAddr,
    interface_mtu_bytes: u32,
    hops: &'a KnownHops,
    sockets: Sockets,
    watch: &'a Watch,
}

impl Search<'_> {
    async fn run(&self, protocol: ProbeProtocol) -> Result<Probes, NetError> {
        let spec = flow_spec(self.target, protocol);
        let endpoint = Endpoint::open(self.source, &[spec], self.sockets, Clock::start())?;
        let least = least_size_bytes(self.target.destination, protocol, spec.session.is_some());
        let machine = PathMtuMachine::new(PathMtuConfig {
            destination: self.target.destination,
            interface_mtu_bytes: self.interface_mtu_bytes,
            small_bytes: SMALL_BYTES.max(least).min(self.interface_mtu_bytes),
            destination_ttl: self.hops.destination_ttl,
            last_ttl: self.hops.last_ttl,
            mute_ttls: self.hops.mute_ttls.clone(),
            is_destination_limited: protocol == ProbeProtocol::Udp && spec.session.is_none(),
            rtt_ns: self.hops.largest_rtt_ns,
            first_sequence: secret_number(),
            longest_ns: LONGEST_NS,
        });
        let (machine, _) = drive(machine, endpoint, self.watch, "searching the path MTU", |_| {}).await?;
        let found = machine.into_observation(self.source, protocol);
        if found.packets_sent == Some(0) {
            return Err(nothing_sent(self.target, self.watch));
        }
        Ok(found)
    }
}

fn destination_answered(found: &Probes) -> bool {
    found
        .rows
        .iter()
        .any(|row| row.ttl.is_none() && row.received > Some(0))
}
