//! What is still worth asking, from what is known: a pure function of the table, evaluated again after every answer.
//!
//! Two searches run side by side. Along the *sizes*, to the end of the path, two edges are looked for, to the byte:
//! between what passes and what does not, and between what gets any word at all (an answer, or "too big") and what
//! vanishes. They differ where a router with a smaller MTU that says so stands behind a black hole. Only the failing
//! side of an edge can be wrong (a lost packet), and a later answer moves the edge up: the search corrects itself.
//! Along the *hops*, for one size: the link lies between the last hop that answers it and the first behind that
//! answers only smaller ones.

use super::cell::{Cell, Table, Target};
use super::config::PathMtuConfig;
use SizeProbeMode::{DontFragment, MayFragment};
use evidence::SizeProbeMode;
use std::collections::{BTreeMap, BTreeSet};

/// Sizes at which real links end (RFC 1191 section 7.1, RFC 4821 section 7.4, and tunnels, VLANs, jumbo frames).
const COMMON_BYTES: [u32; 20] = [
    576, 1006, 1280, 1400, 1420, 1450, 1480, 1492, 1500, 1504, 1508, 1522, 2002, 2048, 4352, 4464, 8166,
    8192, 9000, 9180,
];
/// Tried first where each answer costs a token of a rate limiter.
const LIKELIEST_BYTES: [u32; 2] = [1280, 1500];
/// Sizes per round of refinement: two rounds find the byte in any gap of the table below 2,500.
const FAN_OUT: u32 = 48;
const FAN_OUT_LIMITED: u32 = 2;
/// Tries before a size counts as vanishing at the edge of the search: at 1 % loss each way all fail in 3 of 10⁹ runs.
const DECISIVE_TRIES: u16 = 5;
const DECISIVE_TRIES_LIMITED: u16 = 3;
const HOP_TRIES: u16 = 3;
/// A size is trusted enough to look for its link after this many.
const TENTATIVE_TRIES: u16 = 2;
/// Claims to check: a router that names another MTU each time must not keep us busy.
const MOST_CLAIMS: usize = 4;

/// Sizes and modes wanted of one target.
pub(super) type Wanted = Vec<(SizeProbeMode, u32)>;

/// Where the size search ends: the destination, or the last hop that answers when the destination does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) target: Target,
    pub(super) is_limited: bool,
}

/// The edge of silence.
struct Silence {
    spoken: u32,
    silent: u32,
}

pub(super) struct Goals<'a> {
    pub(super) config: &'a PathMtuConfig,
    pub(super) table: &'a Table,
    pub(super) end: End,
    /// Hops that will not be asked any more: mute, or their limiter has no token for us.
    pub(super) given_up: &'a BTreeSet<u8>,
}

impl Goals<'_> {
    /// The largest size that reaches the end.
    fn passes(&self) -> u32 {
        let answered = self.table.largest_answered(self.end.target);
        answered.unwrap_or(0).max(self.config.small_bytes)
    }

    /// The smallest size above that which failed at the end.
    fn fails(&self) -> Option<u32> {
        self.table.smallest_failing(self.end.target, self.passes())
    }

    /// The first size that does not pass, when it is known to the byte.
    fn edge(&self) -> Option<u32> {
        self.fails().filter(|fails| fails - self.passes() == 1)
    }

    /// The smallest size that vanished without a word, and the largest below it that got one.
    fn silence(&self) -> Option<Silence> {
        let passes = self.passes();
        let column = || {
            self.table
                .column(self.end.target)
                .filter(|(size, _)| *size > passes)
        };
        let silent = column()
            .find(|(_, cell)| cell.vanished > 0 && !cell.is_spoken())
            .map(|(size, _)| size)?;
        let spoken = column()
            .take_while(|(size, _)| *size < silent)
            .filter(|(_, cell)| cell.is_spoken())
            .last();
        Some(Silence {
            spoken: spoken.map_or(passes, |(size, _)| size),
            silent,
        })
    }

    /// The first size that vanishes, when it is known to the byte.
    fn silent_edge(&self) -> Option<u32> {
        self.silence()
            .filter(|silence| silence.silent - silence.spoken == 1)
            .map(|silence| silence.silent)
    }

    /// Which size to send last in a round, known to pass: its answer shows that the target had a token to answer with.
    pub(super) fn control_bytes(&self) -> u32 {
        if self.silent_edge().is_some() {
            self.passes()
        } else {
            self.config.small_bytes
        }
    }

    /// Everything wanted now, by target.
    pub(super) fn all(&self) -> BTreeMap<Target, Wanted> {
        let mut goals: BTreeMap<Target, Wanted> = BTreeMap::new();
        for (target, mode, size) in self.end_goals().into_iter().chain(self.hop_goals()) {
            let wanted = goals.entry(target).or_default();
            if !wanted.contains(&(mode, size)) {
                wanted.push((mode, size));
            }
        }
        goals.retain(|target, _| target.is_none_or(|ttl| !self.given_up.contains(&ttl)));
        goals
    }

    fn end_goals(&self) -> Vec<(Target, SizeProbeMode, u32)> {
        let end = self.end.target;
        let passes = self.passes();
        let Some(fails) = self.fails().filter(|_| passes < self.config.interface_mtu_bytes) else {
            let sizes = if passes < self.config.interface_mtu_bytes {
                self.first_sizes(passes)
            } else {
                Vec::new()
            };
            return sizes.into_iter().map(|size| (end, DontFragment, size)).collect();
        };
        let mut gaps = vec![(passes, fails)];
        gaps.extend(self.silence().map(|silence| (silence.spoken, silence.silent)));
        gaps.dedup();
        let mut goals = Vec::new();
        for (passes, fails) in gaps {
            goals.extend(
                self.between(passes, fails)
                    .into_iter()
                    .map(|size| (end, DontFragment, size)),
            );
            let fails = self.unsettled(end, DontFragment, fails, self.decisive_tries());
            goals.extend(fails.map(|size| (end, DontFragment, size)));
        }
        if self.silence().is_none() {
            goals.extend(self.undecided(passes).map(|size| (end, DontFragment, size)));
        }
        goals.extend(self.checks());
        goals
    }

    /// Sizes that were lost together with their control: whether they vanish is still open.
    fn undecided(&self, passes: u32) -> impl Iterator<Item = u32> {
        let open = self
            .table
            .column(self.end.target)
            .filter(move |(size, cell)| *size > passes && !cell.is_spoken() && cell.vanished == 0);
        let most = if self.end.is_limited { 1 } else { usize::MAX };
        open.map(|(size, _)| size).take(most)
    }

    /// Once an edge is known: the same in fragments, and what routers claimed.
    fn checks(&self) -> Vec<(Target, SizeProbeMode, u32)> {
        let end = self.end.target;
        let mut goals = Vec::new();
        let mut want = |mode, size, tries| {
            goals.extend(
                self.unsettled(end, mode, size, tries)
                    .map(|size| (end, mode, size)),
            );
        };
        let Some(edge) = self.silent_edge().or_else(|| self.edge()) else {
            return goals;
        };
        if self.config.destination.is_ipv4() {
            want(MayFragment, edge, HOP_TRIES);
        }
        for claimed in self.table.claimed_mtus().into_iter().take(MOST_CLAIMS) {
            for size in [claimed, claimed + 1] {
                if (self.config.small_bytes..=self.config.interface_mtu_bytes).contains(&size) {
                    want(DontFragment, size, TENTATIVE_TRIES);
                }
            }
        }
        goals
    }

    fn decisive_tries(&self) -> u16 {
        if self.end.is_limited {
            DECISIVE_TRIES_LIMITED
        } else {
            DECISIVE_TRIES
        }
    }

    /// Before anything failed: the whole table at once, or only the largest size where answers are scarce.
    fn first_sizes(&self, passes: u32) -> Vec<u32> {
        let largest = self.config.interface_mtu_bytes;
        let mut sizes = vec![largest];
        if !self.end.is_limited {
            sizes.extend(
                COMMON_BYTES
                    .iter()
                    .rev()
                    .filter(|size| (passes + 1..largest).contains(*size)),
            );
        }
        sizes
    }

    /// Sizes that split the gap: what routers claimed, else evenly.
    fn between(&self, passes: u32, fails: u32) -> Vec<u32> {
        if fails - passes <= 1 {
            return Vec::new();
        }
        let is_inside = |size: &u32| (passes + 1..fails).contains(size);
        let mut sizes: BTreeSet<u32> = self
            .table
            .claimed_mtus()
            .into_iter()
            .take(MOST_CLAIMS)
            .flat_map(|mtu| [mtu, mtu + 1])
            .collect();
        if self.end.is_limited {
            sizes.extend(LIKELIEST_BYTES.iter().flat_map(|size| [*size, size + 1]));
        }
        sizes.retain(is_inside);
        let fan_out = if self.end.is_limited {
            FAN_OUT_LIMITED
        } else {
            FAN_OUT
        };
        if sizes.is_empty() || !self.end.is_limited {
            let parts = fan_out.min(fails - passes - 1) + 1;
            sizes.extend((1..parts).map(|part| passes + (fails - passes) * part / parts));
            sizes.retain(is_inside);
        }
        sizes
            .into_iter()
            .rev()
            .take(fan_out as usize + 2 * MOST_CLAIMS)
            .collect()
    }

    fn unsettled(&self, target: Target, mode: SizeProbeMode, size: u32, tries: u16) -> Option<u32> {
        (!self.table.is_settled(mode, target, size, tries)).then_some(size)
    }

    /// The hops to ask: between us and the end.
    fn hops(&self) -> std::ops::RangeInclusive<u8> {
        1..=self.end.target.map_or(self.config.last_ttl, |end| end - 1)
    }

    fn hop_goals(&self) -> Vec<(Target, SizeProbeMode, u32)> {
        let largest = self.config.interface_mtu_bytes;
        // Where every size that fails is called too big, the routers have named the link themselves.
        let needs_no_hops = self.edge().is_some() && self.silence().is_none();
        if self.passes() >= largest || needs_no_hops {
            return Vec::new();
        }
        let mut goals = self.locate(largest, None);
        let Some(edge) = self.silent_edge() else {
            return goals;
        };
        if edge < largest
            && self
                .table
                .is_settled(DontFragment, self.end.target, edge, TENTATIVE_TRIES)
        {
            goals.extend(self.locate(edge, self.first_failing_hop(largest)));
        }
        goals.extend(self.around_the_link(edge));
        goals
    }

    /// The last hop that answered `size` or more.
    fn last_answering_hop(&self, size: u32) -> u8 {
        let answers = |ttl: &u8| {
            self.table
                .largest_answered(Some(*ttl))
                .is_some_and(|answered| answered >= size)
        };
        self.hops().rev().find(answers).unwrap_or(0)
    }

    /// The first hop behind that at which `size` failed.
    fn first_failing_hop(&self, size: u32) -> Option<u8> {
        let behind = self.last_answering_hop(size) + 1..=*self.hops().end();
        let fails = |ttl: u8| {
            self.table
                .get(DontFragment, Some(ttl), size)
                .is_some_and(Cell::fails)
        };
        behind.into_iter().find(|ttl| fails(*ttl))
    }

    /// Finds the link that `size` does not pass: one try everywhere behind the last answer (or first at the `hint`),
    /// then enough tries at the hop that decides.
    fn locate(&self, size: u32, hint: Option<u8>) -> Vec<(Target, SizeProbeMode, u32)> {
        // Each round costs the deciding hop a token of its limiter: while the edge is unknown, one is enough.
        let tries = if self.silent_edge().is_some() {
            HOP_TRIES
        } else {
            1
        };
        let behind = self.last_answering_hop(size) + 1..=*self.hops().end();
        let want = |ttl: u8, tries| {
            let size = self.unsettled(Some(ttl), DontFragment, size, tries)?;
            Some((Some(ttl), DontFragment, size))
        };
        match self.first_failing_hop(size) {
            Some(first) => {
                let before = behind
                    .take_while(|ttl| *ttl < first)
                    .filter_map(|ttl| want(ttl, 1));
                before.chain(want(first, tries)).collect()
            }
            None => match hint.filter(|hint| behind.contains(hint)) {
                Some(hint) => want(hint, 1).into_iter().collect(),
                None => behind.filter_map(|ttl| want(ttl, 1)).collect(),
            },
        }
    }

    /// At the two ends of the link: the edge whole on this side, one byte less on the other, and fragments on both.
    fn around_the_link(&self, edge: u32) -> Vec<(Target, SizeProbeMode, u32)> {
        let Some(first) = self.first_failing_hop(edge) else {
            return Vec::new();
        };
        let last = self.last_answering_hop(edge);
        let mut asked = vec![(first, DontFragment, edge - 1), (last, DontFragment, edge)];
        if self.config.destination.is_ipv4() {
            asked.extend([(last, MayFragment, edge), (first, MayFragment, edge)]);
        }
        let open = asked.into_iter().filter(|(ttl, mode, size)| {
            *ttl > 0 && !self.table.is_settled(*mode, Some(*ttl), *size, HOP_TRIES)
        });
        open.map(|(ttl, mode, size)| (Some(ttl), mode, size)).collect()
    }
}
