//! Which measurement to make next: the one that is expected to lower the doubt about the cause most per second.
//!
//! Pure: the plan is a function of what is known. It begins with what makes a map and shows the complaint at all: both
//! hosts' settings, the route, and one plain transfer. That opening needs no inference: without it there are no places to
//! be in doubt about. The transfer comes before any probe of sizes, as routers' answers to these may teach the sending
//! kernel a path MTU that it would not have had, and then the transfer would not meet the fault that the user meets.
//!
//! Then the posterior decides: each measurement that the map allows is worth the mutual information of its outcome and the
//! answer, per second that it takes. When the cause is settled, or nothing gains enough any more, what is left is said to
//! be complete only after a few cheap proofs: the transfer that goes round the fault, small packets that show whether
//! loss has a part in it as well, and a look at all hops, whose habits mislead people.

mod asks;
mod hops;
mod legs;
mod means;
mod streams;
mod suspicion;
mod view;

pub use means::Means;

use crate::adapters::{Gathered, gather};
use crate::engine::{Outlook, infer};
use asks::{Idea, Purpose};
use evidence::{Ask, Case, Cost};
use model::Family;
use std::fmt;
use view::View;

/// Observations in a round beyond which something is wrong with the loop, not with the path.
const MOST_OBSERVATIONS: usize = 100;

/// An answer that holds this probability is not asked about again: no verdict is told to be surer.
const SETTLED: f64 = 0.95;

/// A diagnosis tells one of some 60 answers, 6 bits, and has two minutes for it: 0.05 bit/s on average. A measurement that
/// earns less than a tenth of that keeps a person waiting for nothing.
const LEAST_BITS_PER_S: f64 = 0.005;

/// With less, whatever it costs, the verdict stays what it is: the chance that an answer of 90 % becomes another.
const LEAST_BITS: f64 = 0.03;

/// Of a rate that is expected, so much is enough: what a user calls as fast as it should be.
const ENOUGH_OF_EXPECTED: f64 = 0.9;

/// What could be measured next, and what is worth it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What will be asked comes first, then the rest by what it gains per second.
    pub candidates: Vec<Candidate>,
    /// Why nothing is asked; `None` while something is.
    pub stopped: Option<Stopped>,
}

/// One measurement that could be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The measurement.
    pub ask: Ask,
    /// Expected gain about the cause and its place, bits; `None` where it is made for another reason.
    pub gain_bits: Option<f64>,
    /// What it costs, with whatever has to be measured before it can be read.
    pub cost: Cost,
    /// Whether it is asked, and if not, why not.
    pub standing: Standing,
}

impl Candidate {
    /// Expected gain per second of its cost, bits.
    #[must_use]
    pub fn bits_per_s(&self) -> Option<f64> {
        Some(self.gain_bits? / self.seconds())
    }

    fn seconds(&self) -> f64 {
        (self.cost.time_ms.max(1)) as f64 / 1e3
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Of the opening: it makes the map, or shows the complaint.
    Opening,
    /// It gains enough.
    Worth,
    /// It completes an answer: proves it, or shows what would mislead.
    Completes,
    /// It would be worth it, once what makes it readable was measured.
    Waits,
    /// It gains too little for its time.
    TooLittle,
    /// It was made already.
    Done,
    /// What is left of the budget does not suffice.
    OverBudget,
    /// It was asked and could not be carried out.
    Refused,
    /// This host does not allow it.
    NeedsPrivilege,
}

impl Standing {
    /// Whether it will be asked, sooner or later.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Opening | Self::Worth | Self::Completes)
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "opens every diagnosis",
            Self::Worth => "worth its time",
            Self::Completes => "completes the answer",
            Self::Waits => "after what makes it readable",
            Self::TooLittle => "gains too little",
            Self::Done => "done already",
            Self::OverBudget => "exceeds the budget",
            Self::Refused => "refused before",
            Self::NeedsPrivilege => "needs raw sockets",
        })
    }
}

/// Why measuring ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stopped {
    /// An answer holds enough; its probability.
    Settled(f64),
    /// The transfer is as fast as expected.
    FastEnough,
    /// Nothing that is possible gains enough.
    NothingGains,
    /// No place is known by name or address.
    NoPlace,
    /// There are too many observations in the round.
    TooMany,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settled(probability) => write!(f, "one answer holds {:.0} %", probability * 100.0),
            Self::FastEnough => f.write_str("the transfer is as fast as expected"),
            Self::NothingGains => f.write_str("nothing that is possible gains enough for its time"),
            Self::NoPlace => f.write_str("no place is known by name or address"),
            Self::TooMany => write!(f, "{MOST_OBSERVATIONS} observations and no answer"),
        }
    }
}

impl Plan {
    /// The measurement to make next.
    #[must_use]
    pub fn next(&self) -> Option<&Ask> {
        let first = self.candidates.first()?;
        first.standing.is_open().then_some(&first.ask)
    }
}

/// The next ask worth its cost; `None` when nothing more would change the verdict, or nothing more is allowed.
#[must_use]
pub fn plan(case: &Case, round: u32, means: &Means) -> Option<Ask> {
    explain_plan(case, round, means).next().cloned()
}

/// All that could be measured next, with what it is worth.
#[must_use]
pub fn explain_plan(case: &Case, round: u32, means: &Means) -> Plan {
    let view = View::of(case, round, means);
    if view.observations.len() >= MOST_OBSERVATIONS {
        return finish(Vec::new(), Stopped::TooMany);
    }
    let gathered = gather(&case.complaint, &view.observations);
    let opening: Vec<Candidate> = asks::opening(&view, gathered.as_ref().and_then(Gathered::min_rtt_s))
        .into_iter()
        .map(|(ask, done)| candidate(&view, ask, done, None, Standing::Opening))
        .collect();
    if opening.iter().any(|candidate| candidate.standing.is_open()) {
        return finish(opening, Stopped::NothingGains);
    }
    let Some(mut gathered) = gathered else {
        return finish(opening, Stopped::NoPlace);
    };
    let posterior = infer(&mut gathered);
    let routes = gathered.map.routes(gathered.from, gathered.to).len();
    let ideas = asks::ideas(&view, &mut gathered, &posterior);
    let outlook = Outlook::of(&gathered, &posterior);
    let carried = if routes > 1 {
        view.slowest_bps()
    } else {
        view.plain_bps()
    };
    let stopped = stopped(carried, &gathered, &outlook);
    let mut candidates = weigh(&view, ideas, &outlook, stopped);
    candidates.extend(opening);
    finish(candidates, stopped.unwrap_or(Stopped::NothingGains))
}

/// What will be asked first; a reason to stop where nothing is.
fn finish(mut candidates: Vec<Candidate>, why: Stopped) -> Plan {
    let rank = |candidate: &Candidate| (!candidate.standing.is_open(), candidate.standing);
    // Stable: the opening and what completes an answer keep the order in which they are asked.
    candidates.sort_by(|a, b| {
        let gained = |c: &Candidate| c.bits_per_s().filter(|_| c.standing != Standing::Completes);
        let more = |c: &Candidate| gained(c).unwrap_or(0.0);
        rank(a).cmp(&rank(b)).then_with(|| more(b).total_cmp(&more(a)))
    });
    let open = candidates.first().is_some_and(|first| first.standing.is_open());
    Plan {
        candidates,
        stopped: (!open).then_some(why),
    }
}

/// `carried`: what plain transfers reach, bit/s; of several routes each is a path of its own, and the slowest counts.
fn stopped(carried: Option<f64>, gathered: &Gathered, outlook: &Outlook<'_>) -> Option<Stopped> {
    let enough = |(rate, expected)| rate >= ENOUGH_OF_EXPECTED * expected;
    if carried.zip(gathered.expected_bps).is_some_and(enough) {
        return Some(Stopped::FastEnough);
    }
    let (_, probability) = outlook.surest();
    (probability >= SETTLED).then_some(Stopped::Settled(probability))
}

fn weigh(
    view: &View<'_>,
    ideas: Vec<Idea>,
    outlook: &Outlook<'_>,
    stopped: Option<Stopped>,
) -> Vec<Candidate> {
    let gains: Vec<f64> = ideas
        .iter()
        .map(|idea| {
            if idea.done {
                0.0
            } else {
                let gains = idea.sees.iter().map(|sees| outlook.gain_bits(sees));
                gains.sum::<f64>() / idea.sees.len().max(1) as f64
            }
        })
        .collect();
    let mut candidates: Vec<(Purpose, Candidate)> = Vec::new();
    for (idea, gain) in ideas.iter().zip(&gains) {
        let mut one = candidate(view, idea.ask.clone(), idea.done, Some(*gain), Standing::Worth);
        // What makes another measurement readable is worth what that one gains, for the cost of both.
        for (other, gain) in ideas
            .iter()
            .zip(&gains)
            .filter(|(other, _)| other.needs.contains(&idea.purpose))
        {
            let time_ms = idea.ask.cost().time_ms + other.ask.cost().time_ms;
            let cost = Cost {
                time_ms,
                ..idea.ask.cost()
            };
            let both = Candidate {
                gain_bits: Some(*gain),
                cost,
                ..one.clone()
            };
            let able = able(view, &other.ask).is_none() && one.standing.is_open();
            if able && both.bits_per_s() > one.bits_per_s() {
                one = both;
            }
        }
        candidates.push((idea.purpose, one));
    }
    let open_needs = |idea: &Idea| {
        let open =
            |(purpose, one): &(Purpose, Candidate)| idea.needs.contains(purpose) && one.standing.is_open();
        candidates.iter().any(open)
    };
    let waiting: Vec<bool> = ideas.iter().map(open_needs).collect();
    for ((_, one), waiting) in candidates.iter_mut().zip(waiting) {
        let gains = |bits: f64| bits >= LEAST_BITS && bits >= LEAST_BITS_PER_S * one.seconds();
        if one.standing != Standing::Worth {
            continue;
        }
        if stopped.is_some() || !one.gain_bits.is_some_and(gains) {
            one.standing = Standing::TooLittle;
        } else if waiting {
            one.standing = Standing::Waits;
        }
    }
    let worth = candidates.iter().any(|(_, one)| one.standing == Standing::Worth);
    if !worth {
        complete(view, &mut candidates, outlook, stopped);
    }
    candidates.into_iter().map(|(_, one)| one).collect()
}

/// What completes an answer although it gains little: the other equal routes; the counterfactual of a black hole; loss counted,
/// not inferred; small packets that show whether a second fault loses some; sizes, where no transfer tells of them; and a look
/// at all hops.
fn complete(
    view: &View<'_>,
    candidates: &mut [(Purpose, Candidate)],
    outlook: &Outlook<'_>,
    stopped: Option<Stopped>,
) {
    let settled = matches!(stopped, Some(Stopped::Settled(_)));
    let (faults, _) = outlook.surest();
    let is = |family: Family| faults.iter().any(|fault| fault.kind.family() == family);
    let wanted = |purpose: Purpose| match purpose {
        Purpose::Fitting => settled && is(Family::Mtu),
        Purpose::Glance => settled && !faults.is_empty() && !is(Family::Loss),
        // Where no transfer ran, nothing else tells which sizes pass.
        Purpose::Sizes => view.plain_bps().is_none(),
        // A fast test over one of several routes tells nothing of the others.
        Purpose::Again => stopped == Some(Stopped::FastEnough),
        // Loss that was only inferred from a rate is doubted until it is counted.
        Purpose::Hunt => is(Family::Loss),
        Purpose::Survey => true,
        _ => false,
    };
    for (purpose, one) in candidates {
        if one.standing == Standing::TooLittle && wanted(*purpose) {
            one.standing = Standing::Completes;
        }
    }
}

fn candidate(view: &View<'_>, ask: Ask, done: bool, gain_bits: Option<f64>, open: Standing) -> Candidate {
    let left = means::within_bytes(ask.clone(), view.means);
    let short = left.is_none();
    let ask = left.unwrap_or(ask);
    let standing = match able(view, &ask) {
        _ if done => Standing::Done,
        _ if short => Standing::OverBudget,
        Some(why) => why,
        None => open,
    };
    let cost = ask.cost();
    Candidate {
        ask,
        gain_bits,
        cost,
        standing,
    }
}

/// Why an ask cannot be carried out.
fn able(view: &View<'_>, ask: &Ask) -> Option<Standing> {
    if means::refused(&view.observations, ask) {
        Some(Standing::Refused)
    } else if !means::permitted(ask, view.means, view.complaint) {
        Some(Standing::NeedsPrivilege)
    } else if !means::affordable(ask, view.means) {
        Some(Standing::OverBudget)
    } else {
        None
    }
}
