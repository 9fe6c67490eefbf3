//! APP-001: the application hands over its data with pauses.

use super::words;
use crate::declaration::{Fault, Rule};
use crate::facts::Facts;
use crate::facts::records::{goes_between, rhythm::Rhythm};
use crate::judgement::{Outcome, Supported, Weighing, join_cites};
use evidence::{Direction, End, Explains, Location, Nanos, RateBps};

pub(crate) static FAULT: Fault = Fault {
    code: "APP-001",
    name: "application_rhythm",
    title: "the application's rhythm",
    page: include_str!("page.md"),
    // Figures of a rhythm are gathered by whoever suspects it, and programs with pauses are many.
    rule: Some(Rule { prior: -1.0, judge }),
    parameters: &[],
};

/// How near the prediction must come to be the explanation.
const NEAR: f64 = 0.15;
/// Beyond this the rhythm is there, but it is not what limits.
const FAR: f64 = 0.4;

fn judge(facts: &Facts) -> Vec<Outcome> {
    let rhythms = Rhythm::all(&facts.records);
    let pairs = rhythms.chunk_by(|a, b| a.from == b.from && a.to == b.to);
    pairs.filter_map(|pair| outcome(facts, pair)).collect()
}

/// One finding for all applications between two hosts.
fn outcome(facts: &Facts, pair: &[Rhythm]) -> Option<Outcome> {
    let first = pair.first()?;
    let mut weighing = Weighing::default();
    pair.iter().for_each(|rhythm| weigh(&mut weighing, rhythm));
    let complained = goes_between(&first.from, &first.to, &facts.complaint);
    let rate = facts.measured_rate().filter(|_| complained);
    // The program that is complained about is the one that ran at that rate; elsewhere the fastest speaks for all.
    let distance = |r: &&Rhythm| rate.map_or(-r.measured.0, |rate| (r.measured.0 - rate.0).abs());
    let main = pair.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let predicted = main.predicted().0;
    let explains = match rate {
        Some(rate) if (predicted / rate.0 - 1.0).abs() <= NEAR => Explains::Yes,
        _ => Explains::No,
    };
    let rates: Vec<String> = pair
        .iter()
        .map(|r| format!("{} {} of {} predicted", r.application, r.measured, r.predicted()))
        .collect();
    Some(Outcome::Supports(Box::new(Supported {
        claim: format!(
            "the rhythm of the application limits transfers from {} to {}: {}",
            first.from,
            first.to,
            rates.join(", ")
        ),
        location: place(facts, first, complained),
        direction: if complained {
            Direction::Forward
        } else {
            Direction::Both
        },
        weighing,
        explains,
        allows_bps: Some(words::range(
            (1.0 - NEAR) * predicted,
            predicted,
            (1.0 + NEAR) * predicted,
        )),
        // Without the pauses the writes follow one another at the rate that each has alone. What another transfer would
        // gain is no answer to the complaint.
        after_fix_bps: complained.then(|| words::range(predicted, main.write_rate.0, main.write_rate.0)),
        remedy: remedy(main),
        ask_whom: format!(
            "whoever maintains or configures {} on {}: write size, disk buffers, overlap of reading and sending",
            pair.iter()
                .map(|r| r.application.as_str())
                .collect::<Vec<_>>()
                .join(" and "),
            first.from
        ),
        cannot_tell_from: None,
    })))
}

fn weigh(weighing: &mut Weighing, rhythm: &Rhythm) {
    let (measured, predicted) = (rhythm.measured, rhythm.predicted());
    let off = predicted.0 / measured.0 - 1.0;
    let text = format!(
        "{}: {} with pauses of {} give {}{}; {} reached, {:.0} % off",
        rhythm.application,
        words::buffer(rhythm.write_bytes as u64),
        Nanos((rhythm.pause_s * 1e9) as u64),
        rhythm.of_writes(),
        blocks(rhythm),
        measured,
        off.abs() * 100.0
    );
    let weight = match off.abs() {
        near if near <= NEAR => 2.0,
        far if far >= FAR => -3.0,
        _ => 0.5,
    };
    weighing.add(weight, text, &join_cites([&rhythm.cites]));
}

fn blocks(rhythm: &Rhythm) -> String {
    rhythm.block.map_or_else(String::new, |(bytes, pause_s)| {
        format!(
            ", with {} more after each {} {}",
            Nanos((pause_s * 1e9) as u64),
            words::buffer(bytes as u64),
            rhythm.predicted()
        )
    })
}

fn place(facts: &Facts, rhythm: &Rhythm, complained: bool) -> Location {
    if complained || rhythm.from.is(&facts.complaint.from) {
        return Location::Host { end: End::From };
    }
    Location::OtherHost {
        name: rhythm.from.to_string(),
    }
}

fn remedy(rhythm: &Rhythm) -> String {
    let doubled = 2.0 * rhythm.write_bytes;
    let rate = RateBps(doubled * 8.0 / (doubled * 8.0 / rhythm.write_rate.0 + rhythm.pause_s));
    format!(
        "write in larger pieces (of {} the pauses alone would leave {rate}), and read from disk while sending",
        words::buffer(doubled as u64)
    )
}
