//! Two other programs read the same: pcap-parser the files, etherparse the packets. What they cannot read is not asked of
//! them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use capture::Segment;
use capture::decode::Packet;
use common::packets::{Pcap, Pcapng, Tcp, Timed, ethernet, joined};
use common::read::{Owned, decode, read};
use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TransportSlice};
use pcap_parser::{Block, PcapBlockOwned, PcapError};
use proptest::prelude::*;
use std::io::Cursor;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The packets of a file, as pcap-parser reads them: times in units of the file.
fn by_pcap_parser(bytes: &[u8]) -> Vec<(u64, Vec<u8>, u32)> {
    let mut reader = pcap_parser::create_reader(1 << 20, Cursor::new(bytes)).unwrap();
    let mut packets = vec![];
    loop {
        let length = match reader.next() {
            Ok((length, block)) => {
                match block {
                    PcapBlockOwned::Legacy(record) => {
                        let time = u64::from(record.ts_sec) * 1_000_000 + u64::from(record.ts_usec);
                        packets.push((time, record.data.to_vec(), record.origlen));
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                        let time = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                        let captured = &packet.data[..packet.caplen as usize];
                        packets.push((time, captured.to_vec(), packet.origlen));
                    }
                    PcapBlockOwned::NG(_) | PcapBlockOwned::LegacyHeader(_) => {}
                }
                length
            }
            Err(PcapError::Incomplete(_)) => {
                reader.refill().unwrap();
                continue;
            }
            Err(_) => return packets,
        };
        reader.consume(length);
    }
}

fn of_ours(packet: &Owned) -> (u64, Vec<u8>, u32) {
    (
        (packet.time_ns / 1_000) as u64,
        packet.captured.clone(),
        packet.wire_bytes,
    )
}

/// What both know of a segment.
#[derive(Debug, PartialEq)]
struct Known {
    from: (IpAddr, u16),
    to: (IpAddr, u16),
    numbers: (u32, u32, u16),
    flags: u16,
    payload_bytes: usize,
    ip: (u8, u8),
    mss_bytes: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    timestamps: Option<(u32, u32)>,
    sack: Vec<(u32, u32)>,
}

fn by_etherparse(frame: &[u8]) -> Option<Known> {
    let sliced = SlicedPacket::from_ethernet(frame).ok()?;
    let Some(TransportSlice::Tcp(tcp)) = sliced.transport else {
        return None;
    };
    let (from, to, ip) = match sliced.net? {
        NetSlice::Ipv4(v4) => {
            let header = v4.header();
            let class = header.dcp().value() << 2 | header.ecn().value();
            (
                header.source_addr().into(),
                header.destination_addr().into(),
                (header.ttl(), class),
            )
        }
        NetSlice::Ipv6(v6) => {
            let header = v6.header();
            let (from, to) = (header.source_addr(), header.destination_addr());
            (
                IpAddr::from(from),
                IpAddr::from(to),
                (header.hop_limit(), header.traffic_class()),
            )
        }
        NetSlice::Arp(_) => return None,
    };
    let bits = [
        tcp.fin(),
        tcp.syn(),
        tcp.rst(),
        tcp.psh(),
        tcp.ack(),
        tcp.urg(),
        tcp.ece(),
        tcp.cwr(),
        tcp.ns(),
    ];
    let mut known = Known {
        from: (from, tcp.source_port()),
        to: (to, tcp.destination_port()),
        numbers: (
            tcp.sequence_number(),
            tcp.acknowledgment_number(),
            tcp.window_size(),
        ),
        flags: bits
            .iter()
            .enumerate()
            .map(|(place, bit)| u16::from(*bit) << place)
            .sum(),
        payload_bytes: tcp.payload().len(),
        ip,
        mss_bytes: None,
        window_scale: None,
        sack_permitted: false,
        timestamps: None,
        sack: vec![],
    };
    for option in tcp.options_iterator() {
        // It stops at options that it does not know; those are left out here.
        match option.ok()? {
            TcpOptionElement::MaximumSegmentSize(bytes) => known.mss_bytes = Some(bytes),
            TcpOptionElement::WindowScale(shift) => known.window_scale = Some(shift.min(14)),
            TcpOptionElement::SelectiveAcknowledgementPermitted => known.sack_permitted = true,
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                known.sack.push(first);
                known.sack.extend(rest.into_iter().flatten());
            }
            TcpOptionElement::Timestamp(value, echo) => known.timestamps = Some((value, echo)),
            TcpOptionElement::Noop => {}
        }
    }
    Some(known)
}

fn by_us(frame: &[u8]) -> Option<Segment> {
    match decode(1, frame) {
        Packet::Tcp(segment) => Some(segment),
        _ => None,
    }
}

fn known(segment: &Segment) -> Known {
    let (from, to) = (segment.key.sender(segment.way), segment.key.receiver(segment.way));
    Known {
        from: (from.address, from.port),
        to: (to.address, to.port),
        numbers: (segment.seq, segment.ack, segment.window),
        flags: segment.flags.0,
        payload_bytes: segment.payload_bytes as usize,
        ip: (segment.ttl, segment.traffic_class),
        mss_bytes: segment.options.mss_bytes,
        window_scale: segment.options.window_scale,
        sack_permitted: segment.options.sack_permitted,
        timestamps: segment.options.timestamps,
        sack: segment.sack().to_vec(),
    }
}

/// Options that both know, no more than 40 bytes.
fn options() -> impl Strategy<Value = Vec<u8>> {
    let one = prop_oneof![
        Just(vec![1]),
        any::<[u8; 2]>().prop_map(|mss| joined(&[&[2, 4], &mss])),
        (0..16_u8).prop_map(|shift| vec![3, 3, shift]),
        Just(vec![4, 2]),
        prop::collection::vec(any::<u8>(), 8).prop_map(|block| joined(&[&[5, 10], &block])),
        prop::collection::vec(any::<u8>(), 16).prop_map(|blocks| joined(&[&[5, 18], &blocks])),
        any::<[u8; 8]>().prop_map(|times| joined(&[&[8, 10], &times])),
    ];
    prop::collection::vec(one, 0..5)
        .prop_map(|all| all.concat())
        .prop_filter("40 bytes", |all| all.len() <= 40)
}

prop_compose! {
    fn tcp()(
        v6: bool,
        from: u128,
        to: u128,
        ports: (u16, u16),
        numbers: (u32, u32),
        flags in 0..0x200_u16,
        window: u16,
        options in options(),
        payload in 0..1500_usize,
        rest: (u16, u8, u8, bool),
    ) -> Tcp {
        let address = |bits: u128| if v6 { Ipv6Addr::from_bits(bits).into() } else { Ipv4Addr::from_bits(bits as u32).into() };
        let (id, ttl, traffic_class, dont_fragment) = rest;
        Tcp {
            from: (address(from), ports.0),
            to: (address(to), ports.1),
            seq: numbers.0,
            ack: numbers.1,
            flags,
            window,
            options,
            payload: vec![0; payload],
            id,
            ttl,
            traffic_class,
            dont_fragment,
        }
    }
}

fn tags() -> impl Strategy<Value = Vec<(u16, u16)>> {
    prop::collection::vec((prop_oneof![Just(0x8100_u16), Just(0x88a8)], any::<u16>()), 0..3)
}

fn tagged(tcp: &Tcp, tags: &[(u16, u16)]) -> Vec<u8> {
    let (mut ethertype, mut rest) = (tcp.ethertype(), tcp.ip());
    for (kind, tag) in tags {
        rest = joined(&[&tag.to_be_bytes(), &ethertype.to_be_bytes(), &rest]);
        ethertype = *kind;
    }
    ethernet(ethertype, &rest)
}

proptest! {
    #[test]
    fn segments(tcp in tcp(), tags in tags()) {
        let frame = tagged(&tcp, &tags);
        let ours = by_us(&frame);
        prop_assert!(ours.is_some());
        prop_assert_eq!(ours.as_ref().map(known), by_etherparse(&frame));
    }

    /// Damaged packets: where both still see a segment, it is the same.
    #[test]
    fn damaged_segments(
        tcp in tcp(),
        tags in tags(),
        hits in prop::collection::vec((0..90_usize, any::<u8>()), 1..4),
    ) {
        let mut frame = tagged(&tcp, &tags);
        for (place, byte) in hits {
            if let Some(place) = frame.get_mut(place) {
                *place = byte;
            }
        }
        let (ours, theirs) = (by_us(&frame), by_etherparse(&frame));
        // A length of zero means the rest of the frame to us; options that are cut are none to them.
        if let (Some(ours), Some(theirs)) = (ours, theirs)
            && !ours.options.is_cut
        {
            let ours = known(&ours);
            // The length as the header tells it, though fewer bytes are there.
            let is_longer = ours.payload_bytes > theirs.payload_bytes;
            let ours = if is_longer { Known { payload_bytes: theirs.payload_bytes, ..ours } } else { ours };
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn files(
        sizes in prop::collection::vec(0..600_usize, 0..40),
        big: bool,
        next_generation: bool,
        snap_bytes in prop_oneof![Just(262_144_u32), 54..200_u32],
        cut in any::<prop::sample::Index>(),
    ) {
        let packets: Vec<Timed> = sizes
            .iter()
            .zip(0_i64..)
            .map(|(bytes, n)| (1_700_000_000_000_000_000 + n * 1_234_000, Tcp::v4().payload(*bytes).ethernet()))
            .collect();
        let mut file = if next_generation {
            Pcapng { big }.file(1, &packets)
        } else {
            Pcap { big, snap_bytes, ..Pcap::default() }.file(&packets)
        };
        let header_bytes = 48;
        if file.len() > header_bytes {
            file.truncate(header_bytes + cut.index(file.len() - header_bytes));
        }
        let ours: Vec<_> = read(&file).packets.iter().map(of_ours).collect();
        prop_assert_eq!(ours, by_pcap_parser(&file));
    }
}
