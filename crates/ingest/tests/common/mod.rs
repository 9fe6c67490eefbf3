//! The corpus, and what is read of a text in a form that people compare with the text.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use ingest::{Context, import};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Every text of the corpus, in the order of their names.
pub(crate) fn corpus() -> Vec<PathBuf> {
    texts_below("tests/corpus")
}

/// The texts that other tests read.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    texts_below("tests/fixtures")
}

fn texts_below(folder: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { &mut folders } else { &mut paths }.push(path);
        }
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending != "read"));
    paths.sort();
    paths
}

/// What is read of a text.
pub(crate) struct Reading {
    /// A record or a complaint a paragraph, a field a line.
    pub(crate) text: String,
    /// How many complaints there are of what was not read. That a tool itself said what went wrong (`connection refused`) is told as a
    /// complaint too, and nothing is missing.
    pub(crate) complaints: usize,
}

/// Reads a text, and writes down what was read.
pub(crate) fn reading(bytes: &[u8]) -> Reading {
    let (records, complaints) = import(bytes, &Context::default());
    let mut text = String::new();
    for record in &records {
        let (first, last) = record.lines;
        let _ = write!(text, "lines {first}-{last}: {}", record.tool);
        if let Some(at) = record.at {
            let _ = write!(text, ", at {} s", at.0 as f64 / 1e9);
        }
        text.push('\n');
        for (path, value) in leaves(&serde_json::to_value(&record.payload).unwrap()) {
            let _ = writeln!(text, "  {path} = {value}");
        }
    }
    for complaint in &complaints {
        let _ = writeln!(text, "! {complaint}");
    }
    Reading {
        text,
        complaints: complaints
            .iter()
            .filter(|complaint| !complaint.reason.contains(" itself says"))
            .count(),
    }
}

/// The fields of a document that are there, by their paths.
pub(crate) fn leaves(value: &Value) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    collect(value, String::new(), &mut leaves);
    leaves
}

fn collect(value: &Value, path: String, leaves: &mut Vec<(String, String)>) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (key, field) in fields {
                collect(field, below(key), leaves);
            }
        }
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            if !items.is_empty() {
                leaves.push((path, value.to_string()));
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                collect(item, below(&place.to_string()), leaves);
            }
        }
        plain => leaves.push((path, plain.to_string())),
    }
}
