//! What came and went while a transfer ran: silences, stretches of loss, a rate that fell, a far end that went away. From
//! the slices that were recorded anyway.
//!
//! Changes of level are those that [`stats::find`] sees in bins long enough for a congestion window to settle; a bin is a
//! measurement like any other. Slow start is no episode as a level that rises is none, and a window that is halved by one
//! loss (RFC 5681) is none as a rate has to fall by more.

mod bins;

use crate::adapters::mss;
use crate::records::{LEAST_GAP_NS, LEAST_SILENCE_NS, gaps};
use bins::{Slice, bins, edges, levels, split};
use evidence::{RateBps, SeriesMetric, StopReason, Transfer, TransferInterval, Transport};
use stats::Ratio;
use std::ops::Range;

/// Something that came, and mostly went. Times are nanoseconds from the start of the transfer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Episode {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    /// It lasts until the transfer ends.
    pub(crate) to_the_end: bool,
    pub(crate) what: What,
}

/// What an episode is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    /// Nothing arrived.
    Silence,
    /// The far end fell silent and never came back.
    Gone,
    /// Loss (UDP) or retransmissions (TCP): in the episode, and in the rest of the transfer.
    Loss { within: f64, otherwise: f64 },
    /// The rate fell.
    Rate { before: RateBps, within: RateBps },
}

/// A level of half or double counts; less is a congestion window's daily business.
const APART: f64 = 2.0;
/// A level that held for fewer bins is the overshoot of slow start.
const HELD: usize = 2;
/// Of fewer slices nothing is told.
const LEAST_SLICES: usize = 4;
/// Payload of a segment on a link of 1500 bytes.
const USUAL_MSS: u32 = 1448;

/// The episodes of a transfer, in the order of time; none where its slices do not tell.
pub(crate) fn episodes(transfer: &Transfer) -> Vec<Episode> {
    let slices: Option<Vec<Slice>> = transfer.intervals.iter().map(|s| slice(transfer, s)).collect();
    let Some(mut slices) = slices.filter(|slices| slices.len() >= LEAST_SLICES) else {
        return gone(transfer, None).into_iter().collect();
    };
    let udp = transfer.protocol == Some(Transport::Udp);
    // A transfer that was done has nothing more to send.
    if matches!(transfer.stop, Some(StopReason::MaxBytes | StopReason::Stable)) {
        let last = slices.iter().rposition(|slice| slice.rate > 0.0);
        slices.truncate(last.map_or(0, |last| last + 1));
    }
    let silences = silences(&slices, udp);
    for gap in &silences {
        // What did not arrive in a silence is missed by the first packet behind it.
        if let Some(next) = slices.get_mut(gap.end) {
            next.loss = Ratio::default();
        }
    }
    let mut found: Vec<Episode> = silences
        .iter()
        .filter_map(|gap| {
            let (first, last) = (slices.get(gap.start)?, slices.get(gap.end.checked_sub(1)?)?);
            Some(Episode {
                from_ns: first.from_ns,
                to_ns: last.to_ns,
                to_the_end: gap.end == slices.len(),
                what: What::Silence,
            })
        })
        .collect();
    found.extend(tail(transfer, &slices, udp));
    let lived = slices.iter().rposition(|slice| slice.rate > 0.0);
    if let Some(gone) = gone(transfer, lived.and_then(|last| slices.get(last))) {
        found.retain(|episode| episode.to_ns <= gone.from_ns);
        found.push(gone);
    }
    let levels = if udp {
        losses(transfer, &slices, &silences)
    } else {
        falls(&slices, &silences)
    };
    // What borders on a silence is how a connection comes back after it.
    let borders = |level: &Episode| {
        let touches = |other: &Episode| level.from_ns <= other.to_ns && other.from_ns <= level.to_ns;
        found.iter().any(touches)
    };
    let apart: Vec<Episode> = levels.into_iter().filter(|level| !borders(level)).collect();
    found.extend(apart);
    found.sort_by_key(|episode| (episode.from_ns, episode.to_ns));
    found
}

fn slice(transfer: &Transfer, slice: &TransferInterval) -> Option<Slice> {
    let length_s = slice.length_ns as f64 / 1e9;
    let packet_bits = transfer
        .packet_size_bytes
        .map_or(1.0, |bytes| f64::from(bytes) * 8.0);
    let of_packets = || Some(slice.packets_received? as f64 * packet_bits / length_s);
    let rate = slice.rate().map(|rate| rate.0).or_else(of_packets)?;
    let loss = if transfer.protocol == Some(Transport::Udp) {
        let lost = slice.packets_lost.map(|lost| lost.max(0).unsigned_abs());
        lost.zip(slice.packets_received)
            .map(|(lost, received)| Ratio::new(lost, received.saturating_add(lost)))
    } else {
        let bytes = slice
            .bytes_acked
            .or(slice.bytes_received)
            .map(|bytes| bytes as f64);
        let bytes = bytes.unwrap_or(rate / 8.0 * length_s);
        let segments = (bytes / f64::from(mss(transfer).unwrap_or(USUAL_MSS).max(1))) as u64;
        let again = slice.retransmits;
        again.map(|again| Ratio::new(again, segments.saturating_add(again)))
    };
    rate.is_finite().then(|| Slice {
        from_ns: slice.start_ns,
        to_ns: slice.start_ns.saturating_add(slice.length_ns),
        rate: rate.max(0.0),
        loss: loss.unwrap_or_default(),
    })
}

/// Runs of slices in which nothing arrived, up to the end too. Of a stream those behind which packets are missed: others
/// are the sender's pauses.
fn silences(slices: &[Slice], udp: bool) -> Vec<Range<usize>> {
    let least_ns = if udp { LEAST_GAP_NS } else { LEAST_SILENCE_NS };
    let rates: Vec<(f64, u64)> = slices.iter().map(|s| (s.rate, s.to_ns - s.from_ns)).collect();
    let Some((_, mut silences)) = gaps(&rates, least_ns) else {
        return Vec::new();
    };
    let missed = |gap: &Range<usize>| slices.get(gap.end).is_some_and(|next| next.loss.events > 0);
    silences.retain(|gap| !udp || missed(gap));
    let last = slices.iter().rposition(|slice| slice.rate > 0.0);
    let rest = last.map_or(0..0, |last| last + 1..slices.len());
    let length: u64 = rates
        .get(rest.clone())
        .unwrap_or(&[])
        .iter()
        .map(|(_, ns)| ns)
        .sum();
    if !udp && length >= LEAST_SILENCE_NS {
        silences.push(rest);
    }
    silences
}

/// The end of a stream of which nothing arrived: no slice tells of it, the packets sent do.
fn tail(transfer: &Transfer, slices: &[Slice], udp: bool) -> Option<Episode> {
    let from_ns = slices.iter().rfind(|slice| slice.rate > 0.0)?.to_ns;
    let to_ns = transfer.duration_ns.filter(|_| udp)?;
    let seen: u64 = slices.iter().map(|slice| slice.loss.events).sum();
    let missing = transfer.lost_on_path()?.saturating_sub(seen);
    (missing > 0 && to_ns >= from_ns.saturating_add(LEAST_GAP_NS)).then_some(Episode {
        from_ns,
        to_ns,
        to_the_end: true,
        what: What::Silence,
    })
}

/// The far end went away after data had flowed.
fn gone(transfer: &Transfer, last: Option<&Slice>) -> Option<Episode> {
    let last = last.filter(|_| transfer.stop == Some(StopReason::PeerGone))?;
    let end_ns = transfer
        .intervals
        .last()
        .map_or(0, |s| s.start_ns.saturating_add(s.length_ns));
    Some(Episode {
        from_ns: last.to_ns,
        to_ns: end_ns.max(transfer.duration_ns.unwrap_or(0)).max(last.to_ns),
        to_the_end: true,
        what: What::Gone,
    })
}

/// Times of a transfer at less than half the rate that it had held before; by its retransmissions where these rose too.
fn falls(slices: &[Slice], silences: &[Range<usize>]) -> Vec<Episode> {
    let bins = bins(slices, silences);
    let levels = levels(SeriesMetric::Throughput, &bins, |bin| Some(bin.rate));
    let mut held = 0.0_f64;
    let mut low: Vec<Range<usize>> = Vec::new();
    let mut before = Vec::new();
    for (range, level) in levels {
        if level * APART >= held {
            held = if range.len() >= HELD {
                held.max(level)
            } else {
                held
            };
        } else if let Some(last) = low.last_mut().filter(|last| last.end == range.start) {
            last.end = range.end;
        } else {
            low.push(range);
            before.push(held);
        }
    }
    let told = low.iter().zip(before).filter_map(|(range, before)| {
        let within = bins.get(range.clone())?;
        let level = within.iter().map(|bin| bin.rate).sum::<f64>() / within.len().max(1) as f64;
        let mut at = edges(&bins, range, slices.len(), |from, to| {
            split(slices.get(from..to)?, |s| s.rate, before, level)
        });
        let events = slices.get(at.clone())?.iter().any(|s| s.loss.events > 0);
        let what = match rose(slices, &at) {
            Some((within, otherwise)) => {
                // The rate falls behind the losses that make it fall.
                let lossy = |index: usize| slices.get(index).is_some_and(|s| s.loss.events > 0);
                while at.start.checked_sub(1).is_some_and(lossy) {
                    at.start -= 1;
                }
                What::Loss { within, otherwise }
            }
            // As much loss as before it: the window of a long path comes down to a loss that was there all the time.
            None if events => return None,
            None => What::Rate {
                before: RateBps(before),
                within: RateBps(level),
            },
        };
        episode(slices, &at, what)
    });
    told.collect()
}

/// Times of a stream with clearly more loss than the rest of it. What a host dropped is not told apart by time.
fn losses(transfer: &Transfer, slices: &[Slice], silences: &[Range<usize>]) -> Vec<Episode> {
    let dropped = transfer
        .host_drops
        .as_ref()
        .is_some_and(|drops| drops.known_total() > 0);
    let bins = bins(slices, silences);
    let levels = levels(SeriesMetric::LossRatio, &bins, |bin| bin.loss.estimate());
    let least = levels
        .iter()
        .map(|(_, level)| *level)
        .fold(f64::INFINITY, f64::min);
    let mut high: Vec<Range<usize>> = Vec::new();
    for (range, _) in levels.into_iter().filter(|(_, level)| *level > APART * least) {
        match high.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => high.push(range),
        }
    }
    let told = high.iter().filter(|_| !dropped).filter_map(|range| {
        let sum = |inside: bool| {
            let chosen = bins.iter().enumerate();
            let chosen = chosen.filter(|(index, _)| range.contains(index) == inside);
            chosen.fold(Ratio::default(), |sum, (_, bin)| sum.plus(bin.loss))
        };
        let (high, low) = (sum(true).estimate()?, sum(false).estimate()?);
        let ratio = |s: &Slice| s.loss.estimate().unwrap_or(0.0);
        let at = edges(&bins, range, slices.len(), |from, to| {
            split(slices.get(from..to)?, ratio, low, high)
        });
        let (within, otherwise) = rose(slices, &at)?;
        episode(slices, &at, What::Loss { within, otherwise })
    });
    told.collect()
}

/// (loss within, loss otherwise) where the first is more than chance makes of the second, and twice it.
fn rose(slices: &[Slice], range: &Range<usize>) -> Option<(f64, f64)> {
    let sum = |inside: bool| {
        let all = slices.iter().enumerate();
        let chosen = all.filter(|(index, _)| range.contains(index) == inside);
        chosen.fold(Ratio::default(), |sum, (_, slice)| sum.plus(slice.loss))
    };
    let (within, otherwise) = (sum(true), sum(false));
    let (more, less) = (within.estimate()?, otherwise.estimate()?);
    (within.interval().0 > otherwise.interval().1 && more > APART * less).then_some((more, less))
}

fn episode(slices: &[Slice], at: &Range<usize>, what: What) -> Option<Episode> {
    let (first, last) = (slices.get(at.start)?, slices.get(at.end.checked_sub(1)?)?);
    Some(Episode {
        from_ns: first.from_ns,
        to_ns: last.to_ns,
        to_the_end: at.end == slices.len(),
        what,
    })
}

#[cfg(test)]
mod tests;
