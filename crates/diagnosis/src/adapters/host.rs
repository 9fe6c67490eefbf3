//! What a host says of itself.

use super::intake::Intake;
use evidence::{HostFacts, Observation};
use model::{Kind, Seen, Setting, Trust};

pub(super) fn measure(intake: &mut Intake, facts: &HostFacts, observation: &Observation) {
    // Linux gives TCP about half of a buffer as window (tcp_adv_win_scale = 1).
    let limit = |name: &str| {
        let most = facts
            .sysctls
            .get(name)?
            .split_whitespace()
            .last()?
            .parse::<f64>()
            .ok()?;
        (most > 0.0).then_some(most / 2.0)
    };
    let Some(host) = intake.map.find(&observation.provenance.vantage) else {
        return;
    };
    for (kind, name) in [
        (Kind::ReceiveWindow, "net.ipv4.tcp_rmem"),
        (Kind::SendBuffer, "net.ipv4.tcp_wmem"),
    ] {
        if let Some(value) = limit(name) {
            let seen = Seen::Setting(Setting {
                kind,
                value,
                min_rtt_s: None,
            });
            let element = intake.map.host(host);
            intake.put(host, host, seen, Trust::Measured, &observation.id);
            if let Some(last) = intake.measurements.last_mut() {
                last.out = vec![element];
                last.back = Vec::new();
            }
        }
    }
}
