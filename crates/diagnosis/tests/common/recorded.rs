//! Cases recorded on real kernels in the lab, in the fault folders' `fixtures/`.
//!
//! `SLOWPATH_CASE=DIR SLOWPATH_FIXTURE=src/faults/FAULT/fixtures/NAME cargo test -p diagnosis --test scenarios record
//! -- --ignored` takes one over: without what names the machine or bears on no rule (host, kernel, counters, delay
//! samples).

use diagnosis::registry;
use evidence::migrate::back;
use evidence::v1::Case;
use evidence::{
    Observation, Payload, case_from_parts, complaint_from_json, complaint_to_json, observations_from_jsonl,
};
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults");
    let folders = registry()
        .iter()
        .filter_map(|fault| std::fs::read_dir(faults.join(fault.name).join("fixtures")).ok());
    let mut all: Vec<PathBuf> = folders.flatten().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// The names of all recorded cases.
pub fn names() -> Vec<String> {
    fixtures()
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect()
}

/// A recorded case, each line of which must be understood.
pub fn load(name: &str) -> Case {
    let path = fixtures()
        .into_iter()
        .find(|path| path.ends_with(name))
        .unwrap_or_else(|| panic!("no fixture {name}"));
    let read = |file| std::fs::read_to_string(path.join(file)).unwrap();
    let (case, complaints) = case_from_parts(&read("case.json"), &read("observations.jsonl"), "").unwrap();
    assert!(complaints.is_empty(), "{name}: {complaints:?}");
    back::case(&case)
}

/// Copies the case in `from` to `to`, scrubbed.
pub fn record(from: &Path, to: &Path) {
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
