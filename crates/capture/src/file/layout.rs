//! What one must know to read a packet record: byte order, link type, the unit of time.

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    #[inline]
    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        })
    }

    #[inline]
    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        })
    }

    /// Four numbers, one behind the other.
    #[inline]
    pub(crate) fn four(self, bytes: &[u8; 16]) -> [u32; 4] {
        let all = u128::from_le_bytes(*bytes);
        let numbers = [all, all >> 32, all >> 64, all >> 96].map(|number| number as u32);
        match self {
            Self::Little => numbers,
            Self::Big => numbers.map(u32::swap_bytes),
        }
    }

    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        })
    }
}

/// How to read packet records, from one place of a file to where that changes.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
    Pcap(PcapLayout),
    Pcapng(Section),
}

/// The header of a pcap file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PcapLayout {
    pub(crate) order: ByteOrder,
    pub(crate) link_type: u16,
    /// Bytes before the packet: 16, or more in the modified format.
    pub(crate) header_bytes: usize,
    /// Nanoseconds in one unit of the fraction of a second: 1 or 1000.
    pub(crate) fraction_ns: u32,
    /// What the file says that it keeps of a packet.
    pub(crate) snap_bytes: u32,
    pub(crate) lengths: Lengths,
}

/// Which of the two lengths of a pcap record comes first. Files before version 2.3 have the wire's first; in those of 2.3
/// it depends on who wrote them (libpcap's sf-pcap.c), and the captured length is the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lengths {
    CapturedFirst,
    WireFirst,
    SmallerIsCaptured,
}

/// The interfaces of a pcapng section, as far as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) order: ByteOrder,
    /// Interfaces of earlier sections.
    pub(crate) first_interface: u32,
    pub(crate) interfaces: Vec<Interface>,
}

/// An interface of pcapng.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interface {
    pub(crate) link_type: u16,
    pub(crate) snap_bytes: u32,
    pub(crate) clock: Clock,
}

/// How an interface writes times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    unit: Unit,
    /// To be added (if_tsoffset).
    offset_ns: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// So many nanoseconds.
    Nanoseconds(u64),
    /// So many in a nanosecond.
    InNanosecond(u64),
    /// 2^-n seconds.
    BinarySecond(u8),
}

impl Clock {
    /// From if_tsresol (the default is 6: microseconds) and if_tsoffset (seconds).
    pub(crate) fn new(resolution: u8, offset_s: i64) -> Self {
        let exponent = resolution & 0x7f;
        let unit = if resolution & 0x80 != 0 {
            Unit::BinarySecond(exponent)
        } else if exponent <= 9 {
            Unit::Nanoseconds(10_u64.pow(u32::from(9 - exponent)))
        } else {
            // 64 bits of units below 10^-28 s are less than a nanosecond.
            Unit::InNanosecond(10_u64.checked_pow(u32::from(exponent - 9)).unwrap_or(u64::MAX))
        };
        let offset_ns = offset_s.saturating_mul(1_000_000_000);
        Self { unit, offset_ns }
    }

    /// Nanoseconds since 1970; what does not fit is the last time that does.
    #[inline]
    pub(crate) fn time_ns(self, ticks: u64) -> i64 {
        let ns = match self.unit {
            Unit::Nanoseconds(ns) => ticks.saturating_mul(ns),
            Unit::InNanosecond(ticks_in_ns) => ticks / ticks_in_ns,
            Unit::BinarySecond(exponent) => binary_ns(ticks, exponent),
        };
        i64::try_from(ns)
            .unwrap_or(i64::MAX)
            .saturating_add(self.offset_ns)
    }
}

#[cold]
fn binary_ns(ticks: u64, exponent: u8) -> u64 {
    // 64 bits times 10^9 fit into 94: nothing is lost before the shift, and a shift beyond that leaves nothing.
    let ns = (u128::from(ticks) * 1_000_000_000).checked_shr(u32::from(exponent));
    u64::try_from(ns.unwrap_or(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time() {
        assert_eq!(Clock::new(6, 0).time_ns(1_500_000), 1_500_000_000);
        assert_eq!(Clock::new(9, 0).time_ns(1_500_000), 1_500_000);
        assert_eq!(Clock::new(0, 0).time_ns(2), 2_000_000_000);
        assert_eq!(Clock::new(12, 0).time_ns(1_999), 1);
        assert_eq!(Clock::new(0x80 | 10, 0).time_ns(1024 + 512), 1_500_000_000);
        assert_eq!(Clock::new(6, -3).time_ns(5_000_000), 2_000_000_000);
    }

    #[test]
    fn no_time_is_too_large() {
        for resolution in 0..=255 {
            for ticks in [0, 1, u64::MAX] {
                for offset_s in [i64::MIN, -1, 0, i64::MAX] {
                    let _ = Clock::new(resolution, offset_s).time_ns(ticks);
                }
            }
        }
        assert_eq!(Clock::new(0, 0).time_ns(u64::MAX), i64::MAX);
        assert_eq!(Clock::new(127, 0).time_ns(u64::MAX), 1);
    }
}
