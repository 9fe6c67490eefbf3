//! A transfer without its beginning (`-O`): what TCP does until it has found its rate is left out of the result.

use evidence::{Observation, Payload, RateBps, Transfer, TransferInterval};

const SECOND_NS: u64 = 1_000_000_000;

/// Leaves the first `seconds` out. What the kernels account stays that of the whole, and the note says so.
pub(super) fn beginning(observation: &mut Observation, seconds: u32) {
    if let (Payload::Transfer(transfer), 1..) = (&mut observation.payload, seconds) {
        without(transfer, u64::from(seconds) * SECOND_NS);
        let told = format!(
            "the first {seconds} s are left out of rates and intervals; kernel counters are of the whole"
        );
        transfer.note = Some(match transfer.note.take() {
            Some(note) => format!("{note}; {told}"),
            None => told,
        });
    }
}

fn without(transfer: &mut Transfer, omit_ns: u64) {
    transfer.intervals.retain(|interval| interval.start_ns >= omit_ns);
    let begin_ns = transfer.intervals.first().map_or(0, |interval| interval.start_ns);
    for interval in &mut transfer.intervals {
        interval.start_ns -= begin_ns;
    }
    let length_ns = transfer.intervals.iter().map(|interval| interval.length_ns).sum();
    let packets = sum(transfer, |interval| interval.packets_received);
    let size = transfer.packet_size_bytes.map(u64::from);
    transfer.bytes_received = sum(transfer, |interval| interval.bytes_received)
        .or_else(|| sum(transfer, |interval| interval.bytes_acked))
        .or(packets
            .zip(size)
            .map(|(packets, size)| packets.saturating_mul(size)));
    transfer.duration_ns = Some(length_ns);
    let rate = |bytes| RateBps::of_bytes(bytes, length_ns);
    transfer.received_bps = transfer.bytes_received.and_then(rate);
    // Of the whole, and so of another time than the rates.
    transfer.sent_bps = None;
    if packets.is_some() {
        let lost: Option<i64> = transfer
            .intervals
            .iter()
            .map(|interval| interval.packets_lost)
            .sum();
        transfer.packets_received = packets;
        transfer.packets_lost = lost.map(|lost| u64::try_from(lost).unwrap_or(0));
        transfer.packets_sent = packets.zip(transfer.packets_lost).map(|(came, lost)| came + lost);
        // Numbered from the beginning.
        transfer.loss_runs.clear();
    }
}

/// Over all intervals; `None` unless all tell.
fn sum(transfer: &Transfer, of: fn(&TransferInterval) -> Option<u64>) -> Option<u64> {
    let all: Option<Vec<u64>> = transfer.intervals.iter().map(of).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(figures: impl Fn(u64) -> TransferInterval) -> Transfer {
        let interval = |n: u64| TransferInterval {
            start_ns: n * SECOND_NS / 2,
            length_ns: SECOND_NS / 2,
            ..figures(n)
        };
        Transfer {
            intervals: (0..6).map(interval).collect(),
            packet_size_bytes: Some(1_000),
            bytes_received: Some(999),
            ..Transfer::default()
        }
    }

    #[test]
    fn the_beginning_of_a_tcp_transfer_counts_for_nothing() {
        let mut transfer = slices(|n| TransferInterval {
            bytes_received: Some(if n < 2 { 1 } else { 1_000_000 }),
            ..TransferInterval::default()
        });
        without(&mut transfer, SECOND_NS);
        assert_eq!(
            (transfer.bytes_received, transfer.duration_ns),
            (Some(4_000_000), Some(2 * SECOND_NS))
        );
        assert_eq!(transfer.received_bps, Some(RateBps(16e6)));
        assert_eq!(transfer.intervals[0].start_ns, 0);
    }

    #[test]
    fn the_beginning_of_a_udp_stream_has_its_losses_with_it() {
        let mut transfer = slices(|n| TransferInterval {
            packets_received: Some(100),
            packets_lost: Some(if n == 0 { 50 } else { 1 }),
            ..TransferInterval::default()
        });
        without(&mut transfer, SECOND_NS);
        assert_eq!(
            (
                transfer.packets_sent,
                transfer.packets_received,
                transfer.packets_lost
            ),
            (Some(404), Some(400), Some(4))
        );
        assert_eq!(transfer.received_bps, Some(RateBps(1.6e6)));
    }

    #[test]
    fn a_transfer_that_was_over_before_has_no_rate() {
        let mut transfer = slices(|_| TransferInterval::default());
        without(&mut transfer, 9 * SECOND_NS);
        assert_eq!((transfer.received_bps, transfer.bytes_received), (None, None));
    }
}
