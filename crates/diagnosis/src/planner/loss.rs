//! Finding small loss: how many packets it takes, how fast they may go, and at which hops to look.

use super::{View, steps};
use crate::facts::loss_place::LossPlace;
use crate::facts::ratio::Ratio;
use crate::facts::response::BBR_TOLERATES;
use evidence::v1::{Ask, End, RateBps};

/// Small packets: many for little bandwidth.
pub(super) const SMALL_BYTES: u32 = 200;

/// More packets a second than this strain hosts and routers, and then lose packets by themselves.
const MOST_PPS: f64 = 30_000.0;

/// Losses wanted before the ratio is believed: with 8 the 95 % interval is a factor of 2 either way.
const LOSSES_WANTED: f64 = 8.0;

/// Losses that suffice.
const LOSSES_ENOUGH: u64 = 5;

/// Packets per hop, in units of 1/loss: a hop behind the loss then looks clean with probability e⁻⁶.
const PER_HOP: f64 = 6.0;

/// IPv4 packets of hop probes, as their cost assumes.
const PROBE_BITS: f64 = 64.0 * 8.0;

const MOST_STREAMS: usize = 4;
const LONGEST_STREAM_MS: f64 = 15_000.0;

/// A rate at which the path is surely not filled: half of what it has proved to carry.
pub(super) fn gentle_rate(view: &View<'_>) -> f64 {
    const UNPROVEN: f64 = 2e6;
    let packet_bits = f64::from(SMALL_BYTES) * 8.0;
    let half = view.proven_bps().map_or(UNPROVEN, |rate| rate.0 / 2.0);
    half.clamp(100.0 * packet_bits, MOST_PPS * packet_bits)
}

/// The loss ratio that would explain the measured rate; anything much below it can be excluded.
fn suspected(view: &View<'_>) -> Option<f64> {
    let run = view.facts.plain_run()?;
    let connection = run.connection(view.facts.base_rtt.as_ref().map(|rtt| rtt.ns))?;
    Some(connection.loss_allowing(run.rate).unwrap_or(BBR_TOLERATES))
}

/// Packets without a loss that exclude the suspected ratio, and a quarter of it, 95 % sure.
pub(super) fn packets_to_exclude(view: &View<'_>) -> f64 {
    suspected(view).map_or(0.0, |ratio| 3.0 / (ratio / 4.0))
}

/// A gentle stream of small packets, long enough to see the suspected loss or to exclude it.
pub(super) fn hunt(view: &View<'_>) -> Option<Ask> {
    if !view.both_ends || !view.loss_or_capacity() {
        return None;
    }
    let suspected = suspected(view)?;
    let loss = view.facts.loss_from(End::From);
    let seen = loss.as_ref().map_or(Ratio::default(), |loss| loss.events);
    // Excluding needs a bound under a third of the suspicion: the response functions are good to a factor of 2.
    let excluded = seen.trials > 0 && seen.upper_bound() < suspected / 3.0;
    let tries = view
        .facts
        .udp
        .iter()
        .filter(|run| run.sender == End::From && !run.overloaded())
        .count();
    let sure = view.capacity_is_sure() && seen.trials > 0;
    if seen.events >= LOSSES_ENOUGH || excluded || tries >= MOST_STREAMS || sure {
        return None;
    }
    let expected_ratio = seen.estimate().filter(|_| seen.events >= 2).unwrap_or(suspected);
    let packets = (LOSSES_WANTED / expected_ratio - seen.trials as f64).max(10_000.0);
    let longest = if view.capacity_is_sure() {
        5_000.0
    } else {
        LONGEST_STREAM_MS
    };
    Some(stream(view, End::From, packets, longest))
}

fn stream(view: &View<'_>, sender: End, packets: f64, longest_ms: f64) -> Ask {
    let rate = gentle_rate(view);
    let packets_per_ms = rate / (f64::from(SMALL_BYTES) * 8.0) / 1e3;
    let duration = (packets / packets_per_ms).clamp(1_000.0, longest_ms);
    Ask::UdpStream {
        sender,
        size_bytes: SMALL_BYTES,
        rate_bps: RateBps(rate),
        duration_ms: duration as u32,
    }
}

/// Loss that deserves to be located: seen, and enough of it to matter for the measured rate.
fn loss_to_locate(view: &View<'_>) -> Option<Ratio> {
    if !view.both_ends || !view.loss_or_capacity() || view.capacity_is_sure() {
        return None;
    }
    let loss = view.facts.loss_from(End::From)?;
    let matters = loss.events.upper_bound() >= suspected(view)? / 3.0;
    (loss.events.events >= 3 && matters).then_some(loss.packets)
}

/// Loss on the way back would be taken for loss at every hop: measured, so that the hops can be read.
pub(super) fn way_back(view: &View<'_>) -> Option<Ask> {
    let loss = loss_to_locate(view)?;
    let seen = view.facts.udp.iter().any(|run| run.sender == End::To);
    (!seen).then(|| {
        stream(
            view,
            End::To,
            PER_HOP / loss.estimate().unwrap_or(1.0),
            LONGEST_STREAM_MS,
        )
    })
}

/// The hop whose test halves the uncertainty best.
pub(super) fn locate(view: &View<'_>) -> Option<Ask> {
    const SURE: f64 = 0.95;
    // Where so many hops limit their answers, the others will as well, and each try takes its time.
    const MOST_UNUSABLE: usize = 2;
    let loss = loss_to_locate(view)?;
    let place = LossPlace::locate(view.facts, loss)?;
    if place.unusable.len() > MOST_UNUSABLE {
        return None;
    }
    let (before, after, _) = place.stretch(SURE);
    let candidates = candidates(view, &place, PER_HOP / loss.estimate()?);
    if after - before <= 1 {
        return None;
    }
    hop_test(view, place.best_split(&candidates)?, loss)
}

/// A link named after one lucky hop is tested once more on the side that leaves more doubt.
pub(super) fn confirm(view: &View<'_>) -> Option<Ask> {
    const CONFIRMED: f64 = 0.965;
    let loss = loss_to_locate(view)?;
    let place = LossPlace::locate(view.facts, loss)?;
    let (before, after, probability) = place.stretch(0.9);
    if after - before != 1 || probability >= CONFIRMED {
        return None;
    }
    let (nearer, further) = (place.up_to(before), 1.0 - place.up_to(after));
    let sides = if nearer >= further {
        [before, after]
    } else {
        [after, before]
    };
    let open = candidates(view, &place, 2.0 * PER_HOP / loss.estimate()?);
    hop_test(view, sides.into_iter().find(|ttl| open.contains(ttl))?, loss)
}

fn hop_test(view: &View<'_>, ttl: u8, loss: Ratio) -> Option<Ask> {
    let ratio = loss.estimate()?;
    let half_the_path = view
        .proven_bps()
        .map_or(1_000.0, |rate| rate.0 / 2.0 / PROBE_BITS);
    let ask = Ask::HopLoss {
        from: End::From,
        ttls: vec![ttl],
        count: (PER_HOP / ratio).ceil() as u64,
        rate_pps: half_the_path.clamp(100.0, MOST_PPS) as u32,
    };
    steps::permitted(view, &ask).then_some(ask)
}

/// Routers that answer reliably and were not tested with `wanted` packets yet. The destination is left out: the UDP
/// streams speak for it.
fn candidates(view: &View<'_>, place: &LossPlace, wanted: f64) -> Vec<u8> {
    let path = &view.facts.forward;
    let last = path.last_ttl().unwrap_or(0);
    let tested = |ttl: u8| {
        place
            .tested
            .iter()
            .any(|(known, ratio)| *known == ttl && ratio.trials as f64 >= 0.8 * wanted)
    };
    let reliable = |ttl: u8| {
        let answers = path.echo.small_in_transit(ttl);
        answers.is_none_or(|a| a.unanswered().estimate().is_none_or(|missing| missing < 0.1))
    };
    path.answering()
        .filter(|ttl| *ttl < last && !tested(*ttl) && !place.unusable.contains(ttl) && reliable(*ttl))
        .collect()
}
