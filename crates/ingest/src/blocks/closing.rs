//! A block that ended: it is read, in one way or several, and what it gave is handed on.

use super::unknown::unknown;
use super::{Blocks, Given};
use crate::arrival::{
    Dress, LARGEST_WRAPPED, Odd, Score, Wrap, is_furniture, may_be_broken, without_torn_word,
};
use crate::block::Block;
use crate::command::place;
use crate::findings::Findings;
use crate::format::Format;
use crate::formats::{is_of_its_device, joins_lines};
use crate::prompt::command_line;
use crate::scene::{Scene, host_before};
use crate::{Context, Event, ImportComplaint};
use evidence::Payload;
use std::collections::BTreeSet;

const LAST_WORD_LEFT: &str = "the line may be broken here: its last word is not used";

impl Blocks<'_> {
    /// Reads the open block. What was no rest of its last line is taken again: it may open another.
    pub(super) fn close(&mut self, sink: &mut dyn FnMut(Event)) {
        let Some(format) = self.open.take() else {
            return;
        };
        let asides = std::mem::take(&mut self.asides);
        self.complain_about_words(sink);
        if std::mem::take(&mut self.is_headed_by_anything) {
            sink(unknown(self.block.first_line, self.block.first_line));
        }
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

    /// Names before lines are those of hosts, or titles that somebody chose. Where there are several and no command tells, the records of
    /// one place are not to be told from those of another, and that is said.
    fn complain_about_words(&mut self, sink: &mut dyn FnMut(Event)) {
        let words = self.dress.as_ref().map(Dress::words).unwrap_or_default();
        let name = words.strip_suffix(": ").filter(|_| host_before(words).is_some());
        let Some(name) = name.filter(|_| self.block.len() > 1 && !self.scene.is_of_many()) else {
            return;
        };
        let reason = format!(
            "`{name}:` and others before lines may be hosts that printed them, or titles: nothing tells"
        );
        let name = name.to_owned();
        if self.scene.is_other_name(&name) {
            let (first_line, last_line) = self.lines_of_block();
            sink(Event::Complaint(ImportComplaint {
                first_line,
                last_line,
                reason,
                further: 0,
            }));
        }
    }

    pub(super) fn close_all(&mut self, sink: &mut dyn FnMut(Event)) {
        while self.open.is_some() {
            self.close(sink);
        }
    }

    pub(super) fn close_block(&mut self, format: &'static Format, sink: &mut dyn FnMut(Event)) {
        if self.given == Given::InOrder {
            return self.close_in_order(format);
        }
        let (tail, strange) = (std::mem::take(&mut self.tail), std::mem::take(&mut self.strange));
        let whole = (!tail.is_empty()).then(|| self.block.clone());
        self.block.truncate(self.block.len() - tail.len());
        if self.block.held_bytes() > LARGEST_WRAPPED {
            self.read_long(format, sink);
            return self.take_again(&tail, sink);
        }
        let findings = self.read(format, &self.block);
        let whole = whole.as_ref().unwrap_or(&self.block);
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
        if self.given == Given::Above {
            let first = self.block.first_line + 1;
            findings.renumber(|(begin, end)| (begin.max(first), end.max(first)));
        }
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

    pub(super) fn read(&self, format: &'static Format, block: &Block) -> Findings<'static> {
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
        let mut odd_lines: Vec<u64> = plain.lines_complained_about().collect();
        odd_lines.sort_unstable();
        let numbered = block.numbered().enumerate().skip(1);
        let unread = numbered.filter(|(_, (number, _))| odd_lines.binary_search(number).is_ok());
        let odd = Odd {
            complaints,
            strange,
            unread: &unread.map(|(place, _)| place).collect::<Vec<_>>(),
        };
        let undone = |wrap: Wrap| wrap.undone(block, &odd, before, read);
        let joined = [Wrap::Screen, Wrap::Mail].into_iter().find_map(undone)?;
        let mut findings = self.read(format, &joined.block);
        findings.renumber(|lines| joined.lines_of_text(lines));
        for number in &joined.lost {
            findings.complain(*number, LAST_WORD_LEFT);
        }
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
        doubted.complain(self.block.last_line(), LAST_WORD_LEFT);
        doubted
    }

    /// Hands on what the open block gave.
    fn report(&mut self, format: &'static Format, findings: Findings, sink: &mut dyn FnMut(Event)) {
        if !findings.has_record {
            let mut below = self.block.lines().skip(1);
            let is_one_line = below.all(|line| is_without_words(line) || is_furniture(line));
            let is_command = is_one_line && self.block.first().and_then(command_line).is_some();
            if findings.is_understood {
                // What it printed may be another format's, and is of the same host.
                if (is_command || findings.is_above_another) && findings.events.is_empty() {
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
        let of_text = |line| self.skipped.lines_of_text(self.block.first_line, (line, line)).0;
        let placeless_from = placeless_from.map(of_text).or_else(|| {
            let is_one = !scene.is_several();
            is_one
                .then(|| self.told_again(&findings.events, &scene))
                .flatten()
        });
        for event in findings.events {
            let is_placeless = matches!((&event, placeless_from), (Event::Record(record), Some(from)) if record.lines.0 >= from);
            sink(if is_placeless {
                event
            } else {
                told(event, &scene, format, self.context)
            });
        }
    }

    /// The first line of what is told of an interface that was told of before: a heading may be lost between the two, unless the same host
    /// was asked again there.
    fn told_again(&self, events: &[Event], scene: &Scene) -> Option<u64> {
        told_again(events, &[])?;
        let numbers = self.block.first_line..;
        let is_asked = |line: &str| {
            command_line(line).is_some_and(|typed| place(&typed).is_some_and(|name| scene.is_of(name)))
        };
        let asked = numbers.zip(self.block.lines()).filter(|(_, line)| is_asked(line));
        let of_text = |line| self.skipped.lines_of_text(self.block.first_line, (line, line)).0;
        let asked: Vec<u64> = asked.map(|(line, _)| of_text(line)).collect();
        told_again(events, &asked)
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
}

/// Whether a line is blank or a rule.
fn is_without_words(line: &str) -> bool {
    line.bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'=' | b'_'))
}

/// The first line of what is told of an interface twice below one of the lines where it was asked for.
fn told_again(events: &[Event], asked: &[u64]) -> Option<u64> {
    let mut known = BTreeSet::new();
    events.iter().find_map(|event| {
        let Event::Record(record) = event else { return None };
        let Payload::InterfaceCounters(counters) = &record.payload else {
            return None;
        };
        let asked_before = asked.partition_point(|line| *line < record.lines.0);
        let is_new =
            counters.counters.is_empty() || known.insert((asked_before, counters.interface.as_str()));
        (!is_new).then_some(record.lines.0)
    })
}

/// The event with what stands above the block tells of it.
fn told(mut event: Event, scene: &Scene, format: &Format, context: &Context) -> Event {
    scene.tell(&mut event, is_of_its_device(format), context.at);
    event
}
