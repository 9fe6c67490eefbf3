//! One-way delays from the stamps of both kernels.

use super::Stamp;
use evidence::{DelaySample, DelayStatistics, OneWayDelay};

/// Samples kept in an observation.
const MAX_SAMPLES: usize = 2_000;

/// Joins the transmit and receive stamps of the same packets. `None` when no packet has both.
///
/// A stamp that occurs twice counts once, with its earliest time: a duplicated packet is not two delays.
#[must_use]
pub fn join_delays(transmitted: &[Stamp], received: &[Stamp], same_clock: bool) -> Option<OneWayDelay> {
    let transmitted = in_order(transmitted);
    let received = in_order(received);
    let mut others = transmitted.iter().peekable();
    let mut delays = Vec::new();
    for Stamp(sequence, at_ns) in received {
        while others.next_if(|stamp| stamp.0 < sequence).is_some() {}
        if let Some(sent) = others.next_if(|stamp| stamp.0 == sequence) {
            delays.push(DelaySample {
                sequence,
                delay_ns: at_ns.saturating_sub(sent.1),
            });
        }
    }
    let min_ns = delays.iter().map(|sample| sample.delay_ns).min()?;
    let mut above: Vec<i64> = delays
        .iter()
        .map(|sample| sample.delay_ns.saturating_sub(min_ns))
        .collect();
    Some(OneWayDelay {
        same_clock,
        min_ns,
        above_min: DelayStatistics::of(&mut above)?,
        samples: evenly(&delays),
    })
}

fn in_order(stamps: &[Stamp]) -> Vec<Stamp> {
    let mut sorted = stamps.to_vec();
    sorted.sort_unstable_by_key(|stamp| (stamp.0, stamp.1));
    sorted.dedup_by_key(|stamp| stamp.0);
    sorted
}

fn evenly(delays: &[DelaySample]) -> Vec<DelaySample> {
    let step = delays.len().div_ceil(MAX_SAMPLES).max(1);
    delays.iter().step_by(step).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delays_are_joined_by_sequence_and_relative_to_the_smallest() {
        let sent = [Stamp(1, 100), Stamp(2, 200), Stamp(3, 300), Stamp(5, 500)];
        let received = [
            Stamp(3, 330),
            Stamp(1, 150),
            Stamp(1, 160),
            Stamp(4, 999),
            Stamp(5, 520),
        ];
        let joined = join_delays(&sent, &received, true).unwrap();
        assert_eq!(joined.min_ns, 20);
        let pairs: Vec<_> = joined.samples.iter().map(|s| (s.sequence, s.delay_ns)).collect();
        assert_eq!(pairs, [(1, 50), (3, 30), (5, 20)]);
        assert_eq!(
            (joined.above_min.min_ns, joined.above_min.max_ns),
            (Some(0), Some(30))
        );
    }

    #[test]
    fn a_clock_behind_gives_negative_delays_and_no_common_packet_gives_none() {
        let joined = join_delays(&[Stamp(0, 1_000)], &[Stamp(0, 400)], false).unwrap();
        assert_eq!(joined.min_ns, -600);
        assert_eq!(join_delays(&[Stamp(0, 1)], &[Stamp(1, 1)], false), None);
        assert_eq!(join_delays(&[], &[], true), None);
    }

    proptest! {
        #[test]
        fn hostile_stamps_never_panic(sent: Vec<(u64, i64)>, received: Vec<(u64, i64)>) {
            let stamps = |pairs: Vec<(u64, i64)>| pairs.into_iter().map(|(s, t)| Stamp(s, t)).collect::<Vec<_>>();
            let _ = join_delays(&stamps(sent), &stamps(received), false);
        }

        #[test]
        fn at_most_2000_samples_are_kept(count in 1u64..9_000) {
            let stamps: Vec<Stamp> = (0..count).map(|s| Stamp(s, s as i64)).collect();
            let joined = join_delays(&stamps, &stamps, true).unwrap();
            prop_assert!(joined.samples.len() <= 2_000);
            prop_assert!(joined.samples.len() as u64 >= count.min(1_000));
        }
    }
}
