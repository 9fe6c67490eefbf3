//! Bytes as the figures of the RFCs draw them, and the two machines against each other.

use super::packet::{Mode, Reflected, TestPacket, seal};
use super::*;
use proptest::prelude::*;
use std::net::SocketAddr;

const S: i64 = 1_000_000_000;
/// 2026-01-01.
const NOW: i64 = 1_767_225_600 * S;
const MS: i64 = 1_000_000;

fn key() -> Key {
    Key::new(b"sixteen bytes or more").unwrap()
}

fn clock(synchronised: bool) -> Clock {
    Clock {
        synchronised,
        error_ns: 1_000_000,
    }
}

fn reflected() -> Reflected {
    Reflected {
        sequence: 0x0102_0304,
        timestamp: [0x11; 8],
        error: ErrorEstimate::from_bytes([0x92, 0x93]),
        ssid: 0xabcd,
        receive_timestamp: [0x22; 8],
        sender_sequence: 0x0506_0708,
        sender_timestamp: [0x33; 8],
        sender_error: ErrorEstimate::from_bytes([0x14, 0x15]),
        sender_ttl: 61,
    }
}

/// (first byte, bytes) of each field that is not zero; everything else has to be.
fn check(packet: &[u8], fields: &[(usize, &[u8])]) {
    let mut expected = vec![0; packet.len()];
    for (at, bytes) in fields {
        expected[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    assert_eq!(packet, expected);
}

#[test]
fn open_packets_are_those_of_rfc_8762_figures_2_and_5() {
    let test = TestPacket {
        sequence: 0x0102_0304,
        timestamp: [0x11; 8],
        error: ErrorEstimate::from_bytes([0x92, 0x93]),
        ssid: 0xabcd,
    };
    let mut packet = [0xff; 44];
    test.write(&mut packet, Mode::Open).unwrap();
    let head: [(usize, &[u8]); 4] = [
        (0, &[1, 2, 3, 4]),
        (4, &[0x11; 8]),
        (12, &[0x92, 0x93]),
        (14, &[0xab, 0xcd]),
    ];
    check(&packet, &head);
    let mut packet = [0xff; 44];
    reflected().write(&mut packet, Mode::Open).unwrap();
    let rest: [(usize, &[u8]); 5] = [
        (16, &[0x22; 8]),
        (24, &[5, 6, 7, 8]),
        (28, &[0x33; 8]),
        (36, &[0x14, 0x15]),
        (40, &[61]),
    ];
    check(&packet, &[&head[..], &rest].concat());
}

#[test]
fn authenticated_packets_are_those_of_rfc_8762_figures_4_and_6() {
    let mut packet = [0xff; 112];
    reflected().write(&mut packet, Mode::Authenticated).unwrap();
    let fields: [(usize, &[u8]); 9] = [
        (0, &[1, 2, 3, 4]),
        (16, &[0x11; 8]),
        (24, &[0x92, 0x93]),
        (26, &[0xab, 0xcd]),
        (32, &[0x22; 8]),
        (48, &[5, 6, 7, 8]),
        (64, &[0x33; 8]),
        (72, &[0x14, 0x15]),
        (80, &[61]),
    ];
    check(&packet, &fields);
    // The seal is at 96, over what lies before it.
    let key = key();
    seal(&mut packet, Some(&key));
    let expected = key.seal(&[&packet[..96]]);
    assert_eq!(packet[96..], expected);
}

fn arrival(at_ns: i64) -> Arrival {
    Arrival {
        from: SocketAddr::from(([192, 0, 2, 1], 50_000)),
        to: SocketAddr::from(([192, 0, 2, 2], PORT)),
        at_ns,
        ttl: Some(250),
        tos: Some(46 << 2 | 1),
    }
}

fn reflector(key: Option<Key>) -> Reflector {
    Reflector::new(ReflectorConfig {
        key,
        stateful: true,
        grants_class: true,
        max_sessions: 100,
    })
}

fn test_packet(tail: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 44];
    let test = TestPacket {
        sequence: 9,
        timestamp: TimeFormat::Ntp.write(NOW),
        error: ErrorEstimate::of(clock(true)),
        ssid: 7,
    };
    test.write(&mut packet, Mode::Open).unwrap();
    packet.extend(tail);
    packet
}

fn answer(packet: &[u8]) -> Reply {
    let mut reflector = reflector(None);
    reflector
        .answer(packet, &arrival(NOW + MS), (clock(true), NOW + 2 * MS), 0)
        .unwrap()
}

#[test]
fn an_answer_says_when_it_came_and_went() {
    let packet = test_packet(&[]);
    let reply = answer(&packet);
    let read = Reflected::read(&reply.packet, Mode::Open).unwrap();
    assert_eq!((read.sequence, read.sender_sequence, read.ssid), (0, 9, 7));
    let time = |bytes| TimeFormat::Ntp.read(bytes, NOW);
    assert_eq!(
        [read.sender_timestamp, read.receive_timestamp, read.timestamp].map(time),
        [NOW, NOW + MS, NOW + 2 * MS]
    );
    assert_eq!((read.sender_ttl, reply.dscp), (250, 46));
    assert_eq!(read.sender_error.to_bytes(), packet[12..14]);
}

#[test]
fn tlvs_come_back_as_rfc_8972_says() {
    let unknown = [0x80, 200, 0, 2, 0xaa, 0xbb];
    let class = [0x80, 4, 0, 4, 10 << 2, 0, 0, 0];
    let location = [0x80, 2, 0, 4, 0, 0, 0, 0];
    let stamps = [0x80, 3, 0, 4, 0, 0, 0, 0];
    let padding = [0x80, 1, 0, 3, 1, 2, 3];
    let sent = [&unknown[..], &class, &location, &stamps, &padding].concat();
    let reply = answer(&test_packet(&sent));
    let expected = [
        &unknown[..],
        // DSCP1 10, DSCP2 46, ECN 1, RP 0.
        &[0, 4, 0, 4, 10 << 2 | 46 >> 4, (46 & 15) << 4 | 1 << 2, 0, 0],
        &[0, 2, 0, 4, 0x03, 0x5e, 0xc3, 0x50],
        &[0, 3, 0, 4, 1, 2, 1, 2],
        &[0, 1, 0, 3, 1, 2, 3],
    ]
    .concat();
    assert_eq!(reply.packet[44..], expected);
    assert_eq!(reply.dscp, 10, "as wished for");
}

#[test]
fn a_wish_that_is_not_granted_is_told() {
    let mut strict = Reflector::new(ReflectorConfig {
        key: None,
        stateful: false,
        grants_class: false,
        max_sessions: 1,
    });
    let packet = test_packet(&[0x80, 4, 0, 4, 10 << 2, 0, 0, 0]);
    let reply = strict
        .answer(&packet, &arrival(NOW), (clock(false), NOW), 0)
        .unwrap();
    assert_eq!((reply.dscp, reply.packet[49] & 3), (46, 1));
    assert_eq!(reply.packet[..4], packet[..4], "stateless: the sender's number");
}

#[test]
fn what_is_malformed_is_marked_and_what_follows_stays() {
    // A known type of another length; one that ends behind the packet; less than a head.
    let wrong = [0x80, 3, 0, 5, 0, 0, 0, 0, 0];
    let class = [0x80, 4, 0, 4, 0, 0, 0, 0];
    let marked = |sent: &[u8]| answer(&test_packet(sent)).packet[44..].to_vec();
    let wrong_length = marked(&[&wrong[..], &class].concat());
    assert_eq!(
        wrong_length,
        [&[0xc0, 3, 0, 5, 0, 0, 0, 0, 0][..], &class].concat()
    );
    let too_long = marked(&[&class[..], &[0x80, 1, 0, 9, 1]].concat());
    assert_eq!((too_long[0], &too_long[8..]), (0, &[0xc0, 1, 0, 9, 1][..]));
    assert_eq!(marked(&[0, 0, 0]), [0x40, 0, 0]);
}

#[test]
fn only_whole_packets_of_users_draw_an_answer_and_none_is_larger() {
    let refused = |packet: &[u8], from_port: u16, key: Option<Key>| {
        let from = SocketAddr::from(([192, 0, 2, 1], from_port));
        let arrival = Arrival {
            from,
            ..arrival(NOW + MS)
        };
        reflector(key)
            .answer(packet, &arrival, (clock(true), NOW + MS), 0)
            .map(|reply| reply.packet.len())
    };
    let packet = test_packet(&[]);
    assert_eq!(refused(&packet, 50_000, None), Ok(44));
    assert_eq!(refused(&packet, PORT, None), Ok(44));
    for service in [0, 7, 19, 53, 123, 861, 1_023] {
        assert_eq!(refused(&packet, service, None), Err(Silence::Port));
    }
    assert_eq!(refused(&packet[..43], 50_000, None), Err(Silence::Short));
    assert_eq!(refused(&packet, 50_000, Some(key())), Err(Silence::Short));
    let unsealed = test_packet(&[0; 68]);
    assert_eq!(
        refused(&unsealed, 50_000, Some(key())),
        Err(Silence::NotAuthentic)
    );
}

#[test]
fn two_reflectors_do_not_talk_for_ever() {
    let first = answer(&test_packet(&[])).packet;
    // What came back from an echo service, and what another reflector made of it, whose clock is a year off.
    let mut other = reflector(None);
    let year = 365 * 86_400 * S;
    let second = other
        .answer(&first, &arrival(NOW - year), (clock(false), NOW - year), 0)
        .unwrap();
    for packet in [first, second.packet] {
        let looped = reflector(None).answer(&packet, &arrival(NOW + 5 * MS), (clock(true), NOW + 5 * MS), 0);
        assert_eq!(looped, Err(Silence::Loop));
    }
}

#[test]
fn sessions_beyond_the_most_draw_nothing() {
    let mut reflector = reflector(None);
    let mut answered = 0;
    for port in 50_000..50_200 {
        let from = SocketAddr::from(([192, 0, 2, 1], port));
        let arrival = Arrival {
            from,
            ..arrival(NOW + MS)
        };
        let answer = reflector.answer(&test_packet(&[]), &arrival, (clock(true), NOW + MS), 0);
        answered += u32::from(answer.is_ok());
        assert!(answer.is_ok() || answer == Err(Silence::NoRoom));
    }
    assert_eq!(answered, 100);
}

/// A session over a path of 10 ms there and 15 ms back, the far clock 3 s ahead.
fn session(
    plan: SenderPlan,
    reflector: &mut Reflector,
    arrives: impl Fn(u32) -> bool,
    returns: impl Fn(u32) -> bool,
) -> Outcome {
    let mut sender = Sender::new(plan, 0).unwrap();
    let mut coming: Vec<(u64, Vec<u8>)> = Vec::new();
    let (mut now, mut sent, mut answered) = (0u64, 0, 0);
    loop {
        let wall = |at: u64| NOW + at as i64;
        while let Some(place) = coming.iter().position(|(at, _)| *at <= now) {
            let (at, packet) = coming.remove(place);
            sender.receive(&packet, wall(at), Some(240)).unwrap();
        }
        match sender.poll(now) {
            Turn::Send => {
                let packet = sender.packet(wall(now)).to_vec();
                let there = wall(now) + 10 * MS + 3 * S;
                if arrives(sent) {
                    let answer =
                        reflector.answer(&packet, &arrival(there), (clock(true), there + 2 * MS), now);
                    let answer = answer.unwrap();
                    assert_eq!(answer.packet.len(), packet.len());
                    if returns(answered) {
                        coming.push((now + 27 * MS as u64, answer.packet));
                    }
                    answered += 1;
                }
                sent += 1;
            }
            Turn::Wait(until) => {
                let next = coming.iter().map(|(at, _)| *at).min().unwrap_or(until);
                now = until.min(next).max(now + 1);
            }
            Turn::Done => return sender.finish(),
        }
    }
}

fn plan(key: Option<Key>) -> SenderPlan {
    SenderPlan {
        count: 200,
        interval_ns: 10 * MS as u64,
        payload_bytes: None,
        ssid: 7,
        dscp: 10,
        key,
        clock: clock(true),
    }
}

#[test]
fn a_session_tells_direction_delay_and_reflector() {
    for key in [None, Some(key())] {
        let outcome = session(
            plan(key.clone()),
            &mut reflector(key.clone()),
            |n| n % 20 != 3,
            |_| true,
        );
        let (there, back) = outcome.directions().unwrap();
        assert_eq!((there.lost(), back.lost(), outcome.tail().lost), (10, 0, 0));
        assert_eq!(outcome.counting(), Counting::Stateful);
        // 25 ms, without the 2 ms at the reflector; the clocks' 3 s are in each direction's delay.
        assert_eq!(outcome.delays(Answered::rtt_ns).unwrap().p50_ns, Some(25 * MS));
        assert_eq!(
            outcome.delays(Answered::forward_ns).unwrap().min_ns,
            Some(3 * S + 10 * MS)
        );
        assert_eq!(outcome.variation(Answered::backward_ns).unwrap().max_ns, Some(0));
        assert_eq!(outcome.hops(), (Some(5), Some(15)));
        assert_eq!(outcome.source_port_there, Some(50_000));
        assert_eq!(outcome.class.map(|class| class.arrived_dscp), Some(46));
        assert_eq!(outcome.understood.contains(&TlvKind::Hmac), key.is_some());
        assert!(outcome.clock_error_ns.is_some());
    }
}

#[test]
fn evidence_counts_each_packet_once() {
    let (here, there) = (
        evidence::Node::from("192.0.2.1".parse::<std::net::IpAddr>().unwrap()),
        evidence::Node::from("192.0.2.2".parse::<std::net::IpAddr>().unwrap()),
    );
    let outcome = session(plan(None), &mut reflector(None), |n| n < 190, |n| n % 19 != 3);
    let tables = outcome.probes(&here, &there, 72);
    let rows: Vec<_> = tables
        .iter()
        .flat_map(|table| {
            table
                .rows
                .iter()
                .map(|row| (table.from == here, row.way, row.sent, row.received))
        })
        .collect();
    use evidence::Way::{OneWay, RoundTrip};
    assert_eq!(
        rows,
        [
            (true, OneWay, Some(190), Some(190)),
            (false, OneWay, Some(190), Some(180)),
            (true, RoundTrip, None, None),
            (true, RoundTrip, Some(10), Some(0)),
        ]
    );
    let mut stateless = Reflector::new(ReflectorConfig {
        key: None,
        stateful: false,
        grants_class: true,
        max_sessions: 1,
    });
    let outcome = session(plan(None), &mut stateless, |n| n % 20 != 3, |_| true);
    let tables = outcome.probes(&here, &there, 72);
    assert_eq!((tables.len(), tables[0].rows[0].count_lost()), (1, Some(10)));
}

#[test]
fn a_key_that_differs_draws_nothing_and_answers_with_another_count_for_nothing() {
    let mut sender = Sender::new(plan(Some(key())), 0).unwrap();
    assert_eq!(sender.poll(0), Turn::Send);
    let packet = sender.packet(NOW).to_vec();
    let theirs = Key::new(b"another key of theirs").unwrap();
    let answer = |key| {
        let mut reflector = reflector(Some(key));
        reflector.answer(&packet, &arrival(NOW), (clock(true), NOW), 0)
    };
    assert_eq!(answer(theirs), Err(Silence::NotAuthentic));
    let mut good = answer(key()).unwrap().packet;
    good[40] ^= 1;
    assert_eq!(sender.receive(&good, NOW, None), Err(Ignored::NotAuthentic));
    assert_eq!(sender.receive(&good[..111], NOW, None), Err(Ignored::Short));
    good[40] ^= 1;
    // TLVs whose seal is broken tell nothing, and the packet counts.
    good[117] ^= 1;
    assert_eq!(sender.receive(&good, NOW + MS, None), Ok(()));
    let outcome = sender.finish();
    assert_eq!(
        (outcome.samples.len(), outcome.understood.as_slice()),
        (1, &[][..])
    );
}

#[test]
fn tlvs_without_their_seal_are_marked_in_authenticated_mode() {
    let mut sender = Sender::new(plan(Some(key())), 0).unwrap();
    let mut packet = sender.packet(NOW).to_vec();
    // The wish for a class is another than was sealed.
    packet[116] ^= 0x40;
    let reply = reflector(Some(key()))
        .answer(&packet, &arrival(NOW), (clock(true), NOW), 0)
        .unwrap();
    assert_eq!(reply.packet[112] & 0x20, 0x20);
    assert_eq!(reply.dscp, 46, "nothing of them is done");
    assert_eq!(sender.receive(&reply.packet, NOW, None), Ok(()));
    assert!(sender.finish().understood.is_empty());
}

#[test]
fn answers_of_others_do_not_count() {
    let mut sender = Sender::new(plan(None), 0).unwrap();
    let packet = sender.packet(NOW).to_vec();
    let good = reflector(None)
        .answer(&packet, &arrival(NOW), (clock(true), NOW), 0)
        .unwrap()
        .packet;
    for (at, what) in [(15, "session"), (27, "number"), (35, "time")] {
        let mut forged = good.clone();
        forged[at] ^= 1;
        assert_eq!(
            sender.receive(&forged, NOW, None),
            Err(Ignored::Foreign),
            "{what}"
        );
    }
    assert_eq!(sender.receive(&good, NOW, None), Ok(()));
}

#[test]
fn sizes_are_kept_to_the_byte() {
    for key in [None, Some(key())] {
        let base = Mode::of(key.as_ref()).base_bytes();
        for extra in [
            0, 4, 5, 8, 9, 12, 16, 20, 21, 28, 29, 44, 45, 48, 500, 1_400, 8_900,
        ] {
            let plan = SenderPlan {
                payload_bytes: Some(base + extra),
                ..plan(key.clone())
            };
            let mut sender = Sender::new(plan, 0).unwrap();
            let packet = sender.packet(NOW).to_vec();
            assert_eq!(packet.len(), base + extra);
            let reply = reflector(key.clone()).answer(&packet, &arrival(NOW), (clock(true), NOW), 0);
            let reply = reply.unwrap().packet;
            assert_eq!(reply.len(), packet.len());
            sender.receive(&reply, NOW, None).unwrap();
            // Nothing was malformed.
            assert_eq!(sender.finish().understood.is_empty(), extra == 0, "{extra}");
        }
        for extra in 1..4 {
            let plan = SenderPlan {
                payload_bytes: Some(base + extra),
                ..plan(key.clone())
            };
            assert!(Sender::new(plan, 0).is_none(), "{extra} bytes are no TLV");
        }
    }
}

proptest! {
    #[test]
    fn packets_survive_the_wire(sequence: u32, timestamp: [u8; 8], error: [u8; 2], ssid: u16, ttl: u8) {
        for mode in [Mode::Open, Mode::Authenticated] {
            let packet = Reflected { sequence, timestamp, error: ErrorEstimate::from_bytes(error), ssid, sender_ttl: ttl, ..reflected() };
            let mut bytes = vec![0xff; mode.base_bytes()];
            packet.write(&mut bytes, mode).unwrap();
            prop_assert_eq!(Reflected::read(&bytes, mode), Some(packet));
            let test = TestPacket { sequence, timestamp, error: ErrorEstimate::from_bytes(error), ssid };
            test.write(&mut bytes, mode).unwrap();
            prop_assert_eq!(TestPacket::read(&bytes, mode), Some(test));
        }
    }

    #[test]
    fn any_bytes_are_answered_with_as_many_or_not_at_all(bytes in prop::collection::vec(any::<u8>(), 0..400), sealed: bool) {
        let key = sealed.then(key);
        let mut bytes = bytes;
        seal(&mut bytes, key.as_ref());
        let mut reflector = reflector(key.clone());
        if let Ok(reply) = reflector.answer(&bytes, &arrival(NOW), (clock(true), NOW), 0) {
            prop_assert_eq!(reply.packet.len(), bytes.len());
            prop_assert!(reply.dscp < 64);
        }
        let mut sender = Sender::new(plan(key), 0).unwrap();
        let _ = sender.packet(NOW);
        let _ = sender.receive(&bytes, NOW, None);
    }
}
