//! Every fault has a manual page in its folder that tells all that a page has to tell, and `docs/faults/README.md` lists
//! them. `UPDATE_DOCS=1 cargo test -p diagnosis --test pages` rewrites the list.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod common;

use diagnosis::{SECTIONS, explain, registry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The file of each page, by its text.
fn files() -> BTreeMap<String, String> {
    let inside = |folder: &PathBuf| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let files = common::recorded::folders();
    let files = files.iter().flat_map(inside);
    let pages = files.filter(|file| file.extension().is_some_and(|ext| ext == "md"));
    let named = |file: PathBuf| {
        let place = file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
        let name = format!("crates/diagnosis/{}", place.display());
        (std::fs::read_to_string(&file).unwrap(), name)
    };
    pages.map(named).collect()
}

/// The list, with a link to the file of each page.
fn index() -> String {
    let mut text =
        String::from("# Faults\n\nWhat `slowpath` knows to name. `slowpath explain CODE` shows a page.\n\n");
    let files = files();
    for fault in registry() {
        let file = files.get(fault.page).expect("a page");
        let _ = writeln!(text, "- [{}](../../{file}): {}", fault.code, fault.title());
    }
    text
}

#[test]
fn the_list_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (list, text) = (root.join("docs/faults/README.md"), index());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&list, &text).unwrap();
    }
    let written = std::fs::read_to_string(list).unwrap_or_default();
    assert_eq!(written, text, "run with UPDATE_DOCS=1");
}

#[test]
fn every_page_tells_everything() {
    for fault in registry() {
        let mut parts = fault.page.split("\n## ");
        let title = format!("# {}: {}\n", fault.code, fault.title());
        assert!(fault.title().len() > 4, "{}", fault.code);
        assert_eq!(parts.next(), Some(title.as_str()));
        let sections: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once("\n\n")).collect();
        let headings: Vec<&str> = sections.iter().map(|(heading, _)| *heading).collect();
        assert_eq!(headings, SECTIONS, "{}", fault.code);
        for (heading, text) in &sections {
            assert!(text.trim().len() > 40, "{}: {heading}: {text}", fault.code);
        }
        let (_, references) = sections.last().unwrap();
        assert!(
            references
                .lines()
                .all(|line| line.is_empty() || line.starts_with("- ") || line.starts_with("  "))
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
