//! A block to its text, tables and footnotes.

use super::facts::Facts;
use super::footnote::{self, Note};
use super::table::{self, Caption, Table};
use super::{chain, heading};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use evidence::Payload;

#[derive(Default)]
struct Section {
    facts: Facts,
    tables: Vec<Table>,
    /// Rows go to the last table.
    is_open: bool,
    notes: Vec<Note>,
    /// The line above belongs to the last footnote.
    in_note: bool,
    style: Captions,
    /// A caption whose table is still to come.
    next_caption: Option<Caption>,
}

/// Where the document has its captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Captions {
    #[default]
    None,
    Above,
    Below,
}

pub(super) fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut section = Section {
        style: Captions::of(block),
        ..Section::default()
    };
    for (number, line) in block.numbered() {
        if let Err(reason) = section.take(line.trim_ascii()) {
            findings.complain(number, reason);
        }
    }
    section.tables.retain(|table| !table.points.is_empty());
    section.find_orphans();
    let at = section.facts.at.or(context.at);
    let chains = chain::chains(&section.facts, &section.tables, &section.notes, context);
    let last_line = section.last_line(block);
    for chain in chains {
        let lines = (block.first_line, last_line);
        findings.record_of(lines, "packet counters", at, Payload::CounterChain(chain));
    }
}

impl Captions {
    fn of(block: &Block) -> Self {
        let mut lines = block.lines().map(|line| line.trim_ascii());
        let first = lines.find_map(|line| match table::caption(line) {
            Some(_) => Some(Self::Above),
            None => table::is_head(line).then_some(Self::Below),
        });
        match first {
            Some(Self::Below) if !lines.any(|line| table::caption(line).is_some()) => Self::None,
            first => first.unwrap_or_default(),
        }
    }
}

impl Section {
    fn take(&mut self, text: &str) -> Result<(), String> {
        let continues_note = std::mem::take(&mut self.in_note);
        if text.starts_with('|') {
            return self.take_row(text);
        }
        if footnote::starts(text) {
            self.in_note = true;
            self.notes.push(Note {
                mark: footnote::marks(text).into_iter().next().unwrap_or_default(),
                text: text.to_owned(),
                is_orphan: false,
            });
        } else if let Some(caption) = table::caption(text) {
            self.take_caption(caption);
        } else if let Some(title) = heading::title(text) {
            title.trim_end_matches('.').clone_into(&mut self.facts.title);
        } else if let Some(note) = self
            .notes
            .last_mut()
            .filter(|_| continues_note && !text.is_empty())
        {
            note.text.push(' ');
            note.text.push_str(text);
            self.in_note = true;
        } else {
            return self.facts.take(text);
        }
        Ok(())
    }

    fn take_caption(&mut self, caption: Caption) {
        if self.style == Captions::Above {
            self.next_caption = Some(caption);
        } else if let Some(table) = self.tables.last_mut().filter(|_| self.is_open) {
            table.caption = Some(caption);
        }
        self.is_open = false;
    }

    fn take_row(&mut self, text: &str) -> Result<(), String> {
        // Where tables have captions, a second head between two of them is the same table after a page break.
        if table::is_head(text) && !(self.is_open && self.style != Captions::None) {
            self.is_open = true;
            self.tables.push(Table {
                caption: self.next_caption.take(),
                ..Table::default()
            });
        }
        match self.tables.last_mut().filter(|_| self.is_open) {
            Some(table) => table.take_row(text),
            None => Err("a row of a table that is not one of packet counters".to_owned()),
        }
    }

    fn find_orphans(&mut self) {
        let (tables, facts) = (&self.tables, &self.facts);
        let in_text = || facts.totals.iter().chain(&facts.results);
        for note in &mut self.notes {
            note.is_orphan = !tables.iter().any(|table| table.marks.contains(&note.mark))
                && !in_text().any(|figure| figure.marks.contains(&note.mark));
        }
    }

    /// The last line that is not blank.
    fn last_line(&self, block: &Block) -> u64 {
        let blank = block
            .lines()
            .rev()
            .take_while(|line| line.trim_ascii().is_empty())
            .count();
        block.last_line().saturating_sub(blank as u64)
    }
}
