//! A case and its verdict, for people: text, Markdown, one self-contained HTML page, and JSON.
//!
//! This crate exists so that every way of showing a case says the same thing, and so that nothing a stranger put
//! into the DNS, a router's banner or a case file can take hold of the reader's terminal or browser (see
//! [`clean`]). It must never know how anything was measured, nor judge: it shows what the verdict says and what the
//! observations hold, and it says what is absent.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod clean;
mod comparison;
mod html;
mod json;
mod markdown;
mod message;
mod names;
mod observations;
mod subject;
mod table;
mod text;
mod views;
mod words;

pub use clean::{clean, clean_screen};
pub use comparison::{Comparison, LossChange, LossSummary, Outcome, RateChange, RateSummary, comparison};
pub use html::html;
pub use json::{json, json_escaped};
pub use markdown::markdown;
pub use message::operator_message;
pub use observations::payload_line;
pub use text::{
    Detail, Style, TextOptions, case_text, comparison_text, manual_text, path_table, transfer_table,
    verdict_text,
};
