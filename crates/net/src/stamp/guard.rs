//! How often each peer is answered, and all of them together.

use crate::budget::Bucket;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};

/// Packets at once: what a sender that woke late catches up with.
const BURST_S: f64 = 0.1;
/// Peers with a bucket of their own. Those beyond it share one.
const MOST_PEERS: usize = 4_096;
/// A bucket is full again after this time, and can be forgotten.
const FORGET_NS: u64 = 1_000_000_000;

/// The limits of one reflector.
#[derive(Debug)]
pub(super) struct Guard {
    per_peer_pps: f64,
    peers: BTreeMap<IpAddr, (Bucket, u64)>,
    others: Bucket,
    all: Bucket,
    tidied_ns: u64,
}

impl Guard {
    pub(super) fn new(per_peer_pps: f64, all_pps: f64, now_ns: u64) -> Self {
        Self {
            per_peer_pps,
            peers: BTreeMap::new(),
            others: bucket(per_peer_pps, now_ns),
            all: bucket(all_pps, now_ns),
            tidied_ns: now_ns,
        }
    }

    /// Whether another packet of `peer` is answered.
    pub(super) fn allows(&mut self, peer: IpAddr, now_ns: u64) -> bool {
        let peer = network(peer);
        if self.peers.len() >= MOST_PEERS && !self.peers.contains_key(&peer) {
            self.tidy(now_ns);
        }
        let has_room = self.peers.len() < MOST_PEERS || self.peers.contains_key(&peer);
        let own = match has_room {
            true => {
                let rate = self.per_peer_pps;
                let fresh = || (bucket(rate, now_ns), now_ns);
                let (own, used_ns) = self.peers.entry(peer).or_insert_with(fresh);
                *used_ns = now_ns;
                own
            }
            false => &mut self.others,
        };
        own.take(1.0, now_ns) && self.all.take(1.0, now_ns)
    }

    /// Forgets who was silent, once a second at most: a flood of addresses must not cost a walk over the table each.
    fn tidy(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.tidied_ns) >= FORGET_NS {
            self.tidied_ns = now_ns;
            self.peers
                .retain(|_, (_, used_ns)| now_ns.saturating_sub(*used_ns) < FORGET_NS);
        }
    }
}

fn bucket(pps: f64, now_ns: u64) -> Bucket {
    Bucket::new(pps, (pps * BURST_S).max(10.0), now_ns)
}

/// Whom a limit is for: in IPv6 a host has a network of 64 bits to choose addresses from.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from(u128::from(v6) >> 64 << 64).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn peer(n: u32) -> IpAddr {
        std::net::Ipv4Addr::from(0x0a00_0000 + n).into()
    }

    #[test]
    fn one_peer_does_not_take_what_is_for_others() {
        let mut guard = Guard::new(100.0, 1_000.0, 0);
        let passed = |guard: &mut Guard, n| (0..500).filter(|_| guard.allows(peer(n), 0)).count();
        assert_eq!([1, 2].map(|n| passed(&mut guard, n)), [10, 10]);
        let later = (0..10_000).filter(|at| guard.allows(peer(1), S + at * S / 10_000));
        assert!((100..=115).contains(&later.count()));
    }

    #[test]
    fn all_together_keep_to_their_limit() {
        let mut guard = Guard::new(100.0, 1_000.0, 0);
        let passed: usize = (0..200)
            .map(|n| (0..20).filter(|_| guard.allows(peer(n), 0)).count())
            .sum();
        assert_eq!(passed, 100);
    }

    #[test]
    fn a_flood_of_addresses_is_bounded_and_passes() {
        let mut guard = Guard::new(100.0, 1e9, 0);
        for n in 0..50_000 {
            guard.allows(peer(n), 0);
        }
        assert!(guard.peers.len() <= MOST_PEERS);
        assert!(guard.allows(peer(60_000), 2 * S) && guard.peers.len() < 10);
    }

    #[test]
    fn a_host_of_ipv6_has_one_limit_for_all_its_addresses() {
        let mut guard = Guard::new(100.0, 1e9, 0);
        let passed = (0..500u128).filter(|n| {
            let address = Ipv6Addr::from(0x2001_0db8 << 96 | n);
            guard.allows(address.into(), 0)
        });
        assert_eq!(passed.count(), 10);
    }
}
