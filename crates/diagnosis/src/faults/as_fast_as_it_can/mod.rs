//! OK-001: nothing is wrong.

mod recorded;

use crate::declaration::{Fault, Sections};
use crate::facts::Facts;
use crate::facts::transfer::TcpRun;
use crate::faults::{assess_capacity, words};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::v1::{Direction, Explains, Location, RateBps, RateRange};

const PRIOR: f64 = 0.0;

pub(crate) static FAULT: Fault = Fault {
    code: "OK-001",
    name: "as_fast_as_it_can",
    title: "as fast as it can be",
    sections: Sections {
        what_it_is: "No fault: the transfer reaches the expected rate, or the rate that the path or the hosts can give, \
            and this says which of them limits.",
        why_it_hurts: "It does not. But the user may see something else than was measured here: another program, \
            another time, the other direction, a disk.",
        how_we_know: "- A plain TCP transfer reaches 90 % or more of the expected rate; or\n\
            - no rate was expected, no fault is supported, and what limits is known: a link (its queue, the same sum \
            with several connections), an interface, a processor; or\n\
            - no rate was expected, no fault is supported, and the transfer is several times as fast as it was in the \
            round before, as other tools recorded it.",
        what_looks_like_it: "- Hops that never answer, that limit their answers or that ignore large pings: none of \
            them slows anything down as long as hops behind them answer.\n\
            - A fault that comes and goes: measure while it is slow.",
        remedy: "None on the path. If the user's own transfer is still slow, look at its program, its disks, its socket \
            buffers, and run the test in the direction of the data.",
        whom_to_ask: "The author of the complaint: which program, from which disk, at what time?",
        references: &[
            "RFC 6349: framework for TCP throughput testing",
            "RFC 8337: model-based metrics for bulk transport capacity",
        ],
    },
    prior: PRIOR,
    judge: Some(judge),
    parameter: None,
};

/// Reaching this share of the expected rate is reaching it.
pub(crate) const ENOUGH: f64 = 0.9;

/// A limit is named when it is this sure.
const SURE: f64 = 0.8;

fn judge(facts: &Facts) -> Vec<Outcome> {
    if let Some((program, rate)) = facts.slow_program() {
        return vec![Outcome::Contradicts {
            weight: -5.0,
            why: format!("a test is fast; the user's own program reaches {rate}"),
            cites: vec![program.clone()],
        }];
    }
    let Some(run) = facts.plain_run() else {
        return vec![recorded::judge(facts)];
    };
    match facts.expected() {
        Some(expected) if run.rate.0 >= ENOUGH * expected.0 => vec![reached(facts, run, expected)],
        Some(expected) => vec![Outcome::Contradicts {
            weight: -5.0,
            why: format!("{} measured, {expected} expected", run.rate),
            cites: vec![run.id.clone()],
        }],
        None => vec![unexpected(facts, run)],
    }
}

fn reached(facts: &Facts, run: &TcpRun, expected: RateBps) -> Outcome {
    let mut weighing = Weighing::default();
    let text = format!("{} measured, {expected} expected", run.rate);
    weighing.add(5.0, text, std::slice::from_ref(&run.id));
    let (limit, location) = limit(facts, run).unwrap_or((String::new(), Location::Path));
    let claim = format!("as fast as it should be{limit}");
    supported(run.rate, claim, location, weighing)
}

fn unexpected(facts: &Facts, run: &TcpRun) -> Outcome {
    let Some((limit, location)) = limit(facts, run).filter(|_| !run.stalled) else {
        return Outcome::Inconclusive {
            missing: "no rate was expected and what limits the transfer is not known".into(),
        };
    };
    // A link in the middle, a window or a processor limits as well, and whether that is enough only the user knows.
    let own_interface =
        matches!(location, Location::Host { end } if end == run.sender) && run.out_of_cpu().is_none();
    let weight = if own_interface { 3.0 } else { 1.1 };
    let mut weighing = Weighing::default();
    let text = format!("{} measured{limit}", run.rate);
    weighing.add(weight, text, std::slice::from_ref(&run.id));
    let claim = format!("{} is what this path can do{limit}", run.rate);
    supported(run.rate, claim, location, weighing)
}

/// That a rate which any record tells is what was expected; `None` where it is not.
pub(crate) fn fast_enough(
    rate: RateBps,
    expected: RateBps,
    cites: &[evidence::v1::ObservationId],
) -> Option<Supported> {
    let mut weighing = Weighing::default();
    weighing.add(5.0, format!("{rate} measured, {expected} expected"), cites);
    let claim = "as fast as it should be".to_owned();
    (rate.0 >= ENOUGH * expected.0).then(|| told(rate, claim, Location::Path, weighing))
}

fn supported(rate: RateBps, claim: String, location: Location, weighing: Weighing) -> Outcome {
    Outcome::Supports(Box::new(told(rate, claim, location, weighing)))
}

fn told(rate: RateBps, claim: String, location: Location, weighing: Weighing) -> Supported {
    Supported {
        claim,
        location,
        direction: Direction::Forward,
        weighing,
        explains: Explains::Yes,
        allows_bps: Some(RateRange {
            low: rate,
            best: rate,
            high: rate,
        }),
        after_fix_bps: None,
        remedy: "none needed".into(),
        ask_whom: "nobody".into(),
        cannot_tell_from: None,
    }
}

/// What limits, in words to append, and where.
pub(crate) fn limit(facts: &Facts, run: &TcpRun) -> Option<(String, Location)> {
    if let Some(end) = run.out_of_cpu() {
        return Some((
            format!("; what limits is the processor of {}", facts.name(end)),
            Location::Host { end },
        ));
    }
    if let Some(window) = run
        .peer_window_bytes
        .filter(|_| run.receive_window_share.is_some_and(|s| s >= 0.5))
    {
        let location = Location::Host {
            end: run.sender.other(),
        };
        return Some((
            format!("; what limits is the receive window of {}", words::buffer(window)),
            location,
        ));
    }
    let capacity = assess_capacity(facts).filter(|found| found.confidence >= SURE)?;
    let place = match &capacity.location {
        Location::Path => "a link on the path".to_owned(),
        Location::Host { end } => format!("the interface of {}", facts.name(*end)),
        other => format!("the link {other}"),
    };
    Some((
        format!("; what limits is {place}, at about {}", capacity.rate),
        capacity.location,
    ))
}
