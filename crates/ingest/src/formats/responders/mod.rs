//! What routers measure towards each other by themselves, again and again: Cisco's IP SLA, Juniper's RPM, Huawei's NQA. All print names with figures
//! behind them, several to a line, and a mail makes one blank of the many that stand between two of them: the names alone tell where a
//! figure ends.

mod ip_sla;
mod ip_sla_names;
mod ip_sla_summary;
mod nqa;
mod rpm;

use crate::units::{ns_of_seconds, seconds};
use evidence::DelayStatistics;
use std::collections::BTreeMap;

pub(crate) use ip_sla::FORMAT as IP_SLA;
pub(crate) use nqa::FORMAT as NQA;
pub(crate) use rpm::{FORMAT as RPM, protocol as rpm_protocol};

/// The names of a line that are known, each with what stands behind its colon up to the next one. `None` for a line that begins with
/// none, or has something in front of the first.
fn pairs<'l>(line: &'l str, names: &[&'static str]) -> Option<Vec<(&'static str, &'l str)>> {
    // Behind every name there is one.
    memchr::memchr(b':', line.as_bytes())?;
    let mut rest = line.trim_ascii();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (name, value) = begun(rest, names)?;
        let words = value.match_indices([' ', '\t']).map(|(at, _)| at + 1);
        let next = words.map(|at| (at, value.get(at..).unwrap_or_default()));
        // Of many blanks the last one stands before a word.
        let mut next = next.filter(|(_, behind)| !behind.starts_with([' ', '\t']));
        let next = next.find(|(_, behind)| begun(behind, names).is_some());
        let next = next.map(|(at, _)| at);
        let (own, behind) = value.split_at_checked(next.unwrap_or(value.len()))?;
        found.push((name, own.trim_ascii().trim_end_matches(',')));
        rest = behind.trim_ascii_start();
    }
    (!found.is_empty()).then_some(found)
}

/// The name that a text begins with, and what is behind its colon. Tabs stand between names as well as blanks.
fn begun<'l>(text: &'l str, names: &[&'static str]) -> Option<(&'static str, &'l str)> {
    let first = text.as_bytes().first()?;
    let alike = names.iter().filter(|name| name.as_bytes().first() == Some(first));
    alike.into_iter().find_map(|name| {
        let behind = text.strip_prefix(name)?.trim_ascii_start();
        Some((*name, behind.strip_prefix(':')?))
    })
}

/// What was said below one heading: a name that was said twice with different figures is of two, one of which lost its heading.
#[derive(Debug, Default)]
struct Said<'l> {
    all: BTreeMap<&'static str, &'l str>,
    contradicted: Option<&'static str>,
}

impl<'l> Said<'l> {
    fn say(&mut self, name: &'static str, value: &'l str) {
        if self.all.insert(name, value).is_some_and(|before| before != value) {
            self.contradicted = Some(name);
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().copied()
    }

    fn get(&self, name: &str) -> Option<&'l str> {
        self.all.get(name).copied()
    }

    /// The first word of what was said: a name behind it that was cut is not known for one.
    fn word(&self, name: &str) -> Option<&'l str> {
        self.get(name)?
            .split([',', ' ', '\t'])
            .find(|word| !word.is_empty())
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.trim_ascii().parse().ok()
    }
}

/// `24 milliseconds`, `18234 usec`
fn length_ns(text: &str) -> Option<i64> {
    let (number, unit) = text.trim_ascii().split_once(' ')?;
    in_unit(number, unit)
}

fn in_unit(number: &str, unit: &str) -> Option<i64> {
    let unit = match unit.trim_ascii() {
        "milliseconds" | "millisecond" | "ms" => "ms",
        "microseconds" | "microsecond" | "usec" | "us" => "us",
        _ => return None,
    };
    let seconds = seconds(number.trim_ascii().parse().ok()?, unit)?;
    i64::try_from(ns_of_seconds(seconds)?).ok()
}

/// `28/31/64 milliseconds`: smallest, mean, largest, in this order or in none.
fn lengths(text: &str) -> Option<DelayStatistics> {
    let (figures, unit) = text.trim_ascii().split_once(' ')?;
    let figures: Option<Vec<i64>> = figures.split('/').map(|figure| in_unit(figure, unit)).collect();
    let [min, mean, max] = figures?.as_slice().try_into().ok()?;
    (min <= mean && mean <= max).then_some(DelayStatistics {
        min_ns: Some(min),
        mean_ns: Some(mean),
        max_ns: Some(max),
        ..DelayStatistics::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_where_figures_end() {
        let names = ["Loss to B", "Loss to A", "Late"];
        let all = Some(vec![("Loss to B", "3"), ("Loss to A", "0"), ("Late", "1")]);
        assert_eq!(pairs("\tLoss to B: 3  Loss to A: 0\tLate: 1", &names), all);
        assert_eq!(pairs("  Loss to B: 3      Loss to A: 0 Late: 1", &names), all);
        assert_eq!(pairs("Loss to B: 3, Loss to A: 0, Late: 1", &names), all);
        assert_eq!(pairs("and Late: 1", &names), None);
        assert_eq!(length_ns("18234 usec"), Some(18_234_000));
        assert_eq!(lengths("5/4/9 ms"), None);
    }
}
