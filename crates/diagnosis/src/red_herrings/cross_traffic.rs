//! Cross traffic as the only explanation of a rate that breaks down again and again.

use crate::facts::Facts;
use crate::facts::records::step_down::StepDown;
use evidence::{Explains, Finding, Location, Quantity, RateBps, RedHerring};

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    let overflow = |f: &&Finding| f.code == "LOSS-004" && f.explains == Explains::Yes;
    findings.iter().find(overflow)?;
    let step = StepDown::of(facts)?;
    let peaks = facts.records.stated(Quantity::PeakRate, &facts.complaint);
    let peak = peaks.last().filter(|peak| peak.value < 0.9 * step.capacity().0)?;
    Some(RedHerring {
        code: "cross-traffic".into(),
        seen: format!(
            "the rate breaks down at {} and below, where the link carries {}, as if others took the rest",
            RateBps(peak.value),
            step.capacity()
        ),
        why_not: "the overflow of the queue in slow start predicts the time of the first loss and the mean rate without any \
                  other traffic; others on the link only change at which rate it happens"
            .into(),
        location: Location::Path,
        cites: vec![peak.id.clone()],
    })
}
