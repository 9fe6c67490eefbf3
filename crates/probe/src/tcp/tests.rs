//! Connections with receivers of several kinds, over paths that lose what the test says.

use super::segment::{ACK, FIN, RST, SYN};
use super::*;
use proptest::prelude::*;
use std::net::{IpAddr, SocketAddr};

const FIRST: u32 = u32::MAX - 20;
const SERVERS: u32 = 5_000;
/// One way, nanoseconds.
const WAY_NS: u64 = 10_000_000;

/// What a receiver does.
#[derive(Clone, Copy)]
struct Kind {
    sack: bool,
    dsack: bool,
    /// Acknowledges what is out of order only each second time.
    joins: bool,
    /// The program that listens gets the connection with its first byte only, and until then the kernel names nothing.
    defers: bool,
    /// Ends the connection with these flags after so many probes.
    ends: Option<(u8, u32)>,
}

const LINUX: Kind = Kind {
    sack: true,
    dsack: true,
    joins: false,
    defers: false,
    ends: None,
};

struct Receiver {
    kind: Kind,
    /// What it holds, by distance from the first byte that never comes.
    held: Vec<bool>,
    /// Distances, what came last before the others.
    recent: Vec<u32>,
    arrivals: u32,
    is_over: bool,
}

fn segment(flags: u8, acknowledgement: u32, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 20];
    bytes[..2].copy_from_slice(&443u16.to_be_bytes());
    bytes[2..4].copy_from_slice(&40_000u16.to_be_bytes());
    let sequence = SERVERS + u32::from(flags & SYN == 0);
    bytes[4..8].copy_from_slice(&sequence.to_be_bytes());
    bytes[8..12].copy_from_slice(&acknowledgement.to_be_bytes());
    bytes[12] = (((20 + options.len()) / 4) << 4) as u8;
    bytes[13] = flags;
    bytes[14..16].copy_from_slice(&29_200u16.to_be_bytes());
    bytes.extend(options);
    bytes.extend(payload);
    bytes
}

impl Receiver {
    fn run(&self, at: u32) -> (u32, u32) {
        let is_held = |place: u32| self.held.get(place as usize).copied().unwrap_or(false);
        let (mut left, mut right) = (at, at + 1);
        while left > 1 && is_held(left - 1) {
            left -= 1;
        }
        while is_held(right) {
            right += 1;
        }
        (left, right)
    }

    fn acknowledgement(&self, old: Option<(u32, u32)>) -> Vec<u8> {
        let mut blocks: Vec<(u32, u32)> = old.filter(|_| self.kind.dsack).into_iter().collect();
        for at in self.recent.iter().rev() {
            let run = self.run(*at);
            if !blocks
                .iter()
                .skip(usize::from(old.is_some()))
                .any(|block| *block == run)
                && blocks.len() < 4
            {
                blocks.push(run);
            }
        }
        let mut options = Vec::new();
        if self.kind.sack && !blocks.is_empty() {
            options.extend([1, 1, 5, (2 + 8 * blocks.len()) as u8]);
            for (left, right) in blocks {
                // Distance 0 is the byte that never comes, and lies behind the SYN.
                let number = |at: u32| FIRST.wrapping_add(1).wrapping_add(at).to_be_bytes();
                options.extend([number(left), number(right)].concat());
            }
        }
        segment(ACK, FIRST.wrapping_add(1), &options, &[])
    }

    /// What it answers.
    fn receive(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let flags = bytes[13];
        if flags & SYN != 0 {
            let options: &[u8] = if self.kind.sack {
                &[2, 4, 5, 180, 1, 1, 4, 2]
            } else {
                &[2, 4, 5, 180]
            };
            return Some(segment(SYN | ACK, FIRST.wrapping_add(1), options, &[]));
        }
        if flags & RST != 0 {
            self.is_over = true;
        }
        let has_byte = bytes.len() > usize::from(bytes[12] >> 4) * 4;
        if self.is_over || !has_byte {
            return None;
        }
        let sequence = u32::from_be_bytes(bytes[4..8].try_into().unwrap());
        let at = sequence.wrapping_sub(FIRST.wrapping_add(1));
        if at == u32::MAX {
            let names = !self.kind.defers || self.arrivals > 0;
            return Some(self.acknowledgement(names.then_some((u32::MAX, 0))));
        }
        self.arrivals += 1;
        if let Some((flags, after)) = self.kind.ends
            && self.arrivals > after
        {
            self.is_over = true;
            return Some(segment(flags, FIRST.wrapping_add(1), &[], &[]));
        }
        let at_place = at as usize;
        if self.held.len() <= at_place {
            self.held.resize(at_place + 1, false);
        }
        if std::mem::replace(&mut self.held[at_place], true) {
            return Some(self.acknowledgement(Some((at, at + 1))));
        }
        self.recent.push(at);
        (!self.kind.joins || self.arrivals.is_multiple_of(2)).then(|| self.acknowledgement(None))
    }
}

/// Runs a connection of `count` probes. `there` and `back` say how often a segment gets through, by its how-manieth it is.
fn run(
    kind: Kind,
    count: u32,
    mut there: impl FnMut(u32) -> u32,
    mut back: impl FnMut(u32) -> u32,
) -> Outcome {
    let local: SocketAddr = "192.0.2.1:40000".parse().unwrap();
    let plan = Plan {
        local,
        peer: "198.51.100.2:443".parse().unwrap(),
        initial_sequence: FIRST,
        mss_bytes: 1_460,
        count,
        interval_ns: 10_000_000,
    };
    let mut connection = Connection::new(plan, 1);
    let mut receiver = Receiver {
        kind,
        held: Vec::new(),
        recent: Vec::new(),
        arrivals: 0,
        is_over: false,
    };
    let (mut now, mut sent, mut answered, mut bytes) = (1, 0, 0, Vec::new());
    let mut arriving: Vec<(u64, Vec<u8>)> = Vec::new();
    loop {
        while let Some(place) = arriving.iter().position(|(at, _)| *at <= now) {
            let (at, answer) = arriving.remove(place);
            // A reset of another's comes from another distance.
            let is_forged = kind.ends.is_some_and(|(flags, _)| flags == RST | ACK) && answer[13] & RST != 0;
            connection.receive(&answer, (at as i64, at), Some(if is_forged { 62 } else { 60 }));
        }
        match connection.poll(now) {
            Turn::Done => break,
            Turn::Wait(until) => {
                now = arriving
                    .iter()
                    .map(|(at, _)| *at)
                    .chain([until])
                    .min()
                    .unwrap_or(until)
                    .max(now + 1);
            }
            Turn::Send => {
                connection.segment(now as i64, &mut bytes);
                for _ in 0..there(sent) {
                    let Some(answer) = receiver.receive(&bytes) else {
                        continue;
                    };
                    for _ in 0..back(answered) {
                        arriving.push((now + 2 * WAY_NS, answer.clone()));
                    }
                    answered += 1;
                }
                sent += 1;
            }
        }
        assert!(now < 200_000_000_000, "it ends");
    }
    let server: IpAddr = "198.51.100.2".parse().unwrap();
    Outcome::of(server, &[connection])
}

fn lost(seen: &Outcome) -> (Option<u64>, Option<u64>) {
    let back = match seen.reverse {
        Reverse::Counted(back) => Some(back.lost()),
        Reverse::Joined | Reverse::Unnamed => None,
    };
    (seen.forward.map(|there| there.lost()), back)
}

/// Lost each `nth` segment, none of the handshake's.
fn each(nth: u32) -> impl Fn(u32) -> u32 {
    move |number| u32::from(number < 3 || number % nth != nth - 1)
}

#[test]
fn loss_in_one_direction_is_told_as_of_that_direction() {
    let clean = run(LINUX, 500, |_| 1, |_| 1);
    assert_eq!((lost(&clean), clean.end), ((Some(0), Some(0)), Some(End::Done)));
    assert_eq!((clean.round_trip.sent, clean.round_trip.received), (500, 500));
    assert_eq!(clean.rtts_ns, vec![2 * WAY_NS as i64; 500]);
    let there = run(LINUX, 500, each(10), |_| 1);
    let there_lost = lost(&there).0.unwrap();
    // Each tenth segment, of which one in nine is a keep-alive.
    assert!(
        (45..=55).contains(&there_lost) && lost(&there).1 == Some(0),
        "{there:?}"
    );
    let back = run(LINUX, 500, |_| 1, each(10));
    assert!(
        lost(&back).0 == Some(0) && (45..=55).contains(&lost(&back).1.unwrap()),
        "{back:?}"
    );
}

#[test]
fn a_server_that_defers_its_program_is_measured_as_well() {
    let kind = Kind {
        defers: true,
        ..LINUX
    };
    let seen = run(kind, 300, each(20), each(25));
    let (there, back) = lost(&seen);
    assert!(
        (13..=17).contains(&there.unwrap()) && (10..=13).contains(&back.unwrap()),
        "{seen:?}"
    );
    assert!(seen.keep_alives.received > 20, "{seen:?}");
}

#[test]
fn without_selective_acknowledgements_no_direction_is_told() {
    let kind = Kind { sack: false, ..LINUX };
    let seen = run(kind, 200, each(10), |_| 1);
    assert_eq!((seen.forward, seen.reverse), (None, Reverse::Unnamed));
    assert_eq!((seen.round_trip.sent, seen.round_trip.lost()), (200, 20));
}

#[test]
fn without_duplicate_ones_both_directions_are_told_all_the_same() {
    let kind = Kind {
        dsack: false,
        ..LINUX
    };
    let seen = run(kind, 500, each(10), each(11));
    let (there, back) = lost(&seen);
    assert!(
        (45..=55).contains(&there.unwrap()) && (35..=50).contains(&back.unwrap()),
        "{seen:?}"
    );
    assert_eq!(seen.keep_alives.sent, 0);
}

#[test]
fn a_server_that_joins_acknowledgements_is_not_taken_for_a_lossy_path() {
    let kind = Kind { joins: true, ..LINUX };
    let seen = run(kind, 400, each(20), |_| 1);
    assert_eq!(seen.reverse, Reverse::Joined);
    assert!(
        (18..=22).contains(&lost(&seen).0.unwrap()),
        "what arrived is named: {seen:?}"
    );
    // Loss alone is none.
    let lossy = run(LINUX, 400, each(4), each(5));
    assert!(matches!(lossy.reverse, Reverse::Counted(_)), "{lossy:?}");
}

#[test]
fn what_ends_early_counts_up_to_there() {
    let reset = |other| End::Reset {
        other_ttl: Some(other),
    };
    for (flags, end) in [
        (FIN | ACK, End::Closed),
        (RST, reset(false)),
        (RST | ACK, reset(true)),
    ] {
        let kind = Kind {
            ends: Some((flags, 50)),
            ..LINUX
        };
        let seen = run(kind, 400, |_| 1, |_| 1);
        assert_eq!((lost(&seen), seen.end), ((Some(0), Some(0)), Some(end)));
        assert_eq!((seen.round_trip.sent, seen.lost_at_the_end), (50, 0));
        assert!(seen.abandoned > 0);
    }
}

#[test]
fn silence_and_refusal_are_told() {
    let silent = run(LINUX, 50, |_| 0, |_| 1);
    assert_eq!((silent.end, silent.connections), (Some(End::Silent), 0));
    assert_eq!((silent.forward, silent.round_trip.sent), (None, 0));
}

#[test]
fn a_path_that_breaks_loses_in_no_direction_that_is_known() {
    let seen = run(LINUX, 400, |number| u32::from(number < 200), |_| 1);
    assert_eq!(lost(&seen), (Some(0), Some(0)));
    assert!((200..=230).contains(&seen.lost_at_the_end), "{seen:?}");
    assert_eq!(seen.round_trip.sent, 400);
}

#[test]
fn copies_are_told_by_direction() {
    let there = run(LINUX, 200, |number| 1 + u32::from(number % 20 == 7), |_| 1);
    let forward = there.forward.unwrap();
    assert!(
        (8..=12).contains(&forward.duplicates) && forward.lost() == 0,
        "{there:?}"
    );
    let back = run(LINUX, 200, |_| 1, |number| 1 + u32::from(number % 20 == 7));
    let Reverse::Counted(reverse) = back.reverse else {
        panic!("{back:?}")
    };
    assert!(
        (8..=12).contains(&reverse.duplicates) && reverse.lost() == 0,
        "{back:?}"
    );
}

#[test]
fn evidence_counts_no_packet_twice() {
    let (here, there) = (evidence::Node::named("here"), evidence::Node::named("there"));
    let seen = run(LINUX, 300, each(10), each(15));
    let tables = seen.probes(&here, &there);
    let sent: Vec<Option<u64>> = tables
        .iter()
        .flat_map(|table| &table.rows)
        .map(|row| row.sent)
        .collect();
    assert_eq!(sent, [Some(300), Some(seen.forward.unwrap().received), None]);
    let kind = Kind { sack: false, ..LINUX };
    let tables = run(kind, 300, |_| 1, |_| 1).probes(&here, &there);
    assert_eq!((tables.len(), tables[0].rows[0].sent), (1, Some(300)));
}

proptest! {
    #[test]
    fn the_figures_are_those_of_the_path(
        there in prop::collection::vec(prop::bool::weighted(0.85), 700),
        back in prop::collection::vec(prop::bool::weighted(0.85), 700),
    ) {
        let passes = |list: &[bool], number: u32| u32::from(number < 3 || list.get(number as usize).copied().unwrap_or(true));
        let seen = run(LINUX, 200, |number| passes(&there, number), |number| passes(&back, number));
        if let (Some(forward), Reverse::Counted(reverse)) = (seen.forward, seen.reverse) {
            prop_assert_eq!(forward.received, reverse.sent);
            prop_assert!(reverse.received <= reverse.sent && forward.received <= forward.sent);
            prop_assert_eq!(forward.sent + seen.lost_at_the_end, 200);
        }
    }

    #[test]
    fn any_segments_do_not_panic(all in prop::collection::vec((any::<u8>(), -40i64..80, prop::collection::vec(any::<u8>(), 0..40)), 0..60)) {
        let plan = Plan {
            local: "192.0.2.1:40000".parse().unwrap(),
            peer: "198.51.100.2:443".parse().unwrap(),
            initial_sequence: FIRST,
            mss_bytes: 1_460,
            count: 40,
            interval_ns: 1_000,
        };
        let mut connection = Connection::new(plan, 1);
        let (mut now, mut bytes, mut sent) = (1, Vec::new(), 0);
        let mut all = all.into_iter();
        loop {
            match connection.poll(now) {
                Turn::Done => break,
                Turn::Wait(until) => now = until,
                Turn::Send => { connection.segment(now as i64, &mut bytes); sent += 1; }
            }
            if let Some((flags, distance, options)) = all.next() {
                let options = &options[..options.len() / 4 * 4];
                let number = FIRST.wrapping_add(1).wrapping_add(distance.max(0) as u32 / 60);
                connection.receive(&segment(flags, number, options, &[0; 3]), (now as i64, now), None);
            }
        }
        prop_assert!(sent < 600, "bounded: {sent}");
        let _ = Outcome::of(plan.peer.ip(), &[connection]);
    }
}
