//! Small readers that several formats share. Each returns `None` for what is not there.

use std::borrow::Cow;

/// A number with a unit at its end, in seconds, as nanoseconds: `1.25 ms`, `204 us`, `5.`, with `scale` nanoseconds per
/// unit. `None` unless it is a finite number that fits.
pub(crate) fn nanos(number: &str, scale: f64) -> Option<u64> {
    nanos_of(number.trim_ascii().trim_end_matches('.').parse().ok()?, scale)
}

/// The same of a number that was read.
pub(crate) fn nanos_of(value: f64, scale: f64) -> Option<u64> {
    let ns = value * scale;
    (ns.is_finite() && (0.0..1.8e19).contains(&ns)).then(|| ns.round() as u64)
}

/// A whole number in which thousands may be separated by commas: `2,498,543`.
pub(crate) fn grouped(number: &str) -> Option<u64> {
    let mut value: u64 = 0;
    let mut digits = 0;
    for byte in number.trim_ascii().bytes() {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                digits += 1;
            }
            b',' if digits > 0 => {}
            _ => return None,
        }
    }
    (digits > 0).then_some(value)
}

/// The text with points for the commas between two digits: how programs write fractions where the user's language has commas. Only for
/// lines in which no tool groups thousands.
pub(crate) fn with_points(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_fraction = |at: &usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let mut commas = memchr::memchr_iter(b',', bytes).filter(is_fraction).peekable();
    if commas.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut pointed = text.to_owned();
    commas.for_each(|at| pointed.replace_range(at..=at, "."));
    Cow::Owned(pointed)
}

/// Whether a text holds a word. A search that is made for long texts begins dearly, and lines are short.
pub(crate) fn holds(text: &str, word: &str) -> bool {
    place(text, word).is_some()
}

/// What stands before a word where it is first, and what behind it.
pub(crate) fn parted<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let (before, rest) = text.split_at_checked(place(text, word)?)?;
    Some((before, rest.get(word.len()..)?))
}

/// Where a word stands first.
fn place(text: &str, word: &str) -> Option<usize> {
    Word::new(word).place(text)
}

/// A word that is looked for by the byte that other text has least: each place looked at in vain takes as long as the whole search. It is
/// some words of memory, where a search that is made for long texts is a fifth of a kilobyte: thousands of these fit into the cache of a
/// processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'w> {
    text: &'w str,
    /// Where in it the byte stands.
    before: u32,
    byte: u8,
}

impl<'w> Word<'w> {
    pub(crate) fn new(text: &'w str) -> Self {
        let (before, byte) = rarest(text.as_bytes()).unwrap_or_default();
        Self {
            text,
            before: before as u32,
            byte,
        }
    }

    pub(crate) fn text(&self) -> &'w str {
        self.text
    }

    /// Where it stands first.
    pub(crate) fn place(&self, text: &str) -> Option<usize> {
        if self.text.is_empty() {
            return Some(0);
        }
        let text = text.as_bytes();
        memchr::memchr_iter(self.byte, text).find_map(|at| {
            let start = at.checked_sub(self.before as usize)?;
            text.get(start..)?
                .starts_with(self.text.as_bytes())
                .then_some(start)
        })
    }
}

/// The first of the bytes of a word that other text has least, and where it stands. It is asked of the same words for every line: an adapter
/// of iterators in its place took a third of the time of a long ping wherever the compiler kept what it folds in memory.
fn rarest(word: &[u8]) -> Option<(usize, u8)> {
    let mut rarest = (0, *word.first()?);
    for (at, byte) in word.iter().enumerate() {
        if commonness(rarest.1) == RAREST {
            break;
        }
        if commonness(*byte) < commonness(rarest.1) {
            rarest = (at, *byte);
        }
    }
    Some(rarest)
}

/// No byte is less common.
const RAREST: u8 = 1;

/// How often a byte stands in text, at a guess.
pub(crate) fn commonness(byte: u8) -> u8 {
    static OF_BYTES: [u8; 256] = {
        let mut all = [2; 256];
        let mut byte = 0;
        while byte < 256 {
            all[byte] = match (byte as u8).to_ascii_lowercase() {
                b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 4,
                b'l' | b'd' | b'c' | b'u' | b'p' | b'm' | b'h' => 3,
                b'b' | b'f' | b'g' | b'j' | b'k' | b'q' | b'v'..=b'z' => RAREST,
                _ => 2,
            };
            byte += 1;
        }
        all
    };
    OF_BYTES[usize::from(byte)]
}

/// Where a part that was cut from a line begins in it, bytes.
pub(crate) fn begin_of(part: &str, line: &str) -> usize {
    part.as_ptr().addr().wrapping_sub(line.as_ptr().addr())
}

/// The parts of a text between signs of ASCII. Names and words are short: a search that is made for long texts begins dearly.
pub(crate) fn split(text: &str, sign: u8) -> impl Iterator<Item = &str> {
    let mut left = Some(text);
    std::iter::from_fn(move || {
        let text = left.take()?;
        match split_once(text, sign) {
            Some((part, behind)) => {
                left = Some(behind);
                Some(part)
            }
            None => Some(text),
        }
    })
}

/// What stands before the first sign of ASCII, which is near, and what behind it.
pub(crate) fn split_once(text: &str, sign: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == sign)?;
    text.get(..at).zip(text.get(at + 1..))
}

/// Phrases that lines begin with. Of nearly all lines their first byte tells that they begin with none.
#[derive(Debug)]
pub(crate) struct Beginnings {
    phrases: &'static [&'static str],
    /// A bit for each first byte.
    first: [u64; 4],
}

impl Beginnings {
    pub(crate) const fn new(phrases: &'static [&'static str]) -> Self {
        let mut first = [0; 4];
        let mut place = 0;
        while place < phrases.len() {
            let byte = phrases[place].as_bytes()[0];
            first[(byte >> 6) as usize] |= 1 << (byte & 63);
            place += 1;
        }
        Self { phrases, first }
    }

    /// Whether the text begins with one of them.
    pub(crate) fn begin(&self, text: &str) -> bool {
        let Some(byte) = text.bytes().next() else {
            return false;
        };
        self.first[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
            && self
                .phrases
                .iter()
                .any(|phrase| phrase.as_bytes().first() == Some(&byte) && text.starts_with(phrase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_beginnings() {
        for text in ["", "a", "a/b", "/", "a//b/"] {
            assert!(split(text, b'/').eq(text.split('/')), "{text}");
        }
        assert_eq!(split_once("a:b:c", b':'), Some(("a", "b:c")));
        assert_eq!(split_once("ä", b':'), None);
        for (text, word) in [
            ("a seq=1", "seq="),
            ("sseq", "seq"),
            ("se", "seq"),
            ("äöö", "ö"),
            ("a", ""),
            ("", "a"),
        ] {
            assert_eq!(parted(text, word), text.split_once(word), "{text}");
            assert_eq!(holds(text, word), text.contains(word), "{text}");
        }
        static OF_TWO: Beginnings = Beginnings::new(&["ab", "äc"]);
        for (text, begins) in [
            ("abc", true),
            ("ac", false),
            ("äcd", true),
            ("", false),
            ("b", false),
        ] {
            assert_eq!(OF_TWO.begin(text), begins, "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(nanos("1.25", 1e6), Some(1_250_000));
        assert_eq!(nanos("5.", 1e6), Some(5_000_000));
        for bad in ["", "-1", "x", "1e300", "inf", "NaN"] {
            assert_eq!(nanos(bad, 1e6), None, "{bad}");
        }
        assert_eq!(with_points("0,512/1,5, 33,3% x,1 ,"), "0.512/1.5, 33.3% x,1 ,");
        assert_eq!(grouped("2,498,543"), Some(2_498_543));
        for bad in ["", ",", "12a", "99999999999999999999"] {
            assert_eq!(grouped(bad), None, "{bad}");
        }
    }
}
