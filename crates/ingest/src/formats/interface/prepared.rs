//! The dialects' tables, prepared for reading: which rules a line may fit, and which counter a name is.

use super::dialect::{Dialect, Rule, Section, Word};
use super::dialects::DIALECTS;
use super::pattern::{Captures, captures};
use crate::sieve::Sieve;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A dialect that is ready to read lines.
pub(super) struct Prepared {
    pub(super) dialect: &'static Dialect,
    titles: Table<usize>,
    rules: Table<&'static Rule>,
    sections: Vec<PreparedSection>,
}

struct PreparedSection {
    rules: Table<&'static Rule>,
    /// By their names in small letters.
    words: BTreeMap<String, &'static Word>,
}

/// What is looked for behind patterns, the first that fits first.
struct Table<T> {
    sieve: Sieve,
    rows: Vec<(&'static str, T)>,
}

impl<T: Copy> Table<T> {
    fn new(rows: impl Iterator<Item = (&'static str, T)>) -> Self {
        let rows: Vec<_> = rows.collect();
        Self {
            sieve: Sieve::new(rows.iter().map(|(pattern, _)| *pattern)),
            rows,
        }
    }

    fn fitting<'t>(&self, line: &'t str) -> impl Iterator<Item = (T, Captures<'t>)> {
        let likely = self.sieve.places(line).filter_map(|place| self.rows.get(place));
        likely.filter_map(move |(pattern, of)| Some((*of, captures(pattern, line)?)))
    }
}

/// Every dialect, in the order of their table.
pub(super) static PREPARED: LazyLock<Vec<Prepared>> =
    LazyLock::new(|| DIALECTS.iter().copied().map(Prepared::new).collect());

fn of_rules<'r>(rules: impl Iterator<Item = &'static Rule> + 'r) -> Table<&'static Rule> {
    Table::new(rules.map(|rule| (rule.pattern, rule)))
}

impl Prepared {
    fn new(dialect: &'static Dialect) -> Self {
        let titles = dialect.sections.iter().enumerate();
        let titles =
            titles.flat_map(|(place, section)| section.titles.iter().map(move |title| (*title, place)));
        Self {
            dialect,
            titles: Table::new(titles),
            rules: of_rules(dialect.rules.iter().flat_map(|rules| rules.iter())),
            sections: dialect.sections.iter().map(PreparedSection::new).collect(),
        }
    }

    /// What the first line of an interface says, if it is one of this dialect.
    pub(super) fn head<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        self.dialect
            .heads
            .iter()
            .find_map(|pattern| captures(pattern, line))
    }

    /// The section that a line is a title of, and what the title says.
    pub(super) fn titled<'t>(&self, line: &'t str) -> Option<(usize, Captures<'t>)> {
        self.titles.fitting(line).next()
    }

    /// The rules that a line fits: those of the section, and those for lines anywhere.
    pub(super) fn rules<'t>(
        &self,
        section: usize,
        line: &'t str,
    ) -> impl Iterator<Item = (&'static Rule, Captures<'t>)> {
        let own = self.sections.get(section).into_iter();
        let own = own.flat_map(move |section| section.rules.fitting(line));
        own.chain(self.rules.fitting(line))
    }

    /// What a name counts in a section.
    pub(super) fn word(&self, section: usize, name: &str) -> Option<&'static Word> {
        let section = self.sections.get(section)?;
        section.words.get(&name.to_ascii_lowercase()).copied()
    }

    /// Whether a name is none in the section, but the first words of one: the line was cut.
    pub(super) fn is_beginning(&self, section: usize, name: &str) -> bool {
        let Some(section) = self.sections.get(section) else {
            return false;
        };
        let mut begun = name.to_ascii_lowercase();
        if section.words.contains_key(&begun) {
            return false;
        }
        begun.push(' ');
        let next = section.words.range(begun.clone()..).next();
        next.is_some_and(|(known, _)| known.starts_with(&begun))
    }
}

impl PreparedSection {
    fn new(section: &'static Section) -> Self {
        let mut words = BTreeMap::new();
        for word in section.words.iter().flat_map(|words| words.iter()) {
            words.entry(word.name.to_ascii_lowercase()).or_insert(word);
        }
        Self {
            rules: of_rules(section.rules.iter()),
            words,
        }
    }
}
