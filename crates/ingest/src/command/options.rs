//! Options as getopt(3) reads them: letters behind one dash together or apart, each with its value glued to it or behind it, and words behind
//! two dashes.

/// Which options of a program have a value.
pub(crate) struct Options {
    /// Letters: `-c 5`, `-c5`, `-rwc5`.
    pub(crate) letters: &'static str,
    /// Words: `--count 5`, `--count=5`.
    pub(crate) words: &'static [&'static str],
}

/// A part of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'l> {
    /// An option without its dashes, and its value.
    Option(&'l str, Option<&'l str>),
    /// What is none.
    Operand(&'l str),
}

/// Dashes, and what mail programs and pages make of two of them.
const DASHES: [char; 4] = ['-', '\u{2013}', '\u{2014}', '\u{2212}'];

/// Whether a word is an option. A dash alone is a file.
pub(crate) fn is_option(word: &str) -> bool {
    word.strip_prefix(DASHES).is_some_and(|name| !name.is_empty())
}

/// Takes a command apart.
pub(crate) fn parts<'l>(
    words: impl Iterator<Item = &'l str>,
    options: &'static Options,
) -> impl Iterator<Item = Part<'l>> {
    let mut words = words.peekable();
    let mut letters = "";
    let mut are_all_operands = false;
    std::iter::from_fn(move || {
        if letters.is_empty() {
            let word = words.next()?;
            if word == "--" {
                are_all_operands = true;
                return words.next().map(Part::Operand);
            }
            if are_all_operands || !is_option(word) {
                return Some(Part::Operand(word));
            }
            let name = word.trim_start_matches(DASHES);
            // One long dash is what became of two short ones, unless a letter alone or a figure follows.
            let is_word = word.starts_with("--")
                || !word.starts_with('-') && name.chars().nth(1).is_some_and(char::is_alphabetic);
            if is_word {
                let (name, glued) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (name, None),
                };
                let has_value = glued.is_none() && options.words.contains(&name);
                return Some(Part::Option(
                    name,
                    glued.or_else(|| has_value.then(|| words.next())?),
                ));
            }
            letters = name;
        }
        let first = letters.chars().next()?;
        let (letter, behind) = letters.split_at(first.len_utf8());
        letters = behind;
        let has_value = options.letters.contains(first);
        let value = has_value.then(|| match std::mem::take(&mut letters) {
            "" => words.next_if(|value| !is_option(value) || is_number(value)),
            glued => Some(glued),
        });
        Some(Part::Option(letter, value.flatten()))
    })
}

/// `-1`: a value that looks like an option.
fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// The first word that is neither an option nor the value of one.
pub(crate) fn operand<'l>(
    words: impl Iterator<Item = &'l str>,
    options: &'static Options,
) -> Option<&'l str> {
    parts(words, options).find_map(|part| match part {
        Part::Operand(word) => Some(word),
        Part::Option(..) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static SOME: Options = Options {
        letters: "cP",
        words: &["port"],
    };

    #[test]
    fn letters_together_or_apart_are_the_same() {
        use Part::{Operand, Option};
        let wanted = [
            Option("R", None),
            Option("c", Some("b.example")),
            Option("P", Some("8")),
            Option("port", Some("5202")),
            Operand("x"),
        ];
        for line in [
            "-R -c b.example -P 8 --port 5202 x",
            "-Rc b.example -P8 --port=5202 x",
            "-Rcb.example -P 8 --port=5202 -- x",
            "\u{2013}R -c b.example \u{2013}P8 \u{2013}port 5202 x",
        ] {
            let read: Vec<_> = parts(line.split(' '), &SOME).collect();
            assert_eq!(read, wanted, "{line}");
        }
        let read: Vec<_> = parts("-c -R - -P -1".split(' '), &SOME).collect();
        assert_eq!(
            read,
            [
                Option("c", None),
                Option("R", None),
                Operand("-"),
                Option("P", Some("-1"))
            ]
        );
    }
}
