//! Inference: which faults, at which elements, make all measurements of a round likely.
//!
//! Every hypothesis is one world of the model: nothing wrong, one fault, or two. All of them are weighed by the same
//! likelihood of the same measurements, so that what one measurement suggests another can refute.

mod answer;
mod arguments;
mod counted;
mod detour;
mod elsewhere;
mod excluded;
mod findings;
mod grids;
mod groups;
mod hypotheses;
mod level;
mod outlook;
mod pair;
mod place;
mod posterior;
mod run;
mod trust;

pub(crate) use answer::answers;
pub(crate) use excluded::excluded;
pub(crate) use findings::{finding, mass_of};
pub(crate) use level::ENOUGH;
pub(crate) use outlook::Outlook;
pub(crate) use posterior::{Posterior, infer};
pub(crate) use trust::doubted;
