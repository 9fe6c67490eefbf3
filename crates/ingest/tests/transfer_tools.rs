//! What transfer tools print, as records: output of the tools themselves, and what the documents print of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use ingest::{Context, ImportComplaint, Record, import};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transfers");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn shown(records: &[Record], complaints: &[ImportComplaint]) -> Value {
    let records: Vec<Value> = records
        .iter()
        .map(|record| {
            json!({
                "lines": record.lines,
                "at": record.at,
                "tool": record.tool,
                "payload": without_nulls(serde_json::to_value(&record.payload).unwrap()),
            })
        })
        .collect();
    let complaints: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    json!({ "records": records, "complaints": complaints })
}

/// Fields that are absent only make a snapshot long.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, field)| !field.is_null())
            .map(|(name, field)| (name, without_nulls(field)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[test]
fn fixtures_are_read() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        let (records, complaints) = import(&bytes, &Context::default());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_suffix => name, omit_expression => true }, {
            insta::assert_json_snapshot!("fixture", shown(&records, &complaints));
        });
    }
}
