//! How far a connection is: whether it has ended, and whether a SYN begins another.

use super::Connection;
use crate::flow::half::Half;
use crate::{Flags, Segment, Way};

/// A SYN with another initial sequence number after so much silence is a new connection, whether or not the end of the old
/// one was captured. TIME-WAIT, before which no port is used again (RFC 9293 section 3.6.1), is 60 s on Linux; a system that
/// uses it again earlier (RFC 6191) does so after an end, which mostly was captured.
const REUSE_SILENCE_NS: i64 = 30_000_000_000;

/// A window of a reset that is taken for true while the receiver's window is not known.
const RESET_REACH: u64 = 1 << 20;

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    Closed,
    /// Reset by the sender of this way, when its peer had sent up to there.
    Reset(Way, u64),
}

impl Connection {
    /// Both sides have finished, or one has reset it.
    #[inline]
    pub(in crate::flow) fn has_ended(&self) -> bool {
        self.phase != Phase::Open
    }

    /// Whether a segment with SYN opens another connection between the same ports.
    pub(in crate::flow) fn is_reused_by(&self, segment: &Segment) -> bool {
        let Some(own) = self.halves.get(segment.way.index()) else {
            return false;
        };
        if own.initial() == Some(segment.seq) {
            return false;
        }
        let silence_ns = segment.time_ns.saturating_sub(self.last_ns);
        if self.has_ended() || silence_ns >= REUSE_SILENCE_NS {
            return true;
        }
        if segment.flags.has(Flags::ACK) {
            return false;
        }
        // Nothing of it was answered: a new attempt. Or its beginning was not captured, and this is not it.
        let is_embryonic = self.opening.has_syn(segment.way) && !self.opening.is_answered();
        let begins_elsewhere =
            own.initial().is_none() && own.is_based && !own.is_start(segment.seq.wrapping_add(1));
        is_embryonic || begins_elsewhere
    }

    pub(super) fn end(&mut self, segment: &Segment) {
        match self.phase {
            Phase::Open if segment.flags.has(Flags::RST) && self.is_reset_true(segment) => {
                let peer = self.halves.get(segment.way.reversed().index());
                self.phase = Phase::Reset(segment.way, peer.map_or(0, |half| half.top));
            }
            Phase::Open if self.halves.iter().all(Half::is_finished) => self.phase = Phase::Closed,
            // Who resets does not go on to acknowledge: somebody else had sent that reset, or it was not heeded.
            Phase::Reset(way, peer_top) if segment.way == way && !segment.flags.has(Flags::RST) => {
                let peer = self.halves.get(way.reversed().index());
                if peer.is_some_and(|half| half.una > peer_top) {
                    self.phase = Phase::Open;
                }
                return;
            }
            _ => return,
        }
        self.ended_ns = segment.time_ns;
    }

    /// A reset outside of the window is not heeded (RFC 9293 section 3.10.7.4), so it ends nothing.
    fn is_reset_true(&self, segment: &Segment) -> bool {
        let Some(own) = self.halves.get(segment.way.index()) else {
            return true;
        };
        if !own.is_based || !own.acks_pass {
            return true;
        }
        let place = own.place(segment.seq);
        let edge = own
            .window_edge()
            .unwrap_or(own.top.saturating_add(RESET_REACH))
            .max(own.top);
        place.saturating_add(1) >= own.una && place <= edge.saturating_add(1)
    }
}

impl Half {
    /// Its FIN was acknowledged.
    fn is_finished(&self) -> bool {
        self.fin_end != 0 && self.una >= self.fin_end
    }
}
