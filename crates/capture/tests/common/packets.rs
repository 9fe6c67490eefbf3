//! Packets and captures made by hand, in memory.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A TCP segment to be written. All fields may be changed before [`Tcp::ip`].
#[derive(Debug, Clone)]
pub struct Tcp {
    pub from: (IpAddr, u16),
    pub to: (IpAddr, u16),
    pub seq: u32,
    pub ack: u32,
    /// Nine bits, AE to FIN.
    pub flags: u16,
    pub window: u16,
    /// Written as they are, padded with zeros to four bytes.
    pub options: Vec<u8>,
    pub payload: Vec<u8>,
    pub id: u16,
    pub ttl: u8,
    pub traffic_class: u8,
    pub dont_fragment: bool,
}

pub const FIN: u16 = 1;
pub const SYN: u16 = 2;
pub const RST: u16 = 4;
pub const PSH: u16 = 8;
pub const ACK: u16 = 16;

/// Padding and time stamps, as in nearly every segment.
pub fn timestamps(value: u32, echo: u32) -> Vec<u8> {
    let mut bytes = vec![1, 1, 8, 10];
    bytes.extend(value.to_be_bytes());
    bytes.extend(echo.to_be_bytes());
    bytes
}

impl Tcp {
    /// A segment between two hosts over IPv4: 10.0.0.1 port 40000 to 10.0.0.2 port 80.
    pub fn v4() -> Self {
        Self {
            from: (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 40_000),
            to: (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 80),
            seq: 1_000,
            ack: 2_000,
            flags: ACK,
            window: 500,
            options: timestamps(7, 8),
            payload: vec![0x55; 100],
            id: 0x1234,
            ttl: 64,
            traffic_class: 0,
            dont_fragment: true,
        }
    }

    /// The same over IPv6: 2001:db8::1 to 2001:db8::2.
    pub fn v6() -> Self {
        let host = |n| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, n));
        Self {
            from: (host(1), 40_000),
            to: (host(2), 80),
            ..Self::v4()
        }
    }

    pub fn payload(mut self, bytes: usize) -> Self {
        self.payload = vec![0x55; bytes];
        self
    }

    /// Options, padded.
    fn padded_options(&self) -> Vec<u8> {
        let mut options = self.options.clone();
        options.resize(options.len().next_multiple_of(4), 0);
        options
    }

    /// Header and options, bytes.
    pub fn header_bytes(&self) -> usize {
        20 + self.padded_options().len()
    }

    /// The TCP header, options and payload.
    pub fn segment(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.from.1.to_be_bytes());
        bytes.extend(self.to.1.to_be_bytes());
        bytes.extend(self.seq.to_be_bytes());
        bytes.extend(self.ack.to_be_bytes());
        let words = (self.header_bytes() / 4) as u16;
        bytes.extend((words << 12 | self.flags).to_be_bytes());
        bytes.extend(self.window.to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.padded_options());
        bytes.extend(&self.payload);
        bytes
    }

    /// The IP packet.
    pub fn ip(&self) -> Vec<u8> {
        self.ip_of(6, &self.segment())
    }

    /// An IP packet between the same hosts that holds something else.
    pub fn ip_of(&self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        match (self.from.0, self.to.0) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let df = if self.dont_fragment { 0x4000 } else { 0 };
                let header = Ipv4 {
                    from,
                    to,
                    protocol,
                    id: self.id,
                    flags: df,
                    ttl: self.ttl,
                    class: self.traffic_class,
                };
                header.around(payload)
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let mut bytes = vec![0x60 | self.traffic_class >> 4, self.traffic_class << 4, 0, 0];
                bytes.extend((payload.len() as u16).to_be_bytes());
                bytes.extend([protocol, self.ttl]);
                bytes.extend(from.octets());
                bytes.extend(to.octets());
                bytes.extend(payload);
                bytes
            }
            _ => panic!("one version of IP at a time"),
        }
    }

    /// In an Ethernet frame.
    pub fn ethernet(&self) -> Vec<u8> {
        ethernet(self.ethertype(), &self.ip())
    }

    pub fn ethertype(&self) -> u16 {
        if self.from.0.is_ipv4() { 0x0800 } else { 0x86dd }
    }

    /// IPv4 fragments with so many bytes of IP payload each (a multiple of 8).
    pub fn ipv4_fragments(&self, bytes: usize) -> Vec<Vec<u8>> {
        let (IpAddr::V4(from), IpAddr::V4(to)) = (self.from.0, self.to.0) else {
            panic!("IPv4 only");
        };
        let segment = self.segment();
        let count = segment.chunks(bytes).count();
        let pieces = segment.chunks(bytes).enumerate().map(|(place, piece)| {
            let more = if place + 1 < count { 0x2000 } else { 0 };
            let flags = more | (place * bytes / 8) as u16;
            Ipv4 {
                from,
                to,
                protocol: 6,
                id: self.id,
                flags,
                ttl: self.ttl,
                class: 0,
            }
            .around(piece)
        });
        pieces.collect()
    }

    /// IPv6 fragments.
    pub fn ipv6_fragments(&self, bytes: usize, id: u32) -> Vec<Vec<u8>> {
        let segment = self.segment();
        let count = segment.chunks(bytes).count();
        let pieces = segment.chunks(bytes).enumerate().map(|(place, piece)| {
            let offset = (place * bytes) as u16 | u16::from(place + 1 < count);
            let mut payload = vec![6, 0];
            payload.extend(offset.to_be_bytes());
            payload.extend(id.to_be_bytes());
            payload.extend(piece);
            self.ip_of(44, &payload)
        });
        pieces.collect()
    }
}

/// An IPv4 header to be written.
pub struct Ipv4 {
    pub from: Ipv4Addr,
    pub to: Ipv4Addr,
    pub protocol: u8,
    pub id: u16,
    pub flags: u16,
    pub ttl: u8,
    pub class: u8,
}

impl Ipv4 {
    pub fn around(&self, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x45, self.class];
        bytes.extend(((20 + payload.len()) as u16).to_be_bytes());
        bytes.extend(self.id.to_be_bytes());
        bytes.extend(self.flags.to_be_bytes());
        bytes.extend([self.ttl, self.protocol, 0, 0]);
        bytes.extend(self.from.octets());
        bytes.extend(self.to.octets());
        let sum = checksum(&bytes);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes.extend(payload);
        bytes
    }
}

/// RFC 1071.
pub fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An Ethernet frame, without padding.
pub fn ethernet(ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    bytes.extend(ethertype.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A UDP datagram.
pub fn udp(from: u16, to: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(from.to_be_bytes());
    bytes.extend(to.to_be_bytes());
    bytes.extend(((8 + payload.len()) as u16).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(payload);
    bytes
}

/// Bytes of several parts, one behind another.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// How a pcap file is written.
#[derive(Debug, Clone, Copy)]
pub struct Pcap {
    pub big: bool,
    pub nanoseconds: bool,
    /// Packets are cut to it.
    pub snap_bytes: u32,
    pub link_type: u32,
}

impl Default for Pcap {
    fn default() -> Self {
        Self {
            big: false,
            nanoseconds: false,
            snap_bytes: 262_144,
            link_type: 1,
        }
    }
}

/// A packet of a capture to be written: time and bytes on the wire.
pub type Timed = (i64, Vec<u8>);

impl Pcap {
    fn u32(&self, value: u32) -> [u8; 4] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    fn u16(&self, value: u16) -> [u8; 2] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub fn header(&self) -> Vec<u8> {
        let magic = if self.nanoseconds {
            0xa1b2_3c4d
        } else {
            0xa1b2_c3d4
        };
        let mut bytes = self.u32(magic).to_vec();
        bytes.extend(self.u16(2));
        bytes.extend(self.u16(4));
        bytes.extend([0; 8]);
        bytes.extend(self.u32(self.snap_bytes));
        bytes.extend(self.u32(self.link_type));
        bytes
    }

    pub fn record(&self, time_ns: i64, packet: &[u8]) -> Vec<u8> {
        let captured = packet.get(..self.snap_bytes as usize).unwrap_or(packet);
        let fraction = (time_ns % 1_000_000_000) as u32 / if self.nanoseconds { 1 } else { 1_000 };
        let mut bytes = self.u32((time_ns / 1_000_000_000) as u32).to_vec();
        bytes.extend(self.u32(fraction));
        bytes.extend(self.u32(captured.len() as u32));
        bytes.extend(self.u32(packet.len() as u32));
        bytes.extend(captured);
        bytes
    }

    /// A whole file.
    pub fn file(&self, packets: &[Timed]) -> Vec<u8> {
        let mut bytes = self.header();
        for (time_ns, packet) in packets {
            bytes.extend(self.record(*time_ns, packet));
        }
        bytes
    }
}

/// Blocks of pcapng in one byte order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pcapng {
    pub big: bool,
}

/// An option of a block: code and value.
pub type BlockOption<'a> = (u16, &'a [u8]);

impl Pcapng {
    pub fn u32(&self, value: u32) -> [u8; 4] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub fn u16(&self, value: u16) -> [u8; 2] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub fn u64(&self, value: u64) -> [u8; 8] {
        if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    pub fn block(&self, kind: u32, body: &[u8], options: &[BlockOption<'_>]) -> Vec<u8> {
        let mut within = body.to_vec();
        within.resize(within.len().next_multiple_of(4), 0);
        for (code, value) in options {
            within.extend(self.u16(*code));
            within.extend(self.u16(value.len() as u16));
            within.extend(*value);
            within.resize(within.len().next_multiple_of(4), 0);
        }
        if !options.is_empty() {
            within.extend([0; 4]);
        }
        let length = self.u32(within.len() as u32 + 12);
        joined(&[&self.u32(kind), &length, &within, &length])
    }

    pub fn section(&self, options: &[BlockOption<'_>]) -> Vec<u8> {
        let body = joined(&[&self.u32(0x1a2b_3c4d), &self.u16(1), &self.u16(0), &[0xff; 8]]);
        self.block(0x0a0d_0d0a, &body, options)
    }

    pub fn interface(&self, link_type: u16, snap_bytes: u32, options: &[BlockOption<'_>]) -> Vec<u8> {
        let body = joined(&[&self.u16(link_type), &[0, 0], &self.u32(snap_bytes)]);
        self.block(1, &body, options)
    }

    /// An enhanced packet block: `ticks` in the unit of the interface.
    pub fn packet(
        &self,
        interface: u32,
        ticks: u64,
        wire: u32,
        captured: &[u8],
        options: &[BlockOption<'_>],
    ) -> Vec<u8> {
        let mut body = self.u32(interface).to_vec();
        body.extend(self.u32((ticks >> 32) as u32));
        body.extend(self.u32(ticks as u32));
        body.extend(self.u32(captured.len() as u32));
        body.extend(self.u32(wire));
        body.extend(captured);
        self.block(6, &body, options)
    }

    pub fn obsolete_packet(&self, interface: u16, ticks: u64, wire: u32, captured: &[u8]) -> Vec<u8> {
        let mut body = self.u16(interface).to_vec();
        body.extend(self.u16(0xffff));
        body.extend(self.u32((ticks >> 32) as u32));
        body.extend(self.u32(ticks as u32));
        body.extend(self.u32(captured.len() as u32));
        body.extend(self.u32(wire));
        body.extend(captured);
        self.block(2, &body, &[])
    }

    pub fn simple_packet(&self, wire: u32, captured: &[u8]) -> Vec<u8> {
        self.block(3, &joined(&[&self.u32(wire), captured]), &[])
    }

    pub fn statistics(&self, interface: u32, counted: &[(u16, u64)]) -> Vec<u8> {
        let values: Vec<_> = counted
            .iter()
            .map(|(code, value)| (*code, self.u64(*value)))
            .collect();
        let options: Vec<_> = values.iter().map(|(code, value)| (*code, &value[..])).collect();
        self.block(5, &joined(&[&self.u32(interface), &[0; 8]]), &options)
    }

    /// A whole file with one interface and times in microseconds.
    pub fn file(&self, link_type: u16, packets: &[Timed]) -> Vec<u8> {
        let mut bytes = self.section(&[]);
        bytes.extend(self.interface(link_type, 0, &[]));
        for (time_ns, packet) in packets {
            bytes.extend(self.packet(0, *time_ns as u64 / 1_000, packet.len() as u32, packet, &[]));
        }
        bytes
    }
}
