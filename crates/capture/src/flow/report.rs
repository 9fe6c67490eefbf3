//! What is known of a connection when it has ended, or when the capture has.

use super::slices::Slices;
use crate::FlowKey;
use crate::Way;
use crate::causes::Causes;
use serde::Serialize;

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowReport {
    /// Between whom.
    pub key: FlowKey,
    /// First packet, nanoseconds since 1970.
    pub first_ns: i64,
    /// Last packet.
    pub last_ns: i64,
    /// The direction from the one who opened it; `None` where its beginning was not captured.
    pub opened: Option<Way>,
    /// Its beginning, as far as it was captured.
    pub handshake: Option<Handshake>,
    /// How it ended.
    pub ending: Ending,
    /// Data up, data down: by [`Way::index`].
    pub halves: [HalfReport; 2],
    /// Packets whose time is before that of the packet before them.
    pub clock_went_back: u64,
}

/// How a connection began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handshake {
    /// From the SYN to the SYN-ACK, nanoseconds: the part of the round trip behind the capture point.
    pub syn_to_synack_ns: Option<i64>,
    /// From the SYN-ACK to the ACK: the part before it.
    pub synack_to_ack_ns: Option<i64>,
    /// SYNs that were repeated.
    pub syn_retransmissions: u32,
    /// What was offered, by [`Way::index`] of the sender.
    pub options: [Option<OptionsSeen>; 2],
}

/// Options of a SYN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptionsSeen {
    /// Maximum segment size, bytes.
    pub mss_bytes: Option<u16>,
    /// Window scale.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Time stamps.
    pub timestamps: bool,
    /// ECN asked for or granted (ECE, CWR).
    pub ecn: bool,
    /// Fast Open.
    pub fast_open: bool,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Both sides finished.
    Closed,
    /// Somebody reset it.
    Reset,
    /// The capture ended first.
    Open,
    /// Its place was needed for others: what stands here is partial.
    Evicted,
}

/// The data of one direction, and what answered them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct HalfReport {
    /// Packets, those without data included.
    pub packets: u64,
    /// Packets with data.
    pub data_packets: u64,
    /// Packets with data as a network carries them: those that were captured above segmentation offload count as many as they
    /// were cut into later. What is lost is to be compared with this.
    pub wire_data_packets: u64,
    /// Payload in all packets, bytes, retransmitted ones included.
    pub payload_bytes: u64,
    /// Distinct payload bytes that passed the capture point.
    pub unique_bytes: u64,
    /// Packets with at least one byte that passed before.
    pub retransmitted_packets: u64,
    /// Bytes that passed before, each time that they passed again.
    pub retransmitted_bytes: u64,
    /// Retransmitted packets by cause; those lost before the capture point and seen once included.
    pub fast_retransmissions: u64,
    /// See [`super::RetransmissionCause::Timeout`].
    pub timeouts: u64,
    /// See [`super::RetransmissionCause::TailProbe`].
    pub tail_probes: u64,
    /// Nothing tells why.
    pub unexplained_retransmissions: u64,
    /// Retransmissions of data that had arrived (DSACK, Eifel).
    pub spurious_retransmissions: u64,
    /// Packets lost behind the capture point, as retransmissions of data that passed it tell.
    pub lost_behind: u64,
    /// Packets lost before the capture point, as gaps tell that were filled by retransmissions.
    pub lost_before: u64,
    /// Packets overtaken on the way to the capture point.
    pub reordered: u64,
    /// By so many packets at most (RFC 4737 section 4.2).
    pub reordering_extent: u64,
    /// Packets seen twice: IP identification and time stamp are the same.
    pub duplicated: u64,
    /// Bytes that were acknowledged and that this capture never saw: its own drops.
    pub unseen_bytes: u64,
    /// Packets whose sequence number is farther from the others than any window reaches (RFC 7323: 1 GiB): damaged, or of
    /// another connection. They count as packets only.
    pub misplaced_packets: u64,
    /// Payload larger than the segment size allows: captured above segmentation offload.
    pub offloaded_packets: u64,
    /// Largest payload of a packet, bytes.
    pub largest_payload_bytes: u32,
    /// Duplicate acknowledgements that answered this data.
    pub duplicate_acks: u64,
    /// Acknowledgements that answered this data.
    pub acks: u64,
    /// Zero windows that the receiver told.
    pub zero_windows: u64,
    /// Probes of a closed window.
    pub window_probes: u64,
    /// Keep-alives.
    pub keep_alives: u64,
    /// Largest and smallest window that the receiver told, bytes, the SYN's aside.
    pub window_bytes: Option<(u64, u64)>,
    /// Most bytes on the way at once.
    pub largest_flight_bytes: u64,
    /// Round trips behind the capture point.
    pub rtt: Option<RttStatistics>,
    /// Segments with "congestion experienced" (RFC 3168).
    pub ce_marks: u64,
    /// IP fragments among its packets.
    pub fragmented_packets: u64,
    /// "Too big" messages about its packets: the smallest MTU told, bytes, and how many.
    pub too_big: Option<(u32, u64)>,
    /// First and last data packet, nanoseconds since 1970.
    pub data_ns: Option<(i64, i64)>,
    /// What it carried over time.
    pub slices: Slices,
    /// What the sender waited for, over time; `None` where no data passed.
    pub causes: Option<Causes>,
}

impl HalfReport {
    /// So much of what was acknowledged this capture did not see, 0 to 1. Where it is much, losses and retransmissions are
    /// those of the part that was seen.
    #[must_use]
    pub fn unseen_ratio(&self) -> f64 {
        let all = self.unique_bytes.saturating_add(self.unseen_bytes);
        if all == 0 {
            0.0
        } else {
            self.unseen_bytes as f64 / all as f64
        }
    }
}

/// Round-trip times, nanoseconds, as far as they lie behind the capture point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RttStatistics {
    /// Samples.
    pub count: u64,
    /// Smallest.
    pub min_ns: i64,
    /// Largest.
    pub max_ns: i64,
    /// Mean.
    pub mean_ns: f64,
    /// Median, within a sixteenth.
    pub median_ns: i64,
    /// 95 of 100 are at most this, within a sixteenth.
    pub p95_ns: i64,
}
