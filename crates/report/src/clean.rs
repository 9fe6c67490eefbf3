//! The one door between strangers' text and a reader: control characters, escape sequences and invisible or
//! direction-changing characters do not get through.
//!
//! Names come from the DNS of networks we do not run, and a case may come by mail. A name such as
//! `\x1b]0;…` can retitle a terminal, and a right-to-left override can make one address look like another.

use std::borrow::Cow;

/// What stands in place of a character that was taken out, so that two names which differ only in invisible
/// characters do not look the same.
const REPLACEMENT: char = '\u{FFFD}';

/// `text` with every character removed that is not seen but acts: tabs and line breaks become a space, all other
/// such characters become U+FFFD.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if are_plain_lines(text) && !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    if text.chars().any(is_hidden) {
        Cow::Owned(
            text.chars()
                .map(|c| match c {
                    '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
                    c if is_hidden(c) => REPLACEMENT,
                    c => c,
                })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the text is ASCII without controls but line feeds. Nearly all is, which is seen of many bytes at once, where the classes
/// below take a look at each letter.
pub(crate) fn are_plain_lines(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') | (byte == b'\n');
    text.bytes().fold(true, |plain, byte| plain & is_plain(byte))
}

/// Like [`clean`], for a whole document: line feeds stay.
pub(crate) fn clean_document(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.split_at(line.trim_end_matches('\n').len());
        out.push_str(&clean(line));
        out.push_str(end);
    }
    out
}

/// Like [`clean`], for what a terminal is about to get as a whole: line feeds stay, and so do the codes that colour text
/// (`ESC [ 1;31 m`), which [`crate::Style::Ansi`] writes. Text of strangers was cleaned piece by piece when it was laid out; this is the
/// door behind which it does not matter whether somebody forgot one.
#[must_use]
pub fn clean_screen(text: &str) -> Cow<'_, str> {
    if are_plain_lines(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (index, piece) in text.split('\u{1b}').enumerate() {
        let code = (index > 0).then(|| colour_code(piece)).flatten();
        let (code, rest) = piece.split_at(code.unwrap_or(0));
        match (index, code) {
            (0, _) => {}
            (_, "") => out.push(REPLACEMENT),
            _ => out.push('\u{1b}'),
        }
        out.push_str(code);
        out.push_str(&clean_document(rest));
    }
    Cow::Owned(out)
}

/// How long the colour code is that stands at the beginning of what follows an escape character (ECMA-48, 8.3.117).
fn colour_code(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix('[')?;
    let end = parameters.find(|c: char| !matches!(c, '0'..='9' | ';'))?;
    parameters.get(end..)?.starts_with('m').then_some(end + 2)
}

/// Whether `c` acts without being seen: controls (Unicode category Cc), format characters (Cf: bidirectional
/// overrides and isolates, zero-width joiners, tags), line separators and variation selectors.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{0600}'..='\u{0605}' | '\u{061C}' | '\u{06DD}' | '\u{070F}'
            | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Characters that change what a reader sees of others, or do something to a terminal: a list of its own, so that a hole in
    /// the cleaner's classes is found.
    fn lying() -> impl Strategy<Value = char> {
        let ranges = [
            '\u{00}'..='\u{1f}',
            '\u{7f}'..='\u{9f}',
            '\u{200b}'..='\u{200f}',
            '\u{2028}'..='\u{202e}',
            '\u{2060}'..='\u{206f}',
            '\u{61c}'..='\u{61c}',
            '\u{feff}'..='\u{feff}',
            '\u{fe00}'..='\u{fe0f}',
            '\u{e0000}'..='\u{e007f}',
        ];
        let all: Vec<char> = ranges.into_iter().flatten().collect();
        prop::sample::select(all)
    }

    fn mixed() -> impl Strategy<Value = String> {
        let letter = prop_oneof![
            lying(),
            any::<char>(),
            prop::sample::select(vec!['[', 'm', ';', '1', 'a'])
        ];
        prop::collection::vec(letter, 0..40).prop_map(|letters| letters.into_iter().collect())
    }

    fn lies(c: char) -> bool {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{61c}'
                | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
    }

    proptest! {
        #[test]
        fn nothing_that_lies_to_the_eye_gets_through(text in mixed()) {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.chars().any(lies), "{cleaned:?}");
            // Everything else stays, letter by letter.
            prop_assert_eq!(text.chars().count(), cleaned.chars().count());
            for (was, is) in text.chars().zip(cleaned.chars()) {
                prop_assert!(was == is || is_hidden(was) && matches!(is, ' ' | REPLACEMENT));
            }
            prop_assert_eq!(clean(&cleaned), cleaned.as_ref());
        }

        /// Of a whole screen line feeds and colours are left, and nothing else that acts.
        #[test]
        fn a_screen_gets_colours_and_lines_alone(text in mixed()) {
            let screen = clean_screen(&text);
            for (index, piece) in screen.split('\u{1b}').enumerate() {
                let code = if index == 0 { 0 } else { colour_code(piece).unwrap() };
                prop_assert!(!piece[code..].chars().any(|c| c != '\n' && lies(c)), "{screen:?}");
            }
        }
    }

    #[test]
    fn the_programs_own_colours_stay() {
        for (text, shown) in [
            (
                "\u{1b}[1m\u{1b}[31mSLOW\u{1b}[0m\n",
                "\u{1b}[1m\u{1b}[31mSLOW\u{1b}[0m\n",
            ),
            ("\u{1b}[2J", "\u{FFFD}[2J"),
            ("\u{1b}]0;owned\u{7}", "\u{FFFD}]0;owned\u{FFFD}"),
            ("\u{1b}\u{1b}[0m\u{1b}", "\u{FFFD}\u{1b}[0m\u{FFFD}"),
            ("\u{1b}[0", "\u{FFFD}[0"),
            ("a\r\nb\u{202e}", "a \nb\u{FFFD}"),
        ] {
            assert_eq!(clean_screen(text), shown, "{text:?}");
        }
    }

    #[test]
    fn what_acts_unseen_is_shown_as_such() {
        for (hostile, shown) in [
            ("br01.virginia.edu", "br01.virginia.edu"),
            ("\u{1b}[31mred\u{1b}[0m", "\u{FFFD}[31mred\u{FFFD}[0m"),
            ("\u{1b}]0;owned\u{7}", "\u{FFFD}]0;owned\u{FFFD}"),
            ("\u{9b}2J", "\u{FFFD}2J"),
            ("abc\u{202e}moc.elgoog", "abc\u{FFFD}moc.elgoog"),
            ("a\u{200b}b", "a\u{FFFD}b"),
            ("two\r\nlines\tand a tab", "two  lines and a tab"),
            ("größe Ελλάδα 東京", "größe Ελλάδα 東京"),
        ] {
            assert_eq!(clean(hostile), shown);
        }
    }

    #[test]
    fn a_document_keeps_its_lines() {
        assert_eq!(clean_document("a\nb\u{7}\n"), "a\nb\u{FFFD}\n");
    }
}
