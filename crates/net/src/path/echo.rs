//! `echo` and `hop_loss`: loss and round-trip time per hop.

use super::clock::Clock;
use super::drive::drive;
use super::endpoint::{Endpoint, Sockets};
use super::flow::{FlowSpec, flow_spec};
use super::known::KnownHops;
use super::secret::secret_number;
use super::target::{PathTarget, source_for};
use super::trace::{nothing_sent, route_with};
use crate::{NetError, Watch};
use evidence::{EchoContext, EchoMode, ProbeProtocol, Probes, Trace};
use probe::wire::Flow;
use probe::{EchoConfig, EchoMachine, SeriesPlan};
use std::net::IpAddr;

const MS: u64 = 1_000_000;
const SHORTEST_LAST_WAIT_NS: u64 = 600 * MS;
/// At tens of thousands a second answers may queue for long; only those later than this are lost.
const LOSS_LAST_WAIT_NS: u64 = 1_500 * MS;
/// Probes released together at high rates: at 30,000/s about ten packets.
const LOSS_GRANULARITY_NS: u64 = 300_000;

/// What to send in an echo measurement.
#[derive(Debug, Clone)]
pub struct EchoPlan {
    /// IP packet sizes in bytes.
    pub sizes_bytes: Vec<u32>,
    /// Probes per hop and size.
    pub count: u32,
    /// Pause between probes to the same hop, milliseconds.
    pub interval_ms: u32,
}

/// Loss and round-trip time of every hop, when it lets our packets expire and when it is asked itself, and of the
/// destination. Without a `known` route, traces one first. Runs until the plan is done or the watch is cancelled.
///
/// # Errors
/// When sockets cannot be opened or this host has no route; silence of the network is not an error.
pub async fn echo(
    target: &PathTarget,
    known: Option<&Trace>,
    plan: &EchoPlan,
    watch: &Watch,
) -> Result<Probes, NetError> {
    echo_with(target, known, plan, EchoContext::Idle, Sockets::Best, watch).await
}

/// [`echo`] while the caller does something else to the path (`context`), with a choice of sockets.
///
/// # Errors
/// As [`echo`].
pub async fn echo_with(
    target: &PathTarget,
    known: Option<&Trace>,
    plan: &EchoPlan,
    context: EchoContext,
    sockets: Sockets,
    watch: &Watch,
) -> Result<Probes, NetError> {
    let source = source_for(target)?;
    let traced;
    let known = match known {
        Some(known) => known,
        None => {
            traced = route_with(target, ProbeProtocol::Udp, 1, sockets, watch).await?;
            &traced
        }
    };
    let hops = KnownHops::of(known);
    let (endpoint, routers) = open(target, source, &hops, sockets)?;
    let series = all_series(endpoint.flows(), &hops, &routers, &plan.sizes_bytes);
    let machine = EchoMachine::new(EchoConfig {
        series,
        count: u64::from(plan.count),
        interval_ns: u64::from(plan.interval_ms.max(1)) * MS,
        granularity_ns: 0,
        last_wait_ns: SHORTEST_LAST_WAIT_NS.max(3 * hops.largest_rtt_ns),
        first_sequence: secret_number(),
    });
    finish(
        machine,
        endpoint,
        target,
        source,
        context,
        watch,
        "probing every hop",
    )
    .await
}

/// Opens the flow along the path, and one to each router that answered on it where echo requests are permitted.
fn open(
    target: &PathTarget,
    source: IpAddr,
    hops: &KnownHops,
    sockets: Sockets,
) -> Result<(Endpoint, Vec<(u8, IpAddr)>), NetError> {
    let routers: Vec<(u8, IpAddr)> = hops
        .routers
        .iter()
        .map(|(ttl, address)| (*ttl, *address))
        .collect();
    let through = |protocol| flow_spec(target, protocol);
    let direct = routers.iter().map(|(_, address)| FlowSpec {
        destination: *address,
        protocol: ProbeProtocol::Icmp,
        destination_port: 0,
        session: None,
    });
    let along = match target.reflector {
        Some(_) => through(ProbeProtocol::Udp),
        None => through(ProbeProtocol::Icmp),
    };
    let specs: Vec<FlowSpec> = std::iter::once(along).chain(direct).collect();
    match Endpoint::open(source, &specs, sockets, Clock::start()) {
        Ok(endpoint) => Ok((endpoint, routers)),
        // No echo requests for this user: the path alone, with UDP.
        Err(NetError::Privilege { .. }) => {
            let specs = [through(ProbeProtocol::Udp)];
            Ok((
                Endpoint::open(source, &specs, sockets, Clock::start())?,
                Vec::new(),
            ))
        }
        Err(error) => Err(error),
    }
}

/// Flow 0 runs along the path, flow n to the n-th router.
fn all_series(flows: &[Flow], hops: &KnownHops, routers: &[(u8, IpAddr)], sizes: &[u32]) -> Vec<SeriesPlan> {
    let mut series = Vec::new();
    for size in sizes {
        let size_of = |flow: u16| {
            flows
                .get(usize::from(flow))
                .map_or(*size, |f| f.least_size_bytes().max(*size))
        };
        for ttl in 1..=hops.last_ttl {
            let (mode, address) = (EchoMode::Expiring, hops.routers.get(&ttl).copied());
            series.push(SeriesPlan {
                mode,
                flow: 0,
                send_ttl: Some(ttl),
                ttl,
                address,
                size_bytes: size_of(0),
            });
        }
        for (flow, (ttl, address)) in (1u16..).zip(routers) {
            let (mode, address) = (EchoMode::Direct, Some(*address));
            series.push(SeriesPlan {
                mode,
                flow,
                send_ttl: None,
                ttl: *ttl,
                address,
                size_bytes: size_of(flow),
            });
        }
        let destination = flows.first().map(|flow| flow.destination);
        series.push(SeriesPlan {
            mode: EchoMode::ToDestination,
            flow: 0,
            send_ttl: None,
            ttl: hops.destination_ttl.unwrap_or(hops.last_ttl + 1),
            address: destination,
            size_bytes: size_of(0),
        });
    }
    series
}

/// Loss up to each of `ttls`, with `count` small probes each, `rate_pps` in all. A TTL at which the destination
/// answers gives a series to the destination.
///
/// # Errors
/// When sockets cannot be opened or this host has no route; silence of the network is not an error.
pub async fn hop_loss(
    target: &PathTarget,
    ttls: &[u8],
    count: u64,
    rate_pps: u32,
    watch: &Watch,
) -> Result<Probes, NetError> {
    hop_loss_with(target, ttls, count, rate_pps, Sockets::Best, watch).await
}

/// [`hop_loss`] with a choice of sockets.
///
/// # Errors
/// As [`hop_loss`].
pub async fn hop_loss_with(
    target: &PathTarget,
    ttls: &[u8],
    count: u64,
    rate_pps: u32,
    sockets: Sockets,
    watch: &Watch,
) -> Result<Probes, NetError> {
    let source = source_for(target)?;
    let open = |protocol| {
        let endpoint = Endpoint::open(source, &[flow_spec(target, protocol)], sockets, Clock::start())?;
        Ok((endpoint, protocol))
    };
    let opened = match target.reflector {
        Some(_) => open(ProbeProtocol::Udp),
        None => open(ProbeProtocol::Icmp),
    };
    let (endpoint, _) = match opened {
        Err(NetError::Privilege { .. }) => open(ProbeProtocol::Udp)?,
        opened => opened?,
    };
    let size_bytes = endpoint.flows().first().map_or(0, Flow::least_size_bytes);
    let series: Vec<SeriesPlan> = ttls
        .iter()
        .filter(|ttl| **ttl > 0)
        .map(|ttl| SeriesPlan {
            mode: EchoMode::Expiring,
            flow: 0,
            send_ttl: Some(*ttl),
            ttl: *ttl,
            address: None,
            size_bytes,
        })
        .collect();
    let machine = EchoMachine::new(EchoConfig {
        count,
        interval_ns: series.len() as u64 * 1_000_000_000 / u64::from(rate_pps.max(1)),
        granularity_ns: LOSS_GRANULARITY_NS,
        last_wait_ns: LOSS_LAST_WAIT_NS,
        first_sequence: secret_number(),
        series,
    });
    finish(
        machine,
        endpoint,
        target,
        source,
        EchoContext::Idle,
        watch,
        "counting lost packets",
    )
    .await
}

async fn finish(
    machine: EchoMachine,
    endpoint: Endpoint,
    target: &PathTarget,
    source: IpAddr,
    context: EchoContext,
    watch: &Watch,
    what: &'static str,
) -> Result<Probes, NetError> {
    let (machine, endpoint) = drive(machine, endpoint, watch, what, |_| {}).await?;
    if machine.packets_sent() == 0 {
        return Err(nothing_sent(target, watch));
    }
    Ok(machine.into_observation(source, target.destination, context, endpoint.dropped()))
}
