//! Cases recorded on real kernels in the lab, in the fault folders' `fixtures/`.
//!
//! `cargo run -p diagnosis --example record_fixture -- CASE crates/diagnosis/src/faults/FAULT/fixtures/NAME` takes one over.

use diagnosis::registry;
use evidence::case_from_parts;
use evidence::migrate::back;
use evidence::v1::Case;
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
