//! The whole of a test, and its slices, over all its connections.

use super::outcome::Test;
use super::session::{Figures, Shape, Stream, Told, Way};
use super::sums::{add, together};

impl Test<'_> {
    /// Totals of the sender and of the receiver; without any, what the slices add up to.
    pub(super) fn totals(&mut self, slices: &[Figures]) -> (Option<Figures>, Option<Figures>) {
        let mut sent = self.total(|stream| stream.sent);
        let mut received = self.total(|stream| stream.received);
        let unmarked = self.total(|stream| stream.unmarked);
        if self.session.client_left {
            for total in [&mut sent, &mut received] {
                self.without_excess(total, slices);
            }
        }
        if let Some(total) = unmarked {
            self.unmarked(total, slices, &mut sent, &mut received);
        }
        // So does a server, of which this is the only line that was copied; a client that sent nothing counts what it sent again.
        let is_of_server = |total: &Figures| total.rate_bps == 0.0 && total.retransmits.is_none();
        if slices.is_empty() && received.is_none() && sent.as_ref().is_some_and(is_of_server) {
            let reason = "the sender's line says 0, as a server's does that was not told: it is not used";
            self.doubts.push(reason.to_owned());
            sent = None;
        }
        let arrived = received.is_some_and(|received| received.rate_bps > 0.0);
        let moved = arrived
            || sent.is_some_and(|sent| sent.rate_bps > 0.0)
            || slices.iter().any(|s| s.rate_bps > 0.0);
        // Whom iperf3 could not ask any more has 0 in its line.
        // (A rate of 0 where datagrams arrived is none.)
        let was_asked = |total: &Figures| {
            let arrived = total
                .datagrams
                .unwrap_or(0)
                .saturating_sub(total.lost.unwrap_or(0));
            let is_all_lost = total.datagrams.is_some_and(|count| count > 0) && arrived == 0;
            !moved || total.rate_bps > 0.0 || is_all_lost
        };
        let answered = received.filter(was_asked);
        if received.is_some() && answered.is_none() && !self.session.interrupted {
            self.doubts.push(
                "the receiver's line says 0, as it does where it could not be asked: it is not used"
                    .to_owned(),
            );
        }
        received = answered;
        // Servers have a line of 0 for a sender that did not tell; of its counts, those of the receiver stand in it.
        let told = |total: &Figures| !moved || total.rate_bps > 0.0;
        if arrived || self.group.way == Some(Way::In) {
            sent = sent.filter(told);
        }
        if sent.or(received).is_none() && !slices.is_empty() {
            // A client's heading has the line of its way below it: where there is none, lines above are missing.
            if self.group.way.is_none() && !self.session.asks {
                let reason =
                    "no total, and nothing tells which way the data went: the intervals are used alone";
                self.doubts.push(reason.to_owned());
                return (None, None);
            }
            let mut derived = self.derived(slices);
            // Old servers of iperf3 do not know what was sent, and count in the same line what they missed.
            let counted =
                unmarked.filter(|total| total.rate_bps == 0.0 && total.datagrams.is_some_and(|n| n > 0));
            let spans = |derived: &Figures, total: &Figures| {
                derived.length_ns().abs_diff(total.length_ns()) <= total.length_ns() / 50
            };
            match (&mut derived, counted) {
                (Some(derived), Some(total)) if spans(derived, &total) => {
                    (derived.lost, derived.datagrams) = (total.lost, total.datagrams);
                    derived.jitter_ns = total.jitter_ns;
                }
                (_, Some(_)) => self.doubts.push(
                    "the counts of the total are of more than the intervals: they are not used".to_owned(),
                ),
                _ => {}
            }
            return match self.group.way {
                Some(Way::In) => (None, derived),
                _ => (derived, None),
            };
        }
        (sent, received)
    }

    /// A server whose client left before its time counts what came until it knew, over the time until the last interval that was
    /// finished: then the intervals are the whole.
    fn without_excess(&mut self, total: &mut Option<Figures>, slices: &[Figures]) {
        let (Some(told), Some(all)) = (*total, covered(slices)) else {
            return;
        };
        // Both are rounded to three digits.
        if told.rate_bps > 1.01 * all {
            let reason = "the total of a test whose client left counts more than its time: it is not used";
            self.doubts.push(reason.to_owned());
            *total = self.derived(slices);
        }
    }

    /// Before iperf3 3.7 one line of UDP holds the sender's rate and what the receiver missed, whoever prints it. Any other
    /// total without a mark has lost it.
    pub(super) fn unmarked(
        &mut self,
        total: Figures,
        slices: &[Figures],
        sent: &mut Option<Figures>,
        received: &mut Option<Figures>,
    ) {
        let is_marked = sent.or(*received).is_some();
        let is_old = self.session.is_iperf3 && total.shape == Shape::UdpReceiver && !is_marked;
        if is_old && self.group.way == Some(Way::In) && total.rate_bps == 0.0 {
            *received = Some(total);
        } else if is_old && self.group.way == Some(Way::In) {
            *sent = Some(total);
            let is_as_long = slices.first().zip(slices.last()).is_some_and(|(first, last)| {
                let length = last.end_ns.saturating_sub(first.start_ns);
                length.abs_diff(total.length_ns()) <= total.length_ns() / 50
            });
            // Those that are left of a longer test say nothing of the whole.
            if is_as_long {
                // The line counts them already.
                *received = self.derived(slices).map(|derived| Figures {
                    lost: None,
                    datagrams: None,
                    ..derived
                });
            }
        } else if is_old && (total.lost, total.jitter_ns) == (Some(0), Some(0)) {
            // No path is without any jitter: the receiver was not asked any more, and what it would have missed stands there as 0.
            *sent = Some(Figures {
                lost: None,
                jitter_ns: None,
                ..total
            });
        } else if is_old {
            *sent = Some(total);
        } else if !self.session.is_iperf3 {
            self.doubts
                .push("nothing tells whether the total is the sender's or the receiver's".to_owned());
            let home = match total.shape {
                Shape::UdpReceiver | Shape::TcpReceiver => received,
                _ => sent,
            };
            *home = Some(total);
        } else {
            self.doubts.push(
                "a total does not say whether it is the sender's or the receiver's: it is not used"
                    .to_owned(),
            );
        }
    }

    /// Sum over the streams; the tool's own sum where it agrees, as it was rounded once only, or where a stream has none. A
    /// server's sum over tests that were not made together does not agree.
    pub(super) fn total(&self, of: impl Fn(&Stream) -> Told) -> Option<Figures> {
        let streams = &self.group.streams;
        let parts: Vec<Figures> = streams.iter().filter_map(|stream| of(stream).get()).collect();
        let mut sums = self.sums.iter().filter_map(|sum| of(sum).get());
        // Its jitter is the mean, not the largest.
        let alone = |sum: Figures| Figures {
            jitter_ns: None,
            ..sum
        };
        if parts.is_empty() || parts.len() < self.expected() {
            // iperf 2 sums up over whatever runs, iperf3 over these.
            return sums.next().filter(|_| self.session.is_iperf3).map(alone);
        }
        let own = add(&parts)?;
        if self.is_part() {
            return sums.next().map(alone);
        }
        let agrees = |sum: &Figures| (sum.rate_bps - own.rate_bps).abs() <= 0.03 * own.rate_bps;
        let rate_bps = sums.find(agrees).map_or(own.rate_bps, |sum| sum.rate_bps);
        Some(Figures { rate_bps, ..own })
    }

    /// Whether the tool's own sum is of more connections than have lines here (`iperf3 -P 4 | tail`), and nothing tells that these are all. A
    /// server of iperf 2 sums up over whatever runs.
    pub(super) fn is_part(&self) -> bool {
        let streams = &self.group.streams;
        let is_known =
            streams.iter().all(|stream| stream.announced) || self.session.serves && !self.session.is_iperf3;
        let is_more = |of: fn(&Stream) -> Told| {
            let parts: Vec<Figures> = streams.iter().filter_map(|stream| of(stream).get()).collect();
            let own = add(&parts).map_or(0.0, |own| own.rate_bps);
            let mut sums = self.sums.iter().filter_map(|sum| of(sum).get());
            sums.any(|sum| sum.rate_bps > 1.03 * own)
        };
        let is_more_while = |sum: Figures| {
            let beside = streams.iter().flat_map(|stream| stream.figures());
            let parts: Vec<Figures> = beside.filter(|slice| together(slice, &sum)).collect();
            add(&parts).is_some_and(|own| sum.rate_bps > 1.03 * own.rate_bps)
        };
        let has_totals = |stream: &Stream| stream.sent.get().or(stream.received.get()).is_some();
        let is_sliced = || {
            // Who cut the end off has nothing but intervals to compare.
            !streams.iter().any(|stream| has_totals(stream))
                && self.sums.iter().flat_map(|sum| sum.figures()).any(is_more_while)
        };
        !is_known && (is_more(|stream| stream.sent) || is_more(|stream| stream.received) || is_sliced())
    }

    /// Whether the tool's own sum may be another test's than the connections above it. A loop over `-P` whose lines were cut
    /// (`| tail`) prints the totals of one run below those of another, and neither a command nor an interval tells them apart.
    pub(super) fn may_be_several(&self) -> bool {
        let is_bare = self.group.streams.iter().all(|stream| !stream.has_slices());
        is_bare && !self.session.has_command && self.is_part()
    }

    /// The whole of a test that ended without a total.
    pub(super) fn derived(&mut self, slices: &[Figures]) -> Option<Figures> {
        let (first, last) = (slices.first()?, slices.last()?);
        let covered_ns = length_ns(slices);
        let length = last.end_ns.checked_sub(first.start_ns).filter(|ns| *ns > 0)?;
        let is_whole = !self.session.has_holes && covered_ns.abs_diff(length) <= length / 50;
        let n = slices.len();
        self.doubts.push(format!(
            "no total: the whole is what {n} intervals add up to{}",
            if is_whole { "" } else { ", and some are missing" }
        ));
        let sum = |of: fn(&Figures) -> Option<u64>| {
            let all = slices
                .iter()
                .try_fold(0_u64, |sum, slice| Some(sum.saturating_add(of(slice)?)));
            all.filter(|_| is_whole)
        };
        Some(Figures {
            start_ns: first.start_ns,
            end_ns: last.end_ns,
            rate_bps: covered(slices)?,
            shape: first.shape,
            retransmits: sum(|slice| slice.retransmits),
            lost: sum(|slice| slice.lost),
            datagrams: sum(|slice| slice.datagrams),
            ..Figures::default()
        })
    }

    /// Slices of all streams that begin together, within half a slice. Where a stream has none, the tool's own sum; a sum of
    /// some of the streams is not the whole.
    pub(super) fn slices(&mut self) -> Vec<Figures> {
        let streams: Vec<&&Stream> = self.group.streams.iter().filter(|s| s.has_slices()).collect();
        let mut slices: Vec<Figures> = streams.iter().flat_map(|stream| stream.figures()).collect();
        slices.sort_by_key(|slice| (slice.start_ns, slice.end_ns));
        // One of which a total alone is left ran beside the others.
        let expected = self.expected().max(self.group.streams.len());
        if expected < 2 && !self.is_part() {
            return slices;
        }
        let has_sums = self.session.is_iperf3 && self.sums.iter().any(|sum| sum.has_figures());
        let mut missing = 0_usize;
        let mut whole = Vec::new();
        for group in slices.chunk_by(together) {
            let own = add(group).filter(|_| group.len() == expected);
            let sums = self.sums.iter().flat_map(|sum| sum.figures());
            let mut sums = sums.filter(|_| self.session.is_iperf3);
            let sum = group
                .first()
                .and_then(|first| sums.find(|sum| together(first, sum)));
            match (own, sum) {
                // The tool's own sum was rounded once only.
                (Some(own), Some(sum)) if (own.rate_bps - sum.rate_bps).abs() <= 0.03 * own.rate_bps => {
                    whole.push(Figures {
                        rate_bps: sum.rate_bps,
                        ..own
                    });
                }
                (None, Some(slice)) => whole.push(slice),
                (Some(_), Some(slice)) if self.is_part() => whole.push(slice),
                // The others are the tool's sums, rounded otherwise.
                (Some(slice), None) if !has_sums => whole.push(slice),
                _ => missing += 1,
            }
        }
        if missing > 0 {
            let n = expected;
            self.doubts.push(format!(
                "{missing} intervals do not have a line of each of the {n} connections and of their sum: they are not used"
            ));
        }
        whole
    }
}

/// The time that slices cover.
fn length_ns(slices: &[Figures]) -> u64 {
    slices.iter().map(Figures::length_ns).fold(0, u64::saturating_add)
}

/// The rate over the time that slices cover.
fn covered(slices: &[Figures]) -> Option<f64> {
    let bits: f64 = slices
        .iter()
        .map(|slice| slice.rate_bps * slice.length_ns() as f64)
        .sum();
    let length = length_ns(slices);
    (length > 0).then(|| bits / length as f64)
}
