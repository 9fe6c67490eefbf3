//! Which of many words a line holds, in letters of either case, in one pass that looks at three bytes at a time.
//!
//! An automaton of all words would take some megabytes, longer to build than most files take to read, and a step for each byte that
//! waits for the one before. Of each word three bytes in a row are remembered instead, those that other text has least, and a word is
//! compared where its three bytes stand.

use super::openings::Set;
use crate::text::commonness;

/// Bits that tell whether three bytes may be those of a word.
const BITS: u32 = 15;
/// In how many places the bits stand, 64 in each.
const PLACES: usize = 1 << (BITS - 6);
/// A word is no shorter.
pub(super) const SHORTEST: usize = 3;

pub(super) struct Words {
    bits: Box<[u64; PLACES]>,
    /// By the place of their bit, sorted.
    words: Vec<Word>,
    /// Where in `words` those of each place begin, and where the last ones end.
    begins: Box<[u16; PLACES + 1]>,
}

struct Word {
    /// The three bytes that it is looked for by, as `with` puts them together.
    bytes: u32,
    /// How many bytes stand in front of these.
    before: usize,
    text: &'static str,
    of: Set,
}

impl Words {
    /// Words with the formats that each of them is a mark of.
    pub(super) fn new(words: impl IntoIterator<Item = (&'static str, Set)>) -> Self {
        let words = words.into_iter().filter_map(|(text, of)| {
            let grams = text.as_bytes().windows(SHORTEST).enumerate();
            let (before, gram) =
                grams.min_by_key(|(_, gram)| gram.iter().map(|byte| commonness(*byte)).sum::<u8>())?;
            let bytes = gram.iter().fold(0, |bytes, byte| with(bytes, *byte));
            Some(Word {
                bytes,
                before,
                text,
                of,
            })
        });
        let mut words: Vec<Word> = words.collect();
        words.sort_unstable_by_key(|word| (hash(word.bytes).0, word.bytes));
        let (mut bits, mut begins) = (Box::new([0; PLACES]), Box::new([0; PLACES + 1]));
        for word in &words {
            let (place, bit) = hash(word.bytes);
            bits[place] |= bit;
            begins.iter_mut().skip(place + 1).for_each(|begin| *begin += 1);
        }
        Self { bits, words, begins }
    }

    /// The formats of which the line holds a word.
    pub(super) fn found(&self, line: &str) -> Set {
        let (mut found, mut bytes) = (0, 0);
        for (at, byte) in line.bytes().enumerate() {
            bytes = with(bytes, byte);
            let (place, bit) = hash(bytes);
            // The bits of a hash are no more than there are places: nothing is checked here.
            if self.bits[place] & bit != 0 {
                found |= self.ending(line.as_bytes(), at, bytes, place);
            }
        }
        found
    }

    /// The formats of the words of which the three bytes, with a bit in this place, end here.
    fn ending(&self, line: &[u8], at: usize, bytes: u32, place: usize) -> Set {
        let [begin, end] = [place, place + 1].map(|place| usize::from(self.begins[place]));
        let near = self.words.get(begin..end).unwrap_or_default();
        let alike = near.iter().filter(|word| word.bytes == bytes);
        let stands = |word: &&Word| {
            let start = (at + 1).checked_sub(SHORTEST + word.before);
            let end = start.map(|start| start + word.text.len());
            let text = start.zip(end).and_then(|(start, end)| line.get(start..end));
            text.is_some_and(|text| text.eq_ignore_ascii_case(word.text.as_bytes()))
        };
        alike.filter(stands).fold(0, |all, word| all | word.of)
    }
}

/// A bit that small letters have and large ones have not.
const SMALL: u8 = 0x20;

/// The last three bytes, letters of either case alike, with another one. A few signs become alike too: those are told apart where the
/// word is compared.
fn with(bytes: u32, byte: u8) -> u32 {
    (bytes << 8 | u32::from(byte | SMALL)) & 0xff_ffff
}

/// Where the bit of three bytes stands. The factor is Knuth's, the golden ratio.
fn hash(bytes: u32) -> (usize, u64) {
    let hash = bytes.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_stand_in_letters_of_either_case() {
        let words = Words::new([
            ("ping", 1),
            ("PING ", 2),
            ("traceroute", 4),
            ("Обмен", 8),
            ("TTL=", 16),
        ]);
        for (line, found) in [
            ("", 0),
            ("pin", 0),
            ("ping", 1),
            ("a Pinging b", 1),
            ("ping a", 3),
            ("bytes=32 ttl=57", 16),
            ("TRACEROUTE", 4),
            ("tracerout", 0),
            ("Обмен пакетами", 8),
            ("traceroute or ping", 5),
        ] {
            assert_eq!(words.found(line), found, "{line}");
        }
    }
}
