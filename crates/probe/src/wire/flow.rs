//! A flow: what routers may hash to choose among equal paths, constant for all probes of the flow (Paris traceroute,
//! Augustin et al. 2006), and where in the packet the probe's number stands.

use super::checksum::fold;
use super::field::be32;
use crate::SessionKey;
use evidence::ProbeProtocol;
use std::net::IpAddr;

/// The constant part of the probes of one flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Our address.
    pub source: IpAddr,
    /// Where the probes go: same family as the source.
    pub destination: IpAddr,
    /// Which packets.
    pub protocol: ProbeProtocol,
    /// Source port, or ICMP identifier.
    pub source_port: u16,
    /// Destination port; 0 for ICMP.
    pub destination_port: u16,
    /// The reflector's session, when the destination port is one.
    pub session: Option<SessionKey>,
    /// The IP identification of the probes is the low half of their number (we build the IP header ourselves).
    pub numbered: bool,
}

pub(super) const MAGIC: [u8; 4] = *b"SPp1";
/// Magic and number.
pub(super) const MARK_BYTES: usize = 8;
/// Magic, number, and the word that keeps the ICMP checksum constant.
pub(super) const ICMP_MARK_BYTES: usize = 10;

/// The smallest probe that carries its mark, IP packet size in bytes.
#[must_use]
pub fn least_size_bytes(destination: IpAddr, protocol: ProbeProtocol, reflected: bool) -> u32 {
    let ip = if destination.is_ipv4() { 20 } else { 40 };
    ip + match protocol {
        ProbeProtocol::Udp if reflected => 8 + crate::REFLECT_BYTES as u32,
        ProbeProtocol::Udp => 8 + MARK_BYTES as u32,
        ProbeProtocol::Icmp => 8 + ICMP_MARK_BYTES as u32,
        ProbeProtocol::TcpSyn => 20,
    }
}

impl Flow {
    /// Bytes of IP header: we never send options.
    #[must_use]
    pub fn ip_header_bytes(&self) -> usize {
        if self.destination.is_ipv4() { 20 } else { 40 }
    }

    /// The smallest probe of this flow, IP packet size in bytes.
    #[must_use]
    pub fn least_size_bytes(&self) -> u32 {
        least_size_bytes(self.destination, self.protocol, self.session.is_some())
    }

    /// Writes the mark into the front of what follows the UDP or ICMP header. `None` when it does not fit.
    pub(super) fn write_mark(&self, sequence: u32, payload: &mut [u8]) -> Option<()> {
        if let Some(session) = self.session {
            return crate::ReflectRequest { session, sequence }.write(payload);
        }
        payload.get_mut(..4)?.copy_from_slice(&MAGIC);
        payload.get_mut(4..8)?.copy_from_slice(&sequence.to_be_bytes());
        if self.protocol == ProbeProtocol::Icmp {
            // The header's sequence and the mark change from probe to probe; this word undoes their sum.
            let varying = u64::from(sequence & 0xffff) * 2 + u64::from(sequence >> 16);
            let undo = !fold(varying);
            payload.get_mut(8..10)?.copy_from_slice(&undo.to_be_bytes());
        }
        Some(())
    }

    /// Reads the mark back; `None` when it is cut off or not ours.
    pub(super) fn read_mark(&self, payload: &[u8]) -> Option<u32> {
        if let Some(session) = self.session {
            let request = crate::ReflectRequest::read(payload)?;
            return (request.session == session).then_some(request.sequence);
        }
        (payload.get(..4)? == MAGIC).then_some(be32(payload, 4)?)
    }

    /// Whether a quote of a probe's payload may have ended before the number did: what there is of it is the front of a mark. Zeros at
    /// its end may be padding (RFC 4884, 5.5: routers that quote eight bytes fill up to 128); quotes end at words, and no
    /// probe's number ends with sixteen zero bits.
    pub(super) fn may_be_cut(&self, quoted: &[u8]) -> bool {
        let (whole, before_number) = match self.session {
            Some(session) => (crate::REFLECT_BYTES, 4 + session.len()),
            None => (MARK_BYTES, MAGIC.len()),
        };
        let told = quoted
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let sent = self.payload(0, self.least_size_bytes()).unwrap_or_default();
        let mut both = quoted.iter().zip(&sent).take(told.min(before_number));
        (quoted.len() < whole || told <= before_number + 2) && both.all(|(quoted, sent)| quoted == sent)
    }

    /// What follows the UDP or ICMP header of a probe of `size_bytes`, for sockets that build headers themselves.
    #[must_use]
    pub fn payload(&self, sequence: u32, size_bytes: u32) -> Option<Vec<u8>> {
        let length = (size_bytes as usize).checked_sub(self.ip_header_bytes() + 8)?;
        let mut payload = vec![0; length];
        self.write_mark(sequence, &mut payload)?;
        Some(payload)
    }
}
