//! Counts and round-trip times of one hop, in constant memory however long the view stays open.

use stats::Ratio;
use std::collections::VecDeque;
use std::net::IpAddr;

/// Outcomes kept for the sparkline: more than a wide terminal shows.
pub(super) const RECENT: usize = 256;
/// Addresses kept of a hop: a balanced one has a few, and a forger as many as it likes.
const MOST_ADDRESSES: usize = 4;
/// Answers in a row after which another address is a changed route, where it was never seen at this hop before.
const NEW_RUN: u32 = 3;
/// The same where it was: a hop that balances packet by packet has runs as well, but hardly ever two of these.
const KNOWN_RUN: u32 = 8;

/// What is known of a hop.
#[derive(Debug, Clone, Default)]
pub(super) struct HopStatistics {
    sent: u64,
    answered: u64,
    /// Of those since the route last changed: what marks are decided by.
    recent_sent: u64,
    recent_lost: u64,
    last_ns: Option<u64>,
    best_ns: Option<u64>,
    worst_ns: Option<u64>,
    mean_ns: f64,
    /// Sum of squared differences from the mean (Welford 1962): no sum of squares, which would lose all digits.
    squares: f64,
    jitter_ns: f64,
    outcomes: VecDeque<Option<u64>>,
    addresses: Vec<IpAddr>,
    current: Option<Run>,
    /// Another address than the current one, and how often in a row.
    other: Option<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    address: IpAddr,
    length: u32,
    is_new: bool,
}

impl HopStatistics {
    /// A probe that got no answer in time.
    pub(super) fn note_lost(&mut self) {
        self.sent += 1;
        self.recent_sent += 1;
        self.recent_lost += 1;
        self.note_outcome(None);
    }

    /// A probe that was answered. Gives the address that another one has taken the place of.
    pub(super) fn note_answer(&mut self, from: IpAddr, rtt_ns: u64) -> Option<IpAddr> {
        self.sent += 1;
        self.recent_sent += 1;
        self.answered += 1;
        let rtt = rtt_ns as f64;
        if let Some(last_ns) = self.last_ns {
            // RFC 3550, 6.4.1, with round trips for transit times: the clocks of the two ends cancel out.
            self.jitter_ns += (last_ns.abs_diff(rtt_ns) as f64 - self.jitter_ns) / 16.0;
        }
        let from_mean = rtt - self.mean_ns;
        self.mean_ns += from_mean / self.answered as f64;
        self.squares += from_mean * (rtt - self.mean_ns);
        self.last_ns = Some(rtt_ns);
        self.best_ns = Some(self.best_ns.map_or(rtt_ns, |best| best.min(rtt_ns)));
        self.worst_ns = Some(self.worst_ns.map_or(rtt_ns, |worst| worst.max(rtt_ns)));
        self.note_outcome(Some(rtt_ns));
        self.note_address(from)
    }

    fn note_outcome(&mut self, rtt_ns: Option<u64>) {
        if self.outcomes.len() == RECENT {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back(rtt_ns);
    }

    fn note_address(&mut self, from: IpAddr) -> Option<IpAddr> {
        let is_new = !self.addresses.contains(&from);
        if is_new && self.addresses.len() < MOST_ADDRESSES {
            self.addresses.push(from);
        }
        let Some(current) = &mut self.current else {
            self.current = Some(Run::first(from, false));
            return None;
        };
        if current.address == from {
            current.length = current.length.saturating_add(1);
            self.other = None;
            return None;
        }
        let other = match self.other.take() {
            Some(run) if run.address == from => Run {
                length: run.length + 1,
                ..run
            },
            _ => Run::first(from, is_new),
        };
        self.other = Some(other);
        let needed = if other.is_new { NEW_RUN } else { KNOWN_RUN };
        let was = *current;
        if other.length < needed {
            return None;
        }
        self.current = self.other.take();
        (was.length >= needed).then_some(was.address)
    }

    /// The route changed: what was lost before says nothing of the one there is now.
    pub(super) fn forget_evidence(&mut self) {
        self.recent_sent = 0;
        self.recent_lost = 0;
    }

    /// Probes answered, or no longer waited for.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) fn answered(&self) -> u64 {
        self.answered
    }

    /// Probes lost, of all.
    pub(super) fn loss(&self) -> Ratio {
        Ratio::new(self.sent - self.answered, self.sent)
    }

    /// Probes lost since the route last changed.
    pub(super) fn evidence(&self) -> Ratio {
        Ratio::new(self.recent_lost, self.recent_sent)
    }

    pub(super) fn last_ns(&self) -> Option<u64> {
        self.last_ns
    }

    pub(super) fn best_ns(&self) -> Option<u64> {
        self.best_ns
    }

    pub(super) fn worst_ns(&self) -> Option<u64> {
        self.worst_ns
    }

    pub(super) fn mean_ns(&self) -> Option<u64> {
        (self.answered > 0).then_some(self.mean_ns.round() as u64)
    }

    /// Interarrival jitter in the way of RFC 3550: a running mean of how much successive round trips differ.
    pub(super) fn jitter_ns(&self) -> Option<u64> {
        (self.answered > 1).then_some(self.jitter_ns.round() as u64)
    }

    /// Standard deviation of the round trips.
    pub(super) fn deviation_ns(&self) -> Option<u64> {
        let freedom = self.answered.checked_sub(1).filter(|freedom| *freedom > 0)?;
        Some((self.squares.max(0.0) / freedom as f64).sqrt().round() as u64)
    }

    /// The last outcomes, the oldest first; `None`: no answer.
    pub(super) fn outcomes(&self) -> impl ExactSizeIterator<Item = Option<u64>> {
        self.outcomes.iter().copied()
    }

    /// Who answers, as far as one address does.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.current.map(|run| run.address)
    }

    /// All who answered, the first four.
    pub(super) fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }
}

impl Run {
    fn first(address: IpAddr, is_new: bool) -> Self {
        Self {
            address,
            length: 1,
            is_new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn ip(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    fn of(rtts_ms: &[Option<u64>]) -> HopStatistics {
        let mut hop = HopStatistics::default();
        for rtt in rtts_ms {
            match rtt {
                Some(ms) => {
                    hop.note_answer(ip(1), ms * MS);
                }
                None => hop.note_lost(),
            }
        }
        hop
    }

    #[test]
    fn figures_of_a_few_round_trips() {
        let hop = of(&[Some(10), None, Some(14), Some(12)]);
        assert_eq!((hop.sent(), hop.answered()), (4, 3));
        assert_eq!(hop.loss(), Ratio::new(1, 4));
        assert_eq!(hop.last_ns(), Some(12 * MS));
        assert_eq!(hop.best_ns(), Some(10 * MS));
        assert_eq!(hop.worst_ns(), Some(14 * MS));
        assert_eq!(hop.mean_ns(), Some(12 * MS));
        assert_eq!(hop.deviation_ns(), Some(2 * MS));
        // 4/16, then + (2 - 4/16) / 16.
        assert_eq!(hop.jitter_ns(), Some(359_375));
    }

    #[test]
    fn what_was_not_measured_is_nothing_and_not_zero() {
        let silent = of(&[None, None]);
        assert_eq!(silent.mean_ns(), None);
        assert_eq!(silent.best_ns(), None);
        assert_eq!(silent.address(), None);
        let once = of(&[Some(3)]);
        assert_eq!((once.jitter_ns(), once.deviation_ns()), (None, None));
        assert_eq!(HopStatistics::default().loss().estimate(), None);
    }

    fn change(answers: impl IntoIterator<Item = u8>) -> Vec<(usize, IpAddr)> {
        let mut hop = HopStatistics::default();
        let answers = answers.into_iter().enumerate();
        answers
            .filter_map(|(at, last)| Some((at, hop.note_answer(ip(last), MS)?)))
            .collect()
    }

    #[test]
    fn another_router_is_a_changed_route_when_it_stays() {
        assert_eq!(change([1, 1, 1, 1, 2, 2, 2, 2]), [(6, ip(1))]);
        // Back again is a change as well, after longer.
        let back = [[1; 10], [2; 10], [1; 10]].concat();
        assert_eq!(change(back), [(12, ip(1)), (27, ip(2))]);
        // Near misses: one stray answer, and a hop that balances packet by packet.
        assert_eq!(change([1, 1, 1, 1, 2, 1, 1, 2, 2, 1]), []);
        assert_eq!(change([1, 2].repeat(500)), []);
        assert_eq!(change([1, 2, 2, 2, 2]), [], "too little was seen of the first");
    }

    proptest! {
        #[test]
        fn sums_agree_with_the_whole_list(rtts in prop::collection::vec(prop::option::of(1u64..10_000), 1..400)) {
            let hop = of(&rtts);
            let seen: Vec<f64> = rtts.iter().flatten().map(|ms| (ms * MS) as f64).collect();
            prop_assert_eq!(hop.answered(), seen.len() as u64);
            prop_assert_eq!(hop.sent(), rtts.len() as u64);
            prop_assert!(hop.outcomes().len() <= RECENT);
            if !seen.is_empty() {
                let mean = seen.iter().sum::<f64>() / seen.len() as f64;
                prop_assert!((hop.mean_ns().unwrap() as f64 - mean).abs() <= 2.0);
                prop_assert!(hop.best_ns() <= hop.mean_ns() && hop.mean_ns() <= hop.worst_ns());
                let squares: f64 = seen.iter().map(|rtt| (rtt - mean) * (rtt - mean)).sum();
                if let Some(deviation) = hop.deviation_ns() {
                    let exact = (squares / (seen.len() - 1) as f64).sqrt();
                    prop_assert!((deviation as f64 - exact).abs() <= 2.0 + exact * 1e-6);
                }
            }
        }
    }
}
