//! The formats, a file each: how a block begins, how it goes on, and what it says.

mod route_history;

use crate::block::Format;

/// Every format, in the order in which a line is offered to them: the more telling first line comes first.
pub(crate) static FORMATS: &[&Format] = &[&route_history::FORMAT];

/// A format that the importer knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// What people call it.
    pub name: &'static str,
    /// What is read of it.
    pub reads: &'static str,
}

/// Every format that the importer knows.
pub fn known_formats() -> impl Iterator<Item = FormatInfo> {
    FORMATS.iter().map(|format| FormatInfo {
        name: format.name,
        reads: format.reads,
    })
}
