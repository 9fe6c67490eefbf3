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
    // Nearly all text is ASCII without controls: seen at a glance, where the classes below take a look at each letter.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
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

/// Like [`clean`], for a whole document: line feeds stay.
pub(crate) fn clean_document(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
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
