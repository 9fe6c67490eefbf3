//! The cases that are tried.

use crate::common;
use crate::records::Records;
use crate::said::Said;
use evidence::{Case, Observation, ObservationId, Verdict, case_from_parts, migrate};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

/// So many graded worlds, of all kinds in turn.
const WORLDS: u64 = 25;
/// The seed of these worlds.
const SEED: u64 = 77;

/// One round of a case.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) case: Case,
    pub(crate) round: u32,
    /// What is really wrong, in a graded world.
    pub(crate) truth: Option<grade::Kind>,
    verdict: OnceLock<Verdict>,
}

impl Subject {
    /// The verdict on it as it is.
    pub(crate) fn verdict(&self) -> &Verdict {
        self.verdict
            .get_or_init(|| diagnosis::judge_round(&self.case, self.round))
    }

    /// What the verdict on a changed case says.
    pub(crate) fn said_of(&self, changed: &Case) -> Said {
        Said::of(&diagnosis::judge_round(changed, self.round))
    }

    #[track_caller]
    pub(crate) fn observation(&self, id: &ObservationId) -> &Observation {
        self.case.observations().iter().find(|o| o.id == *id).unwrap()
    }

    /// The beginning of a record, to know it by.
    pub(crate) fn describe(&self, id: &ObservationId) -> String {
        describe(self.observation(id))
    }
}

pub(crate) fn describe(observation: &Observation) -> String {
    let payload = serde_json::to_string(&observation.payload).unwrap();
    let start: String = payload.chars().take(140).collect();
    format!("{} {start}…", observation.provenance.tool)
}

/// All of them, read once.
pub(crate) fn subjects() -> &'static [Subject] {
    static ALL: LazyLock<Vec<Subject>> = LazyLock::new(|| {
        let cases = incidents().chain(twins()).chain(recorded()).chain(synthetic());
        let cases = cases.flat_map(|(name, case)| rounds(&name, case, None));
        let worlds = worlds().flat_map(|(kind, name, case)| rounds(&name, case, Some(kind)));
        cases.chain(worlds).collect()
    });
    &ALL
}

fn rounds(name: &str, case: Case, truth: Option<grade::Kind>) -> Vec<Subject> {
    let rounds = case.rounds();
    let named = |round: &u32| match rounds.len() {
        1 => name.to_owned(),
        _ => format!("{name}, round {round}"),
    };
    let subject = |round: &u32| Subject {
        name: named(round),
        case: case.clone(),
        round: *round,
        truth,
        verdict: OnceLock::new(),
    };
    rounds.iter().map(subject).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn case_at(directory: &Path) -> Case {
    let read = |file: &str| std::fs::read_to_string(directory.join(file));
    let (case, complaints) = case_from_parts(
        &read("case.json").unwrap(),
        &read("observations.jsonl").unwrap(),
        &read("journal.jsonl").unwrap_or_default(),
    )
    .unwrap();
    assert_eq!(complaints, [], "{}", directory.display());
    case
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn incidents() -> impl Iterator<Item = (String, Case)> {
    let cases = folders(&root().join("cases")).into_iter();
    let cases = cases.filter(|path| path.extension().is_some_and(|extension| extension == "case"));
    cases.map(|path| (format!("incident {}", name_of(&path)), case_at(&path)))
}

fn twins() -> impl Iterator<Item = (String, Case)> {
    let sets = Records::all_in(&root().join("crates/slowpath/tests/record_twins/fixtures"));
    sets.into_iter().flat_map(|set| {
        let whose = set.whose().into_iter();
        let case = |whose| (format!("twin {}, {whose}", set.name), set.case(whose).0);
        whose.map(case).collect::<Vec<_>>()
    })
}

fn recorded() -> impl Iterator<Item = (String, Case)> {
    let faults = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults"));
    let cases = faults
        .into_iter()
        .flat_map(|fault| folders(&fault.join("fixtures")));
    cases.map(|path| (format!("lab {}", name_of(&path)), case_at(&path)))
}

fn synthetic() -> impl Iterator<Item = (String, Case)> {
    let all = common::scenarios::ALL.iter();
    all.map(|one| (format!("scenario {}", one.name), migrate::case((one.case)())))
}

fn worlds() -> impl Iterator<Item = (grade::Kind, String, Case)> {
    let kinds: Vec<grade::Kind> = grade::Kind::all().collect();
    (0..WORLDS).map(move |number| {
        let kind = kinds[number as usize % kinds.len()];
        let world = grade::world(SEED, number, Some(kind));
        (
            kind,
            format!("world {number} {}", kind.name()),
            grade::case(&world),
        )
    })
}
