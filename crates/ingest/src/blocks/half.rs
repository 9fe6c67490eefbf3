//! A line as wide as a usual screen that nothing takes: the screen may have broken it, and what it is shows with its rest.

use super::{Blocks, Given};
use crate::Event;
use crate::arrival::{LARGEST_WRAPPED, may_be_broken};
use crate::command::prompted;
use crate::format::Format;
use crate::formats::openings::Opening;

impl Blocks<'_> {
    /// Holds a line that goes on with no block and begins none, until the next one comes.
    pub(super) fn holds_half(&mut self, line: &str) -> bool {
        let may_be_half = !self.is_again
            && !self.is_gathered
            && self.given != Given::InOrder
            && self.dress.is_none()
            && !self.asides.is_open()
            && !line.trim_ascii().is_empty()
            && may_be_broken(line);
        if may_be_half {
            self.half = Some((self.line, line.to_owned()));
        }
        may_be_half
    }

    /// Takes the line that was held, and the next one with it where it is the rest; whether it is.
    pub(super) fn takes_half(&mut self, next: Option<&str>, sink: &mut dyn FnMut(Event)) -> bool {
        let Some((number, half)) = self.half.take() else {
            return false;
        };
        let line = std::mem::replace(&mut self.line, number);
        // A rest stands right below.
        let rest = next.filter(|_| number + 1 == line);
        let is_joined = rest.is_some_and(|rest| self.joins_half(&half, rest, sink));
        if !is_joined {
            self.take_shown(&half, false, sink);
        }
        self.line = line;
        is_joined
    }

    fn joins_half(&mut self, half: &str, rest: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let is_own = || prompted(rest).is_some() || Opening::new(rest).begins().is_some();
        if rest.trim_ascii().is_empty() || is_own() {
            return false;
        }
        let whole = format!("{half}{rest}");
        let opening = Opening::new(&whole);
        let is_going_on = self
            .open
            .is_some_and(|format| self.goes_on_behind(format, &whole));
        if is_going_on {
            self.block.push(half);
            self.tail.push(half.to_owned());
        } else if let Some(format) = opening.begins() {
            self.close_all(sink);
            self.begin(format, half, None, sink);
        } else {
            return false;
        }
        self.strange.push(self.block.len());
        self.block.push(rest);
        self.tail.push(rest.to_owned());
        true
    }

    /// Whether the whole line goes on with the open block, whatever a screen broke in it.
    fn goes_on_behind(&mut self, format: &'static Format, line: &str) -> bool {
        self.block.held_bytes() < LARGEST_WRAPPED
            && ((format.continues)(&self.block, line) || self.goes_on_whole(format, line))
    }
}
