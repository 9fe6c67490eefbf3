//! One frame of any link type: the first two bytes are the type, the third tells how much of the wire was captured.
#![no_main]

use capture::decode::{Decoder, Packet};
use capture::file::Frame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [a, b, cut, captured @ ..] = bytes else {
        return;
    };
    let link_type = u16::from_be_bytes([*a, *b]) % 300;
    let wire_bytes = captured.len() as u32 + u32::from(*cut) * 300;
    let frame = Frame { time_ns: 1, link_type, interface: 0, captured, wire_bytes };
    let packet = Decoder::new(7).decode(&frame);
    if let Packet::Tcp(segment) = packet {
        assert!(segment.payload_bytes <= segment.ip_bytes);
        // Less of the options was captured: nothing but options may change, and then they say that they are cut.
        for less in 1..captured.len().min(60) {
            let captured = &captured[..captured.len() - less];
            let Packet::Tcp(cut) = Decoder::new(7).decode(&Frame { captured, wire_bytes, ..frame }) else {
                break;
            };
            assert!(cut.options == segment.options || cut.options.is_cut);
            assert_eq!((cut.key, cut.seq, cut.payload_bytes), (segment.key, segment.seq, segment.payload_bytes));
        }
    }
});
