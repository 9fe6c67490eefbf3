//! Text of path tools, and anything else: nothing makes the importer fail, and every line it names is there.
#![no_main]

use ingest::{Context, import};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (records, complaints) = import(bytes, &Context::default());
    // Carriage returns alone may end lines as well.
    let last = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    let of_records = records.iter().map(|record| record.lines);
    let of_complaints = complaints.iter().map(|complaint| (complaint.first_line, complaint.last_line));
    for (first, end) in of_records.chain(of_complaints) {
        assert!(1 <= first && first <= end && end <= last, "lines {first} to {end} of {last}");
    }
    for record in &records {
        // What is recorded is written into a case and read back: no figure that JSON cannot hold.
        let written = serde_json::to_string(&record.payload).expect("a payload is JSON");
        let read: evidence::Payload = serde_json::from_str(&written).expect("and comes back");
        assert_eq!(read, record.payload);
    }
});
