//! A policer, told from random loss and from queues.

use crate::analysis::analysed;
use crate::sim::{Control, MS, World};
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::ops::Range;

#[test]
fn a_policer_is_told_from_random_loss_and_from_a_full_queue() {
    let base = World {
        total: 40_000_000,
        ..World::default()
    };
    let policed = World {
        policer: Some((2e7, 50_000.0)),
        rate_bps: 1e9,
        ..base.clone()
    };
    let (_, causes) = analysed(&policed);
    let found = causes.policing.unwrap_or_else(|| panic!("{:?}", causes.finding));
    let rate = 2e7 / 8.0 * 1448.0 / 1514.0;
    assert!((found.rate_bytes_per_s - rate).abs() < rate / 10.0, "{found:?}");
    for world in [
        World {
            loss: 1e-3,
            ..base.clone()
        },
        World {
            hystart: false,
            ..base
        },
    ] {
        let (_, causes) = analysed(&world);
        assert_eq!(causes.policing, None, "{world:?}");
    }
}

/// The queue of the link is before the point: nothing but what arrives tells of it.
#[test]
fn a_policer_is_told_at_the_receiver() {
    let base = World {
        total: 40_000_000,
        point: 1.0,
        queue_before: true,
        ..World::default()
    };
    for policer in [(2e7, 50_000.0), (5e7, 200_000.0)] {
        let (_, causes) = analysed(&World {
            policer: Some(policer),
            rate_bps: 1e9,
            ..base.clone()
        });
        let found = causes.policing.unwrap_or_else(|| panic!("{:?}", causes.finding));
        let rate = policer.0 / 8.0 * 1448.0 / 1514.0;
        assert!((found.rate_bytes_per_s - rate).abs() < rate / 10.0, "{found:?}");
    }
    let near = [
        ("a link at its rate", base.clone()),
        (
            "a queue that drops",
            World {
                hystart: false,
                ..base.clone()
            },
        ),
        (
            "a queue that drops early",
            World {
                buffer: 30_000,
                hystart: false,
                ..base.clone()
            },
        ),
        (
            "a congestion window that losses keep small",
            World {
                loss: 3e-3,
                rate_bps: 1e9,
                ..base.clone()
            },
        ),
        (
            "a window that is full, and losses",
            World {
                window: 60_000,
                loss: 1e-3,
                ..base.clone()
            },
        ),
        (
            "a sender that paces, and losses",
            World {
                control: Control::Bbr,
                loss: 1e-2,
                ..base
            },
        ),
    ];
    for (name, world) in near {
        let (_, causes) = analysed(&world);
        assert_eq!(causes.policing, None, "{name}");
    }
}

/// Transfers that a policer limits, and others with losses, by chance.
fn lossy(seed: u64) -> (&'static str, bool, World) {
    let mut rng = rand::rngs::SmallRng::seed_from_u64(seed);
    let log =
        |rng: &mut rand::rngs::SmallRng, low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
    let rtt = log(&mut rng, 5.0, 120.0) * MS as f64;
    let control = match rng.random_range(0..5) {
        0 | 1 => Control::Reno,
        4 => Control::Bbr,
        _ => Control::Cubic,
    };
    // Some ten to a few hundred packets on the way.
    let rate_bps = log(&mut rng, 10.0, 300.0) * 1514.0 * 8e9 / rtt;
    let bdp = rate_bps / 8.0 * rtt / 1e9;
    let (point, queue_before) =
        [(0.0, false), (0.0, false), (0.5, false), (1.0, true)][rng.random_range(0..4)];
    let world = World {
        seed,
        rtt: rtt as i64,
        rate_bps,
        line_bps: rate_bps * if rng.random_bool(0.5) { 10.0 } else { 3.0 },
        buffer: (bdp * 2.0) as u64 + 30_000,
        jitter: log(&mut rng, 0.0005, 0.02),
        control,
        hystart: rng.random_bool(0.5),
        paced: rng.random_bool(0.2),
        offload: if rng.random_bool(0.2) { 8 } else { 1 },
        ack_every: if rng.random_bool(0.8) { 2 } else { 8 },
        total: ((bdp * log(&mut rng, 60.0, 400.0)) as u64).clamp(500_000, 20_000_000),
        point,
        queue_before,
        ..World::default()
    };
    match rng.random_range(0..4) {
        0 => {
            let loss = log(&mut rng, 3e-4, 1e-1);
            ("random loss", false, World { loss, ..world })
        }
        1 => {
            let buffer = (bdp * log(&mut rng, 0.02, 0.3)) as u64 + 3_000;
            ("short queue", false, World { buffer, ..world })
        }
        2 => {
            let buffer = (bdp * log(&mut rng, 0.02, 0.3)) as u64 + 3_000;
            let loss = log(&mut rng, 3e-4, 1e-2);
            (
                "both",
                false,
                World {
                    buffer,
                    loss,
                    ..world
                },
            )
        }
        _ => {
            // A rate below that of the link, and a bucket of up to half a second.
            let policed = rate_bps * log(&mut rng, 0.1, 0.5);
            let depth = (policed / 8.0 * log(&mut rng, 0.01, 0.5)).max(5.0 * 1514.0);
            (
                "policer",
                true,
                World {
                    policer: Some((policed, depth)),
                    ..world
                },
            )
        }
    }
}

/// What was drawn, whether it is policed, and where it was captured.
type Kind = (&'static str, bool, &'static str);

/// How often a policer is told: (transfers, told) by kind.
fn told_of_policers(seeds: Range<u64>) -> BTreeMap<Kind, (u32, u32)> {
    let mut kinds = BTreeMap::new();
    for seed in seeds {
        let (name, is_policed, world) = lossy(seed);
        let (run, causes) = analysed(&world);
        let found = causes.policing;
        let place = match world.point {
            0.0 => "sender",
            1.0 => "receiver",
            _ => "middle",
        };
        let sum: &mut (u32, u32) = kinds.entry((name, is_policed, place)).or_default();
        sum.0 += 1;
        sum.1 += u32::from(found.is_some());
        if found.is_some() != is_policed && run.lost > 0 {
            println!(
                "{seed} {name} {:?} at {} lost {} found {found:?}",
                world.control, world.point, run.lost
            );
        }
    }
    kinds
}

#[test]
fn a_policer_is_seldom_told_of_random_loss_or_a_short_queue() {
    let kinds = told_of_policers(0..600);
    let sum = |is_policed, at: &[&str]| {
        let of = kinds
            .iter()
            .filter(|((_, policed, place), _)| *policed == is_policed && at.contains(place));
        of.fold((0, 0), |sum, (_, (count, told))| (sum.0 + count, sum.1 + told))
    };
    // Of 461 others 3 are told falsely, and of 139 policed 79 truly: some lose too little, some die of it. Nothing was chosen by the draws
    // from 40000 to 43000: there it is 3 of 2,269 (0.1 %) and 419 of 731.
    let places = ["sender", "middle", "receiver"];
    let (others, falsely) = sum(false, &places);
    assert!(falsely * 100 <= others, "{falsely} of {others}: {kinds:?}");
    for place in places {
        let (policed, truly) = sum(true, &[place]);
        assert!(
            truly * 5 >= policed * 2,
            "{truly} of {policed} at the {place}: {kinds:?}"
        );
    }
}

#[test]
#[ignore = "a table to look at"]
fn policers() {
    let number = |name: &str, usual| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(usual)
    };
    for (kind, (count, told)) in told_of_policers(number("FROM", 0)..number("DRAWS", 400)) {
        println!("{kind:?}: {told} of {count}");
    }
}
