//! A set of records beside the scenario that it is the twin of, and what the program makes of it.

use crate::judged::{Judged, assess};
use crate::map::Map;
use crate::records::{Records, Whose};
use crate::sight::{SIGHTS, Sight};
use scenario::{Run, Scenario, TrueFault, Truth, TruthLocation};
use std::fs;
use std::path::Path;

/// A set, with the scenario that it is the twin of.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    pub(crate) records: Records,
    scenario: Scenario,
    run: Run,
    truth: Truth,
}

impl Set {
    /// All sets, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record_twins/fixtures");
        Records::all_in(&folder).into_iter().map(Self::of).collect()
    }

    fn of(records: Records) -> Self {
        let (name, steps) = records.scenario();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let scenario = scenario::parse(&text).unwrap();
        let truth = scenario.truth.as_ref().unwrap();
        let truth = match steps.last() {
            Some(step) => &truth.after[step],
            None => truth,
        };
        Self {
            run: scenario.run.clone().unwrap(),
            truth: truth.clone(),
            scenario,
            records,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.records.name
    }

    #[track_caller]
    pub(crate) fn sight(&self) -> &'static Sight {
        let sight = SIGHTS.iter().find(|sight| sight.set == self.name());
        sight.unwrap_or_else(|| panic!("sight.rs does not say what can be seen in {}", self.name()))
    }

    pub(crate) fn truth_in_words(&self) -> String {
        let faults = std::iter::once(&self.truth.fault).chain(&self.truth.further);
        let words: Vec<String> = faults.map(|fault| self.fault_in_words(fault)).collect();
        words.join(", and ")
    }

    fn fault_in_words(&self, fault: &TrueFault) -> String {
        let name = |id| &self.scenario.node(id).name;
        let place = match fault.location {
            Some(TruthLocation::Host(id)) => format!(" in {}", name(id)),
            Some(TruthLocation::Link { from, to }) => format!(" from {} to {}", name(from), name(to)),
            None => String::new(),
        };
        format!("{}{place}", fault.code)
    }

    /// What is made of the text without the operators' part, and with it.
    pub(crate) fn judge(&self) -> Vec<(Whose, Judged)> {
        let whose = self.records.whose().into_iter();
        whose.map(|whose| (whose, self.judge_text_of(whose))).collect()
    }

    fn judge_text_of(&self, whose: Whose) -> Judged {
        let sight = self.sight();
        let reach = match whose {
            Whose::Users => sight.users,
            Whose::UsersAndOperators => sight.operators,
        };
        let (case, not_read) = self.records.case(whose);
        let verdict = diagnosis::judge_round(&case, 1);
        let map = Map::new(&self.scenario, &self.run);
        assess(&self.truth, reach, &map, &verdict, not_read)
    }
}
