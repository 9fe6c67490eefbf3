//! Parts of a long text, read side by side.
//!
//! What a line means can depend on any line above it, but a block that begins owes nothing to what is above but the host of
//! its prompt. So a part is read as if it were the beginning of a text, and counts from the first block on that begins at
//! the same line for a reader who comes from above: everything is as if one reader had read all.

use crate::arrival::{Decoder, MOST_TOGETHER};
use crate::blocks::{Beginning, Blocks};
use crate::{Context, Event, Importer};

/// Reads parts of the text of which an [`Importer`] has read the first piece; on any thread.
#[derive(Clone)]
pub struct PartReader<'a> {
    context: &'a Context,
    decoder: Decoder,
}

/// What a part of a text says when it is read by itself.
pub struct Part<'a> {
    importer: Importer<'a>,
    events: Vec<Event>,
    beginnings: Vec<Beginning>,
}

impl<'a> PartReader<'a> {
    /// Reads whole lines: `bytes` begin a line and end with a line feed, and `lines_above` lines are before them.
    #[must_use]
    pub fn read(&self, bytes: &[u8], lines_above: u64) -> Part<'a> {
        let blocks = Blocks::new(self.context).noting_beginnings(lines_above);
        let mut importer = Importer::with(self.decoder.clone(), blocks);
        let mut events = Vec::new();
        importer.feed(bytes, &mut |event| events.push(event));
        let mut beginnings = importer.blocks.take_beginnings();
        // Before that it is not known how many lines stand together: some may be above.
        beginnings.retain(|begun| begun.line > lines_above + MOST_TOGETHER as u64);
        Part {
            importer,
            events,
            beginnings,
        }
    }
}

impl<'a> Importer<'a> {
    /// Who reads parts of this text; `None` while its encoding is not known, and where a byte does not tell whether it
    /// ends a line (UTF-16, carriage returns alone).
    #[must_use]
    pub fn part_reader(&self) -> Option<PartReader<'a>> {
        self.decoder.is_plain().then(|| PartReader {
            context: self.blocks.context(),
            decoder: self.decoder.clone(),
        })
    }

    /// How many lines were taken; what the next part has above it, if what was fed ends with a line feed.
    #[must_use]
    pub fn line_count(&self) -> u64 {
        self.blocks.line_count() + self.quoted.waiting_count() + self.spaced.waiting_count()
    }

    /// Goes on with `bytes`, of which `part` says what they are by themselves. The same comes out as if they were fed. Returns
    /// whether what it says was of use: not where they are all of a block that began above.
    pub fn join(&mut self, bytes: &[u8], part: Part<'a>, sink: &mut dyn FnMut(Event)) -> bool {
        self.blocks.note_beginnings();
        let (mut rest, mut one_by_one, mut passed) = (bytes, 0, 0);
        while !rest.is_empty() {
            let next = self.line_count() + 1;
            let left = part.beginnings.get(passed..).unwrap_or_default();
            passed += left.iter().take_while(|begun| begun.line < next).count();
            let coming = part.beginnings.get(passed).map(|begun| begun.line);
            if coming == Some(next) {
                one_by_one = LATE;
            }
            // Where the part has no beginning, there is none to be met: such lines are fed together, which is faster.
            let count = match one_by_one {
                0 => coming.map(|line| line - next),
                _ => Some(1),
            };
            one_by_one = one_by_one.saturating_sub(1);
            let (lines, behind) = rest.split_at(end_of_lines(rest, count));
            rest = behind;
            let mut told = 0;
            self.feed(lines, &mut |event| {
                told = event.first_line();
                sink(event);
            });
            let begun = self.blocks.take_beginnings();
            // Lines that waited come together: of what begins there, nothing must have been told yet.
            let is_met = |begun: &&Beginning| told < begun.line && part.beginnings.contains(begun);
            let Some(begun) = begun.last().filter(is_met) else {
                continue;
            };
            let counts = |event: &Event| event.first_line() >= begun.line;
            part.events.into_iter().filter(counts).for_each(sink);
            *self = part.importer;
            return true;
        }
        false
    }
}

/// That a block begins may be known so many lines behind its first: a command may stand on several.
const LATE: u32 = 64;

/// Where so many lines end; without a number, all.
fn end_of_lines(bytes: &[u8], count: Option<u64>) -> usize {
    let last = count.and_then(|count| usize::try_from(count.checked_sub(1)?).ok());
    let end = last.and_then(|last| memchr::memchr_iter(b'\n', bytes).nth(last));
    end.map_or(bytes.len(), |end| end + 1)
}
