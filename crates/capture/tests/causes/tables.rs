//! Tables to look at: how near the analysis comes to the truth, in named worlds and in worlds by chance.

use crate::analysis::{compared, shown, worst};
use crate::sim::{Control, MS, Program, World};
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;

#[test]
#[ignore = "a table to look at"]
fn table() {
    let base = World::default();
    let worlds: Vec<(&str, World)> = vec![
        ("bulk cubic", base.clone()),
        (
            "bulk reno",
            World {
                control: Control::Reno,
                ..base.clone()
            },
        ),
        (
            "bbr",
            World {
                control: Control::Bbr,
                ..base.clone()
            },
        ),
        (
            "paced cubic",
            World {
                paced: true,
                ..base.clone()
            },
        ),
        (
            "small buffer",
            World {
                buffer: 40_000,
                hystart: false,
                ..base.clone()
            },
        ),
        (
            "window half bdp",
            World {
                window: 125_000,
                ..base.clone()
            },
        ),
        (
            "window 2 bdp",
            World {
                window: 500_000,
                ..base.clone()
            },
        ),
        (
            "send buffer",
            World {
                send_buffer: 125_000,
                ..base.clone()
            },
        ),
        (
            "random loss",
            World {
                loss: 1e-3,
                ..base.clone()
            },
        ),
        (
            "blocks",
            World {
                program: Program::Blocks(vec![(65536, 20 * MS)]),
                total: 8_000_000,
                ..base.clone()
            },
        ),
        (
            "seed rhythm",
            World {
                rtt: MS / 2,
                rate_bps: 1e9,
                line_bps: 4.4e8,
                program: Program::Blocks(vec![(32768, MS * 4 / 10), (262_144, MS * 23 / 10)]),
                ..base.clone()
            },
        ),
        (
            "slow reader",
            World {
                reads_bps: Some(2e7),
                window: 300_000,
                ..base.clone()
            },
        ),
        (
            "policer",
            World {
                policer: Some((2e7, 50_000.0)),
                rate_bps: 1e9,
                ..base.clone()
            },
        ),
    ];
    for (name, world) in worlds {
        for point in [0.0, 0.5, 1.0] {
            for queue_before in [false, true] {
                let world = World {
                    point,
                    queue_before,
                    ..world.clone()
                };
                if (point == 0.0 && queue_before) || (point == 1.0 && !queue_before) {
                    continue;
                }
                let rows = compared(&world);
                println!(
                    "{name:16} {point} {queue_before:5} {:4.0} {}",
                    worst(&rows) * 100.0,
                    shown(&rows)
                );
            }
        }
    }
}

/// A world by chance, of a kind that is clear: no window within a fifth of what the path holds, and so on.
fn drawn(seed: u64) -> (String, World) {
    let mut rng = rand::rngs::SmallRng::seed_from_u64(seed);
    let log =
        |rng: &mut rand::rngs::SmallRng, low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
    let rtt = log(&mut rng, 1.0, 200.0) * MS as f64;
    // So many packets per round trip that a run stays small.
    let most = (16e6 / (rtt / 1e9)).min(1e10);
    let rate_bps = log(
        &mut rng,
        1e6_f64.max(20.0 * 12_000.0 / (rtt / 1e9)).min(most),
        most,
    );
    let bdp = rate_bps / 8.0 * rtt / 1e9;
    let kind = rng.random_range(0..7);
    let mut world = World {
        seed,
        rtt: rtt as i64,
        rate_bps,
        line_bps: rate_bps * if rng.random_bool(0.5) { 10.0 } else { 4.0 },
        buffer: (bdp * log(&mut rng, 0.3, 3.0)) as u64 + 30_000,
        jitter: log(&mut rng, 0.0005, 0.02),
        control: if rng.random_bool(0.5) {
            Control::Cubic
        } else {
            Control::Reno
        },
        hystart: rng.random_bool(0.7),
        paced: rng.random_bool(0.2),
        offload: if rng.random_bool(0.3) { 44 } else { 1 },
        ack_every: if rng.random_bool(0.7) { 2 } else { 8 },
        total: ((bdp * 60.0) as u64).clamp(300_000, 16_000_000),
        ..World::default()
    };
    world.offload = world.offload.min(((bdp / 1448.0) / 4.0).max(1.0) as u64);
    let inside = bdp * log(&mut rng, 0.1, 0.75) + 3.0 * 1448.0;
    let name = match kind {
        0 => "bulk",
        1 => {
            world.window = inside as u64;
            "window"
        }
        2 => {
            world.send_buffer = inside as u64 + 44 * 1448;
            if world.send_buffer as f64 > 0.75 * bdp {
                world.send_buffer = inside as u64;
            }
            "send buffer"
        }
        3 => {
            world.loss = log(&mut rng, 3e-4, 1e-2);
            "loss"
        }
        4 => {
            let block = log(&mut rng, 8192.0, 1e6);
            let pause = log(&mut rng, 0.3, 3.0) * (block * 8e9 / rate_bps) + 300_000.0;
            world.program = Program::Blocks(vec![(block as u64, pause as i64)]);
            world.total = world.total.min(block as u64 * 300);
            "blocks"
        }
        5 => {
            world.reads_bps = Some(rate_bps * log(&mut rng, 0.1, 0.7));
            world.window = (bdp * log(&mut rng, 0.5, 4.0)) as u64 + 20_000;
            "slow reader"
        }
        _ => {
            world.control = Control::Bbr;
            "bbr"
        }
    };
    let shown = format!(
        "{name} seed {seed} rtt {:.1} ms rate {:.1} Mbit/s buf {:.1} bdp jit {:.3} off {} paced {} {:?}",
        rtt / 1e6,
        rate_bps / 1e6,
        world.buffer as f64 / bdp,
        world.jitter,
        world.offload,
        world.paced,
        world.control
    );
    (shown, world)
}

#[test]
#[ignore = "a table to look at"]
fn draws() {
    let count: u64 = std::env::var("DRAWS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(70);
    let mut kinds: BTreeMap<(String, String), (u32, u32, f64)> = BTreeMap::new();
    for seed in 0..count {
        for (point, queue_before) in [(0.0, false), (0.5, false), (1.0, true)] {
            let (name, world) = drawn(seed);
            let world = World {
                point,
                queue_before,
                ..world
            };
            let rows = compared(&world);
            let worst = worst(&rows);
            let kind = name.split(" seed").next().unwrap_or("").to_owned();
            let sum = kinds.entry((kind, format!("{point}"))).or_default();
            sum.0 += 1;
            sum.1 += u32::from(worst <= 0.05);
            sum.2 += worst;
            if worst > 0.05 {
                println!("{:4.0} {point} {name}: {}", worst * 100.0, shown(&rows));
            }
        }
    }
    for ((kind, point), (count, good, sum)) in kinds {
        println!(
            "{kind:12} {point:4} within 5: {good}/{count}, mean of worst {:.1}",
            sum / f64::from(count) * 100.0
        );
    }
}
