//! The five incidents of `cases/`: what their verdicts must say and must not say, that they are made of their records
//! byte for byte, and that neither the order of observations nor the loss of one of them leads to another cause.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod made_of_records;
mod old_format;
mod robust;
mod verdicts;

use evidence::{Case, case_from_parts};
use std::path::{Path, PathBuf};

const CASES: [&str; 5] = [
    "slac-stanford-2000",
    "slac-caltech-2003",
    "nrao-sarao-2021",
    "fnal-desy-2005",
    "nersc-ornl-2000",
];

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

#[track_caller]
fn case(name: &str) -> Case {
    read_case(&cases().join(format!("{name}.case")))
}

#[track_caller]
fn read_case(directory: &Path) -> Case {
    let read = |file: &str| {
        let path = directory.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let (case, complaints) = case_from_parts(
        &read("case.json"),
        &read("observations.jsonl"),
        &read("journal.jsonl"),
    )
    .unwrap();
    assert_eq!(complaints, [], "{}", directory.display());
    case
}
