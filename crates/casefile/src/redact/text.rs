//! Finds addresses and names inside of text that people and programs wrote.

use super::addresses::Addresses;
use super::names::Names;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Names that the case knows, in small letters.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// As they stand in the case: `flora01.slac.stanford.edu`, `Les Cottrell`.
    whole: BTreeSet<String>,
    /// Their telling parts: `flora01`, `cottrell`.
    parts: BTreeSet<String>,
    /// Words of the longest name of several words.
    longest_words: usize,
}

impl KnownNames {
    /// Takes in a name of a host, a place, a network or a person.
    pub(super) fn add(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty() || name.parse::<IpAddr>().is_ok() {
            return;
        }
        let words: Vec<&str> = name.split_whitespace().collect();
        self.longest_words = self.longest_words.max(words.len());
        self.whole.insert(words.join(" ").to_lowercase());
        for word in &words {
            if words.len() > 1 && is_telling(word) {
                self.parts.insert(bare(word).to_lowercase());
            }
            let labels: Vec<&str> = word.split('.').collect();
            // The last label of a name in the DNS says nothing: `edu`.
            let own = labels.len().saturating_sub(1);
            let telling = labels.iter().take(own).filter(|label| label.chars().count() >= 4);
            self.parts.extend(telling.map(|label| label.to_lowercase()));
        }
    }
}

/// Whether a word of a longer name tells who it is: capitals (`SLAC`, `UK`), or a name (`Cottrell`), no filler (`the`).
fn is_telling(word: &str) -> bool {
    let word = bare(word);
    let letters = word.chars().count();
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    letters >= 2 && (capitals == letters || (capitals > 0 && letters >= 4))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// How much of a text is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Words of people: parts of names count as well.
    Prose,
    /// Words of programs (`cubic`, `eth0`): only what is a name as a whole.
    Machine,
    /// Names of fields: addresses only.
    Field,
}

/// Replaces addresses and names in text; `None`: that kind stays.
pub(super) struct Scrubber {
    pub(super) addresses: Option<Addresses>,
    pub(super) names: Option<Names>,
    pub(super) known: KnownNames,
}

impl Scrubber {
    /// A name as a whole: of a host, a place, a network, a person.
    pub(super) fn name(&mut self, name: &str) -> String {
        if let Some(address) = self.address(name.trim()) {
            return address;
        }
        match &mut self.names {
            Some(names) if name.trim().parse::<IpAddr>().is_err() => names.pseudonym(name),
            _ => self.text(name, Depth::Prose),
        }
    }

    /// A text in which there may be some.
    pub(super) fn text(&mut self, text: &str, depth: Depth) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(length) = self.phrase(rest, depth)
                && let Some((phrase, behind)) = rest.split_at_checked(length)
            {
                out += &self.name(phrase);
                rest = behind;
                continue;
            }
            let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let Some((word, behind)) = rest.split_at_checked(length.max(first.len_utf8())) else {
                break;
            };
            let of_mail = behind.starts_with('@') && depth == Depth::Prose;
            match self.word(word, depth) {
                Some(replaced) => out += &replaced,
                None if of_mail => out += &self.name(word),
                None => out += word,
            }
            rest = behind;
        }
        out
    }

    /// Bytes of a known name of several words at the beginning of `text`.
    fn phrase(&self, text: &str, depth: Depth) -> Option<usize> {
        self.names.as_ref()?;
        if self.known.longest_words < 2 || depth == Depth::Field || !text.starts_with(char::is_alphanumeric) {
            return None;
        }
        let ends = word_ends(text).take(self.known.longest_words);
        let known = |end: &usize| {
            let words: Vec<&str> = text.get(..*end).unwrap_or_default().split_whitespace().collect();
            words.len() > 1 && self.known.whole.contains(&words.join(" ").to_lowercase())
        };
        ends.filter(known).last()
    }

    /// What stands for a word; `None` when it is neither.
    fn word(&mut self, word: &str, depth: Depth) -> Option<String> {
        let core = word.trim_matches(['.', '-', '_', ':']);
        let whole = self.whole(word.trim_end_matches('.'), depth);
        let (from, replaced) = match whole {
            Some(replaced) => (word.trim_end_matches('.'), replaced),
            None => (
                core,
                self.whole(core, depth).or_else(|| self.pieces(core, depth))?,
            ),
        };
        Some(word.replacen(from, &replaced, 1))
    }

    fn whole(&mut self, word: &str, depth: Depth) -> Option<String> {
        if word.is_empty() {
            return None;
        }
        if let Some(address) = self.address(word).or_else(|| self.address_and_port(word)) {
            return Some(address);
        }
        let names = self.names.as_mut().filter(|_| depth != Depth::Field)?;
        let small = word.to_lowercase();
        let is_known = self.known.whole.contains(&small)
            || depth == Depth::Prose && self.known.parts.contains(&small)
            || is_host_name(word);
        (is_known && word.parse::<IpAddr>().is_err()).then(|| names.pseudonym(word))
    }

    /// `SLAC-Caltech`, `host:5201`: each piece by itself.
    fn pieces(&mut self, word: &str, depth: Depth) -> Option<String> {
        const SEPARATORS: [char; 3] = ['-', '_', ':'];
        if !word.contains(SEPARATORS) {
            return None;
        }
        let mut changed = false;
        let mut out = String::new();
        for piece in word.split_inclusive(SEPARATORS) {
            let bare = piece.trim_end_matches(SEPARATORS);
            match self.whole(bare, depth) {
                Some(replaced) => {
                    changed = true;
                    out += &replaced;
                    out += piece.get(bare.len()..).unwrap_or_default();
                }
                None => out += piece,
            }
        }
        changed.then_some(out)
    }

    fn address(&mut self, text: &str) -> Option<String> {
        let addresses = self.addresses.as_mut()?;
        let address = text.parse().ok()?;
        Some(addresses.pseudonym(address).to_string())
    }

    /// `192.0.2.1:5201`, or `192.0.2.1.5201` as BSD and tcpdump write it.
    fn address_and_port(&mut self, text: &str) -> Option<String> {
        let (head, port) = text.rsplit_once([':', '.'])?;
        let separator = text.get(head.len()..head.len() + 1)?;
        let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        let v4: std::net::Ipv4Addr = head.parse().ok().filter(|_| is_port)?;
        let address = self.addresses.as_mut()?.pseudonym(v4.into());
        Some(format!("{address}{separator}{port}"))
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')
}

/// Where the words of a text end, in bytes.
fn word_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut behind = text
        .char_indices()
        .map(|(place, c)| (place, c.is_whitespace() || !is_of_word(c)));
    let mut was_word = false;
    let inner = std::iter::from_fn(move || {
        for (place, is_end) in behind.by_ref() {
            let ends_here = is_end && was_word;
            was_word = !is_end;
            if ends_here {
                return Some(place);
            }
        }
        None
    });
    inner.chain(std::iter::once(text.len()))
}

/// Whether a word has the shape of a name in the DNS: labels with a dot between, the last one of two letters or more.
/// Names of settings (`net.core.rmem_max`) and files (`report.html`) can have it too; better one too many.
fn is_host_name(word: &str) -> bool {
    let labels: Vec<&str> = word.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    labels.len() >= 2
        && labels.iter().all(|label| {
            !label.is_empty()
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        })
        && last.chars().count() >= 2
        && last.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::key::Key;
    use super::*;

    fn scrubber(names: &[&str]) -> Scrubber {
        let mut known = KnownNames::default();
        names.iter().for_each(|name| known.add(name));
        Scrubber {
            addresses: Some(Addresses::new(Key([7; 32]))),
            names: Some(Names::new(Key([7; 32]))),
            known,
        }
    }

    /// What is left of a text when everything replaced is taken out: words of it that stand in the original.
    fn kept(text: &str, depth: Depth) -> Vec<String> {
        let mut scrubber = scrubber(&[
            "lindy.stanford.edu",
            "Les Cottrell",
            "SLAC",
            "the NOC of CENIC",
            "flora01",
        ]);
        let words = |text: &str| -> Vec<String> {
            let split = text.split(|c: char| !(c.is_alphanumeric() || c == '.'));
            split.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let scrubbed = words(&scrubber.text(text, depth));
        words(text)
            .into_iter()
            .filter(|word| scrubbed.contains(word))
            .collect()
    }

    #[test]
    fn names_and_addresses_are_found_in_prose() {
        for (text, left) in [
            (
                "mailed Les  Cottrell, then cottrell again",
                vec!["mailed", "then", "again"],
            ),
            (
                "LINDY and Stanford's side, SLAC-flora01",
                vec!["and", "s", "side"],
            ),
            ("the NOC of CENIC said no", vec!["said", "no"]),
            ("someone@es.net wrote", vec!["wrote"]),
            (
                "from 192.0.2.1:5201, 192.0.2.1.80 (192.0.2.1) [2001:db8::1]:443.",
                vec!["from", "5201", "443."],
            ),
            ("10.0.0.0/8 via 2001:db8::", vec!["8", "via"]),
            (
                "iperf3 3.12 on Linux 6.1.0-18-amd64, 2.20GHz",
                vec!["iperf3", "3.12", "on", "Linux", "6.1.0", "18", "amd64", "2.20GHz"],
            ),
            (
                "12:30:05 lost 1.5 % at hop 9",
                vec!["12", "30", "05", "lost", "1.5", "at", "hop", "9"],
            ),
            ("größe 東京 ok", vec!["größe", "東京", "ok"]),
            ("", vec![]),
        ] {
            assert_eq!(kept(text, Depth::Prose), left, "{text}");
        }
    }

    #[test]
    fn words_of_programs_are_names_only_as_a_whole() {
        assert_eq!(
            kept("stanford flora01 lindy.stanford.edu", Depth::Machine),
            ["stanford"]
        );
        let field = "Tcp.RetransSegs of flora01 at 192.0.2.1";
        assert_eq!(
            kept(field, Depth::Field),
            ["Tcp.RetransSegs", "of", "flora01", "at"]
        );
    }

    #[test]
    fn a_name_is_the_same_wherever_it_stands() {
        let mut scrubber = scrubber(&["lindy.stanford.edu"]);
        let name = scrubber.name("lindy.stanford.edu");
        let prose = scrubber.text("(LINDY.stanford.EDU.) is slow", Depth::Prose);
        assert_eq!(prose, format!("({name}.) is slow"));
        assert_eq!(
            scrubber.name("192.0.2.1"),
            scrubber.text("192.0.2.1", Depth::Prose)
        );
    }
}
