//! What stands below lines that are missing: somebody left them out (`...`), or a filter kept others. The title of a section may be
//! among them, and the head of a unit. So only what tells by itself is taken.

use super::{GAP, Reader, Stop};
use crate::formats::interface::cut::{self, Pair};
use crate::formats::interface::dialect::{Cut, Meaning, Place, Rule, Section, Way};
use crate::formats::interface::pattern;
use crate::formats::interface::taken::meaning;

impl<'l> Reader<'l> {
    /// Lines were left out here.
    pub(super) fn pass_gap(&mut self) {
        self.is_behind_gap = true;
        // The time that rates are averaged over, a class, a lane are told on lines of their own.
        self.interval = None;
        self.nest.lose();
        // Where the first section counts, its words tell the direction.
        let counts = self.section().is_some_and(|section| !section.words.is_empty());
        if self.section != 0 || !counts {
            self.section = GAP;
        }
    }

    /// Whether a line that is one of any section is one of this interface, and not of a unit of which the head is missing: what stands
    /// above counters is of ports.
    pub(super) fn is_told_behind_gap(&self, rule: &Rule) -> bool {
        let is_of_port = !matches!(rule.place, Place::Any | Place::Never);
        is_of_port || !pattern::has_value(rule.pattern) || !self.prepared.dialect.has_units
    }

    /// Whether no unit has such a section: it counts errors, which only ports do.
    pub(super) fn is_of_port(&self, section: usize) -> bool {
        let dialect = self.prepared.dialect;
        let counts = dialect
            .sections
            .get(section)
            .is_some_and(|section| section.cut != Cut::No);
        counts || !dialect.has_units
    }

    /// Takes counters without the title that they stand below, where their names tell it: some are counted in one section alone,
    /// and none of them shows there that a title is missing.
    pub(super) fn take_untitled(&mut self, line: &'l str) -> Result<bool, Stop> {
        let may_lack_title = self.is_filtered || self.is_behind_gap;
        let is_of_section = |section: &Section| match section.cut {
            Cut::FigureFirst => pairs(section, line).is_some(),
            cut => cut != Cut::No,
        };
        if !may_lack_title || self.section().is_some_and(is_of_section) {
            return Ok(false);
        }
        if self.take_untitled_columns(line)? {
            return Ok(true);
        }
        let dialect = self.prepared.dialect;
        let mut telling = None;
        for (place, section) in dialect.sections.iter().enumerate() {
            let Some(pairs) = pairs(section, line) else {
                continue;
            };
            let is_here_alone = |(name, _): &Pair<'_>| self.sections_that_count(name, line).eq([place]);
            let is_elsewhere = |(name, _): &Pair<'_>| {
                self.prepared.known(place, name).word.is_some()
                    && !self
                        .sections_that_count(name, line)
                        .any(|counting| counting == place)
            };
            let tells = pairs.iter().any(is_here_alone) && !pairs.iter().any(is_elsewhere);
            if tells && telling.replace((place, section, pairs)).is_some() {
                return Ok(false);
            }
        }
        let Some((place, section, pairs)) = telling else {
            return Ok(false);
        };
        let before = std::mem::replace(&mut self.section, place);
        let taken = self.take_pairs(Some(pairs), section.way);
        self.section = before;
        self.untitled += 1;
        taken
    }

    /// Takes a row of a column for each direction, where the name is known in such tables alone that mean the same by it.
    fn take_untitled_columns(&mut self, line: &'l str) -> Result<bool, Stop> {
        let Some((name, figures)) = cut::columns(line, 2).filter(|(_, figures)| figures.len() == 2) else {
            return Ok(false);
        };
        let sections = self.prepared.dialect.sections.iter().enumerate();
        let mut tables = sections.filter(|(place, section)| {
            section.cut == Cut::Columns(2)
                && section.way == Way::Both
                && self.prepared.known(*place, name).word.is_some()
        });
        let Some((place, first)) = tables.next() else {
            return Ok(false);
        };
        if tables.any(|(_, other)| !std::ptr::eq(other.words, first.words) || other.own != first.own) {
            return Ok(false);
        }
        // What only one direction counts stands as nothing in the other column.
        let is_kind = |way| {
            let word = self.prepared.known(place, name).word;
            word.is_some_and(|word| matches!(meaning(word, way, way).0, Some(Meaning::Kind(_))))
        };
        let ways = [Way::In, Way::Out].map(|way| (way, is_kind(way)));
        let has_kind = ways.iter().any(|(_, is_kind)| *is_kind);
        let before = std::mem::replace(&mut self.section, place);
        let mut taken = Ok(());
        for ((way, is_kind), figure) in ways.into_iter().zip(figures) {
            if is_kind || !has_kind {
                taken = taken.and_then(|()| self.count(&mut Way::Unsaid, way, name.into(), figure));
            }
        }
        self.section = before;
        self.untitled += 1;
        taken.map(|()| true)
    }

    /// The sections that count something of this name on such a line.
    fn sections_that_count(&self, name: &str, line: &str) -> impl Iterator<Item = usize> {
        let sections = self.prepared.dialect.sections.iter().enumerate();
        let counting = sections.filter(move |(place, section)| {
            let word = self.prepared.known(*place, name).word;
            word.is_some_and(|word| meaning(word, section.way, section.way).0.is_some())
                && (section.cut != Cut::FigureFirst || pairs(section, line).is_some())
        });
        counting.map(|(place, _)| place)
    }
}

/// The counters of a line, as a section with a direction of its own prints them. Columns have their meaning from the title.
fn pairs<'l>(section: &Section, line: &'l str) -> Option<Vec<Pair<'l>>> {
    let pairs = match section.cut {
        Cut::FigureFirst => cut::figure_first(line),
        Cut::NameFirst => cut::name_first(line),
        Cut::Either => cut::either(line),
        Cut::Alternating | Cut::Equated | Cut::Columns(_) | Cut::Seconds | Cut::No => None,
    };
    pairs.filter(|pairs| pairs.len() > 1)
}
