//! A token bucket that drops what exceeds it.

use scenario::Policer as Parameters;

/// State of a policer. Tokens are counted in bits × 10⁹, so that a nanosecond at 1 bit/s is one whole unit and
/// nothing is ever rounded away: a policer that forgets fractions drifts by percents at small packets.
#[derive(Debug, Clone)]
pub(crate) struct Policer {
    parameters: Parameters,
    nanobits: u128,
    filled_at_ns: u64,
}

const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

impl Policer {
    pub(crate) fn new(parameters: Parameters, now_ns: u64) -> Self {
        let nanobits = u128::from(parameters.burst_bytes) * NANOBITS_PER_BYTE;
        Self {
            parameters,
            nanobits,
            filled_at_ns: now_ns,
        }
    }

    /// Whether the packet conforms; if so it uses up its tokens.
    pub(crate) fn admits(&mut self, now_ns: u64, size_bytes: u32) -> bool {
        let elapsed_ns = now_ns.saturating_sub(self.filled_at_ns);
        self.filled_at_ns = self.filled_at_ns.max(now_ns);
        let depth = u128::from(self.parameters.burst_bytes) * NANOBITS_PER_BYTE;
        let income = u128::from(elapsed_ns) * u128::from(self.parameters.rate.bps);
        self.nanobits = depth.min(self.nanobits + income);
        let price = u128::from(size_bytes) * NANOBITS_PER_BYTE;
        let conforms = price <= self.nanobits;
        if conforms {
            self.nanobits -= price;
        }
        conforms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scenario::Rate;

    fn policer(bps: u64, burst_bytes: u64) -> Policer {
        Policer::new(
            Parameters {
                rate: Rate { bps },
                burst_bytes,
            },
            0,
        )
    }

    #[test]
    fn lets_the_burst_through_and_then_the_rate() {
        let mut policer = policer(8_000_000, 10_000); // 1 byte a microsecond
        let at_once = (0..100).filter(|_| policer.admits(0, 1000)).count();
        assert_eq!(at_once, 10);
        assert!(!policer.admits(999_999, 1000));
        assert!(policer.admits(1_000_000, 1000));
    }

    #[test]
    fn passes_its_rate_to_the_byte_over_a_minute() {
        // 12 Mbit/s offered to 8 Mbit/s, 1500-byte packets each millisecond.
        let mut policer = policer(8_000_000, 15_000);
        let passed: u64 = (0..60_000u64)
            .filter(|ms| policer.admits(ms * 1_000_000, 1500))
            .count() as u64
            * 1500;
        let allowed = 15_000 + 8_000_000 / 8 * 60;
        assert!(
            passed <= allowed && passed + 3000 > allowed,
            "{passed} of {allowed}"
        );
    }
}
