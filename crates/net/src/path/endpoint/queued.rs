//! Datagram sockets with the error queue (`IP_RECVERR`): UDP, and ping sockets where `net.ipv4.ping_group_range` allows.

use super::socket::{READS_PER_TURN, bind, domain_of, judge_send, local_port, read_all, receiver};
use crate::NetError;
use crate::path::flow::FlowSpec;
use crate::sys::message::{self, IP_RECVERR_RFC4884, IPV6_RECVERR_RFC4884};
use evidence::{ProbeProtocol, SizeProbeMode};
use probe::wire::{Flow, QueuedError, Recogniser};
use probe::{Probe, Refusal, Reply};
use socket2::{Protocol, SockAddr, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

pub(super) struct QueuedSockets {
    flows: Vec<QueuedSocket>,
    is_v6: bool,
}

struct QueuedSocket {
    socket: Socket,
    /// What the socket is set to now.
    mode: Option<SizeProbeMode>,
    /// ICMP errors met while sending, not yet handed out.
    pending: Vec<(message::Received, Vec<u8>)>,
}

/// Errors of earlier probes surface as the failure of the next send; each costs one more try.
const SEND_TRIES: usize = 8;

impl QueuedSockets {
    pub(super) fn open(source: IpAddr, specs: &[FlowSpec]) -> Result<(Self, Vec<Flow>), NetError> {
        let mut flows = Vec::new();
        let mut sockets = Vec::new();
        for spec in specs {
            let (socket, flow) = open_flow(source, spec)?;
            sockets.push(QueuedSocket {
                socket,
                mode: None,
                pending: Vec::new(),
            });
            flows.push(flow);
        }
        Ok((
            Self {
                flows: sockets,
                is_v6: source.is_ipv6(),
            },
            flows,
        ))
    }

    pub(super) fn receivers(&self) -> impl Iterator<Item = &Socket> {
        self.flows.iter().map(|flow| &flow.socket)
    }

    pub(super) fn send(&mut self, flow: &Flow, probe: &Probe) -> Result<(), Refusal> {
        let is_v6 = self.is_v6;
        let sender = self
            .flows
            .get_mut(usize::from(probe.flow))
            .ok_or(Refusal::NotSent)?;
        let payload = flow
            .payload(probe.sequence, probe.size_bytes)
            .ok_or(Refusal::NotSent)?;
        let packet = match flow.protocol {
            ProbeProtocol::Icmp => with_echo_header(is_v6, probe.sequence, payload),
            _ => payload,
        };
        sender.send(is_v6, probe, &packet)
    }

    pub(super) fn drain(
        &mut self,
        recogniser: &Recogniser,
        buffer: &mut [u8],
        take: &mut impl FnMut(Option<u64>, Reply),
    ) {
        for (index, flow) in (0u16..).zip(&mut self.flows) {
            for (received, quoted) in std::mem::take(&mut flow.pending) {
                hand_out(recogniser, index, &received, &quoted, take);
            }
            for _ in 0..READS_PER_TURN {
                let Ok(Some(received)) = message::receive(flow.socket.as_fd(), buffer, true) else {
                    break;
                };
                let quoted = buffer.get(..received.length).unwrap_or_default();
                hand_out(recogniser, index, &received, quoted, take);
            }
            let protocol = recogniser
                .flows()
                .get(usize::from(index))
                .map(|flow| flow.protocol);
            read_all(&flow.socket, buffer, |from, bytes, stamp, ttl| {
                let reply = match protocol {
                    Some(ProbeProtocol::Icmp) => recogniser.icmp(from.ip(), bytes, ttl),
                    _ => recogniser.udp(index, from.ip(), from.port(), bytes, ttl),
                };
                if let Some(reply) = reply {
                    take(stamp, reply);
                }
            });
        }
    }
}

impl QueuedSocket {
    fn send(&mut self, is_v6: bool, probe: &Probe, packet: &[u8]) -> Result<(), Refusal> {
        self.set_mode(is_v6, probe.mode).map_err(|_| Refusal::NotSent)?;
        let mut outcome = Err(Refusal::NotSent);
        for _ in 0..SEND_TRIES {
            match message::send_with_ttl(self.socket.as_fd(), is_v6, probe.ttl, packet) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    // Only a local entry in the queue proves that this packet was refused: other errors are the
                    // network's answers to earlier ones.
                    let local_mtu = self.read_pending();
                    outcome = judge_send(&error, local_mtu);
                    if local_mtu.is_some() || outcome.is_ok() {
                        return outcome;
                    }
                }
            }
        }
        outcome
    }

    /// Empties the error queue into `pending`; gives the MTU that this host itself named, if it did.
    fn read_pending(&mut self) -> Option<u32> {
        let mut local_mtu = None;
        let mut quoted = [0; 2048];
        for _ in 0..READS_PER_TURN {
            let Ok(Some(received)) = message::receive(self.socket.as_fd(), &mut quoted, true) else {
                break;
            };
            match received.error {
                Some(error) if !error.is_icmp && error.errno == libc::EMSGSIZE => {
                    local_mtu = Some(error.info)
                }
                _ => self.pending.push((
                    received,
                    quoted.get(..received.length).unwrap_or_default().to_vec(),
                )),
            }
        }
        local_mtu
    }

    fn set_mode(&mut self, is_v6: bool, mode: SizeProbeMode) -> io::Result<()> {
        if self.mode == Some(mode) {
            return Ok(());
        }
        // PROBE sets DF and ignores the cached path MTU; OMIT clears DF and ignores it too (ip(7)).
        let fd = self.socket.as_fd();
        match (is_v6, mode) {
            (true, _) => message::set_option(
                fd,
                libc::IPPROTO_IPV6,
                libc::IPV6_MTU_DISCOVER,
                libc::IPV6_PMTUDISC_PROBE,
            ),
            (false, SizeProbeMode::DontFragment) => message::set_option(
                fd,
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_PROBE,
            ),
            (false, SizeProbeMode::MayFragment) => message::set_option(
                fd,
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_OMIT,
            ),
        }?;
        self.mode = Some(mode);
        Ok(())
    }
}

fn open_flow(source: IpAddr, spec: &FlowSpec) -> Result<(Socket, Flow), NetError> {
    let is_v6 = source.is_ipv6();
    let protocol = match (spec.protocol, is_v6) {
        (ProbeProtocol::Udp, _) => Protocol::UDP,
        (ProbeProtocol::Icmp, false) => Protocol::ICMPV4,
        (ProbeProtocol::Icmp, true) => Protocol::ICMPV6,
        (ProbeProtocol::TcpSyn, _) => return Err(refused("TCP SYN probes", RAW_HINT, None)),
    };
    let socket = receiver(domain_of(source), Type::DGRAM, protocol).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => refused("opening a ping socket", PING_HINT, Some(error)),
        _ => NetError::os("opening a datagram socket", error),
    })?;
    prepare(&socket, source, spec).map_err(|error| NetError::os(format!("binding to {source}"), error))?;
    let source_port = local_port(&socket).map_err(|error| NetError::os("reading the local port", error))?;
    let flow = Flow {
        source,
        destination: spec.destination,
        protocol: spec.protocol,
        source_port,
        destination_port: spec.destination_port,
        session: spec.session,
        numbered: false,
    };
    Ok((socket, flow))
}

const RAW_HINT: &str = "run with CAP_NET_RAW, or probe with UDP";
const PING_HINT: &str = "run with CAP_NET_RAW, widen net.ipv4.ping_group_range, or probe with UDP";

fn refused(doing: &'static str, hint: &'static str, source: Option<io::Error>) -> NetError {
    let source = source.unwrap_or_else(|| io::Error::from(io::ErrorKind::PermissionDenied));
    NetError::Privilege { doing, hint, source }
}

fn prepare(socket: &Socket, source: IpAddr, spec: &FlowSpec) -> io::Result<()> {
    let fd = socket.as_fd();
    let (level, recverr, extensions) = match source.is_ipv6() {
        true => (libc::IPPROTO_IPV6, libc::IPV6_RECVERR, IPV6_RECVERR_RFC4884),
        false => (libc::IPPROTO_IP, libc::IP_RECVERR, IP_RECVERR_RFC4884),
    };
    message::set_option(fd, level, recverr, 1i32)?;
    // Kernels before 5.9 do not know it; then MPLS labels are not seen.
    let _ = message::set_option(fd, level, extensions, 1i32);
    bind(socket, source)?;
    socket.connect(&SockAddr::from(SocketAddr::new(
        spec.destination,
        spec.destination_port,
    )))
}

/// A ping socket fills in the identifier and the checksum.
fn with_echo_header(is_v6: bool, sequence: u32, payload: Vec<u8>) -> Vec<u8> {
    let [high, low] = (sequence as u16).to_be_bytes();
    let mut message = vec![if is_v6 { 128 } else { 8 }, 0, 0, 0, 0, 0, high, low];
    message.extend(payload);
    message
}

fn hand_out(
    recogniser: &Recogniser,
    index: u16,
    received: &message::Received,
    quoted: &[u8],
    take: &mut impl FnMut(Option<u64>, Reply),
) {
    let Some(error) = received.error.filter(|error| error.is_icmp) else {
        return;
    };
    let Some(from) = error.offender else { return };
    let queued = QueuedError {
        from,
        kind: error.kind,
        code: error.code,
        mtu_bytes: error.info,
        quoted,
        extension_at: error.extension_at,
        reply_ttl: received.ttl,
    };
    if let Some(reply) = recogniser.queued(index, &queued) {
        take(received.stamp_ns, reply);
    }
}
