//! Figures and words of which a line break may have torn the rest away: half a figure looks like a whole one.

use super::omitted::is_omission;
use super::wrap::{LARGEST_WRAPPED, NARROWEST, width};
use crate::block::Block;
use crate::prompt::{command_line, is_bare_prompt};

/// Whether a line can hardly end where the other begins: in the midst of a figure or a word.
pub(crate) fn is_torn(line: &str, next: &str) -> bool {
    let is_in_word =
        |(before, behind): (char, char)| before.is_ascii_lowercase() && behind.is_ascii_lowercase();
    is_torn_in_figure(line, next) || joint(line, next).is_some_and(is_in_word)
}

/// Whether the rest of a figure may stand in the next line.
pub(crate) fn is_torn_in_figure(line: &str, next: &str) -> bool {
    let is_within = joint(line, next).is_some_and(|(before, behind)| {
        before.is_ascii_digit() && (behind.is_ascii_digit() || matches!(behind, '.' | ',' | ':' | '%'))
            || matches!(before, '.' | ',') && behind.is_ascii_digit()
    });
    is_within && !is_omission(next)
}

/// What would stand side by side.
fn joint(line: &str, next: &str) -> Option<(char, char)> {
    line.chars().next_back().zip(next.chars().next())
}

/// Whether the line may begin with the rest of the figure that the block ends with.
pub(crate) fn may_be_rest_of_figure(block: &Block, line: &str) -> bool {
    let last = block.last().unwrap_or_default();
    is_torn_in_figure(last, line) && is_widest(block, last)
}

/// The block without the last word of its last line, where the line below may begin with the rest of it.
pub(crate) fn without_torn_word(block: &Block, line: &str) -> Option<Block> {
    let last = block.last()?;
    // A prompt is no rest of a word, though hosts have names of small letters.
    let is_prompt = || is_bare_prompt(line) || command_line(line).is_some();
    if !is_torn(last, line) || !is_widest(block, last) || is_prompt() {
        return None;
    }
    let (kept, _) = last.rsplit_once(' ')?;
    let mut whole = block.clone();
    whole.truncate(block.len() - 1);
    whole.push(kept);
    Some(whole)
}

/// Whether the line is as wide as the text, which may be the width of a screen.
fn is_widest(block: &Block, line: &str) -> bool {
    line.len() >= NARROWEST
        && block.held_bytes() <= LARGEST_WRAPPED
        && block.lines().map(width).max() == Some(width(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_goes_where_the_next_line_may_begin_with_its_rest() {
        let wide = |end: &str| format!("{}{end}", "some words ".repeat(6));
        let kept = |end: &str, line: &str| {
            let mut block = Block::default();
            block.begin(1, "head");
            block.push(&wide(end));
            without_torn_word(&block, line).map(|block| block.get(1).unwrap_or_default().to_owned())
        };
        let whole = wide("").trim_ascii_end().to_owned();
        assert_eq!(kept("mtu=15", "00"), Some(whole.clone()));
        assert_eq!(kept("exam", "ple.net"), Some(whole));
        for (end, line) in [
            ("mtu=1500", "Then it stopped"),
            ("mtu=1500", "and it stopped"),
            ("1500", ""),
            ("down", "gw#"),
            ("down", "gw#show clock"),
        ] {
            assert_eq!(kept(end, line), None, "{end} {line}");
        }
    }
}
