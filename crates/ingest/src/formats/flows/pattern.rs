//! Lines that tools print, as patterns: `{B} bytes received in {s} secs ({rate})`.
//!
//! A blank stands for one or more, `~` for any number of them. A field in braces takes what its kind looks like: a number
//! takes all of the number, `{*}` as little as the rest allows. The whole line has to fit.

use crate::sieve::First;
use crate::text::split_once;

/// Longer lines are no result of a tool.
const LONGEST_LINE: usize = 1_000;
/// After so many attempts a line does not fit.
const MOST_STEPS: u32 = 8_000;
/// No pattern has more fields.
const MOST_FIELDS: usize = 14;

/// What stood in the fields of a pattern, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::formats) struct Captures<'p, 'l> {
    all: [(&'p str, &'l str); MOST_FIELDS],
    count: usize,
}

impl<'p, 'l> Captures<'p, 'l> {
    pub(in crate::formats) fn iter(&self) -> impl Iterator<Item = (&'p str, &'l str)> + '_ {
        self.all.iter().take(self.count).copied()
    }
}

/// Fits a line, blanks around it aside, to a pattern.
pub(in crate::formats) fn fit<'p, 'l>(pattern: &'p str, line: &'l str) -> Option<Captures<'p, 'l>> {
    let line = line.trim_ascii();
    let first = *pattern.as_bytes().first()?;
    if !matches!(first, b'{' | b'~') && line.as_bytes().first() != Some(&first) || line.len() > LONGEST_LINE {
        return None;
    }
    let mut captures = Captures {
        all: [("", ""); MOST_FIELDS],
        count: 0,
    };
    let mut steps = MOST_STEPS;
    goes_on(pattern, line, &mut captures, &mut steps).then_some(captures)
}

/// What lines begin with that fit a pattern, blanks aside.
pub(in crate::formats) fn first_of(pattern: &str) -> First {
    match pattern.bytes().next() {
        Some(b'{' | b'~' | b' ') | None => First::Any,
        Some(byte) => First::Byte(byte),
    }
}

fn goes_on<'p, 'l>(
    mut pattern: &'p str,
    mut line: &'l str,
    captures: &mut Captures<'p, 'l>,
    steps: &mut u32,
) -> bool {
    loop {
        let Some(left) = steps.checked_sub(1) else {
            return false;
        };
        *steps = left;
        let Some(next) = pattern.bytes().next() else {
            return line.is_empty();
        };
        match next {
            b'{' => {
                let Some((key, rest)) = pattern.get(1..).and_then(|field| split_once(field, b'}')) else {
                    return false;
                };
                return field(key, rest, line, captures, steps);
            }
            b' ' | b'~' => {
                let rest = line.trim_ascii_start();
                if next == b' ' && rest.len() == line.len() {
                    return false;
                }
                (pattern, line) = (pattern.get(1..).unwrap_or(""), rest);
            }
            _ => {
                let same = same(pattern, line);
                match pattern.get(same..).zip(line.get(same..)) {
                    Some(behind) if same > 0 => (pattern, line) = behind,
                    _ => return false,
                }
            }
        }
    }
}

/// How many bytes the line begins with as the pattern does that stand for themselves.
fn same(pattern: &str, line: &str) -> usize {
    let pairs = pattern.bytes().zip(line.bytes());
    pairs
        .take_while(|(wanted, byte)| wanted == byte && !matches!(wanted, b'{' | b' ' | b'~'))
        .count()
}

/// Fits a field and what stands behind it.
fn field<'p, 'l>(
    key: &'p str,
    rest: &'p str,
    line: &'l str,
    captures: &mut Captures<'p, 'l>,
    steps: &mut u32,
) -> bool {
    let at = captures.count;
    let mut take = |end: usize, steps: &mut u32| {
        let Some((text, behind)) = line.split_at_checked(end) else {
            return false;
        };
        if let Some(place) = captures.all.get_mut(at) {
            *place = (key, text);
            captures.count = at + 1;
        }
        goes_on(rest, behind, captures, steps)
    };
    match extent(key, line) {
        Extent::Exact(0) => false,
        Extent::Exact(end) => take(end, steps),
        Extent::Text => ends_of(line)
            .filter(|end| may_follow(rest, line, *end))
            .any(|end| take(end, steps)),
        Extent::Word => {
            let word = line.find(char::is_whitespace).unwrap_or(line.len());
            let word = line.get(..word).unwrap_or("");
            ends_of(word)
                .skip(1)
                .filter(|end| may_follow(rest, line, *end))
                .any(|end| take(end, steps))
        }
    }
}

/// Whether the first sign of a pattern allows what stands at a place of the line: it rules nearly all places out.
fn may_follow(pattern: &str, line: &str, at: usize) -> bool {
    let next = line.as_bytes().get(at);
    match pattern.bytes().next() {
        None => next.is_none(),
        Some(b'{' | b'~') => true,
        Some(b' ') => next.is_some_and(|byte| byte.is_ascii_whitespace() || !byte.is_ascii()),
        Some(sign) => next == Some(&sign),
    }
}

fn ends_of(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices().map(|(at, _)| at).chain([text.len()])
}

/// How far a field reaches.
enum Extent {
    /// So many bytes; nothing fits where there are none.
    Exact(usize),
    /// A part of the word.
    Word,
    /// Anything, also nothing.
    Text,
}

fn extent(key: &str, line: &str) -> Extent {
    let name = split_once(key, b':').map_or(key, |(_, kind)| kind);
    Extent::Exact(match name {
        "*" => return Extent::Text,
        "B" | "n" => {
            let end = span(line, |b| b.is_ascii_digit() || b == b',' || b == b'.');
            line.get(..end).unwrap_or("").trim_end_matches([',', '.']).len()
        }
        "s" | "f" => float(line),
        "pct" => match float(line) {
            0 => 0,
            end if line.get(end..).is_some_and(|rest| rest.starts_with('%')) => end + 1,
            _ => 0,
        },
        "size" => with_unit(line, false),
        "rate" | "dur" => with_unit(line, true),
        "clock" => span(line, |b| {
            b.is_ascii_digit() || matches!(b, b':' | b'.' | b'-' | b'd' | b'h' | b'm')
        }),
        "span" => span(line, |b| b.is_ascii_alphanumeric() || b == b'.'),
        _ => return Extent::Word,
    })
}

fn span(text: &str, fits: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| fits(*byte)).count()
}

/// The length of a number: `1.2e+03`, `8,9`, `-5`.
fn float(text: &str) -> usize {
    let bytes = text.as_bytes();
    let signed = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let digits = span(text.get(signed..).unwrap_or(""), |b| {
        b.is_ascii_digit() || matches!(b, b'.' | b',')
    });
    if digits == 0 {
        return 0;
    }
    let end = signed + digits;
    let exponent = text.get(end..).unwrap_or("");
    let sign = usize::from(matches!(exponent.as_bytes().get(1), Some(b'-' | b'+')));
    match exponent.as_bytes().first() {
        Some(b'e' | b'E') => {
            let power = span(exponent.get(1 + sign..).unwrap_or(""), |b| b.is_ascii_digit());
            if power > 0 { end + 1 + sign + power } else { end }
        }
        _ => end,
    }
}

/// The length of a number with a unit behind it, a blank between them or none: `11.2 MB/s`, `45%`, `8.9 seconds`.
fn with_unit(text: &str, per_time: bool) -> usize {
    let number = float(text);
    if number == 0 {
        return 0;
    }
    let rest = text.get(number..).unwrap_or("");
    let blanks = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
    let unit = rest.get(blanks..).unwrap_or("");
    let letters: usize = unit
        .chars()
        .take_while(|c| c.is_alphabetic() || per_time && *c == '/')
        .map(char::len_utf8)
        .sum();
    if letters == 0 || blanks > 3 {
        number
    } else {
        number + blanks + letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields<'l>(pattern: &str, line: &'l str) -> Option<Vec<&'l str>> {
        fit(pattern, line).map(|captures| captures.iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn fields_take_what_they_look_like() {
        assert_eq!(
            fields(
                "{B} bytes received in {dur} ({rate})",
                "  1,234 bytes received in 8.92 secs (11.4 kB/s)"
            ),
            Some(vec!["1,234", "8.92 secs", "11.4 kB/s"])
        );
        assert_eq!(
            fields(
                "{*} {pct} {size} {rate} {clock}",
                "my file 1 100%  100MB  11.2MB/s   00:08"
            ),
            Some(vec!["my file 1", "100%", "100MB", "11.2MB/s", "00:08"])
        );
        assert_eq!(fields("a~b {w}:", "ab host:"), Some(vec!["host"]));
        assert_eq!(fields("{f} Mbit/s", "1.2e+03 Mbit/s"), Some(vec!["1.2e+03"]));
        for (pattern, line) in [("a b", "ab"), ("{n} x", "x x"), ("{pct} x", "5 x"), ("a", "ab")] {
            assert_eq!(fields(pattern, line), None, "{pattern}: {line}");
        }
    }

    #[test]
    fn long_lines_are_given_up() {
        let line = "a ".repeat(450);
        assert_eq!(fields("{*} {*} {*} {*} {*} {*} z", &line), None);
    }
}
