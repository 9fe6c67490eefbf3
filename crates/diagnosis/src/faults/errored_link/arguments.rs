//! The arguments for and against an errored link.

use super::words;
use crate::facts::Facts;
use crate::facts::records::chain_segments::{FROM_LOAD, Segment, TestLoss};
use crate::facts::records::composition::Composition;
use crate::facts::records::composition_fit::{FACTOR, allowed_bps};
use crate::facts::records::ends::direction;
use crate::facts::records::remarks::{self, Remark};
use crate::judgement::Weighing;
use evidence::{Direction, RateBps, Transfer};
use stats::Ratio;

/// The counts themselves. One test can be a counter's mistake; the same stretch in several tests is not.
pub(super) fn counted(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let pooled = segment.pooled();
    let weight = match (segment.tests_with_loss(), pooled.events) {
        (0 | 1, 0..=1) => 0.5,
        (0 | 1, 2..=4) => 1.5,
        (0 | 1, _) => 2.5,
        (2, _) => 3.0,
        _ => 3.5,
    };
    let (low, high) = pooled.interval();
    let text = format!(
        "missed by the later of the two counters: {}; together {} ({} to {}, 95 %)",
        per_test(facts, &segment.counted),
        words::loss(pooled.estimate().unwrap_or(0.0)),
        words::loss(low),
        words::loss(high)
    );
    weighing.add(weight, text, &facts.chains.cites(&segment.counted));
    let clean = segment.counted.len() - segment.tests_with_loss();
    if clean > 0 {
        let text = format!(
            "{clean} of the {} tests lost nothing there",
            segment.counted.len()
        );
        weighing.add(-0.3 * clean as f64, text, &facts.chains.cites(&segment.counted));
    }
}

/// "2 of 183,783 (Test 1), 46 of 2,498,589 (Test 2)".
fn per_test(facts: &Facts, losses: &[TestLoss]) -> String {
    let words = losses.iter().filter_map(|loss| {
        let test = facts.chains.tests.get(loss.test)?;
        Some(format!(
            "{} of {} ({})",
            words::thousands(loss.lost.events),
            words::thousands(loss.lost.trials),
            test.name()
        ))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Tests in which wrong counters leave only an upper bound.
pub(super) fn bounded(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let pooled = segment.pooled();
    for loss in &segment.bounded {
        let Some(test) = facts.chains.tests.get(loss.test) else {
            continue;
        };
        let (least, _) = pooled.interval();
        let fits = loss.lost.upper_bound() >= least;
        let text = format!(
            "{}: counters before the stretch are missing or wrong; it lost at most {} of {}{}",
            test.name(),
            words::thousands(loss.lost.events),
            words::thousands(loss.lost.trials),
            if fits {
                ", which fits"
            } else {
                ", less than the other tests say"
            }
        );
        weighing.add(
            if fits { 0.3 } else { -1.0 },
            text,
            std::slice::from_ref(&test.id),
        );
    }
}

/// Errors on a line do not wait for load.
pub(super) fn load(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let Some(growth) = segment.growth(&facts.chains.tests) else {
        return;
    };
    let ((slow, few), (fast, many)) = (growth.slowest, growth.fastest);
    let figures = format!(
        "{} lost at {}, {} at {}",
        words::loss(few.estimate().unwrap_or(0.0)),
        RateBps(slow),
        words::loss(many.estimate().unwrap_or(0.0)),
        RateBps(fast)
    );
    let cites = facts.chains.cites(&segment.counted);
    let disjoint = few.interval().1 < many.interval().0;
    if growth.exponent >= FROM_LOAD {
        let text = format!("{figures}: it comes with load, as from a full queue");
        weighing.add(-4.0, text, &cites);
    } else if few.events > 0 && disjoint {
        let text = format!(
            "{figures}: lost at any load; the ratio rose by less than the rate did, and with the time of the tests as well"
        );
        weighing.add(0.5, text, &cites);
    } else if few.events > 0 {
        weighing.add(1.0, format!("{figures}: at low rates as at high ones"), &cites);
    }
}

/// A slow path between other hosts that shares the way of the data, and that the same loss makes slow.
pub(super) fn composition(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let Some(found) = Composition::find(&facts.records) else {
        return;
    };
    let (Some((_, _, whole)), Some(ratio)) = (found.three(), segment.pooled().estimate()) else {
        return;
    };
    if segment.direction.is_none() || whole.runs_with(facts) != segment.direction {
        return;
    }
    let allowed = allowed_bps(&found.pairs, whole, ratio);
    let fits = (1.0 / FACTOR..=FACTOR).contains(&(whole.rate_bps / allowed.max(1.0)));
    let text = format!(
        "{} to {} shares the way of these data: such loss allows it {}, measured {}",
        whole.from,
        whole.to,
        RateBps(allowed),
        RateBps(whole.rate_bps)
    );
    weighing.add(if fits { 0.7 } else { 0.0 }, text, &whole.cites);
}

/// Paced streams see the same loss end to end.
pub(super) fn streams(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let way = segment.direction.unwrap_or(Direction::Forward);
    let (mut lost, mut cites) = (Ratio::default(), Vec::new());
    for stream in &facts.records.transfers {
        let with = direction(&stream.what.from, &stream.what.to, &facts.complaint) == Some(way);
        if let Some(loss) = stream_loss(&stream.what).filter(|_| with) {
            lost = lost.plus(loss);
            cites.push(stream.id.clone());
        }
    }
    if lost.events > 0 {
        let text = format!(
            "paced UDP streams lost {} of {} end to end",
            words::thousands(lost.events),
            words::thousands(lost.trials)
        );
        weighing.add(0.5, text, &crate::judgement::join_cites([&cites]));
    }
}

/// What a stream lost on the path; one that lost much may have filled the path itself.
fn stream_loss(stream: &Transfer) -> Option<Ratio> {
    const OVERLOADED: f64 = 0.02;
    let sent = stream.packets_sent.filter(|sent| *sent > 0)?;
    let lost = Ratio::new(stream.lost_on_path()?, sent);
    (lost.estimate()? <= OVERLOADED).then_some(lost)
}

/// The other stretches, and the other direction.
pub(super) fn elsewhere(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let others = || {
        facts.chains.segments.iter().filter(|other| {
            other.direction == segment.direction
                && other.is_inside()
                && (&other.before, &other.after) != (&segment.before, &segment.after)
        })
    };
    let clean: Vec<&Segment> = others().filter(|other| other.pooled().events == 0).collect();
    if let Some(least) = clean.iter().map(|other| other.pooled().trials).min() {
        let cites: Vec<_> = clean
            .iter()
            .map(|other| facts.chains.cites(&other.counted))
            .collect();
        let all_clean = clean.len() == others().count();
        let text = format!(
            "{} of the {} other stretches between counters lost none of at least {} packets",
            clean.len(),
            others().count(),
            words::thousands(least)
        );
        weighing.add(
            if all_clean { 0.5 } else { 0.2 },
            text,
            &crate::judgement::join_cites(&cites),
        );
    }
    let back = match segment.direction {
        Some(Direction::Forward) => Direction::Reverse,
        Some(Direction::Reverse) => Direction::Forward,
        _ => return,
    };
    let (lost, cites) = facts.chains.whole(back);
    if lost.trials > 0 && lost.events == 0 {
        let text = format!(
            "in the other direction the counters lost none of {} packets: one direction of one link",
            words::thousands(lost.trials)
        );
        weighing.add(0.5, text, &cites);
    }
}

/// What operators say of errors on a line; surer where they name as many packets as are missing.
pub(super) fn remarks(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let said = remarks::naming_line_errors(facts);
    let is_tied = |remark: &Remark| {
        segment.counted.iter().chain(&segment.bounded).any(|loss| {
            Some(loss.test) == remark.test && loss.lost.events > 0 && remark.names(loss.lost.events)
        })
    };
    let tied: Vec<&Remark> = said.iter().filter(|remark| is_tied(remark)).collect();
    let best = tied.first().copied().or(said.first());
    let Some(remark) = best else { return };
    let weight = if tied.is_empty() { 0.7 } else { 1.5 };
    let more = match tied.len() {
        0 | 1 => String::new(),
        n => format!("; {n} tests have such a remark with the number that is missing"),
    };
    let cites: Vec<_> = if tied.is_empty() {
        vec![remark.id.clone()]
    } else {
        tied.iter().map(|r| r.id.clone()).collect()
    };
    weighing.add(
        weight,
        format!("the record says: “{}”{more}", remark.text.trim()),
        &cites,
    );
}
