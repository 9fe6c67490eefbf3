//! The verdict and the case as text for a terminal.

mod case;
mod comparison;
mod manual;
mod paper;
mod table;
mod tables;
mod verdict;

pub(crate) use case::party;
pub use comparison::comparison_text;
pub(crate) use comparison::tables as comparison_tables;
pub use manual::manual_text;
pub use paper::{Style, TextOptions};
pub use tables::{path_table, transfer_table};
pub(crate) use verdict::{range, rate_account};

use crate::subject::Subject;
use evidence::{Case, VerdictFile};
use paper::Paper;

/// The verdict of the newest round, with what became of earlier rounds.
#[must_use]
pub fn verdict_text(case: &Case, verdicts: &VerdictFile, options: TextOptions) -> String {
    let mut paper = Paper::new(options.width, options.style);
    verdict::write(&mut paper, &Subject::new(case, verdicts));
    paper.finish()
}

/// The whole case: the question, every observation in a line or two, the journal, and the verdict.
#[must_use]
pub fn case_text(case: &Case, verdicts: &VerdictFile, options: TextOptions) -> String {
    let mut paper = Paper::new(options.width, options.style);
    let subject = Subject::new(case, verdicts);
    case::write(&mut paper, &subject);
    verdict::write(&mut paper, &subject);
    paper.finish()
}
