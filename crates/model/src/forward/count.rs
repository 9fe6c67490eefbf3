//! What interfaces count, and what settings say.

use super::window_bps;
use crate::density::{log_sum_exp, normal, together};
use crate::{Count, Fault, Kind, Measurement, Setting};
use libm::{log, sqrt};

/// Log density of the share of packets that an interface counted as dropped or damaged.
///
/// A healthy interface counts almost nothing; a counter with a long history has seen days that are no longer. A wrong
/// counter must not convict: some are simply off.
#[must_use]
pub fn count(faults: &[Fault], measurement: &Measurement, seen: &Count) -> f64 {
    let ratio = log((seen.bad + 0.3) / (seen.of + 1.0));
    let here = faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element))
        .find_map(|fault| match fault.kind {
            Kind::LossRatio | Kind::LossUnderLoad | Kind::ReceiveDrops => Some((log(fault.value), 0.4)),
            Kind::ShortQueue => Some((log(1e-3), 2.0)),
            Kind::Capacity | Kind::Share | Kind::Rivals | Kind::Policer => Some((log(1e-4), 2.5)),
            Kind::Unknown | Kind::UnknownLoss => Some((log(1e-3), 3.0)),
            _ => None,
        });
    // A counter of long standing dilutes what is lost now with the packets of better days.
    let history = if seen.fresh { 0.3 } else { 1.2 };
    let counting = sqrt(1.0 / (seen.bad + 0.3));
    let (mean, sigma) = here.unwrap_or((log(3e-8), 2.5));
    let off = if seen.fresh { 0.02 } else { 0.06 };
    let width = 18.0;
    log_sum_exp(&[
        log(1.0 - off) + normal(ratio, mean, together(together(sigma, history), counting)),
        log(off) - log(width),
    ])
}

/// Share of told settings that are not in force: of another day, another host, another program.
const NOT_IN_FORCE: f64 = 0.03;
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
                source: 0,
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
