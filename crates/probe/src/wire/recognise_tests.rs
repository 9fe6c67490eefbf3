use super::*;
use crate::wire::build_packet;
use crate::{Probe, SessionKey};
use evidence::SizeProbeMode;
use proptest::prelude::*;

const SESSION: SessionKey = [9; 16];

fn addresses(v6: bool) -> (IpAddr, IpAddr, IpAddr) {
    let parse = |text: &str| text.parse::<IpAddr>().unwrap();
    match v6 {
        false => (parse("192.0.2.1"), parse("198.51.100.2"), parse("10.0.0.1")),
        true => (parse("2001:db8::1"), parse("2001:db8:1::2"), parse("fd00::1")),
    }
}

fn flow(v6: bool, protocol: ProbeProtocol, session: Option<SessionKey>) -> Flow {
    let (source, destination, _) = addresses(v6);
    Flow {
        source,
        destination,
        protocol,
        source_port: 40_001,
        destination_port: if protocol == ProbeProtocol::Icmp {
            0
        } else {
            33_434
        },
        session,
        numbered: !v6,
    }
}

/// What the flow sends as `sequence`.
fn packet(flow: &Flow, sequence: u32) -> Vec<u8> {
    let probe = Probe {
        sequence,
        flow: 0,
        ttl: Some(3),
        size_bytes: 100,
        mode: SizeProbeMode::DontFragment,
    };
    let size_bytes = if flow.protocol == ProbeProtocol::TcpSyn {
        flow.least_size_bytes()
    } else {
        100
    };
    let mut packet = Vec::new();
    build_packet(flow, &Probe { size_bytes, ..probe }, &mut packet).unwrap();
    packet
}

/// Time exceeded about `packet`, of which `quoted` bytes come back.
fn time_exceeded(v6: bool, packet: &[u8], quoted: usize) -> Vec<u8> {
    let mut message = vec![if v6 { 3 } else { 11 }, 0, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(&packet[..quoted.min(packet.len())]);
    message
}

const PROTOCOLS: [(ProbeProtocol, Option<SessionKey>); 4] = [
    (ProbeProtocol::Udp, None),
    (ProbeProtocol::Udp, Some(SESSION)),
    (ProbeProtocol::Icmp, None),
    (ProbeProtocol::TcpSyn, None),
];

#[test]
fn a_whole_quote_names_the_probe() {
    for v6 in [false, true] {
        for (protocol, session) in PROTOCOLS {
            let flow = flow(v6, protocol, session);
            let router = addresses(v6).2;
            let message = time_exceeded(v6, &packet(&flow, 0x0102_0304), 1000);
            let reply = Recogniser::new(vec![flow])
                .icmp(router, &message, Some(62))
                .unwrap();
            assert_eq!(reply.identity, Identity::Sequence(0x0102_0304), "{flow:?}");
            assert_eq!(
                (reply.from, reply.answer),
                (router, Answer::Reached(ReplyKind::TimeExceeded))
            );
        }
    }
}

#[test]
fn eight_quoted_bytes_name_it_as_far_as_they_can() {
    use Identity::{Low16, Sequence, Unknown};
    for (v6, protocol, named) in [
        (false, ProbeProtocol::Udp, Low16(0x0304)),
        (false, ProbeProtocol::Icmp, Low16(0x0304)),
        (false, ProbeProtocol::TcpSyn, Sequence(0x0102_0304)),
        (true, ProbeProtocol::Udp, Unknown),
    ] {
        let flow = flow(v6, protocol, None);
        let message = time_exceeded(v6, &packet(&flow, 0x0102_0304), flow.ip_header_bytes() + 8);
        let reply = Recogniser::new(vec![flow])
            .icmp(addresses(v6).2, &message, None)
            .unwrap();
        assert_eq!(reply.identity, named, "{protocol:?}");
    }
}

#[test]
fn quotes_of_others_packets_are_not_ours() {
    for (protocol, session) in PROTOCOLS {
        let ours = flow(false, protocol, session);
        let recogniser = Recogniser::new(vec![ours]);
        let from = addresses(false).2;
        let others = [
            Flow { source: from, ..ours },
            Flow {
                destination: from,
                ..ours
            },
            Flow {
                source_port: 40_002,
                ..ours
            },
        ];
        for other in others {
            let message = time_exceeded(false, &packet(&other, 5), 1000);
            assert_eq!(recogniser.icmp(from, &message, None), None, "{other:?}");
        }
    }
    // A mark that is quoted must be right.
    let ours = flow(false, ProbeProtocol::Udp, Some(SESSION));
    let forged = Flow {
        session: Some([8; 16]),
        ..ours
    };
    let message = time_exceeded(false, &packet(&forged, 5), 1000);
    assert_eq!(
        Recogniser::new(vec![ours]).icmp(addresses(false).2, &message, None),
        None
    );
}

#[test]
fn only_the_destination_can_answer_for_itself() {
    let (_, destination, router) = addresses(false);
    let echo = flow(false, ProbeProtocol::Icmp, None);
    let recogniser = Recogniser::new(vec![echo]);
    let mut reply = packet(&echo, 7)[20..].to_vec();
    reply[0] = 0;
    assert!(recogniser.icmp(destination, &reply, None).is_some());
    assert_eq!(recogniser.icmp(router, &reply, None), None);

    let udp = flow(false, ProbeProtocol::Udp, Some(SESSION));
    let recogniser = Recogniser::new(vec![udp]);
    let reflected = |session| {
        let reply = ReflectReply {
            session,
            sequence: 7,
            received_bytes: 72,
            received_at_ns: 0,
        };
        reply.to_bytes()
    };
    assert!(
        recogniser
            .udp(0, destination, 33_434, &reflected(SESSION), None)
            .is_some()
    );
    for (from, port, session) in [
        (router, 33_434, SESSION),
        (destination, 1, SESSION),
        (destination, 33_434, [8; 16]),
    ] {
        assert_eq!(recogniser.udp(0, from, port, &reflected(session), None), None);
    }

    // A firewall on the way may say "port unreachable" too: that is not the destination's word.
    let udp = flow(false, ProbeProtocol::Udp, None);
    let mut message = time_exceeded(false, &packet(&udp, 7), 1000);
    message[..2].copy_from_slice(&[3, 3]);
    let kind = |from| {
        Recogniser::new(vec![udp])
            .icmp(from, &message, None)
            .unwrap()
            .answer
    };
    assert_eq!(kind(destination), Answer::Reached(ReplyKind::PortUnreachable));
    assert_eq!(kind(router), Answer::Reached(ReplyKind::Unreachable { code: 3 }));
}

#[test]
fn tcp_answers_must_acknowledge_the_probe() {
    let (_, destination, router) = addresses(false);
    let recogniser = Recogniser::new(vec![flow(false, ProbeProtocol::TcpSyn, None)]);
    let segment = |flags: u8| {
        let mut segment = vec![0; 20];
        segment[..2].copy_from_slice(&33_434u16.to_be_bytes());
        segment[2..4].copy_from_slice(&40_001u16.to_be_bytes());
        segment[8..12].copy_from_slice(&8u32.to_be_bytes());
        segment[13] = flags;
        segment
    };
    let kind = |flags| {
        recogniser
            .tcp(destination, &segment(flags), None)
            .map(|reply| (reply.identity, reply.answer))
    };
    let seven = Identity::Sequence(7);
    assert_eq!(kind(0x12), Some((seven, Answer::Reached(ReplyKind::SynAck))));
    assert_eq!(kind(0x14), Some((seven, Answer::Reached(ReplyKind::Reset))));
    assert_eq!(kind(0x10), None);
    assert_eq!(recogniser.tcp(router, &segment(0x14), None), None);
}

#[test]
fn ipv6_extension_headers_in_the_quote_are_passed_over() {
    let udp = flow(true, ProbeProtocol::Udp, None);
    let plain = packet(&udp, 7);
    let mut with_options = plain[..40].to_vec();
    with_options[6] = 60;
    with_options.extend([17, 0, 1, 4, 0, 0, 0, 0]);
    with_options.extend_from_slice(&plain[40..]);
    let message = time_exceeded(true, &with_options, 1000);
    let reply = Recogniser::new(vec![udp])
        .icmp(addresses(true).2, &message, None)
        .unwrap();
    assert_eq!(reply.identity, Identity::Sequence(7));
}

proptest! {
    #[test]
    fn foreign_bytes_never_panic(v6: bool, kind: u8, code: u8, at in 0usize..300,
                                 bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let flows = PROTOCOLS.map(|(protocol, session)| flow(v6, protocol, session));
        let recogniser = Recogniser::new(flows.to_vec());
        let from = addresses(v6).1;
        let _ = recogniser.icmp(from, &bytes, None);
        let _ = recogniser.tcp(from, &bytes, None);
        for index in 0..5 {
            let _ = recogniser.udp(index, from, 33_434, &bytes, None);
            let error = QueuedError {
                from, kind, code, mtu_bytes: 1400, quoted: &bytes, extension_at: Some(at), reply_ttl: None,
            };
            let _ = recogniser.queued(index, &error);
        }
    }

    /// One flipped bit in the quote never makes it another flow's packet, or another packet of ours without a number.
    #[test]
    fn damaged_quotes_do_not_change_the_flow(bit in 0usize..800) {
        let flows: Vec<Flow> = PROTOCOLS.iter().map(|(protocol, session)| flow(false, *protocol, *session)).collect();
        let mut message = time_exceeded(false, &packet(&flows[1], 7), 1000);
        let at = 8 + bit / 8;
        if let Some(byte) = message.get_mut(at) {
            *byte ^= 1 << (bit % 8);
        }
        if let Some(reply) = Recogniser::new(flows[1..2].to_vec()).icmp(addresses(false).2, &message, None) {
            prop_assert_eq!(reply.flow, 0);
        }
    }
}

#[path = "cut_quote_tests.rs"]
mod cut_quotes;
