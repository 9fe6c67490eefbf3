//! Which patterns of a table a line may fit, found in one pass over the line: the others need not be tried.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A table of patterns by what lines that fit them begin with, and by the word that each of them needs: the longest of its literal ones.
#[derive(Debug)]
pub(crate) struct Sieve {
    /// The patterns that a line may fit that begins with a byte.
    by_first: Vec<Places>,
    words: Option<AhoCorasick>,
    /// The patterns that need a word.
    needing: Vec<Vec<usize>>,
    /// Those that need none.
    free: Places,
    /// Those from here on are not sieved: there are too many.
    rest: std::ops::Range<usize>,
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
            Self::Figure => byte.is_ascii_digit() || matches!(byte, b'-' | b'n' | b'N'),
            Self::Any => true,
        }
    }
}

/// So few patterns are tried without looking for their words.
const FEW: usize = 12;

/// Places in a table.
#[derive(Debug, Clone, Copy, Default)]
struct Places([u64; Places::WORDS]);

impl Places {
    const WORDS: usize = 8;
    const MOST: usize = Self::WORDS * 64;

    fn insert(&mut self, place: usize) {
        if let Some(bits) = self.0.get_mut(place / 64) {
            *bits |= 1 << (place % 64);
        }
    }

    fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn and(self, other: Self) -> Self {
        let mut both = self;
        both.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(word, other)| *word &= other);
        both
    }

    /// In ascending order.
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }
}

impl Sieve {
    /// Of patterns with fields in braces, where blanks, tildes and colons separate words; `first` tells what lines begin with that fit
    /// one.
    pub(crate) fn new(
        patterns: impl IntoIterator<Item = &'static str>,
        first: impl Fn(&'static str) -> First,
    ) -> Self {
        let (mut words, mut needing) = (Vec::<&str>::new(), Vec::<Vec<usize>>::new());
        let (mut free, mut count) = (Places::default(), 0);
        let mut by_first = vec![Places::default(); 256];
        for pattern in patterns {
            let first = first(pattern);
            let fitting = (0..=u8::MAX)
                .zip(&mut by_first)
                .filter(|(byte, _)| first.may_be(*byte));
            fitting.for_each(|(_, places)| places.insert(count));
            let word = longest_word(pattern);
            let known = words.iter().position(|known| *known == word);
            match known.and_then(|known| needing.get_mut(known)) {
                _ if word.is_empty() => free.insert(count),
                Some(places) => places.push(count),
                None => {
                    words.push(word);
                    needing.push(vec![count]);
                }
            }
            count += 1;
        }
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let words = AhoCorasick::builder().kind(kind).build(&words).ok();
        let sieved = if words.is_some() { Places::MOST } else { 0 };
        Self {
            by_first,
            words,
            needing,
            free,
            rest: sieved.min(count)..count,
        }
    }

    /// Places of the patterns that the line, blanks around it aside, may fit, in their order.
    pub(crate) fn places(&self, line: &str) -> impl Iterator<Item = usize> + use<> {
        let first = line.trim_ascii_start().bytes().next().unwrap_or(b' ');
        let begun = self.by_first.get(usize::from(first)).copied().unwrap_or_default();
        let places = if begun.count() > FEW {
            begun.and(self.with_words(line))
        } else {
            begun
        };
        places.iter().chain(self.rest.clone())
    }

    /// The patterns of which the line holds the word.
    fn with_words(&self, line: &str) -> Places {
        let mut places = self.free;
        for found in self
            .words
            .iter()
            .flat_map(|words| words.find_overlapping_iter(line))
        {
            for place in self.needing.get(found.pattern().as_usize()).into_iter().flatten() {
                places.insert(*place);
            }
        }
        places
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
        let sieve = Sieve::new(patterns, |_| First::Any);
        let with_words = |line: &str| sieve.with_words(line).iter().collect::<Vec<_>>();
        assert_eq!(with_words("MTU 1500 bytes, BW 7"), [0, 1, 3, 4]);
        assert_eq!(with_words("12 packets input"), [1, 2, 4]);
        assert_eq!(with_words(""), [1, 4]);
        let sieve = Sieve::new(patterns, |pattern| match pattern.bytes().next() {
            Some(b'{') if pattern.starts_with("{n}") => First::Figure,
            Some(b'{') | None => First::Any,
            Some(byte) => First::Byte(byte),
        });
        let of = |line: &str| sieve.places(line).collect::<Vec<_>>();
        assert_eq!(of(" MTU 1500 bytes"), [0, 1, 4]);
        assert_eq!(of("12 packets input"), [1, 2, 4]);
        assert_eq!(of("bytes: 5"), [1, 3, 4]);
    }

    #[test]
    fn of_many_that_a_line_may_begin_only_those_with_their_word_are_tried() {
        let patterns = ["a word {n}", "an other {n}"].repeat(FEW);
        let sieve = Sieve::new(patterns, |_| First::Byte(b'a'));
        assert_eq!(sieve.places("an other 5").count(), FEW);
    }

    #[test]
    fn large_tables_are_tried_whole_from_some_place_on() {
        let sieve = Sieve::new(std::iter::repeat_n("never {n}", 514), |_| First::Any);
        assert_eq!(sieve.places("a line").collect::<Vec<_>>(), [512, 513]);
    }

    #[test]
    fn a_table_without_patterns_fits_nothing() {
        assert_eq!(Sieve::new([], |_| First::Any).places("a line").count(), 0);
    }
}
