//! What an owner allows of everything that goes on at once: all sessions, streams, probes and answers draw on one budget.
//!
//! Token buckets (RFC 2698, section 3, has the terms): rights accrue at the rate, up to what may leave at once. Whoever needs more
//! than a full bucket holds, such as one large packet, goes when it is full and leaves a debt, so that the mean still
//! keeps to the rate. What is received counts as what is sent: it crossed the owner's network.

use std::sync::{Mutex, PoisonError};

/// How much of a rate may pass at once, seconds. Small beside the tolerance that is promised (a tenth, or one second of the
/// rate), large beside the pauses of a thread that waits for more.
const BURST_S: f64 = 0.1;
/// A debt of this many seconds of the rate is more than jitter: whoever sends does not keep to the limit.
const TOLERATED_DEBT_S: f64 = 0.5;
/// A packet's worth, for which everybody waits: else those who need little would take every token as it comes.
const WORTH_A_CALL_BYTES: f64 = 1_500.0;
/// Probes per second of all sessions together: measuring must not become flooding.
const MAX_PROBE_RATE_PPS: f64 = 20_000.0;
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

/// The budget of one owner.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Bytes; `None` without a limit of the rate.
    bytes: Option<Mutex<Bucket>>,
    probes: Mutex<Bucket>,
}

impl Budget {
    /// A budget of `max_rate_bps`, bit/s.
    pub(crate) fn new(max_rate_bps: Option<f64>, now_ns: u64) -> Self {
        let bytes = |bps: f64| {
            let per_second = (bps / 8.0).max(1.0);
            Mutex::new(Bucket::new(per_second, per_second * BURST_S, now_ns))
        };
        Self {
            bytes: max_rate_bps.map(bytes),
            probes: Mutex::new(Bucket::new(MAX_PROBE_RATE_PPS, PROBE_BURST, now_ns)),
        }
    }

    fn with<T>(bucket: &Mutex<Bucket>, change: impl FnOnce(&mut Bucket) -> T) -> T {
        // A bucket is whole after a panic elsewhere: each change is one assignment after another.
        change(&mut bucket.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Up to `most` bytes that may pass now; 0: wait.
    pub(crate) fn grant(&self, most: u64, now_ns: u64) -> u64 {
        let Some(bucket) = &self.bytes else { return most };
        Self::with(bucket, |bucket| {
            if !bucket.has(WORTH_A_CALL_BYTES.min(most as f64), now_ns) {
                return 0;
            }
            let granted = bucket.tokens.min(most as f64).floor();
            bucket.tokens -= granted;
            granted as u64
        })
    }

    /// Gives back what was granted and not used.
    pub(crate) fn give_back(&self, bytes: u64) {
        if let Some(bucket) = &self.bytes {
            Self::with(bucket, |bucket| {
                bucket.tokens = (bucket.tokens + bytes as f64).min(bucket.most)
            });
        }
    }

    /// Whether a packet of `bytes` may leave now.
    pub(crate) fn packet(&self, bytes: u64, now_ns: u64) -> bool {
        let take = |bucket: &mut Bucket| bucket.take(bytes as f64, now_ns);
        self.bytes.as_ref().is_none_or(|bucket| Self::with(bucket, take))
    }

    /// Whether a probe may leave now, of whatever size.
    pub(crate) fn may_probe(&self, now_ns: u64) -> bool {
        let packet = |bucket: &mut Bucket| bucket.has(WORTH_A_CALL_BYTES, now_ns);
        let probe = |bucket: &mut Bucket| bucket.has(1.0, now_ns);
        self.bytes
            .as_ref()
            .is_none_or(|bucket| Self::with(bucket, packet))
            && Self::with(&self.probes, probe)
    }

    /// Counts a probe of `bytes`.
    pub(crate) fn has_probed(&self, bytes: u64, now_ns: u64) {
        Self::with(&self.probes, |bucket| bucket.owe(1.0, now_ns));
        self.has_passed(bytes, now_ns);
    }

    /// Counts what has passed unasked; whether it keeps to the limit, but for jitter.
    pub(crate) fn has_passed(&self, bytes: u64, now_ns: u64) -> bool {
        let owed_s = |bucket: &mut Bucket| bucket.owe(bytes as f64, now_ns);
        let owed_s = self
            .bytes
            .as_ref()
            .map_or(0.0, |bucket| Self::with(bucket, owed_s));
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
