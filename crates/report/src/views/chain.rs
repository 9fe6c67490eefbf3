//! Packets of one test counted at ordered points of the path: what went missing between which two of them.

use super::steps::{Since, Step, cell, steps};
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table};
use crate::words;
use evidence::{CounterChain, Finding, Location, Payload, Verdict};
use stats::{Role, Station, counting, stations};

/// Tests whose packets were counted at the same points, side by side.
pub(crate) struct ChainGroup<'a> {
    /// `a → b`.
    pub(crate) pair: String,
    /// Which way that is, seen from the transfer complained about; `None` when it is between other hosts.
    pub(crate) direction: Option<&'static str>,
    /// The hosts' own counts are points too.
    pub(crate) points: Vec<Point>,
    pub(crate) tests: Vec<ChainTest<'a>>,
}

/// Where packets were counted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) network: String,
    /// What was counted there.
    pub(crate) description: String,
    /// What findings call it.
    label: String,
}

/// One test of a group.
pub(crate) struct ChainTest<'a> {
    /// Short number of the observation.
    pub(crate) number: usize,
    /// When.
    pub(crate) at: String,
    pub(crate) chain: &'a CounterChain,
    /// One per point.
    pub(crate) steps: Vec<Step>,
}

/// The chains of a round; those with the same points and hosts together, in the order in which they appear.
pub(crate) fn groups<'a>(subject: &Subject<'a>, round: u32) -> Vec<ChainGroup<'a>> {
    let names = &subject.names;
    let mut groups: Vec<ChainGroup> = Vec::new();
    let chains = subject
        .of_round(round)
        .into_iter()
        .filter_map(|(number, o)| match &o.payload {
            Payload::CounterChain(chain) => Some((number, o, chain)),
            _ => None,
        });
    let chains: Vec<_> = chains.collect();
    let counting = counting(chains.iter().map(|(.., chain)| *chain));
    for (number, o, chain) in chains {
        let stations = stations(chain, &counting);
        let points = points_of(chain, &stations);
        let pair = names.pair(&chain.from, &chain.to);
        let test = ChainTest {
            number,
            at: words::made(&o.provenance),
            chain,
            steps: steps(&stations),
        };
        match groups.iter_mut().find(|g| g.pair == pair && g.points == points) {
            Some(group) => group.tests.push(test),
            None => groups.push(ChainGroup {
                direction: direction(names, chain),
                pair,
                points,
                tests: vec![test],
            }),
        }
    }
    groups
}

fn direction(names: &Names, chain: &CounterChain) -> Option<&'static str> {
    let (from, to) = (names.end_of(&chain.from)?, names.end_of(&chain.to)?);
    (from != to).then(|| words::direction(from.outbound()))
}

/// The points in the order of the path, with the hosts' own counts at both ends.
fn points_of(chain: &CounterChain, stations: &[Station]) -> Vec<Point> {
    let mut counters = chain.points.iter();
    let point = |station: &Station| {
        let host = |what: &str| ("host".to_owned(), what.to_owned());
        let (network, description) = match station.role {
            Role::Sender => host("sent, as the sender says"),
            Role::Receiver => host("received, as the receiver says"),
            Role::Point => {
                let counter = counters.next();
                counter.map_or_else(Default::default, |c| (c.network.clone(), c.description.clone()))
            }
        };
        let label = station.label.clone();
        Point {
            network,
            description,
            label,
        }
    };
    stations.iter().map(point).collect()
}

impl ChainGroup<'_> {
    /// Points down, tests across.
    pub(crate) fn table(&self, verdict: Option<&Verdict>) -> Table {
        let shown: Vec<usize> = (0..self.points.len()).filter(|n| self.is_shown(*n)).collect();
        let head = self.tests.iter().map(|test| match test.chain.label.is_empty() {
            true => test.at.clone(),
            false => test.chain.label.clone(),
        });
        let rows = shown.iter().filter_map(|index| {
            let Point {
                network, description, ..
            } = self.points.get(*index)?;
            let name = Cell::new(format!("{}. {network}: {description}", index + 1));
            let counts = self
                .tests
                .iter()
                .filter_map(|test| test.steps.get(*index).map(cell));
            let mark = self.finding_before(verdict, *index).map(|f| f.code.clone());
            Some(Row {
                cells: std::iter::once(name.short(format!("{}. {description}", index + 1)))
                    .chain(counts)
                    .collect(),
                mark,
            })
        });
        let direction = self.direction.map_or(String::new(), |d| format!(", {d}"));
        Table {
            title: format!("Packets counted along the path, {}{direction}", self.pair),
            cites: self.tests.iter().map(|test| test.number).collect(),
            head: std::iter::once("counter".to_owned()).chain(head).collect(),
            rows: rows.collect(),
            notes: self.notes(),
        }
    }

    /// The hosts' own points only where any test has them.
    pub(crate) fn is_shown(&self, index: usize) -> bool {
        let end = index == 0 || index + 1 == self.points.len();
        let counted = |t: &ChainTest| t.steps.get(index).is_some_and(|s| s.packets.is_some());
        !end || self.tests.iter().any(counted)
    }

    /// The stretch of a finding as indices of the points at its two ends, in the order of the path.
    pub(crate) fn stretch_of(&self, finding: &Finding) -> Option<(usize, usize)> {
        let Location::Segment { before, after } = &finding.location else {
            return None;
        };
        let at = |label: &str| (0..self.points.len()).find(|index| self.is_called(*index, label));
        let (first, last) = (at(before)?, at(after)?);
        (first < last).then_some((first, last))
    }

    /// The finding in whose stretch the step before this point lies.
    pub(crate) fn finding_before<'v>(
        &self,
        verdict: Option<&'v Verdict>,
        index: usize,
    ) -> Option<&'v Finding> {
        let inside = |(first, last): (usize, usize)| first < index && index <= last;
        verdict?
            .findings
            .iter()
            .find(|finding| self.stretch_of(finding).is_some_and(inside))
    }

    /// Whether findings call the point so.
    fn is_called(&self, index: usize, label: &str) -> bool {
        let point = self.points.get(index);
        point.is_some_and(|point| point.label == label || point.description == label)
    }

    fn notes(&self) -> Vec<String> {
        let any = |wanted: fn(&Since) -> bool| {
            self.tests
                .iter()
                .any(|t| t.steps.iter().any(|s| wanted(&s.since)))
        };
        let mut notes = Vec::new();
        if any(|s| matches!(s, Since::More { .. })) {
            notes.push(
                "Where a later counter counts more than an earlier one, one of the two is wrong: packets that the \
                 earlier one misses were not lost before it. \"In all\" is against the last counter that no later \
                 one contradicts."
                    .to_owned(),
            );
        }
        if any(|s| matches!(s, Since::Zero)) {
            notes.push(
                "A counter that counts nothing while the others count was not set up: it is left out."
                    .to_owned(),
            );
        }
        for test in &self.tests {
            if let Some(n) = test.chain.reported_reordered {
                let label = &test.chain.label;
                notes.push(format!(
                    "{label}: the receiver says that {} packets came out of order.",
                    words::count(n)
                ));
            }
        }
        let remarks = self
            .tests
            .iter()
            .flat_map(|t| t.chain.remarks.iter().map(move |r| (&t.chain.label, r)));
        notes.extend(remarks.map(|(label, remark)| format!("{label}, the record's own remark: {remark}")));
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stretch_of_a_finding_is_found_by_the_words_of_the_record() {
        let point = |network: &str, text: &str, label: &str| Point {
            network: network.to_owned(),
            description: text.to_owned(),
            label: label.to_owned(),
        };
        let group = ChainGroup {
            pair: String::new(),
            direction: None,
            points: vec![
                point("host", "sent", "the sender"),
                point("N", "a -> b", "N: a -> b"),
                point("", "b -> c", "b -> c"),
                point("host", "received", "the receiver"),
            ],
            tests: Vec::new(),
        };
        let finding = |before: &str, after: &str| Finding {
            code: String::new(),
            claim: String::new(),
            location: Location::Segment {
                before: before.into(),
                after: after.into(),
            },
            direction: evidence::Direction::Forward,
            confidence: 0.5,
            explains: evidence::Explains::Unknown,
            allows_bps: None,
            after_fix_bps: None,
            supports: Vec::new(),
            contradicts: Vec::new(),
            remedy: String::new(),
            ask_whom: String::new(),
            cannot_tell_from: None,
        };
        for (before, after, stretch) in [
            ("N: a -> b", "b -> c", Some((1, 2))),
            ("a -> b", "the receiver", Some((1, 3))),
            ("the sender", "b -> c", Some((0, 2))),
            ("b -> c", "N: a -> b", None),
            ("M: a -> b", "b -> c", None),
        ] {
            assert_eq!(
                group.stretch_of(&finding(before, after)),
                stretch,
                "{before} {after}"
            );
        }
    }
}
