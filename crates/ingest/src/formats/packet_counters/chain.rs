//! One chain a table, with those figures of the text that are about its direction.

use super::facts::{Directed, Facts, FigureKind, Rates};
use super::footnote::Note;
use super::table::Table;
use crate::Context;
use evidence::CounterChain;

/// The chains of a section, in the order of its tables.
pub(super) fn chains(
    facts: &Facts,
    tables: &[Table],
    notes: &[Note],
    context: &Context,
) -> Vec<CounterChain> {
    let main = main_table(facts, tables);
    tables
        .iter()
        .enumerate()
        .map(|(index, table)| {
            Chain { facts, notes, table }.build(index == main, index + 1 == tables.len(), context)
        })
        .collect()
}

/// The table of the direction that the data took: figures without a direction are about it. TCP's acknowledgements,
/// which go the other way, are never more packets than the data.
fn main_table(facts: &Facts, tables: &[Table]) -> usize {
    let sent = |table: &Table| {
        let totals = facts.totals.iter().filter(|total| is_about(total, table));
        totals.filter_map(|total| total.packets).max()
    };
    let mut best = (0, None);
    for (index, table) in tables.iter().enumerate() {
        if sent(table) > best.1 {
            best = (index, sent(table));
        }
    }
    best.0
}

/// Whether a figure's "from X to Y" is the direction of the table.
fn is_about(figure: &Directed, table: &Table) -> bool {
    figure.way.as_ref().is_some_and(|(from, to)| {
        table.names_of_sender().any(|name| names(name, from))
            && table.names_of_receiver().any(|name| names(name, to))
    })
}

/// Whether a site (`FNAL`) is a whole word of a name (`fntst-1.fnal.gov`, `FNAL (US)`).
fn names(name: &str, site: &str) -> bool {
    name.eq_ignore_ascii_case(site)
        || name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case(site))
}

struct Chain<'a> {
    facts: &'a Facts,
    notes: &'a [Note],
    table: &'a Table,
}

impl Chain<'_> {
    fn build(&self, is_main: bool, is_last: bool, context: &Context) -> CounterChain {
        let (facts, table) = (self.facts, self.table);
        let about = |figure: &&Directed| match figure.way {
            Some(_) => is_about(figure, table),
            None => is_main,
        };
        let figures: Vec<&Directed> = facts.totals.iter().chain(&facts.results).filter(about).collect();
        let packets = |kind| figures.iter().find(|f| f.kind == kind).and_then(|f| f.packets);
        let rate = |rates: &Option<Rates>| rates.as_ref().filter(|_| is_main).and_then(|r| facts.mean(r));
        let caption = table.caption.as_ref();
        CounterChain {
            label: facts.title.clone(),
            from: context.from_or(caption.map(|c| c.from.clone()).unwrap_or_default()),
            to: context.to_or(caption.map(|c| c.to.clone()).unwrap_or_default()),
            protocol: facts.protocol(),
            streams: facts.streams(),
            duration_ns: facts.duration_ns,
            sent_bps: rate(&facts.outgoing),
            received_bps: rate(&facts.received),
            packets_sent: packets(FigureKind::Sent),
            reported_lost: packets(FigureKind::ReportedLost),
            reported_reordered: packets(FigureKind::ReportedReordered),
            points: table.points.clone(),
            remarks: self.remarks(&figures, is_main, is_last),
        }
    }

    /// Rates of several phases, what the author concluded, and the footnotes to any of the figures, as printed. A
    /// footnote without a mark on any figure goes to the last table: nothing is lost.
    fn remarks(&self, figures: &[&Directed], is_main: bool, is_last: bool) -> Vec<String> {
        let rates = [&self.facts.outgoing, &self.facts.received];
        let rates = rates.into_iter().flatten().filter(|r| is_main && r.are_several());
        let conclusions = figures.iter().filter(|f| f.kind == FigureKind::Conclusion);
        let marked = |mark: &String| {
            self.table.marks.contains(mark) || figures.iter().any(|figure| figure.marks.contains(mark))
        };
        let notes = self
            .notes
            .iter()
            .filter(|note| marked(&note.mark) || (is_last && note.is_orphan));
        let rates = rates.map(|rates| rates.text.clone());
        let texts = conclusions.map(|figure| figure.text.clone());
        let texts = texts.chain(notes.map(|note| note.text.clone()));
        let mut remarks: Vec<String> = rates.chain(texts).collect();
        remarks.dedup();
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_whole_word() {
        assert!(names("fntst-1-fnal.gov", "FNAL") && names("DESY (Germany)", "desy"));
        assert!(!names("desynced.example", "DESY") && !names("", "DESY"));
    }
}
