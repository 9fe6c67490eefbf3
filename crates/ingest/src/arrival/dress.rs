//! What stands before each line of an output, and is not part of it.

use super::stamp;
use crate::block::Format;
use crate::formats::openings::Opening;

/// Marks of quotes, an indentation, a time stamp, and words that stand before each line (`dtn1: `, `app-1  | `, `# `), from
/// the outside to the inside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Dress {
    quotes: usize,
    indentation: String,
    has_stamp: bool,
    words: String,
}

/// No words before each line are longer, bytes.
const LONGEST_WORDS: usize = 64;
/// What words before each line end with, and a blank; of `/` there are two.
const ENDS_OF_WORDS: [u8; 8] = [b':', b'|', b'#', b'$', b'%', b'>', b'*', b'/'];

impl Dress {
    /// The format that begins behind what stands before this line, what that is, and the line without it.
    pub(crate) fn find<'l>(opening: &Opening<'l>) -> Option<(&'static Format, Self, &'l str)> {
        let mut dress = Self::default();
        let mut rest = opening.line();
        let begins = |text: &str| opening.begins_with(text);
        let (quotes, behind) = without_quotes(rest, usize::MAX);
        if quotes > 0 {
            (dress.quotes, rest) = (quotes, behind);
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        let behind = rest.trim_ascii_start();
        if behind.len() < rest.len() {
            dress.indentation = rest.get(..rest.len() - behind.len())?.to_owned();
            rest = behind;
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        if let Some(length) = stamp::length(rest) {
            dress.has_stamp = true;
            rest = rest.get(length..)?;
            if let Some(format) = begins(rest) {
                return Some((format, dress, rest));
            }
        }
        ends_of_words(rest).into_iter().flatten().find_map(|end| {
            let (words, behind) = rest.split_at_checked(end)?;
            let format = begins(behind)?;
            let words = words.to_owned();
            Some((
                format,
                Self {
                    words,
                    ..dress.clone()
                },
                behind,
            ))
        })
    }

    /// Whether nothing but blanks stands before lines.
    pub(crate) fn is_indentation(&self) -> bool {
        self.quotes == 0 && !self.has_stamp && self.words.is_empty()
    }

    /// Whether the line stands further out in the quotes of a mail: it is the words of who answers, between the lines quoted.
    pub(crate) fn is_outside(&self, line: &str) -> bool {
        without_quotes(line, self.quotes).0 < self.quotes
    }

    /// The line without what stands before it; `None` where that is missing. A blank line needs no indentation and no mark of a
    /// quote, which who answers within it puts around the answer, and ends early.
    pub(crate) fn off<'l>(&self, line: &'l str) -> Option<&'l str> {
        let (quotes, mut rest) = without_quotes(line, self.quotes);
        if quotes < self.quotes {
            return rest.trim_ascii().is_empty().then_some("");
        }
        rest = match rest.strip_prefix(&self.indentation) {
            Some(rest) => rest,
            None if rest.trim_ascii().is_empty() => return Some(""),
            None => return None,
        };
        if self.has_stamp {
            rest = rest.get(stamp::length(rest)?..)?;
        }
        let is_end = || self.words.trim_ascii_end() == rest.trim_ascii_end();
        rest.strip_prefix(&self.words).or_else(|| is_end().then_some(""))
    }
}

/// Where words before a line may end: behind the first of each of these signs with a blank.
fn ends_of_words(line: &str) -> [Option<usize>; ENDS_OF_WORDS.len()] {
    let mut ends = [None; ENDS_OF_WORDS.len()];
    let (mut count, mut seen) = (0, [false; ENDS_OF_WORDS.len()]);
    let bytes = line.as_bytes();
    let bytes = bytes.get(..=LONGEST_WORDS).unwrap_or(bytes);
    for at in memchr::memchr_iter(b' ', bytes).filter_map(|blank| blank.checked_sub(1)) {
        let known = ENDS_OF_WORDS
            .iter()
            .position(|known| bytes.get(at) == Some(known));
        // `//`: one is a date or a folder.
        let is_folder = || {
            bytes.get(at) == Some(&b'/')
                && at
                    .checked_sub(1)
                    .and_then(|before| bytes.get(before))
                    .is_none_or(|before| *before != b'/')
        };
        let Some(seen) = known
            .filter(|_| !is_folder())
            .and_then(|known| seen.get_mut(known))
        else {
            continue;
        };
        if !std::mem::replace(seen, true)
            && let Some(end) = ends.get_mut(count)
        {
            *end = Some(at + 2);
            count += 1;
        }
    }
    ends
}

/// Takes up to so many marks of quotes off, with a blank behind each; how many there were.
fn without_quotes(line: &str, most: usize) -> (usize, &str) {
    let (mut count, mut rest) = (0, line);
    while count < most
        && let Some(behind) = rest.trim_start_matches(' ').strip_prefix('>')
    {
        count += 1;
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    (count, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "PING a.example (192.0.2.1) 56(84) bytes of data.";

    #[test]
    fn what_stands_before_lines_is_found_and_taken_off() {
        for (before, blank) in [
            ("> ", ">"),
            (">> ", ">>"),
            ("> > ", "> >"),
            ("    ", ""),
            ("\t", ""),
            (">     ", ">"),
            ("2024-01-02T03:04:05Z ", "2024-01-02T03:04:06Z "),
            ("dtn1: ", "dtn1:"),
            ("app-1  | ", "app-1  |"),
            ("# ", "#"),
            ("> 12:00:01 ", "> 12:00:02"),
        ] {
            let line = format!("{before}{HEAD}");
            let found = Dress::find(&Opening::new(&line));
            let (format, dress, rest) = found.unwrap_or_else(|| panic!("{before:?}"));
            assert_eq!((format.name, rest), ("ping", HEAD), "{before:?}");
            assert_eq!(dress.off(blank), Some(""), "{before:?}");
            assert_eq!(
                dress.off(&format!("{before}64 bytes")),
                Some("64 bytes"),
                "{before:?}"
            );
            assert_eq!(dress.off("On Monday Ann wrote"), None, "{before:?}");
            assert_eq!(
                dress.is_outside("On Monday"),
                before.starts_with('>'),
                "{before:?}"
            );
        }
        assert!(Dress::find(&Opening::new("we saw a lot of loss: 5 % of all")).is_none());
    }
}
