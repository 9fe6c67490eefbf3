//! What a packet tells of a clock: the time in 64 bits, and how far it may be off.

/// Seconds from 1900 (NTP) to 1970 (Unix).
const NTP_TO_UNIX_S: i64 = 2_208_988_800;
const S: i64 = 1_000_000_000;

/// How a time is written (the Z bit of the error estimate, RFC 8186 section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    /// RFC 5905: seconds since 1900, and their fraction in 2⁻³² s.
    Ntp,
    /// IEEE 1588 truncated: seconds, and nanoseconds. Its seconds may count leap seconds (TAI), which nobody tells.
    Ptp,
}

impl TimeFormat {
    /// `unix_ns`, nanoseconds since 1970, as eight bytes.
    #[must_use]
    pub fn write(self, unix_ns: i64) -> [u8; 8] {
        let (seconds, ns) = (unix_ns.div_euclid(S), unix_ns.rem_euclid(S) as u64);
        let (seconds, rest) = match self {
            // Rounded up, so that reading gives the same nanosecond back.
            Self::Ntp => (seconds.wrapping_add(NTP_TO_UNIX_S), (ns << 32).div_ceil(S as u64)),
            Self::Ptp => (seconds, ns),
        };
        (((seconds as u64 & 0xffff_ffff) << 32) | rest).to_be_bytes()
    }

    /// The time, nanoseconds since 1970: of all eras of 136 years the one that lies nearest to `near_ns`.
    #[must_use]
    pub fn read(self, bytes: [u8; 8], near_ns: i64) -> i64 {
        let raw = u64::from_be_bytes(bytes);
        let (seconds, rest) = ((raw >> 32) as u32, raw & 0xffff_ffff);
        let (epoch_s, ns) = match self {
            Self::Ntp => (NTP_TO_UNIX_S, (rest * S as u64) >> 32),
            Self::Ptp => (0, rest.min(S as u64 - 1)),
        };
        let near_s = near_ns.div_euclid(S);
        // The difference in 32 bits, as a signed number, is at most half an era.
        let ahead_s = seconds.wrapping_sub((near_s + epoch_s) as u32) as i32;
        (near_s + i64::from(ahead_s))
            .saturating_mul(S)
            .saturating_add(ns as i64)
    }
}

/// How far the clock may be off (RFC 4656, section 4.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorEstimate {
    /// Whether the clock follows UTC by an external source (S).
    pub synchronised: bool,
    /// How times are written (Z).
    pub format: TimeFormat,
    /// The error is `multiplier` · 2^(`scale` − 32) seconds; 6 bits.
    pub scale: u8,
    /// Never 0 where the sender keeps to the RFC.
    pub multiplier: u8,
}

/// A clock, as its host knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Whether it follows UTC by an external source.
    pub synchronised: bool,
    /// How far it may be off, nanoseconds.
    pub error_ns: u64,
}

impl ErrorEstimate {
    /// What to say of `clock`: its error, rounded up.
    #[must_use]
    pub fn of(clock: Clock) -> Self {
        // In units of 2⁻³² s.
        let units = (u128::from(clock.error_ns) << 32).div_ceil(S as u128).max(1);
        let scale = (0..63u8).find(|scale| units.div_ceil(1 << scale) <= 255);
        let scale = scale.unwrap_or(63);
        Self {
            synchronised: clock.synchronised,
            format: TimeFormat::Ntp,
            scale,
            multiplier: u8::try_from(units.div_ceil(1 << scale)).unwrap_or(u8::MAX),
        }
    }

    /// The error, nanoseconds.
    #[must_use]
    pub fn error_ns(self) -> u64 {
        let units = u128::from(self.multiplier) << (self.scale & 0x3f);
        u64::try_from((units * S as u128) >> 32).unwrap_or(u64::MAX)
    }

    /// As two bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 2] {
        let flags = u8::from(self.synchronised) << 7 | u8::from(self.format == TimeFormat::Ptp) << 6;
        [flags | self.scale & 0x3f, self.multiplier]
    }

    /// From two bytes.
    #[must_use]
    pub fn from_bytes([head, multiplier]: [u8; 2]) -> Self {
        Self {
            synchronised: head & 0x80 != 0,
            format: match head & 0x40 != 0 {
                true => TimeFormat::Ptp,
                false => TimeFormat::Ntp,
            },
            scale: head & 0x3f,
            multiplier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_written_as_the_rfcs_draw_them() {
        // 1970-01-01 00:00:00.5 UTC is 2,208,988,800.5 s after 1900.
        assert_eq!(
            TimeFormat::Ntp.write(S / 2),
            [0x83, 0xaa, 0x7e, 0x80, 0x80, 0, 0, 0]
        );
        assert_eq!(TimeFormat::Ptp.write(S / 2), [0, 0, 0, 0, 0x1d, 0xcd, 0x65, 0]);
        // The era of NTP ends on 2036-02-07 at 06:28:16.
        let end = (u32::MAX as i64 + 1 - NTP_TO_UNIX_S) * S;
        assert_eq!(TimeFormat::Ntp.write(end), [0; 8]);
        assert_eq!(TimeFormat::Ntp.read([0; 8], end - S), end);
    }

    #[test]
    fn an_error_is_told_in_the_finest_scale_that_holds_it() {
        let told = |error_ns| {
            ErrorEstimate::of(Clock {
                synchronised: true,
                error_ns,
            })
        };
        assert_eq!(told(0).to_bytes(), [0x80, 1]);
        // 1 ms is 4,294,968 units of 2⁻³² s: 132 · 2¹⁵.
        assert_eq!(told(1_000_000).to_bytes(), [0x80 | 15, 132]);
        assert!((1_000_000..1_010_000).contains(&told(1_000_000).error_ns()));
        assert!(told(u64::MAX).error_ns() > 16 * S as u64);
        assert_eq!(ErrorEstimate::from_bytes([0x40, 1]).format, TimeFormat::Ptp);
    }

    proptest! {
        #[test]
        fn times_survive_the_wire(unix_ns in 0i64..8_000_000_000 * S, apart_s in -1_000_000_000i64..1_000_000_000) {
            for format in [TimeFormat::Ntp, TimeFormat::Ptp] {
                prop_assert_eq!(format.read(format.write(unix_ns), unix_ns + apart_s * S), unix_ns);
            }
        }

        #[test]
        fn any_bytes_are_some_time(bytes: [u8; 8], near in -i64::MAX / 4..i64::MAX / 4, estimate: [u8; 2]) {
            for format in [TimeFormat::Ntp, TimeFormat::Ptp] {
                let _ = format.read(bytes, near);
            }
            let read = ErrorEstimate::from_bytes(estimate);
            prop_assert_eq!(read.to_bytes(), estimate);
            let _ = read.error_ns();
        }

        #[test]
        fn the_error_told_is_no_smaller_and_hardly_larger(error_ns in 1u64..1_000_000_000_000) {
            let told = ErrorEstimate::of(Clock { synchronised: false, error_ns }).error_ns();
            prop_assert!(told + 1 >= error_ns && told as f64 <= error_ns as f64 * 1.01 + 1.0, "{told} {error_ns}");
        }
    }
}
