//! The rules and the planner still think in the shapes of case format 1, where what we measured and what others recorded
//! are kinds of their own. Here a case gets those shapes before they see it; what replaces a rule reads the case as it is.

use crate::{Means, planner, verdict};
use evidence::migrate::{self, back};
use evidence::{Ask, Case, Verdict, VerdictFile};

/// The verdicts of all rounds, oldest first.
#[must_use]
pub fn judge(case: &Case) -> VerdictFile {
    verdict::judge(case, &back::case(case))
}

/// The verdict of one round of measurements.
#[must_use]
pub fn judge_round(case: &Case, round: u32) -> Verdict {
    verdict::judge_round(case, &back::case(case), round)
}

/// The next ask worth its cost; `None` when nothing more would change the verdict, or nothing more is allowed.
#[must_use]
pub fn plan(case: &Case, round: u32, means: &Means) -> Option<Ask> {
    let ask = planner::plan(case, &back::case(case), round, means)?;
    Some(migrate::ask(ask, &case.complaint))
}
