//! However many threads read a capture, they say the same of it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::{Desk, pcap};

const DATA: u16 = 1_000;
const PACKETS: u32 = 150_000;

const ACK: u8 = 16;

/// Transfers, each to a port of its own, in turns of so many packets: 20 segments on the way, each acknowledged; now and then one is
/// retransmitted, or the sender pauses.
fn capture(ports: &[u16], turn: u32) -> Vec<u8> {
    let mut bytes = pcap::head();
    let mut time_us = 0;
    let at = |number: u32| number.wrapping_mul(u32::from(DATA));
    for first in (0..PACKETS).step_by(turn as usize) {
        for port in ports {
            let (client, server) = (([10, 0, 0, 1], *port), ([192, 0, 2, 1], 443));
            for number in first..first + turn {
                time_us += if number % 4_999 == 0 { 300_000 } else { 50 };
                let again = if number % 997 == 0 { 10 } else { 0 };
                let seq = at(number.saturating_sub(again));
                let ack = at(number.saturating_sub(20));
                bytes.extend(pcap::record(time_us, [client, server], ACK, (seq, 1), DATA));
                bytes.extend(pcap::record(time_us + 10, [server, client], ACK, (1, ack), 0));
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
        let said = ["1", "2", "3", "8"].map(|threads| {
            let run = desk.run(&["capture", name, "--json", "--threads", threads]);
            run.exits(0);
            run.stdout
        });
        assert!(said[0].contains("\"retransmitted"), "{}", said[0]);
        assert!(said.iter().all(|one| *one == said[0]), "{name}: not the same");
    }
}
