//! Figures of a host that was pinged, put together.

use super::known::Echo;
use super::sample::Sample;
use crate::findings::Findings;
use crate::formats::host::given::Given;
use crate::units::whole;
use evidence::{DelayStatistics, Node, ProbeRow};

/// First and last line that speak of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lines(pub(super) Option<(u64, u64)>);

impl Lines {
    pub(super) fn add(&mut self, (first, last): (u64, u64)) {
        let lines = self.0.get_or_insert((first, last));
        *lines = (lines.0.min(first), lines.1.max(last));
    }
}

/// One host that was pinged, at one time.
#[derive(Debug, Default)]
pub(super) struct Pinged {
    pub(super) lines: Lines,
    figures: Given<f64>,
    is_icmp: bool,
}

impl Pinged {
    pub(super) fn take(
        &mut self,
        findings: &mut Findings,
        lines: (u64, u64),
        sample: &Sample<'_>,
        echo: Echo,
        scale: f64,
    ) {
        self.lines.add(lines);
        self.is_icmp |= sample.name.starts_with("probe_icmp");
        self.figures
            .put(findings, lines.0, format!("{echo:?}"), sample.value * scale);
    }

    fn figure(&self, echo: Echo) -> Option<f64> {
        self.figures.get(&format!("{echo:?}")).copied()
    }

    fn count(&self, echo: Echo) -> Option<u64> {
        self.figure(echo)
            .filter(|count| count.fract() == 0.0)
            .and_then(whole)
    }

    /// What was found out; nothing where no figure is one of a ping.
    pub(super) fn row(&self, to: Node) -> Option<ProbeRow> {
        let answered = self.count(Echo::Answered).filter(|_| self.is_icmp);
        let received = self.count(Echo::Received).or(answered);
        // The time of a probe that was not answered is zero.
        let one = self
            .figure(Echo::One)
            .filter(|seconds| *seconds > 0.0 && answered != Some(0));
        let of_sum = || {
            let received = received.filter(|count| *count > 0)?;
            Some(self.figure(Echo::Sum)? / received as f64)
        };
        let ns = |seconds: Option<f64>| seconds.map(|seconds| (seconds * 1e9).round() as i64);
        let delay = DelayStatistics {
            min_ns: ns(self.figure(Echo::Min).or(one)),
            mean_ns: ns(self.figure(Echo::Mean).or(one).or_else(of_sum)),
            p50_ns: ns(self.figure(Echo::Median)),
            max_ns: ns(self.figure(Echo::Max).or(one)),
            deviation_ns: ns(self.figure(Echo::Deviation)),
            ..DelayStatistics::default()
        };
        let percent = self.figure(Echo::LossPercent).map(|percent| percent / 100.0);
        let row = ProbeRow {
            sent: self.count(Echo::Sent).or(answered.map(|_| 1)),
            received,
            duplicates: self.count(Echo::Duplicates),
            loss_ratio: self.figure(Echo::LossRatio).or(percent),
            delay: (delay != DelayStatistics::default() && received != Some(0)).then_some(delay),
            to: to.clone(),
            ..ProbeRow::default()
        };
        let bare = ProbeRow {
            to,
            ..ProbeRow::default()
        };
        (row != bare).then_some(row)
    }
}
