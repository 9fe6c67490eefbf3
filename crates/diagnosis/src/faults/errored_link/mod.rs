//! LOSS-003: a link with transmission errors, found by counting packets at points of the path.

mod arguments;
mod interfaces;
mod model;

use super::words;
use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::chain_segments::{FROM_LOAD, Segment};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Explains, Location, RateBps, RateRange};
use model::Model;

const PRIOR: f64 = -2.5;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-003",
    name: "errored_link",
    title: "errors on a link",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[],
};

fn judge(facts: &Facts) -> Vec<Outcome> {
    let counted: Vec<Outcome> = [Direction::Forward, Direction::Reverse]
        .into_iter()
        .flat_map(|way| facts.chains.lossy(way))
        .filter(|segment| is_about_a_link(facts, segment))
        .map(|segment| weigh(facts, segment))
        .collect();
    if !counted.is_empty() {
        return counted;
    }
    let seen = interfaces::judge(facts);
    if seen.is_empty() && facts.chains.tests.is_empty() {
        return uncounted(facts);
    }
    seen
}

/// Where a path is slow and its parts are fast, counters would tell whether a link loses.
fn uncounted(facts: &Facts) -> Vec<Outcome> {
    let next = crate::red_herrings::composition::next_measurement(facts);
    let missing = |next| Outcome::Inconclusive {
        missing: format!("a path is slow whose parts are fast, and no packets were counted along it. {next}"),
    };
    next.map(missing).into_iter().collect()
}

/// Next to a host, only loss that does not come from load is taken for the link's: hosts drop when they are busy.
fn is_about_a_link(facts: &Facts, segment: &Segment) -> bool {
    let at_any_load = || {
        segment
            .growth(&facts.chains.tests)
            .is_some_and(|growth| growth.exponent < FROM_LOAD)
    };
    segment.is_inside() || segment.tests_with_loss() >= 2 && at_any_load()
}

fn weigh(facts: &Facts, segment: &Segment) -> Outcome {
    let direction = segment.direction.unwrap_or(Direction::Both);
    let model = Model::of(facts, segment);
    let mut weighing = Weighing::default();
    arguments::counted(&mut weighing, facts, segment);
    arguments::bounded(&mut weighing, facts, segment);
    arguments::load(&mut weighing, facts, segment);
    arguments::elsewhere(&mut weighing, facts, segment);
    arguments::remarks(&mut weighing, facts, segment);
    arguments::composition(&mut weighing, facts, segment);
    interfaces::support(&mut weighing, facts);
    arguments::streams(&mut weighing, facts, segment);
    let explains = match direction {
        Direction::Reverse => Explains::No,
        Direction::Forward | Direction::Both => model.weigh(&mut weighing),
    };
    Outcome::Supports(Box::new(Supported {
        claim: claim(facts, segment),
        location: Location::Segment {
            before: segment.before.label.clone(),
            after: segment.after.label.clone(),
        },
        direction,
        weighing,
        explains,
        allows_bps: model.allowed(),
        after_fix_bps: after_fix(facts, explains),
        remedy: "take that link out of service and route around it, then repair fibre, optics or line card; several \
                 connections or BBR at the sender hide it meanwhile"
            .into(),
        ask_whom: format!(
            "the operators of both counters, {} and {}: framing and checksum errors of the interfaces between them, in this \
             direction",
            segment.before.label, segment.after.label
        ),
        cannot_tell_from: None,
    }))
}

fn claim(facts: &Facts, segment: &Segment) -> String {
    let way = match segment.direction {
        Some(Direction::Forward) => format!(", on the way to {}", facts.name(evidence::End::To)),
        Some(Direction::Reverse) => format!(", on the way back to {}", facts.name(evidence::End::From)),
        _ => String::new(),
    };
    let ratio = segment.pooled().estimate().unwrap_or(0.0);
    format!(
        "{} between the counters “{}” and “{}”{way}, {}",
        words::one_in(ratio),
        segment.before.label,
        segment.after.label,
        often(segment)
    )
}

/// In how many tests, and how much in each: `in each of the 4 tests, 1.1e-5 to at most 4.4e-5`. A test of which wrong
/// counters leave an upper bound only is one of them where the others did not find less.
fn often(segment: &Segment) -> String {
    let mut ratios: Vec<(f64, bool)> = segment
        .counted
        .iter()
        .filter(|loss| loss.lost.events > 0)
        .filter_map(|loss| Some((loss.lost.estimate()?, false)))
        .collect();
    let (least, _) = segment.pooled().interval();
    let bounds = segment
        .bounded
        .iter()
        .filter(|loss| loss.lost.upper_bound() >= least);
    ratios.extend(bounds.filter_map(|loss| Some((loss.lost.estimate()?, true))));
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tests = segment.counted.len() + segment.bounded.len();
    let how_often = match (ratios.len(), tests) {
        (1, 1) => return "in the one test that counted there".into(),
        (with, tests) if with == tests => format!("in each of the {tests} tests"),
        (with, tests) => format!("in {with} of the {tests} tests that counted there"),
    };
    match (ratios.first(), ratios.last()) {
        (Some((low, _)), Some((high, bound))) if ratios.len() > 1 => {
            let at_most = if *bound { "at most " } else { "" };
            format!(
                "{how_often}, {} to {at_most}{}",
                words::loss(*low),
                words::loss(*high)
            )
        }
        _ => how_often,
    }
}

/// Without the loss: what the user expects, and at least what got through already.
fn after_fix(facts: &Facts, explains: Explains) -> Option<RateRange> {
    let shown = facts.recorded_best().filter(|_| explains != Explains::No)?;
    let best = facts
        .expected()
        .map_or(shown.0, |expected| expected.0.max(shown.0));
    let measured = facts.measured_rate().map_or(0.0, |rate| rate.0);
    (best > 1.2 * measured).then_some(RateRange {
        low: shown,
        best: RateBps(best),
        high: RateBps(best),
    })
}
