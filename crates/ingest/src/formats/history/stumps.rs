//! Lines of samples that a screen broke within their figure: what stands at the end of the line is another figure, and nothing
//! of it tells that it is a stump. The line behind it does.

use super::prometheus::{comment, is_marked, sample};
use crate::block::Block;
use crate::prompt::command_line;
use std::borrow::Cow;

/// Lines of the text, and what stands on them; `None` for a line whose figure may be a stump.
pub(super) type Line<'b> = ((u64, u64), Option<Cow<'b, str>>);

/// Nobody's screen is narrower.
const NARROWEST: usize = 60;

/// The lines of a block with those joined that were broken.
pub(super) fn mended(block: &Block) -> Vec<Line<'_>> {
    // What has no more bytes is no wider.
    let wider = |widest: usize, line: &str| match line.len() > widest {
        true => width(line).max(widest),
        false => widest,
    };
    let widest = block.lines().fold(0, wider);
    let is_broken = |line: &str| widest >= NARROWEST && line.len() >= widest && width(line) == widest;
    let mut next = block.lines().skip(1);
    let has_broken = block
        .lines()
        .any(|line| next.next().is_some_and(|next| is_broken(line) && is_rest(next)));
    let mut mended: Vec<Line<'_>> = Vec::new();
    let mut lines = block.numbered().peekable();
    while let Some((number, line)) = lines.next() {
        let (mut text, mut piece, mut last) = (Cow::Borrowed(line), line, number);
        while is_broken(piece)
            && let Some((number, rest)) = lines.next_if(|(_, next)| goes_on(&text, next))
        {
            text = Cow::Owned([text.as_ref(), rest].concat());
            (piece, last) = (rest, number);
        }
        // Where others were broken a line of their width may be one whose rest is lost.
        let mut is_doubtful = has_broken && is_broken(piece) && ends_in_figure(piece);
        while let Some((number, _)) = lines.next_if(|(_, next)| is_rest(next)) {
            (is_doubtful, last) = (true, number);
        }
        mended.push(((number, last), Some(text).filter(|_| !is_doubtful)));
    }
    mended
}

/// Whether a line is the rest of one that was broken: of its figure, or of what stands in front of it.
fn goes_on(line: &str, next: &str) -> bool {
    if sample(line).is_some() {
        return is_rest(next);
    }
    if is_marked(line) {
        return comment(line).is_none() && comment(&[line, next].concat()).is_some();
    }
    let is_whole = is_marked(next) || sample(next).is_some() || command_line(next).is_some();
    !is_whole && line.contains('{')
}

fn width(line: &str) -> usize {
    line.chars().count()
}

fn ends_in_figure(line: &str) -> bool {
    line.ends_with(|last: char| last.is_ascii_digit() || last == '.')
}

/// A figure's end, and a time perhaps: no sample begins so.
fn is_rest(line: &str) -> bool {
    let is_of_figure = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-' | b'e' | b' ');
    line.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | 'e' | '+' | ' '))
        && line.bytes().any(|byte| byte.is_ascii_digit())
        && line.bytes().all(is_of_figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stump_is_joined_with_its_rest_or_not_used() {
        let wide = |end: &str| format!("a{{b=\"{}\"}} {end}", "c".repeat(72 - end.len()));
        let (first, second, short) = (wide("12"), wide("0"), "a 5".to_owned());
        let of = |lines: &[&str]| {
            let mut block = Block::default();
            block.begin(3, lines[0]);
            lines[1..].iter().for_each(|line| block.push(line));
            let read = mended(&block);
            read.into_iter()
                .map(|(lines, text)| (lines, text.map(Cow::into_owned)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(&[&first, "34", &second, ".081", &short]),
            [
                ((3, 4), Some(format!("{first}34"))),
                ((5, 6), Some(format!("{second}.081"))),
                ((7, 7), Some(short.clone())),
            ]
        );
        // The rest of the first is lost, and that of the last stands behind a line that was not broken.
        assert_eq!(
            of(&[&first, &second, ".081", &short, "34"]),
            [
                ((3, 3), None),
                ((4, 5), Some(format!("{second}.081"))),
                ((6, 7), None)
            ]
        );
        // Broken within its labels, and twice.
        let (begin, middle) = (format!("a{{b=\"{}", "c".repeat(75)), "d".repeat(80));
        assert_eq!(
            of(&[&begin, &middle, "\"} 7"]),
            [((3, 5), Some(format!("{begin}{middle}\"}} 7")))]
        );
        assert_eq!(of(&[&first, "34", "5"]), [((3, 5), None)]);
        assert_eq!(
            of(&[&first, &short]),
            [((3, 3), Some(first.clone())), ((4, 4), Some(short.clone()))]
        );
    }
}
