//! How long the path is, as each round tells.

use super::Asked;
use evidence::ReplyKind;

/// Traceroute's usual limit: nothing is further away.
const MOST_HOPS: u8 = 30;
/// TTLs tried behind the last hop that is known: routers that never answer stand in between.
const TRIED: u8 = 4;
/// While the destination's place is unknown it is looked for in this many rounds, and then now and then.
const EAGER_ROUNDS: u8 = 3;
const TRY_EVERY: u64 = 10;
/// So many rounds without an answer, and the destination may be somewhere else.
const SILENT_ROUNDS: u8 = 5;

/// What is known of it.
#[derive(Debug)]
pub(super) struct Length {
    destination_ttl: Option<u8>,
    /// The last hop before the destination.
    last_ttl: u8,
    silent_rounds: u8,
    /// Rounds in which the destination's place was looked for.
    tried_rounds: u8,
}

/// What an answer tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    /// Whose answer it is; `None` where a hop was asked and the destination answered: that its probes are lost would
    /// not be noticed, so that its answers do not count either.
    pub(super) counts_for: Option<Asked>,
    /// Whether the destination is somewhere else than before.
    pub(super) moved: bool,
}

impl Length {
    pub(super) fn new(destination_ttl: Option<u8>, last_ttl: u8) -> Self {
        let destination_ttl = destination_ttl.filter(|ttl| (1..=MOST_HOPS).contains(ttl));
        Self {
            destination_ttl,
            last_ttl: destination_ttl.map_or(last_ttl.min(MOST_HOPS), |ttl| ttl - 1),
            silent_rounds: 0,
            tried_rounds: 0,
        }
    }

    pub(super) fn destination_ttl(&self) -> Option<u8> {
        self.destination_ttl
    }

    /// Whom to ask in a round, and with which TTL. The destination gets its own TTL where that is known: a full one would
    /// not tell that the path became longer.
    pub(super) fn asks(&mut self, round: u64) -> Vec<(Asked, Option<u8>)> {
        let is_lost = self.destination_ttl.is_none();
        let tries = is_lost && (self.tried_rounds < EAGER_ROUNDS || round.is_multiple_of(TRY_EVERY));
        self.tried_rounds = self.tried_rounds.saturating_add(u8::from(is_lost));
        let beyond = if tries { TRIED } else { 0 };
        let hops = 1..=(self.last_ttl + beyond).min(MOST_HOPS);
        hops.map(|ttl| (Asked::Hop(ttl), Some(ttl)))
            .chain([(Asked::Destination, self.destination_ttl)])
            .collect()
    }

    /// Whether this TTL lies behind all hops that are known.
    pub(super) fn is_tried_only(&self, asked: Asked) -> bool {
        matches!(asked, Asked::Hop(ttl) if ttl > self.last_ttl)
    }

    /// Takes an answer in; `None` when it is no answer to what was asked.
    pub(super) fn answered(&mut self, asked: Asked, ttl: Option<u8>, kind: ReplyKind) -> Option<Told> {
        if kind.is_from_destination() {
            self.silent_rounds = 0;
            let nearer = ttl.filter(|ttl| self.destination_ttl.is_none_or(|known| *ttl < known));
            if let Some(ttl) = nearer {
                self.destination_ttl = Some(ttl);
                self.last_ttl = ttl - 1;
            }
            return Some(Told {
                counts_for: (asked == Asked::Destination).then_some(asked),
                moved: nearer.is_some(),
            });
        }
        let ttl = ttl.filter(|_| kind == ReplyKind::TimeExceeded)?;
        // An answer of an earlier, longer path says nothing of the present one.
        let is_behind = self.destination_ttl.is_some_and(|known| ttl > known);
        if is_behind {
            return None;
        }
        let replaces = asked == Asked::Destination && self.destination_ttl == Some(ttl);
        if replaces {
            self.look_again();
        }
        self.last_ttl = self.last_ttl.max(ttl);
        Some(Told {
            counts_for: Some(Asked::Hop(ttl)),
            moved: replaces,
        })
    }

    /// Whether that changed where the destination is thought to be.
    pub(super) fn destination_was_silent(&mut self) -> bool {
        self.silent_rounds = self.silent_rounds.saturating_add(1);
        let is_gone = self.silent_rounds >= SILENT_ROUNDS && self.destination_ttl.is_some();
        if is_gone {
            self.look_again();
        }
        is_gone
    }

    fn look_again(&mut self) {
        self.destination_ttl = None;
        self.silent_rounds = 0;
        self.tried_rounds = 0;
    }
}
