//! Bytes within any hour, exactly enough to promise a limit, in the memory of sixty-one numbers.
//!
//! Time is cut into minutes. A minute counts until all of it is more than an hour ago, so what is counted is never less than
//! what passed within the last hour, and up to a minute more: the limit holds in every window of an hour, wherever it begins.
//! A token bucket would not do: one that holds an hour's bytes lets twice as many through within an hour.

use std::time::Duration;

const SLOT_NS: u64 = 60_000_000_000;
/// An hour that begins within a minute touches this many.
const SLOTS: usize = 61;

/// What has passed lately, and how much may. Times are nanoseconds of the caller's clock.
#[derive(Debug, Clone)]
pub(crate) struct HourMeter {
    /// `None`: counts, and holds nothing back.
    limit: Option<u64>,
    slots: [u64; SLOTS],
    newest: u64,
}

impl HourMeter {
    /// Nothing has passed yet.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self {
            limit,
            slots: [0; SLOTS],
            newest: 0,
        }
    }

    /// From now on another limit; what has passed stays counted.
    pub(crate) fn set_limit(&mut self, limit: Option<u64>) {
        self.limit = limit;
    }

    /// The limit, if there is one.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Forgets what is more than an hour ago. A clock that goes backwards forgets nothing.
    fn advance(&mut self, now_ns: u64) {
        let slot = now_ns / SLOT_NS;
        let gone = slot.saturating_sub(self.newest).min(SLOTS as u64);
        for step in 1..=gone {
            *self.slot(self.newest + step) = 0;
        }
        // The slots between are empty already: a longer pause has emptied them all.
        self.newest = self.newest.max(slot);
    }

    fn slot(&mut self, number: u64) -> &mut u64 {
        &mut self.slots[(number % SLOTS as u64) as usize]
    }

    /// Bytes that may still pass now.
    pub(crate) fn left(&mut self, now_ns: u64) -> u64 {
        self.advance(now_ns);
        match self.limit {
            Some(limit) => limit.saturating_sub(self.passed()),
            None => u64::MAX,
        }
    }

    fn passed(&self) -> u64 {
        self.slots.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Lets up to `most` bytes pass; how many.
    pub(crate) fn take(&mut self, most: u64, now_ns: u64) -> u64 {
        let granted = self.left(now_ns).min(most);
        self.count(granted);
        granted
    }

    /// Counts what passed unasked; whether it was within the limit.
    pub(crate) fn pass(&mut self, bytes: u64, now_ns: u64) -> bool {
        let is_within = bytes <= self.left(now_ns);
        self.count(bytes);
        is_within
    }

    fn count(&mut self, bytes: u64) {
        let slot = self.slot(self.newest);
        *slot = slot.saturating_add(bytes);
    }

    /// Takes back what was granted a moment ago and not used. From the older of the two minutes that it may have been granted
    /// in: if that was the wrong one, more is counted for a minute and never less.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        let mut rest = bytes;
        for number in [self.newest.saturating_sub(1), self.newest] {
            let slot = self.slot(number);
            let taken = rest.min(*slot);
            *slot -= taken;
            rest -= taken;
        }
    }

    /// After what time `bytes` may pass, if nothing else does meanwhile; `None`: never, it is more than the limit.
    pub(crate) fn wait(&mut self, bytes: u64, now_ns: u64) -> Option<Duration> {
        let limit = match self.limit {
            Some(limit) if bytes > limit => return None,
            Some(limit) => limit,
            None => return Some(Duration::ZERO),
        };
        self.advance(now_ns);
        let mut counted = self.passed();
        if counted.saturating_add(bytes) <= limit {
            return Some(Duration::ZERO);
        }
        let oldest = (self.newest + 1).saturating_sub(SLOTS as u64);
        for number in oldest..=self.newest {
            counted = counted.saturating_sub(*self.slot(number));
            if counted.saturating_add(bytes) <= limit {
                // It is forgotten when the minute begins that takes its place.
                let free_ns = (number + SLOTS as u64).saturating_mul(SLOT_NS);
                return Some(Duration::from_nanos(free_ns.saturating_sub(now_ns)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;
    const HOUR: u64 = 3_600 * S;

    #[test]
    fn the_limit_fires_and_one_byte_less_does_not() {
        let mut meter = HourMeter::new(Some(1_000));
        assert_eq!(meter.take(999, 5 * S), 999);
        assert_eq!(meter.take(1, 6 * S), 1, "a near miss");
        assert_eq!(meter.take(1, 7 * S), 0);
        assert!(!meter.pass(1, 8 * S));
    }

    #[test]
    fn without_a_limit_all_passes_and_is_counted_for_a_later_one() {
        let mut meter = HourMeter::new(None);
        assert_eq!(meter.take(u64::MAX, 0), u64::MAX);
        assert!(meter.pass(7, 0));
        assert_eq!(meter.wait(u64::MAX, 0), Some(Duration::ZERO));
        meter.set_limit(Some(100));
        assert_eq!(meter.left(S), 0);
        assert_eq!(meter.left(HOUR + 60 * S), 100);
    }

    #[test]
    fn how_long_to_wait_is_true_to_the_second() {
        let mut meter = HourMeter::new(Some(1_000));
        meter.take(600, 10 * S);
        meter.take(400, 90 * S);
        assert_eq!(meter.wait(1_001, 100 * S), None);
        for bytes in [1, 600, 601, 1_000] {
            let wait = meter.wait(bytes, 100 * S).unwrap().as_nanos() as u64;
            let at = 100 * S + wait;
            assert!(meter.clone().left(at - S) < bytes, "{bytes}");
            assert!(meter.clone().left(at) >= bytes, "{bytes}");
        }
    }

    #[test]
    fn what_was_not_used_may_be_used() {
        let mut meter = HourMeter::new(Some(100));
        assert_eq!(meter.take(100, 59 * S), 100);
        assert_eq!(meter.left(61 * S), 0);
        meter.give_back(40);
        assert_eq!(meter.left(61 * S), 40);
    }

    proptest! {
        /// Whoever asks for whatever whenever, and uses all of it or a part: no window of an hour holds more than the limit.
        #[test]
        fn no_hour_holds_more_than_the_limit(
            limit in 0u64..1_000_000,
            asks in prop::collection::vec((0u64..600, 0u64..400_000, 0u64..=100), 1..200),
        ) {
            let mut meter = HourMeter::new(Some(limit));
            let (mut now, mut used) = (0, Vec::new());
            for (pause_s, most, percent) in asks {
                now += pause_s * S + 7;
                let granted = meter.take(most, now);
                let unused = granted * percent / 100;
                meter.give_back(unused);
                used.push((now, granted - unused));
            }
            for (begin, _) in &used {
                let within: u64 = used.iter().filter(|(at, _)| (*begin..begin + HOUR).contains(at)).map(|(_, bytes)| bytes).sum();
                prop_assert!(within <= limit, "{within} of {limit} from {begin}");
            }
            // And nothing is held back for ever.
            prop_assert_eq!(meter.left(now + HOUR + 60 * S), limit);
        }
    }
}
