//! LOSS-004: the queue before a slower link overflows when a transfer starts.

use super::told::{Limit, Told, compared, observed, seconds};
use crate::declaration::Fault;
use crate::facts::Facts;
use crate::records::Stated;
use evidence::{Argument, Explains, Finding, Location, ObservationId, Quantity, RateBps};
use model::forward::{STANDARD_TIMEOUT_S, StepDown};

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-004",
    page: include_str!("page.md"),
    parameters: &[],
};

/// Standard deviation of ln(rate) around the mean rate of such cycles.
const CYCLE_WITHIN: f64 = 0.35;
/// A cycle leaves a rate within this factor of what is measured where it explains it.
const EXPLAINS_WITHIN: f64 = 2.0;
/// Bursts reach at least this share of a link that is not slow itself.
const BURST: f64 = 0.5;

/// The speed step-down that figures of a path tell of: the slower link behind a faster one, with what they rest on.
pub(crate) fn step_down(facts: &Facts) -> Option<(StepDown, Stated, Vec<ObservationId>)> {
    let stated = |quantity| facts.records.stated(quantity, &facts.complaint).into_iter();
    let link = stated(Quantity::LinkCapacity).find(|link| link.value > 0.0)?;
    let input = stated(Quantity::InputCapacity).next_back()?;
    let rtt = facts.base_rtt.as_ref()?;
    let step = StepDown {
        link_bps: link.value,
        input_bps: input.value,
        rtt_s: rtt.seconds,
    };
    let mut cites = rtt.cites.clone();
    cites.extend([link.id.clone(), input.id]);
    step.is_one().then_some((step, link, cites))
}

/// What would tell where the speed steps down.
pub(super) fn missing(facts: &Facts) -> Option<Told> {
    let what = "when a transfer first loses packets, and how long it stands still then";
    let silent = step_down(facts).is_some() && told(facts).is_none();
    silent.then(|| Told::Missing(FAULT.code, what.to_owned()))
}

/// What is told of transfers that start, set against what slow start does there; `None` where nothing is.
pub(super) fn told(facts: &Facts) -> Option<Finding> {
    let (step, link, cites) = step_down(facts)?;
    let stated = |quantity| facts.records.stated(quantity, &facts.complaint);
    let first = |quantity| stated(quantity).into_iter().next();
    let mut arguments = Vec::new();
    arguments.extend(first(Quantity::TimeToFirstLoss).map(|seen| first_loss(&step, &seen)));
    let stall = first(Quantity::StallAfterLoss);
    arguments.extend(stall.as_ref().map(stands_still));
    let cycle = stall
        .zip(first(Quantity::TimeToRecover))
        .map(|(stall, recovery)| {
            let (low, high) = step.cycle_bps((stall.low, stall.high), recovery.value);
            (low, high, recovery)
        });
    let rate = facts.measured_rate();
    if let (Some((low, high, recovery)), Some(rate)) = (&cycle, rate) {
        let text = format!(
            "it needs {} to be fast again: that leaves {} to {} on average, and {rate} is measured",
            seconds(recovery.value),
            RateBps(*low),
            RateBps(*high)
        );
        let cites = vec![recovery.id.clone()];
        arguments.push(compared(
            (rate.0, rate.0),
            (*low, *high),
            CYCLE_WITHIN,
            text,
            cites,
        ));
    }
    if arguments.is_empty() {
        return None;
    }
    arguments.extend(stated(Quantity::PeakRate).last().map(|peak| burst(&step, peak)));
    let capacity = RateBps(step.link_bps);
    arguments.push(Argument {
        text: format!(
            "data come in at up to {} and go on at {capacity}",
            RateBps(step.input_bps)
        ),
        weight: 0.0,
        cites,
    });
    let allows = cycle.map(|(low, high, _)| (low, high));
    let explains = rate.zip(allows).map_or(Explains::Unknown, |(rate, (low, high))| {
        let within = low / EXPLAINS_WITHIN <= rate.0 && rate.0 <= high * EXPLAINS_WITHIN;
        if within { Explains::Yes } else { Explains::No }
    });
    let limit = Limit {
        claim: format!(
            "slow start overflows the queue before the {} ({capacity}): it grows until more is in flight than the {:.0} kB that \
             the path holds",
            link.subject.as_deref().unwrap_or("slowest link"),
            step.product_bytes() / 1e3
        ),
        location: Location::Path,
        explains,
        allows,
        after_bps: Some(0.9 * step.link_bps),
        remedy: remedy(&step, &stated(Quantity::SocketBuffer)),
        arguments,
    };
    Some(limit.weighed(&FAULT))
}

fn first_loss(step: &StepDown, seen: &Stated) -> Argument {
    let after = step.overflow_after_s();
    let [when, earliest, latest] = [seen.value, after.0, after.1].map(seconds);
    let text = format!(
        "the first loss comes after {when}; slow start overtakes the path after {earliest} to {latest}"
    );
    observed(seen, after, text)
}

/// Many losses in one window end in a timeout, or in a second one of twice the length (RFC 6298 section 5.5).
fn stands_still(seen: &Stated) -> Argument {
    let long = seconds(seen.value);
    let text = format!("a transfer stands still for {long}, as a timeout or two of TCP last");
    observed(seen, (STANDARD_TIMEOUT_S, 3.0 * STANDARD_TIMEOUT_S), text)
}

fn burst(step: &StepDown, peak: &Stated) -> Argument {
    let [rate, link] = [peak.value, step.link_bps].map(RateBps);
    let text = format!("for a short time {rate} passed, and the link carries {link}");
    observed(peak, (BURST * link.0, link.0), text)
}

fn remedy(step: &StepDown, buffers: &[Stated]) -> String {
    let product = step.product_bytes() / 1e3;
    let mut parts = vec![format!(
        "a queue of about {product:.0} kB before the slower link, pacing senders, or socket buffers of {product:.0} kB (the \
         path) plus the queue: more than that overflows it"
    )];
    parts.extend(buffers.iter().filter(|buffer| buffer.value > 0.0).map(|buffer| {
        let peak = step.peak_with_buffer_bps(buffer.value);
        format!(
            "a buffer of {:.0} kB never overflows it, but allows {} at most: {:.0} % of the peak rate is given up",
            buffer.value / 1e3,
            RateBps(peak),
            100.0 * (1.0 - peak / step.link_bps)
        )
    }));
    parts.join("; ")
}
