//! What finding and decoding a packet costs: `cargo bench -p capture --bench decode [-- FILE] [MB]`.
//!
//! The file (by default packets made here) is repeated in memory until so many megabytes (500) have passed, in chunks of
//! 1 MiB, as from a file. Times are those of the thread on its processor: the wall clock of a busy machine measures its neighbours.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_types,
    unreachable_pub
)]

#[path = "../tests/common/mod.rs"]
mod common;

use capture::decode::{Counts, Decoder, Packet};
use capture::file::Framer;
use common::packets::{Pcap, Tcp};
use std::time::Duration;

const CHUNK_BYTES: usize = 1 << 20;
const DEFAULT_MB: usize = 500;

/// Time that this thread spent on a processor, from the kernel.
fn on_cpu() -> Duration {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = status.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

/// Data with time stamps one way, acknowledgements the other, snap length 96.
fn made() -> Vec<u8> {
    let pcap = Pcap {
        snap_bytes: 96,
        ..Pcap::default()
    };
    let packets: Vec<_> = (0..100_000_i64)
        .map(|n| {
            let mut tcp = Tcp::v4().payload(if n % 3 == 2 { 0 } else { 1448 });
            if n % 3 == 2 {
                (tcp.from, tcp.to) = (tcp.to, tcp.from);
            }
            tcp.from.1 = tcp.from.1.wrapping_add((n % 1000) as u16);
            tcp.seq = n as u32;
            (1_700_000_000_000_000_000 + n * 12_000, tcp.ethernet())
        })
        .collect();
    pcap.file(&packets)
}

/// Walks over a file; `each` gets the packets of a step.
fn walk(bytes: &[u8], mut each: impl FnMut(&capture::file::Packets, &[u8])) -> u64 {
    let mut framer = Framer::new();
    let (mut from, mut to) = (0, 0);
    loop {
        to = (to + CHUNK_BYTES).min(bytes.len());
        loop {
            let offered = &bytes[from..to];
            let step = framer.advance(offered, to == bytes.len()).unwrap();
            each(&step.packets, offered);
            from += step.consumed;
            if step.consumed == 0 {
                break;
            }
        }
        if to == bytes.len() {
            return framer.packets();
        }
    }
}

fn measured(name: &str, bytes: &[u8], rounds: usize, mut each: impl FnMut(&capture::file::Packets, &[u8])) {
    let began = on_cpu();
    let packets: u64 = (0..rounds).map(|_| walk(bytes, &mut each)).sum();
    let spent = on_cpu().saturating_sub(began);
    let ns = spent.as_nanos() as f64 / packets as f64;
    let rate = (bytes.len() * rounds) as f64 / 1e9 / spent.as_secs_f64();
    println!("{name:8} {ns:6.1} ns/packet {rate:6.2} GB/s, {packets} packets");
}

fn main() {
    let words = || std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let path = words().find(|word| word.parse::<usize>().is_err());
    let megabytes = words().find_map(|word| word.parse().ok()).unwrap_or(DEFAULT_MB);
    let bytes = path.map_or_else(made, |path| std::fs::read(path).unwrap());
    let rounds = (megabytes * 1_000_000 / bytes.len()).max(1);
    measured("framing", &bytes, rounds, |_, _| {});
    let mut wire = 0;
    measured("frames", &bytes, rounds, |packets, bytes| {
        wire += packets
            .frames(bytes)
            .map(|frame| u64::from(frame.wire_bytes))
            .sum::<u64>();
    });
    let decoder = Decoder::new(1);
    let (mut counts, mut payload, mut mixed) = (Counts::default(), 0, 0);
    measured("decoding", &bytes, rounds, |packets, bytes| {
        for frame in packets.frames(bytes) {
            let packet = decoder.decode(&frame);
            counts.count(&packet);
            if let Packet::Tcp(segment) = packet {
                payload += u64::from(segment.payload_bytes);
                mixed ^= segment.hash;
            }
        }
    });
    println!("{wire} bytes on the wire, {payload} of payload, {mixed:x}, {counts:?}");
}
