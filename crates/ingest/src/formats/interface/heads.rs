//! First lines of interfaces, in any dialect.

use super::dialects::DIALECTS;
use super::pattern::{Pattern, first_of, squeezed};
use crate::block::DialectSet;
use crate::sieve::{Glance, Sieve};
use crate::text::split;
use memchr::memmem::Finder;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// First lines of interfaces in any dialect, by what shows at a glance that a line is none.
struct Heads {
    /// Those that begin with a literal word, by its first byte.
    worded: Vec<Vec<(&'static str, Pattern)>>,
    /// `{if} is …`
    being: Vec<Pattern>,
    /// `{if} current state …`
    stating: Vec<Pattern>,
    /// `{if} input: …`
    directed: Vec<Pattern>,
    /// The name alone.
    alone: Vec<Pattern>,
    /// `1) Interface …`
    numbered: Vec<Pattern>,
}

static HEADS: LazyLock<Heads> = LazyLock::new(|| {
    let mut heads = Heads {
        worded: (0..=u8::MAX).map(|_| Vec::new()).collect(),
        being: Vec::new(),
        stating: Vec::new(),
        directed: Vec::new(),
        alone: Vec::new(),
        numbered: Vec::new(),
    };
    let all = DIALECTS.iter().flat_map(|dialect| dialect.heads.iter().copied());
    for text in BTreeSet::from_iter(all) {
        let pattern = Pattern::new(text);
        match text.strip_prefix('{') {
            Some(field) if field.starts_with(NUMBERED) => heads.numbered.push(pattern),
            Some(field) if field.contains(CURRENT_STATE) => heads.stating.push(pattern),
            Some(field) if field.contains(IS) => heads.being.push(pattern),
            Some(field) if field.contains(' ') => heads.directed.push(pattern),
            Some(_) => heads.alone.push(pattern),
            None => {
                // Blanks may stand behind the first word.
                let word = text.split(['{', ' ', ':']).next().unwrap_or("");
                let first = word.bytes().next().unwrap_or(b' ');
                heads.worded[usize::from(first)].push((word, pattern));
            }
        }
    }
    heads
});

const NUMBERED: &str = "n}) ";
const IS: &str = " is ";
const CURRENT_STATE: &str = " current state";
static LINKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [IS, CURRENT_STATE].map(Finder::new));

/// Whether a line may be a head that neither says what an interface is nor its current state: one that begins with a literal word,
/// names a direction, or is a name alone.
pub(super) fn may_be_head_without_verb(line: &str) -> bool {
    let line = line.trim_ascii();
    let mut words = split(line, b' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let worded = line
        .bytes()
        .next()
        .and_then(|first| HEADS.worded.get(usize::from(first)));
    is_numbered(line.as_bytes())
        || second.is_none_or(is_direction)
        || worded.is_some_and(|worded| worded.iter().any(|(word, _)| first.starts_with(word)))
}

fn is_direction(word: &str) -> bool {
    matches!(
        word,
        "Interface"
            | "input:"
            | "output:"
            | "direction"
            | "Service"
            | "(All"
            | "transceiver"
            | "SFP"
            | "state"
    )
}

/// Whether an interface begins here, at whatever indentation, in any dialect. Asked of every line, several times of some: all but few
/// are told by their first words, which name no interface.
pub(super) fn is_head(line: &str) -> bool {
    let is_set_in = line.starts_with([' ', '\t']);
    let line = line.trim_ascii();
    // Edgecore's ports have a name too, which people gave them, and those of Gaia a state.
    if is_set_in && (line.starts_with("Name:") || line.starts_with("state o")) {
        return false;
    }
    let heads = &*HEADS;
    let Some(first) = line.bytes().next() else {
        return false;
    };
    let text = LazyCell::new(|| squeezed(line));
    let fits_one = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.fits(&text));
    let worded = &heads.worded[usize::from(first)];
    let is_worded = |(word, pattern): &(&str, Pattern)| {
        line.as_bytes().get(1) == word.as_bytes().get(1) && line.starts_with(word) && pattern.fits(&text)
    };
    if worded.iter().any(is_worded) {
        return true;
    }
    if is_numbered(line.as_bytes()) {
        return fits_one(&heads.numbered);
    }
    if !may_be_named(line.as_bytes()) {
        return false;
    }
    // Names have a digit, but for those of ports of management.
    let Some(least) = named_from(line) else {
        return false;
    };
    let end = line.bytes().position(|byte| byte == b' ');
    let [is, current_state] = &*LINKS;
    let begin = line.as_bytes();
    let begin = begin.get(..2 * LONGEST_NAME).unwrap_or(begin);
    let named = |link: &Finder<'_>| {
        let at = link.find(begin);
        at.is_some_and(|at| at > least && at < LONGEST_NAME)
    };
    match end {
        None => line.len() < LONGEST_NAME && fits_one(&heads.alone),
        Some(end) => {
            named(is) && fits_one(&heads.being)
                || named(current_state) && fits_one(&heads.stating)
                || is_directed(line, least, end) && fits_one(&heads.directed)
        }
    }
}

/// `1) `, `12) `
fn is_numbered(line: &[u8]) -> bool {
    matches!(
        line,
        [b'0'..=b'9', b')', b' ' | b'\t', ..] | [b'0'..=b'9', b'0'..=b'9', b')', b' ' | b'\t', ..]
    )
}

/// Whether the second word is what stands behind a name, or the rest of one: `Gi0/1 is`, `Ethernet 0/1 is`. That of nearly all lines
/// below a head is another.
fn may_be_named(line: &[u8]) -> bool {
    let begin = line.get(..LONGEST_NAME).unwrap_or(line);
    let Some(end) = begin.iter().position(|byte| *byte == b' ') else {
        return true;
    };
    let second = line.get(end..).unwrap_or_default().trim_ascii_start();
    let begins = |words: &[&str]| words.iter().any(|word| second.starts_with(word.as_bytes()));
    match second.first() {
        Some(b'i') => begins(&["is ", "input:"]),
        Some(b'c') => begins(&["current state"]),
        Some(b'(') => begins(&["(All statistics"]),
        Some(b'I') => begins(&["Interface status: "]),
        Some(b't') => begins(&["transceiver "]),
        Some(b's') => begins(&["state information "]),
        Some(b'o' | b'd' | b'S') => begins(&["output:", "direction", "Service", "SFP "]),
        Some(b'0'..=b'9') => end > 0 && line[end - 1].is_ascii_alphabetic(),
        _ => false,
    }
}

/// No name is as long.
const LONGEST_NAME: usize = 64;

/// How far a name must go at least that a line begins with: up to its first digit. `None` where it would be too long.
fn named_from(line: &str) -> Option<usize> {
    if line.starts_with("mgmt") {
        return Some(3);
    }
    let mut begin = line.bytes().take(LONGEST_NAME);
    begin.position(|byte| byte.is_ascii_digit())
}

/// `Gi0/1 input: …`: whether the first word, which ends here, is a name, and what is behind it a direction.
fn is_directed(line: &str, least: usize, end: usize) -> bool {
    let second = line.get(end + 1..).and_then(|rest| rest.split(' ').next());
    end > least && end < LONGEST_NAME && second.is_some_and(is_direction)
}

/// The dialects in which an interface may begin like this, a bit for each; the line is one with single blanks. Many share a head.
pub(super) fn dialects_of(head: &str) -> DialectSet {
    let (sieve, patterns) = &*SHARED;
    let glance = Glance::at(head);
    let likely = sieve.places(&glance).filter_map(|place| patterns.get(place));
    let fitting = likely.filter(|(pattern, _)| pattern.fits(head));
    fitting.fold(0, |all, (_, dialects)| all | dialects)
}

static SHARED: LazyLock<(Sieve, Vec<(Pattern, DialectSet)>)> = LazyLock::new(|| {
    let mut shared = BTreeMap::<&'static str, DialectSet>::new();
    for (place, dialect) in DIALECTS.iter().enumerate() {
        for head in dialect.heads {
            *shared.entry(head).or_default() |= 1 << place;
        }
    }
    let sieve = Sieve::new(shared.keys().copied(), first_of);
    let patterns = shared.into_iter();
    let patterns = patterns.map(|(head, dialects)| (Pattern::new(head), dialects));
    (sieve, patterns.collect())
});

const _: () = assert!(DIALECTS.len() <= DialectSet::BITS as usize);
