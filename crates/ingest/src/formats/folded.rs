//! Outputs of which a page lost the line breaks: several lines of a tool in one.
//!
//! Such a line is cut where lines of the tool begin, as its format's own table tells. What holds only few of these is a sentence, or one line.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::Format;
use crate::formats::flows::fit;
use crate::prompt::is_bare_prompt;

/// A line that holds several is longer, and one of a page is not as long as this.
const SHORTEST: usize = 100;
const LONGEST: usize = 16 << 10;

/// With fewer cuts nothing was folded.
const LEAST_CUTS: usize = 3;

/// By so many bytes it is known whether a line begins.
const TRIED: usize = 160;

/// How the lines of a format begin, as patterns. A field `next` is a number that counts up from line to line, `first` one with no other
/// number before it; a line of a pattern with a blank in front is indented.
pub(crate) type Beginnings = &'static [&'static str];

/// Reads a block of the format, with its folded lines cut where it has some.
pub(crate) fn read(
    format: &'static Format,
    beginnings: Beginnings,
    (block, context, findings): (&Block, &Context, &mut Findings),
    read: fn(&Block, &Context, &mut Findings),
) {
    let may_be = |line: &str| (SHORTEST..LONGEST).contains(&line.len());
    if !block
        .lines()
        .any(|line| may_be(line) && !cuts(line, beginnings).is_empty())
    {
        return read(block, context, findings);
    }
    let mut open: Option<(Block, Vec<u64>)> = None;
    let close = |open: Option<(Block, Vec<u64>)>, findings: &mut Findings| {
        let Some((lines, numbers)) = open else { return };
        let mut own = Findings::default();
        read(&lines, context, &mut own);
        let place = |line: u64| {
            let place = usize::try_from(line.saturating_sub(lines.first_line)).unwrap_or(0);
            numbers.get(place).or(numbers.last()).copied().unwrap_or(line)
        };
        own.renumber(|(from, to)| (place(from), place(to)));
        findings.take_over(own);
    };
    for (number, line) in block.numbered() {
        for piece in pieces(line, may_be(line).then_some(beginnings)) {
            match &mut open {
                Some((lines, numbers)) if (format.continues)(lines, piece) => {
                    lines.push_asked(piece);
                    numbers.push(number);
                }
                _ if (format.starts)(piece) => {
                    close(open.take(), findings);
                    let mut lines = Block::default();
                    lines.begin(number, piece);
                    open = Some((lines, vec![number]));
                }
                // The prompt stands behind what was printed.
                _ if is_bare_prompt(piece) => {}
                _ => findings.unread(number, piece),
            }
        }
    }
    close(open, findings);
}

/// A line as it was.
fn pieces(line: &str, beginnings: Option<Beginnings>) -> impl Iterator<Item = &str> {
    let cuts = beginnings
        .map(|beginnings| cuts(line, beginnings))
        .unwrap_or_default();
    let ends = cuts.clone().into_iter().chain([line.len()]);
    let begins = std::iter::once(0).chain(cuts);
    begins
        .zip(ends)
        .map(|(begin, end)| line.get(begin..end).unwrap_or_default().trim_ascii_end())
}

/// Where lines begin within a line; nothing where these are few.
fn cuts(line: &str, beginnings: Beginnings) -> Vec<usize> {
    let (mut cuts, mut counted, mut before) = (Vec::new(), 0, "");
    let words = line.split(' ').scan(0, |end, word| {
        let at = *end;
        *end += word.len() + 1;
        Some((at, word))
    });
    for (at, word) in words.filter(|(_, word)| !word.is_empty()) {
        let rest = line.get(at..).unwrap_or_default();
        let tried = rest.get(..TRIED).unwrap_or(rest);
        // Dashes with blanks between them are one rule.
        let is_within = before == "-" && word == "-";
        // The next prompt.
        if at > 0 && rest.len() < TRIED && !cuts.is_empty() && is_bare_prompt(rest) {
            cuts.push(at);
            break;
        }
        let begins = |pattern: &&&str| {
            fit(pattern.trim_start(), tried).is_some_and(|captures| {
                captures.iter().all(|(key, text)| match key {
                    "next:n" => text.parse() == Ok(counted + 1) || text == "1",
                    "first:n" => before.parse::<f64>().is_err(),
                    _ => true,
                })
            })
        };
        if let Some(pattern) = beginnings.iter().filter(|_| !is_within).find(begins) {
            if pattern.starts_with("{next:n}") {
                let digits = word.bytes().take_while(u8::is_ascii_digit).count();
                counted = word
                    .get(..digits)
                    .and_then(|number| number.parse().ok())
                    .unwrap_or(counted);
            }
            if at > 0 {
                cuts.push(at - usize::from(pattern.starts_with(' ')));
            }
        }
        before = word;
    }
    if cuts.len() < LEAST_CUTS {
        cuts.clear();
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPS: Beginnings = &["trace to {*}", "{next:n} {_:w} {_:f} ms{*}", "done{*}"];

    fn cut(line: &str) -> Vec<&str> {
        pieces(line, Some(HOPS)).collect()
    }

    #[test]
    fn a_line_is_cut_where_lines_begin() {
        assert_eq!(
            cut("trace to a 1 b 0.2 ms 0.3 ms 2 c 4 ms 5 ms 3 d 6 ms done"),
            [
                "trace to a",
                "1 b 0.2 ms 0.3 ms",
                "2 c 4 ms 5 ms",
                "3 d 6 ms",
                "done"
            ]
        );
        // Hops are numbered one by one, and few lines are a sentence.
        for line in [
            "trace to a 1 b 0.2 ms 4 c 4 ms",
            "it took 1 b 0.2 ms, and then we were done",
        ] {
            assert_eq!(cut(line), [line]);
        }
    }
}
