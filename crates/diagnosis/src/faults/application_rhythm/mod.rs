//! APP-001: the application hands over its data with pauses.

use super::words;
use crate::declaration::{Fault, Rule, Sections};
use crate::facts::Facts;
use crate::facts::records::{goes_between, rhythm::Rhythm};
use crate::judgement::{Outcome, Supported, Weighing, join_cites};
use evidence::{Direction, End, Explains, Location, Nanos, RateBps};

pub(crate) static FAULT: Fault = Fault {
    code: "APP-001",
    name: "application_rhythm",
    title: "the application's rhythm",
    sections: Sections {
        what_it_is: "The program that sends or receives does not keep the connection busy: it writes a piece, waits (for \
            a disk, a lock, an answer from its peer), writes the next. The network is idle meanwhile.",
        why_it_hurts: "The rate is the size of a piece over the time that writing it and the pause take together. A pause \
            of 0.4 ms after each 32 KiB costs 40 % of a rate of 55 MB/s; the faster the network, the more the pause \
            weighs. No tuning of TCP or of the path changes it.",
        how_we_know: "- A capture or a system-call trace shows pieces of a fixed size with pauses of a fixed length, and \
            no retransmission in them.\n\
            - The rate that follows from sizes and pauses alone is the rate reached, within 15 %, for each program.\n\
            - Programs with other block sizes reach other rates between the same hosts, as predicted.\n\
            - Against it: the prediction is far above what is reached. Then something else limits.",
        what_looks_like_it: "- **HOST-001**: a window that is used up also makes pauses, each a round-trip time long, \
            and the kernel counts them as limited by the receiver.\n\
            - **A slow disk** is a cause of such pauses, not another explanation: blocks of its buffer's size show it.\n\
            - **A busy processor**: pauses have no fixed length.",
        remedy: "Write and read in larger pieces, and let disk and network work at the same time (a second buffer, a \
            second thread, asynchronous input and output). Measure memory to memory to see what is left.",
        whom_to_ask: "Whoever maintains or configures the program: its write size, its disk buffers, whether it overlaps \
            reading and sending.",
        references: &[
            "RFC 6349 section 2: transfers limited by the application are no measure of the path",
            "Network transfers from NERSC to ORNL, 2000: 32 KB writes, 0.4 ms pauses, disk buffers of 256 KB and 1 MB",
        ],
    },
    // Figures of a rhythm are gathered by whoever suspects it, and programs with pauses are many.
    rule: Some(Rule { prior: -1.0, judge }),
    parameter: None,
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
