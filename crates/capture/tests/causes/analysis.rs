//! What the analysis finds of a simulated transfer, beside the truth.

use crate::sim::{self, MS, Program, Run, World};
use crate::watch;
use capture::causes::{Causes, Label, Setting, Tracker};
use std::collections::BTreeMap;

pub(crate) fn setting(world: &World) -> Setting {
    let before = (world.rtt as f64 * world.point) as i64 + 20_000;
    Setting {
        before_ns: Some(before),
        behind_ns: Some(world.rtt - before + 40_000),
        mss_bytes: Some(world.mss as u32),
    }
}

pub(crate) fn analysed(world: &World) -> (Run, Causes) {
    let run = sim::run(world);
    let mut tracker = Tracker::new();
    tracker.set(setting(world));
    for event in watch::events(&run) {
        tracker.take(&event);
    }
    let causes = tracker.finish(run.end);
    (run, causes)
}

/// Label, true part, found part.
pub(crate) fn compared(world: &World) -> Vec<(Label, f64, f64)> {
    let (run, causes) = analysed(world);
    let truth = watch::truth(&run);
    let all: i64 = truth.values().sum();
    let found: BTreeMap<Label, i64> = causes
        .shares
        .iter()
        .map(|share| (share.label, share.time_ns))
        .collect();
    let total: i64 = found.values().sum();
    Label::ALL
        .into_iter()
        .map(|label| {
            let part = |sums: &BTreeMap<Label, i64>, all: i64| {
                sums.get(&label).copied().unwrap_or(0) as f64 / all.max(1) as f64
            };
            (label, part(&truth, all), part(&found, total))
        })
        .collect()
}

pub(crate) fn worst(rows: &[(Label, f64, f64)]) -> f64 {
    rows.iter()
        .map(|(_, truth, found)| (truth - found).abs())
        .fold(0.0, f64::max)
}

pub(crate) fn shown(rows: &[(Label, f64, f64)]) -> String {
    rows.iter()
        .filter(|(_, truth, found)| *truth > 0.005 || *found > 0.005)
        .map(|(label, truth, found)| format!("{label:?} {:.0}/{:.0}", truth * 100.0, found * 100.0))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(crate) fn blocks(levels: &[(u64, i64)]) -> Program {
    Program::Blocks(levels.to_vec())
}

/// The seed's rhythm: 32 KB with 0.4 ms within 256 KB with 2.3 ms, on a host that sends at 55 MB/s.
pub(crate) fn seed_rhythm() -> World {
    World {
        rtt: MS / 2,
        rate_bps: 1e9,
        line_bps: 4.4e8,
        program: blocks(&[(32_768, MS * 4 / 10), (262_144, MS * 23 / 10)]),
        ..World::default()
    }
}
