//! Cross traffic as the only explanation of a rate that breaks down again and again.

use crate::facts::Facts;
use crate::faults::step_down;
use evidence::{Explains, Finding, Location, Quantity, RateBps, RedHerring};

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    let overflow = |f: &&Finding| f.code == "LOSS-004" && f.explains == Explains::Yes;
    findings.iter().find(overflow)?;
    let (step, ..) = step_down(facts)?;
    let capacity = RateBps(step.link_bps);
    let peaks = facts.records.stated(Quantity::PeakRate, &facts.complaint);
    let peak = peaks.last().filter(|peak| peak.value < 0.9 * capacity.0)?;
    Some(RedHerring {
        code: "cross-traffic".into(),
        seen: format!(
            "the rate breaks down at {} and below, where the link carries {capacity}, as if others took the rest",
            RateBps(peak.value)
        ),
        why_not: "the overflow of the queue in slow start predicts the time of the first loss and the mean rate without any \
                  other traffic; others on the link only change at which rate it happens"
            .into(),
        location: Location::Path,
        cites: vec![peak.id.clone()],
    })
}
