//! What an owner allows of everything that goes on at once: all sessions, streams, probes and answers draw on one budget, each
//! by way of the budget of whoever's token it came with.
//!
//! Token buckets (RFC 2698, section 3, has the terms): rights accrue at the rate, up to what may leave at once. Whoever needs more
//! than a full bucket holds, such as one large packet, goes when it is full and leaves a debt, so that the mean still
//! keeps to the rate. What is received counts as what is sent: it crossed the owner's network.

mod hour;

use hour::HourMeter;
pub(crate) use hour::{Shortage, Until};
use probe::session::MOST_PROBE_PPS;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How much of a rate may pass at once, seconds. Small beside the tolerance that is promised (a tenth, or one second of the
/// rate), large beside the pauses of a thread that waits for more.
const BURST_S: f64 = 0.1;
/// A debt of this many seconds of the rate is more than jitter: whoever sends does not keep to the limit.
const TOLERATED_DEBT_S: f64 = 0.5;
/// A packet's worth, for which everybody waits: else those who need little would take every token as it comes.
const WORTH_A_CALL_BYTES: f64 = 1_500.0;
/// Probes that may leave at once.
const PROBE_BURST: f64 = 500.0;

/// A token bucket. Times are nanoseconds of the caller's clock.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    per_second: f64,
    most: f64,
    tokens: f64,
    at_ns: u64,
}

impl Bucket {
    /// A full bucket that holds `most` and gains `per_second`.
    pub(crate) fn new(per_second: f64, most: f64, now_ns: u64) -> Self {
        Self {
            per_second,
            most,
            tokens: most,
            at_ns: now_ns,
        }
    }

    fn earn(&mut self, now_ns: u64) {
        let earned = now_ns.saturating_sub(self.at_ns) as f64 / 1e9 * self.per_second;
        self.at_ns = self.at_ns.max(now_ns);
        self.tokens = (self.tokens + earned).min(self.most);
    }

    /// Whether there are `count`, or the bucket is full.
    fn has(&mut self, count: f64, now_ns: u64) -> bool {
        self.earn(now_ns);
        self.tokens >= count.min(self.most)
    }

    /// Takes `count` if there are so many, or the bucket is full.
    pub(crate) fn take(&mut self, count: f64, now_ns: u64) -> bool {
        let has = self.has(count, now_ns);
        if has {
            self.tokens -= count;
        }
        has
    }

    /// Takes what has gone already; how many seconds of the rate are owed after it.
    pub(crate) fn owe(&mut self, count: f64, now_ns: u64) -> f64 {
        self.earn(now_ns);
        self.tokens -= count;
        (-self.tokens / self.per_second).max(0.0)
    }
}

/// What of a budget changes with its owner's mind.
#[derive(Debug)]
struct Allowed {
    /// Bytes; `None` without a limit of the rate.
    bytes: Option<Bucket>,
    hour: HourMeter,
}

/// The budget of an owner, of the holder of a token, or of one session: each draws on the one above it.
#[derive(Debug)]
pub(crate) struct Budget {
    allowed: Mutex<Allowed>,
    probes: Mutex<Bucket>,
    /// All that has ever passed.
    passed: AtomicU64,
    above: Option<Arc<Budget>>,
}

impl Budget {
    /// A budget of `max_rate_bps`, bit/s.
    pub(crate) fn new(max_rate_bps: Option<f64>, now_ns: u64) -> Self {
        Self {
            allowed: Mutex::new(Allowed {
                bytes: bucket(max_rate_bps, now_ns),
                hour: HourMeter::new(None),
            }),
            probes: Mutex::new(Bucket::new(f64::from(MOST_PROBE_PPS), PROBE_BURST, now_ns)),
            passed: AtomicU64::new(0),
            above: None,
        }
    }

    /// A budget without limits of its own that draws on `above`.
    pub(crate) fn below(above: Arc<Self>, now_ns: u64) -> Self {
        Self {
            above: Some(above),
            ..Self::new(None, now_ns)
        }
    }

    /// From now on these limits; what has passed within the hour stays counted.
    pub(crate) fn limit(&self, max_rate_bps: Option<f64>, max_bytes_per_hour: Option<u64>, now_ns: u64) {
        self.with(|allowed| {
            allowed.bytes = bucket(max_rate_bps, now_ns);
            allowed.hour.set_limit(max_bytes_per_hour);
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut Allowed) -> T) -> T {
        // It is whole after a panic elsewhere: each change is one assignment after another.
        change(&mut self.allowed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_probes<T>(&self, change: impl FnOnce(&mut Bucket) -> T) -> T {
        change(&mut self.probes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All bytes that have ever passed.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// Bytes that are left of the hour; `None` without such a limit.
    pub(crate) fn left_of_hour(&self, now_ns: u64) -> Option<u64> {
        let left = self.with(|allowed| allowed.hour.left(now_ns));
        (left < u64::MAX).then_some(left)
    }

    /// Sets between `least` and `most` bytes of the hour aside for a test that begins, until dropped.
    pub(crate) fn set_aside(
        self: &Arc<Self>,
        least: u64,
        most: u64,
        now_ns: u64,
    ) -> Result<SetAside, Shortage> {
        let bytes = self.with(|allowed| allowed.hour.set_aside(least, most, now_ns))?;
        Ok(SetAside {
            budget: self.clone(),
            bytes,
        })
    }

    /// Up to `most` bytes that may pass now; 0: wait.
    pub(crate) fn grant(&self, most: u64, now_ns: u64) -> u64 {
        let here = self.with(|allowed| allowed.grant(most, now_ns));
        let granted = match &self.above {
            Some(above) if here > 0 => above.grant(here, now_ns),
            _ => here,
        };
        self.with(|allowed| allowed.give_back(here - granted));
        self.passed.fetch_add(granted, Ordering::Relaxed);
        granted
    }

    /// Gives back what was granted and not used.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.with(|allowed| allowed.give_back(bytes));
        self.passed.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(above) = &self.above {
            above.give_back(bytes);
        }
    }

    /// Whether a packet of `bytes` may leave now.
    pub(crate) fn packet(&self, bytes: u64, now_ns: u64) -> bool {
        if !self.with(|allowed| allowed.packet(bytes, now_ns)) {
            return false;
        }
        let may = self
            .above
            .as_ref()
            .is_none_or(|above| above.packet(bytes, now_ns));
        if may {
            self.passed.fetch_add(bytes, Ordering::Relaxed);
        } else {
            self.with(|allowed| allowed.give_back(bytes));
        }
        may
    }

    /// Whether a probe may leave now, of whatever size.
    pub(crate) fn may_probe(&self, now_ns: u64) -> bool {
        self.with(|allowed| allowed.may_probe(now_ns))
            && self.with_probes(|bucket| bucket.has(1.0, now_ns))
            && self.above.as_ref().is_none_or(|above| above.may_probe(now_ns))
    }

    /// Counts a probe of `bytes`.
    pub(crate) fn has_probed(&self, bytes: u64, now_ns: u64) {
        let mut budget = Some(self);
        while let Some(one) = budget {
            one.with_probes(|bucket| bucket.owe(1.0, now_ns));
            budget = one.above.as_deref();
        }
        self.has_passed(bytes, now_ns);
    }

    /// Counts what has passed unasked; whether it keeps to the limit, but for jitter.
    pub(crate) fn has_passed(&self, bytes: u64, now_ns: u64) -> bool {
        self.passed.fetch_add(bytes, Ordering::Relaxed);
        let is_within = self.with(|allowed| allowed.has_passed(bytes, now_ns));
        let above = self.above.as_ref();
        // Both count it, whatever the first one says.
        above.is_none_or(|above| above.has_passed(bytes, now_ns)) && is_within
    }
}

/// Bytes of an hour that a test may move; dropped when it is over.
pub(crate) struct SetAside {
    budget: Arc<Budget>,
    pub(crate) bytes: u64,
}

impl Drop for SetAside {
    fn drop(&mut self) {
        self.budget.with(|allowed| allowed.hour.release(self.bytes));
    }
}

fn bucket(max_rate_bps: Option<f64>, now_ns: u64) -> Option<Bucket> {
    let per_second = (max_rate_bps? / 8.0).max(1.0);
    Some(Bucket::new(per_second, per_second * BURST_S, now_ns))
}

impl Allowed {
    fn grant(&mut self, most: u64, now_ns: u64) -> u64 {
        let granted = self.bytes.as_mut().map_or(most, |bucket| {
            if !bucket.has(WORTH_A_CALL_BYTES.min(most as f64), now_ns) {
                return 0;
            }
            let granted = bucket.tokens.min(most as f64).floor();
            bucket.tokens -= granted;
            granted as u64
        });
        self.hour.pass(granted, now_ns);
        granted
    }

    fn give_back(&mut self, bytes: u64) {
        self.hour.give_back(bytes);
        if let Some(bucket) = &mut self.bytes {
            bucket.tokens = (bucket.tokens + bytes as f64).min(bucket.most);
        }
    }

    fn packet(&mut self, bytes: u64, now_ns: u64) -> bool {
        let may = self
            .bytes
            .as_mut()
            .is_none_or(|bucket| bucket.take(bytes as f64, now_ns));
        if may {
            self.hour.pass(bytes, now_ns);
        }
        may
    }

    fn may_probe(&mut self, now_ns: u64) -> bool {
        let packet = |bucket: &mut Bucket| bucket.has(WORTH_A_CALL_BYTES, now_ns);
        self.bytes.as_mut().is_none_or(packet)
    }

    fn has_passed(&mut self, bytes: u64, now_ns: u64) -> bool {
        let owed_s = |bucket: &mut Bucket| bucket.owe(bytes as f64, now_ns);
        let owed_s = self.bytes.as_mut().map_or(0.0, owed_s);
        self.hour.pass(bytes, now_ns);
        owed_s <= TOLERATED_DEBT_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_bucket_keeps_to_its_rate() {
        let mut bucket = Bucket::new(50_000.0, 5_000.0, 7);
        assert_eq!((0..10_000).filter(|_| bucket.take(1.0, 7)).count(), 5_000);
        let later = 7 + S / 100;
        assert_eq!((0..10_000).filter(|_| bucket.take(1.0, later)).count(), 500);
    }

    #[test]
    fn a_packet_larger_than_the_bucket_goes_and_is_paid_for() {
        // 100 kbit/s: a tenth of a second is 1,250 bytes.
        let budget = Budget::new(Some(1e5), 0);
        assert!(budget.packet(9_000, 0));
        assert!(!budget.packet(100, S / 2));
        assert!(budget.packet(100, S));
    }

    #[test]
    fn who_sends_unasked_is_found_out_and_who_is_late_is_not() {
        let budget = Budget::new(Some(8e6), 0);
        assert!(budget.has_passed(500_000, 0));
        assert!(budget.has_passed(400_000, S / 2));
        assert!(!budget.has_passed(600_000, S / 2));
        assert!(Budget::new(None, 0).has_passed(u64::MAX, 0));
    }

    #[test]
    fn probes_of_all_sessions_share_one_rate() {
        let budget = Budget::new(None, 0);
        let mut sent = 0;
        for at_ns in (0..S).step_by(1_000_000) {
            while budget.may_probe(at_ns) {
                budget.has_probed(64, at_ns);
                sent += 1;
            }
        }
        assert!((19_900..=20_500).contains(&sent), "{sent}");
    }

    #[test]
    fn who_draws_on_a_budget_keeps_to_both_and_returns_what_the_other_refused() {
        let owner = Arc::new(Budget::new(Some(8e6), 0));
        let holder = Arc::new(Budget::below(owner.clone(), 0));
        holder.limit(None, Some(250_000), 0);
        let test = holder.set_aside(1, 200_000, 0).ok().unwrap();
        assert_eq!((test.bytes, holder.left_of_hour(0)), (200_000, Some(50_000)));
        // A tenth of a second at once; the owner's bucket holds no more.
        assert_eq!(holder.grant(1_000_000, 0), 100_000);
        assert_eq!(holder.grant(1_000_000, 0), 0);
        drop(test);
        assert_eq!((holder.left_of_hour(0), owner.passed()), (Some(150_000), 100_000));
        // The other holders have the rest of the rate.
        assert!(Budget::below(owner.clone(), S).packet(1_500, S));
        // What was agreed is never held back by the hour, and counted.
        assert!(holder.has_passed(150_001, 2 * S));
        assert!(holder.set_aside(1, 1, 2 * S).is_err());
        holder.limit(None, None, S);
        assert_eq!(holder.left_of_hour(2 * S), None);
    }

    proptest! {
        /// Whoever asks, in whatever portions and whenever: a second brings no more than its rate, and a tenth at once.
        #[test]
        fn grants_keep_to_the_rate(
            rate_bps in 1e4..1e10_f64,
            asks in prop::collection::vec((0u64..S, 1u64..2_000_000), 1..400),
        ) {
            let budget = Budget::new(Some(rate_bps), 0);
            let mut asks = asks;
            asks.sort_unstable();
            let granted: u64 = asks.iter().map(|(at, most)| budget.grant(*most, *at)).sum();
            prop_assert!(granted as f64 <= rate_bps / 8.0 * 1.1 + 1.0);
        }
    }
}
