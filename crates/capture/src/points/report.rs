//! What the comparison of several captures says.

use super::Way;
use crate::FlowKey;
use serde::Serialize;

/// What several captures saw of one connection, stretch by stretch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The capture points, in the order in which they were given.
    pub points: Vec<PointReport>,
    /// Places in `points` in the order of the path: from the side of the sender of [`Way::Up`] (by the key of the first
    /// point) to its receiver. Only points that saw this connection.
    pub path: Vec<usize>,
    /// How the order was found.
    pub order: OrderSource,
    /// From each point of the path to the next.
    pub stretches: Vec<StretchReport>,
    /// The clock of the far point of each stretch against that of the near one.
    pub clocks: Vec<ClockReport>,
    /// What was not the same behind a stretch as before it.
    pub changes: Vec<Change>,
    /// What stood in the way of the comparison.
    pub complaints: Vec<Complaint>,
}

/// How the order of the points was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderSource {
    /// The user told it; which end is which was seen in the packets.
    Told,
    /// Each router takes one from the time to live.
    TimeToLive,
    /// A point that is nearer to who answers waits less for the answer.
    Delay,
    /// Nothing tells: the order in which the points were given.
    Assumed,
}

/// One capture point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointReport {
    /// Its name.
    pub name: String,
    /// The connection as this point sees it.
    pub key: Option<FlowKey>,
    /// What this point's packets have to do with those of the first.
    pub relation: Relation,
    /// Packets that were compared.
    pub packets: u64,
    /// Packets that passed this point, as others show, and that its capture does not hold. Data packets and others.
    pub missed_packets: u64,
    /// Packets twice in this capture (identification and time stamp are the same), that no other point has twice.
    pub repeated_records: u64,
    /// Packets with "don't fragment", by [`Way::index`].
    pub dont_fragment_packets: [u64; 2],
    /// Packets in fragments, by [`Way::index`].
    pub fragmented_packets: [u64; 2],
    /// Segments larger than the packets of the path: captured above segmentation offload. By [`Way::index`].
    pub offloaded_packets: [u64; 2],
    /// First and last packet, nanoseconds since 1970 by this point's clock.
    pub seen_ns: Option<(i64, i64)>,
}

/// What the packets of a point have to do with those of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Relation {
    /// It is the first, or its sequence numbers are the same.
    Same,
    /// The same segments with shifted sequence numbers (a firewall that randomises them), by [`Way::index`].
    Shifted {
        /// This point's numbers less those of the first point, modulo 2^32.
        by: [u32; 2],
    },
    /// The same bytes in segments of another connection: something between ends one and opens another.
    Proxied,
    /// No packet of one is known at the other.
    Unrelated,
    /// It has no packets.
    Empty,
}

/// From one point to the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StretchReport {
    /// The near end: a place in [`ComparisonReport::points`].
    pub from: usize,
    /// The far end.
    pub to: usize,
    /// From `from` to `to`, and back.
    pub directions: [DirectionReport; 2],
}

/// One direction of a stretch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionReport {
    /// Where packets enter it.
    pub from: usize,
    /// Where they leave it.
    pub to: usize,
    /// The direction by the key of the first point.
    pub way: Way,
    /// Packets with data, a SYN or a FIN. A segment that offload joined counts as the packets that the wire carries.
    pub data: PacketCounts,
    /// Packets without (acknowledgements, resets).
    pub bare: PacketCounts,
    /// The lost packets, in about the order of time; the first of them where there are more than was asked for.
    pub losses: Vec<Loss>,
    /// Runs of packets that were lost one behind the other.
    pub bursts: Bursts,
    /// Packets by their size, smallest first.
    pub sizes: Vec<SizeClass>,
    /// Largest IP packet that passed, bytes.
    pub largest_passed_bytes: u32,
    /// Smallest IP packet that was lost, bytes.
    pub smallest_lost_bytes: Option<u32>,
    /// Packets overtaken on the stretch.
    pub reordering: Reordering,
    /// Time on the way; `None` where no packet was seen at both ends.
    pub delay: Option<DelayReport>,
}

/// What became of packets on a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PacketCounts {
    /// Seen where the stretch begins.
    pub sent: u64,
    /// Of those, seen where it ends.
    pub arrived: u64,
    /// Of those, lost on the stretch.
    pub lost: u64,
    /// Of those, not seen where it ends although they passed there: seen behind it, or acknowledged without another copy.
    pub missed_by_to: u64,
    /// Seen where the stretch ends, and not where it begins although they passed there.
    pub missed_by_from: u64,
    /// Copies that the stretch made.
    pub duplicated: u64,
    /// Copies of a packet that entered it and did not leave it: made by the capture, or lost.
    pub repeated_at_from: u64,
    /// Seen at one end while the other end's capture had not begun, or was over.
    pub outside: u64,
}

/// A packet, or several that stood in one segment, lost on a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// When it entered the stretch, nanoseconds since 1970 by the clock there.
    pub time_ns: i64,
    /// Sequence number of its first byte as it was there.
    pub seq: u32,
    /// Sequence space that it takes; 0 of an acknowledgement.
    pub length_bytes: u32,
    /// So many packets.
    pub packets: u32,
    /// One of them, bytes with its IP header.
    pub ip_bytes: u32,
}

/// Runs of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Bursts {
    /// Runs, those of a single packet included.
    pub runs: u64,
    /// Runs of a single packet.
    pub single: u64,
    /// Packets in the longest.
    pub longest_packets: u64,
}

/// Packets up to a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SizeClass {
    /// IP packet, bytes, at most.
    pub up_to_bytes: u32,
    /// So many entered the stretch.
    pub sent: u64,
    /// So many of them were lost.
    pub lost: u64,
}

/// Packets that others overtook (RFC 4737), among those that were seen at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Reordering {
    /// Packets that came behind one that was sent after them (section 3).
    pub reordered: u64,
    /// The largest extent: so many packets behind the first that overtook them (section 4.2).
    pub extent_packets: u64,
}

/// One-way delay of a stretch and direction, offset and drift of the clocks removed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DelayReport {
    /// Packets that were timed.
    pub count: u64,
    /// Smallest delay, nanoseconds: half of the smallest round trip between the points, as if both ways were equally long.
    /// Off by [`ClockPiece::bound_ns`] at most. `None` where the offset is not known.
    pub min_ns: Option<i64>,
    /// Half of the packets took at most so much more than the smallest delay, nanoseconds.
    pub above_min_median_ns: i64,
    /// 95 of 100.
    pub above_min_p95_ns: i64,
    /// All.
    pub above_min_max_ns: i64,
    /// Over time, at most 128 slices; those without packets are left out.
    pub over_time: Vec<DelaySlice>,
}

/// Delays within a slice of time, above the smallest of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DelaySlice {
    /// Its beginning, nanoseconds since 1970 by the clock where the stretch begins.
    pub from_ns: i64,
    /// The smallest.
    pub min_ns: i64,
    /// The median.
    pub median_ns: i64,
    /// The largest.
    pub max_ns: i64,
}

/// The clock at the far end of a stretch against that at its near end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClockReport {
    /// The near end.
    pub from: usize,
    /// The far end.
    pub to: usize,
    /// Pieces between steps of a clock; one where there was no step.
    pub pieces: Vec<ClockPiece>,
    /// Steps.
    pub steps: Vec<ClockStep>,
}

/// A time without a step of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClockPiece {
    /// First packet, nanoseconds since 1970 by the near clock.
    pub from_ns: i64,
    /// Last packet.
    pub to_ns: i64,
    /// The time that the offset holds for: the middle.
    pub at_ns: i64,
    /// Far clock less near clock, nanoseconds, as if the smallest delays of both ways were equal. `None` where only one way
    /// was seen, or where no line lies between the delays of both ways: then the clocks did not run evenly.
    pub offset_ns: Option<i64>,
    /// The offset is within this of the truth, whatever the two ways share of the round trip: half of the smallest round trip
    /// between the points. Drift within its bound.
    pub bound_ns: Option<i64>,
    /// The far clock gains so many millionths; `None` where too short a time was seen to tell.
    pub drift_ppm: Option<f64>,
    /// Drifts outside of these two would let packets arrive before they were sent.
    pub drift_possible_ppm: Option<(f64, f64)>,
}

/// A clock was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClockStep {
    /// When at the latest, nanoseconds since 1970 by the near clock.
    pub at_ns: i64,
    /// The far clock was set forward by so much against the near one, nanoseconds. Which of them was set cannot be told.
    pub by_ns: i64,
}

/// Something was changed on a stretch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Where the packets entered.
    pub from: usize,
    /// Where they left.
    pub to: usize,
    /// The direction of the packets, by the key of the first point.
    pub way: Way,
    /// What.
    pub what: ChangeKind,
    /// In so many packets.
    pub packets: u64,
    /// Of so many in which it could be seen.
    pub of_packets: u64,
}

/// What was changed. `from` is the value where the stretch begins, `to` where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "field")]
pub enum ChangeKind {
    /// Addresses or ports are others behind it.
    AddressesTranslated,
    /// Sequence numbers are shifted by this, modulo 2^32.
    SequenceShifted {
        /// Behind less before.
        by: u32,
    },
    /// SACK blocks were not shifted along with the sequence numbers: the sender cannot use them.
    SackNotShifted,
    /// Time stamps are shifted, or made anew.
    TimestampsRewritten,
    /// Maximum segment size of a SYN, bytes.
    Mss {
        /// Before; `None`: absent.
        from: Option<u16>,
        /// Behind.
        to: Option<u16>,
    },
    /// Window scale of a SYN.
    WindowScale {
        /// Before.
        from: Option<u8>,
        /// Behind.
        to: Option<u8>,
    },
    /// SACK permitted, of a SYN.
    SackPermitted {
        /// Before.
        from: bool,
        /// Behind.
        to: bool,
    },
    /// Time stamps of a SYN.
    Timestamps {
        /// Before.
        from: bool,
        /// Behind.
        to: bool,
    },
    /// The time to live, or hop limit, fell by so many hops.
    Hops {
        /// So many routers; negative where it was raised.
        count: i16,
    },
    /// DSCP.
    Dscp {
        /// Before.
        from: u8,
        /// Behind.
        to: u8,
    },
    /// ECN field (RFC 3168: 0 not ECT, 1 and 2 ECT, 3 CE). A router that marks congestion changes 1 or 2 to 3 rightly.
    Ecn {
        /// Before.
        from: u8,
        /// Behind.
        to: u8,
    },
    /// "Don't fragment" was taken away.
    DontFragmentCleared,
    /// "Don't fragment" was set.
    DontFragmentSet,
    /// Whole packets came in fragments.
    Fragmented,
    /// Fragments came as whole packets.
    Reassembled,
    /// The window in the header.
    WindowRewritten,
    /// IPv4 identification.
    IdentificationRewritten,
    /// TCP flags.
    FlagsRewritten,
}

/// What stood in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Complaint {
    /// More points than this crate compares.
    TooManyPoints {
        /// So many were left out.
        left_out: usize,
    },
    /// The packets waiting for their like at other points were more than the window holds: so many were judged early.
    WindowTooSmall {
        /// Packets.
        packets: u64,
    },
    /// Packets before any that two points share.
    BeforeCommon {
        /// The point that has them.
        point: usize,
        /// So many.
        packets: u64,
    },
    /// Nothing told which end of the path a point is nearer to.
    OrderUnknown,
    /// The order that the user told contradicts the packets.
    OrderContradicted,
    /// Losses were more than are listed; the counts hold all.
    LossesNotListed {
        /// Place in [`ComparisonReport::stretches`].
        stretch: usize,
        /// So many are not listed.
        losses: u64,
    },
    /// Most acknowledgements that leave a stretch did not enter it: something on it answers for the receiver.
    AnsweredBetween {
        /// Place in [`ComparisonReport::stretches`].
        stretch: usize,
        /// Their direction.
        way: Way,
        /// So many.
        packets: u64,
    },
}
