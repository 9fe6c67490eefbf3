//! What doctor says of one thing that it looked at.

use serde::Serialize;

/// How a setting bears on long transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    /// As it should be.
    Good,
    /// Worth knowing; does harm under conditions that the text names.
    Note,
    /// Bounds or slows long transfers.
    Limits,
}

/// One thing looked at, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Judgement {
    pub(super) topic: &'static str,
    pub(super) level: Level,
    pub(super) text: String,
    /// The command that would change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    /// Where the threshold comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<&'static str>,
}
