//! Decides whether a packet from the network answers one of our probes, and which.
//!
//! An answer counts only when the packet it quotes is one of ours: addresses, protocol, ports or identifier, and the
//! mark as far as it is quoted. Echo replies, reflected packets and TCP answers must come from where the probe went.

use super::extension::mpls_labels;
use super::field::{ICMP, ICMP_V6, TCP, UDP, be16, be32};
use super::flow::Flow;
use super::icmp::{Icmp, IcmpError, IcmpErrorKind, read_icmp};
use super::quote::read_quote;
use crate::{Answer, Identity, ReflectReply, Reply};
use evidence::{MplsLabel, ProbeProtocol, ReplyKind};
use std::net::IpAddr;

/// The flows of a run, to recognise their answers.
#[derive(Debug, Clone)]
pub struct Recogniser {
    flows: Vec<Flow>,
}

/// An ICMP error as a socket's error queue reports it: the kernel has matched addresses and ports.
#[derive(Debug, Clone, Copy)]
pub struct QueuedError<'a> {
    /// Who sent the error.
    pub from: IpAddr,
    /// ICMP or ICMPv6 type.
    pub kind: u8,
    /// ICMP or ICMPv6 code.
    pub code: u8,
    /// The next-hop MTU, for the errors that name one.
    pub mtu_bytes: u32,
    /// What was quoted after the UDP header, or from the ICMP header on.
    pub quoted: &'a [u8],
    /// Where in `quoted` an RFC 4884 extension structure starts, if one does.
    pub extension_at: Option<usize>,
    /// The TTL that the error arrived with.
    pub reply_ttl: Option<u8>,
}

impl Recogniser {
    /// Recognises answers to probes of these flows; their order gives the flow index.
    #[must_use]
    pub fn new(flows: Vec<Flow>) -> Self {
        Self { flows }
    }

    /// The flows.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// An ICMP or ICMPv6 message (from its type on) that came from `from`.
    #[must_use]
    pub fn icmp(&self, from: IpAddr, message: &[u8], reply_ttl: Option<u8>) -> Option<Reply> {
        match read_icmp(from.is_ipv6(), message)? {
            Icmp::Error(error) => self.error(from, error, reply_ttl),
            Icmp::EchoReply {
                identifier,
                sequence,
                payload,
            } => {
                let (index, flow) = self.position(|flow| {
                    flow.protocol == ProbeProtocol::Icmp
                        && flow.destination == from
                        && flow.source_port == identifier
                })?;
                let marked = flow.read_mark(payload)?;
                (marked as u16 == sequence).then(|| {
                    reply(
                        index,
                        Identity::Sequence(marked),
                        from,
                        ReplyKind::EchoReply,
                        reply_ttl,
                    )
                })
            }
        }
    }

    /// A datagram that arrived on the UDP socket of flow `index`.
    #[must_use]
    pub fn udp(
        &self,
        index: u16,
        from: IpAddr,
        from_port: u16,
        payload: &[u8],
        ttl: Option<u8>,
    ) -> Option<Reply> {
        let flow = self.flows.get(usize::from(index))?;
        let reflected = ReflectReply::read(payload)?;
        let ours = from == flow.destination
            && from_port == flow.destination_port
            && flow.session == Some(reflected.session);
        ours.then(|| {
            reply(
                index,
                Identity::Sequence(reflected.sequence),
                from,
                ReplyKind::Reflected,
                ttl,
            )
        })
    }

    /// A TCP segment from `from`, from its header on.
    #[must_use]
    pub fn tcp(&self, from: IpAddr, segment: &[u8], reply_ttl: Option<u8>) -> Option<Reply> {
        let (source_port, destination_port) = (be16(segment, 0)?, be16(segment, 2)?);
        let (index, _) = self.position(|flow| {
            flow.protocol == ProbeProtocol::TcpSyn
                && flow.destination == from
                && (flow.destination_port, flow.source_port) == (source_port, destination_port)
        })?;
        let kind = match segment.get(13)? & 0x17 {
            0x12 => ReplyKind::SynAck,
            flags if flags & 0x04 != 0 => ReplyKind::Reset,
            _ => return None,
        };
        let identity = Identity::Sequence(be32(segment, 8)?.wrapping_sub(1));
        Some(reply(index, identity, from, kind, reply_ttl))
    }

    /// An entry of the error queue of flow `index`'s socket.
    #[must_use]
    pub fn queued(&self, index: u16, error: &QueuedError<'_>) -> Option<Reply> {
        let flow = self.flows.get(usize::from(index))?;
        let kind = IcmpErrorKind::of(
            flow.destination.is_ipv6(),
            error.kind,
            error.code,
            error.mtu_bytes,
        )?;
        let quoted = error
            .extension_at
            .and_then(|at| error.quoted.get(..at))
            .unwrap_or(error.quoted);
        let identity = match flow.protocol {
            ProbeProtocol::Icmp => identify_marked(flow, quoted.get(8..)?, Some(be16(quoted, 6)?)),
            _ => identify_marked(flow, quoted, None),
        }?;
        let extension = error.extension_at.and_then(|at| error.quoted.get(at..));
        let mpls = extension.map(mpls_labels).unwrap_or_default();
        Some(Reply {
            identity,
            flow: index,
            from: error.from,
            answer: answer(kind, error.from == flow.destination, flow.destination.is_ipv6()),
            reply_ttl: error.reply_ttl,
            mpls,
        })
    }

    fn error(&self, from: IpAddr, error: IcmpError<'_>, reply_ttl: Option<u8>) -> Option<Reply> {
        let quote = read_quote(error.quote)?;
        let ports = (be16(quote.transport, 0)?, be16(quote.transport, 2)?);
        let (index, flow) = self.position(|flow| {
            (flow.source, flow.destination) == (quote.source, quote.destination)
                && match (flow.protocol, quote.protocol) {
                    (ProbeProtocol::Udp, UDP) | (ProbeProtocol::TcpSyn, TCP) => {
                        (flow.source_port, flow.destination_port) == ports
                    }
                    (ProbeProtocol::Icmp, ICMP | ICMP_V6) => {
                        is_our_request(flow, quote.protocol, quote.transport)
                    }
                    _ => false,
                }
        })?;
        let identity = identify(flow, quote.transport, quote.identification)?;
        let kind = answer(error.kind, from == flow.destination, flow.destination.is_ipv6());
        Some(Reply {
            identity,
            flow: index,
            from,
            answer: kind,
            reply_ttl,
            mpls: error.mpls,
        })
    }

    fn position(&self, wanted: impl Fn(&Flow) -> bool) -> Option<(u16, &Flow)> {
        let index = self.flows.iter().position(wanted)?;
        Some((u16::try_from(index).ok()?, &self.flows[index]))
    }
}

fn is_our_request(flow: &Flow, protocol: u8, transport: &[u8]) -> bool {
    let request = if flow.destination.is_ipv4() {
        (ICMP, Some(&8))
    } else {
        (ICMP_V6, Some(&128))
    };
    (protocol, transport.first()) == request && be16(transport, 4) == Some(flow.source_port)
}

/// Which probe of `flow` a quoted transport header belongs to. A mark that is quoted and wrong is a forgery.
fn identify(flow: &Flow, transport: &[u8], identification: Option<u16>) -> Option<Identity> {
    match flow.protocol {
        ProbeProtocol::TcpSyn => numbered(Identity::Sequence(be32(transport, 4)?)),
        ProbeProtocol::Icmp => identify_marked(flow, transport.get(8..)?, Some(be16(transport, 6)?)),
        ProbeProtocol::Udp => {
            let low16 = identification.filter(|_| flow.numbered);
            identify_marked(flow, transport.get(8..)?, low16)
        }
    }
}

/// By the mark in what is quoted behind the header; where it is cut off, by the low half of the number that a header has.
fn identify_marked(flow: &Flow, payload: &[u8], low16: Option<u16>) -> Option<Identity> {
    let cut = || low16.map_or(Identity::Unknown, Identity::Low16);
    match flow.read_mark(payload) {
        // The half in an ICMP header is ours: nobody on the way has a reason to change it, as some do IP identifications.
        Some(sequence) if flow.protocol == ProbeProtocol::Icmp && low16 != Some(sequence as u16) => None,
        Some(sequence) if sequence as u16 != 0 => Some(Identity::Sequence(sequence)),
        _ => flow.may_be_cut(payload).then(cut).and_then(numbered),
    }
}

/// No probe's number ends with sixteen zero bits ([`crate::Probe::sequence`]): that is where a quote was cut and filled up.
fn numbered(identity: Identity) -> Option<Identity> {
    let is_padding = matches!(identity, Identity::Sequence(number) if number as u16 == 0)
        || identity == Identity::Low16(0);
    (!is_padding).then_some(identity)
}

/// A port unreachable from another address is a firewall's word, not the destination's.
fn answer(kind: IcmpErrorKind, from_destination: bool, is_v6: bool) -> Answer {
    match kind {
        IcmpErrorKind::TimeExceeded => Answer::Reached(ReplyKind::TimeExceeded),
        IcmpErrorKind::PortUnreachable if from_destination => Answer::Reached(ReplyKind::PortUnreachable),
        IcmpErrorKind::PortUnreachable => Answer::Reached(ReplyKind::Unreachable {
            code: if is_v6 { 4 } else { 3 },
        }),
        IcmpErrorKind::Unreachable { code } => Answer::Reached(ReplyKind::Unreachable { code }),
        IcmpErrorKind::TooBig { mtu_bytes } => Answer::TooBig { mtu_bytes },
    }
}

fn reply(flow: u16, identity: Identity, from: IpAddr, kind: ReplyKind, reply_ttl: Option<u8>) -> Reply {
    let mpls: Vec<MplsLabel> = Vec::new();
    Reply {
        identity,
        flow,
        from,
        answer: Answer::Reached(kind),
        reply_ttl,
        mpls,
    }
}

#[cfg(test)]
#[path = "recognise_tests.rs"]
mod tests;
