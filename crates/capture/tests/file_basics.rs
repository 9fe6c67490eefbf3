//! Packets come out of files as they went in.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use capture::file::{Complaint, Description, Framer, NotACapture};
use common::packets::{Pcap, Pcapng, Tcp, Timed};

/// A packet of a capture: time, link type, interface, captured bytes, bytes on the wire.
type Read = (i64, u16, u32, Vec<u8>, u32);

/// Everything in a file that is offered in chunks of so many bytes.
fn read(bytes: &[u8], chunk: usize) -> Result<(Vec<Read>, Vec<Complaint>, Description), NotACapture> {
    let (mut framer, mut read) = (Framer::new(), vec![]);
    let (mut from, mut to) = (0, 0);
    loop {
        to = (to + chunk).min(bytes.len());
        let at_end = to == bytes.len();
        loop {
            let offered = &bytes[from..to];
            let step = framer.advance(offered, at_end)?;
            let frames = step.packets.frames(offered);
            let before = read.len();
            read.extend(frames.map(|f| {
                (
                    f.time_ns,
                    f.link_type,
                    f.interface,
                    f.captured.to_vec(),
                    f.wire_bytes,
                )
            }));
            assert_eq!((read.len() - before) as u64, step.packets.count());
            from += step.consumed;
            if step.consumed == 0 {
                break;
            }
        }
        if at_end {
            assert_eq!(from, to, "all is consumed at the end");
            return Ok((read, framer.complaints().to_vec(), framer.description().clone()));
        }
    }
}

fn packets() -> Vec<Timed> {
    let packet = |n: usize| {
        let tcp = if n.is_multiple_of(2) { Tcp::v4() } else { Tcp::v6() };
        (
            1_700_000_000_000_000_000 + n as i64 * 1_001_000,
            tcp.payload(n * 37).ethernet(),
        )
    };
    (0..40).map(packet).collect()
}

#[test]
fn pcap_in_each_variant() {
    for (big, nanoseconds) in [(false, false), (true, false), (false, true), (true, true)] {
        let pcap = Pcap {
            big,
            nanoseconds,
            ..Pcap::default()
        };
        let (read, complaints, description) = read(&pcap.file(&packets()), usize::MAX / 2).unwrap();
        let expected: Vec<Read> = packets()
            .into_iter()
            .map(|(time_ns, packet)| (time_ns, 1, 0, packet.clone(), packet.len() as u32))
            .collect();
        assert_eq!(read, expected);
        assert_eq!(complaints, []);
        assert_eq!(description.interfaces[0].snap_bytes, 262_144);
    }
}

#[test]
fn pcapng_in_each_order() {
    for big in [false, true] {
        let file = Pcapng { big }.file(1, &packets());
        let (read, complaints, _) = read(&file, usize::MAX / 2).unwrap();
        let expected: Vec<Read> = packets()
            .into_iter()
            .map(|(time_ns, packet)| (time_ns, 1, 0, packet.clone(), packet.len() as u32))
            .collect();
        assert_eq!(read, expected);
        assert_eq!(complaints, []);
    }
}
