//! Flows to open, and which flow probes a target.

use super::target::PathTarget;
use evidence::ProbeProtocol;
use probe::SessionKey;
use std::net::IpAddr;

/// The port that traceroute made customary: nobody listens there.
const TRACEROUTE_PORT: u16 = 33_434;
/// Most firewalls let it through, and most hosts answer it.
const TCP_PORT: u16 = 443;

/// A flow to open: its ports are chosen by the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowSpec {
    pub(super) destination: IpAddr,
    pub(super) protocol: ProbeProtocol,
    /// 0 for ICMP.
    pub(super) destination_port: u16,
    pub(super) session: Option<SessionKey>,
}

/// How to probe the destination with `protocol`: the reflector where it can be used.
pub(super) fn flow_spec(target: &PathTarget, protocol: ProbeProtocol) -> FlowSpec {
    let reflector = target.reflector.filter(|_| protocol == ProbeProtocol::Udp);
    FlowSpec {
        destination: target.destination,
        protocol,
        destination_port: match protocol {
            ProbeProtocol::Udp => reflector.map_or(TRACEROUTE_PORT, |reflector| reflector.port),
            ProbeProtocol::Icmp => 0,
            ProbeProtocol::TcpSyn => TCP_PORT,
        },
        session: reflector.map(|reflector| reflector.session),
    }
}
