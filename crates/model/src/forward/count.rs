//! What counters count, and what settings say.

use super::response::window_bps;
use crate::density::{log_sum_exp, normal, normal_below, together};
use crate::{Count, Counted, Fault, Kind, Measurement, Setting};
use libm::{exp, log, sqrt};

/// The share of packets that sound devices count, and by which counters along a path differ: next to nothing, and badly known.
const BACKGROUND: (f64, f64) = (3e-9, 2.0);
/// The power of the load with which loss from load grows, and how badly it is known.
const LOAD_POWER: f64 = 3.0;
const LOAD_POWER_SIGMA: f64 = 1.2;
/// Width of the logarithm of a ratio in which the counts of a wrong counter fall.
const WIDTH: f64 = 18.0;
/// How many of the wrong counters count nothing at all.
const MUTE: f64 = 0.3;

/// Log density of the share of packets that somebody counted as gone.
///
/// A wrong counter must not convict: some are simply off, the more so the longer nobody looked.
#[must_use]
pub fn count(faults: &[Fault], measurement: &Measurement, seen: &Count) -> f64 {
    let here = faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element))
        .filter_map(|fault| share(fault, measurement, seen));
    // What several faults take adds up; it is known as well as the largest part.
    let (mean, sigma) = here.fold(BACKGROUND, |(sum, sigma), (share, own)| {
        (sum + share, if share > sum { own } else { sigma })
    });
    // A counter of long standing dilutes what is lost now with the packets of better days.
    let (history, off) = if seen.fresh { (0.3, 0.005) } else { (1.2, 0.02) };
    let spread = together(sigma, history);
    // None counted: the share is anything less than one of all.
    let (honest, astray) = if seen.bad < 0.5 {
        (
            normal_below(log(0.7 / seen.of.max(1.0)), log(mean), spread),
            log(MUTE),
        )
    } else {
        let counting = sqrt(1.0 / seen.bad);
        (
            normal(
                log(seen.bad / seen.of.max(1.0)),
                log(mean),
                together(spread, counting),
            ),
            -log(WIDTH),
        )
    };
    log_sum_exp(&[log(1.0 - off) + honest, log(off) + astray])
}

/// The share of packets that a fault takes on the way of a count, and how badly it is known; `None` where this counter does
/// not count such.
fn share(fault: &Fault, measurement: &Measurement, seen: &Count) -> Option<(f64, f64)> {
    let line = matches!(seen.what, Counted::Damaged | Counted::Missing);
    let load = matches!(
        seen.what,
        Counted::Dropped | Counted::Overflowed | Counted::Missing
    );
    let queue = matches!(seen.what, Counted::Overflowed | Counted::Missing);
    // What cannot keep up loses the more the faster packets come, and far more than in proportion; from where on is badly
    // known, the worse the further below the highest load.
    let below = log(seen.load.clamp(1e-3, 1.0));
    let loaded = (
        fault.value * exp(LOAD_POWER * below),
        together(0.4, LOAD_POWER_SIGMA * below),
    );
    match fault.kind {
        Kind::LossRatio if line => Some((fault.value, 0.4)),
        Kind::LossUnderLoad if load => Some(loaded),
        Kind::ReceiveDrops if load && measurement.out.last() == Some(&fault.element) => Some(loaded),
        Kind::ShortQueue if queue => Some((1e-3, 2.0)),
        Kind::Capacity | Kind::Share | Kind::Rivals | Kind::Policer if queue => Some((1e-4, 2.5)),
        Kind::UnknownLoss => Some((1e-3, 3.0)),
        _ => None,
    }
}

/// Share of told settings that are not in force: of another day, another host, another program.
const NOT_IN_FORCE: f64 = 0.1;
/// Width of ln(value) that those fall in.
const SETTINGS_WIDTH: f64 = 14.0;
/// How exactly the others are told: kB for KiB; and how exactly a moment's value or a host's maximum is that of a connection.
const TOLD_WITHIN: f64 = 0.05;
const SHOWN_WITHIN: f64 = 0.35;

/// Log density of a setting's value: where it is the fault, the fault's value; else what hosts usually have.
///
/// A window is away from normal by definition where a connection cannot reach `normal_bps` with it (RFC 6349 section 3.3.1):
/// without that fault there is no such setting, and who tells of one is wrong.
#[must_use]
pub fn setting(faults: &[Fault], measurement: &Measurement, seen: &Setting, normal_bps: f64) -> f64 {
    let fault = faults
        .iter()
        .find(|fault| fault.kind == seen.kind && measurement.out.contains(&fault.element));
    let (usual, spread) = match seen.kind {
        Kind::ReceiveWindow | Kind::SendBuffer => (log(4e6), 1.8),
        _ => (log(1e9), 3.0),
    };
    let value = log(seen.value);
    let Some(rtt_s) = seen.min_rtt_s else {
        return fault.map_or_else(
            || normal(value, usual, spread),
            |fault| normal(value, log(fault.value), SHOWN_WITHIN),
        );
    };
    let in_force = match fault {
        Some(fault) => normal(value, log(fault.value), TOLD_WITHIN),
        None if window_bps(seen.value, rtt_s) < normal_bps => f64::NEG_INFINITY,
        None => normal(value, usual, spread),
    };
    log_sum_exp(&[
        log(1.0 - NOT_IN_FORCE) + in_force,
        log(NOT_IN_FORCE / SETTINGS_WIDTH),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MapBuilder, Seen, Trust};
    use evidence::Node;

    #[test]
    fn a_told_window_is_a_fault_where_it_is_less_than_the_path_would_give() {
        let host = Node::read("b.example");
        let mut builder = MapBuilder::default();
        builder.learn(&host);
        let mut map = builder.build();
        let node = map.find(&host).unwrap();
        let element = map.host(node);
        let told = |value: f64, normal_bps: f64| {
            let seen = Setting {
                kind: Kind::ReceiveWindow,
                value,
                min_rtt_s: Some(0.01),
            };
            let measurement = Measurement {
                from: node,
                to: node,
                out: vec![element],
                back: Vec::new(),
                seen: Seen::Setting(seen.clone()),
                trust: Trust::Stated,
                maybe: Vec::new(),
                routes: Vec::new(),
                cites: Vec::new(),
            };
            let fault = Fault {
                kind: Kind::ReceiveWindow,
                element,
                value,
            };
            setting(&[fault], &measurement, &seen, normal_bps) - setting(&[], &measurement, &seen, normal_bps)
        };
        // 64 KiB over 10 ms are 52 Mbit/s.
        assert!(told(65_536.0, 1e9) > 6.0);
        assert!(told(65_536.0, 4e7) < told(65_536.0, 6e7) - 1.0);
    }
}
