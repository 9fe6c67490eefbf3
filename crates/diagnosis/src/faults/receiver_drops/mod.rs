//! HOST-002: the receiving host, or the network it stands in, drops packets that the path delivered.

mod tcp;

use super::words;
use crate::declaration::{Fault, Parameter, Rule};
use crate::facts::Facts;
use crate::facts::records::chain::{ChainTest, Role};
use crate::facts::records::chain_segments::{FROM_LOAD, Segment, TestLoss};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, End, Location, RateBps};
use model::Kind;
use stats::Ratio;

const PRIOR: f64 = -2.0;

pub(crate) static FAULT: Fault = Fault {
    code: "HOST-002",
    name: "receiver_drops",
    title: "the receiving host or its network drops packets",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[Parameter {
        kind: Kind::ReceiveDrops,
        prior: 0.03,
        claim: |ratio| {
            format!(
                "some {} of the packets that arrive are dropped",
                words::loss(ratio)
            )
        },
        remedy: "enlarge the receive ring and the socket buffers, spread interrupts over processors, and slow the sender \
                 down to what the host takes",
    }],
};

/// Less than this share of packets is noise next to what hosts drop now and then.
const LEAST_SHARE: f64 = 1e-5;

/// So many packets out of order are more than a path makes.
const OUT_OF_ORDER: f64 = 1e-3;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let behind = facts
        .chains
        .lossy(Direction::Forward)
        .find(|segment| is_behind(facts, segment));
    behind.map(|segment| weigh(facts, segment)).into_iter().collect()
}

/// The stretch behind the last counter, unless it loses the same share at any rate.
fn is_behind(facts: &Facts, segment: &Segment) -> bool {
    let from_load = segment
        .growth(&facts.chains.tests)
        .is_none_or(|growth| growth.exponent >= FROM_LOAD);
    let enough = segment
        .pooled()
        .estimate()
        .is_some_and(|share| share >= LEAST_SHARE);
    let ends = segment.before.role == Role::Point && segment.after.role == Role::Receiver;
    ends && enough && (from_load || segment.tests_with_loss() < 2)
}

fn weigh(facts: &Facts, segment: &Segment) -> Outcome {
    let mut weighing = Weighing::default();
    weigh_counts(&mut weighing, facts, segment);
    weigh_growth(&mut weighing, facts, segment);
    weigh_order(&mut weighing, facts, segment);
    weigh_path(&mut weighing, facts, segment);
    let explains = tcp::weigh(&mut weighing, facts, segment);
    let alone = segment.growth(&facts.chains.tests).is_none();
    Outcome::Supports(Box::new(Supported {
        claim: format!(
            "{} behind the last counter, “{}”: by {} or the network it stands in{}",
            share(segment),
            segment.before.label,
            facts.name(End::To),
            if alone { "" } else { ", and the more the faster they come" }
        ),
        location: Location::Host { end: End::To },
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps: None,
        after_fix_bps: None,
        remedy: "raise the receiving host's ring and socket buffers, spread its interrupts over processors, look for \
                 discards in its own network, and repeat the fast stream"
            .into(),
        ask_whom: "the administrator of the receiving host and of the network it stands in: drops of the interface and of \
                   the socket, discards at the switch ports up to the last counter"
            .into(),
        cannot_tell_from: alone.then(|| {
            "an errored link behind the last counter (LOSS-003): a second stream at another rate would tell, as errors do \
             not grow with it"
                .into()
        }),
    }))
}

/// "0.37 % to 1.93 % of packets are lost".
fn share(segment: &Segment) -> String {
    let shares = || segment.counted.iter().filter_map(|loss| loss.lost.estimate());
    let (least, most) = (shares().fold(1.0, f64::min), shares().fold(0.0, f64::max));
    if least < most {
        format!(
            "{} to {} of packets are lost",
            words::loss(least),
            words::loss(most)
        )
    } else {
        words::one_in(most)
    }
}

fn of_tests<'a>(
    facts: &'a Facts,
    segment: &'a Segment,
) -> impl Iterator<Item = (&'a ChainTest, &'a TestLoss)> {
    segment
        .counted
        .iter()
        .filter_map(|loss| Some((facts.chains.tests.get(loss.test)?, loss)))
}

fn weigh_counts(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let each = of_tests(facts, segment).map(|(test, loss)| {
        let (low, high) = loss.lost.interval();
        format!(
            "{} of {} ({}; {} to {}, 95 %)",
            words::thousands(loss.lost.events),
            words::thousands(loss.lost.trials),
            test.name(),
            words::loss(low),
            words::loss(high)
        )
    });
    let text = format!(
        "the receiver misses more than was lost up to the last counter: {} were lost behind it",
        each.collect::<Vec<_>>().join(", ")
    );
    let weight = if segment.tests_with_loss() >= 2 { 3.0 } else { 2.0 };
    weighing.add(weight, text, &facts.chains.cites(&segment.counted));
}

fn weigh_growth(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let Some(growth) = segment.growth(&facts.chains.tests) else {
        return;
    };
    let percent = |(rate, lost): (f64, Ratio)| {
        format!(
            "{} at {}",
            words::loss(lost.estimate().unwrap_or(0.0)),
            RateBps(rate)
        )
    };
    let text = format!(
        "{}, {}: it grows faster than the rate, as where something cannot keep up",
        percent(growth.slowest),
        percent(growth.fastest)
    );
    weighing.add(1.5, text, &facts.chains.cites(&segment.counted));
}

fn weigh_order(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let disorder = of_tests(facts, segment).filter_map(|(test, loss)| {
        let reordered = test.what.reported_reordered?;
        Some((test, reordered, reordered as f64 / loss.lost.trials.max(1) as f64))
    });
    let worst = disorder.max_by(|a, b| a.2.total_cmp(&b.2).then_with(|| b.0.id.cmp(&a.0.id)));
    if let Some((test, reordered, _)) = worst.filter(|(_, _, share)| *share >= OUT_OF_ORDER) {
        let text = format!(
            "{}: {} packets arrived out of order; a wide-area path that loses so little before the last counter hardly \
             does that",
            test.name(),
            words::thousands(reordered)
        );
        weighing.add(0.5, text, std::slice::from_ref(&test.id));
    }
}

/// Up to the last counter the same streams lost next to nothing.
fn weigh_path(weighing: &mut Weighing, facts: &Facts, segment: &Segment) {
    let before: Ratio = of_tests(facts, segment)
        .filter_map(|(test, loss)| {
            let mut points = test
                .trusted()
                .filter(|(station, _)| station.role != Role::Receiver);
            let (_, first) = points.next()?;
            Some(Ratio::new(first.saturating_sub(loss.lost.trials), first))
        })
        .fold(Ratio::default(), Ratio::plus);
    let behind = segment.pooled();
    if before.trials > 0 && before.interval().1 * 10.0 < behind.interval().0 {
        let text = format!(
            "up to the last counter the same streams lost {} of {} only",
            words::thousands(before.events),
            words::thousands(before.trials)
        );
        weighing.add(0.5, text, &facts.chains.cites(&segment.counted));
    }
}
