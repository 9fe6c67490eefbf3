//! Lines that a terminal of 80 columns wrapped.

use super::heads::is_head;
use super::line::Line;
use crate::arrival::is_furniture;
use crate::block::Block;

/// Terminals are so wide, mostly.
const MARGIN: usize = 80;

/// Whether the line goes on with what a terminal wrapped.
pub(super) fn is_wrapped(block: &Block, line: &str) -> bool {
    let is_rest = |last: &str| {
        let before = block.len().checked_sub(2).and_then(|place| block.get(place));
        wraps(last, line, false) && before.is_some_and(|before| wraps(before, last, true))
    };
    block
        .last()
        .is_some_and(|last| wraps(last, line, true) || is_rest(last))
}

/// The lines of an interface, with what a narrow terminal wrapped behind what it belongs to.
pub(super) fn unwrapped<'l>(lines: &[(u64, &'l str)]) -> Vec<Line<'l>> {
    let mut whole = Vec::with_capacity(lines.len());
    let mut left = lines;
    let pairs = lines.iter().zip(lines.iter().skip(1));
    let are_wrapped = pairs
        .into_iter()
        .any(|((number, line), (next, rest))| number + 1 == *next && wraps(line, rest, true));
    if !are_wrapped {
        whole.extend(lines.iter().map(|(number, line)| Line::new(*number, line)));
        return whole;
    }
    while let Some(((number, line), behind)) = left.split_first() {
        let (mut before, mut above) = (*line, *number);
        let rest = behind.iter().take_while(|(number, rest)| {
            let wraps = above + 1 == *number && wraps(before, rest, before == *line);
            (before, above) = (*rest, *number);
            wraps
        });
        let rest: Vec<&str> = rest.map(|(_, rest)| *rest).collect();
        left = behind.get(rest.len()..).unwrap_or_default();
        // The rest of a figure at the margin may have been lost.
        let is_cut = rest.is_empty() && line.len() == MARGIN;
        let end = line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let line = line.get(..end).filter(|_| is_cut).unwrap_or(line);
        whole.push(joined(*number, line, &rest));
    }
    whole
}

/// The line, with the rest of it.
fn joined<'l>(number: u64, line: &'l str, rest: &[&str]) -> Line<'l> {
    // Blanks at the margin are lost.
    let blank = if line.len() < MARGIN { " " } else { "" };
    match rest {
        [] => Line::new(number, line),
        _ => Line::joined(number, &format!("{line}{blank}{}", rest.concat())),
    }
}

/// Whether a line holds nothing but figures.
fn is_figures(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ')
}

/// Whether a terminal wrapped an indented line (or what it wrapped of one before), and the rest stands alone at the margin.
/// Where blanks were lost with it, a figure does.
fn wraps(line: &str, rest: &str, is_first: bool) -> bool {
    let is_indented = |line: &str| line.starts_with([' ', '\t']);
    let is_figure =
        |rest: &str| rest.len() < 24 && rest.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    let lost_blanks = (72..MARGIN).contains(&line.trim_ascii_end().len()) && is_figure(rest);
    // A line that was broken in front of a blank: lines of an interface have more of them. Rows of a table are all as wide. Figures alone
    // are no line: blanks before the last column.
    let is_behind_blank = line.len() == MARGIN
        && line.starts_with("  ")
        && rest.len() < MARGIN
        && rest.starts_with(' ')
        && (!rest.starts_with("  ") || is_figures(rest));
    is_indented(line) == is_first
        && (!is_indented(rest) || is_behind_blank)
        && !rest.trim_ascii().is_empty()
        && (line.len() == MARGIN && !is_head(rest) || lost_blanks)
        // What a page puts around an output, and pagers into it, is no rest.
        && !is_furniture(rest)
}
