//! Whether long gaps end upon acknowledgements, as a rule: then room in the send buffer was waited for, and not the program.
//!
//! Two things tell it. The gaps end shortly behind an acknowledgement far more often than they would by chance. Or, where
//! acknowledgements are so dense that any gap ends behind one: what is still on the way when they end is the same each time, and more
//! so than the time that the gaps took, as room in a buffer is a matter of bytes. A program that waits by the clock is steady in time.

/// So many of the last gaps count.
const MEMORY: u8 = 8;

/// See the module. Means forget; they begin at nothing, as one value is not yet a rule.
#[derive(Debug, Default)]
pub(super) struct Waits {
    taken: u8,
    answered: f32,
    chance: f32,
    extents: u8,
    gap_ns: f32,
    gap_spread: f32,
    acked_bytes: f32,
    left_bytes: f32,
    left_spread: f32,
}

impl Waits {
    /// A gap that ended shortly behind an acknowledgement, or did not; by chance it would have with this probability.
    pub(super) fn take(&mut self, is_answered: bool, chance: f32) {
        let weight = weight(&mut self.taken);
        self.answered += (f32::from(u8::from(is_answered)) - self.answered) * weight;
        self.chance += (chance.min(1.0) - self.chance) * weight;
    }

    /// How long a gap was, how much was acknowledged in it, and how much was on the way at its end, where something was.
    pub(super) fn take_extent(&mut self, gap_ns: f32, acked_bytes: f32, left_bytes: f32) {
        let weight = weight(&mut self.extents);
        let follow = |mean: &mut f32, value: f32| *mean += (value - *mean) * weight;
        follow(&mut self.gap_spread, (gap_ns - self.gap_ns).abs());
        follow(&mut self.left_spread, (left_bytes - self.left_bytes).abs());
        follow(&mut self.gap_ns, gap_ns);
        follow(&mut self.acked_bytes, acked_bytes);
        follow(&mut self.left_bytes, left_bytes);
    }

    /// See the module.
    pub(super) fn are_answered(&self) -> bool {
        if self.answered < 0.6 {
            return false;
        }
        let gap = self.gap_spread / self.gap_ns.max(1.0);
        let left = self.left_spread / self.acked_bytes.max(1.0);
        let is_steady = self.extents >= MEMORY && left < 0.02 && left < gap / 3.0;
        self.answered > 4.0 * self.chance || is_steady
    }
}

/// Of one more value in a mean of so many.
fn weight(count: &mut u8) -> f32 {
    *count = (*count + 1).min(MEMORY);
    1.0 / f32::from((*count + 1).min(MEMORY))
}
