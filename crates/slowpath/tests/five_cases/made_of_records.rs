//! `cases/build` makes the same bytes again.

use crate::{CASES, cases};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every file below a directory, by its relative path.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_cases_are_made_of_their_records() {
    let out = tempfile::tempdir().unwrap();
    let made = Command::new(cases().join("build"))
        .args([out.path().as_os_str(), env!("CARGO_BIN_EXE_slowpath").as_ref()])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for name in CASES {
        let name = format!("{name}.case");
        let (kept, made) = (files(&cases().join(&name)), files(&out.path().join(&name)));
        assert_eq!(
            kept.keys().collect::<Vec<_>>(),
            made.keys().collect::<Vec<_>>(),
            "{name}: other files; run cases/build"
        );
        for (file, bytes) in &kept {
            assert!(
                made.get(file) == Some(bytes),
                "{name}/{}: differs; run cases/build",
                file.display()
            );
        }
    }
}
