//! What somebody wrote into an output that is shown to others: a remark behind an arrow (`RX: 256  <-- too small?`), and marks of
//! emphasis around a figure (`rx_missed_errors: **4954**`), and of code around all of it, of which a line has one end.

use memchr::{memchr, memchr_iter, memmem};
use std::borrow::Cow;

/// How an arrow begins that points at what stands before it.
const ARROWS: [&str; 3] = [" <--", " <==", " \u{2190}"];
const EMPHASIS: &str = "**";
const CODE: u8 = b'`';

/// Whether any line of the text may have such. Asked of large pieces at once.
pub(super) fn may_be_remarked(text: &[u8]) -> bool {
    let mut signs = ARROWS.iter().chain([&EMPHASIS]);
    memchr(CODE, text).is_some() || signs.any(|sign| memmem::find(text, sign.as_bytes()).is_some())
}

/// The line as the tool printed it.
pub(super) fn without_remarks(line: &str) -> Cow<'_, str> {
    if !may_be_remarked(line.as_bytes()) {
        return Cow::Borrowed(line);
    }
    let line = before_arrow(off_code(line));
    match emphasized(line) {
        Some((before, inner, behind)) => {
            let rest = without_remarks(behind);
            Cow::Owned(format!("{before}{inner}{rest}"))
        }
        None => Cow::Borrowed(line),
    }
}

/// Without the mark before the first line of what was written as code within prose, or behind its last line.
fn off_code(line: &str) -> &str {
    // GNU's programs quote `so'.
    let is_quote = || memchr(b'\'', line.as_bytes()).is_some();
    if memchr_iter(CODE, line.as_bytes()).take(2).count() != 1 || is_quote() {
        return line;
    }
    let inner = line.trim_ascii_start().strip_prefix('`');
    let inner = inner.or_else(|| line.trim_ascii_end().strip_suffix('`'));
    inner.unwrap_or(line)
}

fn before_arrow(line: &str) -> &str {
    let is_figure = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    // Arrows of diagrams and of flows have the other end behind them, which is a word with figures.
    let is_remark = |text: &str| {
        let text = text.trim_start_matches(['-', '=']);
        let word = text
            .strip_prefix(' ')
            .and_then(|said| said.split_ascii_whitespace().next());
        word.is_some_and(|word| !is_figure(word) && word.chars().any(char::is_alphabetic))
    };
    let found = ARROWS.iter().find_map(|arrow| line.split_once(arrow));
    found
        .filter(|(before, behind)| is_figure(before) && is_remark(behind))
        .map_or(line, |(before, _)| before)
}

/// What stands before a figure with marks around it, the figure, and what stands behind it.
fn emphasized(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once(EMPHASIS)?;
    let (inner, behind) = rest.split_once(EMPHASIS)?;
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '*';
    let stands_apart = !before.ends_with(is_word) && !behind.starts_with(is_word);
    let is_tight = !inner.starts_with([' ', '*']) && !inner.ends_with(' ');
    let has_figure = inner.bytes().any(|byte| byte.is_ascii_digit());
    (stands_apart && is_tight && has_figure).then_some((before, inner, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_into_a_line_is_taken_off() {
        for (line, printed) in [
            ("RX: 256 <-- too small?", "RX: 256"),
            (
                "  3  192.0.2.9  88 ms  <==== slow from here",
                "  3  192.0.2.9  88 ms ",
            ),
            ("rx_missed: 7 \u{2190} look", "rx_missed: 7"),
            ("     **tx_dropped: 12**", "     tx_dropped: 12"),
            ("1024  1000  0.00  **92.5**  0.9", "1024  1000  0.00  92.5  0.9"),
            ("**4** of **5** lost, **badly**", "4 of 5 lost, **badly**"),
            ("`Upload: 3 Mbit/s", "Upload: 3 Mbit/s"),
            ("  Upload: 3 Mbit/s`", "  Upload: 3 Mbit/s"),
            ("see `ping`", "see `ping`"),
            ("`a.img' at 5 (9%)", "`a.img' at 5 (9%)"),
            ("a ` b", "a ` b"),
            (
                "u_str ESTAB 0 0 * 7 * 9 <-> ino:3",
                "u_str ESTAB 0 0 * 7 * 9 <-> ino:3",
            ),
            ("10.0.0.1:80 <-- 10.0.0.2:443", "10.0.0.1:80 <-- 10.0.0.2:443"),
            ("port 1 <--> port 2", "port 1 <--> port 2"),
            ("2**10**2 packets", "2**10**2 packets"),
            ("**** 5 lost ****", "**** 5 lost ****"),
            (" 2  ** * 5 ms **", " 2  ** * 5 ms **"),
        ] {
            assert_eq!(without_remarks(line), printed);
        }
    }
}
