//! The files of a capture, and what was in them that is no connection, in words.

use super::super::engine::Outcome;
use super::super::ranking::Sums;
use super::super::reader::FileSaid;
use super::time;
use crate::intake;
use capture::decode::{Counts, Other};
use evidence::Timestamp;
use std::fmt::Write as _;

/// The files, and what was in them that is no connection.
pub(crate) fn head(outcome: &Outcome, sums: &Sums) -> String {
    let mut text = String::new();
    let names: Vec<String> = outcome
        .files
        .iter()
        .map(|file| intake::shown(&file.path))
        .collect();
    let packets: u64 = outcome.files.iter().map(|file| file.packets).sum();
    let _ = write!(
        text,
        "{}: {}, {}",
        words::first_few(&names, 3),
        words::plural(packets, "packet", "packets"),
        words::plural(sums.flows, "TCP connection", "TCP connections"),
    );
    if let Some((first, last)) = outcome.span_ns {
        let _ = write!(
            text,
            ", {} from {}",
            time(last.saturating_sub(first)),
            words::when(Timestamp(first))
        );
    }
    text.push('\n');
    let others = others(&outcome.counts);
    if !others.is_empty() {
        let _ = writeln!(text, "not looked at: {others}");
    }
    if outcome.evicted > 0 {
        let _ = writeln!(
            text,
            "{} told in part only: more memory (--memory) keeps them whole",
            words::plural(outcome.evicted, "connection is", "connections are")
        );
    }
    for file in &outcome.files {
        text += &said(file);
    }
    if sums.all.unseen_bytes > 0 {
        let _ = writeln!(
            text,
            "the capture itself missed packets: {} were acknowledged and never captured",
            words::bytes(sums.all.unseen_bytes)
        );
    }
    text
}

/// What the capturing program counted as dropped, and what people wrote.
fn said(file: &FileSaid) -> String {
    let mut text = String::new();
    let counted = file
        .description
        .interfaces
        .iter()
        .filter_map(|one| one.statistics);
    let dropped: u64 = counted
        .flat_map(|counted| [counted.dropped_by_interface, counted.dropped_by_os])
        .flatten()
        .fold(0, u64::saturating_add);
    if dropped > 0 {
        let _ = writeln!(
            text,
            "{}: the capturing host says that it dropped {}",
            intake::shown(&file.path),
            words::plural(dropped, "packet", "packets")
        );
    }
    for comment in file.description.comments.iter().take(MOST_COMMENTS) {
        let _ = writeln!(text, "comment: {comment}");
    }
    text
}

/// More comments than these push the result off the screen; JSON of other tools has them all.
const MOST_COMMENTS: usize = 5;

/// Packets that belong to no connection, by what they are; nothing where there are none.
pub(crate) fn others(counts: &Counts) -> String {
    let told = Other::ALL.into_iter().filter_map(|other| {
        let count = counts.of(other);
        (count > 0).then(|| format!("{} {}", words::count(count), other_words(other)))
    });
    told.collect::<Vec<_>>().join(", ")
}

fn other_words(other: Other) -> &'static str {
    match other {
        Other::Udp => "UDP",
        Other::Icmp => "ICMP",
        Other::Arp => "ARP",
        Other::OtherIp => "of another IP protocol",
        Other::NotIp => "without IP",
        Other::Encrypted => "encrypted",
        Other::Fragment => "later fragments",
        Other::Cut => "cut before the end of the TCP header (snap length)",
        Other::Malformed => "malformed",
        Other::TooDeep => "in too many tunnels",
        Other::UnknownLink => "of a link that is not known",
    }
}
