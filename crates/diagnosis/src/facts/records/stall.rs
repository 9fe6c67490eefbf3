//! The shape that a black hole gives a transfer: full-size segments vanish, nothing moves for seconds while the
//! retransmission timer backs off, then the sender falls back to small segments (RFC 4821) and starts anew.

use super::{Recorded, Records};
use evidence::{ObservationId, RateBps, Transfer, TransferInterval};

/// A transfer that stood still early and then grew from next to nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stall {
    /// Seconds without any data.
    pub(crate) silent_s: f64,
    /// Segments sent again up to the end of the silence.
    pub(crate) retransmits: u64,
    /// The window while it stood still, bytes: one or two full-size segments.
    pub(crate) stuck_cwnd_bytes: u64,
    /// The smallest window later, bytes: under the former, a segment got smaller.
    pub(crate) least_cwnd_bytes: u64,
    /// The window at the end, bytes.
    pub(crate) last_cwnd_bytes: u64,
    /// The rate of the last slice.
    pub(crate) last_rate: RateBps,
    pub(crate) id: ObservationId,
}

/// A stall shorter than this is a retransmission timeout or two, which plain loss makes too.
const LEAST_SILENT_INTERVALS: usize = 2;
const LEAST_SILENT_S: f64 = 2.0;
/// A window of at most two jumbo segments: with more, acknowledgements must have come.
const STUCK_CWND_BYTES: u64 = 18_500;
/// The window at the end over the smallest: slow start at work.
const GREW: u64 = 8;

impl Stall {
    /// The stall of one transfer, if it has that shape.
    pub(crate) fn of(record: &Recorded<Transfer>) -> Option<Self> {
        let all = record.what.intervals.as_slice();
        let first = all.iter().position(is_silent)?;
        let silent: Vec<&TransferInterval> = all.iter().skip(first).take_while(|s| is_silent(s)).collect();
        let end = first + silent.len();
        let later = all.get(end..).filter(|later| later.len() >= 2)?;
        let silent_s = silent.iter().map(|s| s.length_ns as f64 / 1e9).sum::<f64>();
        // Early: a stall in the middle of a running transfer has another cause.
        if silent.len() < LEAST_SILENT_INTERVALS || silent_s < LEAST_SILENT_S || first > all.len() / 4 {
            return None;
        }
        let cwnd =
            |slices: &[TransferInterval]| slices.iter().filter_map(|s| s.cwnd_bytes).collect::<Vec<u64>>();
        let stuck = cwnd(all.get(..end)?).into_iter().max()?;
        let least_cwnd_bytes = cwnd(all.get(first..)?).into_iter().min()?;
        let last = later.last()?;
        let found = Self {
            silent_s,
            retransmits: sum_retransmits(all.get(..=end)?),
            stuck_cwnd_bytes: stuck,
            least_cwnd_bytes,
            last_cwnd_bytes: last.cwnd_bytes?,
            last_rate: last.rate()?,
            id: record.id.clone(),
        };
        let grows = found.last_cwnd_bytes >= found.least_cwnd_bytes.max(1).saturating_mul(GREW)
            && later
                .first()
                .and_then(TransferInterval::rate)
                .is_some_and(|rate| rate.0 < found.last_rate.0);
        (stuck <= STUCK_CWND_BYTES && grows && found.retransmits > 0).then_some(found)
    }

    /// Whether the window fell below what was one or two segments before: they are smaller now.
    pub(crate) fn segments_shrank(&self) -> bool {
        self.least_cwnd_bytes < self.stuck_cwnd_bytes
    }

    /// "stood still for 4 s with a window of 9 kB …"
    pub(crate) fn words(&self) -> String {
        let smaller = if self.segments_shrank() {
            format!(" (at least {} bytes, smaller segments)", self.least_cwnd_bytes)
        } else {
            String::new()
        };
        format!(
            "stood still for {:.0} s with a window of {} bytes and {} segments sent again, then grew anew{smaller} to {}",
            self.silent_s, self.stuck_cwnd_bytes, self.retransmits, self.last_rate
        )
    }
}

fn is_silent(slice: &TransferInterval) -> bool {
    slice.length_ns > 0 && slice.rate().is_some_and(|rate| rate.0 <= 0.0)
}

fn sum_retransmits(slices: &[TransferInterval]) -> u64 {
    slices
        .iter()
        .filter_map(|slice| slice.retransmits)
        .fold(0, u64::saturating_add)
}

impl Records {
    /// The transfers that stalled and grew anew, with their stalls.
    pub(crate) fn stalls(&self) -> impl Iterator<Item = (&Recorded<Transfer>, Stall)> {
        self.transfers.iter().filter_map(|t| Some((t, Stall::of(t)?)))
    }
}
