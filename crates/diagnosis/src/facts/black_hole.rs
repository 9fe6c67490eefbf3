//! Where packets over some size vanish without a word: the fact that the two MTU faults share.
//!
//! A hop that does not answer a large packet may still forward it; what counts is that *every* hop behind some point
//! that answers small packets is silent to large ones. A router that says "fragmentation needed" is no black hole:
//! that is path MTU discovery at work (RFC 1191).

use super::path::PathFacts;
use super::sizes::{Sizes, Target, Tries};
use evidence::v1::{Direction, HopRef, SizeProbeMode};
use std::collections::BTreeSet;

/// A place behind which packets over a size vanish.
#[derive(Debug, Clone)]
pub(crate) struct BlackHole {
    pub(crate) direction: Direction,
    /// The last TTL that a vanishing size is known to have reached; 0 is the vantage itself.
    pub(crate) before: u8,
    /// The first TTL behind it that answers smaller packets and is silent to these.
    pub(crate) after: u8,
    /// The largest size known to pass.
    pub(crate) passes_bytes: u32,
    /// The smallest size known to vanish.
    pub(crate) vanishes_bytes: u32,
    /// Whether a hop answered a vanishing size: only then is the near end of the link seen, not inferred.
    pub(crate) near_end_seen: bool,
    /// Unfragmentable probes of vanishing sizes sent to targets behind the link, none answered.
    pub(crate) tries: u64,
    /// Targets behind the link that answer smaller packets and are silent to vanishing sizes.
    pub(crate) silent_targets: usize,
    /// What fragmentable packets of vanishing sizes do.
    pub(crate) fragmentable: Fragmentable,
    /// Routers further on whose "fragmentation needed" works, with the MTU named.
    pub(crate) honest_elsewhere: Vec<(HopRef, Option<u32>)>,
}

/// What happens to large packets that routers may fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fragmentable {
    /// Not tried, or not possible (IPv6).
    NotTried,
    /// They arrive: the router before the link knows the smaller MTU and fragments.
    Pass { answered: u64, sent: u64 },
    /// They vanish as well. At a hop right behind the link no filter at the destination can be to blame.
    Vanish { sent: u64, seen_at_a_router: bool },
}

/// Probes of the smallest vanishing size that must have gone unanswered before we speak of vanishing: with one, plain
/// loss would do.
const LEAST_TRIES: u64 = 2;

impl BlackHole {
    /// The black hole on this path, if there is one. Of several in a row, the one with the smallest threshold.
    pub(crate) fn find(path: &PathFacts) -> Option<Self> {
        let sizes = &path.sizes;
        let vanishing = vanishing_sizes(sizes);
        let vanishes_bytes = *vanishing.first()?;
        let before_seen = vanishing.iter().filter_map(|size| sizes.reach(*size)).max();
        let before = before_seen.unwrap_or(0);
        if pmtud_works_at(path, before, vanishes_bytes) {
            return None;
        }
        let silent = silent_targets(path, &vanishing, before);
        let after = *silent.first()?;
        let passes_bytes = largest_passing(sizes, vanishes_bytes, after)?;
        let tries = tries_behind(sizes, &vanishing, before);
        Some(Self {
            direction: path.direction(),
            before,
            after: if after == u8::MAX {
                destination_place(path)
            } else {
                after
            },
            passes_bytes,
            vanishes_bytes,
            near_end_seen: before_seen.is_some(),
            tries,
            silent_targets: silent.len(),
            fragmentable: fragmentable(sizes, vanishes_bytes, after),
            honest_elsewhere: honest_elsewhere(path),
        })
        .filter(|hole| hole.tries >= LEAST_TRIES && hole.after > hole.before)
    }
}

/// The TTL of the destination; where it is unknown, the one behind the last hop that answers.
fn destination_place(path: &PathFacts) -> u8 {
    path.destination_ttl
        .unwrap_or_else(|| path.answering().last().unwrap_or(0).saturating_add(1))
}

/// Sizes that drew neither an answer nor a "fragmentation needed" at the furthest target they were tried on, with no
/// larger size passing there: a nearer hop that is silent may ignore them and forward them all the same.
fn vanishing_sizes(sizes: &Sizes) -> BTreeSet<u32> {
    let explained: BTreeSet<u32> = sizes
        .unfragmented()
        .filter(|(_, _, tries)| !tries.fragmentation_needed.is_empty() || tries.refused_locally)
        .map(|(size, _, _)| size)
        .collect();
    let tried: BTreeSet<u32> = sizes.unfragmented().map(|(size, _, _)| size).collect();
    tried
        .into_iter()
        .filter(|size| !explained.contains(size))
        .filter(|size| {
            furthest_tried(sizes, *size).is_some_and(|(target, tries)| {
                tries.vanished()
                    && tries.sent >= LEAST_TRIES
                    && largest_answered(sizes, target).is_none_or(|answered| *size > answered)
            })
        })
        .collect()
}

/// The furthest target that packets of `size` were sent to, of those that answer smaller ones.
fn furthest_tried(sizes: &Sizes, size: u32) -> Option<(Target, &Tries)> {
    sizes
        .unfragmented()
        .filter(|(s, target, tries)| *s == size && tries.sent > 0 && sizes.answers(*target))
        .map(|(_, target, tries)| (target, tries))
        .max_by_key(|(target, _)| *target)
}

/// The largest size that was answered at `target` or behind it.
fn largest_answered(sizes: &Sizes, target: Target) -> Option<u32> {
    sizes
        .unfragmented()
        .filter(|(_, t, tries)| *t >= target && tries.answered > 0)
        .map(|(size, _, _)| size)
        .max()
}

/// The router at `before` said itself that it needs to fragment: some of its answers are missing (rate limits), but
/// senders do learn the MTU.
fn pmtud_works_at(path: &PathFacts, before: u8, vanishes_bytes: u32) -> bool {
    path.sizes.honest_routers().iter().any(|(router, mtu)| {
        path.ttl_of(router) == Some(before) && before > 0 && mtu.is_none_or(|mtu| mtu < vanishes_bytes)
    })
}

/// TTLs behind `before` that answer smaller packets and were silent to every vanishing size tried on them. Hops that
/// limit their answers are left out as long as others remain: what they do not answer may have reached them.
fn silent_targets(path: &PathFacts, vanishing: &BTreeSet<u32>, before: u8) -> BTreeSet<u8> {
    let sizes = &path.sizes;
    let smallest = vanishing.first().copied().unwrap_or(u32::MAX);
    let silent: BTreeSet<Target> = sizes
        .unfragmented()
        .filter(|(size, target, tries)| *size >= smallest && target.ttl() > before && tries.vanished())
        .map(|(_, target, _)| target)
        .filter(|target| sizes.answers(*target))
        .collect();
    let reliable: BTreeSet<u8> = silent
        .iter()
        .filter(|target| answers_reliably(path, **target, smallest))
        .map(|target| target.ttl())
        .collect();
    if reliable.is_empty() {
        silent.into_iter().map(Target::ttl).collect()
    } else {
        reliable
    }
}

/// Whether a target answers small packets so regularly that its silence means something.
fn answers_reliably(path: &PathFacts, target: Target, vanishes_bytes: u32) -> bool {
    const REGULARLY: f64 = 0.7;
    let sized = path
        .sizes
        .small_answers(target, vanishes_bytes.saturating_sub(1))
        .estimate();
    let ttl = path
        .destination_ttl
        .map_or(target.ttl(), |last| target.ttl().min(last));
    let echoed = path
        .echo
        .small_in_transit(ttl)
        .and_then(|answers| answers.unanswered().estimate());
    sized.is_none_or(|share| share >= REGULARLY) && echoed.is_none_or(|missing| missing <= 1.0 - REGULARLY)
}

/// The largest size below the threshold that got past the link: answered at or behind `after`, or answered by a
/// "fragmentation needed" where larger packets drew none; that router must lie behind the link.
fn largest_passing(sizes: &Sizes, vanishes_bytes: u32, after: u8) -> Option<u32> {
    sizes
        .unfragmented()
        .filter(|(size, target, tries)| {
            let passed = tries.answered > 0 && target.ttl() >= after;
            *size < vanishes_bytes && (passed || !tries.fragmentation_needed.is_empty())
        })
        .map(|(size, _, _)| size)
        .max()
}

fn tries_behind(sizes: &Sizes, vanishing: &BTreeSet<u32>, before: u8) -> u64 {
    let smallest = vanishing.first().copied().unwrap_or(u32::MAX);
    sizes
        .unfragmented()
        .filter(|(size, target, tries)| *size >= smallest && target.ttl() > before && tries.vanished())
        .filter(|(_, target, _)| sizes.answers(*target))
        .fold(0, |sum, (_, _, tries)| tries.sent.saturating_add(sum))
}

fn fragmentable(sizes: &Sizes, vanishes_bytes: u32, after: u8) -> Fragmentable {
    let (mut sent, mut answered, mut seen_at_a_router) = (0_u64, 0_u64, false);
    for (size, target, tries) in sizes.tries(SizeProbeMode::MayFragment) {
        let behind = target.ttl() >= after && sizes.answers(target);
        if size < vanishes_bytes || !behind || tries.refused_locally {
            continue;
        }
        sent = tries.sent.saturating_add(sent);
        answered = tries.answered.saturating_add(answered);
        seen_at_a_router |= matches!(target, Target::Hop(_)) && tries.vanished();
    }
    match (sent, answered) {
        (0, _) => Fragmentable::NotTried,
        (_, 0) => Fragmentable::Vanish {
            sent,
            seen_at_a_router,
        },
        _ => Fragmentable::Pass { answered, sent },
    }
}

fn honest_elsewhere(path: &PathFacts) -> Vec<(HopRef, Option<u32>)> {
    path.sizes
        .honest_routers()
        .into_iter()
        .map(|(router, mtu)| (path.router_ref(&router), mtu))
        .collect()
}
