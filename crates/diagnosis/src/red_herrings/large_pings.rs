//! What becomes of packets that must be fragmented, as pings of other tools show it: those over an Ethernet frame leave
//! the host in two pieces, or are cut by a router on the way.

use crate::facts::ends::end_of;
use crate::facts::round::Records;
use evidence::{Complaint, End, Node, ObservationId, ProbeRow, Probes, Way};

/// Larger packets do not leave a host in one piece, unless it tells that its interface takes them.
const WHOLE_BYTES: u32 = 1_500;
/// With fewer pings, silence is chance.
const LEAST_PINGS: u64 = 2;
/// Up to this share answered is "lost".
const LOST: f64 = 0.05;

/// Pings of one size from one place to one end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LargePings {
    /// Where from; unknown where no record tells.
    pub(crate) from: Node,
    pub(crate) to: End,
    pub(crate) size_bytes: u32,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Whether routers may fragment them; `None` where the record does not tell.
    pub(crate) may_fragment: Option<bool>,
    /// "Fragment reassembly time exceeded" (RFC 792 type 11 code 1): some pieces arrived, others did not.
    pub(crate) reassembly_failed: u64,
    /// The largest size from there that is answered, at most [`WHOLE_BYTES`].
    pub(crate) small_bytes: Option<u32>,
    pub(crate) id: ObservationId,
}

impl LargePings {
    fn share(&self) -> f64 {
        self.received as f64 / self.sent.max(1) as f64
    }

    /// Hardly any is answered, and small ones are.
    pub(crate) fn are_lost(&self) -> bool {
        self.sent >= LEAST_PINGS && self.share() <= LOST && self.small_bytes.is_some()
    }
}

/// All large pings to the ends, in a stable order.
pub(crate) fn large_pings(records: &Records, complaint: &Complaint) -> Vec<LargePings> {
    let mut found: Vec<LargePings> = records
        .probes
        .iter()
        .flat_map(|probes| probes.what.rows.iter().map(move |row| (probes, row)))
        .filter_map(|(probes, row)| {
            let to = end_of(&row.to, complaint).filter(|_| row.way == Way::RoundTrip)?;
            let size_bytes = row.size_bytes.filter(|size| *size > whole_bytes(&probes.what))?;
            let (sent, received) = counts(row)?;
            Some(LargePings {
                from: probes.what.from.clone(),
                to,
                size_bytes,
                sent,
                received,
                may_fragment: row.dont_fragment.map(|whole| !whole),
                reassembly_failed: reassembly_failed(row),
                small_bytes: largest_answered(records, &probes.what, to, complaint),
                id: probes.id.clone(),
            })
        })
        .collect();
    found.sort_by(|a, b| (a.to, a.size_bytes, &a.from, &a.id).cmp(&(b.to, b.size_bytes, &b.from, &b.id)));
    found
}

fn whole_bytes(probes: &Probes) -> u32 {
    probes.interface_mtu_bytes.unwrap_or(WHOLE_BYTES)
}

/// Sent and received; from the share where only that is printed beside the number sent.
pub(crate) fn counts(row: &ProbeRow) -> Option<(u64, u64)> {
    let sent = row.sent.filter(|sent| *sent > 0)?;
    let by_share = || {
        let share = row.loss_ratio.filter(|loss| (0.0..=1.0).contains(loss))?;
        Some((share * sent as f64).round() as u64)
    };
    let lost = row.count_lost().or_else(by_share)?;
    Some((sent, sent.saturating_sub(lost)))
}

fn reassembly_failed(row: &ProbeRow) -> u64 {
    let is_it = |text: &str| text.to_ascii_lowercase().contains("reassembl");
    let errors = row.errors.iter().filter(|error| is_it(&error.text));
    errors.fold(0, |sum, error| error.count.max(1).saturating_add(sum))
}

/// The largest whole packet that was answered, of pings from the same place to the same end.
fn largest_answered(records: &Records, large: &Probes, to: End, complaint: &Complaint) -> Option<u32> {
    records
        .probes
        .iter()
        .filter(|probes| probes.what.from == large.from)
        .flat_map(|probes| &probes.what.rows)
        .filter(|row| end_of(&row.to, complaint) == Some(to))
        .filter(|row| counts(row).is_some_and(|(sent, received)| 2 * received > sent))
        .filter_map(|row| row.size_bytes.filter(|size| *size <= WHOLE_BYTES))
        .max()
}
