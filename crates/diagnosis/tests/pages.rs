//! Every fault has a manual page in its folder that tells all that a page has to tell, and `docs/faults/README.md` lists
//! them. `UPDATE_DOCS=1 cargo test -p diagnosis --test pages` rewrites the list.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use diagnosis::{SECTIONS, explain, registry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The list, with a link to the file of each page.
fn index(root: &Path) -> String {
    let mut text =
        String::from("# Faults\n\nWhat `slowpath` knows to name. `slowpath explain CODE` shows a page.\n\n");
    for fault in registry() {
        let folder = format!("crates/diagnosis/src/faults/{}", fault.name);
        let files = [format!("{folder}/page.md"), format!("{folder}/{}.md", fault.code)];
        let file = files
            .iter()
            .find(|file| root.join(file).exists())
            .expect("a page");
        let _ = writeln!(text, "- [{}](../../{file}): {}", fault.code, fault.title);
    }
    text
}

#[test]
fn the_list_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (list, text) = (root.join("docs/faults/README.md"), index(&root));
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
        let title = format!("# {}: {}\n", fault.code, fault.title);
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
