//! Which lines belong to the block that is open.

use super::{Blocks, Given};
use crate::arrival::{Dress, command_with_rest, is_fence, is_furniture, is_label, is_omission, is_torn};
use crate::command::prompted;
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::formats::{goes_on_behind_mark, is_of_console, prints_as_it_runs};
use crate::prompt::{behind_prompt, command_line, is_bare_prompt};
use crate::skipped::Skipped;
use crate::when::shell_date;

/// So many blank lines in a row say all that further ones would, and formats look back over them. No screen shows so many.
const MOST_BLANK: usize = 100;

/// So many lines stand between a command and its output at most.
const MOST_BETWEEN: usize = 8;

/// Whether the first line of a block is a command, and no head of an output: it has a prompt or options.
fn is_surely_command(line: &str) -> bool {
    line.contains(" -") || prompted(line).is_some()
}

impl Blocks<'_> {
    /// Takes a line as one that stands between a command and its output, while nothing but the command is in the block: a frame, a date,
    /// what ssh asks for.
    pub(super) fn passes_over(&mut self, format: &Format, line: &str) -> bool {
        let is_blank = |line: &str| line.trim_ascii().is_empty();
        let is_command_alone = || {
            let mut below = self.block.lines().skip(1);
            self.block.len() <= MOST_BETWEEN && below.all(|line| is_blank(line) || is_fence(line))
        };
        if !format.has_command || !is_command_alone() {
            return false;
        }
        let date = shell_date(line, self.context.utc_offset_s);
        // Of what a command printed its first lines were left out: the others are its own all the same.
        let is_between = date.is_some()
            || is_fence(line)
            || is_omission(line)
            || is_label(line)
            || is_furniture(line) && behind_prompt(line).is_none() && !is_bare_prompt(line);
        let is_frame = is_between && !is_blank(line) && self.block.first().is_some_and(is_surely_command);
        if is_frame {
            if let Some(at) = date {
                self.scene.dated(at);
            }
            self.skipped.push(self.block.len().saturating_sub(1), 1, false);
        }
        is_frame
    }

    /// Gives the line to the open block, if it is one of its own.
    pub(super) fn takes(&mut self, format: &'static Format, opening: &Opening<'_>) -> bool {
        let line = opening.line();
        let shown = self.dress.as_ref().map_or(Some(line), |dress| dress.off(line));
        if let Some(shown) = shown {
            return self.takes_indented(format, opening, true)
                || self.pushes(format, opening, shown)
                || self.takes_indented(format, opening, false);
        }
        if self.dress.as_ref().is_some_and(Dress::is_indentation) && self.block.len() > 1 {
            // Columns that are aligned on the right: ` 9  a`, `10  b`.
            return self.pushes(format, opening, line);
        }
        // Before a command alone what looks like the mark of a quote was a prompt, also where the output begins with blank lines.
        let is_alone = self.block.last_written_line() == self.block.first_line;
        let is_prompt = |dress: &Dress| dress.quotes() == 1 && is_alone;
        let is_below = self.block.len() > 1 && !self.dress.as_ref().is_some_and(is_prompt);
        if is_below || line.trim_ascii().is_empty() && self.first_raw.is_none() {
            return false;
        }
        if let Some((dress, text)) = self.dress.as_ref().and_then(|dress| dress.below_prompt(line)) {
            self.undress_first();
            let goes_on = self.pushes(format, opening, text);
            self.dress = goes_on.then_some(dress);
            return goes_on;
        }
        // A heading over several columns that is set in as a whole: its first line is further in than those below.
        let shared = self.dress.as_ref().and_then(|dress| dress.shared_with(line));
        let first = self.first_raw.clone().filter(|_| shared.is_some());
        self.undress_first();
        let Some((dress, first)) = shared.zip(first) else {
            return self.pushes(format, opening, line);
        };
        let off = |line| dress.off(line).unwrap_or(line);
        self.block.begin(self.block.first_line, off(&first));
        let goes_on = self.pushes(format, opening, off(line));
        self.dress = Some(dress);
        goes_on
    }

    /// Below a command alone Markdown indents what it printed: takes the line without, as it stands before all lines below. What begins an
    /// output without its blanks only, as some formats take any indented line, is taken so first.
    fn takes_indented(&mut self, format: &'static Format, opening: &Opening<'_>, is_head: bool) -> bool {
        let line = opening.line();
        let is_alone = || {
            let is_only = self.block.last_written_line() == self.block.first_line;
            is_only && self.block.len() <= MOST_BETWEEN && self.block.first().is_some_and(is_surely_command)
        };
        if !line.starts_with([' ', '\t']) || self.dress.is_some() || !format.has_command || !is_alone() {
            return false;
        }
        let around = Dress::around(line).filter(|(dress, _)| dress.is_indentation());
        let begins = |text: &str| (format.starts)(text) && !(format.starts)(line);
        let Some((dress, text)) = around.filter(|(_, text)| !is_head || begins(text)) else {
            return false;
        };
        let goes_on = self.pushes(format, opening, text);
        self.dress = goes_on.then_some(dress);
        goes_on
    }

    /// What stands before the first line stands before that one alone: a centred heading, a prompt, or words (`My ping: PING …`).
    pub(super) fn undress_first(&mut self) {
        self.dress = None;
        if let Some(first) = self.first_raw.take() {
            let is_alone = self.block.last_written_line() == self.block.first_line;
            let blanks = if is_alone {
                self.block.len().saturating_sub(1)
            } else {
                0
            };
            self.block.begin(self.block.first_line, &first);
            (0..blanks).for_each(|_| self.block.push(""));
        }
    }

    fn pushes(&mut self, format: &'static Format, opening: &Opening<'_>, line: &str) -> bool {
        if !format.group.may_have(line) {
            return false;
        }
        let goes_on = match self.asides.is_open() {
            // What stands between was nothing of it: the block goes on with what is surely its own.
            true => !line.trim_ascii().is_empty() && (format.continues)(&self.block, line),
            false => self.goes_on(format, opening, line) || self.goes_on_whole(format, line),
        };
        if goes_on {
            let place = self.block.len().saturating_sub(1);
            self.asides.lift(place, &mut self.skipped);
            if self.block.blank_count() < MOST_BLANK || !line.trim_ascii().is_empty() {
                self.block.push_asked(line);
            } else {
                self.skipped.push(place, 1, false);
            }
        }
        goes_on
    }

    /// Takes a line as one that stands between two of the block: words of who answers a mail among the lines that are quoted, or a
    /// mark that lines were left out, where that does no harm.
    pub(super) fn sets_aside(&mut self, format: &'static Format, opening: &Opening<'_>) -> bool {
        let line = opening.line();
        let may_stand = self.tail.is_empty() && !self.is_again && !self.asides.is_full();
        if !may_stand || format.takes_in.is_some() && self.block.len() == 1 {
            return false;
        }
        let is_blank = line.trim_ascii().is_empty();
        let shown = self.undressed(line);
        let is_aside = match &self.dress {
            _ if is_blank => self.asides.is_open(),
            Some(dress) if dress.is_outside(line) => {
                let is_rest = self.block.last().is_some_and(|last| is_torn(last, line));
                self.block.len() > 1
                    && !is_rest
                    && opening.begins().is_none()
                    && Dress::find(opening).is_none()
                    && command_line(line).is_none()
            }
            _ => match shown {
                Some(shown) if shown.trim_ascii().is_empty() => self.asides.is_open(),
                Some(shown) => is_omission(shown) && goes_on_behind_mark(format, &self.block),
                None => false,
            },
        };
        if is_aside {
            self.asides.push(self.line, line, shown.is_some_and(is_omission));
        }
        is_aside
    }

    /// What may be the rest of a line, without what stands before each line. What a screen broke begins in the first column.
    pub(super) fn undressed<'l>(&self, line: &'l str) -> Option<&'l str> {
        match &self.dress {
            Some(dress) => dress.off(line).or_else(|| dress.is_indentation().then_some(line)),
            None => Some(line),
        }
    }

    /// Takes a line that no format knows as what may be the rest of the block's last line, which a screen broke.
    pub(super) fn takes_rest(&mut self, opening: &Opening<'_>) -> bool {
        let line = opening.line();
        let shown = self.undressed(line);
        let is_rest = |text: &&str| {
            !self.is_again
                && self.given != Given::InOrder
                && self.width.may_go_on(&self.block, text)
                && command_line(text).is_none()
                && opening.begins().is_none()
                && opening.begins_with(text).is_none()
        };
        let Some(text) = shown.filter(is_rest) else {
            return false;
        };
        if self.block.len() == 1
            && let Some(command) = self
                .block
                .first()
                .and_then(|first| command_with_rest(first, text))
        {
            self.block.begin(self.line, &command);
            self.skipped = Skipped::default();
            return true;
        }
        self.strange.push(self.block.len());
        self.block.push(text);
        self.tail.push(line.to_owned());
        true
    }

    /// Whether a line goes on with the block if what may be rests of its lines are: a row of a table goes on with no half of a heading.
    pub(super) fn goes_on_whole(&mut self, format: &'static Format, line: &str) -> bool {
        if self.strange.is_empty() {
            return false;
        }
        let whole = self.whole.of(&self.block, &self.strange);
        whole.is_some_and(|whole| (format.continues)(whole, line))
    }

    /// Whether a line belongs to the block of the open format. Formats do not know each other: that one gives way to
    /// another is seen to here.
    fn goes_on(&self, format: &'static Format, opening: &Opening<'_>, line: &str) -> bool {
        // What is typed at a prompt is no stray line, of whichever format its output is.
        (format.continues)(&self.block, line)
            || format.takes_in.is_some_and(|takes_in| {
                takes_in(&self.block, line)
                    && command_line(line).is_none()
                    && (!opening.begins_another(format, line)
                        || prints_as_it_runs(format) && is_of_console(line))
            })
    }
}
