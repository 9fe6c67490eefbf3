//! Replies and errors of one run of ping, counted while its lines go by.

use super::command::Command;
use crate::host::{delay, rtt_ms};
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
    /// From the statistics.
    pub(super) summary: Option<DelayStatistics>,
    /// The run is there from its beginning, so that what was not printed did not come.
    pub(super) has_header: bool,
    replies: u64,
    /// Of the replies with a time: how many, their sum, the smallest, the largest.
    times: Option<(u64, u64, u64, u64)>,
    errors: BTreeMap<(Option<Node>, String), ProbeError>,
    /// Requests of which the output says in a line of their own that nothing came back.
    pub(super) silent: u64,
    errors_in_all: u64,
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
        let text = text.trim();
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

    /// Replies counted one by one; `None` where no line was one.
    pub(super) fn replies(&self) -> u64 {
        self.replies
    }

    /// The row; `None` where nothing was counted, summed up or refused.
    pub(super) fn into_row(self, command: Option<&Command>) -> Option<ProbeRow> {
        let outcomes = self
            .replies
            .saturating_add(self.errors_in_all)
            .saturating_add(self.silent);
        if outcomes == 0 && self.sent.is_none() && self.received.is_none() {
            return None;
        }
        // A run that was cut before its statistics still tells how many were sent, once each has its line.
        let asked = command.and_then(|command| command.count);
        let sent = self.sent.or_else(|| asked.filter(|count| outcomes >= *count));
        // Errors that were quoted alone do not tell how many replies there were beside them.
        let counted = (self.has_header || self.replies > 0).then_some(self.replies);
        let received = self.received.or(counted);
        let of_replies = self.times.map(|(count, sum, min, max)| DelayStatistics {
            min_ns: delay(Some(min)),
            mean_ns: delay(sum.checked_div(count)),
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
            errors: self.errors.into_values().collect(),
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
    digits.get(..end)?.parse().ok().filter(|mtu| *mtu > 0)
}

/// Only a packet that must not be fragmented draws these.
fn says_flag_was_set(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |what: &[u8]| bytes.windows(what.len()).any(|w| w.eq_ignore_ascii_case(what));
    has(b"DF set") || has(b"local error: message too long") || has(b"fragmented but DF")
}

/// `min/avg/max/mdev = 0.1/0.2/0.3/0.1 ms`, in whichever order the names stand.
pub(super) fn statistics(line: &str) -> Option<DelayStatistics> {
    let (names, values) = line.rsplit_once('=')?;
    let names = names
        .split_ascii_whitespace()
        .rfind(|word| word.contains("min"))?;
    let values = values.split_ascii_whitespace().next()?;
    let mut all = DelayStatistics::default();
    for (name, value) in names.split('/').zip(values.split('/')) {
        let ns = delay(rtt_ms(value.trim_end_matches(',')));
        match name {
            "min" => all.min_ns = ns,
            "avg" | "mean" => all.mean_ns = ns,
            "max" => all.max_ns = ns,
            _ => all.deviation_ns = ns,
        }
    }
    (all != DelayStatistics::default()).then_some(all)
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
        let all = statistics("rtt min/avg/max/mdev = 0.040/0.052/0.064/0.012 ms, pipe 4").unwrap();
        assert_eq!(all.deviation_ns, Some(12_000));
        assert_eq!(statistics("rtt min/avg/max/mdev = "), None);
    }
}
