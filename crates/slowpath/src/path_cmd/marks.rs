//! Which loss along a path is loss of what the path carries, and which is only a router that answers seldom.
//!
//! A packet that is lost in front of a hop reaches none behind it. So what is lost up to a hop is at most what any hop
//! behind it loses: a hop that loses more than one behind it does so with its answers alone. And loss begins at a hop if
//! that hop and all behind it lose more than the one in front of it.
//!
//! "More" means that the exact 95 % intervals lie apart. That is stricter than a test at 95 %, and has to be: the question is
//! asked again after every round, of every hop, and a mark once seen is believed.

use stats::Ratio;

/// Fewer probes than this are a handful, whatever became of them.
const LEAST_PROBES: u64 = 20;
/// Fewer losses than this may have been one moment of this host's own.
const LEAST_LOST: u64 = 3;

/// What there is to say of a hop's loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It answers seldom: a hop behind it loses less. What it forwards is not concerned.
    AnswersLimited,
    /// It and every hop behind it lose more than the hop in front of it.
    LossFromHere,
    /// The same of the destination, behind which nobody can tell a loss from a host that answers seldom.
    LossAtEnd,
}

impl Mark {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AnswersLimited => "answers limited: hops behind it lose less",
            Self::LossFromHere => "loss from here on",
            Self::LossAtEnd => "loss at the end: on the last link, or in its answers",
        }
    }

    /// In the JSON and the CSV.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::AnswersLimited => "answers-limited",
            Self::LossFromHere => "loss-from-here",
            Self::LossAtEnd => "loss-at-end",
        }
    }

    /// Whether what the path carries is lost.
    pub(super) fn is_loss(self) -> bool {
        matches!(self, Self::LossFromHere | Self::LossAtEnd)
    }
}

/// The marks of hops in the order of the path, the destination last; `None` for "nothing", and for "not sure yet". Each
/// `losses` is of one hop's probes; a hop that never answered says nothing of what it forwards.
pub(super) fn marks(losses: &[Ratio]) -> Vec<Option<Mark>> {
    let mut hops: Vec<Hop> = losses.iter().copied().map(Hop::of).collect();
    for place in 0..hops.len() {
        if is_limited(&hops, place) {
            hops[place].mark = Some(Mark::AnswersLimited);
        }
    }
    mark_loss(&mut hops);
    hops.into_iter().map(|hop| hop.mark).collect()
}

fn mark_loss(hops: &mut [Hop]) {
    // Where the destination does not answer, how far a loss goes cannot be seen.
    if hops.last().is_none_or(Hop::is_mute) {
        return;
    }
    let mut before = Some(Interval::NONE);
    for place in 0..hops.len() {
        if !hops[place].tells_of_the_path() {
            continue;
        }
        let is_from_here = before.is_some_and(|before| holds_from(hops, place, before));
        before = hops[place].interval;
        if is_from_here {
            let is_end = place + 1 == hops.len();
            hops[place].mark = Some(if is_end {
                Mark::LossAtEnd
            } else {
                Mark::LossFromHere
            });
        }
    }
}

/// A hop in the order of the path.
#[derive(Debug, Clone, Copy)]
struct Hop {
    loss: Ratio,
    /// `None`: too little was sent to say anything, or nothing was answered.
    interval: Option<Interval>,
    mark: Option<Mark>,
}

impl Hop {
    fn of(loss: Ratio) -> Self {
        let is_known = loss.trials >= LEAST_PROBES && loss.events < loss.trials;
        Self {
            loss,
            interval: is_known.then(|| Interval::of(loss)),
            mark: None,
        }
    }

    /// It never answered.
    fn is_mute(&self) -> bool {
        self.loss.events == self.loss.trials
    }

    /// Whether what it loses is what is lost on the way to it. (It has a mark of its own otherwise, or none can be had.)
    fn tells_of_the_path(&self) -> bool {
        !self.is_mute() && self.mark != Some(Mark::AnswersLimited)
    }
}

/// The exact 95 % interval of a loss.
#[derive(Debug, Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
    lost: u64,
}

impl Interval {
    /// In front of the first hop nothing is lost.
    const NONE: Self = Self {
        low: 0.0,
        high: 0.0,
        lost: 0,
    };

    fn of(loss: Ratio) -> Self {
        let (low, high) = loss.interval();
        let lost = loss.events;
        Self { low, high, lost }
    }

    fn is_above(self, other: Self) -> bool {
        self.lost >= LEAST_LOST && self.low > other.high
    }
}

fn is_limited(hops: &[Hop], place: usize) -> bool {
    let mut behind = hops.iter().skip(place + 1).filter_map(|hop| hop.interval);
    hops[place]
        .interval
        .is_some_and(|own| behind.any(|other| own.is_above(other)))
}

/// Whether this hop and all behind it lose more than `before`. Those that limit their answers, or never answer, cannot tell;
/// one that does not say enough yet leaves it open.
fn holds_from(hops: &[Hop], place: usize, before: Interval) -> bool {
    let mut behind = hops.iter().skip(place).filter(|hop| hop.tells_of_the_path());
    behind.all(|hop| hop.interval.is_some_and(|interval| interval.is_above(before)))
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
