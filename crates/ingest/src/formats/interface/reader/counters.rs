//! Lines of counters: each has a name, a direction and a section, and comes once.

use super::tally::{Key, Taken};
use super::{Reader, Stop, Target};
use crate::formats::interface::cut::{self, Pair};
use crate::formats::interface::dialect::{Cut, Meaning, Way};
use crate::formats::interface::names::{Known, Name};
use crate::formats::interface::taken::{meaning, own_name};
use std::borrow::Cow;

impl<'l> Reader<'l> {
    /// Whether the line holds counters of this section.
    pub(super) fn take_counters(&mut self, line: &'l str) -> Result<bool, Stop> {
        let Some(section) = self.section() else {
            return Ok(false);
        };
        match section.cut {
            Cut::No => Ok(false),
            Cut::FigureFirst => self.take_pairs(cut::figure_first(line), section.way),
            Cut::NameFirst => self.take_pairs(cut::name_first(line), section.way),
            Cut::Either => self.take_pairs(cut::either(line), section.way),
            Cut::Alternating => self.take_pairs(cut::alternating(line), section.way),
            Cut::Equated => self.take_pairs(cut::equated(line), section.way),
            Cut::Columns(columns) => {
                let Some((name, figures)) = cut::columns(line, columns) else {
                    return Ok(false);
                };
                let ways = match section.way {
                    Way::Both => [Way::In, Way::Out],
                    way => [way, way],
                };
                // In the column of a direction that has no such counter stands none.
                let given = ways.into_iter().zip(figures);
                for (way, figure) in given.filter(|(_, figure)| figure.is_some()) {
                    self.count(&mut Way::Unsaid, way, name.into(), figure)?;
                }
                Ok(true)
            }
            Cut::Seconds => self.take_seconds(line),
        }
    }

    pub(super) fn take_pairs(&mut self, pairs: Option<Vec<Pair<'l>>>, way: Way) -> Result<bool, Stop> {
        let Some(pairs) = pairs else {
            return Ok(false);
        };
        // The first counters are known ones: what else has figures in front of words stands above them.
        let knows = |name: &str| self.prepared.known(self.section, name).word.is_some();
        let has_words = self.section().is_some_and(|section| !section.words.is_empty());
        if has_words && (!self.counted || self.is_behind_gap) && !pairs.iter().any(|(name, _)| knows(name)) {
            return Ok(false);
        }
        // "37439574 packets input, 2747274064 bytes": the bytes are those of the packets before them.
        let mut last = Way::Unsaid;
        let end = pairs.len();
        for (place, (name, figure)) in pairs.into_iter().enumerate() {
            // The last word of all may be cut.
            let is_last = place + 1 == end && self.read == self.below.len();
            if is_last && self.prepared.is_part(self.section, name) {
                self.cut_name = Some(name.to_owned());
                continue;
            }
            self.count(&mut last, way, name.into(), figure)?;
        }
        Ok(true)
    }

    /// SONET: `BIP-B1   46   51  OK`, seconds and count; `ES-S   46`, seconds.
    fn take_seconds(&mut self, line: &'l str) -> Result<bool, Stop> {
        let line = line
            .trim_end_matches(|c: char| c.is_ascii_alphabetic())
            .trim_ascii_end();
        let Some((name, figures)) = cut::columns(line, 2) else {
            return Ok(false);
        };
        let name = match figures.len() {
            1 => Cow::Owned(format!("{name} seconds")),
            _ => name.into(),
        };
        let figure = figures.last().copied().flatten();
        self.count(&mut Way::Unsaid, Way::In, name, figure)?;
        Ok(true)
    }

    /// Takes a counter by the maker's name of it. `last` is the direction of the one before it on the line.
    fn count(
        &mut self,
        last: &mut Way,
        way: Way,
        name: Cow<'l, str>,
        figure: Option<u64>,
    ) -> Result<(), Stop> {
        let known = self.prepared.known(self.section, &name);
        if known.is_beginning {
            self.cut_name = Some(name.into_owned());
            return Ok(());
        }
        let (meaning, way) = self.meaning(&name, known, way, *last)?;
        if way != Way::Unsaid {
            *last = way;
        }
        self.counted = true;
        let Some(value) = figure else {
            return Ok(());
        };
        let target = match meaning {
            Meaning::Kind(kind) => Target::Kind(kind),
            Meaning::Own => Target::Own(
                self.grouped(own_name(self.section(), way, &name).into())
                    .into_owned(),
            ),
        };
        let name = match self.stands_below() {
            true => Name::Made(self.grouped(name.to_ascii_lowercase().into())),
            false => Name::of(name),
        };
        self.put((self.section, way as u8, name), target, value)
    }

    fn meaning(&mut self, name: &str, known: Known, way: Way, last: Way) -> Result<(Meaning, Way), Stop> {
        let (meaning, way) = match known.word {
            None if self.section().is_some_and(|section| section.is_closed) => (None, way),
            None => (Some(Meaning::Own), way),
            Some(word) => meaning(word, way, last),
        };
        let Some(meaning) = meaning else {
            self.taken.forget_section(self.section);
            return Err(format!(
                "{name} is not counted in this direction, as if a title were missing"
            ));
        };
        Ok((meaning, way))
    }

    /// Whether names stand below a queue, or a policy and class.
    fn stands_below(&self) -> bool {
        !self.queue.is_empty() || !self.nest.is_empty()
    }

    /// The name behind those of its policy and class.
    pub(super) fn grouped<'n>(&self, name: Cow<'n, str>) -> Cow<'n, str> {
        match self.queue.as_str() {
            "" if !self.stands_below() => name,
            "" => Cow::Owned(self.nest.named(&name)),
            queue => Cow::Owned(format!("{queue} {name}")),
        }
    }

    pub(super) fn put(&mut self, key: Key<'l>, target: Target, value: u64) -> Result<(), Stop> {
        let section = key.0;
        self.taken.put(Taken { key, value, target }).map_err(|name| {
            // Either may be another's, and so may what stands beside it.
            self.taken.forget_section(section);
            format!("{name} is given twice with different figures")
        })
    }
}
