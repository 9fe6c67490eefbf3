//! What a tool's own probes found out: round trips while nothing else was sent or under the load of its transfer, and loss.

use super::super::amounts::{duration_ns as duration_ns_of, number_of};
use super::super::pattern::Captures;
use super::super::tool::Row;
use super::super::typed::Way;
use super::{Moved, is_kept, name_of};
use crate::Context;
use crate::findings::Findings;
use crate::units::ns_of_seconds;
use evidence::{DelayStatistics, EchoContext, Payload, ProbeRow, Probes};

/// Fields of probes: the mean of their round trips, half of it or how many fit into a minute, the shortest, the longest, and the share
/// that was lost; those with `_us` in microseconds without a unit.
pub(super) const OF_PROBES: [&str; 9] = [
    "echo", "half", "rpm", "low", "high", "lost", "echo_us", "half_us", "echo_ms",
];

impl Moved<'_> {
    /// Gives what probes found out that the tool sent to the other end.
    pub(in crate::formats::flows) fn tell_probes(
        &mut self,
        number: u64,
        row: &'static Row,
        captures: &Captures<'static, '_>,
        load: Option<EchoContext>,
        context: &Context,
        findings: &mut Findings,
    ) {
        if captures.iter().any(|(key, _)| is_kept(name_of(key))) {
            self.take(number, row, captures);
        }
        self.seen = true;
        let text = |name: &str| {
            captures
                .iter()
                .find(|(key, _)| name_of(key) == name)
                .map(|(_, text)| text)
        };
        let ns = |name: &str| {
            text(name)
                .and_then(duration_ns_of)
                .and_then(|ns| i64::try_from(ns).ok())
        };
        let by_minute = || Some(60_000_000_000 / text("rpm")?.parse::<i64>().ok().filter(|rpm| *rpm > 0)?);
        let in_us = |name: &str, times: f64| {
            let ns = ns_of_seconds(number_of(text(name)?)? * times / 1e6)?;
            i64::try_from(ns).ok().filter(|ns| *ns > 0)
        };
        let by_us = || {
            let milli = || in_us("echo_ms", 1e3);
            in_us("echo_us", 1.0)
                .or_else(|| in_us("half_us", 2.0))
                .or_else(milli)
        };
        let by_half = || ns("half").and_then(|half| half.checked_mul(2));
        let delay = DelayStatistics {
            min_ns: ns("low"),
            mean_ns: ns("echo").or_else(by_half).or_else(by_us).or_else(by_minute),
            max_ns: ns("high"),
            ..DelayStatistics::default()
        };
        let lost = text("lost").and_then(|percent| number_of(percent.trim_end_matches('%')));
        let (from, to) = self.nodes(Some(Way::Sent));
        let answered = ProbeRow {
            to: context.to_or(to),
            loss_ratio: lost.map(|percent| percent / 100.0),
            delay: (delay != DelayStatistics::default()).then_some(delay),
            ..ProbeRow::default()
        };
        if answered.delay.is_none() && answered.loss_ratio.is_none() {
            return;
        }
        self.has_probed = true;
        let probes = Probes {
            from: context.from_or(from),
            context: load,
            rows: vec![answered],
            ..Probes::default()
        };
        findings.record_of(
            (number, number),
            self.tool.name,
            context.at,
            Payload::Probes(probes),
        );
    }
}
