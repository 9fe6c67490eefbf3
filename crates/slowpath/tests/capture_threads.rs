//! However many threads read a capture, they say the same of it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::Desk;

const DATA: u16 = 1_000;
const PACKETS: u32 = 150_000;

/// A record of IPv4 and TCP without options; its payload is not in it.
fn record(time_us: u32, port: u16, from_server: bool, (seq, ack): (u32, u32), payload: u16) -> Vec<u8> {
    let mut ends = [([10, 0, 0, 1], port), ([192, 0, 2, 1], 443)];
    if from_server {
        ends.reverse();
    }
    let [from, to] = ends;
    let mut bytes = Vec::with_capacity(56);
    let seconds = 1_700_000_000 + time_us / 1_000_000;
    for word in [seconds, time_us % 1_000_000, 40, 40 + u32::from(payload)] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0x45, 0]);
    bytes.extend((40 + payload).to_be_bytes());
    bytes.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    bytes.extend(from.0);
    bytes.extend(to.0);
    bytes.extend(from.1.to_be_bytes());
    bytes.extend(to.1.to_be_bytes());
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([0x50, 16, 0x7f, 0xff, 0, 0, 0, 0]);
    bytes
}

/// Transfers, each to a port of its own, in turns of so many packets: 20 segments on the way, each acknowledged; now and then one is
/// retransmitted, or the sender pauses.
fn capture(ports: &[u16], turn: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 128, 101] {
        bytes.extend(word.to_le_bytes());
    }
    let mut time_us = 0;
    let at = |number: u32| number.wrapping_mul(u32::from(DATA));
    for first in (0..PACKETS).step_by(turn as usize) {
        for port in ports {
            for number in first..first + turn {
                time_us += if number % 4_999 == 0 { 300_000 } else { 50 };
                let again = if number % 997 == 0 { 10 } else { 0 };
                let seq = at(number.saturating_sub(again));
                bytes.extend(record(time_us, *port, false, (seq, 1), DATA));
                bytes.extend(record(
                    time_us + 10,
                    *port,
                    true,
                    (1, at(number.saturating_sub(20))),
                    0,
                ));
            }
        }
    }
    bytes
}

#[test]
fn threads_say_the_same() {
    let desk = Desk::new();
    for (name, bytes) in [
        ("one.pcap", capture(&[7_000], 1_000)),
        ("turns.pcap", capture(&[7_000, 7_001, 7_002], 3_000)),
    ] {
        desk.write_bytes(name, &bytes);
        let said = ["1", "2", "3"].map(|threads| {
            let run = desk.run(&["capture", name, "--json", "--threads", threads]);
            run.exits(0);
            run.stdout
        });
        assert!(said[0].contains("\"retransmitted"), "{}", said[0]);
        assert!(said.iter().all(|one| *one == said[0]), "{name}: not the same");
    }
}
