//! Each layer below TCP is taken off, and what is within is the segment that went in.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use capture::decode::{Other, Packet};
use capture::{Flags, Segment};
use common::packets::{SYN, Tcp, ethernet, joined, udp};
use common::read::{decode, decode_cut, segment, too_big};

const ETHERNET: u16 = 1;

fn inner() -> [Tcp; 2] {
    [Tcp::v4(), Tcp::v6()]
}

/// The segment as it is without any tunnel.
fn plain(tcp: &Tcp) -> Segment {
    segment(101, &tcp.ip())
}

fn other(link_type: u16, frame: &[u8]) -> Other {
    match decode(link_type, frame) {
        Packet::Other(other) => other,
        found => panic!("{found:?}"),
    }
}

/// Whatever is put around both versions of IP leaves the segment as it is.
#[track_caller]
fn comes_through(link_type: u16, around: impl Fn(&Tcp) -> Vec<u8>) {
    for tcp in inner() {
        assert_eq!(segment(link_type, &around(&tcp)), plain(&tcp));
    }
}

#[test]
fn all_fields() {
    let tcp = Tcp {
        seq: 0xfedc_ba98,
        ack: 0x7654_3210,
        flags: 0x1ff,
        window: 0xabcd,
        id: 0xbeef,
        ttl: 3,
        traffic_class: 0xb9,
        ..Tcp::v4().payload(33)
    };
    let read = segment(ETHERNET, &tcp.ethernet());
    assert_eq!(read.key.sender(read.way).address, tcp.from.0);
    assert_eq!(read.key.sender(read.way).port, tcp.from.1);
    assert_eq!(read.key.receiver(read.way).port, tcp.to.1);
    assert_eq!((read.seq, read.ack, read.window), (tcp.seq, tcp.ack, tcp.window));
    assert_eq!((read.flags, read.payload_bytes), (Flags(0x1ff), 33));
    assert_eq!(
        (read.ip_bytes, read.ip_id, read.ttl),
        (20 + 32 + 33, Some(0xbeef), 3)
    );
    assert_eq!(
        (read.traffic_class, read.dont_fragment, read.fragments),
        (0xb9, true, 1)
    );
    assert_eq!(read.options.timestamps, Some((7, 8)));
    assert_eq!(read.hash, read.key.hash(1));
    assert_eq!(read.time_ns, 5);

    let v6 = segment(
        ETHERNET,
        &Tcp {
            traffic_class: 0xb9,
            ttl: 9,
            ..Tcp::v6().payload(33)
        }
        .ethernet(),
    );
    assert_eq!((v6.ip_bytes, v6.ip_id, v6.ttl), (40 + 32 + 33, None, 9));
    assert_eq!((v6.traffic_class, v6.dont_fragment), (0xb9, true));
}

#[test]
fn ethernet_and_tags() {
    comes_through(ETHERNET, Tcp::ethernet);
    let tag = |outer: u16, within: u16, rest: &[u8]| {
        ethernet(outer, &joined(&[&[0x20, 5], &within.to_be_bytes(), rest]))
    };
    for kind in [0x8100, 0x88a8, 0x9100] {
        comes_through(ETHERNET, |tcp| tag(kind, tcp.ethertype(), &tcp.ip()));
        comes_through(ETHERNET, |tcp| {
            let second = joined(&[&[0, 9], &tcp.ethertype().to_be_bytes(), &tcp.ip()]);
            tag(kind, 0x8100, &second)
        });
    }
    // 802.1ah: a tag, and a frame within.
    comes_through(ETHERNET, |tcp| {
        ethernet(0x88e7, &joined(&[&[0, 0, 0, 5], &tcp.ethernet()]))
    });
    // 802.2 with SNAP.
    comes_through(ETHERNET, |tcp| {
        ethernet(
            100,
            &joined(&[
                &[0xaa, 0xaa, 3, 0, 0, 0],
                &tcp.ethertype().to_be_bytes(),
                &tcp.ip(),
            ]),
        )
    });
}

#[test]
fn padding_is_no_payload() {
    for tcp in inner() {
        let tcp = Tcp {
            options: vec![],
            ..tcp.payload(0)
        };
        let padded = joined(&[&tcp.ethernet(), &[0; 30]]);
        assert_eq!(segment(ETHERNET, &padded).payload_bytes, 0);
        assert_eq!(segment(ETHERNET, &padded), plain(&tcp));
    }
}

#[test]
fn mpls() {
    let label = |value: u32, is_last: bool| (value << 12 | u32::from(is_last) << 8 | 64).to_be_bytes();
    comes_through(ETHERNET, |tcp| {
        ethernet(0x8847, &joined(&[&label(100, true), &tcp.ip()]))
    });
    comes_through(219, |tcp| {
        joined(&[
            &label(100, false),
            &label(3000, false),
            &label(2, true),
            &tcp.ip(),
        ])
    });
    comes_through(ETHERNET, |tcp| {
        ethernet(0x8847, &joined(&[&label(1, true), &[0; 4], &tcp.ethernet()]))
    });
    comes_through(ETHERNET, |tcp| {
        ethernet(
            0x8848,
            &joined(&[&label(1, true), &[0, 0, 0, 9], &tcp.ethernet()]),
        )
    });
    // Without a control word, to addresses that look like one, and like either version of IP.
    for first in [0x00_u8, 0x02, 0x44, 0x45, 0x60, 0x68, 0xff] {
        comes_through(ETHERNET, |tcp| {
            let mut frame = tcp.ethernet();
            frame[..3].copy_from_slice(&[first, 0, 0x5e]);
            ethernet(0x8847, &joined(&[&label(1, true), &frame]))
        });
    }
    let channel = ethernet(0x8847, &joined(&[&label(13, true), &[0x10, 0, 0, 7], &[0; 40]]));
    assert_eq!(other(ETHERNET, &channel), Other::NotIp);
}

#[test]
fn ppp() {
    let number = |tcp: &Tcp| if tcp.from.0.is_ipv4() { 0x21_u8 } else { 0x57 };
    let session = |tcp: &Tcp| joined(&[&[0x11, 0, 0, 1, 0, 99, 0, number(tcp)], &tcp.ip()]);
    comes_through(ETHERNET, |tcp| ethernet(0x8864, &session(tcp)));
    comes_through(51, session);
    comes_through(9, |tcp| joined(&[&[0, number(tcp)], &tcp.ip()]));
    comes_through(9, |tcp| joined(&[&[0xff, 3, number(tcp)], &tcp.ip()]));
    comes_through(50, |tcp| joined(&[&[0xff, 3, 0, number(tcp)], &tcp.ip()]));
    comes_through(104, |tcp| {
        joined(&[&[0x0f, 0], &tcp.ethertype().to_be_bytes(), &tcp.ip()])
    });
    comes_through(204, |tcp| joined(&[&[1, 0xff, 3, 0, number(tcp)], &tcp.ip()]));
    assert_eq!(other(9, &[0xff, 3, 0xc0, 0x21, 1, 1, 0, 4]), Other::NotIp);
    // A discovery packet of PPPoE has another code.
    assert_eq!(other(51, &[0x11, 9, 0, 0, 0, 0, 0, 0x21, 0x45]), Other::NotIp);
}

#[test]
fn gre_with_all_fields() {
    for flags in 0..16_u8 {
        comes_through(ETHERNET, |tcp| {
            let mut gre = vec![flags << 4, 0];
            gre.extend(tcp.ethertype().to_be_bytes());
            let words = |bit: u8| usize::from(flags & bit != 0) * 4;
            // Checksum or routing share a word; then key, sequence number.
            gre.resize(4 + (words(8) | words(4)) + words(2) + words(1), 0x77);
            if flags & 4 != 0 {
                gre.extend([8, 0, 0, 4, 1, 2, 3, 4, 0, 0, 0, 0]);
            }
            ethernet(0x0800, &Tcp::v4().ip_of(47, &joined(&[&gre, &tcp.ip()])))
        });
    }
    let gre = |header: &[u8], rest: &[u8]| Tcp::v6().ip_of(47, &joined(&[header, rest]));
    comes_through(101, |tcp| gre(&[0, 0, 0x65, 0x58], &tcp.ethernet()));
    // PPTP: key, sequence number, acknowledgement.
    comes_through(101, |tcp| {
        let number = if tcp.from.0.is_ipv4() { 0x21 } else { 0x57 };
        gre(
            &[
                0x30, 0x81, 0x88, 0x0b, 0, 9, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0xff, 3, 0, number,
            ],
            &tcp.ip(),
        )
    });
    // ERSPAN: without a header, with that of type II, with that of type III with and without its second part.
    comes_through(101, |tcp| gre(&[0, 0, 0x88, 0xbe], &tcp.ethernet()));
    comes_through(101, |tcp| {
        gre(
            &[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1],
            &joined(&[&[0x10; 8], &tcp.ethernet()]),
        )
    });
    for (last, more) in [(0, 0), (1, 8)] {
        comes_through(101, |tcp| {
            let header = [0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
            gre(
                &[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1],
                &joined(&[&header, &vec![0; more], &tcp.ethernet()]),
            )
        });
    }
    assert_eq!(other(101, &gre(&[0, 0, 0x20, 0x01], &[0; 40])), Other::NotIp);
    assert_eq!(other(101, &gre(&[0, 2, 8, 0], &[0; 40])), Other::Malformed);
}

#[test]
fn tunnels_over_udp() {
    let over =
        |port: u16, payload: &[u8]| ethernet(0x0800, &Tcp::v4().ip_of(17, &udp(50_000, port, payload)));
    for port in [4789, 8472] {
        comes_through(ETHERNET, |tcp| {
            over(port, &joined(&[&[8, 0, 0, 0, 0, 0, 9, 0], &tcp.ethernet()]))
        });
    }
    comes_through(ETHERNET, |tcp| {
        over(6081, &joined(&[&[0, 0, 0x65, 0x58, 0, 0, 9, 0], &tcp.ethernet()]))
    });
    comes_through(ETHERNET, |tcp| {
        let ethertype = tcp.ethertype().to_be_bytes();
        over(
            6081,
            &joined(&[&[2, 0], &ethertype, &[0, 0, 9, 0], &[7; 8], &tcp.ip()]),
        )
    });
    comes_through(ETHERNET, |tcp| {
        let next = if tcp.from.0.is_ipv4() { 1 } else { 2 };
        over(4790, &joined(&[&[0x0c, 0, 0, next, 0, 0, 9, 0], &tcp.ip()]))
    });
    // Another user of the port, and another port.
    assert_eq!(other(ETHERNET, &over(4789, &[0; 100])), Other::Udp);
    assert_eq!(other(ETHERNET, &over(53, &[8; 100])), Other::Udp);
    assert_eq!(other(ETHERNET, &over(4789, &[])), Other::Udp);
}

#[test]
fn ip_within_ip() {
    let number = |tcp: &Tcp| if tcp.from.0.is_ipv4() { 4 } else { 41 };
    for outer in inner() {
        comes_through(ETHERNET, |tcp| {
            ethernet(outer.ethertype(), &outer.ip_of(number(tcp), &tcp.ip()))
        });
        comes_through(101, |tcp| {
            outer.ip_of(97, &joined(&[&[0x30, 0], &tcp.ethernet()]))
        });
    }
}

#[test]
fn depth_is_bounded() {
    let mut deep = Tcp::v4().ip();
    for depth in 1..100 {
        deep = Tcp::v4().ip_of(4, &deep);
        match decode(101, &deep) {
            Packet::Tcp(_) => assert!(depth < 24),
            Packet::Other(Other::TooDeep) => assert!(depth >= 12, "{depth}"),
            found => panic!("{found:?}"),
        }
    }
    assert_eq!(other(101, &deep), Other::TooDeep);
}

#[test]
fn links_without_ethernet() {
    for link_type in [12, 14, 101] {
        comes_through(link_type, Tcp::ip);
    }
    assert_eq!(segment(228, &Tcp::v4().ip()), plain(&Tcp::v4()));
    assert_eq!(segment(229, &Tcp::v6().ip()), plain(&Tcp::v6()));
    assert_eq!(other(228, &Tcp::v6().ip()), Other::Malformed);
    for family in [10_u32, 23, 24, 26, 28, 30] {
        let v6 = plain(&Tcp::v6());
        assert_eq!(segment(0, &joined(&[&family.to_le_bytes(), &Tcp::v6().ip()])), v6);
        assert_eq!(segment(0, &joined(&[&family.to_be_bytes(), &Tcp::v6().ip()])), v6);
        assert_eq!(
            segment(108, &joined(&[&family.to_be_bytes(), &Tcp::v6().ip()])),
            v6
        );
    }
    assert_eq!(
        segment(0, &joined(&[&[2, 0, 0, 0], &Tcp::v4().ip()])),
        plain(&Tcp::v4())
    );
    assert_eq!(
        segment(108, &joined(&[&[0, 0, 0, 2], &Tcp::v4().ip()])),
        plain(&Tcp::v4())
    );
    assert_eq!(other(0, &joined(&[&[7, 0, 0, 0], &Tcp::v4().ip()])), Other::NotIp);
    comes_through(113, |tcp| {
        joined(&[
            &[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0],
            &tcp.ethertype().to_be_bytes(),
            &tcp.ip(),
        ])
    });
    comes_through(276, |tcp| {
        joined(&[
            &tcp.ethertype().to_be_bytes(),
            &[0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0],
            &tcp.ip(),
        ])
    });
    // A VLAN tag in a cooked frame.
    comes_through(113, |tcp| {
        let tag = joined(&[&[0x81, 0, 0, 5], &tcp.ethertype().to_be_bytes()]);
        joined(&[&[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0], &tag, &tcp.ip()])
    });
    assert_eq!(other(105, &Tcp::v4().ip()), Other::UnknownLink);
}

#[test]
fn what_is_no_tcp() {
    assert_eq!(other(ETHERNET, &ethernet(0x0806, &[0; 28])), Other::Arp);
    assert_eq!(other(ETHERNET, &ethernet(0x88cc, &[0; 50])), Other::NotIp);
    assert_eq!(
        other(ETHERNET, &ethernet(38, &[0x42, 0x42, 3, 0, 0, 0, 0, 0, 0])),
        Other::NotIp
    );
    assert_eq!(other(ETHERNET, &ethernet(0x88e5, &[0; 50])), Other::Encrypted);
    for tcp in inner() {
        assert_eq!(other(101, &tcp.ip_of(50, &[1; 60])), Other::Encrypted);
        assert_eq!(other(101, &tcp.ip_of(132, &[1; 60])), Other::OtherIp);
        assert_eq!(other(101, &tcp.ip_of(1, &[8, 0, 0, 0, 0, 0, 0, 0])), Other::Icmp);
    }
}

#[test]
fn ipv4_options() {
    let mut ip = Tcp::v4().ip();
    ip.splice(20..20, [1; 12]);
    ip[0] = 0x48;
    let length = ip.len() as u16;
    ip[2..4].copy_from_slice(&length.to_be_bytes());
    let read = segment(101, &ip);
    assert_eq!(
        (read.payload_bytes, read.seq, read.ip_bytes),
        (100, 1_000, u32::from(length))
    );
}

#[test]
fn ipv6_extension_headers() {
    let tcp = Tcp::v6();
    let extended = |first: u8, headers: &[u8]| tcp.ip_of(first, &joined(&[headers, &tcp.segment()]));
    let same = |ip: &[u8]| {
        let read = segment(101, ip);
        assert_eq!((read.payload_bytes, read.seq), (100, 1_000));
        read
    };
    same(&extended(0, &[6, 0, 1, 4, 0, 0, 0, 0]));
    same(&extended(43, &[6, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    same(&extended(60, &[6, 0, 1, 4, 0, 0, 0, 0]));
    same(&extended(
        51,
        &[
            6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
        ],
    ));
    same(&extended(
        0,
        &[
            60, 0, 1, 4, 0, 0, 0, 0, 43, 0, 1, 4, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        ],
    ));
    // A fragment that is the whole has an identification and is no fragment.
    let atomic = same(&extended(44, &[6, 0, 0, 0, 0xab, 0xcd, 0x12, 0x34]));
    assert_eq!((atomic.ip_id, atomic.fragments), (Some(0x1234), 1));
    // A chain that does not end.
    assert_eq!(
        other(101, &tcp.ip_of(60, &[60, 0, 0, 0, 0, 0, 0, 0].repeat(40))),
        Other::Malformed
    );
    assert_eq!(other(101, &tcp.ip_of(59, &[0; 20])), Other::OtherIp);
}

#[test]
fn packets_above_segmentation_offload() {
    for tcp in inner() {
        let mut ip = tcp.clone().payload(60_000).ip();
        let place = if tcp.from.0.is_ipv4() { 2 } else { 4 };
        ip[place..place + 2].copy_from_slice(&[0, 0]);
        assert_eq!(
            segment(ETHERNET, &ethernet(tcp.ethertype(), &ip)).payload_bytes,
            60_000
        );
        // BIG TCP: nothing but the length on the wire tells.
        let mut ip = tcp.clone().payload(180_000).ip();
        ip[place..place + 2].copy_from_slice(&[0, 0]);
        let frame = ethernet(tcp.ethertype(), &ip);
        let Packet::Tcp(read) = decode_cut(ETHERNET, &frame, 96) else {
            panic!("no segment");
        };
        assert_eq!((read.payload_bytes, read.ip_bytes), (180_000, ip.len() as u32));
    }
}

#[test]
fn jumbograms() {
    let tcp = Tcp::v6().payload(100_000);
    let payload = joined(&[&[6, 0, 0xc2, 4], &(100_040_u32).to_be_bytes(), &tcp.segment()]);
    let mut ip = tcp.ip_of(0, &payload);
    ip[4..6].copy_from_slice(&[0, 0]);
    // A frame is padded, and the option knows better.
    let Packet::Tcp(read) = decode_cut(101, &joined(&[&ip, &[0; 50]]), 96) else {
        panic!("no segment");
    };
    assert_eq!((read.payload_bytes, read.ip_bytes), (100_000, 100_080));
}

#[test]
fn too_big_in_both_versions() {
    let quoted = Tcp::v4().payload(1460);
    let whole = plain(&quoted);
    let message = joined(&[&[3, 4, 0, 0, 0, 0, 5, 0x14], &quoted.ip()[..28]]);
    let router = Tcp {
        from: ("192.0.2.1".parse().unwrap(), 0),
        to: quoted.from,
        ..Tcp::v4()
    };
    let read = too_big(101, &router.ip_of(1, &message));
    assert_eq!(
        (read.key, read.way, read.hash),
        (whole.key, whole.way, whole.hash)
    );
    assert_eq!(
        (read.mtu_bytes, read.seq, read.from),
        (1300, Some(1_000), router.from.0)
    );

    let quoted = Tcp::v6().payload(1400);
    let message = joined(&[&[2, 0, 0, 0, 0, 0, 5, 0], &quoted.ip()]);
    let router = Tcp {
        from: ("2001:db8::99".parse().unwrap(), 0),
        to: quoted.from,
        ..Tcp::v6()
    };
    let read = too_big(101, &router.ip_of(58, &message));
    assert_eq!((read.key, read.way), (plain(&quoted).key, plain(&quoted).way));
    assert_eq!((read.mtu_bytes, read.seq), (1280, Some(1_000)));

    // Only the ports were quoted; another protocol was; another code.
    let quoted = Tcp::v4();
    let message = joined(&[&[3, 4, 0, 0, 0, 0, 5, 0x14], &quoted.ip()[..24]]);
    assert_eq!(too_big(101, &quoted.ip_of(1, &message)).seq, None);
    let message = joined(&[&[3, 4, 0, 0, 0, 0, 5, 0x14], &quoted.ip_of(17, &[0; 8])]);
    assert_eq!(other(101, &quoted.ip_of(1, &message)), Other::Icmp);
    let message = joined(&[&[3, 3, 0, 0, 0, 0, 5, 0x14], &quoted.ip()]);
    assert_eq!(other(101, &quoted.ip_of(1, &message)), Other::Icmp);
}

#[test]
fn headers_that_contradict_themselves() {
    let broken = |place: usize, value: u8| {
        let mut ip = Tcp::v4().ip();
        ip[place] = value;
        other(101, &ip)
    };
    // A header of 16 bytes, in IP and in TCP; a packet shorter than its header; a TCP header longer than the packet.
    assert_eq!(broken(0, 0x44), Other::Malformed);
    assert_eq!(broken(32, 0x40), Other::Malformed);
    let mut short = Tcp::v4().ip();
    short[2..4].copy_from_slice(&[0, 19]);
    assert_eq!(other(101, &short), Other::Malformed);
    short[2..4].copy_from_slice(&[0, 45]);
    assert_eq!(other(101, &short), Other::Malformed);
    short[2..4].copy_from_slice(&[0, 30]);
    assert_eq!(other(101, &short), Other::Malformed);
}

#[test]
fn snap_lengths() {
    let options = vec![2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7];
    let tcp = Tcp {
        flags: SYN,
        options,
        ..Tcp::v4().payload(1000)
    };
    let frame = tcp.ethernet();
    let whole = segment(ETHERNET, &frame);
    assert!(!whole.options.is_cut);
    for snap in 0..frame.len() {
        match decode_cut(ETHERNET, &frame, snap) {
            Packet::Tcp(read) => {
                assert!(snap >= 54, "{snap}");
                assert_eq!(read.options.is_cut, snap < 74, "{snap}");
                assert_eq!(read.options.mss_bytes.is_some(), snap >= 58, "{snap}");
                let rest_is_same = Segment {
                    options: whole.options,
                    ..read
                } == whole;
                assert!(rest_is_same, "{snap}");
                assert!(read.options.is_cut || read.options == whole.options);
            }
            Packet::Other(Other::Cut) => assert!(snap < 54, "{snap}"),
            found => panic!("{snap}: {found:?}"),
        }
    }
}
