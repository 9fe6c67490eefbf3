//! The segments that a transfer sends, and what they tell of its hosts' interfaces.

use super::intake::Intake;
use crate::records::is_silent;
use evidence::{TcpAccount, Transfer, TransferSide};
use model::{HEADER_BYTES, NodeId, OPTIONS_BYTES};

/// The segments that a transfer sends, bytes: what was asked for; else what its sender says, unless it stood still: then it
/// may have fallen back since, and what its interfaces allow is what it began with.
pub(super) fn segments(
    intake: &Intake,
    transfer: &Transfer,
    (from, to): (NodeId, NodeId),
    stalled: bool,
) -> Option<f64> {
    let mtus = [from, to]
        .into_iter()
        .filter_map(|host| intake.mtus.get(&host).copied());
    let allowed = mtus.reduce(f64::min).map(|mtu| mtu - HEADER_BYTES);
    // What is asked for counts the time stamps that each segment carries (RFC 6691).
    let asked = transfer.mss_bytes.map(|mss| f64::from(mss) - OPTIONS_BYTES);
    let used = mss(transfer).map(f64::from);
    if stalled {
        asked.or(allowed).or(stuck_segment(transfer)).or(used)
    } else {
        asked.or(used).or(allowed)
    }
}

/// The largest segments that a transfer shows its hosts to take, bytes.
pub(super) fn segments_shown(transfer: &Transfer) -> Option<f64> {
    let told = transfer.mss_bytes.or_else(|| mss(transfer)).map(f64::from);
    told.or_else(|| stuck_segment(transfer))
}

/// The window of a connection that stands still: one segment (RFC 5681 section 3.1), where it is no multiple of what
/// Ethernet carries.
fn stuck_segment(transfer: &Transfer) -> Option<f64> {
    const ETHERNET: std::ops::RangeInclusive<f64> = 1380.0..=1460.0;
    const JUMBO: f64 = 9_200.0;
    let silent = transfer.intervals.iter().filter(|slice| is_silent(slice));
    let stuck = silent
        .filter_map(|slice| slice.cwnd_bytes)
        .filter(|bytes| *bytes > 0)
        .max()? as f64;
    let usual = (1..=6).any(|segments| ETHERNET.contains(&(stuck / f64::from(segments))));
    (!usual && stuck <= JUMBO).then_some(stuck)
}

pub(crate) fn mss(transfer: &Transfer) -> Option<u32> {
    let used = accounts(transfer.sender.as_ref())
        .iter()
        .filter_map(|a| a.send_mss_bytes)
        .max();
    transfer.mss_bytes.or(used).filter(|mss| *mss > 0)
}

/// What TCP itself counted at one side.
pub(super) fn accounts(side: Option<&TransferSide>) -> &[TcpAccount] {
    side.map_or(&[], |side| &side.accounts)
}
