//! Packets come out of files as they went in, however the file was written, offered, cut or damaged.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use capture::file::{CaptureStatistics, Complaint, Format, NotACapture, Trouble};
use common::packets::{Pcap, Pcapng, Tcp, Timed, joined};
use common::read::{Owned, read, read_in_chunks};
use proptest::prelude::*;

const START_NS: i64 = 1_700_000_000_000_000_000;

fn packets(count: usize) -> Vec<Timed> {
    let packet = |n: usize| {
        let tcp = if n.is_multiple_of(2) { Tcp::v4() } else { Tcp::v6() };
        (START_NS + n as i64 * 1_001_000, tcp.payload(n * 37).ethernet())
    };
    (0..count).map(packet).collect()
}

fn expected(packets: &[Timed]) -> Vec<Owned> {
    let owned = |(time_ns, packet): &Timed| Owned {
        time_ns: *time_ns,
        link_type: 1,
        interface: 0,
        captured: packet.clone(),
        wire_bytes: packet.len() as u32,
    };
    packets.iter().map(owned).collect()
}

fn both_formats(packets: &[Timed]) -> [Vec<u8>; 2] {
    [Pcap::default().file(packets), Pcapng::default().file(1, packets)]
}

#[test]
fn pcap_in_each_variant() {
    for (big, nanoseconds) in [(false, false), (true, false), (false, true), (true, true)] {
        let pcap = Pcap {
            big,
            nanoseconds,
            ..Pcap::default()
        };
        let file = read(&pcap.file(&packets(40)));
        assert_eq!(file.packets, expected(&packets(40)));
        assert_eq!(file.complaints, []);
        assert_eq!(file.description.interfaces[0].snap_bytes, 262_144);
        let format = if nanoseconds {
            Format::PcapNanoseconds
        } else {
            Format::Pcap
        };
        assert_eq!(file.description.format, Some(format));
    }
}

#[test]
fn pcapng_in_each_order() {
    for big in [false, true] {
        let file = read(&Pcapng { big }.file(1, &packets(40)));
        assert_eq!(file.packets, expected(&packets(40)));
        assert_eq!(file.complaints, []);
    }
}

#[test]
fn the_modified_format_has_longer_records() {
    let mut bytes = Pcap::default().header();
    bytes[..4].copy_from_slice(&0xa1b2_cd34_u32.to_le_bytes());
    for (time_ns, packet) in packets(5) {
        let record = Pcap::default().record(time_ns, &packet);
        bytes.extend(joined(&[&record[..16], &[9; 8], &record[16..]]));
    }
    let file = read(&bytes);
    assert_eq!(file.packets, expected(&packets(5)));
    assert_eq!(file.description.format, Some(Format::PcapModified));
}

#[test]
fn old_files_have_the_length_on_the_wire_first() {
    let pcap = Pcap {
        snap_bytes: 60,
        ..Pcap::default()
    };
    let told = pcap.file(&packets(5));
    for minor in [2_u8, 3] {
        let mut bytes = told.clone();
        bytes[6] = minor;
        let mut at = 24;
        while at < bytes.len() {
            let captured = bytes[at + 8] as usize;
            let (first, second) = bytes[at + 8..at + 16].split_at_mut(4);
            first.swap_with_slice(second);
            at += 16 + captured;
        }
        assert_eq!(read(&bytes).packets, read(&told).packets);
    }
}

#[test]
fn sections_and_interfaces() {
    let (little, big) = (Pcapng { big: false }, Pcapng { big: true });
    let options = |p: Pcapng| {
        p.section(&[
            (2, b"a machine"),
            (3, b"an OS"),
            (4, b"a program"),
            (1, b"slow since noon"),
        ])
    };
    let bytes = joined(&[
        &options(little),
        &little.interface(1, 96, &[(2, b"eth0"), (9, &[9]), (11, b"\0tcp port 80")]),
        &little.packet(0, 5_000_000_007, 60, b"first", &[(1, b"this one")]),
        &little.interface(
            101,
            0,
            &[(2, b"tun0"), (9, &[0x80 | 10]), (14, &100_u64.to_le_bytes())],
        ),
        &little.packet(1, 512, 60, b"second", &[]),
        &little.block(0x0bad, &[1, 2, 3, 4], &[]),
        &little.block(4, &[0; 8], &[]),
        &little.statistics(1, &[(4, 10), (5, 1), (7, 2)]),
        &options(big),
        &big.interface(113, 0, &[]),
        &big.packet(0, 7, 61, b"third", &[]),
        &big.obsolete_packet(0, 8, 62, b"fourth"),
        &big.simple_packet(5, b"fifth"),
    ]);
    let file = read(&bytes);
    let seen: Vec<_> = file
        .packets
        .iter()
        .map(|p| (p.time_ns, p.link_type, p.interface, &p.captured[..], p.wire_bytes))
        .collect();
    assert_eq!(
        seen,
        [
            (5_000_000_007, 1, 0, &b"first"[..], 60),
            (100_500_000_000, 101, 1, b"second", 60),
            (7_000, 113, 2, b"third", 61),
            (8_000, 113, 2, b"fourth", 62),
            (8_000, 113, 2, b"fifth", 5),
        ]
    );
    let told = &file.description;
    assert_eq!((told.sections, told.format), (2, Some(Format::Pcapng)));
    assert_eq!(
        (&told.hardware[..], &told.os[..]),
        (&["a machine".to_owned()][..], &["an OS".to_owned()][..])
    );
    assert_eq!(told.comments, ["slow since noon", "this one"]);
    assert_eq!(told.interfaces[0].filter.as_deref(), Some("tcp port 80"));
    let counted = CaptureStatistics {
        received: Some(10),
        dropped_by_interface: Some(1),
        dropped_by_os: Some(2),
        ..CaptureStatistics::default()
    };
    assert_eq!(told.interfaces[1].statistics, Some(counted));
    assert_eq!(told.interfaces[2].statistics, None);
    let troubles: Vec<_> = file
        .complaints
        .iter()
        .map(|complaint| &complaint.trouble)
        .collect();
    assert_eq!(troubles, [&Trouble::NoTime]);
}

#[test]
fn a_packet_of_an_interface_that_nobody_described() {
    let p = Pcapng::default();
    let before = joined(&[
        &p.section(&[]),
        &p.packet(0, 1, 4, b"none", &[]),
        &p.interface(1, 0, &[]),
    ]);
    let bytes = joined(&[
        &before,
        &p.packet(0, 1, 4, b"good", &[]),
        &p.packet(1, 1, 4, b"none", &[]),
    ]);
    let file = read(&bytes);
    assert_eq!(file.packets.len(), 1);
    assert_eq!(file.packets[0].captured, b"good");
    let at = |at: usize, id| Complaint {
        at: at as u64,
        trouble: Trouble::UnknownInterface(id),
    };
    assert_eq!(file.complaints, [at(28, 0), at(before.len() + 36, 1)]);
}

#[test]
fn what_a_stranger_writes_is_bounded() {
    let p = Pcapng::default();
    let mut bytes = p.section(&[(1, &[b'x'; 60_000])]);
    for n in 0..5_000_u32 {
        bytes.extend(p.interface(1, 0, &[(1, &n.to_le_bytes().map(|byte| byte | 0x40))]));
    }
    let file = read(&bytes);
    assert!(
        file.description
            .comments
            .iter()
            .all(|comment| comment.len() <= 4 * 1024)
    );
    assert!(file.description.comments.len() <= 64);
    assert_eq!(file.description.interfaces.len(), 4096);
    assert_eq!(file.complaints.len(), 64);
    assert!(
        file.complaints
            .iter()
            .all(|complaint| complaint.trouble == Trouble::TooManyInterfaces)
    );
}

#[test]
fn a_large_block_is_skipped_without_being_held() {
    let p = Pcapng::default();
    let head = joined(&[&p.section(&[]), &p.interface(1, 0, &[])]);
    let secrets = p.block(10, &vec![7; 3 << 20], &[]);
    let packet = p.packet(0, 1, 4, b"good", &[]);
    let bytes = joined(&[&head, &secrets, &packet]);
    let file = read_in_chunks(&bytes, 100_000).unwrap();
    assert_eq!((file.packets.len(), file.complaints.len()), (1, 0));
    let cut = &bytes[..head.len() + (2 << 20)];
    for chunk in [100_000, usize::MAX / 2] {
        let file = read_in_chunks(cut, chunk).unwrap();
        let missing_bytes = (secrets.len() - (2 << 20)) as u64;
        assert_eq!(
            file.complaints,
            [Complaint {
                at: head.len() as u64,
                trouble: Trouble::Cut { missing_bytes }
            }]
        );
    }
}

/// Where records begin, and the end.
fn borders(file: &[u8], packets: &[Timed], overhead: impl Fn(usize) -> usize) -> Vec<usize> {
    let sizes: Vec<usize> = packets.iter().map(|(_, packet)| overhead(packet.len())).collect();
    let mut at = file.len() - sizes.iter().sum::<usize>();
    let mut borders = vec![at];
    for size in sizes {
        at += size;
        borders.push(at);
    }
    borders
}

#[test]
fn a_cut_file_gives_what_is_before_the_cut() {
    let packets = packets(6);
    let [pcap, pcapng] = both_formats(&packets);
    let files = [
        (borders(&pcap, &packets, |bytes| 16 + bytes), pcap),
        (
            borders(&pcapng, &packets, |bytes| 32 + bytes.next_multiple_of(4)),
            pcapng,
        ),
    ];
    for (borders, file) in files {
        for cut in borders[0]..file.len() {
            let read = read(&file[..cut]);
            let whole = borders.iter().rposition(|border| *border <= cut).unwrap();
            assert_eq!(read.packets, expected(&packets[..whole]), "cut at {cut}");
            if borders[whole] == cut {
                assert_eq!(read.complaints, []);
                continue;
            }
            let [
                Complaint {
                    at,
                    trouble: Trouble::Cut { missing_bytes },
                },
            ] = read.complaints[..]
            else {
                panic!("cut at {cut}: {:?}", read.complaints);
            };
            assert_eq!(at, borders[whole] as u64);
            assert!((1..=(borders[whole + 1] - cut) as u64).contains(&missing_bytes));
        }
    }
}

#[test]
fn a_file_cut_within_its_header() {
    for file in both_formats(&packets(1)) {
        assert_eq!(read_in_chunks(&file[..10], 100), Err(NotACapture::Cut));
    }
    assert_eq!(read_in_chunks(&[], 1), Err(NotACapture::Empty));
}

/// The file with the bytes of one place replaced.
fn damaged(file: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    bytes[at..at + by.len()].copy_from_slice(by);
    bytes
}

#[test]
fn behind_a_damaged_length_reading_goes_on() {
    let packets = packets(20);
    let [pcap, pcapng] = both_formats(&packets);
    let pcap_borders = borders(&pcap, &packets, |bytes| 16 + bytes);
    let pcapng_borders = borders(&pcapng, &packets, |bytes| 32 + bytes.next_multiple_of(4));
    for n in [0, 7, 16] {
        let files = [
            // Too large for any packet; more than on the wire; none at all.
            damaged(&pcap, pcap_borders[n] + 8, &[0xff, 0xff, 0xff, 0x7f]),
            damaged(&pcap, pcap_borders[n] + 8, &[0xff, 0xff, 1, 0]),
            damaged(&pcap, pcap_borders[n], &[0; 16]),
            damaged(&pcapng, pcapng_borders[n] + 4, &[0xff, 0xff, 0xff, 0x7f]),
            damaged(&pcapng, pcapng_borders[n] + 4, &[33, 0, 0, 0]),
            damaged(&pcapng, pcapng_borders[n], &[0; 12]),
        ];
        for (which, file) in files.into_iter().enumerate() {
            let borders = if which < 3 { &pcap_borders } else { &pcapng_borders };
            for chunk in [1_000, usize::MAX / 2] {
                let read = read_in_chunks(&file, chunk).unwrap();
                let mut rest = packets.clone();
                rest.remove(n);
                assert_eq!(read.packets, expected(&rest), "packet {n}, damage {which}");
                let resumed_at = Some(borders[n + 1] as u64);
                let complaint = Complaint {
                    at: borders[n] as u64,
                    trouble: Trouble::Damaged { resumed_at },
                };
                assert_eq!(read.complaints, [complaint], "packet {n}, damage {which}");
            }
        }
    }
}

#[test]
fn a_section_behind_damage() {
    let p = Pcapng::default();
    let head = p.section(&[]);
    let rest = joined(&[
        &p.section(&[]),
        &p.interface(1, 0, &[]),
        &p.packet(0, 7, 4, b"good", &[]),
    ]);
    let file = joined(&[&head, &[0xff; 14], &rest]);
    // The search waits for bytes at the very place where the section begins.
    for chunk in 1..file.len() {
        let read = read_in_chunks(&file, chunk).unwrap();
        assert_eq!((read.packets.len(), read.description.sections), (1, 2), "{chunk}");
        let resumed_at = Some(head.len() as u64 + 14);
        let complaint = Complaint {
            at: head.len() as u64,
            trouble: Trouble::Damaged { resumed_at },
        };
        assert_eq!(read.complaints, [complaint], "{chunk}");
    }
}

#[test]
fn behind_damage_without_records_reading_stops() {
    let mut bytes = Pcap::default().file(&packets(3));
    let whole = bytes.len() as u64;
    bytes.extend([0; 5_000]);
    bytes.extend(b"and text that is no record ".repeat(100));
    let read = read(&bytes);
    assert_eq!(read.packets, expected(&packets(3)));
    assert_eq!(
        read.complaints,
        [Complaint {
            at: whole,
            trouble: Trouble::Damaged { resumed_at: None }
        }]
    );
}

#[test]
fn odd_lengths_that_some_writers_write_are_read() {
    // More was kept than the header says, and more than was on the wire.
    let packets = packets(5);
    let mut bytes = Pcap {
        snap_bytes: 10,
        ..Pcap::default()
    }
    .header();
    for (time_ns, packet) in &packets {
        let mut record = Pcap::default().record(*time_ns, packet);
        record[12..16].copy_from_slice(&20_u32.to_le_bytes());
        bytes.extend(record);
    }
    let read = read(&bytes);
    assert_eq!(read.complaints, []);
    let captured: Vec<_> = read.packets.into_iter().map(|packet| packet.captured).collect();
    assert_eq!(
        captured,
        packets.into_iter().map(|(_, packet)| packet).collect::<Vec<_>>()
    );
}

proptest! {
    #[test]
    fn chunks_change_nothing(
        which in 0..2_usize,
        chunk in 1..3_000_usize,
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut file = both_formats(&packets(15))[which].clone();
        for (place, byte) in &hits {
            let place = place.index(file.len());
            file[place] = *byte;
        }
        if !hits.is_empty() {
            file.truncate(cut.index(file.len()));
        }
        prop_assert_eq!(read_in_chunks(&file, chunk), read_in_chunks(&file, file.len().max(1)));
    }

    #[test]
    fn any_bytes_are_read_without_panic(start in 0..4_usize, bytes in prop::collection::vec(any::<u8>(), 0..600), chunk in 1..200_usize) {
        let start = [
            Pcap::default().header(),
            Pcap { big: true, nanoseconds: true, ..Pcap::default() }.header(),
            joined(&[&Pcapng::default().section(&[]), &Pcapng::default().interface(1, 0, &[])]),
            vec![],
        ][start].clone();
        let file = joined(&[&start, &bytes]);
        prop_assert_eq!(read_in_chunks(&file, chunk), read_in_chunks(&file, file.len().max(1)));
    }

    /// One byte of damage costs few packets: all others are there.
    #[test]
    fn one_wrong_byte_costs_little(which in 0..2_usize, place in any::<prop::sample::Index>(), byte: u8) {
        let packets = packets(30);
        let mut file = both_formats(&packets)[which].clone();
        let first = if which == 0 { 24 } else { 48 };
        let place = first + place.index(file.len() - first);
        file[place] = byte;
        let read = read(&file);
        let whole = expected(&packets);
        let kept = whole.iter().filter(|packet| read.packets.contains(packet)).count();
        prop_assert!(kept + 2 >= whole.len(), "{} of {} packets", kept, whole.len());
    }
}
