//! `docs/import.md` lists every format that there is: its tables are written from the formats themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use ingest::{Group, known_formats};
use std::fmt::Write as _;
use std::path::Path;

const GROUPS: [(&str, Group); 7] = [
    ("transfers", Group::Transfers),
    ("paths", Group::Paths),
    ("interfaces", Group::Interfaces),
    ("hosts", Group::Hosts),
    ("histories", Group::Histories),
    ("tables", Group::Tables),
    ("any", Group::Any),
];

fn table(group: Group) -> String {
    let mut table = "| format | what is read |\n|---|---|\n".to_owned();
    for format in known_formats().filter(|format| format.group == group) {
        let reads = format.reads.replace('|', "\\|");
        let _ = writeln!(table, "| {} | {reads} |", format.name);
    }
    table
}

/// The page with its tables as they should be: what stands between `<!-- formats: NAME -->` and `<!-- end -->`.
fn with_tables(page: &str) -> String {
    GROUPS.iter().fold(page.to_owned(), |page, (name, group)| {
        let head = format!("<!-- formats: {name} -->\n");
        let (before, rest) = page.split_once(&head).expect("a place for the table");
        let (_, after) = rest.split_once("<!-- end -->").expect("its end");
        format!("{before}{head}{}<!-- end -->{after}", table(*group))
    })
}

#[test]
fn the_page_lists_every_format() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let wanted = with_tables(&page);
    if std::env::var_os("UPDATE_PAGE").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    assert!(
        page == wanted,
        "docs/import.md is not current: UPDATE_PAGE=1 cargo test -p ingest --test page"
    );
}
