//! A capture as somebody else's program left it, from the first byte to the last segment: packets are found, decoded and
//! joined. Whole or in pieces, the result is the same.
#![no_main]

use capture::decode::{Counts, Decoder, Defragmenter, Packet};
use capture::file::{Complaint, Framer};
use libfuzzer_sys::fuzz_target;

struct Read {
    packets: u64,
    counts: Counts,
    segments: Vec<(i64, u32, u32)>,
    complaints: Vec<Complaint>,
}

fn read(bytes: &[u8], chunk: usize) -> Option<Read> {
    let (mut framer, decoder, mut whole) = (Framer::new(), Decoder::new(7), Defragmenter::new(8));
    let (mut counts, mut segments, mut packets) = (Counts::default(), vec![], 0);
    let (mut from, mut to) = (0, 0);
    loop {
        to = (to + chunk).min(bytes.len());
        let at_end = to == bytes.len();
        loop {
            let offered = &bytes[from..to];
            let step = framer.advance(offered, at_end).ok()?;
            let mut give = |segment: capture::Segment| segments.push((segment.time_ns, segment.seq, segment.payload_bytes));
            let before = packets;
            for frame in step.packets.frames(offered) {
                packets += 1;
                let packet = decoder.decode(&frame);
                counts.count(&packet);
                match packet {
                    Packet::Tcp(segment) => give(segment),
                    Packet::Fragment(fragment) => whole.feed(&fragment, &mut give),
                    Packet::TooBig(_) | Packet::Other(_) => {}
                }
            }
            assert_eq!(packets - before, step.packets.count());
            from += step.consumed;
            if step.consumed == 0 {
                break;
            }
        }
        if at_end {
            assert_eq!(from, to, "all is consumed at the end");
            whole.finish(&mut |segment| segments.push((segment.time_ns, segment.seq, segment.payload_bytes)));
            let complaints = framer.complaints().to_vec();
            return Some(Read { packets, counts, segments, complaints });
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes, bytes.len().max(1));
    let chunk = 1 + usize::from(bytes.last().copied().unwrap_or(0));
    let pieces = read(bytes, chunk);
    assert_eq!(whole.is_some(), pieces.is_some());
    if let (Some(whole), Some(pieces)) = (whole, pieces) {
        assert_eq!(whole.packets, pieces.packets);
        assert_eq!(whole.counts, pieces.counts);
        assert_eq!(whole.segments, pieces.segments);
        assert_eq!(whole.complaints, pieces.complaints);
        assert_eq!(whole.counts.total(), whole.packets);
    }
});
