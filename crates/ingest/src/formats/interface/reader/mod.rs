//! The lines of one interface, read by a dialect.
//!
//! What is taken stays provisional to the end: a name that comes again with another figure, or one that only counts what is
//! sent under a title of what is received, shows that a line is missing, and from there on nothing is taken.

mod claims;
mod counters;
mod fields;
mod gap;
mod tally;
mod whole;

pub(super) use claims::claims;

use super::asked::Asked;
use super::dialect::{Place, Rule, Section};
use super::line::Line;
use super::nest::Nest;
use super::pattern::{Captures, SETTING, has_value};
use super::prepared::{Prepared, Row};
use super::taken::Light;
use evidence::{CounterKind, InterfaceCounters};
use tally::Tally;

/// What a dialect makes of the lines of an interface.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) interface: InterfaceCounters,
    /// Lines, and what is wrong with them.
    pub(super) complaints: Vec<((u64, u64), String)>,
    /// Lines below the head that were understood.
    pub(super) understood: usize,
    /// Its head says all: that nothing is installed there.
    pub(super) is_nothing: bool,
    /// The head says all that is printed of it.
    pub(super) is_told_by_head: bool,
}

enum Target {
    Kind(CounterKind),
    Own(String),
}

/// A dialect that reads an interface line by line.
pub(super) struct Reader<'l> {
    pub(super) prepared: &'static Prepared,
    /// The lines below the head, and how many of them were read.
    below: &'l [Line<'l>],
    read: usize,
    interface: InterfaceCounters,
    section: usize,
    taken: Tally<'l>,
    /// Lines of the section in hand, below its title.
    of_section: usize,
    /// The rule of the first line below the head, and what the line begins with.
    opening: Option<(&'static str, &'l str)>,
    /// The text of each rule for lines above the counters, by the rule's first words.
    seen: Vec<(&'static str, &'l str)>,
    /// The time over which rates are averaged, where a line above them tells.
    interval: Option<u64>,
    complaints: Vec<((u64, u64), String)>,
    understood: usize,
    untitled: usize,
    /// Lines below the head are indented.
    is_indented: bool,
    /// Counters were taken, not only what is printed above them.
    counted: bool,
    /// A filter of the command kept some lines alone, perhaps without their titles.
    is_filtered: bool,
    /// Lines were left out above the line in hand.
    is_behind_gap: bool,
    /// A name on the line in hand that is the beginning of another.
    cut_name: Option<String>,
    /// What the names of counters stand below: a policy and its classes.
    nest: Nest,
    /// The direction of the one policy that the command asked for, whose name a filter took away.
    way: Option<&'static str>,
    /// The queue that the line in hand is about.
    queue: String,
    /// Light of a transceiver, by its lanes.
    light: Light,
    /// Of the line in hand.
    indentation: usize,
    /// The head says that there is nothing.
    is_nothing: bool,
    /// The head tells more than a name and a state: below it nothing need be.
    is_told_by_head: bool,
    /// All figures were understood down to where the head of another interface is missing, and how many lines are that one's: these say nothing
    /// against the dialect.
    is_behind_another: bool,
    others: usize,
}

/// The section below a title that is not known.
const NOWHERE: usize = usize::MAX;
/// The section below lines that were left out: a title may be among them.
const GAP: usize = usize::MAX - 1;

/// Why nothing more is taken of an interface.
type Stop = String;

impl<'l> Reader<'l> {
    /// Begins with the head; `None` where the first line is none of this dialect.
    pub(super) fn begin(prepared: &'static Prepared, asked: &Asked, lines: &'l [Line<'l>]) -> Option<Self> {
        let (head, below) = lines.split_first()?;
        let found = prepared.head(&head.text)?;
        let mut reader = Self::new(prepared, below);
        reader.is_filtered = asked.is_filtered;
        reader.is_told_by_head = found
            .iter()
            .any(|(field, _)| *field == "speed" || field.starts_with(SETTING));
        // A head gives each value once.
        let _ = reader.apply(&found);
        reader.is_indented = below
            .iter()
            .find(|line| !line.text.is_empty())
            .is_some_and(|line| line.indentation > 0);
        Some(reader)
    }

    /// Begins with lines that a filter kept of an interface, whose name the command tells.
    pub(super) fn begin_without_head(
        prepared: &'static Prepared,
        (interface, way): (&str, Option<&'static str>),
        lines: &'l [Line<'l>],
    ) -> Self {
        let mut reader = Self::new(prepared, lines);
        reader.way = way;
        interface.clone_into(&mut reader.interface.interface);
        reader.is_filtered = true;
        reader.is_indented = lines.first().is_some_and(|line| line.indentation > 0);
        reader.pass_gap();
        reader
    }

    /// Reads the next line; whether there was one.
    pub(super) fn step(&mut self) -> bool {
        let Some(line) = self.below.get(self.read) else {
            return false;
        };
        self.read += 1;
        if line.is_empty() {
            return true;
        }
        if line.is_omission() {
            self.pass_gap();
            return true;
        }
        let understood = self.understood;
        // Of what is not there nothing is counted: the head of another interface is missing.
        let taken = match self.is_nothing {
            true => Err("below an interface that is not there".to_owned()),
            false => self.take(line),
        };
        if let Err(why) = taken {
            // A line that ends the reading speaks for no dialect.
            self.understood = understood;
            let last = self.below.last().map_or(line.number, |last| last.number);
            let called = self.called();
            let why = format!("{why}: nothing of {called} is read from here on");
            self.complaints.push(((line.number, last), why));
            if self.is_behind_another {
                self.others = self.below.len() - self.read;
            }
            self.read = self.below.len();
        }
        true
    }

    /// How many lines below the head were not understood so far, or without their title: that says nothing for the dialect.
    pub(super) fn missed(&self) -> usize {
        self.read - self.understood + self.untitled - self.others
    }

    /// How much there is to complain about so far.
    pub(super) fn complaint_count(&self) -> usize {
        self.complaints.len()
    }

    fn new(prepared: &'static Prepared, below: &'l [Line<'l>]) -> Self {
        Self {
            prepared,
            below,
            read: 0,
            interface: InterfaceCounters::default(),
            section: 0,
            taken: Tally::default(),
            of_section: 0,
            opening: None,
            seen: Vec::new(),
            interval: None,
            complaints: Vec::new(),
            understood: 0,
            untitled: 0,
            is_indented: false,
            counted: false,
            is_filtered: false,
            is_behind_gap: false,
            cut_name: None,
            nest: Nest::default(),
            way: None,
            queue: String::new(),
            light: Light::default(),
            indentation: 0,
            is_nothing: false,
            is_told_by_head: false,
            is_behind_another: false,
            others: 0,
        }
    }

    fn called(&self) -> &str {
        match self.interface.interface.as_str() {
            "" => "the interface",
            name => name,
        }
    }

    fn complain(&mut self, lines: (u64, u64), why: String) {
        self.complaints.push((lines, why));
    }

    fn section(&self) -> Option<&'static Section> {
        self.prepared.dialect.sections.get(self.section)
    }

    fn take(&mut self, line: &'l Line<'l>) -> Result<(), Stop> {
        let whole = line;
        let (number, indentation) = (line.number, line.indentation);
        let line: &'l str = &line.text;
        // What people write between the lines begins as a remark of a configuration does.
        if line.starts_with('!') {
            return Ok(());
        }
        self.understood += 1;
        self.indentation = indentation;
        let mut rows = self.prepared.rows(self.section, line, whole.glance());
        let row = rows.find(|(row, found)| self.is_open_to(row, found));
        self.of_section += usize::from(!matches!(row, Some((Row::Title(_), _))));
        match row {
            Some((Row::Title(section), found)) => {
                self.leave_section();
                self.section = section;
                // What is told of a queue ends where a part begins that is of no queue.
                if self.section().is_some_and(|section| !section.is_of_group) {
                    self.nest.leave();
                }
                return self.apply(&found);
            }
            Some((Row::Rule(section, rule), found)) => {
                if let (Some(section), Place::Never) = (section, rule.place) {
                    // What was taken here may belong below the title that is missing.
                    self.taken.forget_section(section);
                }
                // Values that differ tell by themselves.
                if section.is_none() && !has_value(&found) {
                    self.keep_opening(rule, line)?;
                }
                self.keep_place(rule, line)?;
                return self.apply(&found);
            }
            None => {}
        }
        if self.take_counters(line)? || self.take_untitled(line)? {
            if let Some(name) = self.cut_name.take() {
                self.complain((number, number), format!("the name of a counter is cut: {name}"));
            }
            return Ok(());
        }
        self.understood -= 1;
        // It may be the first one of another device's output.
        if indentation == 0
            && (self.is_indented || whole.has_figure_or_name())
            && !(self.prepared.dialect.is_flat && whole.is_setting())
        {
            return Err(format!("not understood: {line}"));
        }
        // Between settings there are titles as well.
        let is_below_settings = !self.counted && self.section == 0;
        let is_title = line.ends_with(':') && !is_below_settings || self.prepared.is_like_title(line);
        if is_title && self.prepared.dialect.sections.len() > 1 {
            self.section = NOWHERE;
            self.nest.lose();
        }
        // Behind lines that were left out a word that would be kept elsewhere is missed as a figure is.
        if (whole.has_figure() || self.section == GAP) && !whole.is_setting() {
            self.complain((number, number), format!("not understood: {line}"));
        }
        Ok(())
    }

    /// Where lines come in pairs, one alone is perhaps another section's.
    fn leave_section(&mut self) {
        let is_odd = std::mem::take(&mut self.of_section) % 2 == 1;
        if is_odd && !self.is_filtered && self.section().is_some_and(|section| section.in_pairs) {
            self.taken.forget_section(self.section);
        }
    }

    /// Below a title that is not known only titles and lines without figures are.
    fn is_open_to(&self, row: &Row, found: &Captures<'_>) -> bool {
        match row {
            Row::Rule(_, rule) if self.section == GAP => self.is_told_behind_gap(rule, found),
            // A filter took the titles.
            Row::Rule(Some(_), rule) if rule.place == Place::Never => !self.is_filtered,
            Row::Rule(..) => self.section != NOWHERE || !has_value(found),
            Row::Title(section) => !self.is_behind_gap || self.is_of_port(*section),
        }
    }

    /// The line that follows each head comes once below one: where it comes again, the head of another interface is missing. A line that
    /// stands there twice in a row was doubled.
    fn keep_opening(&mut self, rule: &'static Rule, line: &'l str) -> Result<(), Stop> {
        let is_end = |sign: char| matches!(sign, ':' | '=');
        let named = line
            .find(is_end)
            .or_else(|| line.match_indices(' ').nth(1).map(|(at, _)| at));
        let this = (
            rule.pattern,
            named.and_then(|end| line.get(..end)).unwrap_or(line),
        );
        let above = self.below.get(..self.read - 1).unwrap_or_default();
        match self.opening {
            // The frame of a table stands above it, between its rows and below.
            None if self.understood == 1 && !line.starts_with('+') => self.opening = Some(this),
            Some(opening) if opening == this && above.last().is_none_or(|last| last.text != line) => {
                self.is_behind_another = self.complaints.is_empty();
                return Err(
                    "the line below a head again, as if the head of an interface were missing".to_owned(),
                );
            }
            _ => {}
        }
        Ok(())
    }

    /// A line that stands above counters must not stand below them, nor come again with another text.
    fn keep_place(&mut self, rule: &Rule, line: &'l str) -> Result<(), Stop> {
        match rule.place {
            Place::Any => return Ok(()),
            Place::Never => return Err("the title or head above this line is missing".to_owned()),
            Place::Above | Place::Once | Place::Sole => {}
        }
        if self.counted {
            // Nothing of this interface stood above the counters: they are those of the one before it.
            if self.seen.is_empty() {
                self.taken = Tally::default();
            }
            return Err(
                "a line below counters that stands above them, as if the head of an interface were missing"
                    .to_owned(),
            );
        }
        // "Hardware is …" and "Hardware: …" are the same in two dialects.
        let first_word = rule.pattern.split([' ', ':', '{']).next().unwrap_or("");
        let key = match rule.place {
            Place::Once | Place::Sole => first_word,
            _ => rule.pattern,
        };
        match self.seen.iter().find(|(seen, _)| *seen == key) {
            Some(_) if rule.place == Place::Sole => Err(format!("given again: {line}")),
            Some((_, seen)) if *seen != line && rule.place == Place::Once => {
                Err(format!("given twice: {line}"))
            }
            Some(_) => Ok(()),
            None => {
                self.seen.push((key, line));
                Ok(())
            }
        }
    }

    pub(super) fn finish(mut self) -> Reading {
        self.leave_section();
        let is_lost = std::mem::take(&mut self.light).finish(&mut self.interface);
        if is_lost && let [first, .., last] = self.below {
            let why = format!(
                "a lane of {} has no light: that of its others is not used",
                self.called()
            );
            self.complain((first.number, last.number), why);
        }
        self.make_whole();
        let counters = &mut self.interface.counters;
        let all = self.taken.into_all();
        let mut own = Vec::with_capacity(all.len());
        for taken in all {
            match taken.target {
                // Several names can mean the same: a sum would count twice.
                Target::Kind(kind) => {
                    let counted = counters.entry(kind).or_insert(taken.value);
                    *counted = (*counted).max(taken.value);
                }
                Target::Own(name) => own.push((name, taken.value)),
            }
        }
        self.interface.other.append(&mut own.into_iter().collect());
        Reading {
            interface: self.interface,
            complaints: self.complaints,
            understood: self.understood,
            is_nothing: self.is_nothing,
            is_told_by_head: self.is_told_by_head,
        }
    }
}
