//! Which patterns of a table a line may fit, found in one pass over the line: the others need not be tried.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A table of patterns by the word that each of them needs: the longest of its literal ones.
#[derive(Debug)]
pub(crate) struct Sieve {
    words: Option<AhoCorasick>,
    /// The patterns that need a word.
    needing: Vec<Vec<usize>>,
    /// Those that need none.
    free: Places,
    /// Those from here on are not sieved: there are too many.
    rest: std::ops::Range<usize>,
}

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
    /// Of patterns with fields in braces, where blanks, tildes and colons separate words.
    pub(crate) fn new(patterns: impl IntoIterator<Item = &'static str>) -> Self {
        let (mut words, mut needing) = (Vec::<&str>::new(), Vec::<Vec<usize>>::new());
        let (mut free, mut count) = (Places::default(), 0);
        for pattern in patterns {
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
        let kind = Some(AhoCorasickKind::DFA);
        let words = AhoCorasick::builder().kind(kind).build(&words).ok();
        let sieved = if words.is_some() { Places::MOST } else { 0 };
        Self {
            words,
            needing,
            free,
            rest: sieved.min(count)..count,
        }
    }

    /// Places of the patterns that the line may fit, in their order.
    pub(crate) fn places(&self, line: &str) -> impl Iterator<Item = usize> + use<> {
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
        places.iter().chain(self.rest.clone())
    }
}

/// The longest word outside braces.
fn longest_word(pattern: &'static str) -> &'static str {
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
        let sieve = Sieve::new([
            "MTU {mtu} bytes",
            "{*}",
            "{n} packets input{*}",
            "bytes~: {n}",
            "{a}{b}",
        ]);
        let of = |line: &str| sieve.places(line).collect::<Vec<_>>();
        assert_eq!(of("MTU 1500 bytes, BW 7"), [0, 1, 3, 4]);
        assert_eq!(of("12 packets input"), [1, 2, 4]);
        assert_eq!(of(""), [1, 4]);
    }

    #[test]
    fn large_tables_are_tried_whole_from_some_place_on() {
        let sieve = Sieve::new(std::iter::repeat_n("never {n}", 514));
        assert_eq!(sieve.places("a line").collect::<Vec<_>>(), [512, 513]);
    }

    #[test]
    fn a_table_without_patterns_fits_nothing() {
        assert_eq!(Sieve::new([]).places("a line").count(), 0);
    }
}
