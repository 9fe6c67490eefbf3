//! Counters, tables and capacities as anybody may send them: each input is read as one text, and once more with every
//! line behind a known first line, so that all bodies are reached without the fuzzer guessing the heads.
#![no_main]

use ingest::{Context, import};
use libfuzzer_sys::fuzz_target;

const HEADS: &[&str] = &[
    "2.2.1 Test 1: UDP, 1 stream, 10s",
    "| Network | Description of Counter | Packets |",
    "test,network,description,packets,from,to,protocol,streams,duration_s,packets_sent,remark",
    "ATM5/0 is up, line protocol is up",
    "Physical interface: so-6-2-0, Enabled, Physical link is Up",
    "2: eth0: <UP,LOWER_UP> mtu 1500",
    "$ ethtool -S eth0",
    "Settings for eth0:",
    "pathchar to a.example (240.0.0.1)",
    "pchar to a.example (240.0.0.1) using UDP/IPv4",
    "pings/node=4   100 byte packets   1473 byte packets",
    "Monitoring-Site Remote-Site 1 2 3 31",
];

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let Some((first, body)) = bytes.split_first() else {
        return;
    };
    let head = HEADS[usize::from(*first) % HEADS.len()];
    check(&[head.as_bytes(), b"\n", body].concat());
});

fn check(text: &[u8]) {
    let context = Context {
        at: Some(evidence::Timestamp(958_564_800_000_000_000)),
        ..Context::default()
    };
    // Carriage returns alone may end lines as well.
    let last = text.split(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    let (records, complaints) = import(text, &context);
    for record in &records {
        // What is recorded is written into a case and read back: no figure that JSON cannot hold.
        let written = serde_json::to_string(&record.payload).expect("a payload is JSON");
        let read: evidence::Payload = serde_json::from_str(&written).expect("and comes back");
        assert_eq!(read, record.payload);
    }
    let records = records.iter().map(|record| record.lines);
    let complaints = complaints.iter().map(|c| (c.first_line, c.last_line));
    for (first, end) in records.chain(complaints) {
        assert!(1 <= first && first <= end && end <= last, "{first} to {end} of {last}");
    }
}
