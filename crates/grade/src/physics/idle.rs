//! Single packets at rest: whether they arrive, and how long they take.

use super::link::loss_at;
use crate::chance::Chance;
use crate::map::{Link, Network};

/// Probability that a small packet, alone on the way, is lost.
#[must_use]
pub fn idle_loss(network: &Network, way: &[usize]) -> f64 {
    let passes = |link: &usize| 1.0 - loss_at(&network.links[*link], 0.0);
    1.0 - way.iter().map(passes).product::<f64>()
}

/// Mean time that a packet waits behind those of others, seconds. Arrivals come in bursts of about sixteen packets, and
/// no packet waits longer than the queue is.
#[must_use]
pub fn queue_wait_s(link: &Link) -> f64 {
    const BURST_BITS: f64 = 16.0 * 1_500.0 * 8.0;
    let busy = link.busy.min(0.97);
    (BURST_BITS / link.capacity_bps * busy / (1.0 - busy)).min(0.7 * link.queue_s)
}

/// One passage of a packet over a way at rest, seconds.
pub fn idle_delay_s(network: &Network, way: &[usize], size_bytes: u32, chance: &mut Chance) -> f64 {
    way.iter()
        .map(|index| {
            let link = &network.links[*index];
            let asleep = if link.sleeps_s > 0.0 && chance.happens(0.7) {
                chance.between(0.0, 2.0 * link.sleeps_s)
            } else {
                0.0
            };
            let sending = f64::from(size_bytes) * 8.0 / link.capacity_bps;
            link.delay_s + sending + asleep + chance.waiting(queue_wait_s(link).max(2e-6))
        })
        .sum()
}

/// Whether a packet of this size gets through a way: not where a link swallows it, not whole where a link is too small
/// for it, and not in pieces where pieces are dropped.
#[must_use]
pub fn passes(network: &Network, way: &[usize], size_bytes: u32, may_fragment: bool) -> bool {
    let mut in_pieces = false;
    way.iter().all(|index| {
        let link = &network.links[*index];
        let sent_bytes = if in_pieces {
            size_bytes.min(1_500)
        } else {
            size_bytes
        };
        if sent_bytes > link.believed_mtu {
            in_pieces = true;
            return may_fragment && link.fragments_pass;
        }
        sent_bytes <= link.mtu && (!in_pieces || link.fragments_pass)
    })
}

/// Index in `way` of the link before which a router says that an unfragmentable packet is too big, and the MTU that it
/// names. `None` when nobody says so: it passes, or vanishes.
#[must_use]
pub fn too_big_said_by(network: &Network, way: &[usize], size_bytes: u32) -> Option<(usize, u32)> {
    for (index, number) in way.iter().enumerate() {
        let link = &network.links[*number];
        if size_bytes > link.believed_mtu {
            let says = index > 0 && network.nodes[link.from].manners.says_too_big;
            return says.then_some((index, link.believed_mtu));
        }
        if size_bytes > link.mtu {
            return None;
        }
    }
    None
}
