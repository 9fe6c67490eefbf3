//! Quotes that are cut, filled up or stitched together: what is there names a probe, or nothing does.

use super::*;

#[test]
fn less_than_eight_bytes_of_transport_name_nothing() {
    for v6 in [false, true] {
        for (protocol, session) in PROTOCOLS {
            let flow = flow(v6, protocol, session);
            let whole = packet(&flow, 7);
            for quoted in 0..flow.ip_header_bytes() + 8 {
                let message = time_exceeded(v6, &whole, quoted);
                let reply = Recogniser::new(vec![flow]).icmp(addresses(v6).2, &message, None);
                assert_eq!(reply, None, "{protocol:?}, {quoted} bytes");
            }
        }
    }
}

#[test]
fn what_follows_a_packet_by_its_own_length_is_not_its_mark() {
    let flow = flow(false, ProbeProtocol::Udp, None);
    let reply = |quote: &[u8]| {
        let message = time_exceeded(false, quote, quote.len());
        let reply = Recogniser::new(vec![flow]).icmp(addresses(false).2, &message, None);
        reply.map(|reply| reply.identity)
    };
    // A header of one probe that tells of eight bytes behind it, and there the mark of another.
    let mut stitched = packet(&flow, 0x0101)[..28].to_vec();
    stitched.extend_from_slice(&packet(&flow, 0x0202)[28..]);
    stitched[2..4].copy_from_slice(&28u16.to_be_bytes());
    assert_eq!(reply(&stitched), Some(Identity::Low16(0x0101)));
    // Lengths as broken routers write them back: swapped, without the header, none.
    for told in [100u16.swap_bytes(), 80, 0, 27] {
        let mut whole = packet(&flow, 0x0102_0304);
        whole[2..4].copy_from_slice(&told.to_be_bytes());
        assert_eq!(reply(&whole), Some(Identity::Sequence(0x0102_0304)), "{told}");
    }
    let six = Flow {
        numbered: false,
        ..self::flow(true, ProbeProtocol::Udp, None)
    };
    let mut stitched = packet(&six, 0x0101)[..48].to_vec();
    stitched.extend_from_slice(&packet(&six, 0x0202)[48..]);
    stitched[4..6].copy_from_slice(&8u16.to_be_bytes());
    let message = time_exceeded(true, &stitched, 1000);
    let reply = Recogniser::new(vec![six]).icmp(addresses(true).2, &message, None);
    assert_eq!(reply.map(|reply| reply.identity), Some(Identity::Unknown));
}

#[test]
fn a_quoted_mark_of_somebody_else_is_no_answer_however_short() {
    for (protocol, session) in [PROTOCOLS[0], PROTOCOLS[1], PROTOCOLS[2]] {
        let flow = flow(false, protocol, session);
        let recogniser = Recogniser::new(vec![flow]);
        for quoted in [29, 30, 36, 60, 100] {
            let mut other = packet(&flow, 7);
            other[28] ^= 1;
            let message = time_exceeded(false, &other, quoted);
            assert_eq!(
                recogniser.icmp(addresses(false).2, &message, None),
                None,
                "{protocol:?}, {quoted}"
            );
            let from = if protocol == ProbeProtocol::Icmp { 20 } else { 28 };
            let error = QueuedError {
                from: addresses(false).2,
                kind: 11,
                code: 0,
                mtu_bytes: 0,
                quoted: &other[from..quoted],
                extension_at: None,
                reply_ttl: None,
            };
            assert_eq!(recogniser.queued(0, &error), None, "{protocol:?}, {quoted}");
        }
    }
    // ICMP in an IPv4 packet is not ICMPv6.
    let echo = flow(false, ProbeProtocol::Icmp, None);
    let mut other = packet(&echo, 7);
    other[9] = ICMP_V6;
    let message = time_exceeded(false, &other, 1000);
    assert_eq!(
        Recogniser::new(vec![echo]).icmp(addresses(false).2, &message, None),
        None
    );
}

/// The numbers that probes have.
fn numbers() -> impl Strategy<Value = u32> {
    any::<u32>().prop_filter("no probe's", |number| *number as u16 != 0)
}

proptest! {
    /// A genuine answer whose quote is cut anywhere, and padded with zeros or not, names the probe that it is about by what is left,
    /// or no probe.
    #[test]
    fn a_cut_quote_never_names_another_probe(v6: bool, kind in 0usize..4, numbered: bool, sequence in numbers(), padding in 0usize..140) {
        let flows: Vec<Flow> = PROTOCOLS
            .iter()
            .map(|(protocol, session)| Flow { numbered: numbered && !v6, ..flow(v6, *protocol, *session) })
            .collect();
        // Both UDP flows have the same ports: of these one at a time.
        let flows: Vec<Flow> = match kind {
            1 => flows[1..].to_vec(),
            _ => [&flows[..1], &flows[2..]].concat(),
        };
        let index = kind.saturating_sub(1);
        let flow = flows[index];
        let recogniser = Recogniser::new(flows);
        let whole = packet(&flow, sequence);
        for quoted in 0..=whole.len() {
            let mut message = time_exceeded(v6, &whole, quoted);
            if quoted % 4 == 0 {
                message.resize(message.len() + padding, 0);
            }
            let Some(reply) = recogniser.icmp(addresses(v6).2, &message, None) else {
                prop_assert!(quoted < whole.len(), "the whole quote names it");
                continue;
            };
            prop_assert_eq!(usize::from(reply.flow), index);
            match reply.identity {
                Identity::Sequence(named) => prop_assert_eq!(named, sequence, "{} bytes", quoted),
                Identity::Low16(named) => prop_assert_eq!(named, sequence as u16, "{} bytes", quoted),
                Identity::Unknown => prop_assert!(flow.protocol == ProbeProtocol::Udp && !flow.numbered),
            }
        }
    }

    /// The same for what an error queue hands out.
    #[test]
    fn a_cut_queue_entry_never_names_another_probe(v6: bool, kind in 0usize..3, sequence in numbers(), padding in 0usize..140) {
        let (protocol, session) = PROTOCOLS[kind];
        let flow = flow(v6, protocol, session);
        let recogniser = Recogniser::new(vec![flow]);
        let is_icmp = protocol == ProbeProtocol::Icmp;
        let whole = packet(&flow, sequence)[flow.ip_header_bytes() + if is_icmp { 0 } else { 8 }..].to_vec();
        for quoted in 0..=whole.len() {
            let mut bytes = whole[..quoted].to_vec();
            if quoted % 4 == 0 {
                bytes.resize(quoted + padding, 0);
            }
            let error = QueuedError {
                from: addresses(v6).2, kind: if v6 { 3 } else { 11 }, code: 0, mtu_bytes: 0, quoted: &bytes, extension_at: None,
                reply_ttl: None,
            };
            match recogniser.queued(0, &error).map(|reply| reply.identity) {
                Some(Identity::Sequence(named)) => prop_assert_eq!(named, sequence),
                Some(Identity::Low16(named)) => prop_assert!(is_icmp && named == sequence as u16),
                Some(Identity::Unknown) => prop_assert!(!is_icmp),
                None => prop_assert!(quoted < whole.len()),
            }
        }
    }
}
