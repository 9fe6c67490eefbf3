//! The bounds of the guard hold whatever happens, and nobody who has a kept place or a proof is put out.

use super::*;
use proptest::prelude::*;

/// What can happen at the door.
#[derive(Debug, Clone)]
enum Event {
    Comes { from: u8, is_expected: bool },
    Proves(prop::sample::Index),
    Leaves(prop::sample::Index),
    Begins(u8),
    Ends(prop::sample::Index),
    LacksDescriptors,
    TimePasses(u16),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => (any::<u8>(), prop::bool::weighted(0.1)).prop_map(|(from, is_expected)| Event::Comes { from, is_expected }),
        6 => any::<prop::sample::Index>().prop_map(Event::Proves),
        2 => any::<prop::sample::Index>().prop_map(Event::Leaves),
        6 => (0u8..8).prop_map(Event::Begins),
        1 => any::<prop::sample::Index>().prop_map(Event::Ends),
        1 => Just(Event::LacksDescriptors),
        1 => any::<u16>().prop_map(Event::TimePasses),
    ]
}

fn address(from: u8) -> IpAddr {
    match from % 3 {
        0 => IpAddr::from([10, 0, 0, from % 24]),
        _ => IpAddr::from([0x2001, 0xdb8, 0, u16::from(from % 7), 0, 0, 0, u16::from(from)]),
    }
}

/// A guard, and what a bystander knows of it: whose place may be taken and whose not.
struct Watched {
    guard: Guard<u64>,
    inside: BTreeMap<u64, Ticket>,
    sessions: Vec<IpAddr>,
    next: u64,
}

impl Watched {
    fn new(max: usize) -> Self {
        Self {
            guard: Guard::with_strangers(max),
            inside: BTreeMap::new(),
            sessions: Vec::new(),
            next: 0,
        }
    }

    fn standing(&self, ticket: Ticket) -> Option<Standing> {
        self.guard.waiting.get(&ticket).map(|waiting| waiting.standing)
    }

    fn pick(&self, index: &prop::sample::Index) -> Option<(u64, Ticket)> {
        (!self.inside.is_empty())
            .then(|| index.get(&self.inside.iter().collect::<Vec<_>>()).to_owned())
            .map(|(number, ticket)| (*number, *ticket))
    }

    fn leaves(&mut self, left: Option<u64>, was: Standing, standings: &BTreeMap<u64, Standing>) {
        if let Some(left) = left {
            assert_eq!(standings.get(&left), Some(&was), "{left}");
            assert!(self.inside.remove(&left).is_some());
        }
    }

    fn happens(&mut self, event: &Event, now: &mut Instant) {
        let standings = self
            .inside
            .iter()
            .filter_map(|(number, ticket)| Some((*number, self.standing(*ticket)?)))
            .collect();
        match event {
            Event::Comes { from, is_expected } => {
                let number = self.next;
                self.next += 1;
                let (ticket, left) = self.guard.admit(address(*from), *is_expected, *now, number);
                self.leaves(left, Standing::Stranger, &standings);
                self.inside.insert(number, ticket);
            }
            Event::Proves(index) => {
                if let Some((_, ticket)) = self.pick(index) {
                    let left = self.guard.prove(ticket);
                    self.leaves(left, Standing::Proved, &standings);
                    assert_eq!(self.standing(ticket), Some(Standing::Proved));
                }
            }
            Event::Leaves(index) => {
                if let Some((number, ticket)) = self.pick(index) {
                    assert_eq!(self.guard.remove(ticket), Some(number));
                    assert_eq!(self.guard.remove(ticket), None);
                    self.inside.remove(&number);
                }
            }
            Event::Begins(from) => {
                let peer = IpAddr::from([10, 0, 0, *from]);
                let own = self.sessions.iter().filter(|other| **other == peer).count();
                let expected = match (self.sessions.len(), own) {
                    (all, _) if all >= MAX_SESSIONS as usize => Err(Full::All),
                    (_, own) if own >= MAX_SESSIONS_PER_NET as usize => Err(Full::OfAddress),
                    _ => {
                        self.sessions.push(peer);
                        Ok(())
                    }
                };
                assert_eq!(self.guard.begin_session(peer, *now), expected);
            }
            Event::Ends(index) if !self.sessions.is_empty() => {
                let peer = self.sessions.swap_remove(index.index(self.sessions.len()));
                self.guard.end_session(peer);
            }
            Event::Ends(_) => {}
            Event::LacksDescriptors => {
                let left = self.guard.make_room();
                self.leaves(left, Standing::Stranger, &standings);
            }
            Event::TimePasses(seconds) => *now += Duration::from_secs(u64::from(*seconds)),
        }
    }
}

proptest! {
    #[test]
    fn the_bounds_hold_whatever_happens(events in prop::collection::vec(event(), 1..800), max in 1usize..200) {
        let (mut watched, mut now) = (Watched::new(max), Instant::now());
        for event in &events {
            watched.happens(event, &mut now);
            let count = |standing| watched.guard.waiting.values().filter(|one| one.standing == standing).count();
            prop_assert!(count(Standing::Stranger) <= max);
            prop_assert!(count(Standing::Kept) <= MAX_KEPT as usize);
            prop_assert!(count(Standing::Proved) <= MAX_PROVED);
            prop_assert_eq!(count(Standing::Proved), watched.guard.proved.len());
            prop_assert_eq!(count(Standing::Kept), watched.guard.kept.total as usize);
            prop_assert!(watched.guard.kept.by_net.values().all(|own| (1..=MAX_KEPT_PER_NET).contains(own)));
            prop_assert_eq!(watched.guard.waiting.len(), watched.inside.len());
            prop_assert!(watched.guard.known.len() <= MAX_KNOWN);
        }
        let tickets: Vec<_> = watched.inside.values().copied().collect();
        tickets.into_iter().for_each(|ticket| { watched.guard.remove(ticket); });
        watched.sessions.iter().for_each(|peer| watched.guard.end_session(*peer));
        let guard = watched.guard;
        prop_assert!(guard.waiting.is_empty() && guard.crowd.makes_room().is_none());
        prop_assert!(guard.kept.by_net.is_empty() && guard.proved.is_empty() && guard.sessions.by_net.is_empty());
    }
}

#[test]
fn who_was_let_in_lately_keeps_a_place_in_any_crowd() {
    let (mut guard, now) = (Guard::with_strangers(10), Instant::now());
    let (friend, later) = (IpAddr::from([10, 0, 0, 1]), now + KNOWN_FOR);
    guard.begin_session(friend, now).unwrap();
    let (ticket, _) = guard.admit(friend, false, now, u32::MAX);
    for number in 0..1_000 {
        let stranger = IpAddr::from([10, 1, (number / 250) as u8, (number % 250) as u8]);
        assert_ne!(guard.admit(stranger, false, now, number).1, Some(u32::MAX));
    }
    assert_eq!(guard.remove(ticket), Some(u32::MAX));
    // An hour later it is one of many again.
    let (ticket, left) = guard.admit(friend, false, later, u32::MAX);
    assert!(left.is_some());
    assert_eq!(guard.waiting[&ticket].standing, Standing::Stranger);
}

#[test]
fn a_neighbour_behind_the_same_address_takes_no_more_than_its_share() {
    let (mut guard, now) = (Guard::with_strangers(MAX_STRANGERS), Instant::now());
    let shared = IpAddr::from([10, 0, 0, 1]);
    for number in 0..10_000 {
        guard.admit(shared, true, now, number);
    }
    let held = MAX_KEPT_PER_NET as usize + super::super::crowd::MAX_PER_NET;
    assert_eq!(guard.waiting.len(), held);
    // And one more finds a place, though all of its address are taken.
    let (ticket, left) = guard.admit(shared, true, now, 10_000);
    assert!(left.is_some() && guard.waiting.contains_key(&ticket));
}

#[test]
fn the_addresses_remembered_are_bounded_and_the_last_ones_stay() {
    let (mut guard, start) = (Guard::<()>::with_strangers(1), Instant::now());
    let nets = (0..3_000u32).map(|n| {
        (
            IpAddr::from((0x0a00_0000 + n).to_be_bytes()),
            Duration::from_millis(n.into()),
        )
    });
    for (address, after) in nets {
        guard.begin_session(address, start + after).ok();
        guard.end_session(address);
    }
    assert_eq!(guard.known.len(), MAX_KNOWN);
    let end = start + Duration::from_secs(3);
    assert!(guard.knows(Prefix::V4(0x0a00_0000 + 2_999), end));
    assert!(!guard.knows(Prefix::V4(0x0a00_0000), end));
}
