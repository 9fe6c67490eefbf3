//! Transfers between other hosts that retransmit segments and are fast all the same.

use crate::facts::Facts;
use crate::records::goes_between;
use crate::records::stalled;
use evidence::{Finding, Location, ObservationId, Quantity, RateBps, RedHerring};

/// Faster than the transfer complained about by this factor: what costs them segments does not cost it its rate.
const FASTER: f64 = 10.0;

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    // Where loss is the cause, retransmissions elsewhere may well be part of it.
    let loss = |finding: &Finding| finding.code.starts_with("LOSS-");
    let (complained, slow) = facts.records.complained(&facts.complaint)?;
    if findings.is_empty() || findings.iter().any(loss) {
        return None;
    }
    let counted = facts
        .records
        .transfers
        .iter()
        .filter(|t| !goes_between(&t.what.from, &t.what.to, &facts.complaint))
        .filter(|t| stalled(&t.what) != Some(true))
        .filter(|t| t.what.retransmits.is_some_and(|again| again > 0))
        .filter_map(|t| Some((t.rate()?, t.id.clone())));
    let said = facts
        .records
        .statements
        .iter()
        .filter(|s| s.what.quantity == Quantity::Rate && speaks_of_retries(&s.what.text))
        .filter(|s| !goes_between(&s.what.from, &s.what.to, &facts.complaint))
        .map(|s| (RateBps(s.what.value), s.id.clone()));
    let mut fast: Vec<(RateBps, ObservationId)> = counted
        .chain(said)
        .filter(|(rate, _)| rate.0 >= FASTER * slow.0)
        .collect();
    fast.sort_by(|(a, a_id), (b, b_id)| a.0.total_cmp(&b.0).then_with(|| a_id.cmp(b_id)));
    let (least, _) = fast.first()?;
    let times = (least.0 / slow.0.max(1.0)).round();
    let mut cites: Vec<ObservationId> = fast.iter().map(|(_, id)| id.clone()).collect();
    cites.push(complained.id.clone());
    Some(RedHerring {
        code: "internal-retries".into(),
        seen: match fast.len() {
            1 => "a transfer between other hosts retransmits segments".into(),
            count => format!("{count} transfers between other hosts retransmit segments"),
        },
        why_not: format!(
            "{least} and more, {times:.0} times what is complained about, go through all the same: that loss is harmless"
        ),
        location: Location::Path,
        cites,
    })
}

fn speaks_of_retries(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("retries") || text.contains("retransmi")
}
