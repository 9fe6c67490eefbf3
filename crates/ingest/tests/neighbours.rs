//! Two texts one behind the other are read as each is by itself: what ends the first, and what begins the second, is told
//! from their lines alone.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, fixtures};
use ingest::{Context, import};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What people put between two outputs.
const BETWEEN: [&str; 1] = ["\nAnd this is what the other one says:\n\n"];

/// Texts that are longer than this say nothing more about where they begin and end, bytes.
const LONGEST: usize = 20_000;

/// A text, and what is read of it: its records, without the places of their lines.
struct Text {
    name: String,
    bytes: Vec<u8>,
    records: Vec<String>,
    complaints: usize,
}

fn read(bytes: &[u8]) -> (Vec<String>, usize) {
    let (records, complaints) = import(bytes, &Context::default());
    let records = records.into_iter().map(|record| {
        let mut payload = serde_json::to_value(&record.payload).unwrap();
        // A table without a command of its own may be what the prompt's device above printed next.
        payload.as_object_mut().unwrap().remove("device");
        format!("{} {:?} {payload}", record.tool, record.at)
    });
    (records.collect(), complaints.len())
}

fn texts() -> Vec<Text> {
    let mut all = Vec::new();
    for path in corpus().into_iter().chain(fixtures()) {
        let mut bytes = std::fs::read(&path).unwrap();
        if bytes.len() > LONGEST || std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        let (records, complaints) = read(&bytes);
        all.push(Text {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            bytes,
            records,
            complaints,
        });
    }
    all
}

/// What is read of both together and of neither, or the other way round without a word.
fn wrong(first: &Text, second: &Text, between: &str) -> Option<String> {
    let bytes = [
        first.bytes.as_slice(),
        between.as_bytes(),
        second.bytes.as_slice(),
    ]
    .concat();
    let (records, complaints) = read(&bytes);
    let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
    for record in first.records.iter().chain(&second.records) {
        *expected.entry(record).or_default() += 1;
    }
    for record in &records {
        match expected.get_mut(record.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => return Some(format!("foreign: {record}")),
        }
    }
    let is_silent = complaints <= first.complaints + second.complaints;
    let lost = expected.iter().find(|(_, count)| **count > 0 && is_silent);
    lost.map(|(record, _)| format!("lost: {record}"))
}

#[test]
fn what_stands_before_or_behind_changes_nothing() {
    let texts = texts();
    let steps: usize = std::env::var("NEIGHBOURS").map_or(12, |steps| steps.parse().unwrap());
    let (mut tried, mut failures) = (0, String::new());
    // What was cut may be without its end: nothing tells where it stops.
    let whole = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| !text.name.contains(".part."));
    for (place, first) in whole {
        for step in 1..=steps {
            // Each has others before and behind it: those of its own kind, which stand near, and others.
            let other = (place + if step <= 2 { step } else { step * step * 31 }) % texts.len();
            let second = &texts[other];
            for between in BETWEEN {
                tried += 1;
                if let Some(what) = wrong(first, second, between) {
                    let _ = writeln!(
                        failures,
                        "{} + {:?} + {}: {:.300}",
                        first.name, between, second.name, what
                    );
                }
            }
        }
    }
    println!("{tried} pairs");
    assert!(failures.is_empty(), "{failures}");
}
