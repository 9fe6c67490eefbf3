//! Lines that a screen or a mail program broke in two.
//!
//! Nothing marks such a line: it is as wide as the text, and what follows is its rest, or it is not. So both readings are
//! tried where the one as it stands leaves something to complain about, or where the text is just as wide as screens are.
//! The lines are joined where that says more.

use super::clean::is_fence;
use super::torn::is_torn;
use crate::block::Block;
use crate::prompt::command_line;
use std::cell::RefCell;

/// What broke the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// A terminal: in front of the first character that its width does not hold.
    Screen,
    /// A mail program: at the last blank in front of it.
    Mail,
}

/// No screen or mail is narrower, characters.
pub(super) const NARROWEST: usize = 60;
/// Nor is the page of a book.
const NARROWEST_PAGE: usize = 50;
/// How wide a terminal is unless somebody made it wider: a text of just that width was probably broken.
const USUAL: usize = 80;
/// Of more lines that may be broken it is not asked for each of them whether it was.
const MOST_DOUBTED: usize = 16;
/// What no line of a tool begins with: it stands behind something.
const BEHIND: [char; 9] = ['.', ',', ':', ';', ')', '%', '/', '_', '@'];
/// Larger blocks are no copies from a screen, and reading them again for each line that may be broken takes too long.
pub(crate) const LARGEST_WRAPPED: usize = 32 << 10;

/// What is odd about a block as it stands.
pub(crate) struct Odd<'b> {
    /// How much there is to complain about.
    pub(crate) complaints: u64,
    /// The places of lines that no format knows, behind one that is as wide as the text.
    pub(crate) strange: &'b [usize],
    /// The places of lines that its format could not read, each by itself.
    pub(crate) unread: &'b [usize],
}

/// How wide the lines of a block are, each looked at once.
#[derive(Debug, Default)]
pub(crate) struct Width {
    widest: usize,
    lines: usize,
}

impl Width {
    /// Whether the line may be the rest of the block's last one.
    pub(crate) fn may_go_on(&mut self, block: &Block, line: &str) -> bool {
        let last = block.last().unwrap_or_default();
        if last.len() < NARROWEST / 2 || line.trim_ascii().is_empty() || block.held_bytes() > LARGEST_WRAPPED
        {
            return false;
        }
        let new = (self.lines..block.len()).filter_map(|place| block.get(place));
        self.widest = new.map(width).max().unwrap_or(0).max(self.widest);
        self.lines = block.len();
        // A screen breaks in the midst of the blanks between two columns as well.
        self.widest >= NARROWEST && Wrap::Mail.breaks(self.widest, last, line)
            || self.widest == USUAL && Wrap::Screen.breaks(self.widest, last, line)
    }
}

/// A block as it is where rests of lines that a screen broke stand behind those lines, each line looked at once.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    block: Block,
    /// How many lines were looked at.
    lines: usize,
    /// A line is wider, or less wide and has a rest.
    is_of_no_screen: bool,
}

impl Whole {
    /// Of a block and the places of its rests; `None` where no usual screen broke it so.
    pub(crate) fn of(&mut self, block: &Block, rests: &[usize]) -> Option<&Block> {
        for place in self.lines..block.len() {
            let line = block.get(place)?;
            let before = place.checked_sub(1).and_then(|before| block.get(before));
            match before.filter(|_| rests.binary_search(&place).is_ok()) {
                Some(before) => {
                    self.is_of_no_screen |= width(before) != USUAL;
                    let whole = self.block.last().unwrap_or_default().to_owned() + line;
                    self.block.truncate(self.block.len() - 1);
                    self.block.push(&whole);
                }
                None if place == 0 => self.block.begin(block.first_line, line),
                None => self.block.push(line),
            }
            self.is_of_no_screen |= width(line) > USUAL;
            self.lines = place + 1;
        }
        (!self.is_of_no_screen).then_some(&self.block)
    }
}

pub(super) fn width(line: &str) -> usize {
    line.chars().count()
}

impl Wrap {
    /// Whether it would have broken a line of this width between the two.
    fn breaks(self, widest: usize, line: &str, next: &str) -> bool {
        // A rule that is as wide as the text is whole.
        let is_rule = |line: &str| !line.contains(char::is_alphanumeric);
        self.is_wide(widest, line, next)
            && (is_rule(next) || !is_rule(line))
            && (command_line(line).is_none() || is_rest(line, next))
    }

    /// Whether the line is so wide that nothing of the next one had a place behind it.
    fn is_wide(self, widest: usize, line: &str, next: &str) -> bool {
        match self {
            Self::Screen => line.len() >= widest && width(line) == widest,
            // The rest begins in the first column.
            Self::Mail => {
                let next = if next.starts_with([' ', '\t']) { "" } else { next };
                let word = next.split_whitespace().next();
                word.is_some_and(|word| width(line) + 1 + width(word) > widest)
            }
        }
    }

    /// Where the block may be broken: the places of lines that may be the rest of those before them.
    fn rests(self, block: &Block, widest: usize) -> Vec<usize> {
        if self == Self::Screen && is_padded(block, widest) {
            return Vec::new();
        }
        let pairs = block.lines().zip(block.lines().skip(1)).enumerate();
        let broken = pairs.filter(|(_, (line, next))| {
            !next.trim_ascii().is_empty()
                && !is_fence(next)
                && !line.trim_ascii().is_empty()
                && self.breaks(widest, line, next)
        });
        broken.map(|(place, _)| place + 1).collect()
    }

    /// The block with these lines joined to those before them, or left out with those that `left_out` names.
    fn joined(self, block: &Block, rests: &[usize], left_out: &[usize]) -> Joined {
        let mut joined = Joined::default();
        let mut lines: Vec<(u64, String)> = Vec::new();
        for (place, (number, line)) in block.numbered().enumerate() {
            match lines.last_mut() {
                Some(_) if left_out.contains(&place) => {}
                Some((_, before)) if rests.contains(&place) => {
                    joined.is_torn |= is_rest(before, line);
                    if self == Self::Mail {
                        before.push(' ');
                        before.push_str(line.trim_ascii_start());
                    } else {
                        before.push_str(line);
                    }
                }
                _ => lines.push((number, line.to_owned())),
            }
        }
        for (number, line) in &lines {
            if joined.begins.is_empty() {
                joined.block.begin(*number, line);
            } else {
                joined.block.push(line);
            }
            joined.begins.push(*number);
        }
        joined.begins.push(block.last_line() + 1);
        joined
    }

    /// The block with its broken lines joined, where that is how they were; `read` tells how well a block is read, and `plain`
    /// how well this one is as it stands.
    pub(crate) fn undone(
        self,
        block: &Block,
        odd: &Odd<'_>,
        plain: impl Fn() -> Score,
        read: impl Fn(&Block) -> Score,
    ) -> Option<Joined> {
        let strange = odd.strange;
        // What a mail or the page of a book broke begins like no line of a tool.
        let (narrowest, may_be_unusual) = match self {
            Self::Screen => (NARROWEST, odd.complaints > 0),
            Self::Mail if strange.is_empty() => (NARROWEST_PAGE, odd.unread.len() > 1),
            Self::Mail => (NARROWEST, true),
        };
        let may_be_usual = self == Self::Screen;
        if block.held_bytes() > LARGEST_WRAPPED || !may_be_usual && !may_be_unusual {
            return None;
        }
        // A line has no more characters than bytes, and bytes are there to be seen.
        let least = if may_be_unusual { narrowest } else { USUAL };
        if !block.lines().any(|line| line.len() >= least) {
            return None;
        }
        // What has no more bytes is no wider.
        let wider = |widest: usize, line: &str| match line.len() > widest {
            true => width(line).max(widest),
            false => widest,
        };
        let widest = block.lines().fold(0, wider);
        let is_usual = widest == USUAL && self == Self::Screen;
        if widest < narrowest || !(is_usual || may_be_unusual) {
            return None;
        }
        let rests = self.rests(block, widest);
        // At an unusual width more than one line is broken, or what looks like the width is not; and at one that screens hardly have, more
        // than one in the midst of a word: rows of a table are all as wide.
        let is_torn_at = |place: &&usize| {
            let before = place.checked_sub(1).and_then(|before| block.get(before));
            before
                .zip(block.get(**place))
                .is_some_and(|(line, next)| is_torn(line, next))
        };
        let is_width = |rests: &[usize]| match self {
            _ if is_usual => !rests.is_empty(),
            Self::Screen if widest < USUAL => rests.iter().filter(is_torn_at).nth(1).is_some(),
            // A line that a format knows by itself is no sign of it: an error behind another one of a ping.
            Self::Mail => rests
                .iter()
                .filter(|place| strange.contains(place) || odd.unread.contains(place))
                .nth(1)
                .is_some(),
            _ => rests.len() > 1,
        };
        let has_strange = |rests: &[usize]| strange.iter().all(|place| rests.contains(place));
        if !is_width(&rests) || !has_strange(&rests) {
            return None;
        }
        // Whether one line is a rest is asked while others are, and again when one of them is none: most readings are the same.
        let known = RefCell::<Vec<(Vec<usize>, Vec<usize>, Score)>>::default();
        let score = |rests: &[usize], left_out: &[usize]| {
            let is_same =
                |(joined, left, _): &&(Vec<usize>, Vec<usize>, Score)| joined == rests && left == left_out;
            if let Some((.., score)) = known.borrow().iter().find(is_same) {
                return *score;
            }
            let score = read(&self.joined(block, rests, left_out).block);
            known
                .borrow_mut()
                .push((rests.to_vec(), left_out.to_vec(), score));
            score
        };
        let rests = doubted(rests, score, |place| {
            let line = block.get(place).unwrap_or_default();
            let holds_figures = line.contains(|c: char| c.is_ascii_digit());
            let is_strange = strange.contains(&place);
            // One line that no format knows may be anything; several behind lines that are as wide as a screen are rests.
            is_usual && (strange.len() > 1 || !holds_figures) || is_strange && !holds_figures
        })?;
        if !is_width(&rests) || !has_strange(&rests) {
            return None;
        }
        let mut joined = self.joined(block, &rests, &[]);
        // Lines that no format knows ended the plain reading, and what stands behind them is read as well where nothing is joined.
        let says_less = || score(&rests, &[]).figures < score(&[], &[]).figures;
        // What no format could read in two halves, and reads as one, needs tell no more than the summary below it.
        let is_half = |place: usize| odd.unread.contains(&place) && odd.unread.contains(&(place - 1));
        let halves = self == Self::Mail && rests.iter().all(|place| is_half(*place));
        if !joined.is_right(
            plain(),
            score(&rests, &[]),
            (is_usual, halves),
            !strange.is_empty(),
        ) || !strange.is_empty() && says_less()
        {
            return None;
        }
        if self == Self::Screen {
            // Where columns end below each other a mail program breaks all lines at the same place as well, narrower than a screen, and of two
            // cells would be made one.
            let spaced = Self::Mail.joined(block, &rests, &[]);
            if widest < USUAL && read(&spaced.block).is_better_than(score(&rests, &[])) {
                return Some(spaced);
            }
            let (kept, lost) = without_lost(block, &rests, widest);
            joined.block = self.joined(&kept, &rests, &[]).block;
            joined.lost = lost;
            // All rows of a table end below the same letter: none of them lost a word.
            if !joined.lost.is_empty() && read(&joined.block).complaints > plain().complaints {
                return None;
            }
        }
        Some(joined)
    }
}

/// The block without the last words of lines that are as wide as the screen and have no rest, which may have been lost; and the numbers
/// of those lines.
fn without_lost(block: &Block, rests: &[usize], widest: usize) -> (Block, Vec<u64>) {
    let (mut kept, mut lost) = (Block::default(), Vec::new());
    for (place, (number, line)) in block.numbered().enumerate() {
        let may_be_cut =
            width(line) == widest && !rests.contains(&(place + 1)) && line.ends_with(char::is_alphanumeric);
        let before = line.rsplit_once(' ').filter(|_| may_be_cut);
        let line = before.map_or(line, |(before, _)| before);
        lost.extend(before.map(|_| number));
        match place {
            0 => kept.begin(number, line),
            _ => kept.push(line),
        }
    }
    (kept, lost)
}

/// The rests without those that are none: not every line that is as wide as the text was broken. `None` where none is left.
/// Without a rest, and without what it is the rest of, there has to be less to read, unless it `may_be_idle`: in a text as wide as screens are, or the end of a
/// word that nobody reads.
fn doubted(
    mut rests: Vec<usize>,
    score: impl Fn(&[usize], &[usize]) -> Score,
    may_be_idle: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    if rests.is_empty() || rests.len() > MOST_DOUBTED {
        // All or none of them.
        let busy: Vec<usize> = rests.iter().copied().filter(|rest| !may_be_idle(*rest)).collect();
        let is_read = || score(&rests, &[]).is_better_than(score(&rests, &busy));
        return (busy.is_empty() && !rests.is_empty() || is_read()).then_some(rests);
    }
    // What one line tells depends on how those around it are read.
    loop {
        let before = rests.len();
        for place in rests.clone() {
            let fewer: Vec<usize> = rests.iter().copied().filter(|rest| *rest != place).collect();
            let (with, without) = (score(&rests, &[]), score(&fewer, &[]));
            let is_as_good = |other: Score| !with.is_better_than(other);
            let is_idle = || {
                !may_be_idle(place)
                    && (is_as_good(score(&rests, &[place])) || is_as_good(score(&fewer, &[place - 1])))
            };
            if without.is_better_than(with) || is_idle() {
                rests = fewer;
            }
        }
        if rests.is_empty() || rests.len() == before {
            return (!rests.is_empty()).then_some(rests);
        }
    }
}

/// Whether lines are filled up with blanks to the width: most of the text is as wide, and ends so. Of broken lines every other is a rest.
fn is_padded(block: &Block, widest: usize) -> bool {
    let lines = || block.lines().filter(|line| !line.trim_ascii().is_empty());
    let mut wide = lines().filter(|line| line.len() >= widest && width(line) == widest);
    let is_filled = wide.clone().count() * 2 > lines().count();
    is_filled && wide.all(|line| line.ends_with(' '))
}

/// Whether the line can hardly be one by itself: it begins as none does, in the middle of a word, or as what may stand behind a
/// command line.
fn is_rest(before: &str, line: &str) -> bool {
    let is_in_word = before.ends_with(|c: char| c.is_ascii_alphabetic())
        && line.starts_with(|c: char| c.is_ascii_lowercase());
    line.starts_with(BEHIND)
        || match command_line(before) {
            Some(_) => is_rest_of_command(before, line),
            None => is_in_word,
        }
}

/// Whether it begins with the rest of a word or of a number, or an option, and has options or one word only: not prose.
fn is_rest_of_command(before: &str, line: &str) -> bool {
    let in_number = before.ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == ':');
    let may_begin =
        |c: char| c.is_ascii_lowercase() || matches!(c, '-' | ' ') || in_number && c.is_ascii_digit();
    let is_option = |word: &str| word.starts_with(['-', '|', '>']) || word.contains('=');
    line.starts_with(may_begin)
        && (line.split_whitespace().count() == 1 || line.split_whitespace().any(is_option))
}

/// Whether a usual screen would have broken the line at its end.
pub(crate) fn may_be_broken(line: &str) -> bool {
    width(line).is_multiple_of(USUAL)
}

/// A command line that a usual screen broke, with its rest.
pub(crate) fn command_with_rest(command: &str, rest: &str) -> Option<String> {
    let is_broken = may_be_broken(command) && command_line(command).is_some() && is_rest(command, rest);
    is_broken.then(|| format!("{command}{rest}"))
}

/// How good a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Score {
    /// How many figures and words its records hold.
    pub(crate) figures: usize,
    /// How much is left to complain about.
    pub(crate) complaints: u64,
}

impl Score {
    fn is_better_than(self, other: Self) -> bool {
        (self.figures, other.complaints) > (other.figures, self.complaints)
            && self.complaints <= other.complaints
    }
}

/// A block with joined lines.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) block: Block,
    /// The lines of the text of which a last word was left out, as it may be half of one.
    pub(crate) lost: Vec<u64>,
    /// Whether one of the lines can hardly be one by itself.
    is_torn: bool,
    /// The number of the line that each of its lines begins on, and of the one behind the last.
    begins: Vec<u64>,
}

impl Joined {
    /// Whether the joined lines are the text, as what is read of them tells beside what is read of the lines as they are.
    fn is_right(
        &self,
        plain: Score,
        joined: Score,
        (is_usual, are_halves): (bool, bool),
        has_rest: bool,
    ) -> bool {
        let (more, fewer) = (
            joined.figures > plain.figures,
            joined.complaints < plain.complaints,
        );
        if !is_usual {
            return fewer && (more || are_halves && joined.figures == plain.figures);
        }
        let is_as_good = joined.figures == plain.figures && joined.complaints <= plain.complaints;
        // Rows of a table that are as wide as a screen join to one that leaves nothing to complain about, and tells little.
        let is_enough = joined.figures > 0 && joined.figures * 2 >= plain.figures;
        more && joined.complaints <= plain.complaints
            || fewer && joined.complaints == 0 && is_enough
            || is_as_good && (self.is_torn || has_rest)
    }

    /// The lines of the text that these lines of the block stand on.
    pub(crate) fn lines_of_text(&self, (first, last): (u64, u64)) -> (u64, u64) {
        let place = |number: u64| usize::try_from(number.saturating_sub(self.block.first_line)).ok();
        let begin = |place: Option<usize>| place.and_then(|place| self.begins.get(place)).copied();
        (
            begin(place(first)).unwrap_or(first),
            begin(place(last).map(|place| place + 1)).map_or(last, |next| next - 1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(lines: &[&str]) -> Block {
        let mut block = Block::default();
        block.begin(11, lines[0]);
        lines[1..].iter().for_each(|line| block.push(line));
        block
    }

    /// Joined, where what stands behind an `=` is a figure if an `x` stands in front of it, else to be complained about.
    fn undone(wrap: Wrap, block: &Block) -> Option<Joined> {
        let read = |block: &Block| {
            let parts = |line: &str| line.matches('=').count();
            let (wide, short): (Vec<&str>, Vec<&str>) = block.lines().partition(|line| line.starts_with('x'));
            Score {
                figures: wide.into_iter().map(parts).sum(),
                complaints: short.into_iter().map(parts).sum::<usize>() as u64,
            }
        };
        let strange: Vec<usize> = (1..block.len())
            .filter(|place| block.get(*place).is_some_and(|line| line.starts_with('=')))
            .collect();
        let odd = Odd {
            complaints: 1,
            strange: &strange,
            unread: &[],
        };
        wrap.undone(block, &odd, || read(block), read)
    }

    #[test]
    fn lines_that_were_broken_are_joined_and_keep_their_numbers() {
        let full = format!("{}1", "x".repeat(79));
        let text = block(&["head", &full, "2 =ms", &full, &full, "=3", "end"]);
        let joined = undone(Wrap::Screen, &text).unwrap();
        let lines: Vec<&str> = joined.block.lines().collect();
        let (second, third) = (format!("{full}2 =ms"), format!("{full}=3"));
        // What is as wide as the screen was not broken for that.
        assert_eq!(lines, ["head", &second, &full, &third, "end"]);
        assert_eq!(joined.lines_of_text((11, 12)), (11, 13));
        assert_eq!(joined.lines_of_text((13, 14)), (14, 16));
        let words = "xix and ".repeat(10);
        let text = block(&["head", &words, "=next 1", &words, "=next 2", "end"]);
        let joined = undone(Wrap::Mail, &text).unwrap();
        assert_eq!(joined.block.get(2), Some(&*format!("{words} =next 2")));
        assert!(undone(Wrap::Screen, &block(&["short", "lines"])).is_none());
    }

    #[test]
    fn only_behind_a_wide_line_may_the_rest_of_one_stand() {
        let wide = "x".repeat(70);
        for (lines, line, may) in [
            (vec!["head", &*wide], "rest", true),
            (vec!["head", &*wide, "short"], "rest", false),
            (vec!["head", &*wide], "", false),
            (vec!["head"], "rest", false),
        ] {
            assert_eq!(Width::default().may_go_on(&block(&lines), line), may, "{lines:?}");
        }
    }
}
