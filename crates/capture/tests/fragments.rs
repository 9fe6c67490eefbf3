//! Segments that IP had cut are joined, in any order and with any piece twice, in bounded memory.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use capture::Segment;
use capture::decode::{Decoder, Defragmenter, Fragment, Other, Packet};
use capture::file::Frame;
use common::packets::{Tcp, joined};
use common::read::{decode, segment};
use proptest::prelude::*;

/// The fragments of a packet, as they were decoded, a microsecond apart.
fn fragments(frames: &[Vec<u8>], start_ns: i64) -> Vec<Fragment> {
    let decoded = frames.iter().zip(0_i64..).map(|(captured, n)| {
        let wire_bytes = captured.len() as u32;
        let time_ns = start_ns + n * 1_000;
        match Decoder::new(1).decode(&Frame {
            time_ns,
            link_type: 101,
            interface: 0,
            captured,
            wire_bytes,
        }) {
            Packet::Fragment(fragment) => fragment,
            found => panic!("no fragment: {found:?}"),
        }
    });
    decoded.collect()
}

fn fed(whole: &mut Defragmenter, fragments: &[Fragment]) -> Vec<Segment> {
    let mut given = vec![];
    for fragment in fragments {
        whole.feed(fragment, &mut |segment| given.push(segment));
    }
    given
}

fn tcp(n: u16) -> Tcp {
    Tcp {
        id: n,
        seq: u32::from(n),
        ..Tcp::v4().payload(4000)
    }
}

#[test]
fn a_packet_in_pieces_is_a_segment() {
    for (tcp, frames, header_bytes) in [
        (
            Tcp::v4().payload(4000),
            Tcp::v4().payload(4000).ipv4_fragments(1480),
            20,
        ),
        (
            Tcp::v6().payload(4000),
            Tcp::v6().payload(4000).ipv6_fragments(1448, 7),
            48,
        ),
    ] {
        let pieces = fragments(&frames, 100);
        let given = fed(&mut Defragmenter::new(10), &pieces);
        let plain = segment(101, &tcp.ip());
        let [joined] = given[..] else {
            panic!("{given:?}");
        };
        assert_eq!((joined.payload_bytes, joined.fragments), (4000, 3));
        assert_eq!(joined.ip_bytes as usize, 3 * header_bytes + tcp.segment().len());
        assert_eq!(joined.time_ns, 2_100);
        assert_eq!(
            (joined.key, joined.seq, joined.options),
            (plain.key, plain.seq, plain.options)
        );
    }
}

#[test]
fn what_never_becomes_whole_is_given_as_far_as_it_is_known() {
    let mut whole = Defragmenter::new(10);
    let pieces = fragments(&tcp(1).ipv4_fragments(1480), 0);
    // The first alone; a later one alone tells nothing.
    assert_eq!(fed(&mut whole, &pieces[..1]), []);
    assert_eq!(
        fed(&mut whole, &fragments(&tcp(2).ipv4_fragments(1480), 0)[1..]),
        []
    );
    let late = fragments(&tcp(3).ipv4_fragments(1480), 29_000_000_000);
    assert_eq!(fed(&mut whole, &late[..1]), []);
    let later = fragments(&tcp(4).ipv4_fragments(1480), 30_000_002_000);
    let given = fed(&mut whole, &later[..1]);
    let [first] = given[..] else {
        panic!("{given:?}");
    };
    assert_eq!(
        (first.seq, first.payload_bytes, first.fragments, first.time_ns),
        (1, 1480 - 32, 1, 0)
    );
    assert_eq!(whole.incomplete(), 2);
    let mut rest = vec![];
    whole.finish(&mut |segment| rest.push(segment.seq));
    assert_eq!((rest, whole.incomplete()), (vec![3, 4], 4));
}

#[test]
fn memory_is_bounded() {
    let mut whole = Defragmenter::new(3);
    let given: Vec<_> = (0..10)
        .flat_map(|n| fed(&mut whole, &fragments(&tcp(n).ipv4_fragments(1480), 0)[..1]))
        .map(|segment| segment.seq)
        .collect();
    assert_eq!(given, [0, 1, 2, 3, 4, 5, 6]);
    // The last is still there.
    let rest = fragments(&tcp(9).ipv4_fragments(1480), 0);
    assert_eq!(fed(&mut whole, &rest[1..])[0].payload_bytes, 4000);
}

#[test]
fn identifications_are_those_of_a_pair_of_hosts() {
    let other = Tcp {
        to: ("10.9.9.9".parse().unwrap(), 80),
        ..tcp(1)
    };
    let (a, b) = (
        fragments(&tcp(1).ipv4_fragments(1480), 0),
        fragments(&other.ipv4_fragments(1480), 0),
    );
    let mixed = [a[0].clone(), b[1].clone(), b[2].clone()];
    assert_eq!(fed(&mut Defragmenter::new(10), &mixed), []);
}

#[test]
fn pieces_without_a_header_and_of_others() {
    // A first piece of 8 bytes: no honest sender's.
    let tiny = &tcp(1).ipv4_fragments(8)[0];
    assert_eq!(decode(101, tiny), Packet::Other(Other::Malformed));
    // Its options in the next piece.
    let cut = &tcp(1).ipv4_fragments(24)[0];
    let Packet::Fragment(fragment) = decode(101, cut) else {
        panic!("no fragment");
    };
    assert!(fragment.first.unwrap().options.is_cut);
    // A later piece of a tunnel.
    let mut udp = tcp(1).ipv4_fragments(1480)[1].clone();
    udp[9] = 17;
    assert_eq!(decode(101, &udp), Packet::Other(Other::Fragment));
    // The first piece of one shows the whole segment within.
    let within = Tcp::v4().payload(1000);
    let mut outer = Tcp::v4().ip_of(4, &within.ip()[..520]);
    outer[6] = 0x20;
    assert_eq!(segment(101, &outer), segment(101, &within.ip()));
}

#[test]
fn destination_options_before_a_header_that_was_cut() {
    let tcp = Tcp::v6().payload(2000);
    let payload = joined(&[&[6, 0, 1, 4, 0, 0, 0, 0], &tcp.segment()]);
    let piece = |offset: u16, bytes: &[u8]| {
        let header = joined(&[&[60, 0], &offset.to_be_bytes(), &[0, 0, 0, 9]]);
        tcp.ip_of(44, &joined(&[&header, bytes]))
    };
    let frames = [piece(1, &payload[..1000]), piece(1000, &payload[1000..])];
    let given = fed(&mut Defragmenter::new(2), &fragments(&frames, 0));
    assert_eq!(given[0].payload_bytes, 2000);
}

proptest! {
    #[test]
    fn order_and_doubles_change_nothing(
        order in Just((0..7_usize).collect::<Vec<_>>()).prop_shuffle(),
        doubled in prop::collection::vec(0..7_usize, 0..5),
    ) {
        let pieces = fragments(&tcp(1).ipv4_fragments(640), 0);
        prop_assert_eq!(pieces.len(), 7);
        // Doubles before the last, which makes it whole.
        let (last, before) = order.split_last().unwrap();
        let doubles = doubled.iter().filter(|n| *n != last);
        let fed_pieces: Vec<_> = before.iter().chain(doubles).chain([last]).map(|n| pieces[*n].clone()).collect();
        let given = fed(&mut Defragmenter::new(4), &fed_pieces);
        prop_assert_eq!(given.len(), 1);
        prop_assert_eq!((given[0].payload_bytes, given[0].fragments), (4000, 7));
    }

    #[test]
    fn without_one_piece_nothing_is_whole(lost in 0..7_usize) {
        let mut pieces = fragments(&tcp(1).ipv4_fragments(640), 0);
        pieces.remove(lost);
        let mut whole = Defragmenter::new(4);
        prop_assert_eq!(fed(&mut whole, &pieces), vec![]);
        let mut left = vec![];
        whole.finish(&mut |segment| left.push(segment));
        prop_assert_eq!(left.len(), usize::from(lost != 0));
    }
}
