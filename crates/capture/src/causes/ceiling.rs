//! A flight that does not grow.
//!
//! Every loss-based congestion control adds at least about half a segment per round trip without a loss (Reno one, or half with
//! delayed acknowledgements; CUBIC no less than its Reno-friendly 0.53, RFC 9438 section 4.3). A flight that would have grown by
//! two bursts and did not is held by something else. Single round trips tell little of it: a send buffer is filled and freed in
//! steps of a write or of a whole burst. So the top of many is compared with the top of those before them.

use super::round::Units;

/// Fewer round trips are no ceiling.
const LEAST_ROUNDS: u32 = 8;

/// Round trips in a row whose flights have the same ceiling.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ceiling {
    since: i64,
    rounds: u32,
    top: u64,
    /// A loss had been repaired before it.
    had_loss: bool,
    /// The top after the last two powers of two of them.
    marks: [u64; 2],
}

/// What a ceiling was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// It grew as a congestion window does.
    Grew,
    /// It stood still although a congestion window would have grown.
    Held,
    /// Too short to tell.
    Short,
}

impl Ceiling {
    pub(super) fn begin(start: i64, flight: u64, had_loss: bool) -> Self {
        Self {
            since: start,
            rounds: 1,
            top: flight,
            had_loss,
            marks: [flight; 2],
        }
    }

    /// When it began, if there is one.
    pub(super) fn since(&self) -> Option<i64> {
        (self.rounds > 0).then_some(self.since)
    }

    pub(super) fn had_loss(&self) -> bool {
        self.had_loss
    }

    pub(super) fn top(&self) -> u64 {
        self.top
    }

    /// Takes another round trip with this flight, unless it is not under this ceiling. Flights up to `proven` are nothing new: they
    /// belong to a ceiling that is still being found.
    pub(super) fn takes(&mut self, flight: u64, proven: u64, units: Units) -> bool {
        // By half, as Linux wakes a program when a third of its send buffer is free: less is another ceiling.
        let is_low = flight < self.top / 2;
        let is_high = flight > self.top.saturating_add(units.play().max(self.top / 32));
        let is_young = self.rounds < LEAST_ROUNDS && flight <= proven;
        if self.rounds == 0 || is_low || (is_high && !is_young) {
            return false;
        }
        self.rounds = self.rounds.saturating_add(1);
        self.top = self.top.max(flight);
        if self.rounds.is_power_of_two() {
            self.marks = [self.marks[1], self.top];
        }
        true
    }

    /// What it was. After a loss the flight comes back unevenly, and CUBIC rests where the loss was: then it takes more round trips,
    /// and flatter ones.
    pub(super) fn shape(&self, units: Units) -> Shape {
        let mark = (1 << self.rounds.max(1).ilog2()) / 2;
        let due = u64::from(self.rounds - mark).saturating_mul(units.mss) / 2;
        let grew = self.top - self.marks[0];
        let (least, play) = if self.had_loss { (4, due / 4) } else { (1, due / 2) };
        match () {
            () if grew > due / 2 => Shape::Grew,
            () if self.rounds >= least * LEAST_ROUNDS
                && due >= units.burst().saturating_mul(2)
                && grew <= play =>
            {
                Shape::Held
            }
            () => Shape::Short,
        }
    }
}
