//! Grades, counted: the table that stands in the documentation.

use crate::kind::{Family, Kind};
use crate::place::Fit;
use crate::score::{Cause, Grade};
use evidence::VerdictState;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Lower edges of the bands of confidence.
const BANDS: [f64; 4] = [0.95, 0.9, 0.8, 0.5];
/// What is said with less than this is a thought.
const SAID: f64 = 0.8;

/// All grades of a run. Deterministic for a seed, apart from the times.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// Worlds graded.
    pub worlds: u64,
    /// One for each kind that was drawn.
    pub kinds: Vec<KindRow>,
    /// One for each band of confidence, the surest first.
    pub reliability: Vec<Band>,
    /// Family that is true, family that is said at 80 % and more (`None`: nothing), and how often.
    pub confusion: Vec<(Family, Option<Family>, u64)>,
    /// What is wrong at 80 % and more: true kind, code said, and how often; the most frequent first.
    pub worst: Vec<(Kind, String, u64)>,
    /// Worlds in which nothing is wrong.
    pub healthy: u64,
    /// Of them, those in which something is accused at 80 % and more.
    pub healthy_accused: u64,
    /// Worlds of kinds that have no name.
    pub unknown: u64,
    /// Of them, those that got the name of a mechanism at 80 % and more.
    pub unknown_accused: u64,
    /// Numbers of worlds in which something wrong is said at 80 % and more, the first two hundred.
    pub wrong_worlds: Vec<u64>,
    /// Time per judgement.
    pub time: Times,
    #[serde(skip)]
    times_ns: Vec<u64>,
    #[serde(skip)]
    by_kind: BTreeMap<Kind, KindRow>,
}

/// Time per judgement, milliseconds.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Times {
    /// Mean.
    pub mean_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

/// Verdicts on the worlds of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Worlds.
    pub worlds: u64,
    /// Said at 80 % and more: the mechanism, and it is the one.
    pub exact: u64,
    /// The family alone, and it is the one.
    pub family: u64,
    /// A sibling of the mechanism.
    pub sibling: u64,
    /// Something else.
    pub wrong: u64,
    /// "Fast enough", rightly or not.
    pub ok: u64,
    /// Nothing at 80 %.
    pub silent: u64,
    /// Of those with a right cause, the place is exact.
    pub place_exact: u64,
    /// It is wider than the fault.
    pub place_wider: u64,
    /// It is wrong.
    pub place_wrong: u64,
}

/// What was said with a confidence in a band.
#[derive(Debug, Clone, Serialize)]
pub struct Band {
    /// From this confidence.
    pub from: f64,
    /// To below this one.
    pub to: f64,
    /// Statements.
    pub said: u64,
    /// Of them, those with the right cause.
    pub cause_right: u64,
    /// Those with the right cause at a place that holds it.
    pub right: u64,
}

impl Table {
    /// Counts one grade.
    pub fn add(&mut self, number: u64, grade: &Grade, took_ns: u64) {
        self.worlds += 1;
        self.times_ns.push(took_ns);
        self.healthy += u64::from(grade.kind.is_healthy());
        self.healthy_accused += u64::from(grade.healthy_accused);
        self.unknown += u64::from(grade.kind.is_unknown());
        self.unknown_accused += u64::from(grade.unknown_accused);
        self.add_to_band(grade);
        self.add_to_kind(number, grade);
        let family = grade
            .said
            .as_ref()
            .filter(|said| said.confidence >= SAID)
            .map(|said| said.family);
        bump(
            &mut self.confusion,
            |(truth, said, _)| (*truth, *said) == (grade.kind.family(), family),
            || (grade.kind.family(), family, 0),
        )
        .2 += 1;
    }

    fn add_to_band(&mut self, grade: &Grade) {
        if self.reliability.is_empty() {
            let upper = [1.0 + f64::EPSILON, BANDS[0], BANDS[1], BANDS[2]];
            let band = |(from, to)| Band {
                from,
                to,
                said: 0,
                cause_right: 0,
                right: 0,
            };
            self.reliability = BANDS.into_iter().zip(upper).map(band).collect();
        }
        let Some(said) = &grade.said else { return };
        if let Some(band) = self
            .reliability
            .iter_mut()
            .find(|band| said.confidence >= band.from)
        {
            band.said += 1;
            band.cause_right += u64::from(said.cause.is_right());
            band.right += u64::from(said.is_right());
        }
    }

    fn add_to_kind(&mut self, number: u64, grade: &Grade) {
        let row = self
            .by_kind
            .entry(grade.kind)
            .or_insert_with(|| KindRow::of(grade.kind));
        row.worlds += 1;
        let Some(said) = grade.said.as_ref().filter(|said| said.confidence >= SAID) else {
            row.silent += 1;
            return;
        };
        if !said.is_right() {
            let code = format!(
                "{}{}",
                said.code,
                if said.cause.is_right() { " misplaced" } else { "" }
            );
            bump(
                &mut self.worst,
                |(kind, other, _)| (*kind, other) == (grade.kind, &code),
                || (grade.kind, code.clone(), 0),
            )
            .2 += 1;
            if self.wrong_worlds.len() < 200 {
                self.wrong_worlds.push(number);
            }
        }
        if grade.state == VerdictState::Ok {
            row.ok += 1;
            return;
        }
        match said.cause {
            Cause::Exact => row.exact += 1,
            Cause::Family => row.family += 1,
            Cause::Sibling => row.sibling += 1,
            Cause::Wrong => row.wrong += 1,
        }
        if said.cause.is_right() {
            match said.place {
                Fit::Exact => row.place_exact += 1,
                Fit::Wider => row.place_wider += 1,
                Fit::Wrong => row.place_wrong += 1,
                Fit::Nowhere => {}
            }
        }
    }

    /// The sums that need all grades.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.kinds = self.by_kind.values().cloned().collect();
        self.confusion.sort_unstable();
        self.worst
            .sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
        self.times_ns.sort_unstable();
        let ms = |ns: u64| ns as f64 / 1e6;
        if let Some(last) = self.times_ns.len().checked_sub(1) {
            self.time = Times {
                mean_ms: ms(self.times_ns.iter().sum::<u64>()) / (last + 1) as f64,
                p99_ms: ms(self.times_ns[last * 99 / 100]),
                max_ms: ms(self.times_ns[last]),
            };
        }
        self
    }

    /// Of what is said with at least `from`, the share that is right in cause and place; `None`: nothing is.
    #[must_use]
    pub fn right_from(&self, from: f64) -> Option<f64> {
        let bands = self.reliability.iter().filter(|band| band.from >= from);
        let (said, right) = bands.fold((0, 0), |sum, band| (sum.0 + band.said, sum.1 + band.right));
        (said > 0).then(|| right as f64 / said as f64)
    }
}

/// The entry that `is` finds, or a new one.
fn bump<T>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = list.iter().position(is).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    });
    &mut list[at]
}

impl KindRow {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            worlds: 0,
            exact: 0,
            family: 0,
            sibling: 0,
            wrong: 0,
            ok: 0,
            silent: 0,
            place_exact: 0,
            place_wider: 0,
            place_wrong: 0,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kinds_text(f)?;
        self.reliability_text(f)?;
        self.confusion_text(f)?;
        let share = |part: u64, of: u64| {
            if of == 0 {
                "-".to_owned()
            } else {
                format!("{:.1} %", part as f64 * 100.0 / of as f64)
            }
        };
        writeln!(
            f,
            "Healthy worlds accused at 80 % and more: {} of {} ({})",
            self.healthy_accused,
            self.healthy,
            share(self.healthy_accused, self.healthy)
        )?;
        writeln!(
            f,
            "Unknown kinds that got the name of a mechanism at 80 % and more: {} of {} ({})",
            self.unknown_accused,
            self.unknown,
            share(self.unknown_accused, self.unknown)
        )?;
        if !self.worst.is_empty() {
            writeln!(f, "\nMost frequent errors at 80 % and more:")?;
            for (kind, code, count) in self.worst.iter().take(12) {
                writeln!(f, "  {count:>5}  {:<18} said to be {code}", kind.name())?;
            }
        }
        Ok(())
    }
}

impl Table {
    fn kinds_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "What is said at 80 % and more, by what is wrong. Place: of those whose cause is right.\n"
        )?;
        writeln!(
            f,
            "{:<18} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}",
            "kind",
            "worlds",
            "exact",
            "family",
            "sibling",
            "other",
            "ok",
            "silent",
            "place",
            "wider",
            "wrong"
        )?;
        for row in &self.kinds {
            writeln!(
                f,
                "{:<18} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}",
                row.kind.name(),
                row.worlds,
                row.exact,
                row.family,
                row.sibling,
                row.wrong,
                row.ok,
                row.silent,
                row.place_exact,
                row.place_wider,
                row.place_wrong
            )?;
        }
        writeln!(f)
    }

    fn reliability_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Reliability: of what is said with a confidence, how much is right.\n"
        )?;
        writeln!(
            f,
            "{:<12} {:>6} {:>12} {:>16}",
            "confidence", "said", "cause right", "and place holds"
        )?;
        for band in &self.reliability {
            let share = |part: u64| {
                if band.said == 0 {
                    "-".to_owned()
                } else {
                    format!("{:.1} %", part as f64 * 100.0 / band.said as f64)
                }
            };
            let name = if band.to > 1.0 {
                format!(">= {:.0} %", band.from * 100.0)
            } else {
                format!("{:.0} - {:.0} %", band.from * 100.0, band.to * 100.0)
            };
            writeln!(
                f,
                "{name:<12} {:>6} {:>12} {:>16}",
                band.said,
                share(band.cause_right),
                share(band.right)
            )?;
        }
        writeln!(f)
    }

    fn confusion_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [
            Some(Family::Loss),
            Some(Family::Capacity),
            Some(Family::Mtu),
            Some(Family::Host),
            Some(Family::Application),
            Some(Family::Route),
            Some(Family::Ok),
            Some(Family::Unknown),
            None,
        ];
        writeln!(
            f,
            "Families: what is wrong (rows), what is said at 80 % and more (columns).\n"
        )?;
        write!(f, "{:<12}", "")?;
        for column in columns {
            write!(f, " {:>11}", family_name(column))?;
        }
        writeln!(f)?;
        for row in columns.into_iter().flatten() {
            if !self.confusion.iter().any(|(truth, ..)| *truth == row) {
                continue;
            }
            write!(f, "{:<12}", family_name(Some(row)))?;
            for column in columns {
                let count = self
                    .confusion
                    .iter()
                    .find(|(truth, said, _)| *truth == row && *said == column)
                    .map_or(0, |entry| entry.2);
                write!(f, " {count:>11}")?;
            }
            writeln!(f)?;
        }
        writeln!(f)
    }
}

fn family_name(family: Option<Family>) -> &'static str {
    match family {
        Some(Family::Loss) => "loss",
        Some(Family::Capacity) => "capacity",
        Some(Family::Mtu) => "mtu",
        Some(Family::Host) => "host",
        Some(Family::Application) => "application",
        Some(Family::Route) => "route",
        Some(Family::Ok) => "ok",
        Some(Family::Unknown) => "unknown",
        None => "nothing",
    }
}
