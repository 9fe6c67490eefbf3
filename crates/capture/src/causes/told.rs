//! What a sender tells of its gaps and round trips beyond the labels.

use super::timeline::Tag;

/// A pause that only the program explains.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    /// How long, nanoseconds.
    pub(super) pause_ns: i64,
    /// Bytes since the one before.
    pub(super) block_bytes: u64,
}

/// What the event told beyond the labels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    /// Most events tell nothing.
    pub(super) is_something: bool,
    pub(super) pause: Option<Pause>,
    /// A round trip ended.
    pub(super) round: Option<RoundTold>,
    /// Nobody wants to know.
    is_ignored: bool,
}

impl Told {
    /// For those who want nothing but the labels.
    pub(super) fn ignored() -> Self {
        Self {
            is_ignored: true,
            ..Self::default()
        }
    }

    pub(super) fn pause(&mut self, pause: Pause) {
        (self.is_something, self.pause) = (true, Some(pause));
    }

    pub(super) fn round(&mut self, round: impl FnOnce() -> RoundTold) {
        if !self.is_ignored {
            (self.is_something, self.round) = (true, Some(round()));
        }
    }
}

/// What a round trip measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundTold {
    pub(super) start_ns: i64,
    pub(super) end_ns: i64,
    pub(super) queue_ns: Option<i64>,
    pub(super) is_queued: bool,
    /// Of a full congestion window.
    pub(super) window: Tag,
    pub(super) is_repair: bool,
    pub(super) is_timeout: bool,
    pub(super) is_window: bool,
    pub(super) is_other: bool,
    pub(super) max_flight: u64,
    /// Of delivery, bytes per second.
    pub(super) rate: f64,
}
