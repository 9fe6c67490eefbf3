//! What hosts say of themselves: a file for each tool, or for tools that say the same thing.

pub(super) mod command;
pub(super) mod given;
