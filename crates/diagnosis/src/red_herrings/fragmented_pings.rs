//! Pings that must be fragmented fail, and the slow transfer never fragments.

use super::large_pings::{LargePings, large_pings};
use crate::facts::Facts;
use crate::faults::words;
use evidence::{Finding, Location, ObservationId, RedHerring};

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    // Where a packet size is what matters, it is no herring.
    if findings.iter().any(|finding| finding.code.starts_with("MTU-")) {
        return None;
    }
    let (complained, _) = facts.records.complained(&facts.complaint)?;
    let all = large_pings(&facts.records, &facts.complaint);
    let lost: Vec<&LargePings> = all.iter().filter(|pings| pings.are_lost()).collect();
    let small = lost.iter().filter_map(|pings| pings.small_bytes).max()?;
    let sizes = lost.iter().map(|pings| pings.size_bytes);
    let (least, most) = (sizes.clone().min()?, sizes.max()?);
    let total =
        |count: fn(&LargePings) -> u64| lost.iter().fold(0_u64, |sum, p| sum.saturating_add(count(p)));
    let sent = total(|p| p.sent);
    let size = if least == most {
        format!("{least}")
    } else {
        format!("{least} to {most}")
    };
    let mut cites: Vec<ObservationId> = lost.iter().map(|pings| pings.id.clone()).collect();
    cites.push(complained.id.clone());
    cites.sort();
    cites.dedup();
    Some(RedHerring {
        code: "fragmented-pings".into(),
        seen: format!(
            "{} of {} pings of {size} bytes to the ends are unanswered, those of {small} bytes pass",
            words::thousands(sent.saturating_sub(total(|p| p.received))),
            words::thousands(sent)
        ),
        why_not: format!(
            "such a ping travels in two fragments, and the slow transfer has none: TCP chooses segments that fit{}",
            remarks(&lost)
        ),
        location: Location::Path,
        cites,
    })
}

fn remarks(lost: &[&LargePings]) -> String {
    let mut remarks = String::new();
    if lost.iter().any(|pings| pings.may_fragment == Some(false)) {
        remarks += "; some senders set \"don't fragment\" on the pieces, which no router may cut again";
    }
    if lost.iter().any(|pings| pings.reassembly_failed > 0) {
        remarks += "; some pieces arrive (\"reassembly time exceeded\"): loss of one of two packets back to back does the same";
    }
    remarks
}
