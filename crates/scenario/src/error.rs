//! What is wrong with a scenario file, and on which line.

use std::ops::Range;

/// A mistake in a scenario file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct ScenarioError {
    /// Line of the mistake, counted from 1.
    pub line: usize,
    /// Column of the mistake in characters, counted from 1.
    pub column: usize,
    /// What is wrong, as one sentence without a final full stop.
    pub reason: String,
}

impl ScenarioError {
    pub(crate) fn at(text: &str, span: &Range<usize>, reason: impl Into<String>) -> Self {
        let before = text.get(..span.start.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
            reason: reason.into(),
        }
    }

    pub(crate) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or(0..0);
        let reason = error.message().trim().replace('\n', "; ");
        Self::at(text, &span, reason)
    }
}
