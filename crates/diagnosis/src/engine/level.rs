//! An answer, at the level at which it is known.

use crate::faults::told_alike;
use model::{ElementId, Family, Fault, Kind};

/// An answer is given at the finest level that holds this probability.
pub(crate) const ENOUGH: f64 = 0.8;
/// No answer is surer than this: the kinds of fault that the model lacks are not in its sums.
pub(super) const NEVER_SURER: f64 = 0.95;
/// An answer with less is a thought.
pub(super) const WORTH_SAYING: f64 = 0.5;

/// How exactly the mechanism is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The kind of fault.
    Kind(Kind),
    /// Only its family: siblings cannot be told apart.
    Family(Family),
    /// That it lies where the route went when it was slow, whatever it is: the way back to the old route is known.
    Detour,
}

/// One fault that the evidence shows.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) level: Level,
    /// Kinds of another family that count as well: from outside they look the same.
    pub(crate) also: &'static [Kind],
    /// Consecutive elements of the way complained about, or the one elsewhere.
    pub(crate) place: Vec<ElementId>,
    /// The place lies on the way of the data.
    pub(crate) on_way: bool,
    /// The same cables in the other direction, where nothing tells which of the two it is.
    pub(crate) other_way: Vec<ElementId>,
    pub(crate) probability: f64,
    /// The most probable fault of this kind.
    pub(crate) likeliest: Fault,
}

impl Answer {
    /// The family that is told.
    pub(crate) fn family(&self) -> Family {
        match self.level {
            Level::Kind(kind) => kind.family(),
            Level::Family(family) => family,
            Level::Detour => Family::Route,
        }
    }

    /// Whether a fault of this kind is what the answer says.
    pub(crate) fn means(&self, kind: Kind) -> bool {
        match self.level {
            Level::Kind(own) => told_alike(kind, own),
            Level::Family(family) => kind.family() == family || self.also.contains(&kind),
            Level::Detour => true,
        }
    }
}
