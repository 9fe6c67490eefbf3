//! From the state of a half to its report.

use super::half::Half;
use super::report::HalfReport;
use super::tally::Tally;
use crate::causes::Setting;

impl Half {
    /// What is reported of it.
    pub(super) fn report(&mut self, last_ns: i64, setting: impl Fn() -> Setting) -> HalfReport {
        let known = self.known(setting);
        let (causes, slices) = self.followed.finish(last_ns, &known);
        let tally = self.rare.as_ref().map_or_else(Tally::default, |rare| rare.tally);
        HalfReport {
            packets: self.packets,
            data_packets: self.data_packets,
            wire_data_packets: self.data_packets.saturating_add(tally.offloaded_beyond_one),
            payload_bytes: self.payload_bytes,
            unique_bytes: self.unique_bytes(),
            retransmitted_packets: tally.retransmitted_packets,
            retransmitted_bytes: tally.retransmitted_bytes,
            fast_retransmissions: tally.fast,
            timeouts: tally.timeouts,
            tail_probes: tally.tail_probes,
            unexplained_retransmissions: tally.unexplained,
            spurious_retransmissions: tally.spurious,
            lost_behind: tally.resent.saturating_sub(tally.resent_spurious),
            lost_before: tally.lost_before,
            reordered: tally.reordered,
            reordering_extent: tally.reordering_extent,
            duplicated: tally.duplicated,
            unseen_bytes: tally.unseen_bytes,
            misplaced_packets: tally.misplaced,
            offloaded_packets: tally.offloaded_packets,
            largest_payload_bytes: self.largest_payload,
            duplicate_acks: tally.duplicate_acks,
            acks: self.acks,
            zero_windows: tally.zero_windows,
            window_probes: tally.window_probes,
            keep_alives: tally.keep_alives,
            window_bytes: (self.window_range.0 <= self.window_range.1)
                .then(|| (u64::from(self.window_range.1), u64::from(self.window_range.0))),
            largest_flight_bytes: u64::from(self.largest_flight),
            rtt: self.rtt.statistics(),
            ce_marks: tally.ce_marks,
            fragmented_packets: tally.fragmented_packets,
            too_big: (tally.too_big > 0).then_some((tally.too_big_mtu_bytes, tally.too_big)),
            data_ns: (self.data_packets > 0).then_some((self.first_data_ns, self.last_data_ns)),
            slices,
            causes,
        }
    }
}
