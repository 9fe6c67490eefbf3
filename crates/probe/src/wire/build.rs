//! Builds whole probe packets, IP header included, for raw sockets.

use super::checksum::{fold, transport_checksum, word_sum};
use super::field::{ICMP, ICMP_V6, TCP, UDP};
use super::flow::Flow;
use crate::Probe;
use evidence::{ProbeProtocol, SizeProbeMode};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// TTL of probes that are to reach the destination: what most hosts send with, and beyond any real path.
const FULL_TTL: u8 = 64;
const DONT_FRAGMENT: u16 = 0x4000;
const SYN: u8 = 0x02;

/// The packet of `probe` in `flow`, into `packet` (cleared first). `None` when the size is too small for its mark or
/// larger than an IP packet (for TCP: than a header full of options) can be.
pub fn build_packet(flow: &Flow, probe: &Probe, packet: &mut Vec<u8>) -> Option<()> {
    let size = probe.size_bytes as usize;
    if probe.size_bytes < flow.least_size_bytes() || size > 0xffff {
        return None;
    }
    packet.clear();
    packet.resize(size, 0);
    let (ip, transport) = packet.split_at_mut(flow.ip_header_bytes());
    let protocol = write_transport(flow, probe.sequence, transport)?;
    let ttl = probe.ttl.unwrap_or(FULL_TTL);
    match (flow.source, flow.destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let header = Ipv4 {
                source,
                destination,
                protocol,
                ttl,
                identification: probe.sequence as u16,
                flags: match probe.mode {
                    SizeProbeMode::DontFragment => DONT_FRAGMENT,
                    SizeProbeMode::MayFragment => 0,
                },
            };
            header.write(size as u16, ip)
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            write_ipv6(source, destination, protocol, ttl, transport.len() as u16, ip)
        }
        _ => None,
    }
}

struct Ipv4 {
    source: Ipv4Addr,
    destination: Ipv4Addr,
    protocol: u8,
    ttl: u8,
    identification: u16,
    flags: u16,
}

impl Ipv4 {
    fn write(&self, total_length: u16, ip: &mut [u8]) -> Option<()> {
        let ip: &mut [u8; 20] = ip.try_into().ok()?;
        ip[0] = 0x45;
        ip[2..4].copy_from_slice(&total_length.to_be_bytes());
        ip[4..6].copy_from_slice(&self.identification.to_be_bytes());
        ip[6..8].copy_from_slice(&self.flags.to_be_bytes());
        ip[8] = self.ttl;
        ip[9] = self.protocol;
        ip[12..16].copy_from_slice(&self.source.octets());
        ip[16..20].copy_from_slice(&self.destination.octets());
        let checksum = !fold(word_sum(ip.as_slice()));
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        Some(())
    }
}

fn write_ipv6(
    source: Ipv6Addr,
    destination: Ipv6Addr,
    next_header: u8,
    hop_limit: u8,
    payload_length: u16,
    ip: &mut [u8],
) -> Option<()> {
    let ip: &mut [u8; 40] = ip.try_into().ok()?;
    // Flow label 0: constant, as the ports are.
    ip[0] = 0x60;
    ip[4..6].copy_from_slice(&payload_length.to_be_bytes());
    ip[6] = next_header;
    ip[7] = hop_limit;
    ip[8..24].copy_from_slice(&source.octets());
    ip[24..40].copy_from_slice(&destination.octets());
    Some(())
}

/// Writes the header, the mark and the checksum; gives the protocol number.
fn write_transport(flow: &Flow, sequence: u32, transport: &mut [u8]) -> Option<u8> {
    let (protocol, checksum_at) = match flow.protocol {
        ProbeProtocol::Udp => (write_udp(flow, sequence, transport)?, 6),
        ProbeProtocol::Icmp => (write_echo_request(flow, sequence, transport)?, 2),
        ProbeProtocol::TcpSyn => (write_syn(flow, sequence, transport)?, 16),
    };
    let checksum = match protocol {
        ICMP => !fold(word_sum(transport)),
        _ => transport_checksum(flow.source, flow.destination, protocol, transport),
    };
    // UDP: zero means "no checksum" (RFC 768).
    let checksum = if protocol == UDP && checksum == 0 {
        0xffff
    } else {
        checksum
    };
    transport
        .get_mut(checksum_at..checksum_at + 2)?
        .copy_from_slice(&checksum.to_be_bytes());
    Some(protocol)
}

fn write_udp(flow: &Flow, sequence: u32, transport: &mut [u8]) -> Option<u8> {
    let length = transport.len() as u16;
    let (header, payload) = transport.split_at_mut_checked(8)?;
    header[..2].copy_from_slice(&flow.source_port.to_be_bytes());
    header[2..4].copy_from_slice(&flow.destination_port.to_be_bytes());
    header[4..6].copy_from_slice(&length.to_be_bytes());
    flow.write_mark(sequence, payload)?;
    Some(UDP)
}

fn write_echo_request(flow: &Flow, sequence: u32, transport: &mut [u8]) -> Option<u8> {
    let (header, payload) = transport.split_at_mut_checked(8)?;
    let (kind, protocol) = if flow.destination.is_ipv4() {
        (8, ICMP)
    } else {
        (128, ICMP_V6)
    };
    header[0] = kind;
    header[4..6].copy_from_slice(&flow.source_port.to_be_bytes());
    header[6..8].copy_from_slice(&(sequence as u16).to_be_bytes());
    flow.write_mark(sequence, payload)?;
    Some(protocol)
}

/// A SYN without data, padded with options: the TCP sequence number is the probe's number, so that eight quoted bytes
/// identify it. Data would be acknowledged by a reset, and a reset could then not be told from a forged one.
fn write_syn(flow: &Flow, sequence: u32, transport: &mut [u8]) -> Option<u8> {
    const NO_OPERATION: u8 = 1;
    let words = u8::try_from(transport.len() / 4)
        .ok()
        .filter(|words| (5..=15).contains(words))?;
    if !transport.len().is_multiple_of(4) {
        return None;
    }
    let (header, options) = transport.split_at_mut_checked(20)?;
    options.fill(NO_OPERATION);
    header[..2].copy_from_slice(&flow.source_port.to_be_bytes());
    header[2..4].copy_from_slice(&flow.destination_port.to_be_bytes());
    header[4..8].copy_from_slice(&sequence.to_be_bytes());
    header[12] = words << 4;
    header[13] = SYN;
    header[14..16].copy_from_slice(&1024u16.to_be_bytes());
    Some(TCP)
}

#[cfg(test)]
mod tests {
    use super::super::checksum::pseudo_header_sum;
    use super::super::{internet_checksum, read_quote};
    use super::*;
    use proptest::prelude::*;

    fn flow(v6: bool, protocol: ProbeProtocol) -> Flow {
        let (source, destination): (IpAddr, IpAddr) = if v6 {
            ("2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap())
        } else {
            ("192.0.2.1".parse().unwrap(), "198.51.100.2".parse().unwrap())
        };
        Flow {
            source,
            destination,
            protocol,
            source_port: 40_001,
            destination_port: 33_434,
            session: None,
            numbered: true,
        }
    }

    fn probe(sequence: u32, size_bytes: u32) -> Probe {
        Probe {
            sequence,
            flow: 0,
            ttl: Some(7),
            size_bytes,
            mode: SizeProbeMode::DontFragment,
        }
    }

    proptest! {
        #[test]
        fn packets_have_the_size_asked_for_and_right_checksums(
            v6: bool, kind in 0usize..3, sequence: u32, extra in 0u32..9000,
        ) {
            let protocol = [ProbeProtocol::Udp, ProbeProtocol::Icmp, ProbeProtocol::TcpSyn][kind];
            let flow = flow(v6, protocol);
            let extra = if protocol == ProbeProtocol::TcpSyn { extra % 11 * 4 } else { extra };
            let size = flow.least_size_bytes() + extra;
            let mut packet = Vec::new();
            build_packet(&flow, &probe(sequence, size), &mut packet).unwrap();
            prop_assert_eq!(packet.len(), size as usize);
            let quote = read_quote(&packet).unwrap();
            prop_assert_eq!((quote.source, quote.destination), (flow.source, flow.destination));
            let pseudo = match quote.protocol {
                ICMP => 0,
                number => fold(pseudo_header_sum(flow.source, flow.destination, number, quote.transport.len())),
            };
            prop_assert_eq!(internet_checksum(&[&pseudo.to_be_bytes(), quote.transport]), 0);
            if !v6 {
                prop_assert_eq!(internet_checksum(&[&packet[..20]]), 0);
            }
        }

        #[test]
        fn an_icmp_flow_keeps_its_checksum(v6: bool, first: u32, second: u32) {
            let flow = flow(v6, ProbeProtocol::Icmp);
            let checksum = |sequence| {
                let mut packet = Vec::new();
                build_packet(&flow, &probe(sequence, 100), &mut packet).unwrap();
                let at = flow.ip_header_bytes() + 2;
                packet[at..at + 2].to_vec()
            };
            prop_assert_eq!(checksum(first), checksum(second));
        }

        #[test]
        fn sizes_that_cannot_be_are_refused(size in 0u32..36) {
            let mut packet = Vec::new();
            prop_assert!(build_packet(&flow(false, ProbeProtocol::Udp), &probe(1, size), &mut packet).is_none());
            let huge = probe(1, 65_536 + size);
            prop_assert!(build_packet(&flow(false, ProbeProtocol::Udp), &huge, &mut packet).is_none());
        }
    }
}
