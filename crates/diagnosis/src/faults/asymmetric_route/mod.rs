//! ROUTE-002: data and acknowledgements go different ways. A circumstance that explains what is seen, not a cause.

use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::Recorded;
use crate::facts::records::direction::settings;
use crate::facts::records::ends::direction;
use crate::facts::records::ways::compare;
use crate::judgement::{Outcome, Supported, Weighing, join_cites};
use evidence::{Direction, End, Explains, Location, ObservationId, RateBps, Transfer, Transport};

pub(crate) static FAULT: Fault = Fault {
    code: "ROUTE-002",
    name: "asymmetric_route",
    title: "asymmetric route",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: -1.5, judge }),
    parameters: &[],
};

/// Hops at both ends are shared as a rule: a smaller share is little else.
const UNLIKE: f64 = 0.33;
/// The ways go together.
const ALIKE: f64 = 0.6;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let mut weighing = Weighing::default();
    if let Some(found) = compare(facts) {
        if found.share >= ALIKE {
            return vec![Outcome::Contradicts {
                weight: -3.0,
                why: found.text,
                cites: found.cites,
            }];
        }
        if found.share < UNLIKE {
            weighing.add(3.0, found.text, &found.cites);
        }
    }
    if let Some((text, cites)) = slow_one_way(facts) {
        weighing.add(2.2, text, &cites);
    }
    if weighing.supports.is_empty() {
        return Vec::new();
    }
    vec![Outcome::Supports(Box::new(Supported {
        claim:
            "data and acknowledgements take different ways: what harms one direction need not harm the other"
                .into(),
        location: Location::Path,
        direction: Direction::Both,
        weighing,
        explains: Explains::No,
        allows_bps: None,
        after_fix_bps: None,
        remedy: "none needed: look for the fault on the way of the data, and trace from both ends".into(),
        ask_whom: "the network of each end, about its own way out".into(),
        cannot_tell_from: None,
    }))]
}

/// So many times as fast is faster: transfers over one path, one after the other, easily differ by a half.
const CLEARLY: f64 = 2.0;

/// One direction alone got slow with the route of the data: with the same settings, it is fast against them.
fn slow_one_way(facts: &Facts) -> Option<(String, Vec<ObservationId>)> {
    let routing = &facts.routing;
    let ways = [End::From, End::To].map(|end| transfers(facts, end));
    let alike = |a: &Recorded<Transfer>, b: &Recorded<Transfer>| settings(&a.what) == settings(&b.what);
    let [there, back] = &ways;
    let pairs = there
        .iter()
        .flat_map(|(slow, t)| back.iter().map(move |(fast, b)| (slow, fast, t, b)));
    let mut pairs = pairs.filter(|(_, _, t, b)| alike(t, b)).peekable();
    let (slow, fast, t, b) = *pairs.peek().filter(|_| routing.coincidences().next().is_some())?;
    if !pairs.all(|(slow, fast, ..)| fast.0 >= CLEARLY * slow.0) {
        return None;
    }
    let passed = routing.plateau.filter(|plateau| fast.0 > plateau.link.0);
    let passed = passed.map_or_else(String::new, |plateau| {
        format!("; {fast} does not fit through a link of {}", plateau.link)
    });
    let text = format!(
        "since the route of the data moved, {slow} go with the data and {fast} against them with the same settings{passed}"
    );
    Some((text, join_cites([&vec![t.id.clone(), b.id.clone()]])))
}

/// The rates of TCP transfers from one end to the other, the slowest first.
fn transfers(facts: &Facts, from: End) -> Vec<(RateBps, &Recorded<Transfer>)> {
    let way = Some(from.outbound());
    let tcp = |t: &&Recorded<Transfer>| t.what.protocol != Some(Transport::Udp);
    let along = |t: &&Recorded<Transfer>| direction(&t.what.from, &t.what.to, &facts.complaint) == way;
    let all = facts.records.transfers.iter().filter(tcp).filter(along);
    let mut all: Vec<_> = all.filter_map(|t| Some((t.rate()?, t))).collect();
    all.sort_by(|(a, t), (b, u)| a.0.total_cmp(&b.0).then_with(|| t.id.cmp(&u.id)));
    all
}
