//! Reading whole captures.

use capture::decode::{Counts, Decoder, Defragmenter, Packet};
use capture::file::{Complaint, Description, Framer, NotACapture};
use capture::{Segment, TooBig};

/// A packet of a capture, with bytes of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub time_ns: i64,
    pub link_type: u16,
    pub interface: u32,
    pub captured: Vec<u8>,
    pub wire_bytes: u32,
}

/// All that is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub packets: Vec<Owned>,
    pub complaints: Vec<Complaint>,
    pub description: Description,
}

/// Everything in a file that is offered in chunks of so many bytes.
pub fn read_in_chunks(bytes: &[u8], chunk: usize) -> Result<File, NotACapture> {
    let (mut framer, mut packets) = (Framer::new(), vec![]);
    let (mut from, mut to) = (0, 0);
    loop {
        to = (to + chunk).min(bytes.len());
        let at_end = to == bytes.len();
        loop {
            let offered = &bytes[from..to];
            let step = framer.advance(offered, at_end)?;
            let before = packets.len() as u64;
            packets.extend(step.packets.frames(offered).map(|frame| Owned {
                time_ns: frame.time_ns,
                link_type: frame.link_type,
                interface: frame.interface,
                captured: frame.captured.to_vec(),
                wire_bytes: frame.wire_bytes,
            }));
            assert_eq!(step.packets.first(), before);
            assert_eq!(step.packets.count(), packets.len() as u64 - before);
            from += step.consumed;
            assert_eq!(framer.offset(), from as u64);
            if step.consumed == 0 {
                break;
            }
        }
        if at_end {
            assert_eq!(from, to, "all is consumed at the end");
            let complaints = framer.complaints().to_vec();
            return Ok(File {
                packets,
                complaints,
                description: framer.description().clone(),
            });
        }
    }
}

/// Everything in a file.
pub fn read(bytes: &[u8]) -> File {
    read_in_chunks(bytes, bytes.len().max(1)).unwrap()
}

/// What a frame of a link type holds.
pub fn decode(link_type: u16, frame: &[u8]) -> Packet {
    decode_cut(link_type, frame, frame.len())
}

/// The same where only so many bytes were captured.
pub fn decode_cut(link_type: u16, frame: &[u8], snap: usize) -> Packet {
    let captured = frame.get(..snap).unwrap_or(frame);
    let wire_bytes = frame.len() as u32;
    Decoder::new(1).decode(&capture::file::Frame {
        time_ns: 5,
        link_type,
        interface: 0,
        captured,
        wire_bytes,
    })
}

/// The segment that it must hold.
pub fn segment(link_type: u16, frame: &[u8]) -> Segment {
    match decode(link_type, frame) {
        Packet::Tcp(segment) => segment,
        other => panic!("no segment: {other:?}"),
    }
}

/// The message that it must hold.
pub fn too_big(link_type: u16, frame: &[u8]) -> TooBig {
    match decode(link_type, frame) {
        Packet::TooBig(too_big) => too_big,
        other => panic!("no message: {other:?}"),
    }
}

/// All segments of a file, joined, and how many packets of each kind there were.
pub fn segments(bytes: &[u8]) -> (Vec<Segment>, Counts) {
    let (decoder, mut whole) = (Decoder::new(1), Defragmenter::new(100));
    let (mut counts, mut segments) = (Counts::default(), vec![]);
    for packet in &read(bytes).packets {
        let packet = decoder.decode(&capture::file::Frame {
            time_ns: packet.time_ns,
            link_type: packet.link_type,
            interface: packet.interface,
            captured: &packet.captured,
            wire_bytes: packet.wire_bytes,
        });
        counts.count(&packet);
        match packet {
            Packet::Tcp(segment) => segments.push(segment),
            Packet::Fragment(fragment) => whole.feed(&fragment, &mut |segment| segments.push(segment)),
            Packet::TooBig(_) | Packet::Other(_) => {}
        }
    }
    whole.finish(&mut |segment| segments.push(segment));
    (segments, counts)
}
