//! What is gathered because of a command above it: several commands in a quote and all that they print, and what a filter left of the output of
//! many hosts.

use super::Blocks;
use super::strands::Strands;
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::scene::host_before;

impl Blocks<'_> {
    /// Whether several commands are typed in this line of a quote, which is taken if they are: all that they print is read without what
    /// stands before it.
    pub(super) fn gathers_inside(&mut self, line: &str) -> bool {
        if self.is_again || self.is_gathered {
            return false;
        }
        self.strands = Strands::inside(line);
        let number = self.line;
        let strands = self.strands.as_mut();
        strands.is_some_and(|strands| strands.takes(number, line))
    }

    /// The command in the open block, if the output of a host goes on with it in this line, and not with a head of its own.
    pub(super) fn headless_command(&self, line: &str) -> Option<(&'static Format, String)> {
        let format = self
            .open
            .filter(|format| format.has_command && self.block.len() == 1)?;
        let (_, text) = line.split_at_checked(host_before(line)?.len() + 2)?;
        let is_headless = (format.continues)(&self.block, text) && Opening::new(text).begins().is_none();
        let command = self
            .block
            .first()
            .filter(|_| is_headless && !text.trim_ascii().is_empty())?;
        Some((format, command.to_owned()))
    }
}
