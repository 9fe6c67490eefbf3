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
    let subject = Subject::new(case, verdicts);
    matrices(&mut paper, &subject);
    verdict::write(&mut paper, &subject);
    paper.finish()
}

/// How much of a case is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// How slow, why, where, how sure, what to do.
    Brief,
    /// What speaks for it as well, what was excluded and not tested, and what people did.
    Verdict,
    /// Every observation in a line or two, tables of them, and what was found in earlier rounds.
    Records,
}

/// The case: the question, the verdict first, and as much of the rest as is wanted.
#[must_use]
pub fn case_text(case: &Case, verdicts: &VerdictFile, detail: Detail, options: TextOptions) -> String {
    let mut paper = Paper::new(options.width, options.style);
    let subject = Subject::new(case, verdicts);
    case::question(&mut paper, &case.complaint);
    paper.blank();
    if detail == Detail::Brief {
        verdict::summary(&mut paper, &subject);
        return paper.finish();
    }
    if detail != Detail::Records {
        matrices(&mut paper, &subject);
    }
    verdict::write(&mut paper, &subject);
    if detail == Detail::Records {
        case::records(&mut paper, &subject);
    }
    case::journal(&mut paper, &subject);
    if detail == Detail::Verdict {
        case::hint(&mut paper, &subject);
    }
    paper.finish()
}

/// What was measured between all places, where a case is about all of them.
fn matrices(paper: &mut Paper, subject: &Subject) {
    let round = subject.latest().map_or(0, |verdict| verdict.round);
    for table in crate::views::pairs::tables(subject, round) {
        table::write(paper, &table);
        paper.blank();
    }
}
