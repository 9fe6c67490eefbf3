//! The dialects' tables, prepared for reading: which rules a line may fit, and which counter a name is.

use super::cut;
use super::dialect::{Cut, Dialect, Place, Rule};
use super::dialects::DIALECTS;
use super::line::Line;
use super::names::{Known, Names};
use super::pattern::{Captures, Pattern, first_of};
use crate::block::DialectSet;
use crate::sieve::{Glance, Sieve};
use std::sync::LazyLock;

/// A dialect that is ready to read lines.
pub(super) struct Prepared {
    pub(super) dialect: &'static Dialect,
    heads: Vec<Pattern>,
    /// What shows that a head is missing, then the rules of each section, titles, and rules for lines anywhere: the first that
    /// fits counts.
    lines: Vec<(Pattern, Row)>,
    sieve: Sieve,
    /// What each section counts.
    names: Vec<Names>,
    /// The first bytes of titles: a line that begins otherwise is like none.
    first_of_titles: [bool; 256],
    cuts: Cuts,
}

/// What a line is that fits a pattern.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// The title of a section.
    Title(usize),
    /// One of a section, or of any.
    Rule(Option<usize>, &'static Rule),
}

/// How counters may be cut in one of its sections, as far as that shows in a line.
#[derive(Clone, Copy, Default)]
struct Cuts {
    /// The figure stands in front.
    figure_first: bool,
    /// There is this sign behind the name.
    colon: bool,
    equals: bool,
    /// Anywhere.
    anyhow: bool,
}

impl Cuts {
    fn of(dialect: &Dialect) -> Self {
        let any = |cuts: &[Cut]| dialect.sections.iter().any(|section| cuts.contains(&section.cut));
        let is_anyhow = |cut: Cut| matches!(cut, Cut::Alternating | Cut::Columns(_) | Cut::Seconds);
        Self {
            figure_first: any(&[Cut::FigureFirst, Cut::Either]),
            colon: any(&[Cut::NameFirst, Cut::Either]),
            equals: any(&[Cut::Equated]),
            anyhow: dialect.sections.iter().any(|section| is_anyhow(section.cut)),
        }
    }

    /// Whether a line may hold counters that are cut so.
    fn may_cut(self, line: &str) -> bool {
        let has = |sign: u8| line.as_bytes().contains(&sign);
        self.anyhow
            || self.figure_first && cut::may_be_figure_first(line)
            || self.colon && has(b':')
            || self.equals && has(b'=')
    }
}

/// Every dialect, in the order of their table.
pub(super) static PREPARED: LazyLock<Vec<Prepared>> =
    LazyLock::new(|| DIALECTS.iter().copied().map(Prepared::new).collect());

/// Those of a set, a bit for each, in their order.
pub(super) fn prepared_of(dialects: DialectSet) -> impl Iterator<Item = &'static Prepared> {
    with_bits(dialects).map(|(_, prepared)| prepared)
}

/// The same, each with its bit.
pub(super) fn with_bits(mut dialects: DialectSet) -> impl Iterator<Item = (DialectSet, &'static Prepared)> {
    std::iter::from_fn(move || {
        let place = dialects.trailing_zeros();
        // An empty set has no dialect at 128.
        let prepared = PREPARED.get(place as usize)?;
        dialects &= dialects.wrapping_sub(1);
        Some((1 << place, prepared))
    })
}

impl Prepared {
    fn new(dialect: &'static Dialect) -> Self {
        let sections = || dialect.sections.iter().enumerate();
        let titles = sections().flat_map(|(place, section)| {
            let titles = section.titles.iter();
            titles.map(move |title| (*title, Row::Title(place)))
        });
        let own = sections().flat_map(|(place, section)| {
            let rules = section.rules.iter();
            rules.map(move |rule| (rule.pattern, Row::Rule(Some(place), rule)))
        });
        let anywhere = dialect.rules.iter().flat_map(|rules| rules.iter());
        // What shows that a head is missing is looked for before what a section may have.
        let (missing, anywhere): (Vec<_>, Vec<_>) = anywhere
            .map(|rule| (rule.pattern, Row::Rule(None, rule)))
            .partition(|(_, row)| matches!(row, Row::Rule(_, rule) if rule.place == Place::Never));
        let lines: Vec<_> = missing
            .into_iter()
            .chain(own)
            .chain(titles)
            .chain(anywhere)
            .collect();
        let mut first_of_titles = [false; 256];
        let titles = lines.iter().filter(|(_, row)| matches!(row, Row::Title(_)));
        for first in titles.filter_map(|(pattern, _)| pattern.bytes().next()) {
            first_of_titles[usize::from(first)] = true;
        }
        Self {
            dialect,
            first_of_titles,
            cuts: Cuts::of(dialect),
            heads: dialect.heads.iter().copied().map(Pattern::new).collect(),
            sieve: Sieve::new(lines.iter().map(|(pattern, _)| *pattern), first_of),
            lines: lines
                .into_iter()
                .map(|(pattern, row)| (Pattern::new(pattern), row))
                .collect(),
            names: dialect.sections.iter().map(Names::of).collect(),
        }
    }

    /// Whether both are dialects of one maker's system: of routers and their units, of interfaces and their policies.
    pub(super) fn is_same_maker(&self, other: &Self) -> bool {
        let names = |prepared: &Self, system: &str| prepared.dialect.name.contains(system);
        let system = |prepared: &Self| prepared.dialect.name.split(',').next().unwrap_or_default();
        names(self, system(other)) || names(other, system(self))
    }

    /// Whether people give its interfaces names, by which commands ask for them.
    pub(super) fn has_given_names(&self) -> bool {
        self.dialect.heads.iter().any(|head| head.contains('"'))
    }

    /// What the first line of an interface says, if it is one of this dialect.
    pub(super) fn head<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        self.heads.iter().find_map(|pattern| pattern.captures(line))
    }

    /// What a line, which looks like this, may be in a section, and the values in it, the most telling first.
    pub(super) fn rows<'g, 't>(
        &'g self,
        section: usize,
        line: &'t str,
        glance: &'g Glance,
    ) -> impl Iterator<Item = (Row, Captures<'t>)> + use<'g, 't> {
        let here = self.likely(glance).filter(move |(_, row)| match row {
            Row::Rule(Some(of), _) => *of == section,
            Row::Title(_) | Row::Rule(None, _) => true,
        });
        here.filter_map(move |(pattern, row)| Some((*row, pattern.captures(line)?)))
    }

    /// What a line, which looks like this, may be in any section.
    pub(super) fn rows_anywhere<'g>(
        &'g self,
        line: &'g str,
        glance: &'g Glance,
    ) -> impl Iterator<Item = Row> + use<'g> {
        let fitting = self.likely(glance).filter(|(pattern, _)| pattern.fits(line));
        fitting.map(|(_, row)| *row)
    }

    /// What may tell that a line is its own which begins a text that looks like this.
    pub(super) fn telling_patterns<'t>(&'t self, glance: &'t Glance) -> impl Iterator<Item = &'t Pattern> {
        let patterns = self.likely(glance).map(|(pattern, _)| pattern);
        patterns.filter(|pattern| pattern.is_telling && !pattern.begins_with_figure())
    }

    fn likely<'t>(&'t self, glance: &'t Glance) -> impl Iterator<Item = &'t (Pattern, Row)> + use<'t> {
        self.sieve
            .places(glance)
            .filter_map(|place| self.lines.get(place))
    }

    /// Whether a line begins like a title that it does not fit, or is the beginning of one: a damaged one.
    pub(super) fn is_like_title(&self, line: &str) -> bool {
        let first = line.bytes().next().unwrap_or_default();
        if !self.first_of_titles[usize::from(first)] {
            return false;
        }
        let mut titles = self.lines.iter().filter(|(_, row)| matches!(row, Row::Title(_)));
        titles.any(|(pattern, _)| pattern.is_begun_by(line))
    }

    /// Whether it does not understand more than so many of these lines of an interface, as far as that shows at a glance: without reading
    /// them, which takes much longer.
    pub(super) fn misses_more(&self, lines: &[Line<'_>], count: usize) -> bool {
        let missed = lines.iter().filter(|line| self.surely_misses(line));
        missed.take(count + 1).count() > count
    }

    fn surely_misses(&self, line: &Line<'_>) -> bool {
        let may_be_read = || self.likely(line.glance()).next().is_some() || self.cuts.may_cut(&line.text);
        line.is_empty() || line.is_omission() || !may_be_read()
    }

    /// Whether an unknown name is a part of a known one: what is left where a text ends within it.
    pub(super) fn is_part(&self, section: usize, name: &str) -> bool {
        let names = self.names.get(section);
        names.is_some_and(|names| names.get(name).word.is_none() && names.is_part(name))
    }

    /// Whether any section has a counter of this name.
    pub(super) fn counts(&self, name: &str) -> bool {
        self.names.iter().any(|names| names.get(name).word.is_some())
    }

    /// What is known of a name in a section.
    pub(super) fn known(&self, section: usize, name: &str) -> Known {
        let names = self.names.get(section);
        names.map_or_else(Known::default, |names| names.get(name))
    }
}
