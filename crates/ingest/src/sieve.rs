//! Which patterns of a table a line may fit, told by its first letter and its pairs of letters: the others need not be tried.

/// A table of patterns by what lines that fit them begin with, and by the pairs of letters in their literal words.
#[derive(Debug)]
pub(crate) struct Sieve {
    /// Which of the lists is for lines that begin with a byte.
    list_of: Vec<usize>,
    /// Of the patterns that a line may fit which begins so, in their order: the pairs of letters that it needs, and its place.
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

/// Pairs of letters side by side, a bit for the hash of each: what holds some words has all pairs of each of them. Several pairs share
/// a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pairs([u64; 4]);

/// As many as there are bits.
const HASHES: usize = 256;

fn hash(first: u8, second: u8) -> u8 {
    first.wrapping_mul(37).wrapping_add(second)
}

impl Pairs {
    fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut seen = [0; HASHES];
        for word in words {
            mark(&mut seen, word.as_bytes());
        }
        Self::packed(&seen)
    }

    /// To mark bytes and pack them afterwards takes a third of the time that setting bits one after another does.
    fn packed(seen: &[u8; HASHES]) -> Self {
        // The product has the lowest bits of eight bytes side by side in its highest byte.
        const SIDE_BY_SIDE: u64 = 0x0102_0408_1020_4080;
        let (eights, _) = seen.as_chunks::<8>();
        let mut bits = [0; 4];
        for (place, eight) in eights.iter().enumerate() {
            let packed = u64::from_le_bytes(*eight).wrapping_mul(SIDE_BY_SIDE) >> 56;
            bits[place / 8] |= packed << (place % 8 * 8);
        }
        Self(bits)
    }

    fn holds(self, other: Self) -> bool {
        let pairs = self.0.iter().zip(other.0);
        pairs.fold(0, |missing, (here, there)| missing | (there & !here)) == 0
    }
}

fn mark(seen: &mut [u8; HASHES], text: &[u8]) {
    for (first, second) in text.iter().zip(text.get(1..).unwrap_or_default()) {
        seen[usize::from(hash(*first, *second))] = 1;
    }
}

/// What a line shows at a glance. It is the same for every table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    first: u8,
    pairs: Pairs,
}

impl Glance {
    /// At a line, blanks around it aside.
    pub(crate) fn at(line: &str) -> Self {
        let bytes = line.as_bytes();
        let mut seen = [0; HASHES];
        mark(&mut seen, bytes);
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        Self {
            first: first.copied().unwrap_or(b' '),
            pairs: Pairs::packed(&seen),
        }
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
            .map(|(place, pattern)| (first(pattern), Pairs::of(words(pattern)), place))
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
        likely.filter_map(move |(pairs, place)| glance.pairs.holds(*pairs).then_some(*place))
    }
}

/// The words outside braces.
fn words(pattern: &'static str) -> impl Iterator<Item = &'static str> {
    let outside = pattern
        .split('}')
        .map(|part| part.split('{').next().unwrap_or(""));
    outside.flat_map(|literal| literal.split([' ', '~', ':']))
}

/// The longest word outside braces.
pub(crate) fn longest_word(pattern: &'static str) -> &'static str {
    words(pattern).max_by_key(|word| word.len()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_whose_words_are_there_are_tried() {
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
                assert!(
                    Glance::at(&line).pairs.holds(Pairs::of([word])),
                    "{word} in {line}"
                );
            }
        }
        assert!(!Glance::at("12 packets input").pairs.holds(Pairs::of(["bytes"])));
    }

    #[test]
    fn a_table_without_patterns_fits_nothing() {
        let sieve = Sieve::new([], |_| First::Any);
        assert_eq!(sieve.places(&Glance::at("a line")).count(), 0);
    }
}
