//! Bytes within any hour, exactly enough to promise a limit, in the memory of sixty-one numbers.
//!
//! Time is cut into minutes. A minute counts until all of it is more than an hour ago, so what is counted is never less than
//! what passed within the last hour, and up to a minute more: the limit holds in every window of an hour, wherever it begins.
//! A token bucket would not do: one that holds an hour's bytes lets twice as many through within an hour.
//!
//! The limit is kept by setting bytes aside before a test begins, for as long as it runs, and never by holding back what it
//! sends: a transfer that is throttled, or a probe that is not answered, would be measured as the path's.

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
    /// What tests that run may move, what they have moved already included.
    set_aside: u64,
}

/// There are not so many bytes left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub(crate) limit: u64,
    pub(crate) left: u64,
    /// What was wanted.
    pub(crate) wanted: u64,
    pub(crate) until: Until,
}

/// When there will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// The tests that run are done.
    TestsEnd,
    /// So much time has passed.
    Passed(Duration),
    /// Never: an hour has not so many.
    Never,
}

impl HourMeter {
    /// Nothing has passed yet.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self {
            limit,
            slots: [0; SLOTS],
            newest: 0,
            set_aside: 0,
        }
    }

    /// From now on another limit; what has passed stays counted.
    pub(crate) fn set_limit(&mut self, limit: Option<u64>) {
        self.limit = limit;
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

    /// Bytes that may still be set aside.
    pub(crate) fn left(&mut self, now_ns: u64) -> u64 {
        self.advance(now_ns);
        self.limit.map_or(u64::MAX, |limit| {
            limit.saturating_sub(self.passed()).saturating_sub(self.set_aside)
        })
    }

    fn passed(&self) -> u64 {
        self.slots.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Sets between `least` and `most` bytes aside; how many.
    pub(crate) fn set_aside(&mut self, least: u64, most: u64, now_ns: u64) -> Result<u64, Shortage> {
        let left = self.left(now_ns);
        let Some(limit) = self.limit.filter(|_| left < least) else {
            let bytes = left.min(most);
            self.set_aside = self.set_aside.saturating_add(bytes);
            return Ok(bytes);
        };
        Err(Shortage {
            limit,
            left,
            wanted: least,
            until: self.until(least, limit, now_ns),
        })
    }

    /// The test for which they were set aside is over.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.set_aside = self.set_aside.saturating_sub(bytes);
    }

    /// Counts what passes.
    pub(crate) fn pass(&mut self, bytes: u64, now_ns: u64) {
        self.advance(now_ns);
        self.count(bytes);
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

    /// When `bytes` are left, if nothing more begins.
    fn until(&mut self, bytes: u64, limit: u64, now_ns: u64) -> Until {
        if bytes > limit {
            return Until::Never;
        }
        let mut counted = self.passed();
        if counted.saturating_add(bytes) <= limit {
            return Until::TestsEnd;
        }
        let oldest = (self.newest + 1).saturating_sub(SLOTS as u64);
        for number in oldest..=self.newest {
            counted = counted.saturating_sub(*self.slot(number));
            if counted.saturating_add(bytes) <= limit {
                // It is forgotten when the minute begins that takes its place.
                let free_ns = (number + SLOTS as u64).saturating_mul(SLOT_NS);
                return Until::Passed(Duration::from_nanos(free_ns.saturating_sub(now_ns)));
            }
        }
        Until::Never
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
        meter.pass(900, 5 * S);
        assert_eq!(meter.set_aside(100, 100, 6 * S), Ok(100), "a near miss");
        let shortage = meter.set_aside(1, 1, 7 * S).unwrap_err();
        assert_eq!((shortage.left, shortage.until), (0, Until::TestsEnd));
        meter.release(100);
        assert_eq!(meter.set_aside(1, 5_000, 7 * S), Ok(100));
        meter.release(100);
        assert!(meter.set_aside(101, 101, 8 * S).is_err());
        assert_eq!(
            meter.set_aside(1_001, 1_001, 8 * S).unwrap_err().until,
            Until::Never
        );
    }

    #[test]
    fn without_a_limit_all_passes_and_is_counted_for_a_later_one() {
        let mut meter = HourMeter::new(None);
        assert_eq!(meter.set_aside(u64::MAX, u64::MAX, 0), Ok(u64::MAX));
        meter.release(u64::MAX);
        meter.pass(200, 0);
        meter.set_limit(Some(100));
        assert_eq!(meter.left(S), 0);
        assert_eq!(meter.left(HOUR + 60 * S), 100);
    }

    #[test]
    fn how_long_to_wait_is_true_to_the_second() {
        let mut meter = HourMeter::new(Some(1_000));
        meter.pass(600, 10 * S);
        meter.pass(400, 90 * S);
        for bytes in [1, 600, 601, 1_000] {
            let shortage = meter.clone().set_aside(bytes, bytes, 100 * S).unwrap_err();
            let Until::Passed(wait) = shortage.until else {
                panic!("{shortage:?}");
            };
            let at = 100 * S + wait.as_nanos() as u64;
            assert!(meter.clone().left(at - S) < bytes, "{bytes}");
            assert!(meter.clone().left(at) >= bytes, "{bytes}");
        }
    }

    #[test]
    fn what_was_not_used_may_be_used() {
        let mut meter = HourMeter::new(Some(100));
        meter.pass(100, 59 * S);
        assert_eq!(meter.left(61 * S), 0);
        meter.give_back(40);
        assert_eq!(meter.left(61 * S), 40);
    }

    proptest! {
        /// Tests come whenever, several at a time, and each moves what was set aside for it or a part, over any time: no window of
        /// an hour holds more than the limit.
        #[test]
        fn no_hour_holds_more_than_the_limit(
            limit in 0u64..1_000_000,
            steps in prop::collection::vec((0u64..600, 0u8..4, 1u64..400_000, 0u64..=100), 1..200),
        ) {
            let mut meter = HourMeter::new(Some(limit));
            let (mut now, mut moved, mut running) = (0, Vec::new(), Vec::new());
            for (pause_s, step, most, percent) in steps {
                now += pause_s * S + 7;
                match step {
                    0 | 1 => running.extend(meter.set_aside(most / 3, most, now).ok().map(|bytes| (bytes, bytes))),
                    2 => if let Some((_, unused)) = running.first_mut() {
                        let granted = *unused * percent / 100;
                        meter.pass(granted, now);
                        meter.give_back(granted / 2);
                        *unused -= granted - granted / 2;
                        moved.push((now, granted - granted / 2));
                    },
                    _ => if let Some((bytes, _)) = running.pop() { meter.release(bytes) },
                }
            }
            for (begin, _) in &moved {
                let within: u64 = moved.iter().filter(|(at, _)| (*begin..begin + HOUR).contains(at)).map(|(_, bytes)| bytes).sum();
                prop_assert!(within <= limit, "{within} of {limit} from {begin}");
            }
            // And nothing is held back for ever.
            running.into_iter().for_each(|(bytes, _)| meter.release(bytes));
            prop_assert_eq!(meter.left(now + HOUR + 60 * S), limit);
        }
    }
}
