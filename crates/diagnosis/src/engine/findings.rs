//! From answers to findings: the same words, places and arguments for every fault, from the model and its likelihoods.

use super::arguments::arguments;
use super::counted;
use super::groups::{groups, usual};
use super::level::{Answer, Level};
use super::place;
use super::posterior::Posterior;
use crate::adapters::Gathered;
use crate::declaration::{Fault as Declaration, Parameter};
use crate::faults::{detour, of_counted, of_family, of_kind, words};
use evidence::{Case, Direction, Explains, Finding, RateBps, RateRange, Transport};
use model::{
    Bound, Counted, Element, ElementId, Family, Fault, Kind, Measurement, Program, Rate, Seen, forward,
};

/// A prediction explains a rate within this factor: test noise and the model's error together.
const EXPLAINS_WITHIN: f64 = 3.0;

/// The finding that an answer stands for.
pub(crate) fn finding(
    case: &Case,
    gathered: &mut Gathered,
    posterior: &Posterior,
    answer: &Answer,
) -> Finding {
    let declaration = declaration(gathered, answer);
    let beside = gathered.beside_the_path();
    let beside = answer.place.iter().all(|id| beside.contains(id));
    let located = place::locate(case, gathered, posterior, answer, beside);
    let counted = counted::said(case, gathered, answer);
    let claim = match answer.level {
        Level::Detour => detour::claim(&gathered.routing, &located.words),
        _ => format!("{}{}{}", claim(declaration, answer), located.words, counted.claim),
    };
    let mut rates = Rates::of(gathered, answer);
    // What is lost of acknowledgements costs no throughput: the next one says the same. Beside the path nothing does.
    let harmless = direction(gathered, answer) == Direction::Reverse && answer.family() == Family::Loss;
    if (harmless || beside) && rates.explains == Explains::Unknown {
        rates.explains = Explains::No;
    }
    let all = groups(gathered);
    let (mut supports, mut contradicts) = arguments(gathered, &all, posterior, answer);
    supports.extend(counted.beside);
    if answer.level == Level::Detour {
        let (more, against) = detour::arguments(&gathered.routing, &located.words);
        supports.extend(more);
        contradicts.extend(against);
    }
    Finding {
        code: declaration.code.to_owned(),
        claim,
        location: located.location,
        direction: direction(gathered, answer),
        confidence: certainty(gathered, answer),
        explains: rates.explains,
        allows_bps: rates.allows,
        after_fix_bps: rates.after_fix,
        supports,
        contradicts,
        remedy: parameter(declaration, answer)
            .map_or_else(|| declaration.section("Remedy"), |p| p.remedy.to_owned()),
        ask_whom: located.ask_whom,
        cannot_tell_from: siblings(answer),
    }
}

fn declaration(gathered: &Gathered, answer: &Answer) -> &'static Declaration {
    let elements = || answer.place.iter().map(|id| gathered.map.element(*id));
    // An interface tells what it dropped for want of room; that two counters differ does not.
    let told =
        |kind: Kind| kind == Kind::LossRatio || elements().all(|e| matches!(e, Element::Interface { .. }));
    let counted = elements().all(Element::is_counted);
    match answer.level {
        Level::Kind(kind) if counted && told(kind) => of_counted(kind),
        Level::Kind(kind) => of_kind(kind),
        Level::Family(family) => of_family(family),
        Level::Detour => &detour::FAULT,
    }
}

fn parameter(declaration: &Declaration, answer: &Answer) -> Option<&'static Parameter> {
    let likeliest = |parameter: &&Parameter| parameter.kind == answer.likeliest.kind;
    declaration.parameters.iter().find(likeliest)
}

fn claim(declaration: &Declaration, answer: &Answer) -> String {
    let value = answer.likeliest.value;
    match (answer.level, parameter(declaration, answer)) {
        (Level::Kind(_), Some(parameter)) => (parameter.claim)(value),
        _ => match answer.family() {
            Family::Loss => "packets are lost".to_owned(),
            Family::Capacity => "too little passes".to_owned(),
            Family::Mtu if answer.likeliest.kind.is_black_hole() => {
                format!("packets over {value:.0} bytes vanish")
            }
            Family::Mtu => "large packets or their fragments vanish".to_owned(),
            Family::Host | Family::Application if !answer.also.is_empty() => {
                "a program, or the host that it runs on, is the limit".to_owned()
            }
            Family::Host => "processor, buffers or program are the limit".to_owned(),
            Family::Route => "packets overtake each other".to_owned(),
            Family::Application | Family::Unknown => "the program gives too little to send".to_owned(),
        },
    }
}

/// TCP's segments are never fragmented: that fragments vanish is no cause for a transfer that is not known to be datagrams.
fn certainty(gathered: &Gathered, answer: &Answer) -> f64 {
    const DATA_UNKNOWN: f64 = 0.7;
    let datagrams = |rate: &Rate| rate.transport == Transport::Udp || rate.program == Program::Unsaid;
    let fragments = answer.likeliest.kind == Kind::Fragments;
    if fragments && !gathered.complained().filter_map(Measurement::rate).any(datagrams) {
        return answer.probability.min(DATA_UNKNOWN);
    }
    answer.probability
}

/// What a family leaves open.
fn siblings(answer: &Answer) -> Option<String> {
    match answer.level {
        Level::Family(family) => Some(open_siblings(family)),
        Level::Kind(kind) if kind.is_black_hole() => Some(words::OPEN_BLACK_HOLE.to_owned()),
        Level::Kind(_) | Level::Detour => None,
    }
}

/// The mechanisms of a family, as what stays open where only the family is known.
pub(crate) fn open_siblings(family: Family) -> String {
    let mut names: Vec<&str> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.family() == family)
        .map(|kind| of_kind(kind).title())
        .collect();
    names.dedup();
    format!("which of these it is stays open: {}", names.join("; "))
}

fn direction(gathered: &Gathered, answer: &Answer) -> Direction {
    let element = answer.likeliest.element;
    let [out, back] = &gathered.counted;
    let counted_back = back.contains(&element) && !out.contains(&element);
    if !answer.other_way.is_empty() {
        Direction::Either
    } else if answer.likeliest.kind.is_of_host() {
        Direction::Both
    } else if counted_back || (!answer.on_way && gathered.complained().any(|m| m.back.contains(&element))) {
        Direction::Reverse
    } else {
        Direction::Forward
    }
}

/// The least share that a slower stream lost by a fault that comes with the load: what the fastest lost a transfer does not meet.
fn least_counted(gathered: &Gathered, fault: &Fault) -> Option<f64> {
    const ENOUGH: f64 = 10.0;
    if !matches!(fault.kind, Kind::ReceiveDrops | Kind::LossUnderLoad) {
        return None;
    }
    let ratios = gathered.measurements.iter().filter_map(|m| match &m.seen {
        Seen::Count(count)
            if count.what == Counted::Missing
                && count.bad >= ENOUGH
                && m.out.last() == Some(&fault.element) =>
        {
            Some(count.bad / count.of.max(1.0))
        }
        _ => None,
    });
    ratios.min_by(f64::total_cmp)
}

/// What the fault does to the rate of the transfer complained about.
struct Rates {
    explains: Explains,
    allows: Option<RateRange>,
    after_fix: Option<RateRange>,
}

impl Rates {
    fn of(gathered: &Gathered, answer: &Answer) -> Self {
        let unknown = Self {
            explains: Explains::Unknown,
            allows: None,
            after_fix: None,
        };
        let rates = gathered.complained().filter_map(|m| Some((m, m.rate()?)));
        let rates: Vec<(&Measurement, &Rate)> = rates.collect();
        // Of the plain transfers the slowest is the one complained about: others asked for what goes round the fault.
        let slowest = |plain: bool| {
            let exact = rates.iter().filter(|(_, rate)| rate.bound == Bound::Exact);
            let fit =
                exact.filter(|(_, rate)| !plain || (rate.streams <= 1.0 && rate.window_bytes.is_none()));
            fit.copied().min_by(|a, b| a.1.bps.total_cmp(&b.1.bps))
        };
        let plain = slowest(true);
        let Some((measurement, rate)) = plain.or_else(|| slowest(false)) else {
            return unknown;
        };
        if answer.likeliest.kind.is_black_hole()
            && rate.mss_bytes.is_none()
            && rate.transport == Transport::Tcp
        {
            // Nobody told how large its segments are.
            return unknown;
        }
        let by_loss = matches!(answer.family(), Family::Loss) && rate.transport == Transport::Tcp;
        if by_loss && rate.min_rtt_s.is_none() {
            // What a loss ratio leaves of a rate depends on the round-trip time as much.
            return unknown;
        }
        // What any test between these hosts reached is proved; more than that is only hoped for.
        let proved = rates.iter().map(|(_, rate)| rate.bps).fold(0.0, f64::max);
        let normal = gathered
            .expected_bps
            .unwrap_or_else(|| usual(gathered))
            .max(proved)
            .max(1e6);
        // What is normal is known to a factor only.
        let least = least_counted(gathered, &answer.likeliest);
        let fault = Fault {
            value: least.unwrap_or(answer.likeliest.value),
            ..answer.likeliest
        };
        let limits = |limit: &forward::Limit| limit.by == forward::LimitedBy::Fault(fault.kind);
        let limit = [normal, 4.0 * normal]
            .map(|normal| forward::limit(&[fault], measurement, rate, normal))
            .into_iter()
            .find(limits);
        let Some(limit) = limit else {
            return Self {
                explains: Explains::No,
                ..unknown
            };
        };
        let allowed = libm::exp(limit.ln_bps);
        // A loss ratio that was counted is known as well as its formula is.
        let sigma = if least.is_some() {
            limit.sigma.min(0.5)
        } else {
            limit.sigma
        };
        let spread = libm::exp(sigma.max(0.2));
        let within = EXPLAINS_WITHIN * spread;
        // A transfer that stood still is explained by whatever leaves next to nothing.
        let standstill = rate.bps < forward::STANDSTILL_BPS && allowed < 1e-2 * normal;
        let measured = rate.bps.max(forward::STANDSTILL_BPS);
        let fits = standstill || (allowed / within <= measured && rate.bps <= allowed * within);
        // What comes with the load no transfer feels that was faster than it allows.
        let unfelt = least.is_some()
            && rates.iter().any(|(_, other)| {
                let alike = other.transport == rate.transport && other.streams <= rate.streams;
                alike && other.bps > allowed * within
            });
        let explains = if fits && !unfelt {
            Explains::Yes
        } else {
            Explains::No
        };
        let after = (proved > 1.5 * measured).then(|| RateRange::around(proved, proved, proved.max(normal)));
        Self {
            explains,
            allows: Some(RateRange {
                low: RateBps(allowed / spread),
                best: RateBps(allowed),
                high: RateBps(allowed * spread),
            }),
            after_fix: after,
        }
    }
}

/// How likely it is that some fault of this family is there, at an element that counts.
pub(crate) fn mass_of(posterior: &Posterior, family: Family, counts: impl Fn(ElementId) -> bool) -> f64 {
    let fits = |fault: &Fault| fault.kind.family() == family && counts(fault.element);
    let worlds = posterior.worlds.iter();
    worlds
        .filter(|(faults, _)| faults.iter().any(fits))
        .map(|(_, p)| p)
        .sum()
}
