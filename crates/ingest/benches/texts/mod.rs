//! The files that benchmarks read.

use std::fs;
use std::path::{Path, PathBuf};

/// The texts below a folder of tests, in their order, without the readings that are expected of them.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let texts = entries.into_iter().flat_map(|path| match path.is_dir() {
        true => below(&path),
        false => vec![path],
    });
    texts
        .filter(|path| path.extension().is_none_or(|ending| ending != "read"))
        .collect()
}
