//! Names under a key, word by word: `so-7-2-0.rtl.fra.de` keeps its dashes and dots, and each word in it is replaced by
//! the same pseudonym everywhere. Hosts of one domain stay in one domain, interfaces of one router stay alike.

use super::key::Key;
use std::collections::{BTreeMap, BTreeSet};

/// Letters of a pseudonym.
const LETTERS: usize = 5;
/// A number has at least so many digits afterwards: there are not enough short ones to stay apart.
const FEWEST_DIGITS: usize = 3;

/// The pseudonyms of words.
pub(super) struct Names {
    key: Key,
    known: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl Names {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            known: BTreeMap::new(),
            used: BTreeSet::new(),
        }
    }

    /// The pseudonym of a name. Capital and small letters are one, as in the DNS.
    pub(super) fn pseudonym(&mut self, name: &str) -> String {
        let mut out = String::new();
        let mut word = String::new();
        for c in name.chars() {
            let goes_on = word.chars().next_back().is_none_or(|last| same_run(last, c));
            if !(c.is_alphanumeric() && goes_on) {
                out += &self.word(&word);
                word.clear();
            }
            if c.is_alphanumeric() {
                word.push(c);
            } else {
                out.push(c);
            }
        }
        out += &self.word(&word);
        out
    }

    fn word(&mut self, word: &str) -> String {
        if word.is_empty() {
            return String::new();
        }
        let word = word.to_lowercase();
        if let Some(known) = self.known.get(&word) {
            return known.clone();
        }
        let mut attempt = 0_u32;
        let pseudonym = loop {
            let candidate = self.candidate(&word, attempt);
            if self.used.insert(candidate.clone()) {
                break candidate;
            }
            attempt = attempt.saturating_add(1);
        };
        self.known.insert(word, pseudonym.clone());
        pseudonym
    }

    /// Letters for letters and digits for digits: what can be told from the shape of a name can still be told.
    fn candidate(&self, word: &str, attempt: u32) -> String {
        let digest = self.key.digest(b"name", format!("{attempt} {word}").as_bytes());
        let digits = word.chars().all(|c| c.is_ascii_digit());
        // Later attempts are longer, so that there is an end to them.
        let more = usize::try_from(attempt / 8).unwrap_or_default();
        if digits {
            let length = word.len().clamp(FEWEST_DIGITS, 9).saturating_add(more);
            digest
                .iter()
                .take(length)
                .map(|byte| char::from(b'0' + byte % 10))
                .collect()
        } else {
            let length = LETTERS.saturating_add(more);
            digest
                .iter()
                .take(length)
                .map(|byte| char::from(b'a' + byte % 26))
                .collect()
        }
    }
}

/// Whether two neighbouring characters are of one word: letters, or digits.
fn same_run(a: char, b: char) -> bool {
    a.is_ascii_digit() == b.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_get_the_same_pseudonyms() {
        let mut names = Names::new(Key([7; 32]));
        let mut pseudonym = |name: &str| names.pseudonym(name);
        let (a, b) = (pseudonym("so-7-2-0.rtl.fra.de"), pseudonym("so-7-3-0.rtl.fra.de"));
        let words = |name: &str| -> Vec<String> { name.split(['.', '-']).map(str::to_owned).collect() };
        let differing = words(&a).iter().zip(&words(&b)).filter(|(a, b)| a != b).count();
        assert_eq!((words(&a).len(), differing), (7, 1), "{a} {b}");
        assert_eq!(pseudonym("FRA"), words(&a)[5], "capitals are no difference");
        assert_eq!(pseudonym("br01").len(), LETTERS + FEWEST_DIGITS);
        assert_eq!(pseudonym(""), "");
        assert!(!pseudonym("größe").contains("gr"));
    }

    #[test]
    fn different_words_stay_different() {
        let mut names = Names::new(Key([7; 32]));
        let pseudonyms: BTreeSet<String> = (0..5000).map(|n| names.pseudonym(&n.to_string())).collect();
        assert_eq!(
            pseudonyms.len(),
            5000,
            "far more than there are numbers of three digits"
        );
    }
}
