//! Words with what they stand for, found by their letters at once: a search in a sorted table compares one word after another.

/// Words in so many groups, by their hashes.
pub(crate) struct Dictionary<V> {
    groups: Vec<Vec<(&'static str, V)>>,
}

impl<V: Copy> Dictionary<V> {
    /// Of several equal words the first counts.
    pub(crate) fn new(words: impl IntoIterator<Item = (&'static str, V)>) -> Self {
        let words: Vec<_> = words.into_iter().collect();
        let mut groups = vec![Vec::new(); (2 * words.len()).next_power_of_two()];
        for (word, means) in words {
            let group = hash(word) & (groups.len() - 1);
            groups[group].push((word, means));
        }
        Self { groups }
    }

    /// What a word stands for.
    pub(crate) fn get(&self, word: &str) -> Option<V> {
        let group = self.groups.get(hash(word) & (self.groups.len() - 1))?;
        let known = group.iter().find(|(known, _)| *known == word);
        known.map(|(_, means)| *means)
    }
}

/// A number that words seldom share, letters of either case alike: eight of them are looked at together.
pub(crate) fn hash(word: &str) -> usize {
    // Small and large letters differ in one bit.
    const SMALL: u64 = 0x2020_2020_2020_2020;
    let (many, rest) = word.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let sum = many.iter().chain([&last]).fold(word.len() as u64, |sum, eight| {
        // Fibonacci's multiplier: letters in another order add up to something else.
        let sum = u128::from(sum ^ (u64::from_le_bytes(*eight) | SMALL)) * 0x9e37_79b9_7f4a_7c15;
        (sum >> 64) as u64 ^ sum as u64
    });
    sum as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_no_others() {
        let words = ["", "a", "ab", "ifInOctets", "ifInOctetsOfMany", "a", "\u{4e2d}"];
        let dictionary = Dictionary::new(words.into_iter().zip(0..));
        for (place, word) in words.iter().enumerate().filter(|(place, _)| *place != 5) {
            assert_eq!(dictionary.get(word), Some(place), "{word}");
        }
        for other in ["A", "b", "ifInOctet", "IfInOctets", "ifInOctetsOfMan\0"] {
            assert_eq!(dictionary.get(other), None, "{other}");
        }
        assert_eq!(hash("CRC errors of X"), hash("crc Errors of x"));
    }
}
