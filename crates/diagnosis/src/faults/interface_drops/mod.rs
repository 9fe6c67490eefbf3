//! LOSS-002: an interface drops sound packets on input.

mod drops;
mod effect;

use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::direction::{self, BothWays};
use crate::facts::records::idle::IdleLoss;
use crate::facts::records::interfaces::{Class, Interface, interfaces};
use crate::facts::records::load::Headroom;
use crate::faults::words;
use crate::judgement::{Outcome, Supported, Weighing};
use drops::Drops;
use effect::Effect;
use evidence::{Direction, Location};

const PRIOR: f64 = -3.0;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-002",
    name: "interface_drops",
    title: "an interface drops packets on input",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[],
};

/// The other end of the link counts nothing: neither the link nor its far end.
const NEIGHBOUR_CLEAN: f64 = 0.5;
/// Drops on input harm the data of one direction, and one direction is slow.
const ONE_WAY_SLOW: f64 = 1.5;
const BOTH_WAYS_SLOW: f64 = -1.0;
/// Probes that do not load the path lose far less.
const IDLE_CLEAN: f64 = 1.0;

/// A neighbour is clean below this share.
const CLEAN: f64 = 1e-6;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let all = interfaces(&facts.records, &facts.complaint);
    all.iter()
        .filter_map(|interface| Some(weigh(facts, &all, &Drops::of(facts, interface)?)))
        .collect()
}

fn weigh(facts: &Facts, all: &[Interface], drops: &Drops<'_>) -> Outcome {
    let mut weighing = Weighing::default();
    drops.weigh(&mut weighing);
    if let Some((weight, text)) = drops.interface.place(&facts.records) {
        weighing.add(weight, text, &drops.interface.lifetime.cites);
    }
    weigh_neighbours(&mut weighing, all, drops.interface);
    let pair = direction::of_complaint(&facts.records, &facts.complaint);
    let direction = weigh_direction(&mut weighing, facts, drops, pair.as_ref());
    weigh_idle(&mut weighing, facts, drops);
    weigh_room(&mut weighing, facts);
    let effect = Effect::of(&mut weighing, facts, drops, pair.as_ref());
    let interface = drops.interface;
    let device = interface.device_name();
    Outcome::Supports(Box::new(Supported {
        claim: drops.claim(),
        location: Location::Interface {
            device: device.clone(),
            interface: interface.name.clone(),
            hop: interface.hop.clone(),
        },
        direction,
        weighing,
        explains: effect.explains,
        allows_bps: effect.allows,
        after_fix_bps: effect.after_fix,
        remedy: format!(
            "clear {} (reset its hardware) and read its counters again while a transfer runs; if they go on growing, \
             swap the card or its software, and look for bursts that its buffers cannot hold",
            interface.words()
        ),
        ask_whom: format!(
            "the operator of {device}: the counters of {} before and after a transfer, and after clearing it",
            interface.name
        ),
        cannot_tell_from: None,
    }))
}

fn weigh_neighbours(weighing: &mut Weighing, all: &[Interface], interface: &Interface) {
    let clean = |other: &&Interface| {
        let share = |class| other.worst(class).share(class).and_then(stats::Ratio::estimate);
        share(Class::Dropped).is_some_and(|share| share < CLEAN)
            && share(Class::Errored).is_some_and(|share| share < CLEAN)
    };
    let next_to = |other: &&Interface| other.is_next_to(interface);
    let Some(neighbour) = all.iter().filter(next_to).find(clean) else {
        return;
    };
    let errors = neighbour
        .lifetime
        .total(Class::Errored)
        .map_or(0, |(count, _)| count);
    let text = format!(
        "the other end of the link is clean: {} counts {} errors and no drops in {} packets",
        neighbour.words(),
        words::thousands(errors),
        words::thousands(neighbour.lifetime.received().unwrap_or(0))
    );
    weighing.add(NEIGHBOUR_CLEAN, text, &neighbour.lifetime.cites);
}

fn weigh_direction(
    weighing: &mut Weighing,
    facts: &Facts,
    drops: &Drops<'_>,
    pair: Option<&BothWays>,
) -> Direction {
    let Some(pair) = pair else {
        // What was counted during the transfer complained about went its way.
        return if drops.stated.is_some() {
            Direction::Forward
        } else {
            Direction::Both
        };
    };
    let slow = pair.slow.direction(&facts.complaint).unwrap_or(Direction::Both);
    let figures = format!(
        "{} from {} to {}, {} the other way",
        pair.slow.rate, pair.slow.from, pair.slow.to, pair.fast.rate
    );
    if pair.differ() {
        let text = format!("drops on input harm the data of one direction, and one is slow: {figures}");
        weighing.add(ONE_WAY_SLOW, text, &pair.cites());
        return slow;
    }
    let text = format!("both directions are alike, and drops on input harm the data of one: {figures}");
    weighing.add(BOTH_WAYS_SLOW, text, &pair.cites());
    Direction::Both
}

fn weigh_idle(weighing: &mut Weighing, facts: &Facts, drops: &Drops<'_>) {
    /// Under load so many times as much.
    const FAR_LESS: f64 = 3.0;
    let Some(idle) = IdleLoss::of(&facts.records, &facts.complaint) else {
        return;
    };
    if idle.high * FAR_LESS <= drops.under_load.1 {
        let text = format!(
            "probes that do not load the path lose {} to {} ({} measurements): packets are lost under load",
            words::loss(idle.low),
            words::loss(idle.high),
            idle.count
        );
        weighing.add(IDLE_CLEAN, text, &idle.cites);
    }
}

fn weigh_room(weighing: &mut Weighing, facts: &Facts) {
    if let Some(room) = Headroom::of(facts) {
        weighing.add(
            0.0,
            format!("no overload: {}", room.figures.join("; ")),
            &room.cites,
        );
    }
}
