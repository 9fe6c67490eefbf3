//! How many probes a mesh may send: all of them together stay below a share of what its narrowest link carries.

use evidence::RateBps;

/// What nobody told is taken for a link that is slow today.
const UNTOLD: RateBps = RateBps(1e8);
/// Of the capacity, for all probes that one link can carry.
const SHARE: f64 = 0.01;
/// More probes a second of one pair would tell nothing more in the time that people wait.
const MOST_PPS: f64 = 200.0;
/// An IPv6 probe with its headers; an IPv4 probe is smaller.
const PROBE_BYTES: f64 = 84.0;

/// The probes of each pair, there and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gentle {
    /// Per second, at least 1.
    pub(super) pps: u32,
    /// In all.
    pub(super) count: u64,
}

/// For so many places, whose narrowest link has this capacity.
///
/// Of `n` places at most `n²/4` pairs send across one link in one direction: when it parts them into two halves. A probe and
/// its answer go opposite ways, so that each pair costs a link one packet a probe in each direction.
pub(super) fn gentle(places: usize, capacity: Option<RateBps>, seconds: u32) -> Gentle {
    let across = (places as f64 * places as f64 / 4.0).max(1.0);
    let each_bps = SHARE * capacity.unwrap_or(UNTOLD).0 / across;
    let pps = (each_bps / (8.0 * PROBE_BYTES)).clamp(1.0, MOST_PPS) as u32;
    Gentle {
        pps,
        count: u64::from(pps) * u64::from(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_probes_that_one_link_can_carry_stay_below_a_hundredth_of_it() {
        for places in [2usize, 3, 12, 40] {
            for capacity in [1e7, 1e8, 1e10] {
                let gentle = gentle(places, Some(RateBps(capacity)), 20);
                let across = (places / 2) * places.div_ceil(2);
                let load = f64::from(gentle.pps) * 8.0 * PROBE_BYTES * across as f64;
                assert!(
                    load <= 0.01 * capacity || gentle.pps == 1,
                    "{places} {capacity}: {load}"
                );
                assert_eq!(gentle.count, u64::from(gentle.pps) * 20);
            }
        }
        assert_eq!(gentle(12, None, 20).pps, 41);
    }
}
