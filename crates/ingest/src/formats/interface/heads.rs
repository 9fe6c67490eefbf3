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

/// Whether an interface begins here, at whatever indentation, in any dialect. Asked of every line: prose is told by its first
/// words, which name no interface.
pub(super) fn is_head(line: &str) -> bool {
    let line = line.trim_ascii();
    let has_digit = |name: &str| {
        name.len() < 64 && (name.bytes().any(|byte| byte.is_ascii_digit()) || name.starts_with("mgmt"))
    };
    let named = |link: &Finder<'_>| {
        let end = link.find(line.as_bytes());
        end.and_then(|end| line.get(..end)).is_some_and(has_digit)
    };
    let fits = |patterns: &[Pattern]| {
        let text = squeezed(line);
        patterns.iter().any(|pattern| pattern.captures(&text).is_some())
    };
    let is_directed = || {
        let mut words = line.splitn(3, ' ');
        words.next().is_some_and(has_digit)
            && words
                .next()
                .is_some_and(|word| matches!(word, "input:" | "output:" | "direction" | "Service"))
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
