//! Pings that must be fragmented fail, and the slow transfer never fragments: those over an Ethernet frame leave the host in
//! two pieces, or are cut by a router on the way.

use crate::facts::Facts;
use crate::faults::words;
use crate::records::end_of;
use evidence::{Finding, Location, ObservationId, ProbeRow, Probes, RedHerring, Way};
use std::collections::BTreeSet;

/// Larger packets do not leave a host in one piece, unless it tells that its interface takes them.
const WHOLE_BYTES: u32 = 1_500;
/// With fewer pings, silence is chance.
const LEAST_PINGS: u64 = 2;
/// Up to this share answered is "lost".
const LOST: f64 = 0.05;

/// Pings of one size from one place to one end, hardly any of them answered.
struct Lost<'a> {
    size_bytes: u32,
    sent: u64,
    received: u64,
    /// The largest whole packet from there that is answered.
    small_bytes: u32,
    row: &'a ProbeRow,
    id: &'a ObservationId,
}

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Option<RedHerring> {
    // Where a packet size is what matters, it is no herring.
    if findings.iter().any(|finding| finding.code.starts_with("MTU-")) {
        return None;
    }
    let (complained, _) = facts.records.complained(&facts.complaint)?;
    let lost: Vec<Lost<'_>> = lost(facts).collect();
    let small = lost.iter().map(|pings| pings.small_bytes).max()?;
    let sizes = lost.iter().map(|pings| pings.size_bytes);
    let (least, most) = (sizes.clone().min()?, sizes.max()?);
    let total = |count: fn(&Lost<'_>) -> u64| lost.iter().fold(0_u64, |sum, p| sum.saturating_add(count(p)));
    let sent = total(|p| p.sent);
    let size = if least == most {
        format!("{least}")
    } else {
        format!("{least} to {most}")
    };
    let cites: BTreeSet<&ObservationId> = lost
        .iter()
        .map(|pings| pings.id)
        .chain([&complained.id])
        .collect();
    Some(RedHerring {
        code: "fragmented-pings".into(),
        seen: format!(
            "{} of {} pings of {size} bytes to the ends are unanswered, those of {small} bytes pass",
            words::count(sent.saturating_sub(total(|p| p.received))),
            words::count(sent)
        ),
        why_not: format!(
            "such a ping travels in two fragments, and the slow transfer has none: TCP chooses segments that fit{}",
            remarks(&lost)
        ),
        location: Location::Path,
        cites: cites.into_iter().cloned().collect(),
    })
}

fn lost(facts: &Facts) -> impl Iterator<Item = Lost<'_>> {
    let records = facts.records.probes.iter();
    let rows = records.flat_map(|probes| probes.what.rows.iter().map(move |row| (probes, row)));
    rows.filter_map(|(probes, row)| {
        end_of(&row.to, &facts.complaint).filter(|_| row.way == Way::RoundTrip)?;
        let whole = probes.what.interface_mtu_bytes.unwrap_or(WHOLE_BYTES);
        // What a router refuses with its MTU was sent whole.
        let refused = row.errors.iter().any(|error| error.mtu_bytes.is_some());
        let size_bytes = row.size_bytes.filter(|size| *size > whole && !refused)?;
        let (sent, received) = counts(row)?;
        let few = sent >= LEAST_PINGS && received as f64 <= LOST * sent as f64;
        Some(Lost {
            size_bytes,
            sent,
            received,
            small_bytes: largest_answered(facts, &probes.what, row).filter(|_| few)?,
            row,
            id: &probes.id,
        })
    })
}

/// The largest whole packet that was answered, of pings from the same place to the same end.
fn largest_answered(facts: &Facts, large: &Probes, to: &ProbeRow) -> Option<u32> {
    let end = |row: &ProbeRow| end_of(&row.to, &facts.complaint);
    let same = facts
        .records
        .probes
        .iter()
        .filter(|probes| probes.what.from == large.from);
    let rows = same
        .flat_map(|probes| &probes.what.rows)
        .filter(|row| end(row) == end(to));
    rows.filter(|row| counts(row).is_some_and(|(sent, received)| 2 * received > sent))
        .filter_map(|row| row.size_bytes.filter(|size| *size <= WHOLE_BYTES))
        .max()
}

/// Sent and received; from the share where only that is printed beside the number sent.
pub(super) fn counts(row: &ProbeRow) -> Option<(u64, u64)> {
    let sent = row.sent.filter(|sent| *sent > 0)?;
    let by_share = || {
        let share = row.loss_ratio.filter(|loss| (0.0..=1.0).contains(loss))?;
        Some((share * sent as f64).round() as u64)
    };
    let lost = row.count_lost().or_else(by_share)?;
    Some((sent, sent.saturating_sub(lost)))
}

fn remarks(lost: &[Lost<'_>]) -> String {
    let mut remarks = String::new();
    if lost.iter().any(|pings| pings.row.dont_fragment == Some(true)) {
        remarks += "; some senders set \"don't fragment\" on the pieces, which no router may cut again";
    }
    // "Fragment reassembly time exceeded" (RFC 792 type 11 code 1): some pieces arrived, others did not.
    let in_pieces = |pings: &Lost<'_>| {
        let mut errors = pings.row.errors.iter();
        errors.any(|error| error.text.to_ascii_lowercase().contains("reassembl"))
    };
    if lost.iter().any(in_pieces) {
        remarks += "; some pieces arrive (\"reassembly time exceeded\"): loss of one of two packets back to back does the same";
    }
    remarks
}
