//! What is found besides the shares: the program's rhythm, the congestion control, the path MTU, the narrowest link.

use crate::analysis::{analysed, seed_rhythm};
use crate::sim::{Control, World};
use capture::causes::{ControlFamily, Label};

#[test]
fn the_rhythm_of_the_seed_is_found_within_a_tenth() {
    let (_, causes) = analysed(&seed_rhythm());
    let near = |found: f64, truth: f64| (found - truth).abs() <= truth / 10.0;
    assert_eq!(causes.rhythm.len(), 2, "{:?}", causes.rhythm);
    for (level, (block, pause)) in causes.rhythm.iter().zip([(32_768.0, 0.4e6), (262_144.0, 2.3e6)]) {
        assert!(near(level.block_bytes as f64, block), "{level:?}");
        assert!(near(level.pause_ns as f64, pause), "{level:?}");
    }
}

#[test]
fn no_rhythm_is_claimed_of_a_transfer_that_the_network_clocks() {
    let base = World::default();
    for world in [
        base.clone(),
        World {
            control: Control::Bbr,
            ..base.clone()
        },
        World {
            window: 125_000,
            ..base.clone()
        },
        World {
            send_buffer: 125_000,
            ..base.clone()
        },
        World { loss: 1e-3, ..base },
    ] {
        let (_, causes) = analysed(&world);
        assert_eq!(causes.rhythm, [], "{world:?}");
    }
}

#[test]
fn the_reaction_to_losses_names_the_congestion_control() {
    for (control, family) in [
        (Control::Reno, ControlFamily::Reno),
        (Control::Cubic, ControlFamily::Cubic),
    ] {
        let world = World {
            control,
            loss: 3e-4,
            hystart: false,
            total: 60_000_000,
            ..World::default()
        };
        let (_, causes) = analysed(&world);
        assert_eq!(causes.control.family, Some(family), "{:?}", causes.control);
    }
    let (_, none) = analysed(&World {
        window: 125_000,
        ..World::default()
    });
    assert_eq!(none.control.family, None);
}

#[test]
fn a_black_hole_for_full_segments_is_told_by_what_goes_on_after_it() {
    let (_, causes) = analysed(&World {
        hole: Some(1200),
        total: 2_000_000,
        ..World::default()
    });
    let stalls = causes
        .path_mtu
        .unwrap_or_else(|| panic!("no stall: {:?}", causes.intervals));
    assert_eq!((stalls.stalled_bytes, stalls.moved_on_bytes), (1448, Some(1200)));
    assert!(!stalls.passed_before);
    assert!(
        causes
            .shares
            .iter()
            .any(|share| share.label == Label::PathMtuStall),
        "{:?}",
        causes.shares
    );
    let (_, lossy) = analysed(&World {
        loss: 0.05,
        total: 1_000_000,
        ..World::default()
    });
    assert_eq!(lossy.path_mtu, None);
}

#[test]
fn the_narrowest_link_is_known_from_its_queue_and_from_trains() {
    let (_, causes) = analysed(&World {
        hystart: false,
        ..World::default()
    });
    let rate = 1e8 / 8.0 * 1448.0 / 1514.0;
    let found = causes.bottleneck_bytes_per_s.unwrap_or_default();
    assert!((found - rate).abs() < rate / 10.0, "{found} {rate}");
}
