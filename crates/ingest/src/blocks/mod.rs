//! Lines to blocks, blocks to records.

mod closing;
mod half;
mod headed;
mod in_turn;
mod inside;
mod ruled;
mod several;
mod strands;
mod strange;
mod taking;
mod unknown;

use crate::arrival::{Continued, Dress, LARGEST_WRAPPED, Numbers, Whole, Width, stamp_length};
use crate::asides::Asides;
use crate::block::Block;
use crate::command::prompted;
use crate::format::Format;
use crate::formats::openings::Opening;
use crate::prompt::command_line;
use crate::scene::Scene;
use crate::skipped::Skipped;
use crate::{Context, Event, ImportComplaint};
use in_turn::InTurn;
use ruled::Ruled;
use several::{Given, Pending};
use strands::Strands;
use strange::StrangeLines;

/// A block is read, and the next one begun, when it holds as many bytes.
pub(crate) const LARGEST_BLOCK: usize = 64 << 20;

/// Finds the blocks in lines as they are shown, and reads each when it ends.
pub(crate) struct Blocks<'a> {
    context: &'a Context,
    line: u64,
    /// What numbers stood before lines.
    numbers: Numbers,
    open: Option<&'static Format>,
    /// What stands before each line of the open block.
    dress: Option<Dress>,
    /// The first line of the open block as it is, where its format begins with that as well.
    first_raw: Option<String>,
    /// Lines as they are behind the end of the open block, if they are no rest of its last line: they are in it as such.
    tail: Vec<String>,
    /// Lines behind the end of the open block that are none of it, whether it goes on behind them or not.
    asides: Asides,
    /// Lines of the text that are none of the block, or no lines of their own.
    skipped: Skipped,
    /// The places in the block of those lines of the tail that no format knows.
    strange: Vec<usize>,
    width: Width,
    /// The block with those lines behind the ones that they may be rests of.
    whole: Whole,
    /// A line that was taken by nothing so far, and its number: the next one may be the rest of it.
    half: Option<(u64, String)>,
    /// Whether what turned out to be no rest of a line is read again.
    is_again: bool,
    /// A command that goes on in the next line.
    continued: Continued,
    /// Lines of several outputs that stand in each other's.
    strands: Option<Strands>,
    /// Those of two programs that print in turn, with nothing before them.
    in_turn: Option<InTurn>,
    /// What was seen of the heading of a host.
    ruled: Ruled,
    /// Whether the open block has a heading that names something in front of its command, and nobody knows what.
    is_headed_by_anything: bool,
    /// Whether lines that were gathered are read.
    is_gathered: bool,
    /// What the open format claimed; without one, buffers for the next.
    block: Block,
    /// Where the command stands that the block begins with.
    given: Given,
    /// Outputs of several commands, until it is known whether each has its own.
    pending: Pending,
    /// What stands above tells of what comes next.
    scene: Scene,
    /// How deep in the quotes of a mail the last block stood.
    quotes: usize,
    /// The block above was a command and nothing else: what it printed may be what comes next, of another format (`iperf3 -J`).
    command_alone: Option<ImportComplaint>,
    /// Lines that no format claims, complained about together.
    unknown: Option<(u64, u64)>,
    /// Those of them that may be an interface's.
    strange_lines: StrangeLines,
    /// Where blocks began, while somebody wants to know.
    beginnings: Option<Vec<Beginning>>,
}

/// Where a block began. What comes from there on depends on nothing else that stood above.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) line: u64,
    scene: Scene,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        Self {
            context,
            line: 0,
            numbers: Numbers::default(),
            open: None,
            dress: None,
            first_raw: None,
            tail: Vec::new(),
            asides: Asides::default(),
            skipped: Skipped::default(),
            strange: Vec::new(),
            width: Width::default(),
            whole: Whole::default(),
            half: None,
            is_again: false,
            continued: Continued::default(),
            strands: None,
            in_turn: None,
            ruled: Ruled::default(),
            is_headed_by_anything: false,
            is_gathered: false,
            block: Block::default(),
            given: Given::default(),
            pending: Pending::default(),
            scene: Scene::default(),
            quotes: 0,
            command_alone: None,
            unknown: None,
            strange_lines: StrangeLines::default(),
            beginnings: None,
        }
    }

    /// A reader of a later part: so many lines are above it.
    pub(crate) fn noting_beginnings(mut self, lines_above: u64) -> Self {
        self.line = lines_above;
        self.note_beginnings();
        self
    }

    pub(crate) fn note_beginnings(&mut self) {
        self.beginnings = Some(Vec::new());
    }

    pub(crate) fn take_beginnings(&mut self) -> Vec<Beginning> {
        self.beginnings.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// How many beginnings were noted.
    pub(crate) fn beginning_count(&self) -> usize {
        self.beginnings.as_ref().map_or(0, Vec::len)
    }

    /// Forgets all but so many beginnings: of the others, what comes does depend on what stood above.
    pub(crate) fn forget_beginnings(&mut self, but: usize) {
        if let Some(beginnings) = &mut self.beginnings {
            beginnings.truncate(but);
        }
    }

    pub(crate) fn context(&self) -> &'a Context {
        self.context
    }

    pub(crate) fn line_count(&self) -> u64 {
        self.line
    }

    /// Reads what is open.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Event)) {
        self.takes_half(None, sink);
        self.read_strands(sink);
        self.read_in_turn(sink);
        if let Some(cut) = self.continued.take() {
            self.take_continued(cut, sink);
        }
        self.close_all(sink);
        self.settle(None, sink);
        self.complain_about_command(sink);
        self.complain_about_unknown(sink);
    }

    /// So many further lines of the text were part of the last one, or stood behind it.
    pub(crate) fn skip(&mut self, count: u64, is_part: bool) {
        if count == 0 {
            return;
        }
        if self.skips_gathered(count) || self.skips_in_turn(count) {
        } else if self.open.is_some() && self.asides.is_open() {
            self.asides.skip(count);
        } else if self.open.is_some() {
            self.skipped
                .push(self.block.len().saturating_sub(1), count, is_part);
        } else if let Some((_, last)) = self.unknown.as_mut().filter(|(_, last)| *last == self.line) {
            *last += count;
        }
        self.line += count;
    }

    /// Takes a line as it is shown.
    pub(crate) fn take_line(&mut self, line: &str, sink: &mut dyn FnMut(Event)) {
        self.line += 1;
        let line = if self.is_again || self.is_gathered {
            line
        } else {
            self.numbers.off(line)
        };
        if self.takes_half(Some(line), sink) {
            return;
        }
        if !self.is_again
            && !self.is_gathered
            && (self.gathers(line, sink) || self.takes_continued(line, sink))
        {
            return;
        }
        if self.takes_in_turn(line, sink)
            || self.takes_heading(line, sink)
            || self.takes_watched(line, sink)
            || self.takes_headed(line, sink)
        {
            return;
        }
        self.take_shown(line, true, sink);
    }

    /// Takes a line that is none of several outputs; it may be held, to see whether the next one is the rest of it.
    fn take_shown(&mut self, line: &str, may_be_held: bool, sink: &mut dyn FnMut(Event)) {
        let opening = Opening::new(line);
        while let Some(format) = self.open {
            let most = if self.tail.is_empty() {
                LARGEST_BLOCK
            } else {
                LARGEST_WRAPPED
            };
            if self.block.held_bytes() < most && self.takes(format, &opening) {
                if !self.tail.is_empty() {
                    self.tail.push(line.to_owned());
                }
                return;
            }
            if self.passes_over(format, line)
                || self.sets_aside(format, &opening)
                || !self.asides.is_open() && self.takes_rest(&opening)
            {
                return;
            }
            if self.begins_in_turn(format, &opening) {
                return;
            }
            if may_be_held && opening.begins().is_none() && self.holds_half(line) {
                return;
            }
            self.close(sink);
        }
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.gathers_inside(line) || self.takes_several(line, sink) || self.begins_several(&opening, sink)
        {
            return;
        }
        let raw = opening.begins();
        // What is indented as a whole is read without, as a table or a command means its first column; and what looks like
        // a command may be a heading behind the mark of a quote, of a change, a clock or a prompt: `> traceroute to …`.
        let is_indented = line.starts_with([' ', '\t']);
        let may_be_dressed = raw.is_none()
            || is_indented
            || line.starts_with(['>', '+'])
            || command_line(line).is_some()
            || is_typed_behind_clock(line);
        let dressed = if may_be_dressed {
            Dress::find(&opening)
        } else {
            None
        };
        // A prompt of RouterOS tells whose command it is, and what stands behind it does not.
        let is_typed = raw.is_some() && line.starts_with('[') && line.contains("] > ");
        let fits = |format: &&'static Format| {
            !(is_indented || is_typed) || raw.is_none_or(|raw| std::ptr::eq(raw, *format))
        };
        let dressed = dressed.filter(|(format, ..)| fits(format));
        if (raw.is_some() || dressed.is_some())
            && self.gathers_from(&opening, dressed.as_ref().map(|(_, dress, _)| dress))
        {
            return;
        }
        if let Some((format, dress, text)) = dressed {
            self.begin(format, line, Some((dress, text)), sink);
            self.first_raw = raw.map(|_| line.to_owned());
        } else if let Some(format) = raw {
            self.begin(format, line, None, sink);
        } else if !may_be_held || !self.holds_half(line) {
            self.take_unknown(line, sink);
        }
    }

    /// Opens a block with this line, or with what is behind its dress.
    fn begin(
        &mut self,
        format: &'static Format,
        line: &str,
        dressed: Option<(Dress, &str)>,
        sink: &mut dyn FnMut(Event),
    ) {
        // Where a prompt stands before each line, what no format knows was no command.
        let raw = command_line(line);
        if raw.is_some()
            && let Some(held) = self.held_command()
        {
            self.unknown = Some(held);
        }
        self.complain_about_unknown(sink);
        let text = dressed.as_ref().map_or(line, |(_, text)| text);
        let typed = match dressed {
            Some(_) => command_line(text),
            None => raw,
        };
        match typed {
            Some(_) => self.complain_about_command(sink),
            None => self.command_alone = None,
        }
        // The mark of a quote is no prompt.
        let quotes = dressed.as_ref().map_or(0, |(dress, _)| dress.quotes());
        let typed = typed.or(raw.filter(|_| quotes == 0));
        let typed = typed.or_else(|| prompted(text).filter(|_| format.has_command));
        self.settle(typed.is_none().then_some(format), sink);
        if let Some(typed) = typed {
            self.scene.typed(&typed);
        } else if quotes != self.quotes {
            // Somebody else goes on.
            self.scene.end();
        }
        self.quotes = quotes;
        if let Some((dress, _)) = &dressed {
            self.scene.prefixed(dress.words());
        }
        self.block.begin(self.line, text);
        self.open_block(format);
        self.dress = dressed.and_then(|(dress, _)| dress.of_lines_below());
    }

    /// Opens the block that has its first line.
    fn open_block(&mut self, format: &'static Format) {
        self.open = Some(format);
        self.is_headed_by_anything = false;
        self.dress = None;
        self.first_raw = None;
        self.given = Given::default();
        self.skipped = Skipped::default();
        self.width = Width::default();
        self.whole = Whole::default();
        // Of lines that are read again, others are to come that were taken already; a number before a line tells what one before the next
        // is; and what waits would be lost.
        let owes_nothing = !self.is_again && self.numbers.is_idle() && self.pending.is_empty();
        if let Some(beginnings) = self.beginnings.as_mut().filter(|_| owes_nothing) {
            // What it says may be of a command above this line.
            beginnings.push(Beginning {
                line: self.block.first_line.min(self.line),
                scene: self.scene.clone(),
            });
        }
    }
}

/// `2024-05-01T10:00:03Z $ cat …`: a clock of a log, which may look like a host, before a prompt.
fn is_typed_behind_clock(line: &str) -> bool {
    let behind = stamp_length(line).and_then(|end| line.get(end..));
    behind.is_some_and(|behind| command_line(behind).is_some())
}
