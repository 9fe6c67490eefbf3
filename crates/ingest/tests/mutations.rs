//! A line of a text is lost, doubled, swapped with the next, damaged, or an unknown one stands behind it: what is read then
//! is right or absent, never another's.
//!
//! Every text of the corpus and every fixture, every line of it (of long texts some). A figure belongs to what its record is
//! about (an interface, a pair of hosts, a direction) and to its field; one that the whole text does not give there was
//! taken from elsewhere. Figures that a format derives from the lines that are left may change: they are in `DERIVED`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{corpus, fixtures, leaves};
use evidence::{CounterKind, InterfaceCounters, Node, Payload, ProbeRow};
use ingest::{Context, ImportComplaint, Record, import};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Of longer texts so many lines are tried, evenly picked.
const MOST_LINES: usize = 40;

/// The fields that name what a record is about.
const NAMES: [&str; 12] = [
    "type",
    "from.name",
    "from.address",
    "to.name",
    "to.address",
    "device.name",
    "device.address",
    "interface",
    "hostname",
    "label",
    "metric",
    "subject",
];

/// Fields that a format derives from several lines, so that one line less changes them. Statistics of replies, sums over
/// intervals, and what counts how much there is.
const DERIVED: [&str; 24] = [
    "delay.",
    "sent",
    "received",
    "lost",
    "duplicates",
    "reordered",
    "duration_ns",
    "elapsed_ns",
    "streams",
    "bytes_received",
    "packets_",
    "received_bps",
    "sent_bps",
    "retransmits",
    "note",
    "reached",
    "loss_ratio",
    // Errors of a ping have a line each, and these are counted as replies are.
    "errors.count",
    // Sums over the processors, a line each.
    "Softnet.",
    "Conntrack.",
    // Of the intervals that are there, the mean or the last.
    "vmstat ",
    "dstat ",
    "cpu all ",
    // A slice of several connections is as long as the longest of them.
    "length_ns",
];

/// What is counted by lines, under names that hold addresses and so points.
const COUNTED: [&str; 16] = [
    "other.link slower than negotiated",
    "other.PCIe errors",
    "other.retransmissions ",
    "other.drops at ",
    "other.@",
    "other.transmit queue timed out",
    "other.hardware unit hang",
    "other.adapter reset",
    "other.port of a bond ",
    "other.possible SYN flooding",
    "other.conntrack table full",
    "other.table of ",
    "other.too many orphaned sockets",
    "other.dropped as larger than the MTU",
    "other.TCP out of memory",
    "other.NFS server ",
];

type Figures = BTreeMap<String, BTreeSet<(String, String)>>;

/// Names of hosts within records, and what people call things: a damaged one is that host's all the same.
const NAMED_BELOW: [&str; 2] = [".name", "description"];

/// Whether the text prints the numbers of its hops. Where it does not, they are those of their places in a list, and a line more or
/// less makes others of them.
fn is_numbered(text: &str, whole: &Figures) -> bool {
    let numbers = whole
        .values()
        .flatten()
        .filter(|(field, _)| field.ends_with(".ttl"));
    let numbers: BTreeSet<&str> = numbers.map(|(_, value)| value.as_str()).collect();
    let begins = |line: &str, number: &str| {
        let line = line
            .trim_start()
            .trim_start_matches(|c: char| !c.is_ascii_digit());
        line.strip_prefix(number)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_printed = |number: &&str| text.lines().any(|line| begins(line, number));
    numbers.iter().all(is_printed)
}

/// A hop's probes without an answer are those sent less those answered, where the same text gives both of these for the hop
/// (mtr): then they are derived as these are. Stars that a trace prints are not.
fn is_less(field: &str, value: &str, records: &[Record]) -> bool {
    let rows = records.iter().filter_map(|record| match &record.payload {
        Payload::Probes(probes) => Some(&probes.rows),
        _ => None,
    });
    let lost = |row: &ProbeRow| Some(row.sent?.checked_sub(row.received?)?.to_string());
    // No star is counted: there is no other sign for "not told".
    field == "flows.hops.unanswered"
        && (value == "0" || rows.flatten().any(|row| lost(row).as_deref() == Some(value)))
}

/// What a text says: for each thing that it is about, the figures with their fields. Places in lists do not count.
fn figures(records: &[Record]) -> Figures {
    let mut figures = Figures::new();
    for record in records {
        let all = leaves(&serde_json::to_value(&record.payload).unwrap());
        // An empty name says that there is none.
        let names = all
            .iter()
            .filter(|(path, name)| NAMES.contains(&path.as_str()) && name != "\"\"");
        let about: Vec<String> = names.map(|(path, value)| format!("{path}={value}")).collect();
        let said = figures.entry(about.join(" ")).or_default();
        said.extend(
            all.into_iter()
                .map(|(path, value)| (without_places(&path), value)),
        );
    }
    figures
}

fn without_places(path: &str) -> String {
    let parts = path.split('.').filter(|part| part.parse::<usize>().is_err());
    parts.collect::<Vec<_>>().join(".")
}

fn is_derived(field: &str) -> bool {
    if COUNTED.iter().any(|counted| field.starts_with(counted)) {
        return true;
    }
    let last_two = field.rsplitn(3, '.').take(2).collect::<Vec<_>>();
    let end = last_two.iter().rev().copied().collect::<Vec<_>>().join(".");
    DERIVED
        .iter()
        .any(|derived| end.starts_with(derived) || last_two[0].starts_with(derived))
}

/// A figure that the whole text does not give, at what it is about. Where a name may have been damaged itself, at anything of its
/// kind.
///
/// An end that is named twice, in a heading or a command at the top of the `original` and in the head below, goes by the other
/// name where one is lost.
fn foreign(whole: &Figures, records: &[Record], names_may_differ: bool, original: &str) -> Option<String> {
    let top = original.lines().next().unwrap_or("");
    let is_of_place = |field: &str| field.ends_with(".ttl") && !is_numbered(original, whole);
    figures(records).into_iter().find_map(|(about, said)| {
        let is_kind = |other: &str| other.split(' ').next() == about.split(' ').next();
        let is_told_above = |name: &str| {
            let value = name.strip_prefix("to.name=").map(|value| value.trim_matches('"'));
            value.is_some_and(|value| top.contains(value))
        };
        // A name of several words may have been cut in front of one.
        let is_word = |known: &str, name: &str| known == name || name.strip_suffix('"') == Some(known);
        let is_part = |other: &str| {
            about
                .split(' ')
                .all(|name| other.split(' ').any(|known| is_word(known, name)) || is_told_above(name))
        };
        // Without its name an interface of a walk goes by its number, which is nobody else's.
        let goes_by_number = about.contains("interface=\"ifIndex ");
        let is_candidate = |other: &str| {
            if names_may_differ || goes_by_number {
                is_kind(other)
            } else {
                is_part(other)
            }
        };
        let known: BTreeSet<_> = whole
            .iter()
            .filter(|(other, _)| is_candidate(other))
            .flat_map(|(_, said)| said)
            .collect();
        if known.is_empty() {
            return Some(format!("speaks of {about}"));
        }
        let is_right = |figure: &(String, String)| {
            is_known(&known, figure) || is_less(&figure.0, &figure.1, records) || is_of_place(&figure.0)
        };
        let unknown = said.iter().find(|figure| !is_right(figure))?;
        let is_name = NAMES.contains(&unknown.0.as_str())
            && (names_may_differ || goes_by_number || is_told_above(&format!("{}={}", unknown.0, unknown.1)));
        (!is_name).then(|| format!("{about}: {} = {}", unknown.0, unknown.1))
    })
}

/// Whether the whole text says so, or it is derived, or words that were cut are the beginning of words there.
fn is_known(known: &BTreeSet<&(String, String)>, (field, value): &(String, String)) -> bool {
    let is_part = |words: &str| {
        let begins = |(of, whole): &&&(String, String)| of == field && whole.starts_with(words);
        known.iter().any(|figure| begins(&figure))
    };
    known.contains(&(field.clone(), value.clone()))
        || is_derived(field)
        || known
            .iter()
            .any(|(of, whole)| is_damaged(of, whole, field, value))
        || value.strip_suffix('"').is_some_and(is_part)
        || value.starts_with('[') && is_part_of_list(known, field, value)
        || value.contains(&format!(" {UNKNOWN}"))
            && is_known(known, &(field.clone(), value.replace(&format!(" {UNKNOWN}"), "")))
        || NAMED_BELOW.iter().any(|end| field.ends_with(end)) && value.contains('x')
}

/// Whether a list holds nothing but what a list of the whole text does: of remarks one less may be there.
fn is_part_of_list(known: &BTreeSet<&(String, String)>, field: &str, value: &str) -> bool {
    let words = |list: &str| serde_json::from_str::<Vec<String>>(list).unwrap_or_default();
    let list = words(value);
    let lists = known
        .iter()
        .filter(|(of, _)| of == field)
        .map(|(_, list)| words(list));
    let is_said = |whole: &[String], word: &String| {
        let (word, stem) = (word.replace(&format!(" {UNKNOWN}"), ""), format!("{word} "));
        whole.iter().any(|known| {
            *known == word
                || known.starts_with(&stem)
                || is_damaged(field, known, field, &format!("\"{word}"))
                || is_damaged(field, &format!("\"{known}"), field, &format!("\"{word}"))
        })
    };
    !list.is_empty()
        && lists
            .into_iter()
            .any(|whole| list.len() <= whole.len() && list.iter().all(|word| is_said(&whole, word)))
}

/// Whether name and words are the whole text's but for the digit that was damaged: it stands as it is, and no figure is made
/// of it.
fn is_damaged(of: &str, whole: &str, field: &str, value: &str) -> bool {
    let one = |known: &str, read: &str| {
        let mut differ = known
            .bytes()
            .zip(read.bytes())
            .filter(|(known, read)| known != read);
        let is_digit = |pair: (u8, u8)| pair.0.is_ascii_digit() && pair.1 == b'x';
        known.len() == read.len() && differ.next().is_some_and(is_digit) && differ.next().is_none()
    };
    one(of, field) && whole == value || of == field && value.starts_with('"') && one(whole, value)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    Dropped,
    Doubled,
    Swapped,
    Cut,
    Torn,
    Joined,
}

const MUTATIONS: [Mutation; 6] = [
    Mutation::Dropped,
    Mutation::Doubled,
    Mutation::Swapped,
    Mutation::Cut,
    Mutation::Torn,
    Mutation::Joined,
];

/// A line of figures that no tool prints.
const UNKNOWN: &str = "zorkmids 4711 of 17";

/// The text with one line changed; `None` where that changes nothing.
fn mutated(lines: &[&str], place: usize, mutation: Mutation) -> Option<String> {
    let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let line = lines[place].clone();
    match mutation {
        Mutation::Dropped => drop(lines.remove(place)),
        Mutation::Doubled => lines.insert(place, line),
        Mutation::Swapped if place + 1 < lines.len() && lines[place + 1] != line => {
            lines.swap(place, place + 1)
        }
        Mutation::Swapped => return None,
        // A figure that is cut is another figure: the cut is made in front of one.
        Mutation::Cut => {
            let half = line.len() / 2;
            let end = line
                .char_indices()
                .map(|(at, _)| at)
                .find(|at| *at >= half && line[*at..].starts_with(' '))?;
            lines[place].truncate(end);
        }
        Mutation::Torn => {
            let digit = line.find(|c: char| c.is_ascii_digit())?;
            lines[place].replace_range(digit..=digit, "x");
        }
        Mutation::Joined => {
            let indentation: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            lines.insert(place + 1, format!("{indentation}{UNKNOWN}"));
        }
    }
    Some(lines.join("\n") + "\n")
}

/// Whether somebody is told of the line with this number: a complaint about it, or about all of its block.
fn is_told(complaints: &[ImportComplaint], number: u64) -> bool {
    complaints
        .iter()
        .any(|complaint| (complaint.first_line..=complaint.last_line).contains(&number))
}

/// What is wrong with a mutated text.
fn wrong(
    whole: Option<&Figures>,
    text: &str,
    place: usize,
    mutation: Mutation,
    original: &str,
) -> Option<String> {
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    // Words may be kept as a part of a remark.
    let is_kept = || {
        records
            .iter()
            .any(|record| serde_json::to_string(&record.payload).unwrap().contains(UNKNOWN))
    };
    if mutation == Mutation::Joined && !is_told(&complaints, place as u64 + 2) && !is_kept() {
        return Some("a line of figures goes unread without a word".to_owned());
    }
    foreign(whole?, &records, mutation == Mutation::Torn, original)
}

/// What a whole text says; `None` where every record of it was refused as one that contradicts itself: with less in it, or more, it
/// may be none.
fn said(text: &str) -> Option<Figures> {
    let (records, complaints) = import(text.as_bytes(), &Context::default());
    let is_refused = |complaint: &ImportComplaint| complaint.reason.contains("contradict");
    (!records.is_empty() || !complaints.iter().any(is_refused)).then(|| figures(&records))
}

/// The failures of one text, one for each kind of mutation: the first line and what is wrong.
fn failures(path: &Path, tried: &mut usize) -> BTreeMap<Mutation, String> {
    let mut failures = BTreeMap::new();
    let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else {
        return failures;
    };
    let lines: Vec<&str> = text.lines().collect();
    let whole = said(&text);
    let step = lines.len().div_ceil(MOST_LINES).max(1);
    for mutation in MUTATIONS {
        for place in (0..lines.len()).step_by(step) {
            let Some(damaged) = mutated(&lines, place, mutation) else {
                continue;
            };
            *tried += 1;
            if let Some(what) = wrong(whole.as_ref(), &damaged, place, mutation, &text) {
                failures.insert(mutation, format!("line {}: {what}", place + 1));
                break;
            }
        }
    }
    failures
}

/// The failures that are known: a text and a kind of damage a line. Each is a defect of its format.
fn known() -> BTreeSet<String> {
    include_str!("mutations.known")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_is_read_of_a_damaged_text_is_right_or_absent() {
    let (mut tried, mut texts) = (0, 0);
    let mut found = BTreeMap::new();
    for path in corpus().into_iter().chain(fixtures()) {
        texts += 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (mutation, what) in failures(&path, &mut tried) {
            found.insert(format!("{name} {mutation:?}"), what);
        }
    }
    println!(
        "{texts} texts, {tried} damaged ones; {} kinds of damage are known to be read wrong",
        found.len()
    );
    if std::env::var_os("UPDATE_KNOWN").is_some() {
        let lines: String = found.keys().map(|line| format!("{line}\n")).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutations.known");
        return std::fs::write(path, lines).unwrap();
    }
    let known = known();
    let new: Vec<_> = found.iter().filter(|(line, _)| !known.contains(*line)).collect();
    assert!(new.is_empty(), "read wrong: {new:#?}");
    let gone: Vec<_> = known.iter().filter(|line| !found.contains_key(*line)).collect();
    assert!(
        gone.is_empty(),
        "no longer wrong, to be taken from mutations.known: {gone:#?}"
    );
}

#[test]
fn a_figure_of_another_is_found() {
    let record = |interface: &str, errors: u64| Record {
        payload: Payload::InterfaceCounters(InterfaceCounters {
            interface: interface.to_owned(),
            counters: BTreeMap::from([(CounterKind::InputErrors, errors)]),
            ..InterfaceCounters::default()
        }),
        at: None,
        tool: String::new(),
        lines: (1, 1),
        place: Node::default(),
    };
    let whole = figures(&[record("eth0", 5), record("eth1", 7)]);
    assert_eq!(foreign(&whole, &[record("eth1", 7)], false, ""), None);
    assert!(foreign(&whole, &[record("eth0", 7)], false, "").is_some());
    assert!(foreign(&whole, &[record("eth2", 7)], false, "").is_some());
    assert_eq!(foreign(&whole, &[record("etx0", 5)], true, ""), None);
    assert!(foreign(&whole, &[record("etx0", 6)], true, "").is_some());
}
