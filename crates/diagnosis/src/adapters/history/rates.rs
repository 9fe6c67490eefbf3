//! The history of the rate complained about: all series of it as one, divided into stretches.

use super::beside::{Dated, series};
use crate::judgement::join_cites;
use crate::records::settings;
use crate::records::{Records, goes_between};
use evidence::{Complaint, Direction, ObservationId, RateBps, SeriesMetric, Transport};
use stats::{Regime, Step, Steps, find};

/// Rates of the transfer complained about over time.
#[derive(Debug, Clone)]
pub(crate) struct RateHistory {
    pub(crate) steps: Steps,
    /// Which regimes are slow, where there are two kinds.
    slow: Option<Vec<bool>>,
    pub(crate) cites: Vec<ObservationId>,
    /// The zone in which the complaint tells times.
    pub(crate) utc_offset_s: Option<i32>,
}

/// Slow and fast are apart by this factor at least: less is what daily business makes.
const APART: f64 = 1.5;

/// Single transfers make a history when there are this many with a time.
const LEAST_TRANSFERS: usize = 4;

impl RateHistory {
    pub(crate) fn derive(records: &Records, complaint: &Complaint) -> Option<Self> {
        let of_series = series(records, complaint, SeriesMetric::Throughput, Direction::Forward);
        let (points, cites) = of_series.or_else(|| dated_transfers(records, complaint))?;
        let steps = find(SeriesMetric::Throughput, &points)?;
        let slow = kinds(&steps.regimes);
        Some(Self {
            steps,
            slow,
            cites,
            utc_offset_s: complaint.utc_offset_s,
        })
    }

    /// Whether the regime is one of the slow ones; `None` where there is one kind only.
    pub(crate) fn is_slow(&self, regime: usize) -> Option<bool> {
        self.slow.as_ref()?.get(regime).copied()
    }

    pub(crate) fn regimes(&self, slow: bool) -> impl Iterator<Item = &Regime> {
        let wanted = move |(index, _): &(usize, &Regime)| self.is_slow(*index) == Some(slow);
        self.steps
            .regimes
            .iter()
            .enumerate()
            .filter(wanted)
            .map(|(_, regime)| regime)
    }

    /// Steps between a slow and a fast regime, with their numbers.
    pub(crate) fn crossings(&self) -> impl Iterator<Item = (usize, &Step)> {
        let crosses = |(index, _): &(usize, &Step)| self.is_slow(*index) != self.is_slow(index + 1);
        self.steps.steps.iter().enumerate().filter(crosses)
    }

    /// The rates of the slow regimes, bit/s.
    pub(crate) fn slow_rates(&self) -> Vec<f64> {
        let all = &self.steps.points;
        let of = |regime: &Regime| {
            let from = all.partition_point(|(at, _)| *at < regime.span.from);
            let to = all.partition_point(|(at, _)| *at <= regime.span.to);
            all.get(from..to).unwrap_or(&[])
        };
        self.regimes(true).flat_map(of).map(|(_, rate)| *rate).collect()
    }

    /// The level of the last regime.
    pub(crate) fn current(&self) -> Option<RateBps> {
        self.steps.regimes.last().map(|regime| RateBps(regime.level))
    }
}

/// Transfers with the settings of the one complained about: others would differ by these.
fn dated_transfers(records: &Records, complaint: &Complaint) -> Option<Dated> {
    let (complained, _) = records.complained(complaint)?;
    let ours = records.transfers.iter().filter(|transfer| {
        let what = &transfer.what;
        what.protocol != Some(Transport::Udp)
            && goes_between(&what.from, &what.to, complaint)
            && settings(what) == settings(&complained.what)
    });
    let (points, cites): Dated = ours
        .filter_map(|transfer| Some(((transfer.at?, transfer.rate()?.0), transfer.id.clone())))
        .unzip();
    (points.len() >= LEAST_TRANSFERS).then(|| (points, join_cites([&cites])))
}

/// Splits the regimes into slow and fast ones at the widest gap between their levels.
fn kinds(regimes: &[Regime]) -> Option<Vec<bool>> {
    let mut levels: Vec<f64> = regimes
        .iter()
        .map(|regime| regime.level)
        .filter(|level| *level > 0.0)
        .collect();
    levels.sort_by(f64::total_cmp);
    let gaps = levels.iter().zip(levels.iter().skip(1));
    let (slow, fast) = gaps.max_by(|(a, b), (c, d)| (*b / *a).total_cmp(&(*d / *c)))?;
    (fast / slow >= APART).then(|| regimes.iter().map(|regime| regime.level <= *slow).collect())
}
