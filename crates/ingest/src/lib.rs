//! What other people's tools printed, read into records.
//!
//! Text comes in as bytes, in pieces of any size, and records come out: blocks of lines are recognised by their first
//! line, whatever stands between them is complained about with its line numbers, and nothing makes it fail. Nothing is
//! invented: what a tool did not print, or a document lost, stays unknown.
//!
//! This crate must never know files, clocks or the network, nor what a record means.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod arrival;
mod asides;
mod block;
mod blocks;
mod brackets;
mod command;
mod context;
mod csv_row;
mod dictionary;
mod findings;
mod format;
mod formats;
mod host;
mod importer;
mod invoked;
mod json_kind;
mod leaves;
mod markdown;
mod masked;
mod mpls;
mod one_way;
mod origin;
mod parts;
mod plausible;
mod prompt;
mod scene;
mod script;
mod sieve;
mod skipped;
mod stray;
mod tags;
mod text;
mod units;
mod when;
mod xml_kind;
mod xml_tree;

pub use context::{Context, Event, ImportComplaint, Record};
pub use format::Group;
// For tests alone: the texts to try it on are in files, which nothing in here opens.
#[doc(hidden)]
pub use formats::openings::overlooked;
pub use formats::{FormatInfo, known_formats};
pub use importer::{Importer, import};
pub use origin::Origin;
pub use parts::{Part, PartReader};
