//! Two programs that print into one terminal at the same time, with nothing before their lines: what each line looks like tells whose it
//! is. Only programs that print while they run stand in each other's lines like this.

use super::Blocks;
use super::strands::Line;
use crate::Event;
use crate::block::Block;
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::formats::prints_as_it_runs;
use crate::prompt::command_line;

/// No more lines are gathered: a copy of a terminal is shorter.
const MOST: usize = 4_000;

/// The lines of both, since one broke into the other's.
pub(super) struct InTurn {
    /// The one that was open, and the one that broke in.
    both: [Strand; 2],
    /// Whose the last line was.
    last: usize,
    /// The last line above.
    above: u64,
}

struct Strand {
    format: &'static Format,
    /// What it has so far, to ask whether a line goes on with it.
    block: Block,
    lines: Vec<Line>,
}

impl InTurn {
    /// Whose a line is: it goes on with one of them. What begins like one and does not go on with it is a third output.
    fn whose(&self, opening: &Opening<'_>) -> Option<usize> {
        let line = opening.line();
        if command_line(line).is_some() {
            return None;
        }
        let goes_on = |place: &usize| {
            let strand = self.both.get(*place);
            strand.is_some_and(|strand| (strand.format.continues)(&strand.block, line))
        };
        let (last, other) = (self.last, 1 - self.last);
        let (by_last, by_other) = (goes_on(&last), goes_on(&other));
        let begins_other = || {
            let other = self.both.get(other);
            opening
                .begins()
                .zip(other)
                .is_some_and(|(begun, other)| std::ptr::eq(begun, other.format))
        };
        match (by_last, by_other) {
            (true, true) if begins_other() => Some(other),
            (true, _) => Some(last),
            (false, true) => Some(other),
            (false, false) => None,
        }
    }

    /// Takes a line of one of them.
    fn takes(&mut self, number: u64, opening: &Opening<'_>) -> bool {
        let count: usize = self.both.iter().map(|strand| strand.lines.len()).sum();
        let whose = self.whose(opening).filter(|_| count < MOST);
        let Some((whose, strand)) = whose.and_then(|whose| Some((whose, self.both.get_mut(whose)?))) else {
            return false;
        };
        strand.block.push(opening.line());
        strand.lines.push(Line::new(number, opening.line()));
        self.last = whose;
        true
    }
}

impl Blocks<'_> {
    /// Whether the output of another program breaks into the open one with this line, which is taken then.
    pub(super) fn begins_in_turn(&mut self, format: &'static Format, opening: &Opening<'_>) -> bool {
        let may_be = prints_as_it_runs(format)
            && !self.is_again
            && !self.is_gathered
            && self.dress.is_none()
            && self.tail.is_empty()
            && !self.asides.is_open()
            && self.pending.is_empty();
        let begun = opening.begins().filter(|begun| {
            may_be
                && prints_as_it_runs(begun)
                && !std::ptr::eq(*begun, format)
                && command_line(opening.line()).is_none()
        });
        let Some(begun) = begun else {
            return false;
        };
        let mut block = Block::default();
        block.begin(self.line, opening.line());
        let other = Strand {
            format: begun,
            block,
            lines: vec![Line::new(self.line, opening.line())],
        };
        let open = Strand {
            format,
            block: self.block.clone(),
            lines: Vec::new(),
        };
        self.in_turn = Some(InTurn {
            both: [open, other],
            last: 1,
            above: self.line - 1,
        });
        true
    }

    /// Takes a line of two programs that print in turn; both are read above one that is neither's.
    pub(super) fn takes_in_turn(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let number = self.line;
        let Some(turn) = &mut self.in_turn else {
            return false;
        };
        let takes = turn.takes(number, &Opening::new(line));
        if !takes {
            self.line -= 1;
            self.read_in_turn(sink);
            self.line += 1;
        }
        takes
    }

    /// So many further lines of the text are part of the last one that was gathered.
    pub(super) fn skips_in_turn(&mut self, count: u64) -> bool {
        let Some(turn) = &mut self.in_turn else {
            return false;
        };
        let last = turn
            .both
            .get_mut(turn.last)
            .and_then(|strand| strand.lines.last_mut());
        last.map(|last| last.further += count).is_some()
    }

    /// Reads what was gathered, each by itself.
    pub(super) fn read_in_turn(&mut self, sink: &mut dyn FnMut(Event)) {
        let Some(InTurn {
            both: [open, other],
            above,
            ..
        }) = self.in_turn.take()
        else {
            return;
        };
        let line = self.line;
        let is_mixed = open.lines.iter().any(|line| !line.text.trim_ascii().is_empty());
        if !is_mixed {
            // The one was over before the other began.
            let was_gathered = std::mem::replace(&mut self.is_gathered, true);
            let beginnings = self.beginnings.take();
            let mut lines: Vec<Line> = open.lines.into_iter().chain(other.lines).collect();
            lines.sort_by_key(|line| line.number);
            for Line {
                number,
                further,
                text,
            } in lines
            {
                self.line = number - 1;
                self.take_line(&text, sink);
                self.skip(further, true);
            }
            self.is_gathered = was_gathered;
            self.beginnings = beginnings;
            self.line = line;
            return;
        }
        let was_again = std::mem::replace(&mut self.is_again, true);
        let scene = self.scene.clone();
        let mut events = Vec::new();
        let mut note = |event| events.push(event);
        // The lines of the other stand between.
        self.line = above;
        let first = open.lines.first().map_or(above, |line| line.number - 1);
        self.skip(first - above, false);
        self.take_strand(&open.lines, &mut note);
        self.close_all(&mut note);
        self.scene = scene;
        self.take_strand(&other.lines, &mut note);
        self.close_all(&mut note);
        self.is_again = was_again;
        self.line = line;
        events.sort_by_key(Event::first_line);
        events.into_iter().for_each(sink);
    }

    /// Takes the lines of one of them.
    fn take_strand(&mut self, lines: &[Line], sink: &mut dyn FnMut(Event)) {
        let mut numbers = lines.iter().skip(1).map(|line| line.number);
        for line in lines {
            self.line = line.number - 1;
            self.take_line(&line.text, sink);
            let next = numbers.next().unwrap_or(line.number + line.further + 1);
            if self.open.is_some() {
                self.skip(next.saturating_sub(line.number + 1), false);
            }
        }
    }
}
