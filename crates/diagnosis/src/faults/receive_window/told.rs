//! A window that somebody found at the receiver, where it is not what the model names: a limit of its own beside the cause, or
//! none at all.

use super::FAULT;
use crate::facts::Facts;
use crate::faults::as_fast_as_it_can::ENOUGH;
use crate::faults::told::{Limit, Told, seconds};
use crate::faults::words;
use crate::judgement::join_cites;
use crate::records::Stated;
use crate::records::goes_between;
use evidence::{Argument, End, Excluded, Explains, Location, ObservationId, Quantity, RateBps, Transport};
use model::forward::window_bps;

/// Neither a rate nor a window that is so many times another is the same.
const BEYOND: f64 = 1.5;
/// A path of this many hops leaves the region: its round trip takes longer than this nearly always, seconds.
const WIDE_AREA_HOPS: usize = 10;
const WIDE_AREA_RTT_S: f64 = 0.004;
/// How often a setting is as it is told, alone and beside another record; these have no order in time that can be relied on.
const IN_FORCE: (f64, f64) = (0.75, 0.5);

/// What is told of the receiver's window: a limit beside the cause, or that it is none.
pub(in crate::faults) fn told(facts: &Facts) -> Option<Told> {
    let stated = facts.records.stated(Quantity::ReceiveWindow, &facts.complaint);
    let mut stated = stated.iter().filter(|said| said.value >= 1.0);
    let window = stated.next()?;
    let larger = stated
        .next_back()
        .filter(|most| most.value >= BEYOND * window.value);
    let size = words::buffer(window.value as u64);
    let missing = |what: &str| {
        Some(Told::Missing(
            FAULT.code,
            format!("{size} is the receiver's window: {what}"),
        ))
    };
    let Some(goal) = facts.expected() else {
        return missing("the rate expected is not known");
    };
    let routes = &facts.routing.routes;
    let far = routes.routes.iter().any(|route| route.len() >= WIDE_AREA_HOPS);
    let (rtt_s, why, cites) = match &facts.base_rtt {
        Some(rtt) => (rtt.seconds, "", &rtt.cites),
        None if far => (
            WIDE_AREA_RTT_S,
            ", as ten hops take nearly always,",
            &routes.cites,
        ),
        None => return missing("the round-trip time was not recorded"),
    };
    let allowed = RateBps(window_bps(window.value, rtt_s));
    let cites = join_cites([&vec![window.id.clone()], cites]);
    if allowed.0 >= goal.0 {
        let why = format!("{size} a round trip are enough for {goal}");
        let code = FAULT.code.to_owned();
        return facts
            .base_rtt
            .is_some()
            .then_some(Told::Excluded(Excluded { code, why, cites }));
    }
    let exact = facts.base_rtt.as_ref().map(|_| allowed.0);
    let mut against = against(facts, window, exact);
    if against.is_empty() {
        return None;
    }
    against.extend(larger.map(|larger| {
        let size = words::buffer(larger.value as u64);
        let text = format!(
            "another record tells of a window of {size}: if that is the later one, this limit is gone"
        );
        doubt(text, vec![larger.id.clone()])
    }));
    let text = format!(
        "{size} a round trip of {}{why} are {allowed}, {goal} are wanted",
        seconds(rtt_s)
    );
    let for_it = Argument {
        text,
        weight: 0.0,
        cites,
    };
    let limit = Limit {
        claim: format!("the receive window of {size} allows no more than {allowed} a connection"),
        location: Location::Host { end: End::To },
        explains: Explains::No,
        allows: exact.map(|bps| (bps / BEYOND, bps * BEYOND)),
        after_bps: None,
        remedy: FAULT
            .parameters
            .iter()
            .map(|parameter| parameter.remedy)
            .collect(),
        arguments: [vec![for_it], against].concat(),
    };
    let sure = if larger.is_some() { IN_FORCE.1 } else { IN_FORCE.0 };
    Some(Told::Limit(Box::new(limit.finding(&FAULT, sure))))
}

/// Why it is not the cause: transfers that are as slow with a larger one, and rates that do not fill it.
fn against(facts: &Facts, window: &Stated, allowed: Option<f64>) -> Vec<Argument> {
    let slow = |rate: &RateBps| facts.expected().is_none_or(|goal| rate.0 < ENOUGH * goal.0);
    let tried = facts.records.transfers.iter().find_map(|transfer| {
        let what = &transfer.what;
        let asked = what.window_bytes.filter(|b| *b as f64 >= BEYOND * window.value)?;
        let tcp = what.protocol != Some(Transport::Udp);
        let fits = tcp && goes_between(&what.from, &what.to, &facts.complaint);
        let rate = transfer.rate().filter(|rate| fits && slow(rate))?;
        let asked = words::buffer(asked);
        let text = format!("with {asked} asked for it is {rate}: another limit comes first");
        Some(doubt(text, vec![transfer.id.clone()]))
    });
    let fast = facts
        .routing
        .rates
        .as_ref()
        .zip(allowed)
        .and_then(|(rates, bps)| {
            let levels = rates.regimes(false).map(|regime| regime.level);
            let fast = RateBps(
                levels
                    .max_by(f64::total_cmp)
                    .filter(|fast| *fast > BEYOND * bps)?,
            );
            let text =
                format!("{fast} were reached at other times: several connections, or another window then");
            Some(doubt(text, rates.cites.clone()))
        });
    let less = facts.measured_rate().zip(allowed).and_then(|(rate, bps)| {
        let text = format!("{rate} measured is less: another limit comes first");
        (BEYOND * rate.0 < bps).then(|| doubt(text, Vec::new()))
    });
    tried.into_iter().chain(fast).chain(less).collect()
}

/// It bounds a connection all the same: what is doubted is only that it is the cause.
fn doubt(text: String, cites: Vec<ObservationId>) -> Argument {
    let weight = -0.1;
    Argument { text, weight, cites }
}
