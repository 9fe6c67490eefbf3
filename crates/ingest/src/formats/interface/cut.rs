//! Lines of counters into pairs of a name and a figure. A line is cut whole or not at all: what is left over would be a
//! figure without a name, or one with another's.

mod plain;
mod ways;

pub(super) use ways::Ways;

use crate::text::{grouped, split, split_once};
use plain::plain_pairs;

/// A name, and its figure; `None` where the place of the figure says that there is none (`n/a`, `-`).
pub(super) type Pair<'t> = (&'t str, Option<u64>);

/// Longer ones are sentences.
const LONGEST_NAME: usize = 64;

/// A figure: digits, in groups of three or not.
pub(super) fn figure(word: &str) -> Option<u64> {
    // Most words are none, and their first letter tells.
    let first = word.bytes().next()?;
    if !first.is_ascii_digit() && !first.is_ascii_whitespace() {
        return None;
    }
    let is_grouped = || {
        let mut groups = word.split(',');
        groups.next().is_some_and(|first| (1..=3).contains(&first.len()))
            && groups.all(|group| group.len() == 3)
    };
    (!word.as_bytes().contains(&b',') || is_grouped())
        .then(|| grouped(word))
        .flatten()
}

fn is_absent(word: &str) -> bool {
    matches!(word, "-" | "--" | "n/a" | "N/A" | "NA")
}

/// Words that no name has: a letter alone, a figure, what stands for one, and what has as many digits as letters, but for `L2` and
/// the like.
fn is_odd(word: &[u8], digits: usize, letters: usize) -> bool {
    match digits {
        0 => matches!(word, b"x" | b"-" | b"--" | b"n/a" | b"N/A"),
        _ => digits > letters || digits == letters && !word.contains(&b'-') && !word.starts_with(b"L"),
    }
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > LONGEST_NAME {
        return false;
    }
    let (mut last, mut has_letter) = (&bytes[..0], false);
    for word in bytes.split(|byte| *byte == b' ') {
        let mut counted = 0;
        for (at, sign) in word.iter().enumerate() {
            let weight = WEIGHTS[usize::from(*sign)];
            counted += weight;
            if weight == SIGN && is_of_no_name(&word[at..]) {
                return false;
            }
        }
        let (digits, letters) = (counted & 0xff, counted >> 8 & 0xff);
        if is_odd(word, digits as usize, letters as usize) {
            return false;
        }
        has_letter |= letters > 0;
        last = word;
    }
    has_letter && last != b"rate" && !name.split([' ', '-']).next().is_some_and(is_time)
}

/// What is counted in a second or a time of averaging is no counter.
fn is_of_no_name(text: &[u8]) -> bool {
    match text {
        [b'|' | b'"', ..] | [b'/', b's', ..] => true,
        text => text.starts_with(b"(bps)"),
    }
}

/// A sign that a name may not have, or not before others.
const SIGN: u32 = 1 << 16;

/// A digit counts as 1, a letter as 256: no name is so long that the sums run over.
static WEIGHTS: [u32; 256] = {
    let mut weights = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        weights[byte] = match byte as u8 {
            b'0'..=b'9' => 1,
            b'A'..=b'Z' | b'a'..=b'z' => 1 << 8,
            b'|' | b'"' | b'/' | b'(' => SIGN,
            _ => 0,
        };
        byte += 1;
    }
    weights
};

/// "5 minute drop": a figure of time.
fn is_time(word: &str) -> bool {
    let unit = word.strip_suffix('s').unwrap_or(word);
    matches!(
        unit,
        "second" | "sec" | "minute" | "min" | "hour" | "day" | "week" | "year"
    )
}

/// Whether a line may begin with a figure, or with what stands for one: most do not.
pub(super) fn may_be_figure_first(text: &str) -> bool {
    let first = text
        .bytes()
        .find(|byte| !matches!(byte, b' ' | b';' | b'(' | b')' | b',' | b'.'));
    first
        .is_some_and(|first| matches!(first, b'0'..=b'9' | b'-' | b'n' | b'N') || first.is_ascii_whitespace())
}

/// `12 packets input, 345 bytes`, `40 input error  0 short frame 0 overrun`, `7 broadcasts (5 multicasts)`.
pub(super) fn figure_first(text: &str) -> Option<Vec<Pair<'_>>> {
    match may_be_figure_first(text) {
        true => plain_pairs(text).or_else(|| any_pairs(text)),
        false => None,
    }
}

/// The pairs of any line.
fn any_pairs(text: &str) -> Option<Vec<Pair<'_>>> {
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for part in parts(text) {
        let part = part.trim_ascii().trim_end_matches([',', '.']);
        if part.is_empty() {
            continue;
        }
        let mut rest = part;
        while !rest.is_empty() {
            let (number, behind) = split_once(rest, b' ')?;
            let value = figure(number);
            if value.is_none() && !is_absent(number) {
                return None;
            }
            let end = next_figure(behind);
            let (name, behind) = behind.split_at_checked(end)?;
            let name = name.trim_ascii();
            if !is_name(name) {
                return None;
            }
            pairs.push((name, value));
            rest = behind;
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// Which signs may stand between parts: asked of every byte.
static MAY_DIVIDE: [bool; 256] = {
    let mut may_divide = [false; 256];
    let (signs, mut place) = (b";(),", 0);
    while place < signs.len() {
        may_divide[signs[place] as usize] = true;
        place += 1;
    }
    may_divide
};

/// What stands between semicolons, parentheses and commas, but for those within figures: `0 broadcasts,0 multicasts`.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let bytes = text.as_bytes();
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let is_within = |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1);
        let divides =
            |(at, byte): (usize, &u8)| MAY_DIVIDE[usize::from(*byte)] && (*byte != b',' || !is_within(at));
        let end = bytes.iter().enumerate().position(divides);
        rest = end.and_then(|end| text.get(end + 1..));
        end.map_or(Some(text), |end| text.get(..end))
    })
}

/// Where the next word stands that is a figure.
fn next_figure(text: &str) -> usize {
    let mut at = 0;
    for word in text.as_bytes().split(|byte| *byte == b' ') {
        // Most words begin with a letter that no figure begins with.
        let may_be = matches!(
            word.first(),
            Some(b'0'..=b'9' | b'-' | b'n' | b'N' | b'\t'..=b'\r')
        );
        let end = at + word.len();
        let likely = text.get(at..end).filter(|_| may_be);
        if likely.is_some_and(|word| figure(word).is_some() || is_absent(word)) {
            return at;
        }
        at = end + 1;
    }
    text.len()
}

/// `CRC: 12, Giants: 345`, `Bytes Rx: 1,234 Bytes Tx: 5`; blanks before the colons are gone.
pub(super) fn name_first(text: &str) -> Option<Vec<Pair<'_>>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_ascii().trim_end_matches([',', '.', ' ']);
    while !rest.is_empty() {
        // "Errors: 0 , Drops: 0"
        rest = rest.trim_start_matches([',', ' ']);
        let (name, behind) = split_once(rest, b':')?;
        let behind = behind.trim_ascii_start();
        let (number, next) = split_once(behind, b' ').unwrap_or((behind, ""));
        let number = number.trim_end_matches([',', ';']);
        let value = figure(number);
        if !is_name(name) || (value.is_none() && !is_absent(number)) {
            return None;
        }
        pairs.push((name, value));
        rest = without_unit(next.trim_ascii_start());
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// What is behind the word that says what a figure counts: `CRC: 12 packets, Symbol: 3 packets`. A name that begins with such a word
/// has no comma behind it.
fn without_unit(text: &str) -> &str {
    let behind = ["packets", "pkts", "frames"]
        .iter()
        .find_map(|unit| text.strip_prefix(unit))
        .filter(|behind| behind.is_empty() || behind.starts_with(','));
    behind.unwrap_or(text)
}

/// `Input pkts 64 bytes = 12`
pub(super) fn equated(text: &str) -> Option<Vec<Pair<'_>>> {
    let (name, number) = text.split_once(" = ")?;
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'_');
    let is_name = name.len() <= LONGEST_NAME
        && name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && name.bytes().all(is_letter);
    let value = figure(number);
    (is_name && (value.is_some() || is_absent(number))).then(|| vec![(name, value)])
}

/// Pairs in either order: a line with colons has its names first.
pub(super) fn either(text: &str) -> Option<Vec<Pair<'_>>> {
    match text.contains(':') {
        true => name_first(text),
        false => figure_first(text),
    }
}

/// `In_Bytes 12 In_Packets 345`: names of one word, each with its figure behind it.
pub(super) fn alternating(text: &str) -> Option<Vec<Pair<'_>>> {
    let mut words = split(text, b' ');
    let mut pairs = Vec::new();
    while let Some(name) = words.next() {
        let number = words.next()?;
        let value = figure(number);
        let is_name = name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && name.contains('_');
        if !is_name || (value.is_none() && !is_absent(number)) {
            return None;
        }
        pairs.push((name, value));
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// A name, and the figures behind it.
type Row<'t> = (&'t str, Vec<Option<u64>>);

/// `CRC errors 12 345`: a name, and so many figures. A row may end after the first column.
pub(super) fn columns(text: &str, columns: usize) -> Option<Row<'_>> {
    row(text).filter(|(_, figures)| figures.len() == columns || figures.len() == 1)
}

/// A name, and any number of figures.
fn row(text: &str) -> Option<Row<'_>> {
    let mut name = text.trim_ascii();
    let mut figures = Vec::new();
    while let Some((before, word)) = name.rsplit_once(' ') {
        let value = figure(word);
        if value.is_none() && !is_absent(word) {
            break;
        }
        figures.push(value);
        name = before.trim_ascii_end();
    }
    figures.reverse();
    let name = name.trim_end_matches([':', ' ', '.']);
    is_name(name).then_some((name, figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_do_not_matter() {
        let pairs = Some(vec![
            ("input error", Some(40)),
            ("short frame", Some(0)),
            ("overrun", Some(1)),
        ]);
        for line in [
            "40 input error, 0 short frame, 1 overrun",
            "40 input error 0 short frame 1 overrun",
            "40 input error (0 short frame); 1 overrun,",
            "40 input error,0 short frame,1 overrun",
        ] {
            assert_eq!(figure_first(line), pairs, "{line}");
        }
        assert_eq!(
            figure_first("5 64-byte pkts"),
            Some(vec![("64-byte pkts", Some(5))])
        );
        for bad in [
            "",
            "12",
            "a 12 b",
            "12 345",
            "1 2 b",
            "12 packets 7",
            "99999999999999999999999 packets",
        ] {
            assert_eq!(figure_first(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_first() {
        let pairs = Some(vec![("Bytes Rx", Some(1_234_567)), ("Bytes Tx", None)]);
        assert_eq!(name_first("Bytes Rx: 1,234,567 Bytes Tx: n/a"), pairs);
        assert_eq!(
            name_first("CRC: 12 , Giants: 3,"),
            Some(vec![("CRC", Some(12)), ("Giants", Some(3))])
        );
        assert_eq!(
            name_first("CRC: 12 packets, Giants: 3 packets"),
            Some(vec![("CRC", Some(12)), ("Giants", Some(3))])
        );
        for bad in ["CRC 12", "CRC: x", "12: 12", "CRC: 1,23", "CRC: 12 packets 3"] {
            assert_eq!(name_first(bad), None, "{bad}");
        }
    }

    #[test]
    fn rows() {
        assert_eq!(
            columns("CRC/FCS 7 n/a 7", 3),
            Some(("CRC/FCS", vec![Some(7), None, Some(7)]))
        );
        assert_eq!(
            columns("Jabber frames 7", 2),
            Some(("Jabber frames", vec![Some(7)]))
        );
        assert_eq!(columns("Jabber 1 2 3", 2), None);
        assert_eq!(columns("1 2", 2), None);
    }
}
