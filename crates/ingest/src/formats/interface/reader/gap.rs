//! What stands below lines that are missing: somebody left them out (`...`), or a filter kept others. The title of a section may be
//! among them, and the head of a unit. So only what tells by itself is taken.

use super::{GAP, Reader, Stop};
use crate::formats::interface::cut::{self, Pair};
use crate::formats::interface::dialect::{Cut, Place, Rule, Section};
use crate::formats::interface::pattern::{Captures, has_value};
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
    pub(super) fn is_told_behind_gap(&self, rule: &Rule, found: &Captures<'_>) -> bool {
        let is_of_port = !matches!(rule.place, Place::Any | Place::Never);
        is_of_port || !has_value(found) || !self.prepared.dialect.has_units
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
        if !may_lack_title {
            return Ok(false);
        }
        let cuts = Cuts::new(line);
        if self.is_of_section(line, &cuts) {
            return Ok(false);
        }
        if let Some(place) = self.section_of_row(line) {
            return self.take_in(place, |reader| reader.take_counters(line));
        }
        let dialect = self.prepared.dialect;
        let mut telling = None;
        for (place, section) in dialect.sections.iter().enumerate() {
            let Some(pairs) = cuts.pairs(section) else {
                continue;
            };
            let is_here_alone = |(name, _): &Pair<'_>| self.sections_that_count(name, &cuts).eq([place]);
            let is_elsewhere = |(name, _): &Pair<'_>| {
                self.prepared.known(place, name).word.is_some()
                    && !self
                        .sections_that_count(name, &cuts)
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
        let pairs = pairs.to_vec();
        self.take_in(place, |reader| reader.take_pairs(Some(pairs), section.way))
    }

    /// Whether a line may be one of the section below whose title it stands.
    fn is_of_section(&self, line: &str, cuts: &Cuts<'_>) -> bool {
        let Some(section) = self.section() else {
            return false;
        };
        let knows = |name: &str| !section.is_closed || self.prepared.known(self.section, name).word.is_some();
        match section.cut {
            Cut::No => false,
            Cut::FigureFirst | Cut::NameFirst | Cut::Either => cuts.pairs(section).is_some(),
            Cut::Columns(count) => cut::columns(line, count).is_some_and(|(name, _)| knows(name)),
            Cut::Seconds => cut::columns(line, 2).is_some_and(|(name, _)| knows(name)),
            Cut::Alternating | Cut::Equated => true,
        }
    }

    /// The section that has rows of this name, with as many figures; of several that mean the same by it, the first.
    fn section_of_row(&self, line: &str) -> Option<usize> {
        let sections = self.prepared.dialect.sections.iter().enumerate();
        let mut having = sections.filter_map(|(place, section)| {
            let Cut::Columns(count) = section.cut else {
                return None;
            };
            let row = cut::columns(line, count).filter(|(_, figures)| count > 1 && figures.len() == count);
            let word = self.prepared.known(place, row?.0).word?;
            Some((place, (section.way, section.own, word.input, word.output)))
        });
        let (place, meaning) = having.next()?;
        having.all(|(_, other)| other == meaning).then_some(place)
    }

    /// Takes a line as one of another section than that of the title above it.
    fn take_in(
        &mut self,
        section: usize,
        take: impl FnOnce(&mut Self) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let before = std::mem::replace(&mut self.section, section);
        let taken = take(self);
        self.section = before;
        self.untitled += 1;
        taken
    }

    /// The sections that count something of this name on such a line.
    fn sections_that_count(&self, name: &str, cuts: &Cuts<'_>) -> impl Iterator<Item = usize> {
        let sections = self.prepared.dialect.sections.iter().enumerate();
        let counting = sections.filter(move |(place, section)| {
            let word = self.prepared.known(*place, name).word;
            word.is_some_and(|word| meaning(word, section.way, section.way).0.is_some())
                && (section.cut != Cut::FigureFirst || cuts.pairs(section).is_some())
        });
        counting.map(|(place, _)| place)
    }
}

/// A line's counters, cut in both ways that sections with a direction of their own print them. It is cut once: a line may have as many
/// names as it likes, and each is looked for in every section.
struct Cuts<'l> {
    figure_first: Option<Vec<Pair<'l>>>,
    name_first: Option<Vec<Pair<'l>>>,
    has_colon: bool,
}

impl<'l> Cuts<'l> {
    fn new(line: &'l str) -> Self {
        let several = |pairs: &Vec<Pair<'l>>| pairs.len() > 1;
        Self {
            figure_first: cut::figure_first(line).filter(several),
            name_first: cut::name_first(line).filter(several),
            has_colon: line.contains(':'),
        }
    }

    /// The counters as a section prints them.
    fn pairs(&self, section: &Section) -> Option<&[Pair<'l>]> {
        match section.cut {
            Cut::NameFirst => self.name_first.as_deref(),
            Cut::Either if self.has_colon => self.name_first.as_deref(),
            Cut::FigureFirst | Cut::Either => self.figure_first.as_deref(),
            Cut::Alternating | Cut::Equated | Cut::Columns(_) | Cut::Seconds | Cut::No => None,
        }
    }
}
