//! The words for values: one place decides how a time, a number or a share is written.

mod terms;

pub(crate) use ::words::{
    bytes, capital, clock, count, factor, formatted, long, lost_of, minute, percent, plural, ranges, share,
    when,
};
pub(crate) use terms::{direction, end, hop_who, kind, metric, obstacle, place, protocol, state, stop};

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

/// `hop 7`, `hops 3-5, 8`.
pub(crate) fn hops(ttls: &[u8]) -> String {
    let noun = if ttls.len() == 1 { "hop" } else { "hops" };
    format!("{noun} {}", ranges(ttls))
}

/// The first few of several values of one kind.
pub(crate) fn few(values: &[String]) -> String {
    const FEW: usize = 3;
    let shown = values.iter().take(FEW).cloned().collect::<Vec<_>>().join("; ");
    match values.len().saturating_sub(FEW) {
        0 => shown,
        rest => format!("{shown}; and {rest} more"),
    }
}

/// Text as part of a sentence: no line breaks, no full stop at the end.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

/// `line 12`, `lines 12 to 31`.
pub(crate) fn lines((first, last): (u64, u64)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    }
}
