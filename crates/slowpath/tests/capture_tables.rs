//! Tables of millions of connections: they keep to the memory that is allowed, and their order.

#![allow(clippy::unwrap_used, clippy::expect_used)] // what cannot be had fails the test

mod common;

use common::{Desk, pcap};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{ChildStdin, Stdio};
use std::thread;

/// Connections.
const FLOWS: u32 = 250_000;
/// The least that may be asked for: most connections have to go before their end, and have a row for each part.
const LEAST_MIB: u64 = 16;

const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Which connections are open at once.
#[derive(Clone, Copy)]
enum Open {
    All,
    /// Each is aborted before the next begins.
    One,
}

/// Writes a pcap of connections of a few packets each. Every second begins at the same time as the one before.
fn write_capture(out: impl Write, flows: u32, open: Open) {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    out.write_all(&pcap::head()).unwrap();
    let steps = [
        (SYN, false, 999, 0),
        (SYN | ACK, true, 499, 0),
        (ACK, false, 1_000, 100),
        (RST | ACK, false, 1_100, 0),
    ];
    let mut put = |ms: u32, flow: u32, (flags, from_server, seq, payload): (u8, bool, u32, u16)| {
        let bytes = packet(u64::from(ms) * 1_000, flow, from_server, flags, seq, payload);
        out.write_all(&bytes).unwrap();
    };
    match open {
        Open::All => {
            for step in &steps[..3] {
                (0..flows).for_each(|flow| put(0, flow, *step));
            }
        }
        Open::One => {
            for flow in 0..flows {
                steps.iter().for_each(|step| put(flow / 2, flow, *step));
            }
        }
    }
    out.flush().unwrap();
}

/// A packet of a connection.
fn packet(time_us: u64, flow: u32, from_server: bool, flags: u8, seq: u32, payload: u16) -> Vec<u8> {
    // No order of addresses is that of the times.
    let [_, a, b, c] = flow.wrapping_mul(2_654_435_761).to_be_bytes();
    let mut ends = [([10, a, b, c], 1024 + (flow >> 8) as u16), ([192, 0, 2, 1], 443)];
    if from_server {
        ends.reverse();
    }
    let ack = if flags & ACK != 0 { 500 } else { 0 };
    pcap::record(time_us, ends, flags, (seq, ack), payload)
}

/// Analyses the capture; tells the most memory that it had, KiB.
fn peak_kib(desk: &Desk, (flows, open): (u32, Open), memory_mib: u64, options: &[&str]) -> u64 {
    let memory = memory_mib.to_string();
    let args = ["capture", "-", "--memory", &memory];
    let mut child = desk
        .command(&[&args, options].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input: ChildStdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || write_capture(input, flows, open));
    let peak = common::peak_kib(&mut child);
    writer.join().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    peak
}

#[test]
fn tables_of_many_connections_keep_to_the_memory() {
    let desk = Desk::new();
    let without = peak_kib(&desk, (FLOWS, Open::All), LEAST_MIB, &[]);
    let tables = ["--csv", "all.csv", "--parquet", "all.parquet"];
    let with = peak_kib(&desk, (FLOWS, Open::All), LEAST_MIB, &tables);
    // What is read and waits is beside the connections, so it is compared with a run that has no rows. The rows slow the threads
    // down, and so more may wait, by some megabytes on a busy machine.
    let most = without + LEAST_MIB * 1024;
    assert!(with <= most, "{with} KiB, and {without} KiB without tables");
    // The rows that this is about are several times that.
    let csv = desk.bytes("all.csv");
    assert!(csv.len() as u64 > LEAST_MIB << 21, "{}", csv.len());
}

/// Neither the threads nor chance decide which connections have to go for others.
#[test]
fn the_same_connections_go_in_each_run() {
    let desk = Desk::new();
    let [one, two] = ["1", "2"].map(|threads| {
        let name = format!("{threads}.csv");
        let options = ["--threads", threads, "--csv", &name];
        peak_kib(&desk, (FLOWS / 2, Open::All), LEAST_MIB, &options);
        desk.read(&name)
    });
    // A row for each part of a connection.
    assert!(one.lines().count() as u32 > FLOWS, "{}", one.lines().count());
    assert!(one == two, "not the same rows");
}

/// So much memory that each connection is followed to its end, and so little that rows have to wait elsewhere.
#[test]
fn tables_hold_each_connection_in_its_order() {
    const MIB: u64 = 64;
    let desk = Desk::new();
    let tables = |name: &str, threads: &str| {
        let (csv, parquet) = (format!("{name}.csv"), format!("{name}.parquet"));
        let options = ["--threads", threads, "--csv", &csv, "--parquet", &parquet];
        peak_kib(&desk, (FLOWS, Open::One), MIB, &options);
        (desk.read(&csv), desk.bytes(&parquet))
    };
    let (text, parquet) = tables("two", "2");
    assert!(
        (&text, &parquet) == (&tables("one", "1").0, &desk.bytes("one.parquet")),
        "threads decide on the order"
    );
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows.len() as u32, FLOWS);
    assert!(rows.iter().all(|row| row.contains(",reset,")), "some had to go");
    assert!(rows.is_sorted_by_key(|row| row.split(',').next()));
    let reader = SerializedFileReader::new(File::open(desk.path("two.parquet")).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), i64::from(FLOWS));
    assert_eq!(desk.hidden_names("."), Vec::<String>::new());
}
