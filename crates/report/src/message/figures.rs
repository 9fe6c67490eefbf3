//! The counters that a located segment or interface rests on, as lines of a mail: whoever runs the device can hold them
//! against its own.

use crate::subject::Subject;
use crate::views::chain::{ChainGroup, groups};
use crate::views::interfaces::{counted, is_located, kind_words};
use crate::views::steps::{Since, Step, fewer};
use crate::words::{self, one_line};
use evidence::{Finding, InterfaceCounters, Location, Observation, Payload, Verdict};
use std::fmt::Write as _;

/// The figures behind the finding, or nothing where its place has no counters.
pub(super) fn of(subject: &Subject, verdict: &Verdict, finding: &Finding) -> String {
    let mut out = String::new();
    match &finding.location {
        Location::Segment { .. } => {
            groups(subject, verdict.round)
                .iter()
                .for_each(|group| segment(&mut out, group, finding));
        }
        Location::Interface { .. } => {
            let of_round = subject.case.round(verdict.round);
            for o in of_round {
                if let Payload::InterfaceCounters(counters) = &o.payload
                    && is_located(Some(verdict), o, counters)
                {
                    interface(&mut out, o, counters);
                }
            }
        }
        _ => {}
    }
    out
}

/// Counts before and behind the segment, test by test.
fn segment(out: &mut String, group: &ChainGroup, finding: &Finding) {
    let Some((first, last)) = group.stretch_of(finding) else {
        return;
    };
    let _ = writeln!(
        out,
        "The counters before and behind it, {}:",
        one_line(&group.pair)
    );
    for test in &group.tests {
        let counted = |step: &&Step| !matches!(step.since, Since::Missing | Since::Zero);
        let before = test
            .steps
            .get(..=first)
            .and_then(|steps| steps.iter().rev().find(counted));
        let (Some(before), Some(step)) = (before, test.steps.get(last)) else {
            continue;
        };
        let count = |n: Option<u64>| n.map_or("not counted".to_owned(), words::count);
        let (label, at) = (one_line(&test.chain.label), &test.at);
        let change = change(before, step);
        let _ = writeln!(
            out,
            "  - {label}, {at}: {} -> {} ({change})",
            count(before.packets),
            count(step.packets)
        );
    }
    let _ = writeln!(
        out,
        "\nPlease look at the error counters of the links of this stretch (framing, CRC, SDH/SONET section and \
         line errors) and at drops of the interfaces at both ends, for these times.\n"
    );
}

fn change(before: &Step, step: &Step) -> String {
    let missing = match step.since {
        Since::More { missing, .. } => missing,
        _ => None,
    };
    match (before.packets, step.packets, step.since) {
        (_, _, Since::Missing | Since::Zero) | (None, _, _) | (_, None, _) => {
            "not counted behind it".to_owned()
        }
        (_, _, Since::Doubtful { lost }) => {
            format!("-{}, which a later counter contradicts", words::count(lost))
        }
        (Some(before), Some(behind), _) if behind < before => fewer(before - behind, before),
        (Some(before), Some(behind), _) if behind == before => "none lost".to_owned(),
        (Some(before), Some(behind), _) => {
            let missing = missing.map_or(String::new(), |n| {
                format!(
                    "; {} fewer than the last counter that none contradicts",
                    words::count(n)
                )
            });
            let more = words::count(behind.saturating_sub(before));
            format!("+{more}: one of the two counters is wrong{missing}")
        }
    }
}

/// What the interface counted, errors as a share of its packets.
fn interface(out: &mut String, o: &Observation, counters: &InterfaceCounters) {
    let since = counters
        .counting_for_s
        .map_or("since an unknown time".to_owned(), |s| {
            format!("over {}", words::long(s.saturating_mul(1_000_000_000)))
        });
    let _ = writeln!(out, "Its counters, {since}, read {}:", words::made(&o.provenance));
    for (kind, value) in counted(counters) {
        let _ = writeln!(out, "  - {}: {value}", kind_words(kind));
    }
    let _ = writeln!(
        out,
        "\nPlease read them twice during a transfer: which of them still rise, by how much a second, and on which \
         queue or buffer?\n"
    );
}
