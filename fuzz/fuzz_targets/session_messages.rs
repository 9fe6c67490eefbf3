//! What the two ends of a transfer say to each other on the control channel, behind the encryption.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probe::session::{Assembler, Limits, ToClient, ToServer, chunks, decode, encode};

fuzz_target!(|bytes: &[u8]| {
    // The first byte says how the rest is cut into chunks, the chunks with their markers are as hostile as the text.
    if let Some((size, rest)) = bytes.split_first() {
        let mut assembler = Assembler::default();
        for chunk in rest.chunks(usize::from(*size).max(1)) {
            if assembler.push(chunk).is_err() {
                break;
            }
        }
    }

    if let Ok(message) = decode::<ToServer>(bytes) {
        let written = encode(&message).expect("what was read can be written");
        assert_eq!(decode::<ToServer>(&written).expect("what was written can be read"), message);
        match message {
            ToServer::Tcp { plan } => {
                if let Ok(allowed) = plan.within(&Limits::default()) {
                    assert!(allowed.max_time_ms <= Limits::default().max_duration_ms);
                }
            }
            ToServer::Udp { plan } if plan.check(&Limits::default()).is_ok() => {
                assert!(plan.packets() >= 1 && plan.spacing_ns() > 0.0);
            }
            _ => {}
        }
    }

    if let Ok(message) = decode::<ToClient>(bytes) {
        let written = encode(&message).expect("what was read can be written");
        let cut = chunks(&written).expect("it was short enough to be read");
        let mut assembler = Assembler::default();
        let whole = cut.iter().find_map(|chunk| assembler.push(chunk).expect("our own chunks"));
        assert_eq!(whole.as_deref(), Some(written.as_slice()));
    }
});
