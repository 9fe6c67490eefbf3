//! `route`: traces the path.

use super::clock::Clock;
use super::drive::drive;
use super::endpoint::{Endpoint, Sockets};
use super::flow::flow_spec;
use super::names::names;
use super::secret::secret_number;
use super::target::{PathTarget, source_for};
use crate::{NetError, Watch};
use evidence::{ProbeProtocol, Trace};
use probe::wire::least_size_bytes;
use probe::{RouteConfig, RouteMachine};

const SAMPLES: u16 = 3;
/// Traceroute's: as large as any hop forwards, and large enough for every mark.
const SIZE_BYTES: u32 = 60;

/// The hops towards the destination, for `flows` flow identifiers.
///
/// # Errors
/// When sockets cannot be opened or this host has no route; silence of the network is not an error.
pub async fn route(
    target: &PathTarget,
    protocol: ProbeProtocol,
    flows: u8,
    watch: &Watch,
) -> Result<Trace, NetError> {
    route_with(target, protocol, flows, Sockets::Best, watch).await
}

/// [`route`] with a choice of sockets.
///
/// # Errors
/// As [`route`].
pub async fn route_with(
    target: &PathTarget,
    protocol: ProbeProtocol,
    flows: u8,
    sockets: Sockets,
    watch: &Watch,
) -> Result<Trace, NetError> {
    let source = source_for(target)?;
    let spec = flow_spec(target, protocol);
    let specs = vec![spec; usize::from(flows.max(1))];
    let endpoint = Endpoint::open(source, &specs, sockets, Clock::start())?;
    let machine = RouteMachine::new(RouteConfig {
        destination: target.destination,
        flows: specs.len() as u16,
        first_sequence: secret_number(),
        size_bytes: SIZE_BYTES.max(least_size_bytes(
            target.destination,
            protocol,
            spec.session.is_some(),
        )),
        samples: SAMPLES,
    });
    let (asker, answers) = names();
    let each = {
        let mut asker = asker.clone();
        move |machine: &RouteMachine| machine.addresses().for_each(|address| asker.ask(address))
    };
    let (machine, endpoint) = drive(machine, endpoint, watch, "tracing the route", each).await?;
    let names = answers.collect(asker).await;
    let ports: Vec<(u16, u16)> = endpoint
        .flows()
        .iter()
        .map(|flow| (flow.source_port, flow.destination_port))
        .collect();
    let route = machine.into_observation(source, protocol, &ports, &names);
    if route.packets_sent == Some(0) {
        return Err(nothing_sent(target, watch));
    }
    Ok(route)
}

/// Why a run ended without a packet.
pub(super) fn nothing_sent(target: &PathTarget, watch: &Watch) -> NetError {
    if watch.cancel.is_cancelled() {
        return NetError::Cancelled;
    }
    let why = "this host refused to send every probe (no route, or a local firewall)";
    NetError::Unreachable(target.destination.to_string(), why.to_owned())
}
