//! Replies and errors of one run of ping, counted while its lines go by.

use super::command::Command;
use super::counts::{Counts, counts_agree};
use crate::host::{LONGEST_RTT_NS, delay, rtt_ms};
use crate::units::{ns_of_seconds, seconds, split};
use evidence::{DelayStatistics, Node, ProbeError, ProbeRow};
use std::collections::BTreeMap;

/// Different errors kept apart; more of them are no ping's output.
const MOST_ERRORS: usize = 256;

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// From the header.
    pub(super) size_bytes: Option<u32>,
    /// From the header or what came back.
    pub(super) dont_fragment: Option<bool>,
    /// From the statistics.
    pub(super) sent: Option<u64>,
    /// From the statistics.
    pub(super) received: Option<u64>,
    /// From the statistics, or counted.
    pub(super) duplicates: Option<u64>,
    /// From the statistics, percent.
    lost_percent: Option<f64>,
    /// What contradicts itself.
    pub(super) contradictions: Vec<String>,
    /// From the statistics.
    pub(super) summary: Option<DelayStatistics>,
    /// The run is there from its beginning, so that what was not printed did not come.
    pub(super) has_header: bool,
    /// Statistics stand below the replies.
    pub(super) has_statistics: bool,
    /// Requests up to the last that has a line, where each has one.
    pub(super) numbered: Option<u64>,
    replies: u64,
    /// Of the replies with a time: how many, their sum, the smallest, the largest.
    times: Option<(u64, u64, u64, u64)>,
    errors: BTreeMap<(Option<Node>, String), ProbeError>,
    /// Requests of which the output says in a line of their own that nothing came back.
    pub(super) silent: u64,
    errors_in_all: u64,
    /// From the statistics.
    errors_told: Option<u64>,
}

impl Tally {
    /// A reply with its round-trip time, where the packet was large enough to carry a time stamp.
    pub(super) fn reply(&mut self, rtt_ns: Option<u64>) {
        self.replies += 1;
        if let Some(ns) = rtt_ns {
            let (count, sum, min, max) = self.times.unwrap_or((0, 0, ns, ns));
            self.times = Some((count + 1, sum.saturating_add(ns), min.min(ns), max.max(ns)));
        }
    }

    /// Something else came back, or the own host refused (`from` is `None`).
    pub(super) fn error(&mut self, from: Option<Node>, text: &str, count: u64) {
        self.errors_in_all = self.errors_in_all.saturating_add(count);
        let text = text.trim_ascii();
        let mtu_bytes = mtu_named(text);
        if says_flag_was_set(text) {
            self.dont_fragment = Some(true);
        }
        let key = (from, text.to_owned());
        if self.errors.len() >= MOST_ERRORS && !self.errors.contains_key(&key) {
            return;
        }
        let error = self
            .errors
            .entry(key)
            .or_insert_with_key(|(from, text)| ProbeError {
                from: from.clone(),
                text: text.clone(),
                mtu_bytes,
                count: 0,
            });
        error.count = error.count.saturating_add(count);
    }

    /// Takes what a line of statistics counts.
    pub(super) fn counts(&mut self, counts: Counts) {
        self.sent = counts.sent.or(self.sent);
        self.received = counts.received.or(self.received);
        self.duplicates = counts.duplicates.or(self.duplicates);
        self.lost_percent = counts.lost_percent.or(self.lost_percent);
        self.errors_told = counts.errors.or(self.errors_told);
    }

    /// Forgets the replies that were counted: they are not all of the host that was asked.
    pub(super) fn forget_replies(&mut self) {
        (self.replies, self.times, self.has_header, self.numbered) = (0, None, false, None);
    }

    /// Forgets the errors that were counted: their number cannot be right.
    pub(super) fn forget_errors(&mut self) {
        self.errors.clear();
        self.errors_in_all = 0;
    }

    /// Counts and share that contradict each other tell nothing.
    fn check_counts(&mut self) {
        if let (Some(sent), Some(received), Some(percent)) = (self.sent, self.received, self.lost_percent)
            && !counts_agree(sent, received, percent)
        {
            self.contradictions.push(format!(
                "{sent} sent, {received} received and {percent} % lost contradict each other: none is used"
            ));
            (self.sent, self.received) = (None, None);
        }
    }

    /// Errors that the statistics count and no line tells are of nobody knows whom.
    fn check_errors(&mut self) {
        if let Some(told) = self.errors_told.filter(|told| *told > self.errors_in_all) {
            let read = self.errors_in_all;
            self.contradictions.push(format!(
                "{told} errors are counted and {read} have lines: who sent the others, and why, is not told"
            ));
        }
    }

    /// Errors counted one by one.
    pub(super) fn errors(&self) -> u64 {
        self.errors_in_all
    }

    /// Replies counted one by one.
    pub(super) fn replies(&self) -> u64 {
        self.replies
    }

    /// The row; `None` where nothing was counted, summed up or refused.
    pub(super) fn row(&mut self, command: Option<&Command>) -> Option<ProbeRow> {
        self.check_counts();
        self.check_errors();
        let outcomes = self
            .replies
            .saturating_add(self.errors_in_all)
            .saturating_add(self.silent);
        let is_counted = outcomes > 0 || self.sent.is_some() || self.received.is_some();
        if !is_counted && self.summary.is_none() {
            return None;
        }
        // A run that was cut before its statistics still tells how many were sent, once each has its line.
        let asked = command.and_then(|command| command.count);
        let sent = self
            .sent
            .or_else(|| asked.filter(|count| self.has_header && outcomes >= *count))
            .or_else(|| {
                // What was filtered, or broken off, tells of no more requests than it has lines for.
                let is_whole = |count: &u64| *count == outcomes && asked.is_none_or(|asked| asked == *count);
                self.numbered.filter(is_whole).filter(|_| !self.has_statistics)
            });
        // Errors that were quoted alone do not tell how many replies there were beside them, nor do statistics of which the
        // counts are lost: there may have been no line for each reply.
        let are_lines_all = self.has_header && !self.has_statistics;
        let counted = (are_lines_all || self.replies > 0).then_some(self.replies);
        let received = self.received.or(counted);
        // A reply without a time may have been faster than all that have one ("less than one").
        let is_each = |count: u64| count == self.replies;
        let of_replies = self.times.map(|(count, sum, min, max)| DelayStatistics {
            min_ns: delay(Some(min)).filter(|_| is_each(count)),
            mean_ns: delay(sum.checked_div(count)).filter(|_| is_each(count)),
            max_ns: delay(Some(max)),
            ..DelayStatistics::default()
        });
        Some(ProbeRow {
            size_bytes: self.size_bytes,
            dont_fragment: command
                .and_then(|command| command.dont_fragment)
                .or(self.dont_fragment),
            sent,
            received,
            delay: self.summary.or(of_replies).filter(|_| received != Some(0)),
            duplicates: self.duplicates,
            errors: std::mem::take(&mut self.errors).into_values().collect(),
            ..ProbeRow::default()
        })
    }
}

/// `(mtu = 1500)`, `mtu=1500`, `(MTU 1492)`, `(mtu=1500)`.
fn mtu_named(text: &str) -> Option<u32> {
    let at = text
        .as_bytes()
        .windows(3)
        .position(|word| word.eq_ignore_ascii_case(b"mtu"))?;
    let digits = text.get(at + 3..)?.trim_start_matches([' ', '=', ':']);
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    // `(mtu = 15`: a line that was cut, of which the figure may be a part.
    let is_cut = end == digits.len() && text.rfind('(') > text.rfind(')');
    digits.get(..end)?.parse().ok().filter(|mtu| *mtu > 0 && !is_cut)
}

/// Only a packet that must not be fragmented draws these.
fn says_flag_was_set(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |what: &[u8]| bytes.windows(what.len()).any(|w| w.eq_ignore_ascii_case(what));
    has(b"DF set") || has(b"local error: message too long") || has(b"fragmented but DF")
}

/// `min/avg/max/mdev = 0.1/0.2/0.3/0.1 ms`, in whichever order the names stand; SR OS prints each with its figure.
pub(super) fn statistics(line: &str) -> Option<DelayStatistics> {
    let mut all = DelayStatistics::default();
    if line.contains("min = ") && !line.contains("min/") {
        let behind = line
            .split_once("min = ")
            .map_or("", |(before, _)| line.get(before.len()..).unwrap_or(""));
        // oping names the unit in front of all.
        let common = if line.starts_with("RTT[ms]") { "ms" } else { "" };
        for part in behind.split(',') {
            let (name, value) = part.split_once('=')?;
            let (number, unit) = split(value.trim_end_matches('.'))?;
            let unit = if unit.is_empty() { common } else { unit };
            let ns = seconds(number, unit).and_then(ns_of_seconds);
            take(&mut all, name.trim_ascii(), ns.filter(|ns| *ns <= LONGEST_RTT_NS));
        }
    } else {
        // What stands behind may have names as well: `… ms, in-flight 1, ipg/ewma = 1.067/1.035 ms`.
        let (names, values) = line.split_once('=')?;
        let names = names
            .split_ascii_whitespace()
            .rfind(|word| word.matches('/').count() >= 2)?;
        // QNX has blanks around the strokes: `= 1.9 / 2.0 / 2.1 ms`.
        let joined = values.contains(" / ").then(|| values.replace(" / ", "/"));
        let values = joined.as_deref().unwrap_or(values);
        let values = values.split_ascii_whitespace().next()?;
        let order: &[&str] = match names {
            // Here alone `med` is the median; iputils' Italian has it for the mean.
            "min/med/avg/max" => &["min", "median", "avg", "max"],
            // iputils translates the names, and keeps their order.
            _ if line.starts_with("rtt ") && names.matches('/').count() == 3 => {
                &["min", "avg", "max", "mdev"]
            }
            _ => &[],
        };
        for (place, (name, value)) in names.split('/').zip(values.split('/')).enumerate() {
            let known = order.get(place);
            take(
                &mut all,
                known.unwrap_or(&name),
                rtt_ms(value.trim_end_matches(',')),
            );
        }
    }
    (all != DelayStatistics::default()).then_some(all)
}

fn take(all: &mut DelayStatistics, name: &str, ns: Option<u64>) {
    match name {
        "min" => all.min_ns = delay(ns),
        "avg" | "mean" | "moy" => all.mean_ns = delay(ns),
        "max" => all.max_ns = delay(ns),
        "median" => all.p50_ns = delay(ns),
        "mdev" | "stddev" | "std-dev" | "dev" | "sdev" => all.deviation_ns = delay(ns),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mtus_that_errors_name() {
        for (text, mtu) in [
            ("Frag needed and DF set (mtu = 1500)", Some(1500)),
            ("Message too long, mtu=1500", Some(1500)),
            ("frag needed and DF set (MTU 1492)", Some(1492)),
            ("Packet too big: mtu=1280", Some(1280)),
            ("Frag needed and DF set (mtu = 0)", None),
            ("Destination Host Unreachable", None),
        ] {
            assert_eq!(mtu_named(text), mtu, "{text}");
        }
    }

    #[test]
    fn summaries() {
        let five = Some(DelayStatistics {
            min_ns: Some(5_000_000),
            mean_ns: Some(5_000_000),
            max_ns: Some(6_000_000),
            ..DelayStatistics::default()
        });
        assert_eq!(statistics("round-trip (ms)  min/avg/max = 5/5/6"), five);
        assert_eq!(statistics("round-trip min/avg/max = 5 / 5 / 6 ms"), five);
        let all = statistics("rtt min/avg/max/mdev = 0.040/0.052/0.064/0.012 ms, pipe 4").unwrap();
        assert_eq!(all.deviation_ns, Some(12_000));
        assert_eq!(statistics("rtt min/avg/max/mdev = "), None);
        let ripe = statistics("rtt min/med/avg/max = 0.209/33.274/60.5/9027.879 ms").unwrap();
        assert_eq!((ripe.p50_ns, ripe.mean_ns), (Some(33_274_000), Some(60_500_000)));
        assert_eq!((ripe.max_ns, ripe.deviation_ns), (Some(9_027_879_000), None));
    }
}
