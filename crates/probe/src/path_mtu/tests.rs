use super::*;
use crate::simulated_path::{SimHop, SimPath, address, destination};
use evidence::ProbeRow;

fn config(links: u8) -> PathMtuConfig {
    PathMtuConfig {
        destination: destination(),
        interface_mtu_bytes: 9000,
        small_bytes: 64,
        destination_ttl: Some(links),
        last_ttl: links - 1,
        mute_ttls: BTreeSet::new(),
        is_destination_limited: false,
        rtt_ns: 10 * MS,
        first_sequence: 7,
        longest_ns: 20_000 * MS,
    }
}

fn search(path: &mut SimPath, config: PathMtuConfig) -> Probes {
    let mut machine = PathMtuMachine::new(config);
    path.run(&mut machine);
    machine.into_observation(address(0, 0), ProbeProtocol::Udp)
}

/// What a reader of the cells concludes: the largest size that the end answered, and the link behind which the next
/// byte vanishes.
#[derive(Debug, PartialEq, Eq)]
struct Reading {
    passes: u32,
    link: Option<(u8, u8)>,
}

fn whole(found: &Probes) -> impl Iterator<Item = &ProbeRow> {
    found.rows.iter().filter(|row| row.dont_fragment == Some(true))
}

fn in_fragments(found: &Probes) -> impl Iterator<Item = &ProbeRow> {
    found.rows.iter().filter(|row| row.dont_fragment == Some(false))
}

fn is_answered(row: &ProbeRow) -> bool {
    row.received > Some(0)
}

/// Whether nothing came back, not even a word that it was too big.
fn is_silent(row: &ProbeRow) -> bool {
    !is_answered(row) && row.errors.is_empty()
}

fn elapsed_ns(found: &Probes) -> u64 {
    found.elapsed_ns.unwrap()
}

fn read(found: &Probes, links: u8, end: Target) -> Reading {
    let passes = whole(found)
        .filter(|cell| cell.ttl == end && is_answered(cell))
        .filter_map(|cell| cell.size_bytes)
        .max();
    let passes = passes.unwrap_or(0);
    let edge = passes + 1;
    let answers = |ttl: u8, least: u32| {
        whole(found).any(|cell| cell.ttl == Some(ttl) && cell.size_bytes >= Some(least) && is_answered(cell))
    };
    let last = (1..links).rev().find(|ttl| answers(*ttl, edge)).unwrap_or(0);
    let decided = |ttl: u8| {
        whole(found)
            .any(|c| c.ttl == Some(ttl) && c.size_bytes == Some(edge) && c.sent >= Some(3) && !is_answered(c))
            && answers(ttl, 64)
    };
    let first = (last + 1..links).find(|ttl| decided(*ttl)).unwrap_or(links);
    let at_edge = whole(found).find(|cell| cell.ttl == end && cell.size_bytes == Some(edge));
    Reading {
        passes,
        link: at_edge.filter(|cell| cell.sent > Some(0)).map(|_| (last, first)),
    }
}

fn black_hole(links: usize, at: usize, accepts: u32, seed: u64) -> SimPath {
    let mut path = SimPath::new(links, seed);
    for hop in &mut path.hops {
        hop.delay_ns = 5 * MS / links as u64;
    }
    path.hops[at - 1].accept_bytes = accepts;
    path
}

#[test]
fn a_silent_black_hole_is_found_to_the_byte_at_every_link() {
    for at in 1..=12 {
        let mut path = black_hole(12, at, 1508, 1);
        if at != 2 {
            path.hops[1].mute = true;
        }
        let found = search(
            &mut path,
            PathMtuConfig {
                mute_ttls: BTreeSet::from([2]),
                ..config(12)
            },
        );
        let last = if at == 3 { 1 } else { at as u8 - 1 };
        assert_eq!(
            read(&found, 12, None),
            Reading {
                passes: 1508,
                link: Some((last, at as u8))
            },
            "link {at}"
        );
        assert!(
            elapsed_ns(&found) < 1_500 * MS,
            "link {at}: {} ms",
            elapsed_ns(&found) / MS
        );
        assert!(
            found.packets_sent.unwrap() < 250,
            "link {at}: {:?} packets",
            found.packets_sent
        );
    }
}

#[test]
fn a_mute_hop_in_front_of_the_link_that_nobody_knew_of_costs_two_seconds_more() {
    let mut path = black_hole(12, 9, 1508, 1);
    path.hops[7].mute = true;
    let found = search(&mut path, config(12));
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((7, 9))
        }
    );
    assert!(elapsed_ns(&found) < 3_000 * MS, "{} ms", elapsed_ns(&found) / MS);
}

#[test]
fn any_threshold_is_found() {
    for accepts in [68, 575, 576, 1279, 1491, 1499, 1500, 1501, 1509, 3000, 8999] {
        let mut path = black_hole(12, 9, accepts, 1);
        let found = search(&mut path, config(12));
        assert_eq!(
            read(&found, 12, None),
            Reading {
                passes: accepts,
                link: Some((8, 9))
            }
        );
        assert!(
            elapsed_ns(&found) < 2_000 * MS,
            "{accepts}: {} ms",
            elapsed_ns(&found) / MS
        );
    }
}

#[test]
fn a_long_path_takes_a_few_seconds() {
    let mut path = black_hole(12, 9, 1508, 1);
    for hop in &mut path.hops {
        hop.delay_ns = 85 * MS / 12;
    }
    let found = search(
        &mut path,
        PathMtuConfig {
            rtt_ns: 170 * MS,
            ..config(12)
        },
    );
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((8, 9))
        }
    );
    assert!(elapsed_ns(&found) < 4_000 * MS, "{} ms", elapsed_ns(&found) / MS);
}

#[test]
fn a_clean_path_ends_after_one_round() {
    let mut path = black_hole(12, 12, 9000, 1);
    let found = search(&mut path, config(12));
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 9000,
            link: None
        }
    );
    assert!(elapsed_ns(&found) < 200 * MS, "{} ms", elapsed_ns(&found) / MS);
    assert!(found.packets_sent.unwrap() < 60);
}

#[test]
fn default_rate_limits_do_not_mislead() {
    for seed in 0..20 {
        let mut path = black_hole(12, 9, 1508, seed);
        for hop in &mut path.hops[..11] {
            hop.limit = Some((6, 1_000 * MS));
        }
        // The route took three tokens of each hop a moment ago.
        path.take_tokens(3, 1);
        let found = search(&mut path, config(12));
        assert_eq!(
            read(&found, 12, None),
            Reading {
                passes: 1508,
                link: Some((8, 9))
            },
            "seed {seed}"
        );
        assert!(elapsed_ns(&found) < 3_500 * MS, "{} ms", elapsed_ns(&found) / MS);
    }
}

#[test]
fn a_drained_limiter_in_front_of_the_link_does_not_move_it() {
    let mut path = black_hole(12, 9, 1508, 1);
    path.hops[7].limit = Some((1, 1_000 * MS));
    path.hops[8].limit = Some((1, 1_000 * MS));
    path.drain_limiters(1);
    let found = search(&mut path, config(12));
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((8, 9))
        }
    );
}

#[test]
fn random_loss_makes_no_false_threshold() {
    for seed in 0..300 {
        let mut path = black_hole(12, 9, 1508, seed);
        path.loss = 0.01;
        let found = search(&mut path, config(12));
        assert_eq!(
            read(&found, 12, None),
            Reading {
                passes: 1508,
                link: Some((8, 9))
            },
            "seed {seed}"
        );
        let mut clean = black_hole(12, 12, 9000, seed);
        clean.loss = 0.01;
        let found = search(&mut clean, config(12));
        assert_eq!(read(&found, 12, None).passes, 9000, "seed {seed}");
    }
}

#[test]
fn fragmentation_needed_is_recorded_and_checked() {
    let mut path = black_hole(12, 12, 9000, 1);
    path.hops[4].next_mtu_bytes = 1500;
    let found = search(&mut path, config(12));
    let reading = read(&found, 12, None);
    assert_eq!(reading.passes, 1500);
    let edge = whole(&found)
        .find(|cell| cell.ttl.is_none() && cell.size_bytes == Some(1501))
        .unwrap();
    let claim = ProbeError {
        from: Some(address(5, 0).into()),
        text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
        mtu_bytes: Some(1500),
        count: 1,
    };
    assert!(edge.errors.contains(&claim), "{edge:?}");
    let fragmented = in_fragments(&found).find(|row| row.ttl.is_none());
    assert!(fragmented.is_some_and(|row| is_answered(row) && row.size_bytes == Some(1501)));
}

#[test]
fn a_genuine_limit_does_not_hide_a_black_hole_behind_it() {
    let mut path = black_hole(12, 9, 1508, 1);
    path.hops[2].next_mtu_bytes = 4000;
    let found = search(&mut path, config(12));
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((8, 9))
        }
    );
    let cell = |size| {
        whole(&found)
            .find(|cell| cell.ttl.is_none() && cell.size_bytes == Some(size))
            .unwrap()
    };
    assert!(is_silent(cell(4000)));
    assert!(!cell(4001).errors.is_empty());
}

#[test]
fn a_black_hole_in_front_of_a_genuine_limit_is_found_to_the_byte() {
    for (seed, loss) in (0..100).map(|seed| (seed, if seed == 0 { 0.0 } else { 0.01 })) {
        let mut path = black_hole(12, 9, 1508, seed);
        path.hops[1].mute = true;
        path.hops[10].next_mtu_bytes = 1500;
        path.loss = loss;
        let found = search(
            &mut path,
            PathMtuConfig {
                mute_ttls: BTreeSet::from([2]),
                ..config(12)
            },
        );
        let cell = |ttl, size| {
            whole(&found)
                .find(|cell| cell.ttl == ttl && cell.size_bytes == Some(size))
                .unwrap_or_else(|| panic!("seed {seed}: no cell {ttl:?} {size}"))
        };
        assert!(is_answered(cell(None, 1500)));
        assert!(!cell(None, 1501).errors.is_empty() && !is_answered(cell(None, 1501)));
        assert!(!cell(None, 1508).errors.is_empty());
        assert!(cell(None, 1509).sent >= Some(5) && cell(None, 1509).errors.is_empty());
        assert!(
            is_answered(cell(Some(9), 1508)) && !is_answered(cell(Some(9), 1509)),
            "seed {seed}"
        );
        assert!(cell(Some(9), 1509).sent >= Some(3) && is_answered(cell(Some(8), 1509)));
        assert!(elapsed_ns(&found) < 2_000 * MS, "{} ms", elapsed_ns(&found) / MS);
    }
}

#[test]
fn lost_fragmentation_needed_shows_in_fragments() {
    let mut path = black_hole(12, 12, 9000, 1);
    path.hops[7].next_mtu_bytes = 1508;
    path.hops[7].says_too_big = false;
    let found = search(&mut path, config(12));
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((8, 9))
        }
    );
    let fragments = |ttl| {
        in_fragments(&found)
            .filter(|row| row.ttl == ttl && row.size_bytes == Some(1509))
            .filter_map(|row| row.received)
            .sum::<u64>()
    };
    assert!(fragments(None) > 0 && fragments(Some(9)) > 0, "{:#?}", found.rows);
    // And where the next interface drops the frames, fragments of that size vanish too.
    let mut path = black_hole(12, 9, 1508, 1);
    let found = search(&mut path, config(12));
    let vanished = in_fragments(&found).find(|row| row.ttl == Some(9)).unwrap();
    assert!(vanished.sent >= Some(3) && !is_answered(vanished));
}

#[test]
fn a_silent_destination_leaves_the_path_up_to_the_last_hop() {
    let mut path = black_hole(12, 6, 1508, 1);
    path.destination_answer = None;
    for hop in &mut path.hops[..11] {
        hop.limit = Some((6, 1_000 * MS));
    }
    let found = search(
        &mut path,
        PathMtuConfig {
            destination_ttl: None,
            ..config(12)
        },
    );
    assert_eq!(
        read(&found, 11, Some(11)),
        Reading {
            passes: 1508,
            link: Some((5, 6))
        }
    );
}

#[test]
fn a_limited_destination_is_asked_sparingly() {
    let mut path = black_hole(12, 9, 1508, 1);
    path.destination_answer = Some(ReplyKind::PortUnreachable);
    for hop in &mut path.hops {
        hop.limit = Some((6, 1_000 * MS));
    }
    let found = search(
        &mut path,
        PathMtuConfig {
            is_destination_limited: true,
            ..config(12)
        },
    );
    assert_eq!(
        read(&found, 12, None),
        Reading {
            passes: 1508,
            link: Some((8, 9))
        }
    );
}

#[test]
fn hops_that_quote_too_little_are_asked_one_at_a_time() {
    let mut path = black_hole(8, 5, 1508, 1);
    for hop in &mut path.hops {
        *hop = SimHop {
            quotes_little: true,
            ..hop.clone()
        };
    }
    let found = search(&mut path, config(8));
    assert_eq!(
        read(&found, 8, None),
        Reading {
            passes: 1508,
            link: Some((4, 5))
        }
    );
    for row in found.rows.iter().filter(|row| is_answered(row)) {
        if let Some(ttl) = row.ttl {
            assert!(
                row.answered_by
                    .iter()
                    .all(|from| from.address == Some(address(usize::from(ttl), 0))),
                "{row:?}"
            );
        }
    }
}

#[test]
fn an_implausible_claim_is_not_evidence() {
    let mut machine = PathMtuMachine::new(config(3));
    let probe = machine.poll_transmit(1).unwrap();
    for mtu in [0, 67, probe.size_bytes, 100_000] {
        let forged = Reply {
            identity: crate::Identity::Sequence(probe.sequence),
            flow: 0,
            from: address(2, 0),
            answer: Answer::TooBig { mtu_bytes: Some(mtu) },
            reply_ttl: None,
            mpls: Vec::new(),
        };
        machine.handle_reply(2, &forged);
    }
    assert!(machine.table.claimed_mtus().is_empty());
}
