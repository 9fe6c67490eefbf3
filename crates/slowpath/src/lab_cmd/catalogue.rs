//! The scenarios that come with the program, and those in files.

use include_dir::{Dir, include_dir};
use scenario::Scenario;
use std::path::Path;

use super::failure::Failure;

static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// An embedded scenario.
pub(super) struct Entry {
    /// Its name on the command line: the file's name without `.toml`.
    pub(super) name: String,
    /// The file.
    pub(super) text: &'static str,
}

/// All embedded scenarios in the order of their names.
pub(super) fn embedded() -> Vec<Entry> {
    let entry = |file: &'static include_dir::File<'static>| {
        let path = file.path();
        let is_toml = path.extension().is_some_and(|e| e == "toml");
        let name = path.file_stem()?.to_string_lossy().into_owned();
        is_toml.then_some(Entry {
            name,
            text: file.contents_utf8()?,
        })
    };
    let mut entries: Vec<Entry> = SCENARIOS.files().filter_map(entry).collect();
    entries.sort_by(|x, y| x.name.cmp(&y.name));
    entries
}

/// A scenario by embedded name or by path, with a short name for it.
pub(super) fn load(given: &str) -> Result<(String, Scenario), Failure> {
    let (name, text) = match embedded().into_iter().find(|e| e.name == given) {
        Some(entry) => (entry.name, entry.text.to_owned()),
        None => read(given)?,
    };
    let scenario = scenario::parse(&text).map_err(|error| Failure::Usage(format!("{given}: {error}")))?;
    Ok((name, scenario))
}

fn read(given: &str) -> Result<(String, String), Failure> {
    let path = Path::new(given);
    let text = std::fs::read_to_string(path).map_err(|error| {
        let known: Vec<String> = embedded().into_iter().map(|e| e.name).collect();
        Failure::Usage(format!(
            "{given} is neither a scenario that comes with slowpath ({}) nor a readable file: {error}",
            known.join(", ")
        ))
    })?;
    let stem = path
        .file_stem()
        .map_or_else(|| "lab".to_owned(), |s| s.to_string_lossy().into_owned());
    Ok((stem, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_scenario_is_sound_and_graded() {
        let entries = embedded();
        assert!(entries.len() >= 7, "scenarios are missing");
        for Entry { name, text } in entries {
            let scenario = scenario::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                scenario.run.is_some() && scenario.truth.is_some(),
                "{name} has no [run] or no [truth]"
            );
        }
    }
}
