//! One round trip: what its acknowledgements tell of the path, and which reason a full congestion window has.

use super::ceiling::{Ceiling, Shape};
use super::control::Cuts;
use super::{Label, timeline::Tag};

/// What was seen since the round trip began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    /// Ends when this byte is acknowledged: it was the next to be sent when the round trip began.
    pub(super) end_seq: u64,
    pub(super) start: i64,
    /// When what began it passed the capture point.
    heard_start: i64,
    /// How long it took, once it has ended.
    pub(super) length_ns: i64,
    pub(super) acked: u64,
    pub(super) acks: u32,
    pub(super) min_rtt: i64,
    pub(super) max_flight: u64,
    /// The program had nothing to send for so long.
    pub(super) paused_ns: i64,
    /// Losses were repaired meanwhile.
    pub(super) is_repair: bool,
    /// By the retransmission timer.
    pub(super) is_timeout: bool,
    /// The receiver's window was full meanwhile.
    pub(super) is_window: bool,
}

impl Round {
    pub(super) fn new(start: i64, heard_start: i64, end_seq: u64) -> Self {
        Self {
            end_seq,
            start,
            heard_start,
            length_ns: 0,
            acked: 0,
            acks: 0,
            min_rtt: i64::MAX,
            max_flight: 0,
            paused_ns: 0,
            is_repair: false,
            is_timeout: false,
            is_window: false,
        }
    }

    /// The program had nothing to send meanwhile, or the receiver's window was full: nothing is told of the congestion window.
    /// Pauses of an eighth of a round trip change no flight by much.
    pub(super) fn is_other(&self, base_rtt: i64) -> bool {
        self.is_window || self.paused_ns > base_rtt / 8
    }

    /// It ends now; tells its delivery rate, bytes per second.
    pub(super) fn end(&mut self, heard: i64) -> f64 {
        self.length_ns = heard.saturating_sub(self.heard_start).max(1);
        self.acked as f64 * 1e9 / self.length_ns as f64
    }
}

/// What is known across round trips.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Path {
    /// Smallest round trip so far.
    pub(super) base_rtt: i64,
    /// Largest flight of the round trip before, 0 where it tells nothing.
    last_flight: u64,
    /// A loss was repaired before: the congestion window is what it left.
    pub(super) had_loss: bool,
    ceiling: Ceiling,
    /// Largest flight since the last loss: the congestion window was no smaller.
    pub(super) proven: u64,
    /// The same before that loss, until it is known what the loss did.
    before_loss: u64,
    after_timeout: bool,
    /// What losses left of the flight.
    pub(super) cuts: Cuts,
    /// The sender spaces its segments by a clock.
    pub(super) is_paced: bool,
    /// Delivery rate while a queue stood, bytes per second: the link was never idle then.
    queued_rate: Option<f64>,
    /// Largest delivery rate of a round trip, approached in steps so that one with compressed acknowledgements does not count.
    best_rate: f64,
    last_queue: i64,
    /// By how much the queue changes from one round trip to the next, on average: what stands does not jump.
    queue_change: i64,
}

/// What a round trip was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Of a full congestion window.
    pub(super) window: Tag,
    /// More in flight than the path holds.
    pub(super) is_queued: bool,
    /// And the link is not known to be faster.
    pub(super) is_full: bool,
    /// What a ceiling that ends here was.
    pub(super) ceiling: Option<(i64, Tag)>,
}

/// Sizes that bursts of the sender have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Units {
    pub(super) mss: u64,
    /// The largest segment seen: above segmentation offload a window moves in steps of it.
    pub(super) largest: u64,
}

impl Units {
    /// What is sent in one go.
    pub(super) fn burst(self) -> u64 {
        self.largest.max(self.mss)
    }

    /// Flights that differ by no more are the same.
    pub(super) fn play(self) -> u64 {
        self.largest.max(2 * self.mss)
    }
}

/// A queue stands when not even the fastest acknowledgement of a round trip was as fast as the path is (the principle of
/// CoDel, RFC 8289: the minimum over an interval tells a standing queue from a burst). By more than a sixteenth, as clocks
/// and hosts are no better; by more than [`HOST_NS`]; by more than it takes to send what one acknowledgement answers, as
/// its first byte waited that long for its last; and by more than twice what it changes from one round trip to the next.
const STANDING_PART: i64 = 16;
/// A link is busy that carries nineteen parts of twenty: its rate is known to within a few percent.
const FULL_PART: f64 = 0.95;
/// Trains count only if they are faster than their round trip: where there is jitter, too high by some percent.
const FULL_OF_TRAINS: f64 = 0.92;
/// Rates of round trips with a standing queue are the same within this.
const BEST_PART: f64 = 0.8;
/// A loss cut the window if the flight comes back smaller than this part: CUBIC leaves 0.7, Reno 0.5, and BBR all.
const CUT_PART: f64 = 0.9;
/// Hosts delay by this much: interrupts are coalesced for 50 to 100 µs on common network cards.
const HOST_NS: i64 = 100_000;

impl Path {
    pub(super) fn new() -> Self {
        Self {
            base_rtt: i64::MAX,
            last_flight: 0,
            had_loss: false,
            ceiling: Ceiling::default(),
            proven: 0,
            before_loss: 0,
            after_timeout: false,
            cuts: Cuts::default(),
            is_paced: false,
            queued_rate: None,
            best_rate: 0.0,
            last_queue: 0,
            queue_change: 0,
        }
    }

    /// How long its packets queue, at least, nanoseconds.
    pub(super) fn queue_ns(&self, round: &Round) -> Option<i64> {
        (round.min_rtt < i64::MAX && self.base_rtt < i64::MAX)
            .then(|| round.min_rtt.saturating_sub(self.base_rtt))
    }

    fn is_queued(&mut self, round: &Round, rate: f64, units: Units) -> bool {
        let Some(queue) = self.queue_ns(round) else {
            return false;
        };
        let change = (queue - self.last_queue).abs();
        self.last_queue = queue;
        self.queue_change += (change - self.queue_change) / 8;
        let least = (self.base_rtt / STANDING_PART)
            .saturating_add(HOST_NS)
            .max(self.queue_change.saturating_mul(2));
        if queue <= least {
            return false;
        }
        let per_ack = round.acked / u64::from(round.acks.max(1));
        let own = per_ack.max(2 * units.mss) as f64 * 1e9;
        queue as f64 * rate > own || rate <= 0.0
    }

    /// The rate of the narrowest link, as queues or else as trains of packets tell it.
    pub(super) fn capacity(&self, trains: Option<f64>) -> Option<f64> {
        self.queued_rate.or(trains)
    }

    /// Judges a round trip that had this rate; `trains` is the rate of the narrowest link by packet trains.
    pub(super) fn judge(&mut self, round: &Round, rate: f64, units: Units, trains: Option<f64>) -> Verdict {
        let is_queued = self.is_queued(round, rate, units);
        if is_queued {
            let old = self.queued_rate.unwrap_or(rate);
            // While losses are repaired acknowledgements stop for a while, and tell too little.
            if !round.is_repair || rate > old {
                self.queued_rate = Some(old + (rate - old) / 4.0);
            }
        }
        if !round.is_repair && rate > self.best_rate {
            self.best_rate += (rate - self.best_rate) / 4.0;
        }
        let at_capacity = match (self.queued_rate, trains) {
            // A link that carried clearly more at other times was not the reason for the delay.
            (Some(queued), _) => rate >= FULL_PART * queued && queued >= BEST_PART * self.best_rate,
            (None, Some(trains)) => rate >= FULL_OF_TRAINS * trains,
            (None, None) => false,
        };
        let before = std::mem::replace(
            &mut self.last_flight,
            if round.is_other(self.base_rtt) {
                0
            } else {
                round.max_flight
            },
        );
        let proven = self.proven;
        self.learn_of_loss(round);
        let window = match () {
            // What is repaired has its reason already: this is of the time before and after.
            () if is_queued || at_capacity => Tag::Is(Label::Bottleneck),
            () if round.is_repair => Tag::Is(Label::LossRecovery),
            () => return self.judge_unqueued(round, before, proven, units),
        };
        // Delay alone may come from others' packets, or from busy hosts.
        let is_full =
            is_queued && trains.is_some_and(|trains| rate >= FULL_OF_TRAINS * FULL_OF_TRAINS * trains);
        Verdict {
            window,
            is_queued,
            is_full,
            ceiling: self.end_ceiling(units),
        }
    }

    /// What a loss did to the window.
    fn learn_of_loss(&mut self, round: &Round) {
        if round.is_repair {
            self.had_loss = true;
            self.after_timeout |= round.is_timeout;
            // The first of a repair has the flight in it that met the loss.
            let first = if self.before_loss == 0 {
                round.max_flight
            } else {
                0
            };
            self.before_loss = self.before_loss.max(std::mem::take(&mut self.proven)).max(first);
            return;
        }
        self.proven = self.proven.max(round.max_flight);
        let before = std::mem::take(&mut self.before_loss);
        if before == 0 || round.is_other(self.base_rtt) {
            self.after_timeout = false;
            return;
        }
        let left = self.proven as f64 / before as f64;
        // A timeout cuts whatever the control, and slow start may have brought all back.
        if !std::mem::take(&mut self.after_timeout) {
            self.cuts.add(left);
            self.had_loss &= left < CUT_PART;
        }
    }

    /// Judges one without a queue or a loss, by the flight.
    fn judge_unqueued(&mut self, round: &Round, before: u64, proven: u64, units: Units) -> Verdict {
        let flight = round.max_flight;
        let is_other = round.is_other(self.base_rtt);
        let plain = |window: Tag, ceiling| Verdict {
            window,
            is_queued: false,
            is_full: false,
            ceiling,
        };
        let grows = before > 0 && flight > before.saturating_add(units.play().max(before / 4));
        if round.is_window && !grows {
            // The window was full with this flight, so the congestion window was no smaller.
            let ceiling = self.end_ceiling(units);
            return plain(Tag::Is(Label::ReceiverWindow), ceiling);
        }
        if round.paused_ns > round.length_ns / 2 {
            return plain(Tag::Is(Label::Application), None);
        }
        if self.ceiling.takes(flight, proven, units) {
            return plain(Tag::Ceiling, None);
        }
        if is_other && flight < proven - proven / 4 {
            // The congestion window allows more.
            let ceiling = self.end_ceiling(units);
            return plain(Tag::Is(Label::Application), ceiling);
        }
        let (gave_way, opening) = (flight > self.ceiling.top(), opening(self.ceiling.had_loss()));
        let ceiling = self.end_ceiling(units).map(|(since, tag)| match tag {
            Tag::Is(Label::Unknown) if gave_way => (since, opening),
            tag => (since, tag),
        });
        if grows || (before == 0 && !is_other) || proven == 0 {
            return plain(self::opening(self.had_loss), ceiling);
        }
        self.ceiling = Ceiling::begin(round.start, flight, self.had_loss);
        plain(Tag::Ceiling, ceiling)
    }

    /// What a ceiling was that the flight had until now. If something holds it and the receiver's window is not it, it is the
    /// sending host.
    pub(super) fn end_ceiling(&mut self, units: Units) -> Option<(i64, Tag)> {
        let ceiling = std::mem::take(&mut self.ceiling);
        let since = ceiling.since()?;
        let opening = opening(ceiling.had_loss());
        let tag = match ceiling.shape(units) {
            Shape::Grew => opening,
            // Pacing by a rate (BBR) holds the flight as well.
            _ if self.is_paced => Tag::Is(Label::Unknown),
            Shape::Held => Tag::Is(Label::SendBuffer),
            Shape::Short if !ceiling.had_loss() => Tag::Is(Label::Unknown),
            Shape::Short => opening,
        };
        Some((since, tag))
    }
}

/// Of a window that is neither full nor queueing: it is being opened, for the first time or again after a loss.
fn opening(had_loss: bool) -> Tag {
    Tag::Is(if had_loss {
        Label::LossRecovery
    } else {
        Label::SlowStart
    })
}
