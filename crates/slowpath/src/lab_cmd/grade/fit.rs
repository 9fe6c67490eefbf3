//! The scale on which the parts of a verdict are held against the truth.

/// How far one thing that a verdict says is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Wrong.
    Not,
    /// Right, and less exact than it could be.
    Wider,
    /// Right.
    Exact,
}

impl Fit {
    pub(super) fn exact_if(right: bool) -> Self {
        if right { Self::Exact } else { Self::Not }
    }
}
