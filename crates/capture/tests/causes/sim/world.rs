//! What is simulated: the path, the sender and its program, the receiver, and where the capture is taken.

pub(crate) const MS: i64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Control {
    Reno,
    Cubic,
    /// Paced at the rate of the bottleneck, with gains; deaf to loss.
    Bbr,
}

#[derive(Debug, Clone)]
pub(crate) enum Program {
    Bulk,
    /// Writes so many bytes, then pauses so long, at several scales: (block bytes, pause ns), the smallest first.
    Blocks(Vec<(u64, i64)>),
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) rtt: i64,
    /// Part of the one-way path that lies before the capture point.
    pub(crate) point: f64,
    /// The bottleneck lies before the capture point.
    pub(crate) queue_before: bool,
    pub(crate) rate_bps: f64,
    pub(crate) line_bps: f64,
    pub(crate) buffer: u64,
    pub(crate) mss: u64,
    /// Segments taken together by segmentation offload, as the capture at the sender sees them.
    pub(crate) offload: u64,
    pub(crate) control: Control,
    pub(crate) hystart: bool,
    pub(crate) paced: bool,
    pub(crate) program: Program,
    pub(crate) send_buffer: u64,
    pub(crate) window: u64,
    /// The receiving program reads so fast.
    pub(crate) reads_bps: Option<f64>,
    pub(crate) loss: f64,
    /// Token bucket that drops: rate, depth in bytes.
    pub(crate) policer: Option<(f64, f64)>,
    /// Packets with more payload vanish, from then on.
    pub(crate) hole: Option<u64>,
    /// Relative to the round trip.
    pub(crate) jitter: f64,
    /// Segments per acknowledgement.
    pub(crate) ack_every: u64,
    pub(crate) total: u64,
    pub(crate) most_ns: i64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            seed: 1,
            rtt: 20 * MS,
            point: 0.0,
            queue_before: false,
            rate_bps: 1e8,
            line_bps: 1e9,
            buffer: 250_000,
            mss: 1448,
            offload: 1,
            control: Control::Cubic,
            hystart: true,
            paced: false,
            program: Program::Bulk,
            send_buffer: 64 << 20,
            window: 64 << 20,
            reads_bps: None,
            loss: 0.0,
            policer: None,
            hole: None,
            jitter: 0.01,
            ack_every: 2,
            total: 20_000_000,
            most_ns: 60_000 * MS,
        }
    }
}
