//! The head of each datagram, the two messages that open a UDP stream, and the delay variation that a receiver computes.

use crate::session::UdpPlan;

/// Length of the two opening messages.
pub const CONNECT_BYTES: usize = 4;
/// What a client sends to a server's UDP port: 0x36373839 in the byte order of most hosts. No server looks at it; the
/// answer is 0x39383736, or 987654321 of servers before 3.11, in the byte order of theirs.
pub const CONNECT_MESSAGE: [u8; CONNECT_BYTES] = 0x3637_3839_u32.to_le_bytes();
const REPLIES: [u32; 2] = [0x3938_3736, 987_654_321];
/// The answer of a server to it. Clients before 3.11 say that they do not know it, and go on.
pub const CONNECT_REPLY: [u8; CONNECT_BYTES] = REPLIES[0].to_le_bytes();

const NARROW_BYTES: usize = 12;
const WIDE_BYTES: usize = 16;

/// Whether a datagram is the server's answer to [`CONNECT_MESSAGE`].
#[must_use]
pub fn is_connect_reply(datagram: &[u8]) -> bool {
    <[u8; CONNECT_BYTES]>::try_from(datagram).is_ok_and(|bytes| {
        REPLIES.contains(&u32::from_le_bytes(bytes)) || REPLIES.contains(&u32::from_be_bytes(bytes))
    })
}

/// Which head the datagrams of a stream have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    wide: bool,
    /// Numbers that the stream may have: of a larger one only a stranger can be the sender.
    pub most_packets: u64,
}

impl Datagram {
    /// Of a stream. A server goes on sending until it hears of the end, and may be a little faster than it was asked.
    #[must_use]
    pub fn of(plan: &UdpPlan) -> Self {
        Self::with_width(plan, super::parameters::is_wide(plan))
    }

    /// Of a stream whose numbers have 64 bits, or 32, as the client said.
    #[must_use]
    pub fn with_width(plan: &UdpPlan, wide: bool) -> Self {
        let per_second = (1e9 / plan.spacing_ns().max(1.0)) as u64;
        let packets = plan.packets();
        Self {
            wide,
            most_packets: packets + packets / 4 + per_second.saturating_mul(4) + 64,
        }
    }

    /// Writes the head of the packet with this number, counted from 0, that leaves at `now_ns` by any clock. `None` when it
    /// does not fit.
    #[must_use]
    pub fn write(&self, payload: &mut [u8], sequence: u64, now_ns: u64) -> Option<()> {
        let seconds = (now_ns / 1_000_000_000) as u32;
        let microseconds = (now_ns % 1_000_000_000 / 1_000) as u32;
        payload.get_mut(..4)?.copy_from_slice(&seconds.to_be_bytes());
        payload
            .get_mut(4..8)?
            .copy_from_slice(&microseconds.to_be_bytes());
        // iperf3 counts from 1.
        let number = sequence.wrapping_add(1);
        if self.wide {
            payload
                .get_mut(8..WIDE_BYTES)?
                .copy_from_slice(&number.to_be_bytes());
        } else {
            payload
                .get_mut(8..NARROW_BYTES)?
                .copy_from_slice(&(number as u32).to_be_bytes());
        }
        Some(())
    }

    /// Reads it: the number, counted from 0, and when the packet left by the sender's clock, nanoseconds.
    #[must_use]
    #[inline]
    pub fn read(&self, payload: &[u8]) -> Option<(u64, u64)> {
        let word = |at: usize| -> Option<u32> {
            Some(u32::from_be_bytes(payload.get(at..at + 4)?.try_into().ok()?))
        };
        let (seconds, microseconds) = (word(0)?, word(4)?);
        let number = if self.wide {
            u64::from(word(8)?) << 32 | u64::from(word(12)?)
        } else {
            u64::from(word(8)?)
        };
        let sequence = number.checked_sub(1).filter(|n| *n < self.most_packets)?;
        Some((
            sequence,
            u64::from(seconds) * 1_000_000_000 + u64::from(microseconds % 1_000_000) * 1_000,
        ))
    }
}

/// Delay variation of a stream (RFC 3550, section 6.4.1). The clocks of the two ends need not agree: only differences of
/// delays enter.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jitter {
    delay_ns: Option<i64>,
    jitter_ns: f64,
}

impl Jitter {
    /// Counts a packet that left and arrived at these times, each by the clock of its end.
    pub fn arrive(&mut self, left_ns: u64, arrived_ns: u64) {
        let delay_ns = arrived_ns.wrapping_sub(left_ns).cast_signed();
        if let Some(before) = self.delay_ns.replace(delay_ns) {
            let difference = delay_ns.wrapping_sub(before).unsigned_abs() as f64;
            self.jitter_ns += (difference - self.jitter_ns) / 16.0;
        }
    }

    /// The variation now, nanoseconds; `None` before the second packet.
    #[must_use]
    pub fn ns(&self) -> Option<u64> {
        self.delay_ns.map(|_| self.jitter_ns as u64)
    }
}
