//! Records of path tools: what the fixtures, all of them printed by the tools themselves, must give, and that nothing
//! else does harm.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::Payload;
use ingest::{Context, ImportComplaint, Record, import};
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/path");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn read(name: &str) -> (Vec<Record>, Vec<ImportComplaint>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/path");
    import(&fs::read(folder.join(name)).unwrap(), &Context::default())
}

fn as_json(records: &[Record], complaints: &[ImportComplaint]) -> String {
    let records: Vec<serde_json::Value> = records
        .iter()
        .map(|record| {
            serde_json::json!({
                "tool": record.tool,
                "lines": record.lines,
                "at": record.at,
                "payload": record.payload,
            })
        })
        .collect();
    let complaints: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    serde_json::to_string_pretty(&serde_json::json!({ "records": records, "complaints": complaints }))
        .unwrap()
}

#[test]
fn every_fixture_gives_its_records() {
    let files = fixtures();
    assert!(files.len() >= 30, "{} fixtures", files.len());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let (records, complaints) = read(name);
        assert!(!records.is_empty(), "{name}");
        insta::assert_snapshot!(name.replace('.', "-"), as_json(&records, &complaints));
    }
}
