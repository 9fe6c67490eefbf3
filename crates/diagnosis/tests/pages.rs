//! The manual pages in `docs/faults/` are what the declarations say. `UPDATE_DOCS=1 cargo test -p diagnosis` rewrites them.

use diagnosis::{explain, registry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/faults")
}

fn index() -> String {
    let mut text = String::from(
        "# Faults\n\nWhat `slowpath` knows to name, generated from the rules' declarations.\n\n",
    );
    for fault in registry() {
        let _ = writeln!(text, "- [{}]({}.md): {}", fault.code, fault.code, fault.title);
    }
    text
}

#[test]
fn pages_are_current() {
    let pages = registry()
        .iter()
        .map(|fault| (format!("{}.md", fault.code), fault.page()));
    let all: Vec<(String, String)> = pages.chain([("README.md".to_owned(), index())]).collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(docs()).unwrap();
        all.iter()
            .for_each(|(name, text)| std::fs::write(docs().join(name), text).unwrap());
    }
    for (name, text) in &all {
        let written = std::fs::read_to_string(docs().join(name)).unwrap_or_default();
        assert_eq!(
            &written, text,
            "docs/faults/{name} is not what the declaration says: run with UPDATE_DOCS=1"
        );
    }
    let there: BTreeSet<String> = std::fs::read_dir(docs())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        there,
        all.into_iter().map(|(name, _)| name).collect(),
        "pages of faults that no longer exist"
    );
}

#[test]
fn every_section_says_something() {
    for fault in registry() {
        for (heading, text) in fault.sections.prose() {
            assert!(
                text.len() > 40 && !text.contains("  "),
                "{}: {heading}: {text}",
                fault.code
            );
        }
        assert!(
            !fault.sections.references.is_empty(),
            "{} cites nothing",
            fault.code
        );
    }
}

#[test]
fn codes_are_unique_and_explained() {
    let codes: BTreeSet<&str> = registry().iter().map(|fault| fault.code).collect();
    assert_eq!(codes.len(), registry().len());
    for code in codes {
        assert_eq!(explain(&code.to_lowercase()).map(|fault| fault.code), Some(code));
    }
    assert!(explain("MTU-999").is_none() && explain("").is_none());
}
