//! One monotonic clock per run, and how the kernel's wall clock stamps map onto it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Nanoseconds since just before the run began; never 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    pub(super) fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX - 1) + 1
    }

    /// The moment of a kernel stamp: now, less the stamp's age by the wall clock. A stamp from the future, or one older
    /// than any answer could be (the wall clock was stepped), gives now.
    pub(super) fn of_stamp(&self, stamp_ns: Option<u64>) -> u64 {
        const OLDEST: Duration = Duration::from_secs(10);
        let (now_ns, wall) = self.both();
        let age = stamp_ns.and_then(|stamp| wall.checked_sub(Duration::from_nanos(stamp)));
        let age = age.filter(|age| *age < OLDEST).unwrap_or_default();
        now_ns.saturating_sub(age.as_nanos() as u64)
    }

    /// Both clocks at one moment. Losing the processor between two readings would shift every answer, so the wall
    /// clock is read between two looks at ours, again if they lie apart.
    fn both(&self) -> (u64, Duration) {
        const CLOSE_NS: u64 = 2_000;
        const TRIES: usize = 5;
        let read = || {
            let before = self.now_ns();
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let gap = self.now_ns() - before;
            (gap, before + gap / 2, wall)
        };
        let mut best = read();
        for _ in 1..TRIES {
            if best.0 <= CLOSE_NS {
                break;
            }
            let again = read();
            if again.0 < best.0 {
                best = again;
            }
        }
        (best.1, best.2)
    }
}
