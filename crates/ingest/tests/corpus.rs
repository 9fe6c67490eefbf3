//! What desks hold: texts in the shape of what tools print, each with what is read of it, side by side.
//!
//! `corpus/<group>/<name>.txt` (or .json, .xml, .csv) has its reading in `corpus/<group>/<name>.<ending>.read`: a record or
//! a complaint a paragraph, a field a line. A text that cannot be read whole says so in its name, `<name>.part.<ending>`.
//! `UPDATE_READINGS=1 cargo test -p ingest --test corpus` writes the readings; whoever does so compares each of them with
//! its text.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, reading};
use std::path::Path;

/// The file beside a text that holds what is read of it.
fn read_file(text: &Path) -> std::path::PathBuf {
    let mut name = text.as_os_str().to_owned();
    name.push(".read");
    name.into()
}

#[test]
fn every_text_is_read_as_its_reading_says() {
    let update = std::env::var_os("UPDATE_READINGS").is_some();
    let mut wrong = Vec::new();
    for path in corpus() {
        let reading = reading(&std::fs::read(&path).unwrap());
        let expected = std::fs::read_to_string(read_file(&path)).unwrap_or_default();
        if reading.text != expected {
            if update {
                std::fs::write(read_file(&path), &reading.text).unwrap();
            }
            wrong.push(format!("== {}\n{}", path.display(), reading.text));
        }
        let is_part = path.file_name().unwrap().to_string_lossy().contains(".part.");
        if is_part == (reading.complaints == 0) {
            wrong.push(format!(
                "== {}: {} complaints\n{}",
                path.display(),
                reading.complaints,
                reading.text
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
