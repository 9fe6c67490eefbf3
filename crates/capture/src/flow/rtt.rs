//! Round-trip times of one half: the estimate of its sender, and their distribution.

use super::report::RttStatistics;

/// So many samples are kept as they are before a histogram is worth its memory: most connections are short.
const FEW: usize = 11;

/// No round trip is longer than eleven days: what a leaping clock makes of one stays small enough to reckon with.
pub(super) const MAX_SPAN_NS: i64 = 1_000_000_000_000_000;

/// Samples, their smoothed value, and their distribution in logarithmic steps of a sixteenth.
#[derive(Debug, Default)]
pub(super) struct Rtt {
    smoothed_ns: i64,
    variation_ns: i64,
    min_ns: i64,
    max_ns: i64,
    sum_ns: i64,
    count: u64,
    distribution: Distribution,
}

#[derive(Debug)]
enum Distribution {
    /// The first samples.
    Few([u16; FEW]),
    Many(Box<Histogram>),
}

impl Default for Distribution {
    fn default() -> Self {
        Self::Few([0; FEW])
    }
}

/// Counts from `lowest` on.
#[derive(Debug, Default)]
struct Histogram {
    lowest: u16,
    counts: Vec<u32>,
}

impl Rtt {
    /// Takes a sample; says whether memory grew.
    #[inline(always)]
    pub(super) fn take(&mut self, rtt_ns: i64) -> bool {
        let rtt_ns = rtt_ns.clamp(0, MAX_SPAN_NS);
        self.smooth(rtt_ns);
        self.min_ns = if self.count == 0 {
            rtt_ns
        } else {
            self.min_ns.min(rtt_ns)
        };
        self.max_ns = self.max_ns.max(rtt_ns);
        self.sum_ns = self.sum_ns.saturating_add(rtt_ns);
        let bucket = bucket_of(rtt_ns);
        let place = self.count as usize;
        self.count += 1;
        let first = match &mut self.distribution {
            Distribution::Many(histogram) => return histogram.add(bucket),
            Distribution::Few(first) => first,
        };
        if let Some(first) = first.get_mut(place) {
            *first = bucket;
            return false;
        }
        let mut histogram = Box::<Histogram>::default();
        for bucket in first.iter().copied().chain([bucket]) {
            histogram.add(bucket);
        }
        self.distribution = Distribution::Many(histogram);
        true
    }

    /// RFC 6298 section 2. The handshake feeds this too, without being a sample of data.
    #[inline(always)]
    pub(super) fn smooth(&mut self, rtt_ns: i64) {
        let rtt_ns = rtt_ns.clamp(0, MAX_SPAN_NS);
        if self.smoothed_ns == 0 {
            self.smoothed_ns = rtt_ns;
            self.variation_ns = rtt_ns / 2;
        } else {
            let error = rtt_ns - self.smoothed_ns;
            self.variation_ns += (error.saturating_abs() - self.variation_ns) / 4;
            self.smoothed_ns += error / 8;
        }
    }

    /// Nobody will ask for their distribution.
    pub(super) fn dismiss(&mut self) {
        self.distribution = Distribution::default();
    }

    /// SRTT, nanoseconds; 0 while nothing is known.
    pub(super) fn smoothed_ns(&self) -> i64 {
        self.smoothed_ns
    }

    /// RTTVAR, nanoseconds.
    pub(super) fn variation_ns(&self) -> i64 {
        self.variation_ns
    }

    /// The smallest sample.
    pub(super) fn min_ns(&self) -> Option<i64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        match &self.distribution {
            Distribution::Few(_) => 0,
            Distribution::Many(histogram) => {
                size_of::<Histogram>() + histogram.counts.capacity() * size_of::<u32>()
            }
        }
    }

    /// What is reported; `None` without samples.
    pub(super) fn statistics(&self) -> Option<RttStatistics> {
        (self.count > 0).then(|| RttStatistics {
            count: self.count,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            mean_ns: self.sum_ns as f64 / self.count as f64,
            median_ns: self.quantile_ns(50),
            p95_ns: self.quantile_ns(95),
        })
    }

    /// So many of 100 are at most this; never outside what was measured.
    fn quantile_ns(&self, percent: u64) -> i64 {
        let rank = (self.count.saturating_mul(percent)).div_ceil(100).max(1);
        let bucket = match &self.distribution {
            Distribution::Many(histogram) => histogram.at(rank),
            Distribution::Few(first) => {
                let mut first = *first;
                let known = first.get_mut(..self.count as usize).unwrap_or_default();
                known.sort_unstable();
                known.get(rank as usize - 1).copied().unwrap_or(0)
            }
        };
        middle_of(bucket).clamp(self.min_ns, self.max_ns)
    }
}

impl Histogram {
    /// Counts one; says whether memory grew.
    #[inline]
    fn add(&mut self, bucket: u16) -> bool {
        let place = usize::from(bucket).wrapping_sub(usize::from(self.lowest));
        if let Some(count) = self.counts.get_mut(place) {
            *count = count.saturating_add(1);
            return false;
        }
        self.reach(bucket);
        if let Some(count) = self.counts.get_mut(usize::from(bucket - self.lowest)) {
            *count += 1;
        }
        true
    }

    #[cold]
    fn reach(&mut self, bucket: u16) {
        if self.counts.is_empty() {
            self.lowest = bucket;
        }
        // A quarter octave of room on each side of what is needed, so that a slow drift does not move all of it each time.
        if bucket < self.lowest {
            let lowest = bucket.saturating_sub(4);
            self.counts
                .splice(0..0, std::iter::repeat_n(0, usize::from(self.lowest - lowest)));
            self.lowest = lowest;
        }
        let needed = usize::from(bucket - self.lowest) + 1;
        if self.counts.len() < needed {
            self.counts.resize(needed + 4, 0);
        }
    }

    fn at(&self, rank: u64) -> u16 {
        let mut below = 0u64;
        for (place, count) in self.counts.iter().enumerate() {
            below += u64::from(*count);
            if below >= rank {
                return self.lowest.saturating_add(place as u16);
            }
        }
        self.lowest
    }
}

/// 16 buckets in each octave.
#[inline]
fn bucket_of(rtt_ns: i64) -> u16 {
    let value = rtt_ns.max(0) as u64;
    if value < 16 {
        return value as u16;
    }
    let octave = 63 - value.leading_zeros();
    ((octave - 3) * 16) as u16 + ((value >> (octave - 4)) & 15) as u16
}

fn middle_of(bucket: u16) -> i64 {
    if bucket < 16 {
        return i64::from(bucket);
    }
    let octave = u32::from(bucket / 16) + 3;
    let width = 1u64 << (octave - 4).min(62);
    let value = (16 + u64::from(bucket % 16)).saturating_mul(width) + width / 2;
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_said_without_samples() {
        assert_eq!(Rtt::default().statistics(), None);
        assert_eq!(Rtt::default().min_ns(), None);
    }

    proptest! {
        #[test]
        fn quantiles_are_within_a_sixteenth(mut samples in proptest::collection::vec(0i64..4_000_000_000, 1..200)) {
            let mut rtt = Rtt::default();
            for sample in &samples {
                rtt.take(*sample);
            }
            samples.sort_unstable();
            let found = rtt.statistics().unwrap();
            let exact = |percent: usize| samples[(samples.len() * percent).div_ceil(100).max(1) - 1] as f64;
            prop_assert!((found.median_ns as f64 - exact(50)).abs() <= exact(50) / 16.0 + 1.0);
            prop_assert!((found.p95_ns as f64 - exact(95)).abs() <= exact(95) / 16.0 + 1.0);
            prop_assert_eq!((found.min_ns, found.max_ns), (samples[0], *samples.last().unwrap()));
        }

        #[test]
        fn any_time_has_a_bucket(rtt_ns in any::<i64>()) {
            let mut rtt = Rtt::default();
            for sample in [1, rtt_ns, 3, i64::MAX, 5, rtt_ns, 7, 8, 9, 10, 0] {
                rtt.take(sample);
            }
            prop_assert!(rtt.heap_bytes() < 20_000);
            prop_assert!(rtt.statistics().is_some());
        }
    }
}
