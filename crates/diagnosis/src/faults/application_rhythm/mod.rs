//! APP-001: the application hands over its data with pauses.

use super::told::{Limit, OBSERVED_WITHIN, compared, seconds};
use super::words;
use crate::declaration::Fault;
use crate::facts::Facts;
use crate::records::{Records, goes_between};
use evidence::{Argument, End, Explains, Finding, Location, Node, Quantity, RateBps};
use model::forward::Rhythm;
use std::collections::BTreeSet;

pub(crate) static FAULT: Fault = Fault {
    code: "APP-001",
    page: include_str!("page.md"),
    parameters: &[],
};

/// How near the prediction must come to explain a rate.
const NEAR: f64 = 0.15;

/// One application between two hosts, its rhythm, and the fastest of its runs: slower ones may have had other reasons.
struct Program {
    name: String,
    rhythm: Rhythm,
    measured: RateBps,
    argument: Argument,
}

impl Program {
    fn of(records: &Records, from: &Node, to: &Node, name: &str) -> Option<Self> {
        let mut cites = Vec::new();
        // A figure about this application, else one that holds for all between the two.
        let mut figure = |quantity| {
            let said = records.stated_between(quantity, from, to);
            let of = |subject| {
                said.iter()
                    .find(|s| s.subject.as_deref() == subject && s.value > 0.0)
            };
            let found = of(Some(name)).or_else(|| of(None))?;
            cites.push(found.id.clone());
            Some(found.value)
        };
        let rhythm = Rhythm {
            write_bytes: figure(Quantity::WriteBytes)?,
            pause_s: figure(Quantity::WritePause)?,
            write_bps: figure(Quantity::WriteRate)?,
            block: figure(Quantity::BlockBytes).zip(figure(Quantity::BlockPause)),
        };
        let key = (from, to, Some(name));
        let runs = records.transfers.iter();
        let its = runs.filter(|t| (&t.what.from, &t.what.to, t.what.application.as_deref()) == key);
        let (measured, run) = its
            .filter_map(|t| Some((t.rate().filter(|rate| rate.0 > 0.0)?, t.id.clone())))
            .max_by(|(a, x), (b, y)| a.0.total_cmp(&b.0).then_with(|| y.cmp(x)))?;
        cites.push(run);
        cites.sort();
        let predicted = RateBps(rhythm.bps());
        let blocks = rhythm.block.map_or_else(String::new, |(bytes, pause_s)| {
            let (pause, size) = (seconds(pause_s), words::buffer(bytes as u64));
            format!(", with {pause} more after each {size} {predicted}")
        });
        let text = format!(
            "{name}: {} with pauses of {} give {}{blocks}; {measured} reached, {:.0} % off",
            words::buffer(rhythm.write_bytes as u64),
            seconds(rhythm.pause_s),
            RateBps(rhythm.of_writes_bps()),
            (predicted.0 / measured.0 - 1.0).abs() * 100.0
        );
        let [seen, expected] = [measured, predicted].map(|rate| (rate.0, rate.0));
        Some(Self {
            name: name.to_owned(),
            rhythm,
            measured,
            argument: compared(seen, expected, OBSERVED_WITHIN, text, cites),
        })
    }
}

/// One finding for all applications between two hosts of which writes, pauses and the rate reached are known.
pub(super) fn told(facts: &Facts) -> Vec<Finding> {
    let transfers = facts.records.transfers.iter().map(|t| &t.what);
    let pairs: BTreeSet<(&Node, &Node)> = transfers.clone().map(|t| (&t.from, &t.to)).collect();
    let of_pair = |(from, to): (&Node, &Node)| {
        let its = transfers.clone().filter(|t| (&t.from, &t.to) == (from, to));
        let names: BTreeSet<&str> = its.filter_map(|t| t.application.as_deref()).collect();
        let programs = names
            .into_iter()
            .filter_map(|name| Program::of(&facts.records, from, to, name));
        of_programs(facts, (from, to), programs.collect())
    };
    pairs.into_iter().filter_map(of_pair).collect()
}

fn of_programs(facts: &Facts, (from, to): (&Node, &Node), programs: Vec<Program>) -> Option<Finding> {
    let complained = goes_between(from, to, &facts.complaint);
    let rate = facts.measured_rate().filter(|_| complained);
    // The program that is complained about is the one that ran at that rate; elsewhere the fastest speaks for all.
    let distance = |p: &Program| rate.map_or(-p.measured.0, |rate| (p.measured.0 - rate.0).abs());
    let main = programs
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let predicted = main.rhythm.bps();
    let near = rate.is_some_and(|rate| (predicted / rate.0 - 1.0).abs() <= NEAR);
    let rates: Vec<String> = programs
        .iter()
        .map(|p| {
            format!(
                "{} {} of {} predicted",
                p.name,
                p.measured,
                RateBps(p.rhythm.bps())
            )
        })
        .collect();
    let larger = Rhythm {
        write_bytes: 2.0 * main.rhythm.write_bytes,
        ..main.rhythm
    };
    let limit = Limit {
        claim: format!(
            "the rhythm of the application limits transfers from {from} to {to}: {}",
            rates.join(", ")
        ),
        location: if complained || from.is(&facts.complaint.from) {
            Location::Host { end: End::From }
        } else {
            Location::OtherHost {
                name: from.to_string(),
            }
        },
        explains: if near { Explains::Yes } else { Explains::No },
        allows: Some(((1.0 - NEAR) * predicted, (1.0 + NEAR) * predicted)),
        // Without the pauses the writes follow one another at the rate that each has alone. What another transfer would
        // gain is no answer to the complaint.
        after_bps: complained.then_some(main.rhythm.write_bps),
        remedy: format!(
            "write in larger pieces (of {} the pauses alone would leave {}), and read from disk while sending",
            words::buffer(larger.write_bytes as u64),
            RateBps(larger.of_writes_bps())
        ),
        arguments: programs.into_iter().map(|program| program.argument).collect(),
    };
    Some(limit.weighed(&FAULT))
}
