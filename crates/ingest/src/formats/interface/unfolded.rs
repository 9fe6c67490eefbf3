//! Pages that lost their line breaks: a whole interface in one line, perhaps behind the command that asked for it.
//!
//! It is cut where a line of the dialect begins: at what fits one of its patterns from the first word to the last place. What stands between
//! are counters, which are read without breaks too. A piece that is none of either is told as any line is.

use super::heads::{dialects_of, is_head};
use super::prepared::{Prepared, prepared_of};
use crate::sieve::Glance;

/// No head has more words, and no line that is known by its end.
const MOST_WORDS: usize = 16;

/// With fewer lines in it the text is somebody's sentence about an interface.
const LEAST_LINES: usize = 3;

/// By so many words behind a head its dialect is known.
const TRIED: usize = 64;

/// No interface takes a longer line.
const LONGEST: usize = 8 << 10;

/// What stands before the interface of a line, and the lines that it had: its head, and what is below. Of several words that a head may
/// begin with it is the one below which most is known. The line has single blanks.
pub(super) fn unfolded(line: &str) -> Option<(&str, Vec<&str>)> {
    if line.len() > LONGEST {
        return None;
    }
    let words = Words::of(line);
    let may_begin = |begin: &usize| words.text(*begin, begin + 1).contains(IN_HEADS);
    let begins = (0..words.count().min(MOST_WORDS)).filter(may_begin);
    // `Gi0/1 is up` is one too, of another maker than `Gi0/1 is up, line protocol is up`; a name alone is nothing.
    let heads = begins.flat_map(|begin| words.ends_of(begin, is_head).map(move |end| (begin, end)));
    let heads = heads.filter(|(begin, end)| end - begin > 1);
    let tried = heads.flat_map(|(begin, end)| {
        let of_dialects = prepared_of(dialects_of(words.text(begin, end)));
        let to = words.count().min(end + TRIED);
        of_dialects.map(move |prepared| (begin, end, prepared, to))
    });
    let counted = tried.map(|(begin, end, prepared, to)| {
        let count = known(&words.pieces(end, to, prepared));
        (count, begin, end, prepared)
    });
    let all: Vec<_> = counted.filter(|(count, ..)| *count >= LEAST_LINES).collect();
    let (_, begin, end, prepared) = all.into_iter().rev().max_by_key(|(count, ..)| *count)?;
    let pieces = words.pieces(end, words.count(), prepared);
    // A head may go on with anything.
    let more = pieces.first().filter(|first| !first.is_known);
    let more = more.filter(|first| is_head(words.text(begin, first.to)));
    let end = more.map_or(end, |first| first.to);
    let below = pieces.iter().filter(|piece| piece.from >= end);
    let below = below.map(|piece| words.text(piece.from, piece.to).trim_end_matches([',', ';']));
    let lines = std::iter::once(words.text(begin, end)).chain(below).collect();
    Some((words.text(0, begin), lines))
}

/// Some words of a line.
struct Piece {
    from: usize,
    to: usize,
    /// A line of the dialect is like this.
    is_known: bool,
}

fn known(pieces: &[Piece]) -> usize {
    pieces.iter().filter(|piece| piece.is_known).count()
}

/// One of these is in the first word of a head.
const IN_HEADS: fn(char) -> bool =
    |sign| sign.is_ascii_digit() || matches!(sign, '=' | ':') || sign.is_ascii_uppercase();

/// A line by its words.
struct Words<'l> {
    line: &'l str,
    /// Where each begins, and where the line ends.
    begins: Vec<usize>,
}

impl<'l> Words<'l> {
    fn of(line: &'l str) -> Self {
        let line = line.trim_ascii();
        let is_begin = |at: &usize| *at == 0 || line.as_bytes().get(at - 1) == Some(&b' ');
        let places = line.match_indices(|sign: char| sign != ' ').map(|(at, _)| at);
        let begins = places.filter(is_begin).chain([line.len()]).collect();
        Self { line, begins }
    }

    fn count(&self) -> usize {
        self.begins.len() - 1
    }

    fn text(&self, from: usize, to: usize) -> &'l str {
        let at = |word: usize| self.begins.get(word).copied().unwrap_or(self.line.len());
        let text = self.line.get(at(from)..at(to)).unwrap_or_default();
        text.trim_ascii()
    }

    /// Behind which words a line may end that begins with this one.
    fn ends_of(&self, begin: usize, is_line: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
        let last = self.count().min(begin + MOST_WORDS);
        let is_end = move |end: &usize| is_line(self.text(begin, *end).trim_end_matches([',', ';']));
        (begin + 1..=last).filter(is_end)
    }

    /// The lines behind a head that this dialect knows, and what stands between them.
    fn pieces(&self, from: usize, to: usize, prepared: &Prepared) -> Vec<Piece> {
        let (mut pieces, mut open, mut next) = (Vec::new(), (from, false), from);
        let mut push = |(from, is_known): (usize, bool), to: usize| {
            if from < to {
                pieces.push(Piece { from, to, is_known });
            }
        };
        while next < to {
            match self.known_from(next, prepared) {
                Some((end, is_open)) => {
                    push(open, next);
                    open = (next, true);
                    next = end;
                    if !is_open {
                        push(open, end);
                        open = (end, false);
                    }
                }
                None => {
                    let ends = match open {
                        (from, true) => next - from >= MOST_WORDS || self.begins_counters(next, prepared),
                        (from, false) => self.is_figure(from) && self.begins_sentence(next),
                    };
                    if ends {
                        push(open, next);
                        open = (next, false);
                    }
                    next += 1;
                }
            }
        }
        push(open, to.max(next));
        pieces
    }

    fn is_figure(&self, word: usize) -> bool {
        self.text(word, word + 1)
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    }

    /// Whether a figure stands here before a name that the dialect has a counter by, of more than one word: `580757 packets input`.
    fn begins_counters(&self, word: usize, prepared: &Prepared) -> bool {
        let mut names = (word + 3..=word + 5).map(|end| self.text(word + 1, end).trim_end_matches(','));
        self.is_figure(word) && names.any(|name| prepared.counts(name))
    }

    /// Whether a word behind counters is of none: a large letter stands in their names only right behind a figure.
    fn begins_sentence(&self, word: usize) -> bool {
        let before = word.checked_sub(1).map_or("", |before| self.text(before, word));
        self.text(word, word + 1)
            .starts_with(|first: char| first.is_ascii_uppercase())
            && !before.starts_with(|first: char| first.is_ascii_digit() || first == '(')
            && !before.ends_with(',')
    }

    /// Where a known line ends that begins with this word, and whether it may go on; the longest of several.
    fn known_from(&self, begin: usize, prepared: &Prepared) -> Option<(usize, bool)> {
        // No line has more words, so what stands further on begins none here.
        let rest = self.text(begin, begin + MOST_WORDS);
        let glance = Glance::at(rest);
        let ends = prepared.telling_patterns(&glance).filter_map(|pattern| {
            let least = pattern.least(rest)?;
            let fits = |text: &str| text.len() >= least && pattern.fits_closely(text);
            Some((self.ends_of(begin, fits).next()?, pattern.is_open()))
        });
        // The last word of one that goes on with anything may be the first of the next line.
        ends.max_by_key(|(end, is_open)| (end - usize::from(*is_open), !is_open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_lines_of_the_dialect_begin() {
        let line = "r1#show interfaces Gi0/1 GigabitEthernet0/1 is up, line protocol is up (connected) Hardware is Gigabit Ethernet, \
                    address is 0000.5e00.5301 MTU 1500 bytes, BW 100000 Kbit, DLY 100 usec, reliability 255/255, txload 1/255 \
                    Encapsulation ARPA, loopback not set Queueing strategy: fifo Output queue: 0/40 (size/max) 5 minute input rate 7000 \
                    bits/sec, 3 packets/sec 41 packets input, 900 bytes Received 5 broadcasts, 0 runts 7 input errors, 6 CRC";
        let (command, lines) = unfolded(line).unwrap_or_default();
        assert_eq!(command, "r1#show interfaces Gi0/1");
        assert_eq!(
            lines[0],
            "GigabitEthernet0/1 is up, line protocol is up (connected)"
        );
        for piece in [
            "MTU 1500 bytes, BW 100000 Kbit, DLY 100 usec",
            "reliability 255/255, txload 1/255",
            "Output queue: 0/40 (size/max)",
            "5 minute input rate 7000 bits/sec, 3 packets/sec",
        ] {
            assert!(lines.contains(&piece), "{piece}: {lines:?}");
        }
    }

    #[test]
    fn a_sentence_is_no_output() {
        for line in [
            "After the change GigabitEthernet0/1 is up, line protocol is up and it has 7 input errors since Monday at noon, as it had",
            "show interfaces GigabitEthernet0/1 prints whether it is up, and how many input errors there were since it was cleared by hand",
        ] {
            assert!(unfolded(line).is_none(), "{line}");
        }
    }
}
