//! The words for values: one place decides how a time, a number or a share is written.

mod terms;

pub(crate) use ::words::{
    bytes, capital, clock, count, factor, formatted, long, lost_of, minute, percent, plural, ranges, share,
    when,
};
pub(crate) use terms::{ask, direction, end, hop_who, kind, metric, obstacle, place, protocol, state, stop};

use evidence::{JournalEntry, Provenance};

/// When an observation was made, as far as its record tells.
pub(crate) fn made(provenance: &Provenance) -> String {
    match provenance.at_is_import_time {
        true => "time not recorded".to_owned(),
        false => when(provenance.at),
    }
}

/// `2026-11-21 07:58:02 UTC, NOC (net.example): interface reset`.
pub(crate) fn journal_line(entry: &JournalEntry) -> String {
    let network = entry
        .network
        .as_deref()
        .map_or(String::new(), |n| format!(" ({n})"));
    format!("{}, {}{network}: {}", when(entry.at), entry.who, entry.what)
}

/// Whether it is the name of a raw record: only such a name may become a link.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `line 12`, `lines 12 to 31`.
pub(crate) fn lines((first, last): (u64, u64)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    }
}
