//! The words of a hop's line: stars, times, hosts, and what tools print beside them.

use crate::host::rtt_from_ms;

/// A word, or what stands between parentheses or brackets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'t> {
    /// `*`: a probe without an answer.
    Star,
    /// `1.25 ms`, `4 msec`, `<1 ms`; within, the time where it is one and not a bound.
    Time(Option<u64>),
    /// A number without a unit.
    Number(&'t str),
    /// `ms` at the beginning of a line: the number stands at the end of the one above.
    Unit,
    /// `(…)`; whether the parenthesis was closed.
    Parentheses(&'t str, bool),
    /// `[…]`
    Brackets(&'t str),
    /// `<…>`
    Angles(&'t str),
    /// `!H`
    Mark(&'t str),
    /// Anything else.
    Word(&'t str),
}

/// The tokens of a text.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    rest: &'t str,
    /// Nothing but numbers, stars and units yet: where a code page is broken the unit of a time is anything.
    times_alone: bool,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            rest: text.trim_ascii(),
            times_alone: true,
        }
    }

    /// What follows, without taking it.
    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.clone().next()
    }

    /// All that is left.
    pub(super) fn rest(&self) -> &'t str {
        self.rest.trim_ascii_start()
    }

    fn between(&mut self, open: char, close: char) -> Option<(&'t str, bool)> {
        let inner = self.rest.strip_prefix(open)?;
        let (content, rest, closed) = match inner.split_once(close) {
            Some((content, rest)) if !content.contains(open) => (content, rest, true),
            _ => ("", inner, false),
        };
        // lft names the port behind the address: `(192.0.2.1):443`.
        let port = rest.strip_prefix(':').filter(|_| open == '(');
        let rest = port.map_or(rest, |port| port.trim_start_matches(|c: char| c.is_ascii_digit()));
        self.rest = rest.trim_start_matches([',', ':']);
        Some((content, closed))
    }

    fn take_word(&mut self) -> &'t str {
        let end = word_end(self.rest);
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    fn is_unit(&self, word: &str) -> bool {
        let word = word.trim_end_matches(',');
        matches!(
            word,
            "ms" | "msec" | "msecs" | "мс" | "мсек" | "毫秒" | "ミリ秒" | "밀리초"
        ) || (self.times_alone
            && !word.is_empty()
            && word.len() <= 12
            && word.chars().all(|c| !c.is_ascii() || c == '?'))
    }

    /// The word that follows, if it is a unit of time.
    fn take_unit(&mut self) -> bool {
        let mut ahead = self.clone();
        ahead.rest = ahead.rest.trim_ascii_start();
        let word = ahead.take_word();
        let found = self.is_unit(word);
        if found {
            self.rest = ahead.rest;
        }
        found
    }

    /// A number with its unit, in one word or two; `<` in front of it makes it a bound.
    fn number(&mut self, word: &'t str) -> Option<Token<'t>> {
        let bound = word.strip_prefix('<');
        let text = bound.unwrap_or(word);
        if !text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let digits = text
            .bytes()
            .position(|b| !(b.is_ascii_digit() || b == b'.'))
            .unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits)?;
        let value: f64 = number.parse().ok()?;
        let has_unit = if unit.is_empty() {
            self.take_unit()
        } else {
            self.is_unit(unit)
        };
        match (has_unit, unit) {
            (true, _) => Some(Token::Time(rtt_from_ms(value).filter(|_| bound.is_none()))),
            (false, "" | ",") if bound.is_none() => Some(Token::Number(number)),
            _ => None,
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        self.rest = without_gap(self.rest);
        let token = match self.rest.bytes().next()? {
            b'(' => {
                let (content, closed) = self.between('(', ')')?;
                Token::Parentheses(content.trim_ascii(), closed)
            }
            b'[' => Token::Brackets(self.between('[', ']')?.0.trim_ascii()),
            b'<' if self.rest.starts_with("< ") => {
                // `< 1 ms`
                self.rest = self.rest.get(1..)?.trim_ascii_start();
                match self.next()? {
                    Token::Time(_) => Token::Time(None),
                    other => other,
                }
            }
            b'<' if self.rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) => {
                Token::Angles(self.between('<', '>')?.0)
            }
            _ => {
                let word = self.take_word();
                if word == "*" {
                    Token::Star
                } else if let Some(number) = self.number(word) {
                    number
                } else if word.starts_with('!') {
                    Token::Mark(word)
                } else if matches!(word, "ms" | "ms," | "msec") {
                    Token::Unit
                } else {
                    Token::Word(word)
                }
            }
        };
        self.times_alone &= matches!(token, Token::Star | Token::Time(_));
        Some(token)
    }
}

/// Where the word ends that the text begins with: before a blank, a parenthesis or a bracket.
fn word_end(text: &str) -> usize {
    let is_end = |byte: u8| matches!(byte, b'(' | b'[') || is_blank(byte) || !byte.is_ascii();
    let end = text.bytes().position(is_end).unwrap_or(text.len());
    // Letters and blanks beyond ASCII are rare.
    match text
        .get(end..)
        .filter(|rest| !rest.starts_with(|c: char| c.is_ascii()))
    {
        Some(rest) => {
            let behind = rest.find(|c: char| c.is_whitespace() || c == '(');
            behind.map_or(text.len(), |behind| end + behind)
        }
        None => end,
    }
}

/// The text without the blanks and slashes that it begins with.
fn without_gap(text: &str) -> &str {
    let is_gap = |byte: u8| byte == b'/' || is_blank(byte);
    let begin = text.bytes().position(|byte| !is_gap(byte)).unwrap_or(text.len());
    match text.get(begin..).unwrap_or_default() {
        rest if rest.starts_with(|c: char| c.is_ascii()) => rest,
        rest => rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/'),
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_every_shape() {
        for (text, tokens) in [
            ("0.5 ms", vec![Token::Time(Some(500_000))]),
            ("0.5ms,", vec![Token::Time(Some(500_000))]),
            (
                "<1 ms * < 1 мс",
                vec![Token::Time(None), Token::Star, Token::Time(None)],
            ),
            (
                "<1 \u{fffd}\u{fffd} 2 ??",
                vec![Token::Time(None), Token::Time(Some(2_000_000))],
            ),
            (
                "a 2 \u{4e2d}",
                vec![Token::Word("a"), Token::Number("2"), Token::Word("\u{4e2d}")],
            ),
            ("4 msec !H", vec![Token::Time(Some(4_000_000)), Token::Mark("!H")]),
            ("2 / * ms", vec![Token::Number("2"), Token::Star, Token::Unit]),
            (
                "a(192.0.2.1)",
                vec![Token::Word("a"), Token::Parentheses("192.0.2.1", true)],
            ),
            ("1.2.3.4", vec![Token::Word("1.2.3.4")]),
            ("12th", vec![Token::Word("12th")]),
        ] {
            assert_eq!(Tokens::of(text).collect::<Vec<_>>(), tokens, "{text}");
        }
    }
}
