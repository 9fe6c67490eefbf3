//! What the sender of a direction waited for, over time.
//!
//! The question of T-RAT (Zhang et al. 2002) and of Siekkinen et al. (2005, 2008) is asked of each gap and not of each transfer,
//! as Linux does with its own counters (`tcp_chrono`: busy, receiver's window, send buffer), which serve as referee. The way of
//! an event: `lag` brings it into the order in which the sender saw it, `sender` gives each gap a reason, `round` tells what
//! stood behind a full congestion window, `timeline` keeps the result. Beside these, each in a file of its own, stand the
//! rhythm of the program, slow starts, the reaction to losses, the receiver's acknowledgements, enforced rates and black holes.
//!
//! Three decisions that surprise:
//! - A window that is full while a queue stands is [`Label::Bottleneck`]: a larger one would only queue. Linux counts it as
//!   limited by the receiver; [`Causes::window_limited_ns`] does so too.
//! - At a capture point that is not at the sender a send buffer is never claimed: a queue before the point looks the same.
//! - The mark of a push tells nothing by itself, as Linux sets it on every burst. Only a segment that is pushed and not full
//!   says that the program had written no more.

mod ceiling;
mod control;
mod finding;
mod lag;
mod opening;
mod path_mtu;
mod policing;
mod queue;
mod reasons;
mod receiver;
mod rhythm;
mod round;
mod sender;
mod setting;
mod spacing;
mod timeline;
mod told;
mod tracker;

pub use control::{Control, ControlFamily};
pub use finding::Finding;
pub use opening::{Exit, SlowStartPhase};
pub use path_mtu::PathMtuStalls;
pub use policing::{Policing, Shaping};
pub use queue::QueuePoint;
pub(crate) use reasons::Labelling;
pub use receiver::ReceiverSide;
pub use setting::{Setting, Vantage};
pub use tracker::Tracker;

use serde::Serialize;

/// Why a sender did not send more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// The program gave nothing to send, or wrote in blocks with pauses.
    Application,
    /// The send buffer (or another limit of the sending host) was full.
    SendBuffer,
    /// The receiver's window was full, or closed.
    ReceiverWindow,
    /// The narrowest link was busy: more in flight would only queue.
    Bottleneck,
    /// Losses were being repaired, or the window that a loss had cut grew again.
    LossRecovery,
    /// The congestion window was still opening, without a loss.
    SlowStart,
    /// Full-size segments vanished again and again, and smaller ones did not.
    PathMtuStall,
    /// Nothing was to be sent for long: no data on the way, none came.
    Idle,
    /// Nothing that was captured tells.
    Unknown,
}

impl Label {
    /// All of them, in their order.
    pub const ALL: [Self; 9] = [
        Self::Application,
        Self::SendBuffer,
        Self::ReceiverWindow,
        Self::Bottleneck,
        Self::LossRecovery,
        Self::SlowStart,
        Self::PathMtuStall,
        Self::Idle,
        Self::Unknown,
    ];
}

/// Bytes that were acknowledged under each label, in the order of [`Label::ALL`].
pub type LabelBytes = [u64; Label::ALL.len()];

/// A stretch of a transfer with one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// From, nanoseconds since 1970.
    pub from_ns: i64,
    /// To.
    pub to_ns: i64,
    /// Why no more was sent.
    pub label: Label,
    /// Bytes that were acknowledged meanwhile.
    pub bytes: u64,
}

/// One direction of a connection: its life in intervals, and what was measured along the way.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Causes {
    /// In the order of time, without gaps; neighbours differ. Where there would be more than a thousand, short ones are joined
    /// with the longer neighbour.
    pub intervals: Vec<Interval>,
    /// Time under each label, nanoseconds, exact however many intervals were joined.
    pub shares: Vec<Share>,
    /// Where the capture point lies.
    pub vantage: Vantage,
    /// How long the receiver's window was full, nanoseconds, a queue on the path or not: what Linux counts as
    /// `tcpi_rwnd_limited`. Where a queue stood meanwhile, the label is [`Label::Bottleneck`].
    pub window_limited_ns: i64,
    /// How long data were on the way, or kept from it by a closed window, nanoseconds: nearly what Linux counts as
    /// `tcpi_busy_time`, as what else waits in the send queue is not seen.
    pub busy_ns: i64,
    /// Bytes on the way, mean over time.
    pub mean_flight_bytes: u64,
    /// Most bytes on the way at once.
    pub max_flight_bytes: u64,
    /// Smallest round trip, nanoseconds: behind the capture point, and before it as in the handshake.
    pub min_rtt_ns: Option<i64>,
    /// Rate of the narrowest link, bytes of payload per second, as standing queues or packet trains tell; `None` where the
    /// flow never showed it.
    pub bottleneck_bytes_per_s: Option<f64>,
    /// How long packets queued over time, at most 256 points.
    pub queue: Vec<QueuePoint>,
    /// Blocks and pauses of the writing program, the finest first; empty where there is no rhythm.
    pub rhythm: Vec<WriteLevel>,
    /// Pauses that only the program explains.
    pub pauses: u64,
    /// Times that the congestion window was opened, the first 16.
    pub slow_starts: Vec<SlowStartPhase>,
    /// How the sender reacts to losses.
    pub control: Control,
    /// The sender spaces its segments by a clock and not by acknowledgements.
    pub is_paced: bool,
    /// How the receiver acknowledges.
    pub receiver: ReceiverSide,
    /// Packets over a rate are dropped.
    pub policing: Option<Policing>,
    /// Packets over a rate wait.
    pub shaping: Option<Shaping>,
    /// Full-size segments vanished, and smaller ones did not.
    pub path_mtu: Option<PathMtuStalls>,
    /// What the whole comes to.
    pub finding: Option<Finding>,
}

impl Causes {
    /// Bytes that were acknowledged under each label.
    #[must_use]
    pub fn label_bytes(&self) -> LabelBytes {
        let mut bytes = LabelBytes::default();
        for share in &self.shares {
            if let Some(place) = bytes.get_mut(share.label as usize) {
                *place = share.bytes;
            }
        }
        bytes
    }

    /// Bytes that hang on it.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.intervals.capacity() * size_of::<Interval>()
            + self.shares.capacity() * size_of::<Share>()
            + self.queue.capacity() * size_of::<QueuePoint>()
            + self.rhythm.capacity() * size_of::<WriteLevel>()
            + self.slow_starts.capacity() * size_of::<SlowStartPhase>()
    }
}

/// One level of a write rhythm: blocks, and the pauses between them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WriteLevel {
    /// Bytes between two pauses of this level or longer ones, median.
    pub block_bytes: u64,
    /// Half the distance of their quartiles, relative to the median.
    pub block_spread: f64,
    /// Pause, nanoseconds, median: from the last segment of a block to the first of the next.
    pub pause_ns: i64,
    /// Half the distance of their quartiles, relative to the median.
    pub pause_spread: f64,
    /// Blocks that were looked at.
    pub count: u64,
}

/// How much of a transfer had one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// The reason.
    pub label: Label,
    /// So long, nanoseconds.
    pub time_ns: i64,
    /// Bytes that were acknowledged meanwhile.
    pub bytes: u64,
}
