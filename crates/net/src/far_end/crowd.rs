//! The strangers at the door by where they are from, and which of them makes room for another.
//!
//! Whoever floods has many connections open, and a genuine client one, for an instant: so it is the oldest of the prefix
//! with most that makes room, and never the one that has just come.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Strangers of one IPv4 address or IPv6 /64 at a time; a whole office may be behind it.
pub(super) const MAX_PER_NET: usize = 64;
/// Strangers of one IPv6 /48: what one customer is given, sixty-five thousand /64 (RFC 6177).
pub(super) const MAX_PER_SITE: usize = 256;

/// Names a connection at the door. A later one is larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(pub(super) u64);

/// Addresses of which one host can have any: an IPv4 address is a prefix by itself, and so is an IPv6 /64 (RFC 4291, 2.5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prefix {
    /// An IPv4 address.
    V4(u32),
    /// The first half of an IPv6 address, or what is left of it.
    V6(u64),
}

impl Prefix {
    /// The IPv4 address, or the IPv6 /64.
    pub(super) fn net(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6((address.to_bits() >> 64) as u64),
        }
    }

    /// The IPv4 address, or the IPv6 /48 around a /64.
    fn site(self) -> Self {
        match self {
            Self::V4(_) => self,
            Self::V6(net) => Self::V6(net & !0xffff),
        }
    }
}

#[derive(Debug, Default)]
struct Site {
    nets: BTreeMap<Prefix, BTreeSet<Ticket>>,
    count: usize,
}

impl Site {
    fn oldest(&self) -> Option<Ticket> {
        self.nets.values().filter_map(BTreeSet::first).min().copied()
    }

    /// The oldest of its net with most.
    fn makes_room(&self) -> Option<(Prefix, Ticket)> {
        let most = self
            .nets
            .iter()
            .max_by_key(|(_, tickets)| (tickets.len(), Reverse(tickets.first())));
        most.and_then(|(net, tickets)| Some((*net, *tickets.first()?)))
    }
}

/// All strangers at the door.
#[derive(Debug)]
pub(super) struct Crowd {
    sites: BTreeMap<Prefix, Site>,
    count: usize,
    max: usize,
}

impl Crowd {
    /// A crowd of at most `max`.
    pub(super) fn of_at_most(max: usize) -> Self {
        Self {
            sites: BTreeMap::new(),
            count: 0,
            max: max.max(1),
        }
    }

    /// Lets one in from `net`, whose ticket is the largest so far. Gives the one that made room, if there was none.
    pub(super) fn insert(&mut self, net: Prefix, ticket: Ticket) -> Option<Ticket> {
        let site = self.sites.get(&net.site());
        let own = site.and_then(|site| site.nets.get(&net));
        let leaves = if own.is_some_and(|own| own.len() >= MAX_PER_NET) {
            own.and_then(|own| Some((net, *own.first()?)))
        } else if site.is_some_and(|site| site.count >= MAX_PER_SITE) {
            site.and_then(Site::makes_room)
        } else if self.count >= self.max {
            self.makes_room()
        } else {
            None
        };
        if let Some((net, ticket)) = leaves {
            self.remove(net, ticket);
        }
        let site = self.sites.entry(net.site()).or_default();
        if site.nets.entry(net).or_default().insert(ticket) {
            site.count += 1;
            self.count += 1;
        }
        leaves.map(|(_, ticket)| ticket)
    }

    /// The oldest of the prefix that holds most; of prefixes with as many, of the one that holds its oldest longest.
    pub(super) fn makes_room(&self) -> Option<(Prefix, Ticket)> {
        self.sites
            .values()
            .max_by_key(|site| (site.count, Reverse(site.oldest())))
            .and_then(Site::makes_room)
    }

    /// It is gone, or is no stranger any more.
    pub(super) fn remove(&mut self, net: Prefix, ticket: Ticket) {
        let Some(site) = self.sites.get_mut(&net.site()) else {
            return;
        };
        let Some(own) = site.nets.get_mut(&net) else {
            return;
        };
        if own.remove(&ticket) {
            site.count -= 1;
            self.count -= 1;
        }
        if own.is_empty() {
            site.nets.remove(&net);
        }
        if site.count == 0 {
            self.sites.remove(&net.site());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Few sites, few nets of each, few addresses: so that they meet.
    fn net(from: u8) -> Prefix {
        let (site, net) = (u64::from(from & 3), u64::from(from >> 2));
        match from & 0x80 {
            0 => Prefix::V4(u32::from(from)),
            _ => Prefix::V6(0x2001_0db8_0000_0000 | site << 16 | net),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_bounds_hold_and_the_newest_stays(from in prop::collection::vec(any::<u8>(), 1..400), max in 1usize..300) {
            let mut crowd = Crowd::of_at_most(max);
            let mut there = BTreeMap::new();
            for (number, from) in (0..).zip(from) {
                let before = |is_of: &dyn Fn(Prefix) -> bool| there.values().filter(|net| is_of(**net)).count();
                let most = there.values().map(|one: &Prefix| before(&|net| net.site() == one.site())).max();
                let (own, own_site) = (before(&|other| other == net(from)), before(&|other| other.site() == net(from).site()));
                let left = crowd.insert(net(from), Ticket(number));
                match left.and_then(|left| there.remove(&left)) {
                    // Somebody has to make room exactly when there is none.
                    None => prop_assert!(there.len() < max && own < MAX_PER_NET && own_site < MAX_PER_SITE),
                    Some(left) if own >= MAX_PER_NET => prop_assert_eq!(left, net(from)),
                    Some(left) if own_site >= MAX_PER_SITE => prop_assert_eq!(left.site(), net(from).site()),
                    Some(left) => {
                        prop_assert_eq!(there.len() + 1, max);
                        let same_site = there.values().filter(|net| net.site() == left.site()).count();
                        prop_assert_eq!(Some(same_site + 1), most);
                    }
                }
                there.insert(Ticket(number), net(from));
                prop_assert_eq!(crowd.count, there.len());
            }
            for (ticket, net) in there {
                crowd.remove(net, ticket);
                crowd.remove(net, ticket);
            }
            prop_assert!(crowd.sites.is_empty() && crowd.count == 0);
        }
    }

    #[test]
    fn the_flood_makes_room_and_not_the_lone_client() {
        let mut crowd = Crowd::of_at_most(100);
        crowd.insert(Prefix::V4(1), Ticket(0));
        for number in 1..=1_000 {
            // A /64 of its own each time: its /48 gives it away.
            let net = Prefix::V6(0x2001_0db8_0000_0000 | number);
            assert_ne!(crowd.insert(net, Ticket(number)), Some(Ticket(0)));
        }
        assert_eq!(crowd.count, 100);
    }

    #[test]
    fn the_oldest_makes_room_where_all_hold_one() {
        let mut crowd = Crowd::of_at_most(3);
        let left: Vec<_> = (0..6)
            .filter_map(|n| crowd.insert(Prefix::V4(100 - n), Ticket(u64::from(n))))
            .collect();
        assert_eq!(left, [Ticket(0), Ticket(1), Ticket(2)]);
    }

    #[test]
    fn an_address_in_other_clothes_is_the_same() {
        let mapped = "::ffff:10.0.0.1".parse().unwrap();
        assert_eq!(Prefix::net(mapped), Prefix::net([10, 0, 0, 1].into()));
        let of = |text: &str| Prefix::net(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2:3:4:5"));
        assert_eq!(of("2001:db8:0:7::1").site(), of("2001:db8::").site());
        assert_ne!(of("2001:db8:1::").site(), of("2001:db8::").site());
    }
}
