//! LOSS-004: the queue before a slower link overflows when a transfer starts.

use super::words;
use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::stated::Stated;
use crate::facts::records::step_down::StepDown;
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Explains, Location, Nanos, Quantity, RateBps};

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-004",
    name: "queue_overflow",
    title: "queue overflow before a slower link",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: -2.0, judge }),
    parameters: &[],
};

/// The model of the cycle and a measurement may differ by this factor.
const MODEL_FACTOR: f64 = 2.0;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let Some(step) = StepDown::of(facts) else {
        return Vec::new();
    };
    let mut weighing = Weighing::default();
    weighing.add(
        1.0,
        format!(
            "data come in at up to {} and go on at {}",
            RateBps(step.input_bps),
            step.capacity()
        ),
        &step.cites,
    );
    weigh_first_loss(&mut weighing, facts, &step);
    let cycle = Cycle::of(facts, &step);
    if let Some(cycle) = &cycle {
        weigh_cycle(&mut weighing, facts, cycle);
    }
    weigh_peak(&mut weighing, facts, &step);
    if weighing.supports.len() + weighing.contradicts.len() < 2 {
        let missing = "when a transfer first loses packets, and how long it stands still then".into();
        return vec![Outcome::Inconclusive { missing }];
    }
    vec![Outcome::Supports(Box::new(Supported {
        claim: claim(&step),
        location: Location::Path,
        direction: Direction::Forward,
        explains: explains(facts, cycle.as_ref()),
        allows_bps: cycle.map(|cycle| words::range(cycle.low, cycle.best(), cycle.high)),
        after_fix_bps: Some(words::range(
            0.5 * step.capacity().0,
            0.9 * step.capacity().0,
            step.capacity().0,
        )),
        remedy: remedy(facts, &step),
        ask_whom: format!(
            "the operators of {}: queue limit and output drops where the faster link meets it",
            link_words(&step)
        ),
        weighing,
        cannot_tell_from: None,
    }))]
}

fn link_words(step: &StepDown) -> String {
    match &step.bottleneck.subject {
        Some(subject) => format!("the {subject} ({})", step.capacity()),
        None => format!("the link of {}", step.capacity()),
    }
}

fn claim(step: &StepDown) -> String {
    format!(
        "slow start overflows the queue before {}: it grows until more is in flight than the {:.0} kB that the path holds",
        link_words(step),
        step.product_bytes() / 1e3
    )
}

fn weigh_first_loss(weighing: &mut Weighing, facts: &Facts, step: &StepDown) {
    let seen = facts.records.stated(Quantity::TimeToFirstLoss, &facts.complaint);
    let Some(seen) = seen.first() else { return };
    let (earliest, latest) = step.overflow_after_s();
    let figures = format!(
        "the first loss comes after {}; slow start overtakes the path after {} to {}",
        seconds(seen.value),
        seconds(earliest),
        seconds(latest)
    );
    // A round trip more for the news, and the observer's own rounding.
    let fits = seen.high >= earliest && seen.low <= 1.25 * latest;
    weighing.add(
        if fits { 2.0 } else { -2.5 },
        figures,
        std::slice::from_ref(&seen.id),
    );
}

/// The mean rate that stalls and recoveries leave.
struct Cycle {
    low: f64,
    high: f64,
    stall: Stated,
    recovery: Stated,
}

impl Cycle {
    fn of(facts: &Facts, step: &StepDown) -> Option<Self> {
        let all = |quantity| facts.records.stated(quantity, &facts.complaint);
        let stated = |quantity| all(quantity).into_iter().next();
        let (stall, recovery) = (
            stated(Quantity::StallAfterLoss)?,
            stated(Quantity::TimeToRecover)?,
        );
        Some(Self {
            low: step.cycle_bps(stall.high, recovery.value, 2.0),
            high: step.cycle_bps(stall.low, recovery.value, 1.0),
            stall,
            recovery,
        })
    }

    /// Between the two models of acknowledgement, in the sense of ratios.
    fn best(&self) -> f64 {
        (self.low * self.high).sqrt()
    }

    fn fits(&self, rate: RateBps) -> bool {
        rate.0 >= self.low / MODEL_FACTOR && rate.0 <= self.high * MODEL_FACTOR
    }
}

fn weigh_cycle(weighing: &mut Weighing, facts: &Facts, cycle: &Cycle) {
    let cites = [cycle.stall.id.clone(), cycle.recovery.id.clone()];
    let text = format!(
        "a transfer stands still for {} and needs {} to be fast again: that leaves {} to {} on average",
        seconds(cycle.stall.value),
        seconds(cycle.recovery.value),
        RateBps(cycle.low),
        RateBps(cycle.high)
    );
    match facts.measured_rate() {
        Some(rate) if cycle.fits(rate) => {
            weighing.add(2.0, format!("{text}, and {rate} is measured"), &cites)
        }
        Some(rate) => weighing.add(-2.0, format!("{text}, but {rate} is measured"), &cites),
        // Stalls of the length of a retransmission timeout are telling without a rate as well.
        None => weighing.add(1.0, text, &cites),
    }
}

fn weigh_peak(weighing: &mut Weighing, facts: &Facts, step: &StepDown) {
    let peaks = facts.records.stated(Quantity::PeakRate, &facts.complaint);
    let Some(peak) = peaks.last() else { return };
    let rate = RateBps(peak.value);
    let cites = std::slice::from_ref(&peak.id);
    if peak.value > 1.1 * step.capacity().0 {
        weighing.add(
            -3.0,
            format!("for a short time {rate} passed, more than the link carries"),
            cites,
        );
    } else if peak.value >= 0.5 * step.capacity().0 {
        let text = format!(
            "for a short time {rate} passed: the link is not slow, the transfer does not hold its rate"
        );
        weighing.add(1.0, text, cites);
    }
}

fn explains(facts: &Facts, cycle: Option<&Cycle>) -> Explains {
    match (facts.measured_rate(), cycle) {
        (Some(rate), Some(cycle)) if cycle.fits(rate) => Explains::Yes,
        (Some(_), Some(_)) => Explains::No,
        _ => Explains::Unknown,
    }
}

fn remedy(facts: &Facts, step: &StepDown) -> String {
    let product = step.product_bytes();
    let advice = format!(
        "a queue of about {:.0} kB before the slower link, pacing senders, or socket buffers of {:.0} kB (the path) plus \
         the queue: more than that overflows it",
        product / 1e3,
        product / 1e3
    );
    let costs: Vec<String> = facts
        .records
        .stated(Quantity::SocketBuffer, &facts.complaint)
        .iter()
        .filter(|buffer| buffer.value > 0.0)
        .map(|buffer| cost(step, buffer.value))
        .collect();
    match costs.as_slice() {
        [] => advice,
        costs => format!("{advice}; {}", costs.join("; ")),
    }
}

fn cost(step: &StepDown, buffer_bytes: f64) -> String {
    let peak = step.peak_with_buffer_bps(buffer_bytes);
    let lost = 1.0 - peak / step.capacity().0;
    if lost < 0.01 {
        return format!("a buffer of {:.0} kB costs no peak rate", buffer_bytes / 1e3);
    }
    format!(
        "a buffer of {:.0} kB never overflows it, but allows {} at most: {:.0} % of the peak rate is given up",
        buffer_bytes / 1e3,
        RateBps(peak),
        lost * 100.0
    )
}

fn seconds(s: f64) -> Nanos {
    Nanos((s.max(0.0) * 1e9) as u64)
}
