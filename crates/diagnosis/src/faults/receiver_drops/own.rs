//! Drops in the receiver's interface that our own streams met: the kernel counts them.

use super::words;
use crate::facts::Facts;
use crate::facts::loss::UdpRun;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, End, Explains, Location, ObservationId, RateBps};

/// A few packets are missed by any host that is woken late.
const LEAST_SHARE: f64 = 1e-3;

pub(super) fn judge(facts: &Facts) -> Vec<Outcome> {
    let mut dropping: Vec<(&UdpRun, u64, f64)> = facts
        .udp
        .iter()
        .filter(|run| run.sender == End::From && run.lost.trials > 0)
        .filter_map(|run| {
            let dropped = run.receiver_interface_drops?;
            Some((run, dropped, dropped as f64 / run.lost.trials as f64))
        })
        .filter(|(_, _, share)| *share >= LEAST_SHARE)
        .collect();
    dropping.sort_by(|a, b| {
        a.0.target
            .0
            .total_cmp(&b.0.target.0)
            .then_with(|| a.0.id.cmp(&b.0.id))
    });
    match dropping.last() {
        Some((_, _, worst)) => vec![supported(facts, &dropping, *worst)],
        None => Vec::new(),
    }
}

fn supported(facts: &Facts, dropping: &[(&UdpRun, u64, f64)], worst: f64) -> Outcome {
    let each = dropping.iter().map(|(run, dropped, _)| {
        let sent = run.sent.unwrap_or(run.target);
        format!(
            "{} of {} at {}",
            words::thousands(*dropped),
            words::thousands(run.lost.trials),
            RateBps(sent.0)
        )
    });
    let cites: Vec<ObservationId> = dropping.iter().map(|(run, _, _)| run.id.clone()).collect();
    let mut weighing = Weighing::default();
    let text = format!(
        "the kernel of {} counts packets that its interface had to drop: {}",
        facts.name(End::To),
        each.collect::<Vec<_>>().join(", ")
    );
    weighing.add(if dropping.len() >= 2 { 3.5 } else { 2.5 }, text, &cites);
    Outcome::Supports(Box::new(Supported {
        claim: format!(
            "the interface of {} drops {} of the packets that arrive",
            facts.name(End::To),
            words::loss(worst)
        ),
        location: Location::Host { end: End::To },
        direction: Direction::Forward,
        weighing,
        // A UDP stream is no TCP transfer: what TCP meets of it at its own rate was not seen.
        explains: Explains::No,
        allows_bps: None,
        after_fix_bps: None,
        remedy: "raise the receive ring of that interface and spread its interrupts over processors".into(),
        ask_whom: "the administrator of the receiving host: rx_missed_errors, ring size, interrupt affinity"
            .into(),
        cannot_tell_from: None,
    }))
}
