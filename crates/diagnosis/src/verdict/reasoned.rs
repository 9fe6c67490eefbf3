//! What the model makes of a round by itself: the weighing that all findings are held against, and what it tells where no
//! cause is sure.

use crate::adapters::{Gathered, gather};
use crate::engine::{ENOUGH, Posterior, answers, doubted, finding, infer, mass_of};
use evidence::{Case, Explains, Finding, Observation, ObservationId, RateBps};
use model::{Bound, Family, Kind};
use std::collections::BTreeSet;

/// So many times as fast is more than any path of which nobody expects anything is known to miss.
const SEVERAL: f64 = 4.0;
/// Rates of one path vary by less from test to test.
const CLEARLY_FASTER: f64 = 1.5;
/// Evidence that some fault makes so many times likelier (natural logarithm) suggests causes.
const WORTH_NAMING: f64 = 2.0;
/// A family with less is not named among the possible causes.
const NAMED: f64 = 0.1;

/// What the model makes of a round.
pub(super) struct Reasoned {
    pub(super) gathered: Gathered,
    pub(super) posterior: Posterior,
}

impl Reasoned {
    /// Weighs everything that was observed in a round; `None` where no record names a place.
    pub(super) fn of(case: &Case, round: u32) -> Option<Self> {
        let observations: Vec<&Observation> = case.round(round).collect();
        let mut gathered = gather(&case.complaint, &observations)?;
        let posterior = infer(&mut gathered);
        Some(Self { gathered, posterior })
    }

    /// The slowest plain transfer between the two ends, with the observations that tell of it.
    pub(super) fn slowest(&self) -> Option<(RateBps, Vec<ObservationId>)> {
        let rates = self.gathered.complained().filter_map(|m| Some((m.rate()?, m)));
        let plain = rates.filter(|(rate, _)| rate.bound == Bound::Exact && rate.window_bytes.is_none());
        let (rate, m) = plain.min_by(|a, b| a.0.bps.total_cmp(&b.0.bps))?;
        Some((RateBps(rate.bps), m.cites.clone()))
    }

    /// Over how many equal routes packets may go with the data.
    pub(super) fn equal_routes(&mut self) -> usize {
        let (from, to) = (self.gathered.from, self.gathered.to);
        self.gathered.map.routes(from, to).len()
    }

    /// Whether something was seen, to or from one of the two ends, that is clearly faster.
    pub(super) fn saw_faster(&self, than: RateBps) -> bool {
        let ends = [self.gathered.from, self.gathered.to];
        self.gathered.measurements.iter().any(|m| {
            let near = ends.contains(&m.from) || ends.contains(&m.to);
            near && m.rate().is_some_and(|rate| rate.bps > CLEARLY_FASTER * than.0)
        })
    }

    /// What would keep a transfer from being several times as fast, where the measurements tell.
    pub(super) fn limit(&mut self, case: &Case, rate: RateBps) -> Option<Finding> {
        let expected = self.gathered.expected_bps.replace(SEVERAL * rate.0);
        let posterior = infer(&mut self.gathered);
        let answers = answers(&mut self.gathered, &posterior);
        let told = answers.iter().find(|answer| answer.probability >= ENOUGH);
        let limit = told.map(|answer| finding(case, &mut self.gathered, &posterior, answer));
        self.gathered.expected_bps = expected;
        limit.filter(is_limit)
    }

    /// The families that explain the evidence best, the most probable first; none where nothing explains it better than
    /// that nothing is wrong. What is wrong beside the path limits nothing on it.
    pub(super) fn candidates(&mut self) -> Vec<(Family, f64)> {
        if self.posterior.ln_gain < WORTH_NAMING {
            return Vec::new();
        }
        let beside = self.gathered.beside_the_path();
        let families = Kind::ALL.map(Kind::family).into_iter().collect::<BTreeSet<_>>();
        let mut masses: Vec<(Family, f64)> = families
            .into_iter()
            .map(|family| {
                (
                    family,
                    doubted(mass_of(&self.posterior, family, |id| !beside.contains(&id))),
                )
            })
            .collect();
        masses.retain(|(_, mass)| *mass >= NAMED);
        masses.sort_by(|a, b| b.1.total_cmp(&a.1));
        masses
    }
}

/// Whether a finding tells what limits a transfer: a program that pauses, or a queue that is too short, is a fault whatever
/// is expected.
pub(super) fn is_limit(finding: &Finding) -> bool {
    let limit = finding.code.starts_with("HOST") || finding.code.starts_with("CAP");
    limit && finding.explains == Explains::Yes
}
