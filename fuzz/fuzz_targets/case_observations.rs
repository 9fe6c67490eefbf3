//! `observations.jsonl` as somebody else's program, disk or mail gateway left it.
#![no_main]

use evidence::{Complaint, End, Observation, Party, Timestamp, observations_from_jsonl};
use libfuzzer_sys::fuzz_target;

fn complaint() -> Complaint {
    let party = |name: &str| Party {
        name: name.to_owned(),
        address: None,
    };
    Complaint {
        schema: evidence::CASE_SCHEMA_VERSION,
        from: party("a.example"),
        to: party("b.example"),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (understood, complaints) = observations_from_jsonl(&text, &complaint());
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
    assert_eq!(understood.len() + complaints.len(), filled, "each line is one or the other");

    // The fuzzer cannot guess a SHA-256. Lines that have the right shape are named anew, and must then be read
    // back as they are. (Numbers beyond a double's range become null, and null is no number: such a line is not
    // one that this program writes.)
    let shaped: Vec<Observation> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Observation>(line).ok())
        .map(|read| Observation::new(read.provenance, read.payload))
        .collect();
    let written: String = shaped.iter().map(Observation::to_line).collect();
    let (again, complaints) = observations_from_jsonl(&written, &complaint());
    assert_eq!(complaints, []);
    assert_eq!(again, shaped);
});
