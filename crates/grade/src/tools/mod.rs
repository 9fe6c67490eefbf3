//! Tools: what each would print in this world, with its noise, its gaps and its habits.

mod bundle;
mod inside;
mod path;
mod spoil;
mod told;
mod transfer;

pub(crate) use bundle::records;
