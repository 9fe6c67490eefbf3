//! Cases recorded on real kernels in the lab, in the fault folders' `fixtures/`.
//!
//! `cargo run -p diagnosis --example record_fixture -- CASE crates/diagnosis/src/faults/FAULT/fixtures/NAME` takes one over.

use evidence::case_from_parts;
use evidence::migrate::back;
use evidence::v1::Case;
use std::path::{Path, PathBuf};

/// The folders of the faults.
pub fn folders() -> Vec<PathBuf> {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults");
    let entries = std::fs::read_dir(faults).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn fixtures() -> Vec<PathBuf> {
    let folders = folders().into_iter();
    let folders = folders.filter_map(|folder| std::fs::read_dir(folder.join("fixtures")).ok());
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
