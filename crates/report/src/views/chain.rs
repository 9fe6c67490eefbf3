//! Packets of one test counted at ordered points of the path: what went missing between which two of them.

use super::of_round;
use super::steps::{Since, Step, cell, steps};
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table};
use crate::words;
use evidence::{CounterChain, Finding, Location, Payload, Verdict};

/// What findings call the hosts' own counts.
const SENDER: &str = "the sender";
const RECEIVER: &str = "the receiver";

/// Tests whose packets were counted at the same points, side by side.
pub(crate) struct ChainGroup<'a> {
    /// `a → b`.
    pub(crate) pair: String,
    /// Which way that is, seen from the transfer complained about; `None` when it is between other hosts.
    pub(crate) direction: Option<&'static str>,
    /// The points: (network, what was counted). The hosts' own counts are points too.
    pub(crate) points: Vec<(String, String)>,
    pub(crate) tests: Vec<ChainTest<'a>>,
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
    for (number, o) in of_round(subject, round) {
        let Payload::CounterChain(chain) = &o.payload else {
            continue;
        };
        let (points, counts) = points_of(chain);
        let pair = names.pair(&chain.from, &chain.to);
        let test = ChainTest {
            number,
            at: words::made(&o.provenance),
            chain,
            steps: steps(&counts),
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

/// The points with the hosts' own counts at both ends. The hosts' points are always there, so that tests of which one
/// has them stand beside each other.
fn points_of(chain: &CounterChain) -> (Vec<(String, String)>, Vec<Option<u64>>) {
    let host = |what: &str| ("host".to_owned(), what.to_owned());
    let received = chain.packets_sent.zip(chain.reported_lost);
    let mut points = vec![host("sent, as the sender says")];
    let mut counts = vec![chain.packets_sent];
    for point in &chain.points {
        points.push((point.network.clone(), point.description.clone()));
        counts.push(point.packets);
    }
    points.push(host("received, as the receiver says"));
    counts.push(received.and_then(|(sent, lost)| sent.checked_sub(lost)));
    (points, counts)
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
            let (network, description) = self.points.get(*index)?;
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

    /// Whether findings call the point so: `network: description`, either alone, or one of the two hosts.
    fn is_called(&self, index: usize, label: &str) -> bool {
        let Some((network, description)) = self.points.get(index) else {
            return false;
        };
        match (index, label) {
            (0, _) => label == SENDER,
            (last, _) if last + 1 == self.points.len() => label == RECEIVER,
            _ => match (network.trim(), description.trim()) {
                ("", only) | (only, "") => label == only,
                (network, description) => {
                    label == description || label == format!("{network}: {description}")
                }
            },
        }
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
        let point = |network: &str, text: &str| (network.to_owned(), text.to_owned());
        let group = ChainGroup {
            pair: String::new(),
            direction: None,
            points: vec![
                point("host", "sent"),
                point("N", "a -> b"),
                point("", "b -> c"),
                point("host", "received"),
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
