//! What happens to a packet: the pure state machine of one direction.
//!
//! The order is that of real equipment: the policer at the router's door, the queue in front of the wire, the
//! wire (serialisation, loss, corruption, delay), the far interface. A packet that is lost on the wire or refused
//! by the far interface has used its share of the rate.
//!
//! Rates are kept in virtual time: a packet departs at `max(now, busy_until) + size / rate`, whatever the moment
//! at which a thread gets round to it. So lateness shifts single packets but never the rate.

use rand::Rng;
use scenario::Direction;

use super::counters::DropReason;
use super::loss::LossProcess;
use super::policer::Policer;

/// The fate of one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It does not arrive.
    Dropped(DropReason),
    /// It arrives.
    Carried {
        /// When it is due at the far end.
        due_ns: u64,
        /// It is held back, out of order.
        overtaken: bool,
        /// It arrives twice.
        twice: bool,
        /// One of its bits is flipped.
        corrupted: bool,
    },
}

#[derive(Debug)]
pub(crate) struct Shaper {
    direction: Direction,
    queue_bytes: u64,
    /// When the wire is free again, in picoseconds: at 10 Gbit/s a byte takes 0.8 ns.
    busy_until_ps: u128,
    policer: Option<Policer>,
    loss: LossProcess,
}

const PS_PER_NS: u128 = 1000;

impl Shaper {
    pub(crate) fn new(direction: Direction, now_ns: u64) -> Self {
        Self {
            queue_bytes: direction.effective_queue_bytes().unwrap_or(u64::MAX),
            busy_until_ps: 0,
            policer: direction.policer.map(|p| Policer::new(p, now_ns)),
            loss: LossProcess::new(direction.loss),
            direction,
        }
    }

    /// Goes on with other parameters. What is already queued keeps its place; loss and policer start afresh only
    /// where they changed.
    pub(crate) fn change(&mut self, direction: Direction, now_ns: u64) {
        if direction.policer != self.direction.policer {
            self.policer = direction.policer.map(|p| Policer::new(p, now_ns));
        }
        if direction.loss != self.direction.loss {
            self.loss = LossProcess::new(direction.loss);
        }
        self.queue_bytes = direction.effective_queue_bytes().unwrap_or(u64::MAX);
        self.direction = direction;
    }

    pub(crate) fn offer(&mut self, now_ns: u64, size_bytes: u32, rng: &mut impl Rng) -> Fate {
        if self
            .policer
            .as_mut()
            .is_some_and(|p| !p.admits(now_ns, size_bytes))
        {
            return Fate::Dropped(DropReason::Policer);
        }
        let Some(sent_ns) = self.enqueue(now_ns, size_bytes) else {
            return Fate::Dropped(DropReason::Queue);
        };
        if self.loss.loses(rng) {
            return Fate::Dropped(DropReason::Loss);
        }
        if self
            .direction
            .accept_bytes
            .is_some_and(|limit| size_bytes > limit)
        {
            return Fate::Dropped(DropReason::TooLarge);
        }
        let held_back = self.direction.reorder.filter(|r| happens(r.ratio, rng));
        Fate::Carried {
            due_ns: sent_ns + self.direction.delay_ns + held_back.map_or(0, |r| r.by.ns),
            overtaken: held_back.is_some(),
            twice: happens(self.direction.duplicate_ratio, rng),
            corrupted: happens(self.direction.corrupt_ratio, rng),
        }
    }

    /// When the packet's last bit is on the wire, or `None` if the queue has no room for it.
    fn enqueue(&mut self, now_ns: u64, size_bytes: u32) -> Option<u64> {
        let Some(rate_bps) = self.direction.rate_bps else {
            return Some(now_ns);
        };
        let rate_bps = u128::from(rate_bps.max(1));
        let now_ps = u128::from(now_ns) * PS_PER_NS;
        let waiting_ps = self.busy_until_ps.saturating_sub(now_ps);
        let waiting_bytes = waiting_ps * rate_bps / 8_000_000_000_000;
        // A packet that finds the wire idle is not queued, however small the queue.
        if waiting_ps > 0 && waiting_bytes + u128::from(size_bytes) > u128::from(self.queue_bytes) {
            return None;
        }
        self.busy_until_ps =
            now_ps.max(self.busy_until_ps) + u128::from(size_bytes) * 8_000_000_000_000 / rate_bps;
        Some((self.busy_until_ps / PS_PER_NS) as u64)
    }
}

/// Draws only where there is something to draw: the same seed must lose the same packets whether or not some
/// other, unused, property exists.
fn happens(ratio: f64, rng: &mut impl Rng) -> bool {
    ratio > 0.0 && rng.random_bool(ratio.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::SmallRng};
    use scenario::{Delay, Loss, Reorder};

    fn rng() -> SmallRng {
        SmallRng::seed_from_u64(42)
    }

    fn due(fate: Fate) -> Option<u64> {
        match fate {
            Fate::Carried { due_ns, .. } => Some(due_ns),
            Fate::Dropped(_) => None,
        }
    }

    #[test]
    fn an_empty_direction_is_a_wire() {
        let mut shaper = Shaper::new(Direction::default(), 0);
        assert_eq!(due(shaper.offer(77, 9000, &mut rng())), Some(77));
    }

    #[test]
    fn delay_and_serialisation_add_up() {
        // 12,000 bits at 12 Mbit/s take 1 ms; the second packet waits for the first.
        let direction = Direction {
            rate_bps: Some(12_000_000),
            delay_ns: 5_000_000,
            ..Direction::default()
        };
        let mut shaper = Shaper::new(direction, 0);
        assert_eq!(due(shaper.offer(0, 1500, &mut rng())), Some(6_000_000));
        assert_eq!(due(shaper.offer(0, 1500, &mut rng())), Some(7_000_000));
        assert_eq!(due(shaper.offer(10_000_000, 1500, &mut rng())), Some(16_000_000));
    }

    #[test]
    fn the_queue_drops_its_tail_in_bytes() {
        let direction = Direction {
            rate_bps: Some(12_000_000),
            queue_bytes: Some(4_500),
            ..Direction::default()
        };
        let mut shaper = Shaper::new(direction, 0);
        let fates: Vec<_> = (0..6)
            .map(|_| due(shaper.offer(0, 1500, &mut rng())).is_some())
            .collect();
        // What waits includes the packet on the wire: three fit into 4,500 bytes.
        assert_eq!(fates, [true, true, true, false, false, false]);
        assert!(due(shaper.offer(0, 60, &mut rng())).is_none());
        assert!(due(shaper.offer(1_000_000, 1500, &mut rng())).is_some());
    }

    #[test]
    fn lateness_does_not_change_the_rate() {
        // One packet each millisecond's worth, looked at only every 20 ms: still one each millisecond.
        let direction = Direction {
            rate_bps: Some(12_000_000),
            ..Direction::default()
        };
        let mut shaper = Shaper::new(direction, 0);
        let dues: Vec<u64> = (0..200u64)
            .filter_map(|i| due(shaper.offer(i / 20 * 20_000_000, 1500, &mut rng())))
            .collect();
        assert!(dues.windows(2).all(|w| w[1] - w[0] == 1_000_000));
    }

    #[test]
    fn what_is_refused_far_away_still_used_the_wire() {
        let direction = Direction {
            rate_bps: Some(12_000_000),
            accept_bytes: Some(1508),
            ..Direction::default()
        };
        let mut shaper = Shaper::new(direction, 0);
        assert_eq!(
            shaper.offer(0, 1509, &mut rng()),
            Fate::Dropped(DropReason::TooLarge)
        );
        assert!(due(shaper.offer(0, 1508, &mut rng())).is_some_and(|due_ns| due_ns > 2_000_000));
    }

    #[test]
    fn a_change_keeps_the_queue() {
        let direction = Direction {
            rate_bps: Some(12_000_000),
            ..Direction::default()
        };
        let mut shaper = Shaper::new(direction.clone(), 0);
        shaper.offer(0, 1500, &mut rng());
        shaper.change(
            Direction {
                loss: Loss::Every(2),
                ..direction
            },
            0,
        );
        assert_eq!(due(shaper.offer(0, 1500, &mut rng())), Some(2_000_000));
        assert_eq!(shaper.offer(0, 1500, &mut rng()), Fate::Dropped(DropReason::Loss));
    }

    #[test]
    fn held_back_packets_are_marked() {
        let reorder = Reorder {
            ratio: 1.0,
            by: Delay { ns: 500 },
        };
        let mut shaper = Shaper::new(
            Direction {
                reorder: Some(reorder),
                ..Direction::default()
            },
            0,
        );
        let fate = shaper.offer(0, 100, &mut rng());
        assert_eq!(
            fate,
            Fate::Carried {
                due_ns: 500,
                overtaken: true,
                twice: false,
                corrupted: false
            }
        );
    }

    proptest::proptest! {
        /// Whatever arrives when: never faster than the rate, never longer in the queue than the queue is.
        #[test]
        fn conforms_to_rate_and_queue(
            rate_bps in 1_000_000u64..10_000_000_000,
            queue_bytes in 3_000u64..1_000_000,
            packets in proptest::collection::vec((0u64..2_000_000, 40u32..9000), 1..300),
        ) {
            let direction =
                Direction { rate_bps: Some(rate_bps), queue_bytes: Some(queue_bytes), ..Direction::default() };
            let queue_time_ns = direction.queue_time_ns().unwrap_or(0);
            let mut shaper = Shaper::new(direction, 0);
            let mut rng = rng();
            let (mut now_ns, mut last_due_ns) = (0, 0);
            for (gap_ns, size_bytes) in packets {
                now_ns += gap_ns;
                let Some(due_ns) = due(shaper.offer(now_ns, size_bytes, &mut rng)) else { continue };
                let own_ns = u64::from(size_bytes) * 8_000_000_000 / rate_bps;
                proptest::prop_assert!(due_ns + 1 >= last_due_ns + own_ns);
                proptest::prop_assert!(due_ns - now_ns <= queue_time_ns.max(own_ns) + 2);
                last_due_ns = due_ns;
            }
        }
    }
}
