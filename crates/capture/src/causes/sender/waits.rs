//! Whether long gaps end upon acknowledgements, as a rule: then room in the send buffer was waited for, and not the program.
//!
//! Two things tell it. The gaps end shortly behind an acknowledgement far more often than they would by chance. Or, where
//! acknowledgements are so dense that any gap ends behind one: what is still on the way when they end is the same each time, and more
//! so than the time that the gaps took, as room in a buffer is a matter of bytes. A program that waits by the clock is steady in time.

/// So many of the last gaps count.
const MEMORY: u8 = 8;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Waits {
    answered: Mean,
    chance: Mean,
    gap: Mean,
    gap_spread: Mean,
    acked: Mean,
    left: Mean,
    left_spread: Mean,
}

impl Waits {
    /// A gap that ended shortly behind an acknowledgement, or did not; by chance it would have with this probability.
    pub(super) fn take(&mut self, is_answered: bool, chance: f32) {
        self.answered.add(f32::from(u8::from(is_answered)));
        self.chance.add(chance.min(1.0));
    }

    /// How long a gap was, how much was acknowledged in it, and how much was on the way at its end, where something was.
    pub(super) fn take_extent(&mut self, gap_ns: f32, acked_bytes: f32, left_bytes: f32) {
        self.gap_spread.add((gap_ns - self.gap.value).abs());
        self.gap.add(gap_ns);
        self.acked.add(acked_bytes);
        self.left_spread.add((left_bytes - self.left.value).abs());
        self.left.add(left_bytes);
    }

    /// See the module.
    pub(super) fn are_answered(&self) -> bool {
        if self.answered.value < 0.6 {
            return false;
        }
        let gap = self.gap_spread.value / self.gap.value.max(1.0);
        let left = self.left_spread.value / self.acked.value.max(1.0);
        let is_steady = self.left.count >= MEMORY && left < 0.02 && left < gap / 3.0;
        self.answered.value > 4.0 * self.chance.value || is_steady
    }
}

/// A mean that forgets, and begins at nothing: one value is not yet a rule.
#[derive(Debug, Default)]
struct Mean {
    value: f32,
    count: u8,
}

impl Mean {
    fn add(&mut self, value: f32) {
        self.count = (self.count + 1).min(MEMORY);
        let weight = 1.0 / f32::from((self.count + 1).min(MEMORY));
        self.value += (value - self.value) * weight;
    }
}
