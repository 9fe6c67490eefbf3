//! Lines to blocks, blocks to records.

use crate::arrival::{
    Dress, LARGEST_WRAPPED, Numbers, Score, Width, Wrap, command_with_rest, is_fence, is_furniture,
    is_omission, is_torn, may_be_broken, without_torn_word,
};
use crate::asides::Asides;
use crate::block::{Block, Findings, Format, UNKNOWN};
use crate::command::prompted;
use crate::formats::openings::Opening;
use crate::formats::{is_of_its_device, joins_lines, tells_by_line};
use crate::prompt::{command_line, first_of_two};
use crate::scene::Scene;
use crate::skipped::Skipped;
use crate::when::shell_date;
use crate::{Context, Event, ImportComplaint};

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
    /// Whether what turned out to be no rest of a line is read again.
    is_again: bool,
    /// What the open format claimed; without one, buffers for the next.
    block: Block,
    /// What stands above tells of what comes next.
    scene: Scene,
    /// The block above was a command and nothing else: what it printed may be what comes next, of another format (`iperf3 -J`).
    command_alone: Option<ImportComplaint>,
    /// Lines that no format claims, complained about together.
    unknown: Option<(u64, u64)>,
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
            is_again: false,
            block: Block::default(),
            scene: Scene::default(),
            command_alone: None,
            unknown: None,
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

    pub(crate) fn context(&self) -> &'a Context {
        self.context
    }

    /// Whether no line had a number.
    pub(crate) fn is_without_numbers(&self) -> bool {
        self.numbers.is_untouched()
    }

    pub(crate) fn line_count(&self) -> u64 {
        self.line
    }

    /// Reads what is open.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Event)) {
        while self.open.is_some() {
            self.close(sink);
        }
        self.complain_about_command(sink);
        self.complain_about_unknown(sink);
    }

    /// So many further lines of the text were part of the last one, or stood behind it.
    pub(crate) fn skip(&mut self, count: u64, is_part: bool) {
        if count == 0 {
            return;
        }
        if self.open.is_some() && self.asides.is_open() {
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
        let line = if self.is_again {
            line
        } else {
            self.numbers.off(line)
        };
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
            if self.is_command_alone(format) && is_fence(line)
                || self.sets_aside(format, &opening)
                || !self.asides.is_open() && self.takes_rest(&opening)
            {
                return;
            }
            self.close(sink);
        }
        if line.trim_ascii().is_empty() {
            return;
        }
        let raw = opening.begins();
        // What is indented as a whole is read without, as a table or a command means its first column; and what looks like
        // a command may be a heading behind the mark of a quote or a prompt: `> traceroute to …`.
        let is_indented = line.starts_with([' ', '\t']);
        let may_be_dressed =
            raw.is_none() || is_indented || line.starts_with('>') || command_line(line).is_some();
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
        if let Some((format, dress, text)) = dressed.filter(|(format, ..)| fits(format)) {
            self.begin(format, line, Some((dress, text)), sink);
            self.first_raw = raw.map(|_| line.to_owned());
        } else if let Some(format) = raw {
            self.begin(format, line, None, sink);
        } else {
            self.take_unknown(line, sink);
        }
    }

    /// Takes a line that no format knows: what it tells of those below, or a complaint.
    fn take_unknown(&mut self, line: &str, sink: &mut dyn FnMut(Event)) {
        if let Some(at) = shell_date(line, self.context.utc_offset_s) {
            return self.scene.dated(at);
        }
        if let Some(host) = first_of_two(line) {
            return self.scene.is_at(Some(host));
        }
        if is_furniture(line) || self.scene.is_heading(line) {
            return;
        }
        let (first, _) = self
            .held_command()
            .or(self.unknown)
            .unwrap_or((self.line, self.line));
        self.complain_about_command(sink);
        self.scene.end();
        // Without a host it may be prose behind the mark of a quote.
        if let Some(typed) = command_line(line).filter(|typed| typed.device.is_some()) {
            // What it prints may be known.
            self.scene.typed(&typed);
            self.unknown = (first < self.line).then_some((first, self.line - 1));
            self.command_alone = Some(ImportComplaint {
                first_line: self.line,
                last_line: self.line,
                reason: UNKNOWN.to_owned(),
                further: 0,
            });
        } else {
            self.unknown = Some((first, self.line));
        }
    }

    /// Takes the command that no format knows, with the unknown lines above it: what it printed is not known either.
    fn held_command(&mut self) -> Option<(u64, u64)> {
        let held = self.command_alone.take_if(|held| held.reason == UNKNOWN)?;
        let first = self.unknown.map_or(held.first_line, |(first, _)| first);
        Some((first, held.last_line))
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
        if command_line(line).is_some()
            && let Some(held) = self.held_command()
        {
            self.unknown = Some(held);
        }
        self.complain_about_unknown(sink);
        let text = dressed.as_ref().map_or(line, |(_, text)| text);
        let typed = command_line(text);
        match typed {
            Some(_) => self.complain_about_command(sink),
            None => self.command_alone = None,
        }
        let typed = typed.or_else(|| dressed.as_ref().and_then(|_| command_line(line)));
        let typed = typed.or_else(|| prompted(text).filter(|_| format.has_command));
        if let Some(typed) = typed {
            self.scene.typed(&typed);
        }
        if let Some((dress, _)) = &dressed {
            self.scene.prefixed(dress.words());
        }
        self.block.begin(self.line, text);
        self.open = Some(format);
        self.dress = dressed.and_then(|(dress, _)| dress.of_lines_below());
        self.first_raw = None;
        self.skipped = Skipped::default();
        self.width = Width::default();
        // Of lines that are read again, others are to come that were taken already.
        if let Some(beginnings) = self.beginnings.as_mut().filter(|_| !self.is_again) {
            beginnings.push(Beginning {
                line: self.line,
                scene: self.scene.clone(),
            });
        }
    }

    /// Whether nothing stands in the block but a command: its output may stand in a frame of its own.
    fn is_command_alone(&self, format: &Format) -> bool {
        let is_blank = |line: &str| line.trim_ascii().is_empty();
        let is_one = |line: &str| command_line(line).is_some() || line.contains(" -");
        format.has_command
            && self.block.first().is_some_and(is_one)
            && self.block.lines().skip(1).all(is_blank)
    }

    /// Gives the line to the open block, if it is one of its own.
    fn takes(&mut self, format: &'static Format, opening: &Opening<'_>) -> bool {
        let line = opening.line();
        let shown = self.dress.as_ref().map_or(Some(line), |dress| dress.off(line));
        if let Some(shown) = shown {
            return self.pushes(format, opening, shown);
        }
        if self.dress.as_ref().is_some_and(Dress::is_indentation) && self.block.len() > 1 {
            // Columns that are aligned on the right: ` 9  a`, `10  b`.
            return self.pushes(format, opening, line);
        }
        if self.block.len() > 1 || line.trim_ascii().is_empty() && self.first_raw.is_none() {
            return false;
        }
        // It stood before the first line alone: a centred heading, or words (`My ping: PING …`).
        self.dress = None;
        if let Some(first) = self.first_raw.take() {
            self.block.begin(self.block.first_line, &first);
        }
        self.pushes(format, opening, line)
    }

    fn pushes(&mut self, format: &'static Format, opening: &Opening<'_>, line: &str) -> bool {
        let goes_on = match self.asides.is_open() {
            // What stands between was nothing of it: the block goes on with what is surely its own.
            true => !line.trim_ascii().is_empty() && (format.continues)(&self.block, line),
            false => self.goes_on(format, opening, line),
        };
        if goes_on {
            let place = self.block.len().saturating_sub(1);
            self.asides.lift(place, &mut self.skipped);
            self.block.push(line);
        }
        goes_on
    }

    /// Takes a line as one that stands between two of the block: words of who answers a mail among the lines that are quoted, or a
    /// mark that lines were left out, where that does no harm.
    fn sets_aside(&mut self, format: &'static Format, opening: &Opening<'_>) -> bool {
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
                Some(shown) => tells_by_line(format) && is_omission(shown),
                None => false,
            },
        };
        if is_aside {
            self.asides.push(self.line, line, shown.is_some_and(is_omission));
        }
        is_aside
    }

    /// What may be the rest of a line, without what stands before each line. What a screen broke begins in the first column.
    fn undressed<'l>(&self, line: &'l str) -> Option<&'l str> {
        match &self.dress {
            Some(dress) => dress.off(line).or_else(|| dress.is_indentation().then_some(line)),
            None => Some(line),
        }
    }

    /// Takes a line that no format knows as what may be the rest of the block's last line, which a screen broke.
    fn takes_rest(&mut self, opening: &Opening<'_>) -> bool {
        let line = opening.line();
        let shown = self.undressed(line);
        let is_rest = |text: &&str| {
            !self.is_again
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

    /// Whether a line belongs to the block of the open format. Formats do not know each other: that one gives way to
    /// another is seen to here.
    fn goes_on(&self, format: &'static Format, opening: &Opening<'_>, line: &str) -> bool {
        // What is typed at a prompt is no stray line, of whichever format its output is.
        (format.continues)(&self.block, line)
            || format.takes_in.is_some_and(|takes_in| {
                takes_in(&self.block, line)
                    && command_line(line).is_none()
                    && !opening.begins_another(format, line)
            })
    }

    /// Reads the open block. What was no rest of its last line is taken again: it may open another.
    fn close(&mut self, sink: &mut dyn FnMut(Event)) {
        let Some(format) = self.open.take() else {
            return;
        };
        let asides = std::mem::take(&mut self.asides);
        self.close_block(format, sink);
        for (first_line, last_line) in asides.lifted() {
            sink(unknown(first_line, last_line));
        }
        let line = self.line;
        let was_again = std::mem::replace(&mut self.is_again, true);
        for aside in asides.open() {
            self.line = aside.number - 1;
            self.take_line(&aside.line, sink);
            self.skip(aside.further, true);
        }
        self.is_again = was_again;
        self.line = line;
    }

    fn close_block(&mut self, format: &'static Format, sink: &mut dyn FnMut(Event)) {
        let tail = std::mem::take(&mut self.tail);
        let whole = (!tail.is_empty()).then(|| self.block.clone());
        self.block.truncate(self.block.len() - tail.len());
        if self.block.held_bytes() > LARGEST_WRAPPED {
            self.read_long(format, sink);
            return self.take_again(&tail, sink);
        }
        let findings = self.read(format, &self.block);
        let whole = whole.as_ref().unwrap_or(&self.block);
        let strange = std::mem::take(&mut self.strange);
        match self.unwrapped(format, whole, &findings, &strange) {
            Some(findings) => self.report(format, self.of_text(findings), sink),
            None => {
                let findings = self.without_torn_word(format, findings, tail.first());
                self.report(format, self.of_text(findings), sink);
                self.take_again(&tail, sink);
            }
        }
    }

    /// What the block gave, with the numbers that its lines have in the text.
    fn of_text<'s>(&self, mut findings: Findings<'s>) -> Findings<'s> {
        if !self.skipped.is_empty() {
            let first = self.block.first_line;
            findings.renumber(|lines| self.skipped.lines_of_text(first, lines));
        }
        findings
    }

    /// Reads a block that is no copy from a screen: there is one reading of it, which is handed on as it goes.
    fn read_long(&mut self, format: &'static Format, sink: &mut dyn FnMut(Event)) {
        let first = self.block.first_line;
        let mut placed = |mut event: Event| {
            event.renumber(|lines| self.skipped.lines_of_text(first, lines));
            sink(told(event, &self.scene, format, self.context));
        };
        let mut findings = Findings::handed_to(&mut placed);
        (format.read)(&self.block, self.context, &mut findings);
        let left = self.of_text(findings.left());
        self.report(format, left, sink);
    }

    fn read(&self, format: &'static Format, block: &Block) -> Findings<'static> {
        let mut findings = Findings::default();
        (format.read)(block, self.context, &mut findings);
        findings
    }

    /// What the block says if its lines were broken by a screen or a mail; `None` where they were not.
    fn unwrapped(
        &self,
        format: &'static Format,
        block: &Block,
        plain: &Findings,
        strange: &[usize],
    ) -> Option<Findings<'static>> {
        if joins_lines(format) {
            return None;
        }
        let score = |findings: &Findings| Score {
            figures: findings.figure_count(),
            complaints: findings.complaint_count(),
        };
        let complaints = plain.complaint_count() + u64::from(!strange.is_empty());
        let before = || Score {
            complaints,
            ..score(plain)
        };
        let read = |block: &Block| score(&self.read(format, block));
        let undone = |wrap: Wrap| wrap.undone(block, complaints, strange, before, read);
        let joined = [Wrap::Screen, Wrap::Mail].into_iter().find_map(undone)?;
        let mut findings = self.read(format, &joined.block);
        findings.renumber(|lines| joined.lines_of_text(lines));
        Some(findings)
    }

    /// What the block says without its last word, where the line behind it may begin with the rest of that.
    fn without_torn_word(
        &self,
        format: &'static Format,
        findings: Findings<'static>,
        rest: Option<&String>,
    ) -> Findings<'static> {
        let torn = rest.and_then(|rest| self.undressed(rest));
        let Some(block) = torn.and_then(|rest| without_torn_word(&self.block, rest)) else {
            return findings;
        };
        let mut doubted = self.read(format, &block);
        if doubted.events == findings.events {
            return findings;
        }
        doubted.complain(
            self.block.last_line(),
            "the line may be broken here: its last word is not used",
        );
        doubted
    }

    /// Hands on what the open block gave.
    fn report(&mut self, format: &'static Format, findings: Findings, sink: &mut dyn FnMut(Event)) {
        if !findings.has_record {
            let mut below = self.block.lines().skip(1);
            let is_one_line = below.all(|line| line.trim_ascii().is_empty() || is_furniture(line));
            let is_command = is_one_line && self.block.first().and_then(command_line).is_some();
            if findings.is_understood {
                // What it printed may be another format's, and is of the same host.
                if is_command && findings.events.is_empty() {
                    return;
                }
            } else if is_command || findings.is_empty() {
                let (first_line, last_line) = self.lines_of_block();
                let complaint = ImportComplaint {
                    first_line,
                    last_line,
                    reason: format!("begins like {}, but holds nothing of it", format.name),
                    further: 0,
                };
                // Of a command that a screen may have broken, part is missing: that is told.
                if is_command && !self.block.first().is_some_and(may_be_broken) {
                    self.command_alone = Some(complaint);
                    return;
                }
                sink(Event::Complaint(complaint));
            }
        }
        let scene = self.scene.take();
        // Printed twice in one text it may be another host's; where several commands were typed it is not.
        let placeless_from = findings.placeless_from.filter(|_| !scene.is_several());
        for event in findings.events {
            let is_placeless = matches!((&event, placeless_from), (Event::Record(record), Some(from)) if record.lines.0 >= from);
            sink(if is_placeless {
                event
            } else {
                told(event, &scene, format, self.context)
            });
        }
    }

    /// The lines of the text on which the block that was read stands.
    fn lines_of_block(&self) -> (u64, u64) {
        let lines = (self.block.first_line, self.block.last_line());
        self.skipped.lines_of_text(self.block.first_line, lines)
    }

    fn take_again(&mut self, tail: &[String], sink: &mut dyn FnMut(Event)) {
        let line = self.line;
        self.line = self.lines_of_block().1;
        let (begin, skipped) = (self.block.len(), std::mem::take(&mut self.skipped));
        // A block that is closed meanwhile has no tail, and does not end this.
        let was_again = std::mem::replace(&mut self.is_again, true);
        for (place, again) in (begin..).zip(tail) {
            self.take_line(again, sink);
            self.skip(skipped.count_at(place), true);
        }
        self.is_again = was_again;
        self.line = line;
    }

    fn complain_about_command(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some(complaint) = self.command_alone.take() {
            self.scene.end();
            sink(Event::Complaint(complaint));
        }
    }

    fn complain_about_unknown(&mut self, sink: &mut dyn FnMut(Event)) {
        if let Some((first_line, last_line)) = self.unknown.take() {
            sink(unknown(first_line, last_line));
        }
    }
}

fn unknown(first_line: u64, last_line: u64) -> Event {
    Event::Complaint(ImportComplaint {
        first_line,
        last_line,
        reason: UNKNOWN.to_owned(),
        further: 0,
    })
}

/// The event with what stands above the block tells of it.
fn told(mut event: Event, scene: &Scene, format: &Format, context: &Context) -> Event {
    scene.tell(&mut event, is_of_its_device(format), context.at);
    event
}
