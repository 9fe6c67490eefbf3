//! One link: what it has left for a test, what it loses, and what it adds to a packet.

use crate::chance::Chance;
use crate::map::Link;

/// Ethernet's header, check sequence, preamble and gap, bytes.
pub(super) const FRAMING: u32 = 38;

/// What a link has left for a test in the next moment, bit/s.
pub(super) fn left_bps(link: &Link, chance: &mut Chance) -> f64 {
    let busy = link.busy * (1.0 + link.swings * chance.normal());
    // An interface that sleeps moves nothing meanwhile, whoever sends.
    let awake = if link.awake < 1.0 {
        (link.awake * chance.spread(0.3)).min(1.0)
    } else {
        1.0
    };
    link.capacity_bps * (1.0 - busy.clamp(0.0, 0.98)).min(awake)
}

/// Loss on one link at the rate that a test sends: what is always lost, what is lost under load, and what the bursts of
/// others drop from a link that is nearly full.
pub(super) fn loss_at(link: &Link, rate_bps: f64) -> f64 {
    let loaded = link.load_loss.map_or(0.0, |(from, at_ten)| {
        (at_ten * libm::log10((rate_bps / from).max(1.0))).min(0.6)
    });
    let crowded = (link.busy - 0.85).max(0.0) * 0.02;
    1.0 - (1.0 - link.loss) * (1.0 - loaded) * (1.0 - crowded)
}
