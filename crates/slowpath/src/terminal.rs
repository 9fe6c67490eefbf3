//! Lines on standard error, cleaned: a name from the DNS, a far end's refusal or the text of a file cannot take hold of the
//! terminal. Beside [`crate::output`] the only way to print anything: clippy sees to it (`clippy.toml`).

use std::io::Write;

/// A line about something that is wrong.
pub(crate) fn complain(text: &str) {
    note(&format!("slowpath: {text}"));
}

/// A line. What looks like a line break in it is none of ours.
pub(crate) fn note(text: &str) {
    // Nobody is left to be told that standard error is closed.
    let _ = writeln!(anstream::stderr(), "{}", report::clean(text));
}
