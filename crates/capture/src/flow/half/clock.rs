//! How long packets wait between their sender and the capture point, by the sender's time stamps.
//!
//! A time stamp tells when a packet was sent (RFC 7323 section 5.4: by a clock of 1 ms to 1 s a tick; Linux and FreeBSD tick each
//! millisecond, Windows each or each ten). The two clocks have an unknown distance, so the fastest packet stands for an empty path, and
//! what others take longer they waited, to within a tick. Quartz is off by up to 100 ppm: the fastest packet is allowed to become
//! slower by that much, and a queue that never drains is forgotten no faster.

/// Ticks that clocks of time stamps have, nanoseconds.
const TICKS_NS: [u32; 4] = [MILLISECOND, 1_000, 4 * MILLISECOND, 10 * MILLISECOND];
const MILLISECOND: u32 = 1_000_000;
/// The tick is judged as soon as it can be told from a queue that grows: one of the ticks is as near as this part of it. If none is
/// after the longer time, the clock is of another kind.
const JUDGED_AFTER_NS: i64 = 250_000_000;
const GIVEN_UP_AFTER_NS: i64 = 4_000_000_000;
const TICK_PART: u32 = 8;
/// 2^-13 is 122 ppm.
const DRIFT_SHIFT: u32 = 13;

/// See the module.
#[derive(Debug)]
pub(super) struct Clock {
    /// A packet, when it passed and what it was stamped; the tick is 0 while it is not known.
    origin_ns: i64,
    origin_tsval: u32,
    tick_ns: u32,
    /// The least that a packet took, less the drift since the origin, beside what the origin took.
    least_ns: i64,
}

impl Clock {
    pub(super) fn new(time_ns: i64, tsval: u32) -> Self {
        Self {
            origin_ns: time_ns,
            origin_tsval: tsval,
            tick_ns: 0,
            least_ns: 0,
        }
    }

    /// A packet passed. Tells how long it waited, milliseconds, at most 255; 0 while nothing tells.
    pub(super) fn hear(&mut self, time_ns: i64, tsval: u32) -> u8 {
        let elapsed = time_ns.saturating_sub(self.origin_ns);
        let ticks = i64::from(tsval.wrapping_sub(self.origin_tsval) as i32);
        if elapsed < 0 || ticks < 0 {
            return 0;
        }
        if self.tick_ns == 0 && elapsed >= JUDGED_AFTER_NS {
            self.judge(elapsed, ticks);
            if self.tick_ns == 0 && elapsed >= GIVEN_UP_AFTER_NS {
                *self = Self::new(time_ns, tsval);
                return 0;
            }
        }
        let tick = i64::from(if self.tick_ns == 0 {
            MILLISECOND
        } else {
            self.tick_ns
        });
        let drift = elapsed >> DRIFT_SHIFT;
        let took = elapsed.saturating_sub(ticks * tick).saturating_sub(drift);
        self.least_ns = self.least_ns.min(took);
        if self.tick_ns == 0 {
            return 0;
        }
        let waited = took.saturating_sub(self.least_ns).saturating_sub(tick).max(0);
        u8::try_from(waited / i64::from(MILLISECOND)).unwrap_or(u8::MAX)
    }

    /// Finds the tick; what was learned holds for the first of them.
    fn judge(&mut self, elapsed: i64, ticks: i64) {
        let measured = elapsed / ticks.max(1);
        let is_it = |tick: &u32| (measured - i64::from(*tick)).abs() <= i64::from(*tick / TICK_PART);
        self.tick_ns = TICKS_NS.into_iter().find(is_it).unwrap_or(0);
        if !matches!(self.tick_ns, 0 | MILLISECOND) {
            self.least_ns = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet each 5 ms over 20 s; a clock that is off by 50 ppm; from the tenth second on they wait this long.
    fn heard(tick_ns: i64, waits_ns: i64) -> (u8, u8) {
        let begin = 1_700_000_000_000_000_000;
        let mut clock = Clock::new(begin + 20_000_000, u32::MAX - 3000);
        let (mut before, mut last) = (0, 0);
        for packet in 0..4000_i64 {
            let sent = packet * 5_000_000 + packet % 7 * 130_000;
            let waited = if packet >= 2000 { waits_ns } else { 0 };
            let ticks = (sent + sent / 20_000) / tick_ns;
            last = clock.hear(
                begin + 20_000_000 + sent + waited,
                (u32::MAX - 3000).wrapping_add(ticks as u32),
            );
            if packet == 1999 {
                before = last;
            }
        }
        (before, last)
    }

    #[test]
    fn what_waits_is_told_to_within_a_tick() {
        for tick in [1_000, 1_000_000, 4_000_000, 10_000_000] {
            let (before, after) = heard(tick, 40_000_000);
            let least = 40 - 2 * (tick / 1_000_000) - 3;
            assert_eq!(before, 0, "{tick}");
            assert!((least..=41).contains(&i64::from(after)), "{after} with {tick}");
        }
    }

    #[test]
    fn an_empty_path_has_no_queue() {
        assert_eq!(heard(1_000_000, 0), (0, 0));
        assert_eq!(heard(10_000_000, 0), (0, 0));
    }

    #[test]
    fn a_clock_of_no_usual_tick_tells_nothing() {
        assert_eq!(heard(2_000_000, 90_000_000), (0, 0));
    }
}
