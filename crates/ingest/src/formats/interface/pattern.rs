//! Patterns of lines: literal text with places for values, `MTU {mtu} bytes, BW {kbit} Kbit`.
//!
//! A pattern is held against a line without the blanks around it and with one blank where it has several. What a place
//! takes is as short as possible, and must fit its name.

use super::places::fitting;
use super::taken::kind;
use crate::sieve::First;
use crate::text::Word;
use std::borrow::Cow;

/// What stands in the places of a pattern, by their names.
pub(super) type Captures<'t> = Vec<(&'static str, &'t str)>;

/// What the names of places begin with that hold settings; the setting's own name follows.
pub(super) const SETTING: &str = "set ";

/// What a line begins with that has no word for it, `5 minute`, is no longer.
const MOST_OF_FIRST: usize = 4;

/// Shorter words begin many lines.
const SHORTEST_START: usize = 5;

/// Whether a value that is taken is among them.
pub(super) fn has_value(found: &Captures<'_>) -> bool {
    found.iter().any(|(field, _)| {
        !matches!(
            *field,
            "*" | "w" | "n" | "eq" | "points" | "member" | "of-held" | "policy-in" | "policy-out" | "policy"
        )
    })
}

/// Whether a pattern tells that a line is its own: it begins with words, or with a value that fits few.
pub(super) fn is_telling(pattern: &str) -> bool {
    let field = pattern
        .strip_prefix('{')
        .and_then(|place| place.split('}').next());
    field.is_none_or(|field| {
        !matches!(
            field,
            "*" | "w"
                | "n"
                | "if"
                | "member"
                | "queue"
                | "of-queue"
                | "of-member"
                | "mark"
                | "ifname"
                | "port"
                | "alone"
        )
    })
}

/// A line with single blanks, none around it, and none before a colon. Most lines are so already, and are not copied.
pub(super) fn squeezed(line: &str) -> Cow<'_, str> {
    let line = line.trim_ascii();
    let Some(odd) = first_odd(line.as_bytes()) else {
        return Cow::Borrowed(line);
    };
    if line.is_ascii() {
        return Cow::Owned(squeeze(line, odd));
    }
    let mut text = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !text.is_empty() && !is_behind(word) {
            text.push(' ');
        }
        text.push_str(word);
    }
    Cow::Owned(text)
}

/// A line of ASCII with single blanks. It is odd first at this place.
fn squeeze(line: &str, odd: usize) -> String {
    // The vertical tab is a blank too.
    let is_blank = |sign: u8| matches!(sign, b' ' | b'\t'..=b'\r');
    let mut text = line.as_bytes().to_vec();
    let (mut end, mut is_apart) = (odd, false);
    for at in odd..line.len() {
        let sign = text[at];
        if is_blank(sign) {
            is_apart = true;
            continue;
        }
        // A blank stands before a word but for the first, and for one that begins with a colon.
        if is_apart && end > 0 && (sign != b':' || text.get(at + 1) == Some(&b':')) {
            text[end] = b' ';
            end += 1;
        }
        is_apart = false;
        text[end] = sign;
        end += 1;
    }
    text.truncate(end);
    String::from_utf8(text).unwrap_or_default()
}

/// Whether a word stands right behind the one before it: with a colon.
fn is_behind(word: &str) -> bool {
    word.starts_with(':') && !word.starts_with("::")
}

/// So many pairs of letters are looked at together, without a branch for each: a register of the processor holds as many.
const TOGETHER: usize = 16;

/// Where a line may first differ from what `squeezed` leaves of it: where it has two blanks, one before a colon, or what is no printable
/// ASCII.
fn first_odd(line: &[u8]) -> Option<usize> {
    let behind = line.get(1..)?;
    let (many, _) = behind.as_chunks::<TOGETHER>();
    let are_even = |(these, behind): &(&[u8; TOGETHER], &[u8; TOGETHER])| {
        let pairs = these.iter().zip(*behind);
        !pairs.fold(false, |any, (sign, behind)| any | is_odd(*sign, *behind))
    };
    let even = line.as_chunks().0.iter().zip(many).take_while(are_even).count() * TOGETHER;
    let place = line
        .iter()
        .zip(behind)
        .skip(even)
        .position(|(sign, behind)| is_odd(*sign, *behind));
    let is_last_odd = || line.last().is_some_and(|sign| is_odd(*sign, b'x'));
    place
        .map(|place| even + place)
        .or_else(|| is_last_odd().then(|| line.len() - 1))
}

/// Whether a sign and the one behind it are not as they stand in a line with single blanks.
fn is_odd(sign: u8, behind: u8) -> bool {
    let is_printed = |sign: u8| sign.wrapping_sub(b' ') <= b'~' - b' ';
    !is_printed(sign) | (sign == b' ') & ((behind == b' ') | (behind == b':') | !is_printed(behind))
}

/// A pattern, ready to be held against lines.
#[derive(Debug)]
pub(super) struct Pattern {
    /// What it begins with.
    start: &'static str,
    pub(super) is_telling: bool,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    field: &'static str,
    fits: fn(&str) -> bool,
    /// The text behind it.
    literal: Word<'static>,
}

impl Pattern {
    pub(super) fn new(pattern: &'static str) -> Self {
        let (start, rest) = pattern.split_once('{').unwrap_or((pattern, ""));
        let places = rest.split('{').filter_map(|place| place.split_once('}'));
        let places = places.map(|(field, literal)| Place {
            field,
            fits: fitting(field),
            literal: Word::new(literal),
        });
        Self {
            start,
            is_telling: is_telling(pattern),
            places: places.collect(),
        }
    }

    /// Whether a line begins as it does, or breaks off within what it begins with.
    pub(super) fn is_begun_by(&self, line: &str) -> bool {
        let start = self.start.trim_ascii_end();
        start.len() >= SHORTEST_START
            && (line.starts_with(start) || line.len() >= SHORTEST_START && start.starts_with(line))
    }

    /// How much of a text it takes at least that begins like this: up to the last of its literal words. `None` where it does not.
    pub(super) fn least(&self, text: &str) -> Option<usize> {
        let mut rest = text.strip_prefix(self.start)?;
        if let Some((last, places)) = self.places.split_last() {
            for place in places {
                (_, rest) = place.split(rest)?;
            }
            let literal = last.literal.place(rest)? + last.literal.text().len();
            rest = rest.get(literal..)?;
        }
        Some(text.len() - rest.len())
    }

    /// Whether the text fits, and what stands first in it is no line by itself.
    pub(super) fn fits_closely(&self, text: &str) -> bool {
        let first = |found: Captures<'_>| found.first().map_or(0, |(_, value)| value.split(' ').count());
        self.captures(text)
            .is_some_and(|found| !self.start.is_empty() || first(found) <= MOST_OF_FIRST)
    }

    /// Whether it begins with one figure, as any line of counters does.
    pub(super) fn begins_with_figure(&self) -> bool {
        let first = self.places.first().filter(|_| self.start.is_empty());
        first.is_some_and(|place| (place.fits)("7") && !(place.fits)("7 of"))
    }

    /// Whether a line of it may go on with any words.
    pub(super) fn is_open(&self) -> bool {
        let last = self.places.last();
        last.is_some_and(|place| place.literal.text().is_empty() && (place.fits)("1 of many"))
    }

    /// The values in its places; `None` where the text does not fit.
    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        let mut found = Captures::new();
        let take = |field: &'static str, value: &'t str| found.push((field, value));
        self.values(text, take).map(|()| found)
    }

    /// Whether the text fits.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.values(text, |_, _| {}).is_some()
    }

    /// Gives the values in its places, one after another: of a text that does not fit those up to where it shows.
    fn values<'t>(&self, text: &'t str, mut take: impl FnMut(&'static str, &'t str)) -> Option<()> {
        let mut rest = text.strip_prefix(self.start)?;
        let Some((last, places)) = self.places.split_last() else {
            return rest.is_empty().then_some(());
        };
        for place in places {
            let (value, behind) = place.split(rest)?;
            take(place.field, value);
            rest = behind;
        }
        let end = rest.len().checked_sub(last.literal.text().len())?;
        let (value, literal) = rest.split_at_checked(end)?;
        if literal != last.literal.text() || !(last.fits)(value) {
            return None;
        }
        take(last.field, value);
        Some(())
    }
}

impl Place {
    /// Its value, and what stands behind its literal.
    fn split<'t>(&self, rest: &'t str) -> Option<(&'t str, &'t str)> {
        let literal = self.literal.text().len();
        let end = match literal {
            // Two places side by side: the first takes a word.
            0 => rest.find([' ', ',']).unwrap_or(rest.len()),
            _ => self.first_fit(rest)?,
        };
        let (value, behind) = rest.split_at_checked(end)?;
        (literal > 0 || (self.fits)(value)).then_some((value, behind.get(literal..)?))
    }

    /// Where the literal stands first behind a value that fits.
    fn first_fit(&self, rest: &str) -> Option<usize> {
        let mut from = 0;
        // A value has few words; a long line is not searched again and again.
        for _ in 0..16 {
            let at = from + self.literal.place(rest.get(from..)?)?;
            if rest.get(..at).is_some_and(self.fits) {
                return Some(at);
            }
            from = at + self.literal.text().len();
        }
        None
    }
}

/// What lines begin with that fit a pattern.
pub(super) fn first_of(pattern: &str) -> First {
    let Some(place) = pattern.strip_prefix('{') else {
        return pattern.bytes().next().map_or(First::Any, First::Byte);
    };
    // Two places side by side: the first may be empty.
    let field = place
        .split_once('}')
        .filter(|(_, literal)| !literal.starts_with('{'));
    match field.map(|(field, _)| field) {
        Some(
            "n" | "queue" | "of-queue" | "level" | "list" | "in-list" | "out-list" | "over" | "interval"
            | "in-rate" | "out-rate" | "in-pps" | "out-pps" | "in-kbits" | "out-kbits" | "in-mbits"
            | "out-mbits" | "in-kpps" | "out-kpps" | "in-bits" | "out-bits" | "in-bytes" | "out-bytes",
        ) => First::Figure,
        Some(field) if kind(field).is_some() => First::Figure,
        _ => First::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_take_what_fits() {
        let of = |pattern, line: &'static str| {
            Pattern::new(pattern)
                .captures(line)
                .map(|c| c.iter().map(|c| c.1).collect::<Vec<_>>())
        };
        assert_eq!(
            of(
                "{if} is {state}, line protocol is {link}",
                "Ethernet1 is up, line protocol is up (connected)"
            ),
            Some(vec!["Ethernet1", "up", "up (connected)"])
        );
        assert_eq!(of("{if} is {state}", "Everything is up"), None);
        assert_eq!(
            of("MTU {mtu} bytes{*}", "MTU 1500 bytes, BW 7"),
            Some(vec!["1500", ", BW 7"])
        );
        assert_eq!(of("MTU {mtu} bytes{*}", "MTU many bytes"), None);
        assert_eq!(of("RX", "RX"), Some(vec![]));
        assert_eq!(of("RX", "RX bytes"), None);
        assert_eq!(of("a {n} b", "a 1 c b"), None);
        assert_eq!(squeezed("  Bytes Rx    :  1,234 \t x"), "Bytes Rx: 1,234 x");
    }

    proptest::proptest! {
        #[test]
        fn blanks_are_single_however_they_are_found(line in "[ \t\x0b\x01:a-c0é]{0,70}") {
            let mut words = String::new();
            for word in line.split_whitespace() {
                let is_apart = !words.is_empty() && !is_behind(word);
                words += if is_apart { " " } else { "" };
                words += word;
            }
            proptest::prop_assert_eq!(squeezed(&line), words);
        }
    }
}
