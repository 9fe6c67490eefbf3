//! How numbers and times are written for people: one place decides, so that verdicts and reports speak with one voice.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod numbers;
mod times;

pub use numbers::{
    about, about_bytes, buffer, bytes, count, factor, first_few, loss, lost_of, percent, plural, ranges,
    share,
};
pub use times::{clock, formatted, interval, long, minute, moment, moments, when};

/// The text with a capital first letter.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
