//! Takes a case over as a fixture of a fault, without what names the machine or bears on no cause: host, kernel, counters,
//! delay samples. Arguments: the case's directory and the fixture's.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{Observation, Payload, complaint_from_json, complaint_to_json, observations_from_jsonl};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        panic!("usage: record_fixture CASE FIXTURE");
    };
    record(Path::new(from), Path::new(to));
}

/// Copies the case in `from` to `to`, scrubbed.
fn record(from: &Path, to: &Path) {
    let read = |file| std::fs::read_to_string(from.join(file)).unwrap();
    let mut complaint = complaint_from_json(&read("case.json")).unwrap();
    complaint.said_by = None;
    let (observations, complaints) = observations_from_jsonl(&read("observations.jsonl"), &complaint);
    assert!(complaints.is_empty(), "{complaints:?}");
    let lines: String = observations.into_iter().map(|o| scrubbed(o).to_line()).collect();
    std::fs::create_dir_all(to).unwrap();
    std::fs::write(to.join("case.json"), complaint_to_json(&complaint)).unwrap();
    std::fs::write(to.join("observations.jsonl"), lines).unwrap();
}

fn scrubbed(mut observation: Observation) -> Observation {
    match &mut observation.payload {
        Payload::HostFacts(facts) => {
            facts.hostname = None;
            facts.kernel = None;
            facts.cpu = None;
            facts.counters.clear();
            if let Some(interface) = &mut facts.interface {
                interface.offloads.clear();
                interface.counters.clear();
            }
        }
        Payload::Transfer(transfer) => {
            if let Some(delay) = &mut transfer.one_way_delay {
                delay.samples.clear();
            }
        }
        _ => {}
    }
    Observation::new(observation.provenance, observation.payload)
}
