//! Lines that belong together, and what a format answers about them.

use crate::brackets::Brackets;
use crate::leaves::leaf_count;
use crate::plausible::Gate;
use crate::tags::Tags;
use crate::{Context, Event, ImportComplaint, Record};
use evidence::{Node, Payload, Timestamp};
use std::cell::{Cell, RefCell};

/// The lines that one format claimed, in one buffer: a line of its own on the heap each costs more than reading it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Number of the first line, from 1.
    pub(crate) first_line: u64,
    /// The lines, each ended by a line feed. Bytes that are no UTF-8 stand as U+FFFD.
    text: String,
    /// Where each line ends in `text`: the place of its line feed.
    ends: Vec<usize>,
    /// What its format found out about the lines so far, so that it need not look at them again.
    pub(crate) memo: Cell<Option<usize>>,
    /// For `show interfaces`: the place of a head, and a bit for each dialect that may begin with it.
    pub(crate) dialects: Cell<Option<(usize, u64)>>,
    /// For JSON: how far brackets are balanced up to here, so that each line is looked at once.
    pub(crate) brackets: Cell<Option<Brackets>>,
    /// For XML: how far tags are.
    pub(crate) tags: Cell<Option<Tags>>,
    /// How many lines there are up to the last one that is not blank.
    written: usize,
    /// What was asked about its lines so far.
    asked: RefCell<Vec<Asked>>,
}

/// A question about lines, and what those that were looked at answer.
#[derive(Debug, Clone, Copy)]
struct Asked {
    is_such: fn(&str) -> bool,
    /// Of how many first lines it is asked.
    count: usize,
    /// How many lines were looked at.
    seen: usize,
    /// The places of the first and the last such line.
    such: Option<(usize, usize)>,
}

/// A buffer is kept for the next line or block unless it grew larger than this.
pub(crate) const LARGEST_KEPT: usize = 1 << 20;

impl Block {
    /// Begins anew at this line, in the buffers of the block that was read.
    pub(crate) fn begin(&mut self, number: u64, line: &str) {
        if self.held_bytes() > LARGEST_KEPT {
            *self = Self::default();
        }
        self.first_line = number;
        self.text.clear();
        self.ends.clear();
        self.written = 0;
        self.forget();
        self.push(line);
    }

    /// Adds a line, given without its end.
    pub(crate) fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.ends.push(self.text.len());
        self.text.push('\n');
        if !line.trim_ascii_start().is_empty() {
            self.written = self.ends.len();
        }
    }

    /// Takes all but so many lines away.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.text.truncate(self.ends.last().map_or(0, |end| end + 1));
        let blank = self.lines().rev().take_while(|line| line.trim_ascii().is_empty());
        self.written = self.ends.len() - blank.count();
        self.forget();
    }

    fn forget(&mut self) {
        self.memo.set(None);
        self.dialects.set(None);
        self.brackets.set(None);
        self.tags.set(None);
        self.asked.get_mut().clear();
    }

    /// Whether a line is such. However often this is asked while the block grows, each line is looked at once.
    pub(crate) fn has(&self, is_such: fn(&str) -> bool) -> bool {
        self.such(usize::MAX, is_such).is_some()
    }

    /// Whether one of so many first lines is such, each looked at once.
    pub(crate) fn begins_with(&self, count: usize, is_such: fn(&str) -> bool) -> bool {
        self.such(count, is_such).is_some()
    }

    /// The first such line, each looked at once.
    pub(crate) fn first_such(&self, is_such: fn(&str) -> bool) -> Option<&str> {
        self.get(self.such(usize::MAX, is_such)?.0)
    }

    /// The last such line, each looked at once.
    pub(crate) fn last_such(&self, is_such: fn(&str) -> bool) -> Option<&str> {
        self.get(self.such(usize::MAX, is_such)?.1)
    }

    /// The places of the first and the last such line among so many first ones.
    fn such(&self, count: usize, is_such: fn(&str) -> bool) -> Option<(usize, usize)> {
        let mut all = self.asked.borrow_mut();
        let is_same = |asked: &Asked| asked.count == count && std::ptr::fn_addr_eq(asked.is_such, is_such);
        let known = all.iter().position(is_same);
        let place = known.unwrap_or(all.len());
        if known.is_none() {
            all.push(Asked {
                is_such,
                count,
                seen: 0,
                such: None,
            });
        }
        let asked = all.get_mut(place)?;
        let end = self.len().min(count);
        for place in asked.seen..end {
            if self.get(place).is_some_and(is_such) {
                asked.such = Some((asked.such.map_or(place, |(first, _)| first), place));
            }
        }
        asked.seen = end;
        asked.such
    }

    /// The last line that is not blank.
    pub(crate) fn last_written(&self) -> Option<&str> {
        self.get(self.written.checked_sub(1)?)
    }

    /// Lines without their ends.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|place| self.get(place).unwrap_or_default())
    }

    /// Lines with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        (self.first_line..).zip(self.lines())
    }

    pub(crate) fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let start = match place.checked_sub(1) {
            Some(before) => self.ends.get(before)? + 1,
            None => 0,
        };
        self.text.get(start..end)
    }

    pub(crate) fn first(&self) -> Option<&str> {
        self.get(0)
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.get(self.ends.len().checked_sub(1)?)
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All lines, with line feeds between them.
    pub(crate) fn text(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }

    /// Memory that its lines take: that of blank ones is all for their places.
    pub(crate) fn held_bytes(&self) -> usize {
        self.text.len() + size_of_val(self.ends.as_slice())
    }

    pub(crate) fn last_line(&self) -> u64 {
        self.first_line + (self.ends.len() as u64).saturating_sub(1)
    }

    /// The number of the last line that is not blank.
    pub(crate) fn last_written_line(&self) -> u64 {
        self.first_line + (self.written as u64).saturating_sub(1)
    }

    /// How many blank lines stand at the end.
    pub(crate) fn blank_count(&self) -> usize {
        let blank = self.lines().rev().take_while(|line| line.trim_ascii().is_empty());
        blank.count()
    }
}

/// What a format is about: the section of `docs/import.md` that lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// How much was moved in which time.
    Transfers,
    /// Hops, round-trip times, sizes that pass.
    Paths,
    /// What routers and switches say of their interfaces.
    Interfaces,
    /// What hosts say of themselves.
    Hosts,
    /// A quantity or counters over time, as monitoring keeps them.
    Histories,
    /// Tables that people write.
    Tables,
    /// Documents of which the kind is found inside.
    Any,
}

/// What tells at a glance that a line may begin a block: it holds one of some words, in letters of either case, or has a shape.
///
/// The words of all formats are looked for in one pass over a line, and a shape is asked of every line that has none of them: it
/// must decide in some ten nanoseconds.
pub(crate) struct Marks {
    pub(crate) words: Vec<&'static str>,
    /// Whether a prompt with any command does as well.
    pub(crate) at_prompt: bool,
    pub(crate) shape: Option<Shape>,
}

/// Whether a line has a shape.
pub(crate) type Shape = fn(&str) -> bool;

impl Marks {
    pub(crate) fn of(words: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            words: words.into_iter().collect(),
            at_prompt: false,
            shape: None,
        }
    }

    /// Further words.
    pub(crate) fn and(mut self, words: impl IntoIterator<Item = &'static str>) -> Self {
        self.words.extend(words);
        self
    }

    /// Commands of which no word tells, behind a prompt.
    pub(crate) fn or_at_prompt(mut self) -> Self {
        self.at_prompt = true;
        self
    }

    /// A shape that lines without any of the words may have.
    pub(crate) fn or(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }
}

/// A format: how its blocks are recognised and read.
///
/// `starts` is asked of the lines that belong to no block yet and begin as `first` and `has_command` say: it must decide in
/// well under a microsecond for a line that is not its own, without allocating.
pub(crate) struct Format {
    /// What people call it: `ping`.
    pub(crate) name: &'static str,
    /// Where `docs/import.md` lists it.
    pub(crate) group: Group,
    /// What it reads, for `slowpath import --formats` and `docs/import.md`.
    pub(crate) reads: &'static str,
    /// The bytes that first lines begin with, blanks aside, as a class: `|0-9`, with `-` itself at the end. `starts` is
    /// asked of no other line but a command line.
    pub(crate) first: &'static str,
    /// Whether the command that printed it begins a block too.
    pub(crate) has_command: bool,
    /// What every first line holds, where there is such: others are not asked about.
    pub(crate) marks: Option<fn() -> Marks>,
    /// Whether a block begins with this line.
    pub(crate) starts: fn(&str) -> bool,
    /// Whether this line goes on with the block. Blank lines are asked about too.
    pub(crate) continues: fn(&Block, &str) -> bool,
    /// Whether the block takes in a line that `continues` does not claim: what people write around figures looks like
    /// nothing in particular, so every other format that begins with the line comes first. `None` for what tools print.
    pub(crate) takes_in: Option<fn(&Block, &str) -> bool>,
    /// Reads a block. Never fails: what is not understood becomes a complaint.
    pub(crate) read: fn(&Block, &Context, &mut Findings),
}

/// So many complaints about one block are kept: of a block that is all noise nobody reads more.
const MOST_COMPLAINTS: usize = 1_000;
/// Longer reasons are cut, letters: what a line says may be as long as the line.
const LONGEST_REASON: usize = 300;

/// What is said of lines that are none of any format.
pub(crate) const UNKNOWN: &str = "no format that slowpath knows";

/// What reading a block gave.
#[derive(Default)]
pub(crate) struct Findings<'s> {
    /// What was not handed on.
    pub(crate) events: Vec<Event>,
    /// Where events go at once. Of a block that is read once and is long, they would take more memory than its text.
    sink: Option<&'s mut dyn FnMut(Event)>,
    pub(crate) has_record: bool,
    complaints: usize,
    /// Where among the events the complaint is that stands for further ones.
    counting: Option<usize>,
    /// The block was understood, and has nothing to record.
    pub(crate) is_understood: bool,
    /// What begins with this line or behind it may be another host's than that of the prompt above.
    pub(crate) placeless_from: Option<u64>,
}

impl<'s> Findings<'s> {
    /// Findings that hand on what there is from the first record on: without a record a block may turn out to be none.
    pub(crate) fn handed_to(sink: &'s mut dyn FnMut(Event)) -> Self {
        Self {
            sink: Some(sink),
            ..Self::default()
        }
    }

    /// What was not handed on, the complaint that stands for others last.
    pub(crate) fn left(self) -> Findings<'static> {
        Findings {
            events: self.events,
            sink: None,
            has_record: self.has_record,
            complaints: self.complaints,
            counting: self.counting,
            is_understood: self.is_understood,
            placeless_from: self.placeless_from,
        }
    }

    /// Whether there is neither a record nor a complaint so far.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_record && self.complaints == 0
    }

    fn push(&mut self, event: Event) {
        match self.sink.as_mut().filter(|_| self.has_record) {
            Some(sink) => {
                let before = self.counting.replace(0).unwrap_or(self.events.len());
                self.events.drain(..before).for_each(&mut *sink);
                self.counting = self.counting.filter(|_| !self.events.is_empty());
                sink(event);
            }
            None => self.events.push(event),
        }
    }

    /// Adds a record made of the whole block.
    pub(crate) fn record(&mut self, block: &Block, tool: &str, at: Option<Timestamp>, payload: Payload) {
        self.record_of((block.first_line, block.last_line()), tool, at, payload);
    }

    /// Adds a record made of these lines, less what cannot be.
    pub(crate) fn record_of(
        &mut self,
        lines: (u64, u64),
        tool: &str,
        at: Option<Timestamp>,
        mut payload: Payload,
    ) {
        let mut gate = Gate::default();
        if gate.pass(&mut payload) {
            self.has_record = true;
            self.push(Event::Record(Box::new(Record {
                payload,
                at,
                tool: tool.to_owned(),
                lines,
                place: Node::default(),
            })));
        }
        for reason in gate.reasons {
            self.complain_of(lines, reason);
        }
    }

    /// How much there is to complain about; a block that gave nothing at all is a complaint.
    pub(crate) fn complaint_count(&self) -> u64 {
        let further = self.events.iter().map(|event| match event {
            Event::Complaint(complaint) => 1 + complaint.further,
            Event::Record(_) => 0,
        });
        further.sum::<u64>() + u64::from(self.is_empty() && !self.is_understood)
    }

    /// Gives the lines that are told of other numbers.
    pub(crate) fn renumber(&mut self, of: impl Fn((u64, u64)) -> (u64, u64)) {
        self.placeless_from = self.placeless_from.map(|line| of((line, line)).0);
        for event in &mut self.events {
            event.renumber(&of);
        }
    }

    /// What begins with this line may be of another host than the prompt names. `false`: it is too late to say so.
    pub(crate) fn lose_place(&mut self, line: u64) -> bool {
        if self.sink.is_none() {
            self.placeless_from = Some(self.placeless_from.map_or(line, |known| known.min(line)));
        }
        self.sink.is_none()
    }

    /// How many figures and words the records hold.
    pub(crate) fn figure_count(&self) -> usize {
        let counts = self.events.iter().map(|event| match event {
            Event::Record(record) => leaf_count(&record.payload),
            Event::Complaint(_) => 0,
        });
        counts.sum()
    }

    /// The block was understood, but is no record: not to be complained about.
    pub(crate) fn nothing_to_say(&mut self) {
        self.is_understood = true;
    }

    /// A line inside of a recognised block that the format did not understand. If it holds a figure, somebody will miss that
    /// figure: it is complained about. Lines of words alone are not.
    pub(crate) fn unread(&mut self, number: u64, line: &str) {
        if line.bytes().any(|byte| byte.is_ascii_digit()) {
            self.complain(number, format!("not understood: {}", line.trim_ascii()));
        }
    }

    /// Complains about one line. What leads to a complaint is rare: its code stands apart from what reads nearly all lines.
    #[cold]
    pub(crate) fn complain(&mut self, line: u64, reason: impl Into<String>) {
        self.complain_of((line, line), reason);
    }

    /// Complains about these lines.
    #[cold]
    pub(crate) fn complain_of(&mut self, lines: (u64, u64), reason: impl Into<String>) {
        if self.complaints < MOST_COMPLAINTS {
            self.complaints += 1;
            let complaint = Event::Complaint(ImportComplaint {
                first_line: lines.0,
                last_line: lines.1,
                reason: shortened(reason.into()),
                further: 0,
            });
            if self.complaints < MOST_COMPLAINTS {
                return self.push(complaint);
            }
            self.counting = Some(self.events.len());
            self.events.push(complaint);
        } else if let Some(last) = self.counting
            && let Some(Event::Complaint(complaint)) = self.events.get_mut(last)
        {
            complaint.further += 1;
        }
    }
}

fn shortened(mut reason: String) -> String {
    if let Some((end, _)) = reason.char_indices().nth(LONGEST_REASON) {
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::HostFacts;

    fn block(lines: &[&str]) -> Block {
        let mut block = Block::default();
        block.begin(7, "head");
        lines.iter().for_each(|line| block.push(line));
        block
    }

    #[test]
    fn what_is_asked_about_lines_is_remembered_and_follows_them() {
        let is_a = |line: &str| line.starts_with('a');
        let mut grown = block(&[]);
        assert!(!grown.has(is_a) && grown.first_such(is_a).is_none() && !grown.begins_with(2, is_a));
        ["b", "a1", "", "a2", " "]
            .iter()
            .for_each(|line| grown.push(line));
        assert_eq!(
            (grown.first_such(is_a), grown.last_such(is_a)),
            (Some("a1"), Some("a2"))
        );
        assert!(grown.has(is_a) && !grown.begins_with(2, is_a) && grown.begins_with(3, is_a));
        assert_eq!(
            (grown.last_written(), grown.last_written_line()),
            (Some("a2"), 11)
        );
        grown.truncate(3);
        assert_eq!(
            (grown.last_such(is_a), grown.last_written()),
            (Some("a1"), Some("a1"))
        );
        grown.begin(1, "");
        assert!(!grown.has(is_a) && grown.last_written().is_none());
        assert_eq!(grown.last_written_line(), 1);
    }

    #[test]
    fn each_line_is_looked_at_once() {
        thread_local! {
            static LOOKS: Cell<usize> = const { Cell::new(0) };
        }
        fn is_such(line: &str) -> bool {
            LOOKS.set(LOOKS.get() + 1);
            line == "such"
        }
        let mut grown = block(&[]);
        for _ in 0..1_000 {
            grown.push("line");
            assert!(!grown.has(is_such));
        }
        assert_eq!(LOOKS.get(), grown.len());
    }

    #[test]
    fn what_is_handed_on_is_what_would_be_kept() {
        let fill = |findings: &mut Findings| {
            let lines = block(&["line"]);
            for line in 1..=1_200 {
                findings.complain(line, "noise");
                if line % 500 == 3 {
                    let payload = Payload::HostFacts(HostFacts {
                        hostname: Some(line.to_string()),
                        ..HostFacts::default()
                    });
                    findings.record(&lines, "tool", None, payload);
                }
            }
        };
        let mut kept = Findings::default();
        fill(&mut kept);
        let mut handed = Vec::new();
        let mut sink = |event| handed.push(event);
        let mut findings = Findings::handed_to(&mut sink);
        findings.complain(0, "before the first record");
        assert!(!findings.is_empty() && !findings.has_record);
        let mut findings = Findings::handed_to(&mut sink);
        fill(&mut findings);
        let left = findings.left();
        let [Event::Complaint(last)] = &left.events[..] else {
            panic!("{:?}", left.events);
        };
        assert_eq!((last.first_line, last.further), (1_000, 200));
        // The complaint that counts the others comes last; all else is in its order.
        kept.events.retain(|event| event != &left.events[0]);
        assert_eq!(handed, kept.events);
    }

    #[test]
    fn a_block_that_is_all_noise_costs_no_more_than_a_noisy_one() {
        let mut findings = Findings::default();
        for line in 1..=50_000 {
            findings.complain(line, "ä".repeat(10_000));
        }
        assert_eq!(findings.events.len(), MOST_COMPLAINTS);
        let Some(Event::Complaint(last)) = findings.events.last() else {
            panic!("no complaint");
        };
        assert_eq!((last.first_line, last.further), (1_000, 49_000));
        assert_eq!(last.reason.chars().count(), LONGEST_REASON + 1);
    }
}
