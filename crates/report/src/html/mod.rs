//! (being written)
use evidence::{Case, VerdictFile};

/// The case as one page.
#[must_use]
pub fn html(_case: &Case, _verdicts: &VerdictFile) -> String {
    String::new()
}
