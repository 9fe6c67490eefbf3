//! ICMP, ICMPv6, UDP and TCP answers to probes, and error queue entries: whatever the bytes are, reading them ends, and
//! what is recognised names one of our flows.
#![no_main]

use evidence::ProbeProtocol;
use libfuzzer_sys::fuzz_target;
use probe::wire::{Flow, QueuedError, Recogniser, mpls_labels, read_quote};
use std::net::IpAddr;

fn flows(source: IpAddr, destination: IpAddr) -> Vec<Flow> {
    let flow = |protocol, session| Flow {
        source,
        destination,
        protocol,
        source_port: 0x4141,
        destination_port: if protocol == ProbeProtocol::Icmp {
            0
        } else {
            0x4242
        },
        session,
        numbered: true,
    };
    vec![
        flow(ProbeProtocol::Udp, None),
        flow(ProbeProtocol::Icmp, None),
        flow(ProbeProtocol::TcpSyn, None),
        flow(ProbeProtocol::Udp, Some([7; 16])),
    ]
}

fuzz_target!(|bytes: &[u8]| {
    let [family, kind, code, extension_at, message @ ..] = bytes else {
        return;
    };
    let (source, destination): (IpAddr, IpAddr) = if family & 1 == 0 {
        ([10, 0, 0, 1].into(), [10, 0, 0, 2].into())
    } else {
        (
            [0xfd00, 0, 0, 0, 0, 0, 0, 1].into(),
            [0xfd00, 0, 0, 0, 0, 0, 0, 2].into(),
        )
    };
    let recogniser = Recogniser::new(flows(source, destination));
    let queued = QueuedError {
        from: destination,
        kind: *kind,
        code: *code,
        mtu_bytes: 1400,
        quoted: message,
        extension_at: (*extension_at > 0).then_some(usize::from(*extension_at)),
        reply_ttl: Some(60),
    };
    let mut replies = vec![
        recogniser.icmp(destination, message, Some(60)),
        recogniser.tcp(destination, message, None),
    ];
    for index in 0..5 {
        replies.push(recogniser.udp(index, destination, 0x4242, message, None));
        replies.push(recogniser.queued(index, &queued));
    }
    for reply in replies.into_iter().flatten() {
        assert!(usize::from(reply.flow) < recogniser.flows().len());
    }
    let _ = read_quote(message);
    assert!(mpls_labels(message).len() <= 16);
});
