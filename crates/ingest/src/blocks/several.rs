//! Outputs of several commands that were typed in one line: each is read as if its own command stood above it.

use super::Blocks;
use super::unknown::unknown_lines;
use crate::Event;
use crate::block::Block;
use crate::command::{prompted, watched};
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::prompt::CommandLine;
use crate::script::Script;
use crate::skipped::Skipped;
use crate::when::shell_date;

/// Where the command stands that an open block begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Given {
    /// In the block's first line, or nowhere.
    #[default]
    OnItsLine,
    /// In a line above, which is no line of the block.
    Above,
    /// There, and only the order of outputs tells that it is this block's.
    InOrder,
}

/// Outputs of several commands, until it is known whether each has its own.
#[derive(Default)]
pub(super) struct Pending {
    outputs: Vec<Output>,
    /// Their format, once each has.
    format: Option<&'static Format>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }
}

/// An output as its command has it, and without.
#[derive(Default)]
struct Output {
    told: Vec<Event>,
    untold: Vec<Event>,
}

impl Blocks<'_> {
    /// Takes a line that says what is below it, as one of the commands typed above made it do.
    pub(super) fn takes_heading(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        if self.scene.script.hears(line).is_none() {
            return false;
        }
        self.line -= 1;
        self.close_all(sink);
        self.settle(None, sink);
        self.line += 1;
        // What was no rest of the output above may have ended the scene.
        let is_heard = self.scene.hears(line);
        if is_heard {
            self.begin_alone();
        }
        is_heard
    }

    /// Takes the head of a screen of watch(1): below it is what the command prints.
    pub(super) fn takes_watched(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let Some(watched) = watched(line) else {
            return false;
        };
        self.line -= 1;
        self.close_all(sink);
        self.line += 1;
        self.take_typed(&CommandLine::on(watched.host, watched.command), sink);
        self.scene
            .printed(shell_date(watched.date, self.context.utc_offset_s).flatten());
        let command = format!("{}# {}", watched.host.unwrap_or_default(), watched.command);
        if let Some(format) = Opening::new(&command).begins() {
            self.begin_given(format, &command, self.line);
        }
        true
    }

    /// Takes a command that stands on several lines.
    pub(super) fn takes_continued(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let takes = self.continued.takes(line);
        if let Some(whole) = self.continued.take_whole() {
            self.take_continued(whole, sink);
        }
        takes
    }

    pub(super) fn take_continued(&mut self, (command, lines): (String, u64), sink: &mut dyn FnMut(Event)) {
        self.line -= lines;
        self.take_line(&command, sink);
        self.skip(lines - 1, true);
    }

    /// Takes a line that has several commands typed.
    pub(super) fn takes_several(&mut self, line: &str, sink: &mut dyn FnMut(Event)) -> bool {
        let Some((typed, script)) = Script::typed(line) else {
            return false;
        };
        self.take_typed(&typed, sink);
        self.scene.script = script;
        self.begin_alone();
        true
    }

    /// Takes what was typed; what it printed may be known.
    fn take_typed(&mut self, typed: &CommandLine<'_>, sink: &mut dyn FnMut(Event)) {
        self.settle(None, sink);
        self.complain_about_command(sink);
        self.complain_about_unknown(sink);
        self.scene.typed(typed);
        self.quotes = 0;
        self.command_alone = Some(unknown_lines(self.line, self.line));
    }

    /// Opens a block where all that comes up to the next heading is of one command.
    fn begin_alone(&mut self) {
        if let Some((format, command)) = self.scene.script.alone() {
            self.begin_given(format, &command, self.line);
        }
    }

    /// Opens a block with a line that begins an output, below the command that printed it.
    pub(super) fn begins_several(&mut self, opening: &Opening<'_>, sink: &mut dyn FnMut(Event)) -> bool {
        let Some(format) = opening.begins() else {
            return false;
        };
        let Some((command, is_only)) = self.scene.script.command_for(format) else {
            self.scene.is_of_others();
            return false;
        };
        self.complain_about_unknown(sink);
        self.begin_given(format, &command, self.line - 1);
        if self.takes(format, opening) {
            self.given = if is_only { Given::Above } else { Given::InOrder };
        } else {
            self.block.begin(self.line, opening.line());
        }
        true
    }

    /// Reads a block of which the order of outputs alone tells the command: that holds where each command has its output. Who copied
    /// them may have left one out, so it is also read without.
    pub(super) fn close_in_order(&mut self, format: &'static Format) {
        let mut bare = Block::default();
        let mut lines = self.block.lines().skip(1);
        bare.begin(self.block.first_line + 1, lines.next().unwrap_or_default());
        lines.for_each(|line| bare.push(line));
        let mut output = Output::default();
        self.given = Given::Above;
        self.close_block(format, &mut |event| output.told.push(event));
        (self.block, self.given, self.skipped) = (bare, Given::OnItsLine, Skipped::default());
        let scene = self.scene.clone();
        self.scene.is_anywhere();
        self.close_block(format, &mut |event| output.untold.push(event));
        self.scene = scene;
        self.pending.outputs.push(output);
        self.pending.format = (!self.scene.script.expects(format)).then_some(format);
    }

    /// Hands on what waited for whether each command has its output, as what begins now is not of them. If it is of the same format, there
    /// are more outputs than commands.
    pub(super) fn settle(&mut self, begun: Option<&'static Format>, sink: &mut dyn FnMut(Event)) {
        let pending = std::mem::take(&mut self.pending);
        let is_same = |last| begun.is_some_and(|begun| std::ptr::eq(begun, last));
        let has_each = pending.format.is_some_and(|last| !is_same(last));
        for output in pending.outputs {
            let events = if has_each { output.told } else { output.untold };
            events.into_iter().for_each(&mut *sink);
        }
    }

    pub(super) fn begin_given(&mut self, format: &'static Format, command: &str, line: u64) {
        if let Some(typed) = prompted(command) {
            self.scene.stepped(&typed);
        }
        self.command_alone = None;
        self.block.begin(line, command);
        self.open_block(format);
    }
}
