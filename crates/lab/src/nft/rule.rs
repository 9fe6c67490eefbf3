//! A rule of ours: which packets it is about, and what becomes of them.

use super::expression::Match;

/// Which way a rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hook {
    /// Packets for this node.
    Input,
    /// Packets of this node.
    Output,
}

/// Packets that match all of the conditions are dropped, or let pass before later rules see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) hook: Hook,
    pub(super) conditions: Vec<Match>,
    pub(super) accept: bool,
}
