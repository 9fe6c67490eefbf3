//! A verdict beside the truth.

use evidence::{Direction, End, Finding, HopRef, Location, Verdict, VerdictState};
use scenario::{NodeId, PathDirection, RedHerringKind, Run, Scenario, Truth, TruthLocation};
use serde::Serialize;
use std::net::IpAddr;

/// A second finding below this probability is a remark, not a claim.
const CLAIMED: f64 = 0.5;
/// The code of "nothing is wrong".
const HEALTHY: &str = "OK-001";

/// How far a verdict agrees with the truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Grade {
    /// The code that is right.
    pub(super) expected: String,
    /// The code that the verdict names first, or its state where it names none.
    pub(super) found: String,
    /// The named cause is the true one and nothing else is claimed.
    pub(super) cause_right: bool,
    /// The named place is the true one, or none was to be named.
    pub(super) location_right: bool,
    /// The direction is the true one, or none was to be named.
    pub(super) direction_right: bool,
    /// Of the scenario's anomalies, how many the verdict explains away.
    pub(super) red_herrings_named: usize,
    /// How many there are.
    pub(super) red_herrings: usize,
    /// What differs, in words.
    pub(super) differences: Vec<String>,
}

impl Grade {
    /// Whether the verdict is right.
    pub(super) fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// The grade of a diagnosis that gave no verdict.
    pub(super) fn without_verdict(truth: &Truth, why: String) -> Self {
        Self {
            expected: truth.code.clone(),
            found: "no verdict".to_owned(),
            cause_right: false,
            location_right: false,
            direction_right: false,
            red_herrings_named: 0,
            red_herrings: truth.red_herrings.len(),
            differences: vec![why],
        }
    }
}

/// Compares.
pub(super) fn grade(scenario: &Scenario, run: &Run, truth: &Truth, verdict: &Verdict) -> Grade {
    let claimed: Vec<&Finding> = claims(verdict);
    let mut differences = Vec::new();
    let cause_right = cause(truth, verdict, &claimed, &mut differences);
    let main = claimed.first();
    let map = Map { scenario, run };
    let location_right = match (truth.location, main) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(place), Some(finding)) => map.is_at(place, &finding.location),
    };
    if let (false, Some(finding)) = (location_right, main) {
        differences.push(format!("the place is not {}", finding.location));
    }
    let direction_right = match (truth.direction, main) {
        (None, _) => true,
        (Some(direction), Some(finding)) => finding.direction == evidence_direction(direction),
        (Some(_), None) => false,
    };
    if let (false, Some(finding)) = (direction_right, main) {
        differences.push(format!("the direction is not {:?}", finding.direction));
    }
    if let (Some(threshold), Some(finding)) = (truth.threshold_bytes, main)
        && !mentions(&finding.claim, threshold)
    {
        differences.push(format!(
            "the claim does not name the threshold of {threshold} bytes"
        ));
    }
    let named = truth.red_herrings.iter().filter(|expected| {
        verdict.red_herrings.iter().any(|seen| {
            seen.code == red_herring_code(expected.kind) && map.concerns(&seen.location, expected.node)
        })
    });
    Grade {
        expected: truth.code.clone(),
        found: main.map_or_else(|| format!("{:?}", verdict.state), |f| f.code.clone()),
        cause_right,
        location_right,
        direction_right,
        red_herrings_named: named.count(),
        red_herrings: truth.red_herrings.len(),
        differences,
    }
}

fn claims(verdict: &Verdict) -> Vec<&Finding> {
    let findings = verdict.findings.iter().enumerate();
    let claimed = findings.filter(|(place, f)| f.code != HEALTHY && (*place == 0 || f.confidence >= CLAIMED));
    claimed.map(|(_, f)| f).collect()
}

fn cause(truth: &Truth, verdict: &Verdict, claimed: &[&Finding], differences: &mut Vec<String>) -> bool {
    let before = differences.len();
    let right = |f: &&&Finding| f.code == truth.code || truth.also_accept.contains(&f.code);
    if truth.code == HEALTHY {
        if verdict.state != VerdictState::Ok {
            differences.push(format!(
                "the path is healthy, and the verdict's state is {:?}",
                verdict.state
            ));
        }
        differences.extend(
            claimed
                .iter()
                .map(|f| format!("{} is claimed: {}", f.code, f.claim)),
        );
    } else {
        if verdict.state != VerdictState::Slow {
            differences.push(format!(
                "there is a fault, and the verdict's state is {:?}",
                verdict.state
            ));
        }
        if claimed.first().filter(right).is_none() {
            let found = claimed.first().map_or("nothing", |f| f.code.as_str());
            differences.push(format!("the main cause is {}, not {found}", truth.code));
        }
        let others = claimed.iter().skip(1).filter(|f| !right(f));
        differences.extend(others.map(|f| format!("{} is claimed too: {}", f.code, f.claim)));
    }
    differences.len() == before
}

/// Whether the text has the number as a word of its own; people write 9000 as 9,000 too.
fn mentions(text: &str, number: u32) -> bool {
    let plain = text.replace([',', '_'], "");
    plain
        .split(|c: char| !c.is_ascii_digit())
        .any(|word| word == number.to_string())
}

fn evidence_direction(direction: PathDirection) -> Direction {
    match direction {
        PathDirection::Forward => Direction::Forward,
        PathDirection::Reverse => Direction::Reverse,
    }
}

/// The stable names that verdicts use (`evidence::RedHerring::code`).
fn red_herring_code(kind: RedHerringKind) -> &'static str {
    match kind {
        RedHerringKind::Mute => "silent-hop",
        RedHerringKind::RateLimited => "rate-limited-hop",
        RedHerringKind::IgnoresLargeEcho => "ignores-large-pings",
    }
}

/// The scenario's path, to find a verdict's hops on.
struct Map<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
}

impl Map<'_> {
    fn path(&self) -> Vec<NodeId> {
        let families = scenario::Family::BOTH.into_iter();
        let mut paths = families.filter_map(|f| self.scenario.path(self.run.from, self.run.to, f).ok());
        paths.next().unwrap_or_default()
    }

    fn owner(&self, address: IpAddr) -> Option<NodeId> {
        (0..self.scenario.nodes.len())
            .map(NodeId)
            .find(|id| self.scenario.addresses_of(*id).contains(&address))
    }

    /// The position of a hop on the path: by its address, or by its TTL where it has none.
    fn position(&self, hop: &HopRef) -> Option<usize> {
        let by_address = hop.address.and_then(|a| self.owner(a));
        match by_address {
            Some(node) => self.path().iter().position(|n| *n == node),
            None if hop.address.is_none() => Some(usize::from(hop.ttl)),
            None => None,
        }
    }

    fn is_at(&self, truth: TruthLocation, found: &Location) -> bool {
        match (truth, found) {
            (TruthLocation::Host(node), Location::Host { end }) => match end {
                End::From => node == self.run.from,
                End::To => node == self.run.to,
            },
            (TruthLocation::Link { from, to }, Location::Link { before, after }) => {
                let path = self.path();
                let at = |node: NodeId| path.iter().position(|n| *n == node);
                let positions = [at(from), at(to), self.position(before), self.position(after)];
                let [Some(x), Some(y), Some(before), Some(after)] = positions else {
                    return false;
                };
                self.stretch_is_as_short_as_can_be(
                    [x.min(y), x.max(y)],
                    [before.min(after), before.max(after)],
                )
            }
            _ => false,
        }
    }

    /// The stretch named must hold the true link, and beyond its ends only hops that never answer: nobody can see
    /// further.
    fn stretch_is_as_short_as_can_be(&self, link: [usize; 2], stretch: [usize; 2]) -> bool {
        let path = self.path();
        let silent = |position: usize| {
            path.get(position).is_some_and(|id| {
                let settings = &self.scenario.node(*id).settings;
                settings.mute || settings.no_time_exceeded
            })
        };
        let holds = stretch[0] <= link[0] && link[1] <= stretch[1];
        holds && (stretch[0] + 1..=link[0]).all(silent) && (link[1]..stretch[1]).all(silent)
    }

    fn concerns(&self, location: &Location, node: NodeId) -> bool {
        let is_node =
            |hop: &HopRef| self.position(hop).and_then(|p| self.path().get(p).copied()) == Some(node);
        match location {
            Location::Hop { hop } => is_node(hop),
            Location::Link { before, after } => is_node(before) || is_node(after),
            Location::Interface { hop, .. } => hop.as_ref().is_some_and(is_node),
            Location::Host { .. }
            | Location::OtherHost { .. }
            | Location::Segment { .. }
            | Location::Path => false,
        }
    }
}

#[cfg(test)]
#[path = "grade_tests.rs"]
mod tests;
