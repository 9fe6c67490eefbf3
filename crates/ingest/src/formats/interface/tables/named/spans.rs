//! Words of a line, with where they stand.

use crate::text::begin_of;

/// Some text of a line, by where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span<'l> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'l str,
}

impl Span<'_> {
    pub(super) fn overlap(&self, start: usize, end: usize) -> usize {
        self.end.min(end).saturating_sub(self.start.max(start))
    }
}

pub(super) fn is_frame(byte: u8) -> bool {
    matches!(byte, b'|' | b'[' | b']')
}

/// The words of a line; frames stand between them.
pub(super) fn words(line: &str) -> impl Iterator<Item = Span<'_>> {
    line.split([' ', '\t', '|', '[', ']'])
        .filter(|word| !word.is_empty())
        .map(move |text| {
            let start = begin_of(text, line);
            Span {
                start,
                end: start + text.len(),
                text,
            }
        })
}

/// Words with a single blank between them, as one.
pub(super) fn phrases(line: &str) -> Vec<Span<'_>> {
    let mut phrases: Vec<Span<'_>> = Vec::new();
    for word in words(line) {
        let joined = phrases
            .last()
            .filter(|last| last.end + 1 == word.start)
            .and_then(|last| {
                let between = line.as_bytes().get(last.end)?;
                (*between == b' ').then_some(())?;
                Some(Span {
                    start: last.start,
                    end: word.end,
                    text: line.get(last.start..word.end)?,
                })
            });
        match (joined, phrases.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => phrases.push(word),
        }
    }
    phrases
}

/// The phrases of a line, and the words of those that stand below several of another: `State State Actual Actual`.
pub(super) fn apart<'l>(lines: &[&str], line: &'l str) -> Vec<Span<'l>> {
    let above: Vec<_> = lines.iter().map(|other| phrases(other)).collect();
    let is_below_several = |phrase: &Span<'_>| {
        above.iter().any(|other| {
            let over = other
                .iter()
                .filter(|above| phrase.overlap(above.start, above.end) > 0);
            over.count() > 1
        })
    };
    let (several, alone): (Vec<_>, Vec<_>) = phrases(line).into_iter().partition(is_below_several);
    let inside = |word: &Span<'_>| {
        several
            .iter()
            .any(|phrase| phrase.overlap(word.start, word.end) > 0)
    };
    let mut all: Vec<Span<'l>> = alone;
    all.extend(words(line).filter(inside));
    all
}

/// Where two words stand twice, one pair behind the other: `Cfg Actual Cfg Actual`. Such words say nothing by themselves.
pub(super) fn repeated(line: &str) -> Vec<(usize, usize)> {
    let words: Vec<Span<'_>> = words(line).collect();
    let is_twice = |four: &&[Span<'_>]| matches!(four, [a, b, c, d] if a.text == c.text && b.text == d.text && a.text != b.text);
    let pairs = |four: &[Span<'_>]| match four {
        [a, b, c, d] => vec![(a.start, b.end), (c.start, d.end)],
        _ => Vec::new(),
    };
    words.windows(4).filter(is_twice).flat_map(pairs).collect()
}
