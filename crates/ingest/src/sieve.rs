//! Which patterns of a table a line may fit, told by its first letter and its pairs of letters: the others need not be tried.

/// A table of patterns by what lines that fit them begin with, and by the word that each of them needs: the longest of its literal ones.
#[derive(Debug)]
pub(crate) struct Sieve {
    /// Which of the lists is for lines that begin with a byte.
    list_of: Vec<usize>,
    /// Of the patterns that a line may fit which begins so, in their order: the pairs of the word that it needs, and its place.
    lists: Vec<Vec<(Pairs, usize)>>,
}

/// What a line begins with that fits a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Byte(u8),
    /// A figure, or what stands for one: `-`, `n/a`.
    Figure,
    Any,
}

impl First {
    fn may_be(self, byte: u8) -> bool {
        match self {
            Self::Byte(first) => first == byte,
            Self::Figure => is_of_figure(byte),
            Self::Any => true,
        }
    }
}

fn is_of_figure(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'n' | b'N')
}

/// Pairs of letters side by side that a word has, by their hashes: what holds the word has all of them. A few tell nearly as much as all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pairs([u8; 4]);

/// A hash that every line has: a word of one letter has no pair.
const ANY: u8 = 0;

fn hash(first: u8, second: u8) -> u8 {
    first.wrapping_mul(37).wrapping_add(second)
}

impl Pairs {
    /// Those of a word, from all over it.
    fn of(word: &str) -> Self {
        let count = word.len().saturating_sub(1);
        let at = |place: usize| {
            let begin = place * count / 4;
            match word.as_bytes().get(begin..) {
                Some([first, second, ..]) => hash(*first, *second),
                _ => ANY,
            }
        };
        Self([0, 1, 2, 3].map(at))
    }
}

/// What a line shows at a glance. It is the same for every table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    first: u8,
    /// Which hashes its pairs of letters have. Several pairs share one.
    seen: [bool; 256],
}

impl Glance {
    /// At a line, blanks around it aside.
    pub(crate) fn at(line: &str) -> Self {
        let mut seen = [false; 256];
        seen[usize::from(ANY)] = true;
        let bytes = line.as_bytes();
        for (first, second) in bytes.iter().zip(bytes.get(1..).unwrap_or_default()) {
            seen[usize::from(hash(*first, *second))] = true;
        }
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        Self {
            first: first.copied().unwrap_or(b' '),
            seen,
        }
    }

    fn has(&self, pairs: Pairs) -> bool {
        pairs.0.iter().all(|hash| self.seen[usize::from(*hash)])
    }
}

impl Sieve {
    /// Of patterns with fields in braces, where blanks, tildes and colons separate words; `first` tells what lines begin with that fit
    /// one.
    pub(crate) fn new(
        patterns: impl IntoIterator<Item = &'static str>,
        first: impl Fn(&'static str) -> First,
    ) -> Self {
        let patterns = patterns.into_iter().enumerate();
        let patterns: Vec<_> = patterns
            .map(|(place, pattern)| (first(pattern), Pairs::of(longest_word(pattern)), place))
            .collect();
        let fitting = |byte: u8| {
            let fitting = patterns.iter().filter(move |(first, ..)| first.may_be(byte));
            fitting.map(|(_, pairs, place)| (*pairs, *place)).collect()
        };
        let mut sieve = Self {
            list_of: Vec::with_capacity(256),
            lists: Vec::new(),
        };
        // Most bytes are what no pattern begins with: they share a list, and so do those of figures.
        let mut shared = [None, None];
        for byte in 0..=u8::MAX {
            let is_own = patterns.iter().any(|(first, ..)| *first == First::Byte(byte));
            let known = shared
                .get_mut(usize::from(is_of_figure(byte)))
                .filter(|_| !is_own);
            let next = sieve.lists.len();
            let list = match known {
                Some(known) => *known.get_or_insert(next),
                None => next,
            };
            if list == next {
                sieve.lists.push(fitting(byte));
            }
            sieve.list_of.push(list);
        }
        sieve
    }

    /// Places of the patterns that a line may fit that looks like this, in their order.
    pub(crate) fn places<'s>(&'s self, glance: &'s Glance) -> impl Iterator<Item = usize> + use<'s> {
        let list = self.list_of.get(usize::from(glance.first));
        let likely = list.and_then(|list| self.lists.get(*list)).into_iter().flatten();
        likely.filter_map(move |(pairs, place)| glance.has(*pairs).then_some(*place))
    }
}

/// The longest word outside braces.
pub(crate) fn longest_word(pattern: &'static str) -> &'static str {
    let outside = pattern
        .split('}')
        .map(|part| part.split('{').next().unwrap_or(""));
    let words = outside.flat_map(|literal| literal.split([' ', '~', ':']));
    words.max_by_key(|word| word.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_whose_word_is_there_are_tried() {
        let patterns = [
            "MTU {mtu} bytes",
            "{*}",
            "{n} packets input{*}",
            "bytes~: {n}",
            "{a}{b}",
        ];
        let of = |sieve: &Sieve, line: &str| sieve.places(&Glance::at(line)).collect::<Vec<_>>();
        let sieve = Sieve::new(patterns, |_| First::Any);
        assert_eq!(of(&sieve, "MTU 1500 bytes, BW 7"), [0, 1, 3, 4]);
        assert_eq!(of(&sieve, "12 packets input"), [1, 2, 4]);
        assert_eq!(of(&sieve, ""), [1, 4]);
        let sieve = Sieve::new(patterns, |pattern| match pattern.bytes().next() {
            Some(b'{') if pattern.starts_with("{n}") => First::Figure,
            Some(b'{') | None => First::Any,
            Some(byte) => First::Byte(byte),
        });
        assert_eq!(of(&sieve, " MTU 1500 bytes"), [0, 1, 4]);
        assert_eq!(of(&sieve, "12 packets input"), [1, 2, 4]);
        assert_eq!(of(&sieve, "bytes: 5"), [1, 3, 4]);
        assert_eq!(of(&sieve, "other bytes"), [1, 4]);
    }

    #[test]
    fn a_word_is_never_missed() {
        for word in ["a", "ab", "é", "packets", "\u{4e2d}\u{6587}"] {
            for line in [word.to_owned(), format!("{word} 5"), format!("5 (x{word}x)")] {
                assert!(Glance::at(&line).has(Pairs::of(word)), "{word} in {line}");
            }
        }
        assert!(!Glance::at("12 packets input").has(Pairs::of("bytes")));
    }

    #[test]
    fn a_table_without_patterns_fits_nothing() {
        let sieve = Sieve::new([], |_| First::Any);
        assert_eq!(sieve.places(&Glance::at("a line")).count(), 0);
    }
}
