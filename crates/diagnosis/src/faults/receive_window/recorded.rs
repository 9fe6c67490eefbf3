//! The same from records: a window that somebody found at the receiver, set against distance and rates.

use crate::facts::Facts;
use crate::facts::records::ends::end_of;
use crate::facts::records::stated::Stated;
use crate::faults::{ENOUGH, words};
use crate::judgement::{Outcome, Supported, Weighing, join_cites};
use evidence::{
    Direction, End, Explains, Location, Nanos, ObservationId, Quantity, RateBps, RateRange, Transport,
};

/// The rate is a filled window a round trip, within what tests vary by.
const FILLED: std::ops::Range<f64> = 0.5..1.5;
/// A path of this many hops leaves the region: its round-trip time is over [`WIDE_AREA_RTT_S`] nearly always.
const WIDE_AREA_HOPS: usize = 10;
const WIDE_AREA_RTT_S: f64 = 0.004;
/// A window this many times larger would show, if the window were the limit.
const MUCH_LARGER: f64 = 2.0;

/// A window of the receiver as records tell it, and what it is measured against.
struct Window {
    bytes: u64,
    /// A later or other record tells of a larger one.
    larger: Option<(u64, ObservationId)>,
    cites: Vec<ObservationId>,
}

/// `None` without a statement of the receiver's window.
pub(super) fn judge(facts: &Facts) -> Option<Outcome> {
    let window = window(facts)?;
    let rtt = facts.base_rtt.as_ref();
    let goal = facts.expected().or_else(|| fastest(facts));
    let missing = |what: &str| Outcome::Inconclusive {
        missing: format!("{} is the receiver's window: {what}", words::buffer(window.bytes)),
    };
    let Some(goal) = goal else {
        return Some(missing(
            "neither a faster transfer nor the rate expected is known",
        ));
    };
    let enough_up_to_s = window.bytes as f64 * 8.0 / goal.0.max(1.0);
    match rtt.map(|rtt| rtt.seconds()) {
        Some(rtt_s) if enough_up_to_s >= rtt_s => Some(Outcome::Contradicts {
            weight: -4.0,
            why: format!(
                "{} a round trip are enough for {goal}",
                words::buffer(window.bytes)
            ),
            cites: join_cites([
                &window.cites,
                &rtt.map(|rtt| rtt.cites.clone()).unwrap_or_default(),
            ]),
        }),
        Some(_) => Some(limits(facts, &window, goal)),
        None if enough_up_to_s < WIDE_AREA_RTT_S && is_wide_area(facts) => Some(limits(facts, &window, goal)),
        None => Some(missing("the round-trip time was not recorded")),
    }
}

/// The smallest that is told: whoever raised it left the older record in the case.
fn window(facts: &Facts) -> Option<Window> {
    let stated: Vec<Stated> = facts
        .records
        .stated(Quantity::ReceiveWindow, &facts.complaint)
        .into_iter()
        .filter(|said| said.value >= 1.0)
        .collect();
    let least = stated.first()?;
    let most = stated
        .last()
        .filter(|most| most.value >= MUCH_LARGER * least.value);
    Some(Window {
        bytes: least.value as u64,
        larger: most.map(|most| (most.value as u64, most.id.clone())),
        cites: vec![least.id.clone()],
    })
}

/// The best level that the history of the rate shows: more than what is slow now.
fn fastest(facts: &Facts) -> Option<RateBps> {
    let rates = facts.routing.rates.as_ref()?;
    rates
        .regimes(false)
        .map(|regime| regime.level)
        .max_by(f64::total_cmp)
        .map(RateBps)
}

fn is_wide_area(facts: &Facts) -> bool {
    facts
        .routing
        .routes
        .routes
        .iter()
        .any(|route| route.len() >= WIDE_AREA_HOPS)
}

fn limits(facts: &Facts, window: &Window, goal: RateBps) -> Outcome {
    let mut weighing = Weighing::default();
    let predicted = facts
        .base_rtt
        .as_ref()
        .map(|rtt| RateBps(model::forward::window_bps(window.bytes as f64, rtt.seconds())));
    weigh_distance(&mut weighing, facts, window, goal, predicted);
    weigh_raised(&mut weighing, window);
    let other_cause = weigh_other_windows(&mut weighing, facts, window)
        | weigh_history(&mut weighing, facts, window, predicted);
    let filled = facts
        .measured_rate()
        .zip(predicted)
        .map(|(measured, predicted)| FILLED.contains(&(measured.0 / predicted.0.max(1.0))));
    let explains = match filled {
        _ if other_cause => Explains::No,
        Some(true) => Explains::Yes,
        Some(false) => Explains::No,
        None => Explains::Unknown,
    };
    let allowed = predicted.map_or_else(
        || format!("allows {goal} only over short distances"),
        |rate| format!("allows no more than {rate} a connection"),
    );
    let allows_bps = predicted.map(|rate| words::range(FILLED.start * rate.0, rate.0, FILLED.end * rate.0));
    Outcome::Supports(Box::new(Supported {
        claim: format!("the receive window of {} {allowed}", words::buffer(window.bytes)),
        location: Location::Host { end: End::To },
        direction: Direction::Forward,
        weighing,
        explains,
        allows_bps,
        after_fix_bps: after_fix(explains, goal),
        remedy: remedy(facts, Some(goal)),
        ask_whom: format!("the administrator of {}", facts.name(End::To)),
        cannot_tell_from: None,
    }))
}

pub(super) fn remedy(facts: &Facts, goal: Option<RateBps>) -> String {
    let of = goal.map_or_else(String::new, |goal| format!(" of {goal} and more"));
    format!(
        "on {}: let the window grow to rate × round-trip time{of} (net.ipv4.tcp_rmem, or the socket buffer of the program)",
        facts.name(End::To)
    )
}

/// Only the cause promises anything when it is removed.
pub(super) fn after_fix(explains: Explains, goal: RateBps) -> Option<RateRange> {
    (explains == Explains::Yes).then(|| words::range(0.8 * goal.0, goal.0, goal.0))
}

fn weigh_distance(
    weighing: &mut Weighing,
    facts: &Facts,
    window: &Window,
    goal: RateBps,
    predicted: Option<RateBps>,
) {
    let size = words::buffer(window.bytes);
    if let (Some(rate), Some(rtt)) = (predicted, &facts.base_rtt) {
        let short = goal.0 / rate.0.max(1.0);
        let text = format!(
            "{size} a round trip of {} are {rate}, {goal} are wanted",
            Nanos(rtt.ns)
        );
        let weight = if short >= 1.0 / ENOUGH { 4.5 } else { 2.5 };
        weighing.add(weight, text, &join_cites([&window.cites, &rtt.cites]));
        return;
    }
    let enough_up_to_s = window.bytes as f64 * 8.0 / goal.0.max(1.0);
    let text = format!(
        "{size} are enough for {goal} over a round trip of up to {}: a path of {WIDE_AREA_HOPS} hops or more is longer \
         nearly always (its round-trip time was not recorded)",
        Nanos((enough_up_to_s * 1e9) as u64)
    );
    weighing.add(
        3.3,
        text,
        &join_cites([&window.cites, &facts.routing.routes.cites]),
    );
}

/// Records of a window have no order in time that can be relied on.
fn weigh_raised(weighing: &mut Weighing, window: &Window) {
    if let Some((larger, id)) = &window.larger {
        let text = format!(
            "another record tells of a window of {}: if that is the later one, this limit is gone",
            words::buffer(*larger)
        );
        weighing.add(-0.1, text, std::slice::from_ref(id));
    }
}

/// Transfers with a larger window that are no faster: something else limits them. Whether there are.
fn weigh_other_windows(weighing: &mut Weighing, facts: &Facts, window: &Window) -> bool {
    let larger = |bytes: Option<u64>| bytes.is_some_and(|b| b as f64 >= MUCH_LARGER * window.bytes as f64);
    let slow = |rate: RateBps| facts.expected().is_none_or(|goal| rate.0 < ENOUGH * goal.0);
    let tried = facts.records.transfers.iter().find_map(|transfer| {
        let what = &transfer.what;
        let with_data = end_of(&what.from, &facts.complaint) == Some(End::From)
            && end_of(&what.to, &facts.complaint) == Some(End::To);
        let wanted = with_data && what.protocol != Some(Transport::Udp) && larger(what.window_bytes);
        Some((
            what.window_bytes?,
            transfer.rate().filter(|rate| wanted && slow(*rate))?,
            transfer.id.clone(),
        ))
    });
    if let Some((bytes, rate, id)) = tried {
        let text = format!(
            "with {} asked for it is {rate}: another limit comes first",
            words::buffer(bytes)
        );
        weighing.add(-0.1, text, &[id]);
        return true;
    }
    false
}

/// A rate that stepped down tells of something that happened then; the window is a setting, and was there before. And
/// what exceeds the window's rate is not limited by it. Whether either is so.
fn weigh_history(
    weighing: &mut Weighing,
    facts: &Facts,
    window: &Window,
    predicted: Option<RateBps>,
) -> bool {
    let Some(rates) = facts.routing.rates.as_ref() else {
        return false;
    };
    let Some(fast) = fastest(facts) else { return false };
    let exceeds = predicted.is_some_and(|rate| fast.0 > FILLED.end * rate.0);
    let routed = facts.routing.coincidences().next().is_some();
    let text = match (exceeds, routed) {
        (true, _) => {
            format!("{fast} were reached at other times: several connections, or another window then")
        }
        (false, true) => "the rate steps with the route, which no window does".to_owned(),
        (false, false) => return false,
    };
    // It bounds a connection all the same: what is doubted is only that it is the cause.
    weighing.add(-0.2, text, &join_cites([&window.cites, &rates.cites]));
    true
}
