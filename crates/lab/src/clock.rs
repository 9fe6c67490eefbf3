//! The timed part of a timeline: a thread that sleeps from one change to the next.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use scenario::{Change, Scenario, When};

use crate::shared::Shared;

/// Dropping it stops the thread; changes that were still to come do not happen.
#[derive(Debug)]
pub(crate) struct Clock {
    _alive: Option<Sender<()>>,
}

impl Clock {
    /// Starts counting now. A change that the system refuses is reported on standard error: nobody waits for it.
    pub(crate) fn start(scenario: &Scenario, shared: Arc<Shared>) -> Self {
        let agenda = Agenda::of(scenario);
        if agenda.entries.is_empty() {
            return Self { _alive: None };
        }
        let (alive, ended) = channel::<()>();
        let start = Instant::now();
        std::thread::spawn(move || {
            for (at, change) in agenda {
                let remaining = at.saturating_sub(start.elapsed());
                if ended.recv_timeout(remaining) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if let Err(error) = shared.apply(&change) {
                    eprintln!("lab: the change at {:.1} s failed: {error}", at.as_secs_f64());
                }
            }
        });
        Self { _alive: Some(alive) }
    }
}

/// What is still to come: a change with its next time and, where it comes again, its period.
#[derive(Debug)]
struct Agenda {
    entries: Vec<(Duration, Option<Duration>, Change)>,
}

impl Agenda {
    fn of(scenario: &Scenario) -> Self {
        let entries = scenario.timeline.iter().filter_map(|event| {
            let (at_ns, period_ns) = match event.when {
                When::At(ns) => (ns, None),
                When::Every { first_ns, period_ns } => (first_ns, Some(period_ns)),
                When::Step(_) => return None,
            };
            let period = period_ns.map(Duration::from_nanos);
            Some((Duration::from_nanos(at_ns), period, event.change.clone()))
        });
        Self {
            entries: entries.collect(),
        }
    }
}

impl Iterator for Agenda {
    type Item = (Duration, Change);

    /// The earliest one; of several at the same time the one that comes first in the file.
    fn next(&mut self) -> Option<Self::Item> {
        let (position, _) = self
            .entries
            .iter()
            .enumerate()
            .min_by_key(|(position, (at, ..))| (*at, *position))?;
        let (at, period, change) = self.entries.get(position)?.clone();
        match (period, self.entries.get_mut(position)) {
            (Some(period), Some(entry)) => entry.0 = at + period,
            _ => drop(self.entries.remove(position)),
        }
        Some((at, change))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn repeated_changes_interleave_with_single_ones() {
        let entry = |when: &str, percent: u8| {
            format!("[[timeline]]\n{when}\nnode = 'a'\nsettings = {{ cpu_percent = {percent} }}\n")
        };
        let text = [
            "title = 't'\n[[host]]\nname = 'a'\n".to_owned(),
            entry("at = 2\nevery = 3", 1),
            entry("at = 5", 2),
            entry("step = 'never'", 3),
            entry("at = 1", 4),
        ];
        let agenda = Agenda::of(&scenario::parse(&text.concat()).unwrap());
        let seen = agenda.map(|(at, change)| match change {
            Change::Settings { set, .. } => (at.as_secs(), set.cpu_percent),
            other => panic!("{other:?}"),
        });
        let seen: Vec<_> = seen.take(5).collect();
        let expected = [(1, 4), (2, 1), (5, 1), (5, 2), (8, 1)];
        assert_eq!(seen, expected.map(|(at, percent)| (at, Some(percent))));
    }
}
