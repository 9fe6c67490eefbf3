//! Captures with a known content, written as they are made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const HEADERS: usize = 14 + 20 + 32;
const MSS: u32 = 1448;

/// One packet before it is bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    time_us: u64,
    /// The connection, and whether its server sends.
    flow: u32,
    from_server: bool,
    flags: u8,
    seq: u32,
    ack: u32,
    payload: u32,
}

const SYN: u8 = 2;
const FIN: u8 = 1;
const ACK: u8 = 16;
const PSH: u8 = 8;

struct Pcap<W: Write> {
    out: BufWriter<W>,
    snap: usize,
    packets: u64,
}

impl Pcap<File> {
    fn create(path: &Path, snap: usize) -> Self {
        Self::new(File::create(path).unwrap(), snap)
    }
}

impl<W: Write> Pcap<W> {
    fn new(out: W, snap: usize) -> Self {
        let mut out = BufWriter::with_capacity(1 << 20, out);
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, snap as u32, 1] {
            out.write_all(&word.to_le_bytes()).unwrap();
        }
        Self {
            out,
            snap,
            packets: 0,
        }
    }

    fn write(&mut self, packet: &Packet) {
        let address = |is_server: bool| {
            if is_server {
                [192, 168, (packet.flow % 8) as u8, 10]
            } else {
                [
                    10,
                    (packet.flow >> 16) as u8,
                    (packet.flow >> 8) as u8,
                    packet.flow as u8,
                ]
            }
        };
        let port = |is_server: bool| {
            if is_server {
                443
            } else {
                1024 + (packet.flow % 60_000) as u16
            }
        };
        let length = HEADERS + packet.payload as usize;
        let kept = length.min(self.snap);
        let mut bytes = Vec::with_capacity(16 + kept);
        for word in [
            (packet.time_us / 1_000_000) as u32,
            (packet.time_us % 1_000_000) as u32,
            kept as u32,
            length as u32,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]);
        bytes.extend([0x45, 0]);
        bytes.extend(((length - 14) as u16).to_be_bytes());
        bytes.extend((self.packets as u16).to_be_bytes());
        bytes.extend([0x40, 0, 64, 6, 0, 0]);
        bytes.extend(address(packet.from_server));
        bytes.extend(address(!packet.from_server));
        bytes.extend(port(packet.from_server).to_be_bytes());
        bytes.extend(port(!packet.from_server).to_be_bytes());
        bytes.extend(packet.seq.to_be_bytes());
        bytes.extend(packet.ack.to_be_bytes());
        bytes.extend([0x80, packet.flags, 0x7f, 0xff, 0, 0, 0, 0]);
        let stamp = (packet.time_us / 1_000) as u32;
        if packet.flags & SYN != 0 {
            // Maximum segment size, SACK permitted, window scale; no room is left for time stamps in headers of one length.
            bytes.extend([2, 4, 5, 0xb4, 4, 2, 1, 3, 3, 7, 1, 1]);
        } else {
            bytes.extend([1, 1, 8, 10]);
            bytes.extend(stamp.to_be_bytes());
            bytes.extend(stamp.wrapping_sub(10).to_be_bytes());
        }
        bytes.resize(16 + kept, 0);
        self.out.write_all(&bytes).unwrap();
        self.packets += 1;
    }

    fn done(mut self) -> u64 {
        self.out.flush().unwrap();
        self.packets
    }
}

fn packet(
    time_us: u64,
    flow: u32,
    from_server: bool,
    flags: u8,
    (seq, ack): (u32, u32),
    payload: u32,
) -> Packet {
    Packet {
        time_us,
        flow,
        from_server,
        flags,
        seq,
        ack,
        payload,
    }
}

/// One transfer of so many packets, of which one data packet in 20,000 is lost behind the capture point and retransmitted.
pub(crate) fn bulk(path: &Path, packets: u64, snap: usize) -> u64 {
    const RTT_US: u64 = 5_000;
    const EVERY: u64 = 20_000;
    let mut pcap = Pcap::create(path, snap);
    let mut time_us = 1_700_000_000_000_000;
    pcap.write(&packet(time_us, 0, false, SYN, (999, 0), 0));
    pcap.write(&packet(time_us + RTT_US, 0, true, SYN | ACK, (499, 1_000), 0));
    time_us += RTT_US;
    let (mut seq, mut acked, mut sent) = (1_000_u32, 1_000_u32, 0_u64);
    let flight = 400 * MSS;
    let mut lost: Option<(u32, u64)> = None;
    while pcap.packets + 1 < packets {
        time_us += 12;
        if lost.is_some_and(|(_, at)| time_us > at + RTT_US) {
            // The retransmission, then the acknowledgement of all before it.
            let (at, _) = lost.take().unwrap_or((seq, 0));
            pcap.write(&packet(time_us, 0, false, ACK, (at, 500), MSS));
            continue;
        }
        pcap.write(&packet(time_us, 0, false, ACK, (seq, 500), MSS));
        sent += 1;
        if sent.is_multiple_of(EVERY) && lost.is_none() {
            lost = Some((seq, time_us));
        }
        seq = seq.wrapping_add(MSS);
        if sent.is_multiple_of(2) && seq.wrapping_sub(acked) > flight {
            let upto = seq.wrapping_sub(flight);
            acked = match lost {
                Some((at, _)) if (upto.wrapping_sub(at) as i32) > 0 => at,
                _ => upto,
            };
            pcap.write(&packet(time_us + 1, 0, true, ACK, (500, acked), 0));
        }
    }
    pcap.done()
}

/// So many short connections, 2,000 beginning each second, interleaved: a request, an answer of some 20 kB.
pub(crate) fn connections(path: &Path, count: u64) -> u64 {
    let mut pcap = Pcap::create(path, 96);
    let mut waiting: BinaryHeap<Reverse<Packet>> = BinaryHeap::new();
    let begin_us = 1_700_000_000_000_000;
    for flow in 0..count {
        let time_us = begin_us + flow * 500;
        while let Some(Reverse(next)) = waiting.peek().copied().filter(|next| next.0.time_us < time_us) {
            waiting.pop();
            pcap.write(&next);
        }
        for each in connection(flow as u32, time_us) {
            waiting.push(Reverse(each));
        }
    }
    while let Some(Reverse(next)) = waiting.pop() {
        pcap.write(&next);
    }
    pcap.done()
}

/// So many connections that begin one after the other, each with one segment of data, and never end: first all handshakes and
/// then all segments, so that all are open at once.
pub(crate) fn flood(out: &mut dyn Write, count: u64) {
    let mut pcap = Pcap::new(out, 96);
    let begin_us = 1_700_000_000_000_000;
    for flow in 0..count {
        let (time_us, flow) = (begin_us + flow, flow as u32);
        pcap.write(&packet(time_us, flow, false, SYN, (flow, 0), 0));
        pcap.write(&packet(
            time_us,
            flow,
            true,
            SYN | ACK,
            (flow, flow.wrapping_add(1)),
            0,
        ));
    }
    for flow in 0..count {
        let (time_us, flow) = (begin_us + count + flow, flow as u32);
        let next = flow.wrapping_add(1);
        pcap.write(&packet(time_us, flow, false, ACK | PSH, (next, next), 300));
    }
    pcap.done();
}

/// One short connection.
fn connection(flow: u32, mut time_us: u64) -> Vec<Packet> {
    // Knuth's multiplier spreads sizes and round trips over the connections.
    let mixed = flow.wrapping_mul(2_654_435_761) >> 8;
    let rtt_us = u64::from(2_000 + mixed % 100_000);
    let segments = 4 + mixed % 16;
    let (client, server) = (mixed.wrapping_mul(31), mixed.wrapping_mul(17));
    let mut all = vec![
        packet(time_us, flow, false, SYN, (client, 0), 0),
        packet(
            time_us + rtt_us,
            flow,
            true,
            SYN | ACK,
            (server, client.wrapping_add(1)),
            0,
        ),
    ];
    time_us += rtt_us;
    let (mut up, mut down) = (client.wrapping_add(1), server.wrapping_add(1));
    all.push(packet(time_us + 1, flow, false, ACK, (up, down), 0));
    all.push(packet(time_us + 2, flow, false, ACK | PSH, (up, down), 300));
    up = up.wrapping_add(300);
    time_us += rtt_us;
    for at in 0..segments {
        // One in a hundred is lost and comes again after a round trip.
        all.push(packet(time_us, flow, true, ACK, (down, up), MSS));
        if mixed.wrapping_add(at * 7).is_multiple_of(100) {
            all.push(packet(time_us + rtt_us + 200, flow, true, ACK, (down, up), MSS));
        }
        down = down.wrapping_add(MSS);
        if at % 2 == 1 {
            all.push(packet(time_us + 5, flow, false, ACK, (up, down), 0));
        }
        time_us += 13;
    }
    time_us += 2 * rtt_us;
    all.push(packet(time_us, flow, true, ACK | FIN, (down, up), 0));
    all.push(packet(
        time_us + 3,
        flow,
        false,
        ACK | FIN,
        (up, down.wrapping_add(1)),
        0,
    ));
    all.push(packet(
        time_us + rtt_us,
        flow,
        true,
        ACK,
        (down.wrapping_add(1), up.wrapping_add(1)),
        0,
    ));
    all
}
