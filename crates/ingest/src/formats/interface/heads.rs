//! First lines of interfaces, in any dialect.

use super::dialects::DIALECTS;
use super::pattern::{Pattern, squeezed};
use memchr::memmem::Finder;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// First lines of interfaces in any dialect, by what shows at a glance that a line is none.
struct Heads {
    /// Those that begin with a literal word, by its first letter.
    worded: BTreeMap<u8, Vec<(&'static str, Pattern)>>,
    /// `{if} is …`
    being: Vec<Pattern>,
    /// `{if} current state …`
    stating: Vec<Pattern>,
    /// `{if} input: …`
    directed: Vec<Pattern>,
    /// The name alone.
    alone: Vec<Pattern>,
}

static HEADS: LazyLock<Heads> = LazyLock::new(|| {
    let mut heads = Heads {
        worded: BTreeMap::new(),
        being: Vec::new(),
        stating: Vec::new(),
        directed: Vec::new(),
        alone: Vec::new(),
    };
    let all = DIALECTS.iter().flat_map(|dialect| dialect.heads.iter().copied());
    for text in BTreeSet::from_iter(all) {
        let pattern = Pattern::new(text);
        match text.strip_prefix('{') {
            Some(field) if field.contains(CURRENT_STATE) => heads.stating.push(pattern),
            Some(field) if field.contains(IS) => heads.being.push(pattern),
            Some(field) if field.contains(' ') => heads.directed.push(pattern),
            Some(_) => heads.alone.push(pattern),
            None => {
                // Blanks may stand behind the first word.
                let word = text.split(['{', ' ', ':']).next().unwrap_or("");
                let first = word.bytes().next().unwrap_or(b' ');
                heads.worded.entry(first).or_default().push((word, pattern));
            }
        }
    }
    heads
});

const IS: &str = " is ";
const CURRENT_STATE: &str = " current state";
static LINKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [IS, CURRENT_STATE].map(Finder::new));

/// Whether a line may be a head that neither says what an interface is nor its current state: one that begins with a literal word,
/// names a direction, or is a name alone.
pub(super) fn may_be_head_without_verb(line: &str) -> bool {
    let line = line.trim_ascii();
    let mut words = line.splitn(3, ' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let worded = line.bytes().next().and_then(|first| HEADS.worded.get(&first));
    second.is_none_or(is_direction)
        || worded.is_some_and(|worded| worded.iter().any(|(word, _)| first.starts_with(word)))
}

/// Whether what stands in front of a verb may be the name of an interface: these have two words at most. Where other blanks stand
/// between them, the verb may be further to the front.
fn may_be_name(text: &str) -> bool {
    let is_other_blank = |byte: u8| byte != b' ' && byte.is_ascii_whitespace() || !byte.is_ascii();
    text.split(' ').filter(|word| !word.is_empty()).nth(2).is_none() || text.bytes().any(is_other_blank)
}

fn is_direction(word: &str) -> bool {
    matches!(word, "input:" | "output:" | "direction" | "Service")
}

/// Whether an interface begins here, at whatever indentation, in any dialect. Asked of every line: prose is told by its first
/// words, which name no interface.
pub(super) fn is_head(line: &str) -> bool {
    let line = line.trim_ascii();
    let has_digit = |name: &str| {
        name.len() < 64 && (name.bytes().any(|byte| byte.is_ascii_digit()) || name.starts_with("mgmt"))
    };
    let named = |link: &Finder<'_>| {
        let end = link.find(line.as_bytes());
        let name = end.and_then(|end| line.get(..end));
        name.is_some_and(|name| has_digit(name) && may_be_name(name))
    };
    let fits = |patterns: &[Pattern]| {
        let text = squeezed(line);
        patterns.iter().any(|pattern| pattern.captures(&text).is_some())
    };
    let is_directed = || {
        let mut words = line.splitn(3, ' ');
        words.next().is_some_and(has_digit) && words.next().is_some_and(is_direction)
    };
    let (heads, [is, current_state]) = (&*HEADS, &*LINKS);
    let worded = line.bytes().next().and_then(|first| heads.worded.get(&first));
    worded.is_some_and(|worded| {
        let mut likely = worded.iter().filter(|(word, _)| line.starts_with(word));
        likely.any(|(_, pattern)| pattern.captures(&squeezed(line)).is_some())
    }) || named(is) && fits(&heads.being)
        || named(current_state) && fits(&heads.stating)
        || is_directed() && fits(&heads.directed)
        || has_digit(line) && !line.contains(' ') && fits(&heads.alone)
}
