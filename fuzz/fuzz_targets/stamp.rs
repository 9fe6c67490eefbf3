//! Packets to a STAMP reflector, and answers to a sender: open and authenticated, whole and broken TLVs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::stamp::{Arrival, Clock, Key, Reflector, ReflectorConfig, Sender, SenderPlan};

const NOW_NS: i64 = 1_767_225_600_000_000_000;

fuzz_target!(|bytes: &[u8]| {
    let clock = Clock { synchronised: true, error_ns: 1_000 };
    for key in [None, Key::new(&[7; 16]).ok()] {
        let mut reflector = Reflector::new(ReflectorConfig {
            key: key.clone(),
            stateful: true,
            grants_class: true,
            max_sessions: 4,
        });
        let arrival = Arrival {
            from: ([192, 0, 2, 1], 50_000).into(),
            to: ([192, 0, 2, 2], 862).into(),
            at_ns: NOW_NS,
            ttl: Some(250),
            tos: Some(1),
        };
        if let Ok(reply) = reflector.answer(bytes, &arrival, (clock, NOW_NS), 0) {
            assert_eq!(reply.packet.len(), bytes.len());
        }
        let plan = SenderPlan {
            count: 3,
            interval_ns: 1_000_000,
            payload_bytes: None,
            ssid: 0,
            dscp: 0,
            key,
            clock,
        };
        let Some(mut sender) = Sender::new(plan, 0) else { continue };
        // A sender whose packet is all but known to who forges answers.
        let _ = sender.packet(NOW_NS);
        let _ = sender.receive(bytes, NOW_NS, Some(255));
        let node = evidence::Node::default();
        let _ = sender.finish().probes(&node, &node, 72);
    }
});
