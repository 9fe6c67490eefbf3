//! The rules still think in the shapes of case format 1, where what we measured and what others recorded
//! are kinds of their own. Here a case gets those shapes before they see it; what replaces a rule reads the case as it is.

use crate::verdict;
use evidence::migrate::back;
use evidence::{Case, Verdict, VerdictFile};

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
