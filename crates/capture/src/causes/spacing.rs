//! The rate of the narrowest link, from the spacing of acknowledgements.
//!
//! What leaves a narrow link is spaced by it, and its acknowledgements keep the spacing at any capture point (packet trains:
//! Dovrolis et al. 2001; a single pair is too easily disturbed). Trains of a flow that is even by itself tell only how fast it
//! is sent. So a train counts only if it is clearly faster than its round trip as a whole: then the sender sent it in one go, and
//! it was the path that spaced it. The mode of the rates is taken, not the largest: acknowledgements that a queue on the way
//! back has compressed (Mogul 1992) are spread over all higher rates.

/// Fewer acknowledgements are no train: jitter of one gap would be a tenth of it.
const LEAST_ACKS: u32 = 8;
/// Coalesced interrupts deliver all of this at once.
const LEAST_NS: i64 = 200_000;
/// Faster than its round trip by this much, and a train was not sent evenly.
const BURST: f64 = 1.25;
/// Bins of an eighth of an octave, from 2^10 bytes per second up to 2^36.
const BINS: usize = 26 * 8;
/// So many trains at one rate before it is believed.
const LEAST_TRAINS: u32 = 4;
/// Trains of one round trip that are kept.
const KEPT: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Spacing {
    start: i64,
    last: i64,
    bytes: u64,
    acks: u32,
    /// Rates of the round trip's trains; before them those that count of earlier ones, until they are enough for a mode.
    trains: [f32; KEPT],
    earlier: usize,
    count: usize,
    bins: Option<Box<[(u32, f32); BINS]>>,
    rate: Option<f64>,
}

impl Spacing {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        let Self {
            trains: _,
            earlier,
            count,
            start,
            last,
            bytes,
            acks,
            bins,
            rate,
        } = self;
        (*earlier, *count) = (0, 0);
        (*start, *last, *bytes, *acks) = (0, 0, 0, 0);
        (*bins, *rate) = (None, None);
    }

    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.bins.as_ref().map_or(0, |bins| size_of_val(&**bins))
    }

    /// An acknowledgement of so many bytes. What takes more than a quarter of a round trip was hardly sent in one go.
    pub(super) fn acked(&mut self, now: i64, bytes: u64, base_rtt: i64) {
        let gap = now - self.last;
        self.last = now;
        let time = now - self.start;
        // A pause ends a train: four times its own gaps.
        let is_pause = self.acks > 0
            && gap > LEAST_NS / 4
            && gap.saturating_mul(i64::from(self.acks)) > time.saturating_mul(4);
        if self.acks == 0
            || is_pause
            || (self.acks >= 2
                && gap.saturating_mul(i64::from(self.acks))
                    > (time - gap).saturating_mul(4).saturating_add(LEAST_NS))
        {
            self.begin(now);
            return;
        }
        self.acks += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if time > base_rtt / 4 {
            self.begin(now);
        } else if self.acks > LEAST_ACKS && time >= LEAST_NS {
            let rate = self.bytes as f64 * 1e9 / time as f64;
            let place = self.earlier + self.count % (KEPT - self.earlier);
            if let Some(place) = self.trains.get_mut(place) {
                *place = rate as f32;
            }
            self.count += 1;
            self.begin(now);
        }
    }

    fn begin(&mut self, now: i64) {
        self.start = now;
        self.bytes = 0;
        self.acks = 1;
    }

    /// A round trip of this rate ended.
    #[inline(always)]
    pub(super) fn round(&mut self, round_rate: f64) {
        if self.count > 0 {
            self.take_trains(round_rate);
        }
    }

    #[inline(never)]
    fn take_trains(&mut self, round_rate: f64) {
        let first = self.earlier;
        let upto = first + std::mem::take(&mut self.count).min(KEPT - first);
        let trains = self.trains;
        for &train in trains.iter().take(upto).skip(first) {
            if f64::from(train) > BURST * round_rate
                && round_rate > 0.0
                && let Some(place) = self.trains.get_mut(self.earlier)
            {
                *place = train;
                self.earlier += 1;
            }
        }
        // Most connections are short: fewer trains have no mode, and need no bins.
        let is_enough = self.bins.is_some() || self.earlier >= LEAST_TRAINS as usize;
        if self.earlier > 0 && is_enough {
            let trains = self.trains;
            for &train in trains.iter().take(std::mem::take(&mut self.earlier)) {
                self.add(f64::from(train));
            }
            self.rate = self.mode();
        }
    }

    fn add(&mut self, rate: f64) {
        let octave = libm::log2(rate);
        let bin = ((octave - 10.0) * 8.0).clamp(0.0, (BINS - 1) as f64) as usize;
        let bins = self.bins.get_or_insert_with(|| Box::new([(0, 0.0); BINS]));
        if let Some((count, sum)) = bins.get_mut(bin) {
            *count += 1;
            *sum += octave as f32;
            // Forgets slowly: sums of single precision stay exact enough, and the path may change.
            if *count >= 4096 {
                for (count, sum) in bins.iter_mut() {
                    let half = *count / 2;
                    *sum *= if *count > 0 {
                        half as f32 / *count as f32
                    } else {
                        0.0
                    };
                    *count = half;
                }
            }
        }
    }

    fn mode(&self) -> Option<f64> {
        let bins = self.bins.as_ref()?;
        let of = |window: &[(u32, f32)]| window.iter().fold((0, 0.0), |(n, s), (m, t)| (n + m, s + t));
        let (count, sum) = bins.windows(3).map(of).max_by_key(|(count, _)| *count)?;
        (count >= LEAST_TRAINS).then(|| libm::exp2(f64::from(sum) / f64::from(count)))
    }

    /// Bytes per second; `None` where no train was faster than the flow as a whole.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate
    }
}
