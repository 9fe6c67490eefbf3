//! When to send the next packets of a paced stream.
//!
//! A sender that wakes late must catch up, or the rate is not the one asked for; but a burst of all that is due
//! overflows a small drop-tail queue on the path, and the tester then measures itself. So the schedule is followed
//! packet by packet as far as a sleeping thread can (one wake-up each 50 µs), catching up goes in bursts of a few packets
//! at no more than four times the rate, and what is later than [`FORGIVEN_NS`] is not made good: the stream gets longer instead.

/// A thread that sleeps cannot keep a finer rhythm than about this.
const WAKE_NS: f64 = 50_000.0;
/// Delays beyond this are not caught up with.
const FORGIVEN_NS: f64 = 20_000_000.0;
/// Quanta sent at one wake-up at most, when late.
const CATCH_UP_QUANTA: u32 = 4;
/// How much faster than the schedule a late sender may go.
const CATCH_UP_SPEED: f64 = 4.0;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Send so many packets, and ask again.
    Send(u32),
    /// Nothing before this time (nanoseconds of the caller's clock).
    Wait(u64),
}

/// The schedule of one stream. Times are nanoseconds of the caller's clock.
#[derive(Debug, Clone)]
pub struct Pacer {
    spacing_ns: f64,
    quantum: u32,
    due_ns: f64,
    not_before_ns: f64,
}

impl Pacer {
    /// A schedule of packets `spacing_ns` apart, the first at `now_ns`.
    #[must_use]
    pub fn new(spacing_ns: f64, now_ns: u64) -> Self {
        let spacing_ns = spacing_ns.max(1.0);
        Self {
            spacing_ns,
            quantum: (WAKE_NS / spacing_ns).ceil().clamp(1.0, 1e5) as u32,
            due_ns: now_ns as f64,
            not_before_ns: 0.0,
        }
    }

    /// Packets sent together when on time: 1 below about 20,000 packets a second.
    #[must_use]
    pub fn quantum(&self) -> u32 {
        self.quantum
    }

    /// What to do at `now_ns`.
    pub fn poll(&mut self, now_ns: u64) -> Pace {
        let now = now_ns as f64;
        if now < self.not_before_ns {
            return Pace::Wait(self.not_before_ns.ceil() as u64);
        }
        self.due_ns = self.due_ns.max(now - FORGIVEN_NS);
        let due = ((now - self.due_ns) / self.spacing_ns).floor() + 1.0;
        if now < self.due_ns || due < f64::from(self.quantum) {
            let full = self.due_ns + self.spacing_ns * f64::from(self.quantum - 1);
            return Pace::Wait((full.ceil() as u64).max(now_ns + 1));
        }
        let count = due.min(f64::from(self.quantum * CATCH_UP_QUANTA)) as u32;
        self.due_ns += self.spacing_ns * f64::from(count);
        self.not_before_ns = now + self.spacing_ns * f64::from(count) / CATCH_UP_SPEED;
        Pace::Send(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sends for `length_ns` when every wake-up comes `late_ns` after the time asked for.
    fn run(spacing_ns: f64, length_ns: u64, late_ns: u64) -> Vec<(u64, u32)> {
        let mut pacer = Pacer::new(spacing_ns, 0);
        let (mut now, mut sent) = (0, Vec::new());
        while now < length_ns {
            match pacer.poll(now) {
                Pace::Send(count) => sent.push((now, count)),
                Pace::Wait(until) => {
                    assert!(until > now);
                    now = until + late_ns;
                }
            }
        }
        sent
    }

    fn total(sent: &[(u64, u32)]) -> u64 {
        sent.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    #[test]
    fn packets_at_200_mbit_leave_one_by_one_at_their_time() {
        let sent = run(60_000.0, 100_000_000, 0);
        assert_eq!(total(&sent), 1_667);
        assert!(sent.iter().all(|(_, count)| *count == 1));
    }

    #[test]
    fn a_late_thread_catches_up_in_small_bursts() {
        let sent = run(60_000.0, 100_000_000, 150_000);
        assert!((1_600..=1_667).contains(&total(&sent)), "{}", total(&sent));
        assert!(sent.iter().all(|(_, count)| *count <= CATCH_UP_QUANTA));
    }

    #[test]
    fn long_delays_are_forgiven() {
        let mut pacer = Pacer::new(1_000_000.0, 0);
        let mut now = 10_000_000_000;
        let mut burst = 0;
        for _ in 0..10_000 {
            match pacer.poll(now) {
                Pace::Send(count) => burst += count,
                Pace::Wait(until) if until < 10_040_000_000 => now = until,
                Pace::Wait(_) => break,
            }
        }
        // 20 ms late and 40 ms of schedule: 60 packets, not 10,000.
        assert!((55..=65).contains(&burst), "{burst}");
    }

    proptest! {
        #[test]
        fn never_faster_than_asked(spacing in 10.0f64..1e6, late in 0u64..200_000) {
            let length = 50_000_000;
            let sent = total(&run(spacing, length, late)) as f64;
            prop_assert!(sent <= length as f64 / spacing + 1.0);
        }
    }
}
