//! Damaged packets that interfaces count themselves: checksum and framing errors on input.

use super::model::Model;
use super::words;
use crate::facts::Facts;
use crate::facts::records::interfaces::{Class, Counted, Interface, Span, interfaces};
use crate::judgement::{Outcome, Supported, Weighing};
use evidence::{Direction, Location};
use stats::Ratio;

/// Fewer are what any link makes in its life.
const LEAST_EVENTS: u64 = 10;
const LEAST_SHARE: f64 = 1e-6;

/// An interface that receives damaged packets, with the counts to speak of.
struct Errors {
    interface: Interface,
    lost: Ratio,
    /// Counted between two snapshots; else since the counters were cleared.
    now: bool,
}

impl Errors {
    fn all(facts: &Facts) -> Vec<Self> {
        let of = |interface: Interface| {
            let counted: &Counted = interface.worst(Class::Errored);
            let lost = counted.share(Class::Errored)?;
            let now = matches!(counted.span, Span::Between(_));
            let enough = lost.events >= LEAST_EVENTS && lost.estimate()? >= LEAST_SHARE;
            enough.then_some(Self { interface, lost, now })
        };
        interfaces(&facts.records, &facts.complaint)
            .into_iter()
            .filter_map(of)
            .collect()
    }

    fn figures(&self) -> String {
        format!(
            "{} counts {} damaged of {} packets received, {}",
            self.interface.words(),
            words::thousands(self.lost.events),
            words::thousands(self.lost.trials),
            if self.now {
                "between two readings"
            } else {
                "since it was last cleared; whether it still counts is not told"
            }
        )
    }
}

/// Findings for interfaces, where no stretch between counters was found to lose.
pub(super) fn judge(facts: &Facts) -> Vec<Outcome> {
    Errors::all(facts)
        .iter()
        .map(|errors| weigh(facts, errors))
        .collect()
}

/// The same errors as an argument for a stretch that was found by counting.
pub(super) fn support(weighing: &mut Weighing, facts: &Facts) {
    if let Some(errors) = Errors::all(facts)
        .into_iter()
        .find(|errors| errors.interface.hop.is_some())
    {
        let weight = if errors.now { 0.7 } else { 0.3 };
        weighing.add(
            weight,
            errors.figures(),
            &errors.interface.worst(Class::Errored).cites,
        );
    }
}

fn weigh(facts: &Facts, errors: &Errors) -> Outcome {
    let interface = &errors.interface;
    let cites = &interface.worst(Class::Errored).cites;
    let mut weighing = Weighing::default();
    // A total since some day is an old story until it is seen to grow.
    weighing.add(if errors.now { 3.0 } else { 0.5 }, errors.figures(), cites);
    if let Some((weight, text)) = interface.place(&facts.records) {
        weighing.add(weight, text, cites);
    }
    let model = Model::with(facts, errors.lost, |_| None);
    let explains = model.weigh(&mut weighing);
    let device = interface.device_name();
    Outcome::Supports(Box::new(Supported {
        claim: format!(
            "{} where {} receives: the link damages them",
            words::one_in(errors.lost.estimate().unwrap_or(0.0)),
            interface.words()
        ),
        location: Location::Interface {
            device: device.clone(),
            interface: interface.name.clone(),
            hop: interface.hop.clone(),
        },
        // Errors on input harm what comes in there; which data those are the record does not tell.
        direction: Direction::Both,
        weighing,
        explains,
        allows_bps: model.allowed(),
        after_fix_bps: super::after_fix(facts, explains),
        remedy: "clean or replace fibre and optics of that link, check duplex and clocking, and read the counters again \
                 while a transfer runs"
            .into(),
        ask_whom: format!(
            "the operators of {device} and of what is at the other end of {}: errors, optical power, duplex",
            interface.name
        ),
        cannot_tell_from: None,
    }))
}
