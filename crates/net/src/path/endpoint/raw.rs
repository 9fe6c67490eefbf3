//! Raw sockets: we write the IP header, and read ICMP messages whole.

use super::socket::{bind, domain_of, judge_send, local_port, read_all, receiver};
use crate::path::flow::FlowSpec;
use crate::path::secret::secret_number;
use crate::sys::message;
use evidence::ProbeProtocol;
use probe::wire::{Flow, Recogniser, build_packet};
use probe::{Probe, Refusal, Reply};
use socket2::{Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

pub(super) struct RawSockets {
    sender: Socket,
    icmp: Socket,
    tcp: Option<Socket>,
    /// One per flow: keeps the port ours, and receives what the reflector sends to it.
    ports: Vec<Option<Socket>>,
    is_v6: bool,
    packet: Vec<u8>,
}

impl RawSockets {
    pub(super) fn open(source: IpAddr, specs: &[FlowSpec]) -> io::Result<(Self, Vec<Flow>)> {
        let domain = domain_of(source);
        let is_v6 = source.is_ipv6();
        // IPPROTO_RAW: the IP header is ours (raw(7), ipv6(7)).
        let sender = Socket::new(
            domain,
            Type::RAW.cloexec(),
            Some(Protocol::from(libc::IPPROTO_RAW)),
        )?;
        // Probes of a size that somebody else's transfer learned to avoid must leave all the same.
        leave_path_mtu_alone(&sender, is_v6)?;
        let icmp = receiver(
            domain,
            Type::RAW,
            if is_v6 { Protocol::ICMPV6 } else { Protocol::ICMPV4 },
        )?;
        filter_icmp(&icmp, is_v6)?;
        leave_path_mtu_alone(&icmp, is_v6)?;
        let wants_tcp = specs.iter().any(|spec| spec.protocol == ProbeProtocol::TcpSyn);
        let tcp = wants_tcp
            .then(|| receiver(domain, Type::RAW, Protocol::TCP))
            .transpose()?;
        let mut sockets = Self {
            sender,
            icmp,
            tcp,
            ports: Vec::new(),
            is_v6,
            packet: Vec::with_capacity(9000),
        };
        let flows = specs
            .iter()
            .map(|spec| sockets.add_flow(source, spec))
            .collect::<io::Result<_>>()?;
        Ok((sockets, flows))
    }

    fn add_flow(&mut self, source: IpAddr, spec: &FlowSpec) -> io::Result<Flow> {
        let domain = domain_of(source);
        let port = match spec.protocol {
            ProbeProtocol::Udp => Some(receiver(domain, Type::DGRAM, Protocol::UDP)?),
            // Never listens: it answers the SYN+ACK with a reset, and holds the port.
            ProbeProtocol::TcpSyn => Some(Socket::new(domain, Type::STREAM.cloexec(), Some(Protocol::TCP))?),
            ProbeProtocol::Icmp => None,
        };
        let source_port = match &port {
            Some(socket) => {
                bind(socket, source)?;
                leave_path_mtu_alone(socket, self.is_v6)?;
                local_port(socket)?
            }
            None => (secret_number() as u16).max(1),
        };
        if let (Some(socket), ProbeProtocol::Udp) = (&port, spec.protocol) {
            socket.connect(&SockAddr::from(SocketAddr::new(
                spec.destination,
                spec.destination_port,
            )))?;
        }
        self.ports.push(port);
        Ok(Flow {
            source,
            destination: spec.destination,
            protocol: spec.protocol,
            source_port,
            destination_port: spec.destination_port,
            session: spec.session,
            numbered: !self.is_v6,
        })
    }

    pub(super) fn send(&mut self, flow: &Flow, probe: &Probe) -> Result<(), Refusal> {
        build_packet(flow, probe, &mut self.packet).ok_or(Refusal::NotSent)?;
        // Raw IPv6 sockets take the port for a protocol number: 0.
        let to = SockAddr::from(SocketAddr::new(flow.destination, 0));
        match self.sender.send_to(&self.packet, &to) {
            Ok(_) => Ok(()),
            Err(error) => judge_send(&error, None),
        }
    }

    pub(super) fn receivers(&self) -> impl Iterator<Item = &Socket> {
        let ports = self
            .ports
            .iter()
            .flatten()
            .filter(|socket| socket.r#type().is_ok_and(|t| t == Type::DGRAM));
        std::iter::once(&self.icmp).chain(&self.tcp).chain(ports)
    }

    pub(super) fn drain(
        &self,
        recogniser: &Recogniser,
        buffer: &mut [u8],
        take: &mut impl FnMut(Option<u64>, Reply),
    ) {
        let is_v6 = self.is_v6;
        read_all(&self.icmp, buffer, |from, bytes, stamp, ttl| {
            if let Some((message, ttl)) = strip_ip_header(is_v6, bytes, ttl)
                && let Some(reply) = recogniser.icmp(from.ip(), message, ttl)
            {
                take(stamp, reply);
            }
        });
        for (index, socket) in (0u16..).zip(&self.ports) {
            let udp = socket.as_ref().filter(|_| is_udp(recogniser, index));
            if let Some(socket) = udp {
                read_all(socket, buffer, |from, bytes, stamp, ttl| {
                    if let Some(reply) = recogniser.udp(index, from.ip(), from.port(), bytes, ttl) {
                        take(stamp, reply);
                    }
                });
            }
        }
        if let Some(tcp) = &self.tcp {
            read_all(tcp, buffer, |from, bytes, stamp, ttl| {
                if let Some((segment, ttl)) = strip_ip_header(is_v6, bytes, ttl)
                    && let Some(reply) = recogniser.tcp(from.ip(), segment, ttl)
                {
                    take(stamp, reply);
                }
            });
        }
    }
}

fn is_udp(recogniser: &Recogniser, index: u16) -> bool {
    let flow = recogniser.flows().get(usize::from(index));
    flow.is_some_and(|flow| flow.protocol == ProbeProtocol::Udp)
}

/// IPv4 raw sockets deliver the IP header; IPv6 ones do not.
pub(crate) fn strip_ip_header(is_v6: bool, bytes: &[u8], ttl: Option<u8>) -> Option<(&[u8], Option<u8>)> {
    if is_v6 {
        return Some((bytes, ttl));
    }
    let header_bytes = usize::from(bytes.first()? & 0x0f) * 4;
    Some((bytes.get(header_bytes..)?, bytes.get(8).copied()))
}

/// Lets through only the messages that can answer a probe; set bits block (raw(7) `ICMP_FILTER`, RFC 3542 section 3.2).
fn filter_icmp(icmp: &Socket, is_v6: bool) -> io::Result<()> {
    const SOL_RAW: i32 = 255;
    const FILTER: i32 = 1;
    if is_v6 {
        let mut words = [u32::MAX; 8];
        words[0] &= !(1 << 1 | 1 << 2 | 1 << 3);
        words[129 / 32] &= !(1 << (129 % 32));
        message::set_option(icmp.as_fd(), libc::IPPROTO_ICMPV6, FILTER, words)
    } else {
        let blocked: u32 = !(1 << 0 | 1 << 3 | 1 << 11);
        message::set_option(icmp.as_fd(), SOL_RAW, FILTER, blocked)
    }
}

/// "Fragmentation needed" for our probes must not shrink this host's path MTU cache: that would change the transfers
/// that are under test. `IP_PMTUDISC_OMIT` sockets do not update it.
fn leave_path_mtu_alone(socket: &Socket, is_v6: bool) -> io::Result<()> {
    let fd = socket.as_fd();
    match is_v6 {
        true => message::set_option(
            fd,
            libc::IPPROTO_IPV6,
            libc::IPV6_MTU_DISCOVER,
            libc::IPV6_PMTUDISC_OMIT,
        ),
        false => message::set_option(
            fd,
            libc::IPPROTO_IP,
            libc::IP_MTU_DISCOVER,
            libc::IP_PMTUDISC_OMIT,
        ),
    }
}
