//! The mail that SmokePing sends when an alert is raised: the losses and the medians of the last rounds, the newest last
//! (smokeping_config(5), `Alerts`). What is told is the newest: when the others were made the mail does not say, nor how many
//! probes a round has. What its address names is a place in a menu and no host.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::units::ns_of_seconds;
use evidence::{DelayStatistics, Payload, ProbeRow, Probes};

pub(crate) static FORMAT: Format = Format {
    name: "SmokePing alert",
    group: Group::Histories,
    reads: "loss and median of the newest round in the mail of an alert",
    first: "Dlr",
    has_command: false,
    marks: Some(|| Marks::of([HEADING, "loss: ", "rtt: "])),
    starts: |line| is_heading(line) || series(line).is_some(),
    continues: |block, line| {
        is_heading(block.last().unwrap_or_default()) && line.bytes().all(|byte| byte == b'-')
            || series(line).is_some()
    },
    takes_in: None,
    read,
};

const HEADING: &str = "Data (old --> now)";

fn is_heading(line: &str) -> bool {
    line.trim_ascii() == HEADING
}

/// `loss: 0%, 0%, 10%`, `rtt: 22ms, U, 41ms`: what it is of, and its values.
fn series(line: &str) -> Option<(&'static str, impl Iterator<Item = &str>)> {
    let (unit, values) = match line.split_once(": ")? {
        ("loss", values) => ("%", values),
        ("rtt", values) => ("ms", values),
        _ => return None,
    };
    let mut values = values.split(',').map(str::trim_ascii);
    let is_value = |value: &str| value.ends_with(unit) || matches!(value, "U" | "S");
    (values.clone().count() > 1 && values.next().is_some_and(is_value)).then_some((unit, values_of(line)))
}

fn values_of(line: &str) -> impl Iterator<Item = &str> {
    let (_, values) = line.split_once(": ").unwrap_or_default();
    values.split(',').map(str::trim_ascii)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut row = ProbeRow {
        to: context.to.clone(),
        ..ProbeRow::default()
    };
    let (mut rounds, mut is_told) = (None, false);
    for (number, line) in block.numbered() {
        let Some((unit, values)) = series(line) else {
            continue;
        };
        let values: Vec<Option<f64>> = values.map(|value| figure(value, unit)).collect();
        let count = values.len();
        if values.iter().any(Option::is_none) || rounds.is_some_and(|rounds| rounds != count) {
            findings.complain(
                number,
                "the rounds of the alert are not whole: which is the newest is not told",
            );
            return;
        }
        rounds = Some(count);
        // An unknown one is no figure.
        let newest = values.last().copied().flatten().filter(|value| !value.is_nan());
        is_told |= newest.is_some();
        match unit {
            "%" => row.loss_ratio = newest.filter(|loss| *loss <= 100.0).map(|loss| loss / 100.0),
            _ => {
                row.delay = newest
                    .and_then(|ms| ns_of_seconds(ms / 1e3))
                    .map(|median| DelayStatistics {
                        p50_ns: i64::try_from(median).ok(),
                        ..DelayStatistics::default()
                    });
            }
        }
    }
    if is_told {
        let probes = Probes {
            from: context.from.clone(),
            rows: vec![row],
            ..Probes::default()
        };
        findings.record(block, "SmokePing", context.at, Payload::Probes(probes));
    }
}

/// A value with its unit; of a round that is not known, no number.
fn figure(value: &str, unit: &str) -> Option<f64> {
    match value {
        "U" | "S" => Some(f64::NAN),
        value => value
            .strip_suffix(unit)?
            .parse()
            .ok()
            .filter(|figure: &f64| *figure >= 0.0),
    }
}
