//! What a tool says of its probes in several lines: how many there were, their mean, the shortest and the longest, shares of them.

use super::super::amounts::{count_of, duration_ns as duration_ns_of, number_of};
use super::super::pattern::Captures;
use super::super::typed::Way;
use super::{Moved, name_of};
use crate::Context;
use crate::findings::Findings;
use crate::units::ns_of_seconds;
use evidence::{DelayStatistics, Payload, ProbeRow, Probes};
use std::collections::BTreeMap;

/// Fields so far, and the lines they stood on: `echo` or `half` the mean, there and back or half of it, with a unit; `low`, `high`, `p50`, `p90`
/// and `p99` microseconds of which the mean tells what they are of; `probes` and `answers` counts.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    said: BTreeMap<&'static str, String>,
    lines: Option<(u64, u64)>,
    /// What was said twice, and not the same.
    doubtful: Vec<&'static str>,
}

impl Moved<'_> {
    /// What a line adds to the account.
    pub(in crate::formats::flows) fn gather(&mut self, number: u64, captures: &Captures<'static, '_>) {
        self.seen = true;
        let gathered = &mut self.gathered;
        for (key, text) in captures.iter() {
            let name = name_of(key);
            if name.starts_with('_') || matches!(name, "*" | "n" | "f") {
                continue;
            }
            let said = gathered.said.entry(name).or_insert_with(|| text.to_owned());
            if said != text {
                gathered.doubtful.push(name);
            }
            let first = gathered.lines.map_or(number, |(first, _)| first);
            gathered.lines = Some((first, number));
        }
    }

    /// Gives the account, and begins anew.
    pub(in crate::formats::flows) fn tell_gathered(&mut self, context: &Context, findings: &mut Findings) {
        let mut gathered = std::mem::take(&mut self.gathered);
        let Some(lines) = gathered.lines else {
            return;
        };
        for name in gathered.doubtful {
            gathered.said.remove(name);
            findings.complain_of(lines, format!("said twice, and not the same: {name}"));
        }
        let text = |name: &str| gathered.said.get(name).map(String::as_str);
        let ns = |name: &str| i64::try_from(text(name).and_then(duration_ns_of)?).ok();
        let in_us = |name: &str, times: f64| {
            let ns = ns_of_seconds(number_of(text(name)?)? * times / 1e6)?;
            i64::try_from(ns).ok()
        };
        let half = ns("half").and_then(|half| half.checked_mul(2));
        let whole = ns("echo").or_else(|| in_us("echo_us", 1.0));
        let Some(mean_ns) = whole.or(half).or_else(|| in_us("half_us", 2.0)) else {
            return findings.complain_of(lines, "without their mean nobody knows what these times are of");
        };
        let times = if whole.is_some() { 1.0 } else { 2.0 };
        let of_us = |name: &str| in_us(name, times);
        let count = |name: &str| text(name).and_then(count_of);
        let (from, to) = self.nodes(Some(Way::Sent));
        let row = ProbeRow {
            to: context.to_or(to),
            sent: count("probes"),
            received: count("answers"),
            delay: Some(DelayStatistics {
                min_ns: of_us("low"),
                mean_ns: Some(mean_ns),
                p50_ns: of_us("p50"),
                p90_ns: of_us("p90"),
                p99_ns: of_us("p99"),
                max_ns: of_us("high"),
                ..DelayStatistics::default()
            }),
            ..ProbeRow::default()
        };
        let probes = Probes {
            from: context.from_or(from),
            rows: vec![row],
            ..Probes::default()
        };
        findings.record_of(lines, self.tool.name, context.at, Payload::Probes(probes));
    }
}
